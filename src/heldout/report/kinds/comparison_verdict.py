"""The verdict in sentences: what is established, how small it may be, and what would settle the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Any

from heldout.estimates.rounding import number, spec
from heldout.report.number_text import p_text, percent, signed

Compared = Mapping[str, Any]
NAMED = 10
"""How many models a sentence names before it counts the rest."""


def verdict(d: Mapping[str, Any]) -> tuple[str, ...]:
    """One or more sentences for each model that is judged; then, for many models, which of them are alike."""
    others = [name for name in d["models"] if name != d["baseline"]]
    said = [line for name in others for line in _one(d, name)]
    return (*said, *_alike(d))


def _one(d: Mapping[str, Any], name: str) -> list[str]:
    found = [one for one in d["differences"] if one["a"] == name]
    if d["primary"]:
        primary = [one for one in found if one["metric"] == d["primary"]]
        return [line for one in primary for line in _on_primary(d, one)]
    return _on_any(d, name, [one for one in found if one["printed"]])


def _on_primary(d: Mapping[str, Any], one: Compared) -> list[str]:
    """The verdict on the metric that decides."""
    who, where = f"{one['a']} is {one['verdict']}", f"on {one['metric']}"
    if one["verdict"] in ("BETTER", "WORSE"):
        return [f"{who} than {one['b']} {where} ({_amount(one)}, {_range(one)}).", *_at_least(one)]
    if one["verdict"] == "EQUIVALENT":
        return [f"{who} to {one['b']} {where}: within {one['margin']:g} either way ({_amount(one)}, {_range(one)})."]
    return [f"UNDECIDED whether {one['a']} is better than {one['b']} {where} ({_range(one)}).", _settled_by(d, one)]


def _on_any(d: Mapping[str, Any], name: str, found: Sequence[Compared]) -> list[str]:
    """Without a metric that decides: what passes the correction, if anything does."""
    said = []
    for word, joint in (("BETTER", "than"), ("WORSE", "than"), ("EQUIVALENT", "to")):
        metrics = [one["metric"] for one in found if one["verdict"] == word]
        if metrics:
            said.append(f"{name} is {word} {joint} {d['baseline']} on {_list(metrics)}.")
    if said:
        return said
    tested = [one for one in found if one["p_adjusted"] is not None]
    if not tested:
        return [f"UNDECIDED whether {name} is better than {d['baseline']}: no metric could be tested."]
    closest = min(tested, key=lambda one: float(one["p_adjusted"]))
    p = p_text(closest["p_adjusted"], d["level"])
    smallest = f"nothing is established (smallest p {p}, {closest['metric']})"
    return [
        f"UNDECIDED whether {name} is better than {d['baseline']}: {smallest}.",
        _settled_by(d, closest),
    ]


def _at_least(one: Compared) -> list[str]:
    """The end of the interval nearest to no difference; left out where the interval reaches no difference."""
    if one["low"] is None or one["high"] is None or one["low"] <= 0 <= one["high"]:
        return []
    word = "gain" if one["verdict"] == "BETTER" else "loss"
    nearest = min(abs(one["low"]), abs(one["high"]))
    return [f"The {word} may be as small as {number(nearest, _spec(one))}."]


def _settled_by(d: Mapping[str, Any], one: Compared) -> str:
    if one["p"] is None:
        return "It could not be tested."
    if one["value"] == 0:
        return "No difference was seen, so no number of rows can be named."
    if one["rows_needed"] is None:
        return "The difference seen is too small to say how many rows would settle it."
    kind = "rows" if d["units"] == d["rows"] else "units"
    kind += "" if d["paired"] else " in each sample"
    return f"About {rounded(one['rows_needed']):,} {kind} would settle a difference of this size (80% power)."


def rounded(rows: int) -> int:
    """A number of rows with three digits that count, rounded up.

    >>> rounded(22473), rounded(87)
    (22500, 87)
    """
    step = 10 ** max(floor(log10(rows)) - 2, 0) if rows > 0 else 1
    return -(-rows // step) * step


def _alike(d: Mapping[str, Any]) -> list[str]:
    """Which models cannot be told apart from the best, and by how much the best of several looks too good."""
    many = d["many"]
    if not many:
        return []
    others = [name for name in many["indistinguishable"] if name != many["best"]]
    best = f"{many['best']} has the best value"
    said = [f"{best}, and cannot be told apart from {_list(others)}." if others else f"{best}, and stands alone."]
    if many["corrected"] is not None and many["optimism"] is not None:
        added = (
            f"better than it is by about {two_digits(many['optimism'])}" if many["optimism"] else "no better than it is"
        )
        said.append(f"The best of {len(d['models'])} looks {added}; corrected: {_bounded(d, many['corrected'])}.")
    return said


def two_digits(x: float) -> str:
    """A number with two digits that count, however small.

    >>> two_digits(0.00012345), two_digits(3.14)
    ('0.00012', '3.1')
    """
    return f"{x:.{max(1 - floor(log10(abs(x))), 0)}f}"


def _bounded(d: Mapping[str, Any], e: Mapping[str, Any]) -> str:
    """The value of the best model freed of having been picked, and how bad it may be: a bound to one side."""
    better = next((one["better"] for one in d["differences"] if one["metric"] == _deciding(d)), "higher")
    word, bound = ("at most", e["high"]) if better == "lower" else ("at least", e["low"])
    form = spec(e["value"], e["low"], e["high"])
    level = percent(round((1 + d["level"]) / 2, 12))  # the bound is the cautious end of an interval with two
    return f"{number(e['value'], form)}, {word} {number(bound, form)} ({level} bound)"


def _deciding(d: Mapping[str, Any]) -> str | None:
    """The metric by which several models are judged together: the primary one, or the first that is printed."""
    printed = (one["metric"] for one in d["differences"] if one["printed"] and one["better"])
    return str(d["primary"]) if d["primary"] else next(printed, None)


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _spec(one: Compared) -> str:
    return spec(one["value"], one["low"], one["high"])


def _amount(one: Compared) -> str:
    return signed(one["value"], one)


def _range(one: Compared) -> str:
    if one["low"] is None or one["high"] is None:
        return "no interval"
    return f"{percent(one['level'])} interval {signed(one['low'], one)} to {signed(one['high'], one)}"
