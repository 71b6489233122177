"""Measured error rates as text: how often intervals held the truth, and tests rejected; and the worlds they were in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heldout.report.plain_text import columns_of, folded, padded, shortened, visible

Facts = Mapping[str, Any]
LONGEST = 24
"""Columns of a name."""


def rates_text(d: Facts, width: int = 80, color: bool = False) -> str:  # noqa: ARG001 one signature for all
    """A table with one line per method or test and metric."""
    rows = d["results"]
    if d["world"] is None:
        return "\n".join(by_world(rows)) + "\n"
    if d["schema"] == "heldout.coverage/1":
        body = [coverage_line(one, d["window"]) for one in rows]
        goal = f"level {d['level']:g}" + ("" if d["window"] is None else f", mean over true values +-{d['window']:.0%}")
    else:
        body = [size_line(one) for one in rows]
        goal = f"alpha {d['alpha']:g}" + (f", {d['models']} models" if d["models"] > 2 else "")
    counted = all(one["repeats"] == 0 for one in rows)
    how = (
        "every sample counted" if counted else f"{max(one['repeats'] for one in rows):,} repetitions, seed {d['seed']}"
    )
    lines = folded(visible(f"{d['world']}, n = {d['n']:,}, {goal}; {how}"), width, "", "  ")
    return "\n".join([*lines, "", *aligned(body)]) + "\n"


def coverage_line(one: Facts, window: float | None) -> dict[str, str]:
    """One interval's line, by column.

    >>> facts = {"method": "wilson", "metric": "accuracy", "truth": 0.01, "coverage": 0.9106, "repeats": 0}
    >>> line = coverage_line({**facts, "width": 0.085, "word": "too low", "undefined": 0.0}, None)
    >>> line["coverage"], line["error"], line[""]
    ('91.1%', 'exact', 'too low')
    """
    word = one["word"] if not one["undefined"] else f"{one['word']}, {one['undefined']:.1%} undefined"
    lowest = {} if window is None else {"lowest": share(one["minimum"])}
    return {
        "method": visible(one["method"]),
        "metric": visible(one["metric"]),
        "truth": f"{one['truth']:.4g}",
        "coverage": share(one["coverage"]),
        **lowest,
        "error": mistake(one),
        "width": "--" if one["width"] is None else f"{one['width']:.3g}",
        "": word,
    }


def size_line(one: Facts) -> dict[str, str]:
    """One test's line, by column."""
    return {
        "test": visible(one["test"]),
        "metric": visible(one["metric"]),
        "difference": f"{one['difference']:+.4g}" if one["difference"] else "0",
        "rejected": share(one["rejected"]),
        "error": mistake(one),
        "undefined": share(one["undefined"]),
        "covered": share(one["coverage"]),
        "": one["word"] or "",
    }


def by_world(rows: Sequence[Facts]) -> list[str]:
    """One table per world, with a line per number of rows and metric."""
    lines: list[str] = []
    for world in dict.fromkeys(one["world"] for one in rows):
        inside = [one for one in rows if one["world"] == world]
        body = [{"metric": visible(one["metric"]), "n": f"{one['n']}", **_rest(size_line(one))} for one in inside]
        lines += [*([""] if lines else []), world, *aligned(body, names=1)]
    return lines


def _rest(line: Mapping[str, str]) -> dict[str, str]:
    return {name: line[name] for name in ("rejected", "error", "undefined", "covered", "")}


def share(value: float | None) -> str:
    """A share in percent; -- where there is none.

    >>> share(0.3951), share(None)
    ('39.5%', '--')
    """
    return "--" if value is None else f"{value:.1%}"


def mistake(one: Facts) -> str:
    """The Monte-Carlo error of a share; `exact` where nothing was drawn."""
    return "exact" if one["repeats"] == 0 else f"{one['error']:.2%}"


def aligned(body: Sequence[Mapping[str, str]], names: int = 2) -> list[str]:
    """Lines of a table: names on the left, numbers on the right, the last word on the left."""
    head = list(body[0])
    sides = ["l"] * names + ["r"] * (len(head) - names - 1) + ["l"]
    lines = [
        [shortened(cell, LONGEST) if at < names else cell for at, cell in enumerate(line)] for line in _cells(body)
    ]
    widths = [max(columns_of(line[at]) for line in lines) for at in range(len(head))]
    return ["  ".join(padded(*cell) for cell in zip(line, widths, sides, strict=True)).rstrip() for line in lines]


def _cells(body: Sequence[Mapping[str, str]]) -> list[list[str]]:
    return [list(body[0]), *(list(line.values()) for line in body)]


def world_text(d: Facts, width: int = 80, color: bool = False) -> str:  # noqa: ARG001 one signature for all
    """What a world is, and its true values; or all worlds and their parameters."""
    lines: list[str] = []
    for one in d["worlds"]:
        lines += [visible(one["name"]), *folded(visible(one["about"]), width, "  ", "  ")]
        if one["parameters"]:
            given = ", ".join(f"{name}={value}" for name, value in one["parameters"].items())
            lines += folded(visible(given), width, "  parameters: ", "    ")
    if d["values"]:
        kept = ", ".join(f"{name} {value:.6g}" for name, value in d["values"].items() if value is not None)
        lines += [*folded(kept, width, "  true values: ", "    "), f"  exact to {d['accuracy']:g}"]
    if d["bayes_error"] is not None:
        lines.append(f"  Bayes error: {d['bayes_error']:.6f}")
    return "\n".join(lines) + "\n"
