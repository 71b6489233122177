"""The p-value that an interval gives."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan, log10

from heldout.intervals import Interval
from heldout.intervals.critical_values import edge

LEAST = 1e-15
"""Beyond this a level cannot be told from 1."""
MOST = 1 - 1e-9
"""Beyond this an interval is a point."""


def inverted(interval: Callable[[float], Interval], *, least: float = LEAST) -> float:
    """The p-value of there being no difference: 1 less the lowest level at which the interval holds 0.

    By construction it is below 1 - level just where the interval at that level leaves 0 out. It is never below `least`.

    >>> from heldout.stats.independent_samples import newcombe, wald
    >>> round(inverted(lambda level: wald(30, 100, 20, 100, level)), 4)  # the textbook's z
    0.1002
    >>> round(inverted(lambda level: newcombe(30, 100, 20, 100, level)), 4)
    0.103
    """

    def holds(alpha: float) -> bool:
        low, high = interval(1 - alpha)
        return low <= 0 <= high

    if isnan(sum(interval(0.95))):
        return float("nan")
    if not holds(least):
        return least
    if holds(MOST):
        return 1.0
    return float(10 ** edge(lambda power: holds(10**power), log10(MOST), log10(least)))
