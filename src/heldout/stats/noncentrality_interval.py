"""How far a chi-square statistic says that the null hypothesis is off: an interval that never shrinks to a point."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

import numpy as np

from heldout.batch import Array
from heldout.intervals import Interval
from heldout.intervals.scales import edge

STEP = 0.1
"""How far apart the statistics that are looked at lie, as square roots; these spread by one or less."""
REACH = 8
"""Standard deviations beyond which no interval ends."""
HALVINGS = 40
LARGE = 50
"""From this order on Bessel's function is taken from Debye's expansion: right to 2 in 1,000, and no underflow."""


def noncentrality(statistic: float, df: float, level: float) -> Interval:
    """The noncentralities c that the statistic x does not reject, outcomes ordered by f(x; c) / max_c f(x; c).

    The order is that of Feldman and Cousins [feldman98]: c is rejected where outcomes that speak more for it, relative
    to what they speak for most, have a chance of `level` or more. So 0 is rejected exactly where the one-sided
    chi-square test rejects, the likeliest c is always inside, and a fit that is too good leaves room above 0.

    >>> [round(end, 1) for end in noncentrality(6.547, 3, 0.95)]
    [0.0, 17.7]
    >>> [round(end, 1) for end in noncentrality(0.0, 3, 0.95)]
    [0.0, 2.7]
    """
    from scipy.special import chdtrc

    if not np.isfinite(statistic):
        return 0.0, float("inf")
    seen = max(statistic, 1e-12)
    likeliest = float(_likeliest(np.array([seen]), df)[0])

    def kept(c: float) -> bool:
        return _chance_of_closer(seen, df, c, likeliest) < level

    far = REACH * sqrt(2 * df + 4 * likeliest) + REACH**2
    low = 0.0 if chdtrc(df, statistic) > 1 - level else edge(kept, max(likeliest - far, 0.0), likeliest)
    return low, edge(kept, likeliest + far, likeliest)


def _chance_of_closer(seen: float, df: float, c: float, likeliest: float) -> float:
    """P(outcomes that speak more for c than the one seen does), which lie between it and another one."""
    from scipy.special import chndtr

    outcomes, best = _outcomes(seen, df)
    against = best - _log_density(outcomes, df, c)
    limit = float(_log_density(np.array([seen]), df, likeliest)[0] - _log_density(np.array([seen]), df, c)[0])
    closer = np.flatnonzero(against < limit)
    if not len(closer):
        return 0.0
    ends = []
    for first, second in ((closer[0] - 1, closer[0]), (closer[-1], closer[-1] + 1)):
        if first < 0 or second >= len(outcomes):
            ends.append(0.0 if first < 0 and outcomes[0] < 1e-9 else float(outcomes[max(first, 0)]))
            continue
        part = (limit - against[first]) / (against[second] - against[first])
        ends.append(float(outcomes[first] + part * (outcomes[second] - outcomes[first])))
    return float(chndtr(ends[1], df, c) - (chndtr(ends[0], df, c) if ends[0] > 0 else 0.0))


@lru_cache(maxsize=4)
def _outcomes(seen: float, df: float) -> tuple[Array, Array]:
    """Statistics about the one seen, and for each the log density at its likeliest noncentrality."""
    first, last = max(sqrt(seen) - 1.5 * REACH, 1e-6), max(sqrt(seen), sqrt(df)) + 1.5 * REACH
    outcomes = np.linspace(first, last, int((last - first) / STEP) + 1) ** 2
    return outcomes, _log_density(outcomes, df, _likeliest(outcomes, df))


def _likeliest(statistic: Array, df: float) -> Array:
    """The c at which the density is largest: 0 up to df, then sqrt(c) = sqrt(x) I(df/2; z) / I(df/2 - 1; z)."""
    root = np.sqrt(statistic)
    low, high = np.zeros_like(root), root.copy()
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        z = middle * root
        rises = root * np.exp(_log_bessel(df / 2, z) - _log_bessel(df / 2 - 1, z)) > middle
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    return np.where(statistic <= df, 0.0, low**2)


def _log_density(statistic: Array, df: float, c: Array | float) -> Array:
    """Log of the noncentral chi-square's density, without the terms that hang on the statistic alone.

    It is log I(v; z) - v log(z) - c / 2 with z = sqrt(c x) and v = df / 2 - 1, which tends to a constant for c to 0.
    """
    z = np.maximum(np.sqrt(c * statistic), 1e-9)
    order = df / 2 - 1
    return _log_bessel(order, z) + z - order * np.log(z) - np.asarray(c) / 2


def _log_bessel(order: float, z: Array) -> Array:
    """Log of exp(-z) I(order; z)."""
    from scipy.special import gammaln, ive

    z = np.maximum(z, 1e-9)
    if order >= LARGE:
        t = z / order
        root = np.sqrt(1 + t**2)
        shape = root + np.log(t / (1 + root))
        found: Array = order * shape - 0.5 * np.log(2 * np.pi * order * root) - z
        return found
    with np.errstate(divide="ignore"):
        direct = np.log(ive(order, z))
    series = order * np.log(z / 2) - gammaln(order + 1) - z + z**2 / (4 * (order + 1))
    return np.where(z < 1e-3, series, direct)
