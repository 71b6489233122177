"""Numbers as text: digits follow the interval."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from heldout.estimates.rounding import number, spec

Estimated = Mapping[str, Any]
"""One estimate as a plain dictionary: value, low, high, level, method, notes and so on."""


def value_text(e: Estimated) -> str:
    """The value; `inf` or `undefined` where there is none, as the notes say.

    >>> value_text({"value": 0.3, "low": 0.1807, "high": 0.4538, "notes": []})
    '0.300'
    """
    if e["value"] is not None:
        return number(e["value"], spec(e["value"], e["low"], e["high"]))
    unbounded = e["low"] is not None and e["high"] is None
    return "inf" if unbounded or any("infinit" in note for note in e["notes"]) else "undefined"


def interval_text(e: Estimated) -> str:
    """The interval in brackets; one missing end is infinite, without both ends there is no interval.

    >>> interval_text({"value": 0.3, "low": 0.1807, "high": 0.4538, "notes": []})
    '[0.181, 0.454]'
    """
    low, high = e["low"], e["high"]
    if low is None and high is None:
        return "--"
    form = spec(e["value"], low, high)
    left = "-inf" if low is None else number(low, form)
    right = "inf" if high is None else number(high, form)
    return f"[{left}, {right}]"


def like(x: float | None, e: Estimated) -> str:
    """A number with the digits of an estimate, to stand beside it; `--` where there is none."""
    return "--" if x is None or not isfinite(x) else number(x, spec(e["value"], e["low"], e["high"]))


def amount(x: float, thousands: str = "") -> str:
    """A count: whole where it is whole, otherwise (weighted rows) with one decimal or four digits.

    >>> amount(1850.0), amount(1850.0, ","), amount(12.345), amount(0.012345)
    ('1850', '1,850', '12.3', '0.01235')
    """
    if float(x).is_integer():
        return f"{int(x):{thousands}}"
    return f"{x:.1f}" if abs(x) >= 10 else f"{x:.4g}"


def percent(share: float) -> str:
    """A level as a percentage: 0.95 is 95%.

    >>> percent(0.95), percent(0.999), percent(0.9833333333333), percent(0.999999999)
    ('95%', '99.9%', '98.3333%', '99.9999999%')
    """
    text = "100"
    for digits in range(6, 17):  # as many as tell the level from 1
        text = f"{100 * share:.{digits}g}"
        if text != "100" or share >= 1:
            break
    return f"{text}%"


def signed(x: float | None, e: Estimated) -> str:
    """A difference with its sign and the digits of its interval.

    >>> signed(0.0204, {"value": 0.0204, "low": 0.0005, "high": 0.0402})
    '+0.020'
    """
    if x is None:
        return "--"
    text = number(x, spec(e["value"], e["low"], e["high"]))
    return f"+{text}" if x > 0 and any(digit in text for digit in "123456789") else text


def signed_interval(e: Estimated, *, joint: str = ", ", brackets: str = "[]") -> str:
    """The interval of a difference: both ends with their sign, also where they round to zero.

    >>> signed_interval({"value": -0.07, "low": -0.153, "high": 0.0002})
    '[-0.153, +0.000]'
    """
    low, high = e["low"], e["high"]
    if low is None and high is None:
        return "--"
    form = spec(e["value"], low, high)
    if low == high == 0:
        ends = [number(0.0, form)] * 2
    else:
        ends = [
            unbounded if x is None or not isfinite(x) else f"{'-' if x < 0 else '+'}{number(abs(x), form)}"
            for x, unbounded in ((low, "-inf"), (high, "+inf"))
        ]
    return brackets[:1] + joint.join(ends) + brackets[1:]


def p_text(p: float | None, level: float) -> str:
    """A p-value with three decimals, or with as many as show on which side of the limit it lies.

    >>> p_text(0.0442, 0.95), p_text(0.0497, 0.95), p_text(0.0001, 0.95)
    ('0.044', '0.0497', '<0.001')
    """
    if p is None:
        return "--"
    if p < 0.001:
        return "<0.001"
    text, limit = f"{p:.3f}", round(1 - level, 12)
    return text if (float(text) < limit) == (p < limit) else f"{p:.3g}"
