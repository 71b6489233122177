"""The difference of two models by segment, and whether it varies between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.breakdowns import WORST, bar, short, too_small, varies
from heldout.report.cells import Cell, Table
from heldout.report.digits import Estimated, amount, percent, signed

NOT_ESTABLISHED = "~"


def difference_tables(d: Mapping[str, Any], *, brief: bool) -> list[Table]:
    """Per segment column and model: every segment with its rows and its difference; a brief page has one metric."""
    tables = []
    for column, models in d.get("segments", {}).items():
        for found in models:
            first: Mapping[str, Any] = next(iter(found["shown"].values()), {"differences": {}})["differences"]
            names = list(first)[:1] if brief else list(first)
            tables += [_table(d, column, found, name, brief=brief) for name in names or [""]]
    return tables


def _table(d: Mapping[str, Any], column: str, found: Mapping[str, Any], name: str, *, brief: bool) -> Table:
    shown = {key: part for key, part in found["shown"].items() if name in part["differences"]}
    chosen = list(shown)[:WORST] if brief else list(shown)
    ones = [shown[key]["differences"][name] for key in chosen]
    grouped = d["rows"] != d["units"]
    sizes = ["rows", "units"] if grouped else ["rows"]
    left = len(shown) - len(chosen)
    which = f"{name}: {short(found['a'])} - {short(found['b'])}".removeprefix(": ")
    return Table(
        name="segments",
        title=Cell(f"{which} by {short(column)}, simultaneous: {percent(found['level'])} each", given=True),
        head=tuple(map(Cell, ["segment", *sizes, "difference", "interval"])),
        rows=tuple(
            (Cell(key, given=True), *(Cell(amount(shown[key][size])) for size in sizes), *_numbers(one))
            for key, one in zip(chosen, ones, strict=True)
        ),
        align="l" + "r" * len(sizes) + "rl",
        bars=tuple(map(bar, ones)),
        foot=(
            *((Cell(f"and {left} more segments: see --format md or json"),) if left else ()),
            *too_small(found, 0),
            *varies(
                found["heterogeneity"].get(name),
                d["level"],
                f"the difference varies by {short(column)}",
                f"that the difference varies by {short(column)} is not established",
            ),
        ),
    )


def _numbers(one: Estimated) -> tuple[Cell, Cell]:
    """Difference and interval; a difference that is not established is no number to be misread."""
    low, high = one["low"], one["high"]
    if low is None or high is None:
        return Cell(NOT_ESTABLISHED, given=True), Cell("--")
    told = NOT_ESTABLISHED if low <= 0 <= high else signed(one["value"], one)
    return Cell(told, given=True), Cell(f"[{signed(low, one)}, {signed(high, one)}]")
