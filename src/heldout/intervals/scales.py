"""Critical values; and intervals on a scale on which the estimate is closer to normal (logit, log, Fisher z)."""

from __future__ import annotations

from collections.abc import Callable
from math import atanh, exp, inf, isfinite, sqrt, tanh
from typing import Any

import numpy as np

from heldout.errors import UsageError
from heldout.intervals import UNDEFINED, Interval

STEPS = 64
"""Halvings: a few more than the bits of a double."""


def checked_level(level: float, place: str = "the level") -> None:
    """Refuse what is not a confidence level."""
    if not 0 < level < 1:
        raise UsageError(f"{place} is {level:g}, but must lie between 0 and 1", fix="for 95% write 0.95")
    if not 1e-9 <= level <= 1 - 1e-12:  # beyond that quantiles are 0 or infinite, up to rounding
        raise UsageError(
            f"{place} is {float(level)!r}, too near {round(level)} for an interval", fix="for 95% write 0.95"
        )


def edge(inside: Callable[[float], bool], outside: float, within: float, steps: int = STEPS) -> float:
    """The last point inside on the way from `within` to `outside`, by bisection.

    `inside` has to change once between the two; where it never holds, the answer is `within`. Arrays of such numbers
    are searched together.

    >>> round(edge(lambda p: p * p > 0.5, 0.0, 1.0), 6)
    0.707107
    >>> edge(lambda p: p * p > np.array([0.25, 0.5]), 0.0, 1.0).round(6).tolist()
    [0.5, 0.707107]
    """
    for _ in range(steps):
        middle = (outside + within) / 2
        held: Any = inside(middle)
        if not isinstance(held, bool | np.bool_):
            within, outside = np.where(held, middle, within), np.where(held, outside, middle)  # type: ignore[assignment]
        elif held:
            within = middle
        else:
            outside = middle
    return within


def critical_z(level: float) -> float:
    """The normal quantile at (1 + level) / 2.

    >>> round(critical_z(0.95), 4)
    1.96
    """
    from scipy.special import ndtri

    # From the lower tail: (1 + level) / 2 loses digits as the level nears one, (1 - level) / 2 does not.
    return float(-ndtri((1 - level) / 2))


def critical_t(level: float, df: float) -> float:
    """The quantile at (1 + level) / 2 of Student's t; infinite without degrees of freedom [student08].

    >>> round(critical_t(0.95, 9), 4), critical_t(0.95, 0)
    (2.2622, inf)
    """
    from scipy.special import stdtrit

    return float(-stdtrit(df, (1 - level) / 2)) if df > 0 else float("inf")


def plain(value: float, error: float, level: float) -> Interval:
    """The scale itself, for values without bounds: value -+ z error.

    >>> [round(end, 3) for end in plain(0.3, 0.0725, 0.95)]
    [0.158, 0.442]
    """
    if not _usable(value, error, -inf, inf):
        return UNDEFINED
    reach = critical_z(level) * error
    return value - reach, value + reach


def on_logit(value: float, error: float, level: float) -> Interval:
    """The log odds ln(v / (1 - v)), for values in (0, 1).

    >>> [round(end, 4) for end in on_logit(0.68, 0.127017, 0.95)]
    [0.4036, 0.8696]
    """
    if not _usable(value, error, 0, 1):
        return UNDEFINED
    missing = 1 - value
    shrink = exp(-critical_z(level) * error / (value * missing))  # a falling exponential cannot overflow
    return value * shrink / (value * shrink + missing), value / (value + missing * shrink)


def on_log(value: float, error: float, level: float) -> Interval:
    """The logarithm, for values in (0, inf): v exp(-+ z error / v).

    >>> [round(end, 3) for end in on_log(4.0, 1.0, 0.95)]
    [2.451, 6.529]
    """
    if not _usable(value, error, 0, inf):
        return UNDEFINED
    factor = _grown(critical_z(level) * error / value)
    return value / factor, value * factor


def fisher_z(value: float, error: float, level: float) -> Interval:
    """The inverse hyperbolic tangent, for values in (-1, 1) such as correlations, kappa and MCC [fisher15].

    >>> [round(end, 4) for end in fisher_z(0.745023, 0.079616, 0.95)]
    [0.5448, 0.8649]
    """
    if not _usable(value, error, -1, 1):
        return UNDEFINED
    middle, reach = atanh(value), critical_z(level) * error / (1 - value**2)
    return tanh(middle - reach), tanh(middle + reach)


def on_log_one_minus(value: float, error: float, level: float) -> Interval:
    """The logarithm of what is missing to 1, ln(1 - v), for values in (-inf, 1) such as R2.

    >>> [round(end, 3) for end in on_log_one_minus(0.5, 0.1, 0.95)]
    [0.26, 0.662]
    """
    low, high = on_log(1 - value, error, level)
    return 1 - high, 1 - low


RESOLVED = 1e-6
"""Below this part of its interval's width a difference of roots is rounding, to which the two slopes do not matter."""


def difference_of_roots(first: float, second: float, own: Interval, squares: Interval) -> Interval:
    """The interval of d = sqrt(A) - sqrt(B): that of the delta method (`own`), reaching as far as A - B does at 0.

    For a difference d to be tested, A - B - d (sqrt(A) + sqrt(B)) is 0, whose standard error changes with d: it is that
    of A - B where d = 0, that of the delta method where d is the value, and between them at most what a line between
    them says, as it is convex. Never wider than |A - B| >= d^2 allows.

    >>> [round(end, 6) for end in difference_of_roots(0.0, 1.0, (-1.4, -0.6), (-1.8, -0.2))]
    [-1.4, -0.333333]
    """
    value, total = first - second, first + second
    if not abs(value) > RESOLVED * (own[1] - own[0]):
        return own
    low, high = (_solved(value, end, flat / total) for end, flat in zip(own, squares, strict=True))
    if squares[0] < 0:
        low = max(low, -sqrt(-squares[0]))
    if squares[1] > 0:
        high = min(high, sqrt(squares[1]))
    return min(own[0], low), max(own[1], high)


def _solved(value: float, end: float, flat: float) -> float:
    """Where a line of standard errors, by which an end is `end` at the value and `flat` at 0, ends; else infinite."""
    shift = value - end + flat
    return value * flat / shift if value * shift > 0 else (inf if end > value else -inf)


def _usable(value: float, error: float, above: float, below: float) -> bool:
    return above < value < below and isfinite(value) and isfinite(error) and error > 0


def _grown(reach: float) -> float:
    """The exponential, infinite where a double ends."""
    try:
        return exp(reach)
    except OverflowError:
        return inf
