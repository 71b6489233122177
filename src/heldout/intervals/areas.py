"""Intervals for the area under the ROC curve."""

from __future__ import annotations

from math import isnan, sqrt

from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.critical import critical_z
from heldout.intervals.roots import edge
from heldout.intervals.scales import on_logit, plain


def delong(area: float, variance: float, level: float) -> Interval:
    """Normal interval A -+ z sqrt(variance), cut at 0 and 1; it covers too rarely in small samples [delong88].

    Without variance, as for perfect separation, there is no interval: (nan, nan).

    >>> [round(end, 3) for end in delong(0.68, 0.127017**2, 0.95)]
    [0.431, 0.929]
    """
    if not variance > 0:
        return UNDEFINED
    low, high = plain(area, sqrt(variance), level)
    return max(low, 0.0), min(high, 1.0)


def delong_logit(area: float, variance: float, level: float) -> Interval:
    """The interval on the log odds of the area: logit A -+ z sqrt(variance) / (A (1 - A)); (nan, nan) at 0 and 1.

    >>> [round(end, 4) for end in delong_logit(0.68, 0.127017**2, 0.95)]
    [0.4036, 0.8696]
    """
    return on_logit(area, sqrt(variance), level) if variance > 0 else UNDEFINED


def newcombe(area: float, positives: float, negatives: float, level: float) -> Interval:
    """Score interval: areas t with (A - t)^2 <= z^2 V(t) [newcombe06].

    V(t) = t (1 - t) [1 + N (1 - t) / (2 - t) + N t / (1 + t)] / (m k), for m positives and k negatives, with
    N = (m + k) / 2 - 1. It answers at A = 0 and 1 too. Counts may be fractional; without one of the classes every area
    is possible.

    >>> [round(end, 3) for end in newcombe(1.0, 10, 10, 0.95)]
    [0.8, 1.0]
    """
    if positives <= 0 or negatives <= 0:
        return 0.0, 1.0
    if isnan(area):
        return UNDEFINED
    square, mean = critical_z(level) ** 2, (positives + negatives) / 2 - 1

    def inside(t: float) -> bool:
        spread = t * (1 - t) * (1 + mean * (1 - t) / (2 - t) + mean * t / (1 + t)) / (positives * negatives)
        return (area - t) ** 2 <= square * spread

    low = edge(inside, 0.0, area) if area > 0 else 0.0
    high = edge(inside, 1.0, area) if area < 1 else 1.0
    return low, high


def hanley_mcneil_variance(area: float, positives: float, negatives: float) -> float:
    """[A (1 - A) + (m - 1) (A / (2 - A) - A^2) + (k - 1) (2 A^2 / (1 + A) - A^2)] / (m k) [hanley82].

    >>> round(hanley_mcneil_variance(0.68, 10, 10) ** 0.5, 6)
    0.121863
    """
    ahead = (positives - 1) * (area / (2 - area) - area**2)
    behind = (negatives - 1) * (2 * area**2 / (1 + area) - area**2)
    return (area * (1 - area) + ahead + behind) / (positives * negatives)
