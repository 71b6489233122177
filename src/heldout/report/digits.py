"""Numbers as text: digits follow the interval."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor, isfinite, log10
from typing import Any

Estimated = Mapping[str, Any]
"""One estimate as a plain dictionary: value, low, high, level, method, notes and so on."""


def spec(value: float | None, low: float | None, high: float | None) -> str:
    """The format that shows two significant digits of the half width; shares have at least three decimals.

    >>> spec(0.3, 0.1807, 0.4538), spec(123.4, 117.0, 129.8), spec(0.30012, 0.2998, 0.3004)
    ('.3f', '.1f', '.5f')
    """
    finite = [abs(x) for x in (value, low, high) if x is not None and isfinite(x)]
    largest = max(finite, default=0.0)
    half = _half_width(value, low, high)
    step = floor(log10(half)) - 1 if half > 0 else floor(log10(largest)) - 2 if largest > 0 else -3
    if largest >= 1e7 or 0 < largest < 1e-4:  # too many digits to read: say the power of ten
        return f".{min(max(floor(log10(largest)) - step, 2), 11)}e"
    fewest = 3 if largest <= 1 else 0
    return f".{min(max(-step, fewest), 10)}f"


def _half_width(value: float | None, low: float | None, high: float | None) -> float:
    """Half the interval; where one end is open, how far the other is from the value; 0 where nothing is known."""
    ends = [x for x in (low, high) if x is not None and isfinite(x)]
    if len(ends) == 2:
        return abs(ends[1] - ends[0]) / 2
    if len(ends) == 1 and value is not None and isfinite(value):
        return abs(value - ends[0])
    return 0.0


def number(x: float, form: str) -> str:
    """A finite number in that format, with no minus sign before a zero.

    >>> number(-0.00004, ".3f")
    '0.000'
    """
    text = format(x, form)
    return text.removeprefix("-") if not any(digit in text.partition("e")[0] for digit in "123456789") else text


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
    """The interval in brackets; one missing end is infinite, two missing ends are no interval.

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


def amount(x: float) -> str:
    """A count: whole where it is whole, otherwise (weighted rows) with one decimal or four digits.

    >>> amount(185.0), amount(12.345), amount(0.012345)
    ('185', '12.3', '0.01235')
    """
    if float(x).is_integer():
        return str(int(x))
    return f"{x:.1f}" if abs(x) >= 10 else f"{x:.4g}"


def percent(share: float) -> str:
    """A level as a percentage: 0.95 is 95%.

    >>> percent(0.95), percent(0.999), percent(0.9833333333333)
    ('95%', '99.9%', '98.3333%')
    """
    return f"{100 * share:.6g}%"
