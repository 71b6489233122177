"""Bounds on the error of the best rule there is, in a few lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.number_text import amount, interval_text, like, percent, value_text
from heldout.report.plain_text import folded, visible

Facts = Mapping[str, Any]


def ceiling_text(d: Facts, width: int = 80, color: bool = False) -> str:  # noqa: ARG001 one signature for all
    """The upper bound first, because it holds; the lower one with its weakness; the floor where rows repeat."""
    upper, lower, level = d["upper"], d["lower"], percent(d["level"])
    plural = "" if d["dimensions"] == 1 else "s"
    head = f"{d['rows']:,} rows, {len(d['labels'])} classes, {d['dimensions']} dimension{plural}; {level} confidence"
    vote = "the nearest neighbour" if d["neighbours"] == 1 else f"a vote of {d['neighbours']} neighbours"
    lines = [
        *folded(head, width),
        "",
        *folded(f"the best rule errs on at most {like(upper['high'], upper)}", width),
        *_line(upper, f"{vote}, {amount(upper['count'][0])} wrong of {amount(upper['count'][1])} rows not seen", width),
        *_lower(lower, width),
    ]
    if d["repeats"] is not None:
        lines += _floor(d["repeats"], width)
    lines.append("")
    for note in d["notes"]:
        lines += folded(visible(note), width, "note: ", "  ")
    return "\n".join(lines) + "\n"


def _line(e: Facts, about: str, width: int) -> list[str]:
    return folded(f"{value_text({**e, 'notes': []})} {interval_text({**e, 'notes': []})}: {about}", width, "  ", "    ")


def _lower(lower: Facts, width: int) -> list[str]:
    trust = "asymptotic" if lower["trustworthy"] else "asymptotic, not to be relied on in so many dimensions"
    return [
        *folded(f"and on about {like(lower['low'], lower)} or more ({trust})", width),
        *_line(lower, "Cover and Hart, from the error of the nearest neighbour", width),
    ]


def _floor(again: Facts, width: int) -> list[str]:
    floor, points = again["floor"], again["points"]
    seen = f"where rows repeat, no rule errs on less than {like(floor['low'], floor)}"
    told = f"{again['rows']:,} rows share their features with others ({points:,} point{'s' * (points != 1)})"
    return [
        *folded(seen if floor["low"] > 0 else "where rows repeat, no noise in the labels is established", width),
        *_line(floor, f"{told}; any rule gets {again['lost']:,} or more of them wrong", width),
    ]
