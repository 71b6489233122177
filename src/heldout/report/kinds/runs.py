"""Recorded results as a table: which, when, what they found, and which look at their rows they were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heldout.report.number_text import interval_text, value_text
from heldout.report.plain_text import folded, padded, shortened, visible

Facts = Mapping[str, Any]


def runs_text(d: Facts, width: int = 80, color: bool = False) -> str:  # noqa: ARG001 one signature for all
    """One line per run, or one line per metric where runs stand side by side."""
    lines = _side_by_side(d, width) if d["metrics"] else _list(d, width)
    for note in d["notes"]:
        lines += folded(visible(note), width, "note ", "     ")
    return "\n".join(lines) + "\n"


def _list(d: Facts, width: int) -> list[str]:
    if not d["runs"]:
        return ["no runs are recorded"]
    rows = [
        [
            one["id"][:6],
            one["time"][:16].replace("T", " "),
            shortened(visible(one["name"]), 12),
            "" if one["rows"] is None else str(one["rows"]),
            "" if one["look"] is None else f"{one['look']} of {one['looks']}",
            _primary(one["primary"]),
        ]
        for one in d["runs"]
    ]
    return _table([["id", "when (UTC)", "name", "rows", "look", "value [interval]"], *rows], "lllrll", width)


def _primary(found: Facts | None) -> str:
    return "" if found is None else f"{found['metric']} {value_text(found)} {interval_text(found)}"


def _side_by_side(d: Facts, width: int) -> list[str]:
    head = ["metric", *(shortened(visible(one["name"]), 16) for one in d["runs"])]
    rows = [
        [line["metric"], *("--" if e is None else f"{value_text(e)} {interval_text(e)}" for e in line["values"])]
        for line in d["metrics"]
    ]
    return _table([head, *rows], "l" * len(head), width)


def _table(rows: Sequence[Sequence[str]], align: str, width: int) -> list[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(padded, row, widths, align)).rstrip() for row in rows]
    return [shortened(line, width) for line in lines]
