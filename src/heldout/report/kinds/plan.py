"""A plan in a few lines: how many rows, for what, and what that takes for granted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.number_text import percent
from heldout.report.plain_text import folded, visible

Facts = Mapping[str, Any]


def plan_text(d: Facts, width: int = 80, color: bool = False) -> str:  # noqa: ARG001 one signature for all
    """The rows or the power of each design, and the assumptions, as lines no wider than `width`."""
    said = {"interval": interval_lines, "bound": bound_lines}.get(d["question"], design_lines)(d)
    lines = [line for one in said for line in folded(visible(one), width, "", "  ")]
    for assumption in d["assumptions"]:
        lines += folded(visible(assumption), width, "assumed: ", "  ")
    return "\n".join(lines) + "\n"


def interval_lines(d: Facts) -> list[str]:
    """The rows for one model, and for the worst case."""
    one, *worst = d["designs"]
    at = "" if d["value"] is None else f" at {d['metric']} {d['value']:.4g}"
    kind = f"{d['method']}, {percent(d['level'])}"
    lines = [f"n = {one['rows']:,} {d['unit']}  (interval {kind}, half-width {one['half_width']:.3g}{at})"]
    if worst:
        low, high = d["range"]
        lines.append(f"worst case over [{low:g}, {high:g}]: n = {worst[0]['rows']:,} rows")
    return lines


def bound_lines(d: Facts) -> list[str]:
    """The rows with which the limit clears its bound, with the power asked for and only on average."""
    side, bound = ("lower", d["lower_bound"]) if d["upper_bound"] is None else ("upper", d["upper_bound"])
    beyond = "above" if side == "lower" else "below"
    asked, mean = d["designs"]
    limit = f"{side} limit of the {percent(d['level'])} interval {beyond} {bound:g}"
    at = f"at {d['metric']} {d['value']:.4g}, {d['method']}"
    return [
        f"n = {asked['rows']:,} rows  ({limit} with power {asked['power']:.1%}, {at})",
        f"on average only: n = {mean['rows']:,} rows, power {mean['power']:.1%}",
    ]


def design_lines(d: Facts) -> list[str]:
    """The rows and the power, design by design.

    >>> one = {"name": "paired", "rows": 1556, "power": 0.8002}
    >>> design_lines({"designs": [one], "question": "power", "metric": "accuracy", "gain": 0.02, "value": 0.85,
    ...               "method": "McNemar, mid-p", "level": 0.95, "unit": "rows"})[0]
    'accuracy 0.85, gain 0.02, 95% confidence (McNemar, mid-p)'
    """
    at = d["metric"] if d["value"] is None else f"{d['metric']} {d['value']:.4g}"
    gain = "against 0.5" if d["gain"] is None else f"gain {d['gain']:g}"
    lines = [f"{at}, {gain}, {percent(d['level'])} confidence ({d['method']})"]
    for one in d["designs"]:
        each = " per model" if one["name"] == "unpaired" else ""
        lines.append(f"{one['name'] + ':':<9} n = {one['rows']:,} {d['unit']}{each}, power {one['power']:.1%}")
    if d["question"] == "difference":
        lines += saved(d)
    return lines


def saved(d: Facts) -> list[str]:
    """How many of the labels that two samples would need one sample spares."""
    rows = {one["name"]: one["rows"] for one in d["designs"]}
    if not {"paired", "unpaired"} <= set(rows):
        return []
    return [f"pairing saves {1 - rows['paired'] / (2 * rows['unpaired']):.0%} of the labels"]
