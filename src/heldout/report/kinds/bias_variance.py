"""The parts of an expected error as a small table, and point by point where there is one feature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Any

from heldout.estimates.rounding import number
from heldout.report.plain_text import folded, visible

Facts = Mapping[str, Any]
SHOWN = 12
"""Points that a screen has room for; JSON has them all."""
DESIGNS = {
    "fixed": "{n} rows at the same x",
    "random": "{n} rows drawn anew",
    "bootstrap": "bootstrap draws of {n} rows",
}


def bias_variance_text(d: Facts, width: int = 80, color: bool = False) -> str:  # noqa: ARG001 one signature for all
    """The parts with their Monte-Carlo errors, their sum, and what is seen point by point."""
    where = "" if d["world"] is None else f" in {visible(d['world'])}"
    sets = DESIGNS[d["design"]].format(n=f"{d['n']:,}")
    head = f"{visible(d['learner'])}{where}, {d['loss']} loss: {d['repeats']:,} training sets, {sets}"
    lines = [*folded(head, width), ""]
    for one in d["decompositions"]:
        lines += part_lines(one, d)
    if d["curve"]:
        lines += [*point_lines(d["curve"]), ""]
    drawn = "of the draws and of the rows" if d["world"] is None else "of the draws (Monte Carlo)"
    lines.append(f"± is one standard error {drawn}.")
    for note in d["notes"]:
        lines += folded(visible(note), width, "note: ", "  ")
    return "\n".join(lines) + "\n"


def part_lines(one: Facts, d: Facts) -> list[str]:
    """Each part, and below a line what they add up to."""
    named = {"squared": "noise + bias² + variance" if d["world"] else "bias² + variance"}
    lines = [f"{named.get(one['name'], one['name'])}:"] if one["name"] in named else [f"by {one['name']}:"]
    wide = max(len(part["name"]) for part in one["parts"])
    lines += [f"  {part['name']:<{wide}}  {measured(part)}" for part in one["parts"]]
    seen = "" if d["measured"] is None else f"   (seen on fresh rows: {measured(d['measured']).strip()})"
    return [*lines, f"  {'error':<{wide}}  {measured(d['whole'])}{seen}", ""]


def measured(part: Facts) -> str:
    """A value and its standard error, with two digits of the error; without one it is exact.

    >>> measured({"value": 0.0899, "error": 0.0012}), measured({"value": 0.09, "error": 0.0})
    (' 0.0899 ± 0.0012', ' 0.0900')
    """
    value, error = part["value"], part["error"]
    form = f".{min(max(1 - floor(log10(error)), 0), 9)}f" if error else ".4f"
    shown = number(value, form)
    return ("" if shown.startswith("-") else " ") + shown + (f" ± {number(error, form)}" if error else "")


def point_lines(curve: Sequence[Facts]) -> list[str]:
    """What is true, what rules say on average, and the parts, at up to a dozen points from end to end."""
    last = len(curve) - 1
    chosen = sorted({round(step * last / (SHOWN - 1)) for step in range(SHOWN)})
    heads = {
        "x": "x",
        "truth": "truth",
        "mean": "mean rule",
        "bias2": "bias²",
        "variance": "variance",
        "error": "error",
    }
    lines = ["".join(f"{head:>11}" for head in heads.values())]
    lines += ["".join(f"{cell(curve[at][key]):>11}" for key in heads) for at in chosen]
    return lines


def cell(value: float) -> str:
    """A number in ten columns.

    >>> cell(0.123456), cell(-0.00001), cell(123456.0)
    ('0.1235', '0.0000', '1.235e+05')
    """
    if abs(value) >= 1e4:
        return f"{value:.3e}"
    shown = f"{value:.4f}"
    return "0.0000" if shown == "-0.0000" else shown
