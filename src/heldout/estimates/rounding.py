"""Numbers as text: digits follow the interval."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import ceil, floor, isfinite, log10

_DECIMALS: ContextVar[int | None] = ContextVar("decimals", default=None)
"""Decimals of every number while something is rendered; None: as the interval needs."""


@contextmanager
def decimals(count: int | None) -> Iterator[None]:
    """Give every number so many decimals for a while; None changes nothing."""
    token = _DECIMALS.set(count)
    try:
        yield
    finally:
        _DECIMALS.reset(token)


def spec(value: float | None, low: float | None, high: float | None) -> str:
    """The format that shows two significant digits of the half width; shares have at least three decimals.

    >>> spec(0.3, 0.1807, 0.4538), spec(123.4, 117.0, 129.8), spec(0.30012, 0.2998, 0.3004)
    ('.3f', '.1f', '.5f')
    """
    chosen = _DECIMALS.get()
    if chosen is not None:
        return f".{chosen}f"
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


def at_most(bound: float) -> str:
    """A bound in two digits, rounded up: what is said to lie within it does.

    >>> at_most(4.01e-05), at_most(0.25), at_most(0.0)
    ('4.1e-05', '2.5e-01', '0.0e+00')
    """
    if not bound > 0 or not isfinite(bound):
        return f"{bound:.1e}"
    power = floor(log10(bound)) - 1
    text = f"{bound:.1e}"
    return text if float(text) >= bound else f"{ceil(bound / 10.0**power) * 10.0**power:.1e}"


def number(x: float, form: str) -> str:
    """A number in that format, with no minus sign before a zero.

    >>> number(-0.00004, ".3f")
    '0.000'
    """
    if not isfinite(x):
        return str(x)
    text = format(x, form)
    return text.removeprefix("-") if not any(digit in text.partition("e")[0] for digit in "123456789") else text
