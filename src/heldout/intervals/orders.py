"""Intervals from order statistics: they hold for any distribution."""

from __future__ import annotations

from bisect import bisect_left
from math import expm1, log1p, nan

from heldout.batch import Array
from heldout.intervals import UNDEFINED, Interval


def quantile(sorted_values: Array, q: float, level: float) -> tuple[Interval, float]:
    """The l-th and u-th smallest values with P(l <= X < u) >= level, X binomial(n, q), and this chance [david03].

    Each tail is at most (1 - level) / 2. Where so few values allow no such bound the extreme value stands in, and the
    chance returned is below the level; a single value gives (nan, nan) and 0. With ties the chance is at least the one
    returned.

    >>> quantile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.5, 0.95)
    ((2.0, 9.0), 0.978515625)
    """
    from scipy.special import bdtr

    n, tail = len(sorted_values), (1 - level) / 2
    if n == 0:
        return UNDEFINED, nan

    def at_most(count: int) -> float:
        return float(bdtr(count, n, q)) if count >= 0 else 0.0

    def more_than(count: int) -> float:
        return float(bdtr(n - 1 - count, n, 1 - q)) if count < n else 0.0

    first = bisect_left(range(n), True, key=lambda count: at_most(count) > tail)
    last = bisect_left(range(n), True, key=lambda count: more_than(count) <= tail) + 1
    first, last = min(max(first, 1), n), max(min(last, n), 1)
    if first == last:  # one value holds nothing between
        return UNDEFINED, 0.0
    chance = 1 - at_most(first - 1) - more_than(last - 1)
    return (float(sorted_values[first - 1]), float(sorted_values[last - 1])), chance


def exceedance(n: float, level: float) -> float:
    """With this confidence a new row exceeds the largest of n rows with at most the chance 1 - (1 - level)^(1 / n).

    >>> round(exceedance(100, 0.95), 4)
    0.0295
    """
    return -expm1(log1p(-level) / n) if n > 0 else 1.0
