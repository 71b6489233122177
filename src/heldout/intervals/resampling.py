"""Intervals from the values drawn by resampling. Draws that are nan are left out."""

from __future__ import annotations

from math import ceil, floor, isfinite

import numpy as np

from heldout.batch import Array
from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.scales import critical_z

TIED = 1e-12
"""Draws that differ from the value by less than this part of it, or of what draws differ by, are tied with it."""


def unresolved(draws: int, level: float) -> tuple[str, ...]:
    """A note where so many resamples cannot resolve a level: their extremes are the ends, whatever the level.

    >>> unresolved(2000, 0.9999)
    ('2000 resamples cannot resolve the level 99.99%: the interval ends at their extremes; take 19999 or more',)
    """
    needed = ceil(round(2 / (1 - level), 6)) - 1
    if draws >= needed:
        return ()
    ends = "the interval ends at their extremes"
    return (f"{draws} resamples cannot resolve the level {100 * level:.6g}%: {ends}; take {needed} or more",)


def percentile(drawn: Array, level: float) -> Interval:
    """The middle of the drawn values: their quantiles at (1 - level) / 2 and (1 + level) / 2 [efron79].

    >>> percentile(np.arange(1, 100), 0.9)
    (5.0, 95.0)
    """
    return _between(drawn, (1 - level) / 2, (1 + level) / 2)


def basic(value: float, drawn: Array, level: float) -> Interval:
    """The percentile interval turned round the value: (2 v - high, 2 v - low) [davison97].

    >>> basic(40.0, np.arange(1, 100), 0.9)
    (-15.0, 75.0)
    """
    low, high = percentile(drawn, level)
    return 2 * value - high, 2 * value - low


def bca(value: float, drawn: Array, influence: Array, level: float) -> Interval:
    """Percentiles moved by bias z0 and acceleration a: Phi(z0 + s / (1 - a s)), s = z0 -+ z [efron87].

    z0 is the normal quantile of the share of draws below the value, ties counting half, and a = sum L^3 /
    (6 (sum L^2)^1.5) of the influence L of each unit, on any scale. With all draws on one side: percentile.

    >>> [round(end, 6) for end in bca(50.0, np.arange(1, 100), np.array([-1.0, 0.0, 1.0]), 0.9)]
    [5.0, 95.0]
    """
    from scipy.special import ndtr, ndtri

    drawn = np.asarray(drawn, float)
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn):
        return UNDEFINED
    # sums of the same rows in another order differ in their last digits, and are ties nevertheless
    distance = np.abs(drawn - value)
    tied = distance <= TIED * (abs(value) + float(np.max(np.where(np.isfinite(distance), distance, 0.0))))
    bias = float(ndtri(np.mean((drawn < value) & ~tied) + np.mean(tied) / 2))
    if not isfinite(bias):
        return percentile(drawn, level)
    squares = float(np.sum(np.square(influence)))
    acceleration = float(np.sum(np.power(influence, 3))) / (6 * squares**1.5) if squares > 0 else 0.0

    def moved(z: float) -> float:
        step = bias + z
        room = 1 - acceleration * step
        if room <= 0:  # the limit from the other side of the pole
            return 1.0 if step > 0 else 0.0
        return float(ndtr(bias + step / room))

    z = critical_z(level)
    return _between(drawn, moved(-z), moved(z))


def _between(drawn: Array, low: float, high: float) -> Interval:
    """Two quantiles of the draws that are numbers."""
    ordered = np.sort(np.asarray(drawn, float))  # nan last
    ordered = ordered[: np.count_nonzero(~np.isnan(ordered))]
    if not len(ordered):
        return UNDEFINED
    return _quantile(ordered, low), _quantile(ordered, high)


def _quantile(ordered: Array, share: float) -> float:
    """The value of rank share * (B + 1) among B, between neighbours in proportion, at most the extremes.

    Unlike numpy's "weibull" it survives infinite draws: between two equal values lies that value.
    """
    rank = round(share * (len(ordered) + 1), 9)  # (1 - 0.9) / 2 is not quite 0.05
    rank = min(max(rank, 1.0), float(len(ordered)))
    whole = floor(rank)
    below = float(ordered[whole - 1])
    above = float(ordered[min(whole, len(ordered) - 1)])
    return below if rank == whole or below == above else below + (rank - whole) * (above - below)
