"""Confidence sequences: intervals of a mean difference that hold at every number of rows at once.

Both kinds average over bets that are fixed beforehand, so that the interval depends on which rows there are and not on
their order. Looks may be as many as one likes, as long as rows are only added between them.
"""

from __future__ import annotations

from math import exp, inf, log, sqrt

import numpy as np

from heldout.batch import Array
from heldout.intervals import Interval

FRACTIONS = np.geomspace(0.001, 0.9, 24)
"""Shares of the wealth that are bet on each row; small ones suit many rows, large ones few."""
SHARES = np.sqrt(FRACTIONS) / np.sqrt(FRACTIONS).sum()
"""What part of the wealth bets so. Even shares gave wider intervals below 1,000 rows, and narrower ones beyond
100,000."""
AT_MOST = 1 << 16
"""Distinct differences that are kept apart; more are rounded away from what is to be shown."""
PRIOR = 114.0
"""Units that the prior of the normal mixture is worth: its interval is narrowest at about 1,000 units."""
FIRST = 100
"""Units at which an asymptotic sequence begins."""
PER_SKEWNESS = 5.0
"""It begins later where units are skewed: at so many units times the squared skewness."""


def betting(differences: Array, level: float, *, span: float = 1.0) -> Interval:
    """Confidence sequence of the mean of differences that lie within `span` of 0, by betting [waudby24].

    A bettor against the mean m multiplies his wealth by 1 + c (x - m) / (1 + m) at each row; were m the mean, wealth
    would rarely ever reach 1 / alpha. The interval has the means against which no average of bettors got so rich. The
    product does not depend on the order of rows.

    >>> [round(end, 3) for end in betting(np.repeat([1.0, 0.0, -1.0], [12, 200, 2]), 0.95)]
    [-0.007, 0.113]
    """
    error = (1 - level) / 2
    low = _lower(*_counted(differences / span), error)
    high = -_lower(*_counted(-differences / span), error)
    return span * low, span * high


def betting_pvalue(differences: Array, *, span: float = 1.0) -> float:
    """Anytime-valid p-value of a mean of 0: below 1 - level just where the sequence excludes 0.

    >>> round(betting_pvalue(np.repeat([1.0, 0.0, -1.0], [12, 200, 2])), 3)
    0.123
    """
    richest = max(_log_wealth(*_counted(side * differences / span), 0.0) for side in (1, -1))
    return min(1.0, 2 * exp(-richest))


def _counted(values: Array) -> tuple[Array, Array]:
    """Distinct values with their counts; of very many, values rounded down, which makes a lower bound safe."""
    if len(values) > AT_MOST:
        steps = np.floor((np.clip(values, -1, 1) + 1) * (AT_MOST // 2)).astype(np.int64)
        counts = np.bincount(steps)
        places = np.flatnonzero(counts)
        return places / (AT_MOST // 2) - 1.0, counts[places]
    distinct, counts = np.unique(np.clip(values, -1, 1), return_counts=True)
    return distinct, counts


def _log_wealth(values: Array, counts: Array, mean: float) -> float:
    """The logarithm of what bettors that the mean is larger own together, having begun with 1."""
    gains = (values - mean) / (1 + mean)
    each = np.log1p(np.multiply.outer(FRACTIONS, gains)) @ counts + np.log(SHARES)
    most = float(each.max())
    return most + log(float(np.exp(each - most).sum()))


def _lower(values: Array, counts: Array, error: float) -> float:
    """The least mean against which the bettors have not won 1 / error."""
    from scipy.optimize import brentq

    middle, least = float(values @ counts / counts.sum()), -1 + 1e-12

    def short(mean: float) -> float:
        return _log_wealth(values, counts, mean) + log(error)

    return float(brentq(short, least, middle, xtol=1e-12)) if short(least) > 0 else -1.0


def begins_at(skewness: float) -> float:
    """From how many units on an asymptotic sequence holds, for units as skewed as these.

    >>> begins_at(0.5), begins_at(10.0)
    (100.0, 500.0)
    """
    return max(float(FIRST), PER_SKEWNESS * skewness**2)


def asymptotic(value: float, error: float, units: int, skewness: float, level: float) -> Interval:
    """Asymptotic confidence sequence of a smooth value from its standard error [waudby24a].

    The boundary is that of a normal mixture for a spread that is estimated too [lai76] [wang25]. Where units are
    skewed, the wider of it and of Hall's transformation [hall92] is taken on either side, and it begins later.

    >>> [round(end, 3) for end in asymptotic(0.02, 0.01, 1000, 0.0, 0.95)]
    [-0.01, 0.05]
    """
    if not error > 0 or units < begins_at(skewness):
        return -inf, inf
    radius = _radius(units, (1 - level) / 2) / sqrt(units)
    if radius == inf:
        return -inf, inf
    spread = error * sqrt(units)
    above = max(radius, _unskewed(radius, skewness, units))
    below = min(-radius, _unskewed(-radius, skewness, units))
    return value - spread * above, value - spread * below


def asymptotic_pvalue(value: float, error: float, units: int, skewness: float) -> float:
    """Asymptotic anytime-valid p-value of a value of 0: below 1 - level just where the sequence excludes 0.

    >>> round(asymptotic_pvalue(0.04, 0.01, 1000, 0.0), 4)
    0.0025
    """
    if not error > 0 or units < begins_at(skewness):
        return 1.0
    plain = value / (error * sqrt(units))
    bent = plain + skewness * plain**2 / 3 + skewness**2 * plain**3 / 27 + skewness / (6 * units)
    if plain * bent <= 0:
        return 1.0
    square = units * min(abs(plain), abs(bent)) ** 2
    whole = units - 1 + square
    share = PRIOR / (units + PRIOR)
    logarithm = 0.5 * log(share) - 0.5 * units * log(1 - units * square / ((units + PRIOR) * whole))
    evidence = exp(min(logarithm, 700.0)) - sqrt(share)
    return 1.0 if evidence <= 1 else 1 / evidence


def _radius(units: int, error: float) -> float:
    """How many standard errors a one-sided bound reaches; infinite where so few units cannot show anything."""
    share = PRIOR / (units + PRIOR)
    # 1 / (2 error) would do for both sides together; the second part makes each side hold by itself
    needed = (1 / (2 * error) + sqrt(share)) / sqrt(share)
    left = (units + PRIOR) * -np.expm1(-2 / units * log(needed))
    return sqrt(left * (units - 1) / (units - left)) if left < units else inf


def _unskewed(scaled: float, skewness: float, units: int) -> float:
    """The inverse of Hall's transformation, which takes skewness out of a studentised mean."""
    if abs(skewness) < 1e-6:
        return scaled
    return 3 / skewness * (float(np.cbrt(1 + skewness * (scaled - skewness / (6 * units)))) - 1)


def price(wider: float, level: float, power: float = 0.8) -> float:
    """How many times the rows of one look an interval `wider` times as wide needs for the same power.

    >>> round(price(1.7, 0.95), 1)
    2.2
    """
    from scipy.special import ndtri

    z, extra = float(ndtri((1 + level) / 2)), float(ndtri(power))
    return ((wider * z + extra) / (z + extra)) ** 2
