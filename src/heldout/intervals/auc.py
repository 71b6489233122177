"""Intervals for the area under the ROC curve."""

from __future__ import annotations

from functools import cache
from math import asin, isnan, pi, sqrt

import numpy as np

from heldout.batch import Array
from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.scales import critical_z, edge, on_logit, plain

NODES = 64
"""Points of the quadrature: 12 digits for correlations up to 0.99."""


def orthant_covariance(first: float, second: float, correlation: float) -> float:
    """P(Z1 < h, Z2 < k) - P(Z1 < h) P(Z2 < k) of two standard normals, by Plackett's integral [plackett54].

    It is the integral of exp(-(h^2 + k^2 - 2 h k sin t) / (2 cos^2 t)) / (2 pi) for t from 0 to arcsin(correlation).

    >>> round(orthant_covariance(0.0, 0.0, 0.5), 6)  # arcsin(1/2) / (2 pi)
    0.083333
    """
    points, shares = _nodes()
    reach = asin(correlation)
    angle = (points + 1) * reach / 2
    spread = first**2 + second**2 - 2 * first * second * np.sin(angle)
    return float(shares @ np.exp(-spread / (2 * np.cos(angle) ** 2)) * reach / (4 * pi))


@cache
def _nodes() -> tuple[Array, Array]:
    """Gauss and Legendre's points between -1 and 1, and how much each counts."""
    return np.polynomial.legendre.leggauss(NODES)


def binormal_covariance(first: float, second: float, positives: float, negatives: float, correlation: float) -> float:
    """[C(r) + (m + k - 2) C(r / 2)] / (m k): covariance of two areas whose scores in a class correlate by r.

    C(r) is the covariance above at the normal quantiles of the areas: two models order one pair of rows by differences
    of scores that correlate by r, and two pairs that share one row by differences that correlate by r / 2. These are
    the terms of a two-sample U-statistic [delong88], so that nothing is left out, for m positives and k negatives.

    >>> round(binormal_covariance(0.8, 0.85, 50, 100, 0.5) * 1e4, 4)
    5.4497
    """
    from scipy.special import ndtri

    h, k = float(ndtri(first)), float(ndtri(second))
    same, shared = (orthant_covariance(h, k, r) for r in (correlation, correlation / 2))
    return (same + (positives + negatives - 2) * shared) / (positives * negatives)


def binormal_variance(area: float, positives: float, negatives: float) -> float:
    """[A (1 - A) + (m + k - 2) C(1/2)] / (m k): the covariance of an area with itself.

    >>> round(binormal_variance(0.68, 10, 10) ** 0.5, 6)
    0.121453
    """
    from scipy.special import ndtri

    h = float(ndtri(area))
    return (area * (1 - area) + (positives + negatives - 2) * orthant_covariance(h, h, 0.5)) / (positives * negatives)


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


def delong_logit(area: float, variance: float, confidence_level: float = 0.95) -> Interval:
    """Interval for the area under the ROC curve, on the log odds of the area.

    Its ends are logit A -+ z sqrt(variance) / (A (1 - A)), taken back to the scale of areas.

    Parameters
    ----------
    area : float
        Area under the ROC curve, from 0 to 1.
    variance : float
        Variance of the area, such as DeLong's.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    (float, float)
        Low and high end; (nan, nan) where the area is 0 or 1 or the variance is 0.

    References
    ----------
    E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (1988). Comparing the areas under two or more correlated
    receiver operating characteristic curves: a nonparametric approach. Biometrics 44(3), 837–845. [delong88]

    Examples
    --------
    >>> [round(end, 4) for end in delong_logit(0.68, 0.127017**2, 0.95)]
    [0.4036, 0.8696]
    """
    return on_logit(area, sqrt(variance), confidence_level) if variance > 0 else UNDEFINED


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
    square = critical_z(level) ** 2

    def inside(t: float) -> bool:
        return (area - t) ** 2 <= square * symmetric_variance(t, positives, negatives)

    return edge(inside, 0.0, area), edge(inside, 1.0, area)


def symmetric_variance(area: float, positives: float, negatives: float) -> float:
    """A (1 - A) [1 + N (1 - A) / (2 - A) + N A / (1 + A)] / (m k) with N = (m + k) / 2 - 1 [newcombe06].

    Hanley and McNeil's variance in a form that is the same whichever class is called positive.

    >>> round(symmetric_variance(0.68, 10, 10) ** 0.5, 6)
    0.121863
    """
    mean = (positives + negatives) / 2 - 1
    return area * (1 - area) * (1 + mean * (1 - area) / (2 - area) + mean * area / (1 + area)) / (positives * negatives)


def hanley_mcneil_variance(area: float, positives: float, negatives: float) -> float:
    """[A (1 - A) + (m - 1) (A / (2 - A) - A^2) + (k - 1) (2 A^2 / (1 + A) - A^2)] / (m k) [hanley82].

    >>> round(hanley_mcneil_variance(0.68, 10, 10) ** 0.5, 6)
    0.121863
    """
    ahead = (positives - 1) * (area / (2 - area) - area**2)
    behind = (negatives - 1) * (2 * area**2 / (1 + area) - area**2)
    return (area * (1 - area) + ahead + behind) / (positives * negatives)
