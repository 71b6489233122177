"""How many standard errors an interval reaches to either side."""

from __future__ import annotations

from collections.abc import Callable

STEPS = 64
"""Halvings: a few more than the bits of a double."""


def edge(inside: Callable[[float], bool], outside: float, within: float) -> float:
    """The last point inside on the way from `within` to `outside`, by bisection.

    `inside` has to change once between the two; where it never holds, the answer is `within`.

    >>> round(edge(lambda p: p * p > 0.5, 0.0, 1.0), 6)
    0.707107
    """
    for _ in range(STEPS):
        middle = (outside + within) / 2
        if inside(middle):
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
