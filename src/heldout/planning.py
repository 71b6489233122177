"""How many rows a question needs, before they are collected: numbers in, numbers out.

Power is the chance that a two-sided test at 1 - level finds the difference that is there, on its right side.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, exp, inf, sqrt

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.intervals.auc import binormal_covariance, binormal_variance, hanley_mcneil_variance
from heldout.intervals.scales import critical_t, critical_z
from heldout.intervals.shares import wilson

MOST = 10**12
"""No plan asks for more rows than this."""
EXACT = 10**6
"""Beyond so many rows that count, or discordant ones, the normal limit replaces the exact sum."""
LOOKS = 10_000
"""Numbers of rows that are looked at beyond the first that is enough; where more lie ahead, at equal steps."""
BLOCK = 1024
"""Numbers of discordant rows that are looked at together and kept: neighbouring plans ask for the same."""
NEARLY_NORMAL = 1000
"""Degrees of freedom from which Student's t is taken for normal."""
MOST_POWER = 0.999999
"""Beyond it, chances that are summed up round to one before they reach it."""
Variance = Callable[[float, float, float], float]
"""Of an area, from its value, the positives and the negatives."""


def fewest(
    enough: Callable[[int], bool],
    least: int = 1,
    ahead: Callable[[int], int] | None = None,
    less: str = "a larger gain",
) -> int:
    """The number of rows from which there are enough, by doubling and halving; at least `least`.

    Where more rows may be fewer again, as with counts that jump, `ahead` says how far to look on from a number of rows:
    the answer is then the least number from which on there are enough for as long as that. `less` is what would need
    fewer rows, for the message.

    >>> fewest(lambda rows: rows * rows >= 1000)
    32
    >>> fewest(lambda rows: rows >= 10 and rows != 12, ahead=lambda rows: 5)
    13
    """
    low, high = least - 1, least
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST:
            raise UsageError("more than 10^12 rows would be needed", fix=f"ask for less: {less}")
    first = _between(enough, low, high)
    return first if ahead is None else _lasting(enough, first, ahead)


def _between(enough: Callable[[int], bool], low: int, high: int) -> int:
    """The least number that is enough, where `low` is not and `high` is."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _lasting(enough: Callable[[int], bool], first: int, ahead: Callable[[int], int]) -> int:
    """The number after the last one within `ahead` that is not enough.

    Rows of a rare class come one in thousands, so that thousands of rows change power as little as one counting row
    does: there the numbers are looked at in steps of a small part of that.
    """
    step = max(1, ahead(first) // LOOKS)
    last = first - 1
    following = first
    while following < last + 1 + ahead(last + 1):
        following += step
        last = last if enough(following) else following
    return first if last < first else _between(enough, last, last + step)


def jumps(rows: int) -> int:
    """How far the power of a test of counts swings on: max(16, 3 sqrt(n)) rows.

    What a count must reach is a whole number, so that power falls until the next one comes; how deep depends on how the
    steps fall on whole numbers, and that returns every 2 sqrt(n) / z rows. The swing is worn out by 3 sqrt(n).

    >>> jumps(10_000)
    300
    """
    return max(16, ceil(3 * sqrt(rows)))


def share_half_width(share: float, rows: float, level: float) -> float:
    """Half the length of Wilson's interval at x = share n [wilson27].

    >>> round(share_half_width(0.85, 1225, 0.95), 4)
    0.02
    """
    low, high = wilson(share * rows, rows, level)
    return (high - low) / 2


def mean_half_width(sd: float, rows: float, level: float) -> float:
    """Half-width t sd / sqrt(n), with n - 1 degrees of freedom [student08]; infinite for a single row.

    >>> round(mean_half_width(1.0, 100, 0.95), 4)
    0.1984
    """
    return critical_t(level, rows - 1) * sd / sqrt(rows) if rows > 1 else inf


def area_half_width(
    area: float, positives: float, negatives: float, level: float, *, variance: Variance = binormal_variance
) -> float:
    """Half-width z sqrt(V), V the variance of an area (default: of normal scores); infinite without both classes.

    >>> round(area_half_width(0.68, 10, 10, 0.95), 4)
    0.238
    """
    if positives < 1 or negatives < 1:
        return inf
    return critical_z(level) * sqrt(variance(area, positives, negatives))


def mcnemar_power(gain: float, disagree: float, rows: int, level: float) -> float:
    """P(mid-p McNemar rejects in favour of the better model), summed over all outcomes [fagerland13].

    M, the rows on which the models disagree, is binomial(n, disagree); of these the better model is right on
    binomial(M, (1 + gain / disagree) / 2).

    >>> round(mcnemar_power(0.02, 0.08, 1556, 0.95), 3)
    0.8
    """
    if rows < 1 or gain <= 0:
        return 0.0
    if rows * disagree > EXACT:
        return _normal_power(gain, sqrt((disagree - gain**2) / rows), sqrt(disagree / rows), level)
    apart, chance = _binomial(rows, disagree)
    first, last = int(apart[0]) // BLOCK, int(apart[-1]) // BLOCK
    blocks = [_rejecting(block, (1 + gain / disagree) / 2, level) for block in range(first, last + 1)]
    start = int(apart[0]) - first * BLOCK
    return float(chance @ np.concatenate(blocks)[start : start + len(apart)])


@lru_cache(maxsize=64)
def _rejecting(block: int, share: float, level: float) -> Array:
    """P(mid-p McNemar rejects in favour of the better model) for a block of numbers of discordant rows."""
    from scipy.special import betainc

    apart = np.arange(block * BLOCK, (block + 1) * BLOCK, dtype=float)
    fewer = _most_against(apart, 1 - level)
    able = fewer >= 0
    # at most k of m against the better model, as the incomplete beta function it is
    right = betainc(np.where(able, apart - fewer, 1), np.where(able, fewer + 1, 1), share)
    return np.where(able, right, 0.0)


def _binomial(rows: int, share: float) -> tuple[Array, Array]:
    """The counts that a binomial may give, within nine standard deviations, and their chances."""
    from scipy.special import gammaln, xlog1py, xlogy

    middle, spread = rows * share, sqrt(rows * share * (1 - share))
    first, last = max(0, int(middle - 9 * spread - 9)), min(rows, int(middle + 9 * spread + 9))
    counts = np.arange(first, last + 1, dtype=float)
    ways = gammaln(rows + 1) - gammaln(counts + 1) - gammaln(rows - counts + 1)
    return counts, np.exp(ways + xlogy(counts, share) + xlog1py(rows - counts, -share))


def _most_against(apart: Array, alpha: float) -> Array:
    """The largest k with mid-p P(X <= k) + P(X < k) <= alpha for a fair coin thrown m times; -1 where there is none."""
    from scipy.special import betainc, ndtri

    def midp(k: Array) -> Array:
        up_to = np.where(k >= 0, betainc(np.maximum(apart - k, 0.5), np.maximum(k + 1, 0.5), 0.5), 0.0)
        below = np.where(k >= 1, betainc(np.maximum(apart - k + 1, 0.5), np.maximum(k, 0.5), 0.5), 0.0)
        return up_to + below

    start = np.floor(apart / 2 + ndtri(alpha / 2) * np.sqrt(apart) / 2)
    most = np.full(apart.shape, -1.0)
    for step in range(-4, 5):  # the normal guess is never further off
        k = np.minimum(start + step, np.floor((apart - 1) / 2))
        most = np.where((k >= 0) & (midp(k) <= alpha), np.maximum(most, k), most)
    return most


def shares_power(first: float, second: float, rows: float, level: float, *, pooled: bool = False) -> float:
    """Phi((|p2 - p1| - z s0) / s), s^2 = (p1 (1 - p1) + p2 (1 - p2)) / n: two samples of n rows each.

    s0 = s, or for the pooled z that of two shares that are both (p1 + p2) / 2.

    >>> round(shares_power(0.85, 0.87, 4722, 0.95), 3), round(shares_power(0.3, 0.2, 294, 0.95, pooled=True), 3)
    (0.8, 0.801)
    """
    if rows <= 0:
        return 0.0
    error, middle = sqrt((first * (1 - first) + second * (1 - second)) / rows), (first + second) / 2
    alike = sqrt(2 * middle * (1 - middle) / rows) if pooled else error
    return _normal_power(abs(second - first), error, alike, level)


def bound_power(share: float, bound: float, rows: int, level: float, *, part: float = 1.0) -> float:
    """P(Wilson's lower limit > bound) where the share of counting rows is `share`, summed over all outcomes [wilson27].

    Of n rows M count, binomial(n, part); the limit lies above where x > M b + z sqrt(M b (1 - b)), b the bound. Of many
    rows it is the normal limit of that sum.

    >>> round(bound_power(0.9, 0.8, 740, 0.95, part=0.15), 3)
    0.812
    """
    if rows * part > EXACT:
        counted = rows * part
        return _normal_power(
            share - bound, sqrt(share * (1 - share) / counted), sqrt(bound * (1 - bound) / counted), level
        )
    from scipy.special import betainc

    counting, chance = (np.array([float(rows)]), np.ones(1)) if part >= 1 else _binomial(rows, part)
    needed = np.floor(counting * bound + critical_z(level) * np.sqrt(counting * bound * (1 - bound)) + 1e-9) + 1
    able = needed <= counting
    above = betainc(np.where(able, needed, 1), np.where(able, counting - needed + 1, 1), share)
    return float(np.sum(chance * np.where(able, above, 0.0)))


def mean_power(gain: float, sd: float, rows: float, level: float, *, samples: int = 1) -> float:
    """P(T > t), T noncentral t with gain / (sd sqrt(samples / n)): the mean of n rows, or of two samples of n each.

    >>> round(mean_power(0.5, 1.0, 34, 0.95), 3), round(mean_power(0.5, 1.0, 64, 0.95, samples=2), 3)
    (0.808, 0.801)
    """
    df = samples * (rows - 1)
    if df < 1 or gain <= 0:
        return 0.0
    error = sd * sqrt(samples / rows)
    if df > NEARLY_NORMAL:
        return _normal_power(gain, error, error, level)
    from scipy.special import nctdtr

    away = gain / error
    return 1.0 if away > 30 else float(1 - nctdtr(df, away, critical_t(level, df)))


def areas_power(
    first: float, second: float, positives: float, negatives: float, *, level: float, correlation: float = 0.0
) -> float:
    """Phi((D - z s) / t): DeLong's test of areas that differ by D, scores normal, models' scores correlated by r.

    s^2 = V1 + V2 - 2 C with the variances and the covariance of the areas. The error that the test finds follows the
    areas that it finds, so t^2 is the variance of D - z s(A1, A2), to first order. Simulated for unrelated models with
    areas .75 and .85 and prevalence .1, .5 and .9, a planned 80% is 80% to 84%. Where positives spread more or less
    than negatives, or scores are exponential, it is 77% to 79% at prevalence .5, but 64% to 94% at the others.

    >>> round(areas_power(0.8, 0.85, 300, 300, level=0.95, correlation=0.5), 3)
    0.816
    """
    if positives < 1 or negatives < 1:
        return 0.0
    sizes, z = (positives, negatives), critical_z(level)

    def error(a: float, b: float) -> float:
        both = binormal_covariance(a, b, *sizes, correlation)
        return sqrt(max(binormal_variance(a, *sizes) + binormal_variance(b, *sizes) - 2 * both, 0.0))

    step = 1e-3 * min(first, 1 - first, second, 1 - second)
    by_first = (error(first + step, second) - error(first - step, second)) / (2 * step)
    by_second = (error(first, second + step) - error(first, second - step)) / (2 * step)
    better = 1 if second > first else -1
    pull, push = -better - z * by_first, better - z * by_second
    square = pull**2 * binormal_variance(first, *sizes) + push**2 * binormal_variance(second, *sizes)
    square += 2 * pull * push * binormal_covariance(first, second, *sizes, correlation)
    return _normal_power(abs(second - first), sqrt(max(square, 0.0)), error(first, second), level)


def hanley_mcneil_power(
    first: float, second: float, positives: float, negatives: float, *, level: float, correlation: float = 0.0
) -> float:
    """Phi(|A2 - A1| / s - z), s^2 = V1 + V2 - 2 r sqrt(V1 V2), V the variance of an area [hanley82], r of the areas.

    V is exact for exponential scores. Simulated as above, a planned 80% is 75% to 83% for these, but for normal scores
    of equal spread 91% (prevalence .1) down to 60% (.9).

    >>> round(hanley_mcneil_power(0.8, 0.85, 300, 300, level=0.95, correlation=0.5), 3)
    0.834
    """
    if positives < 1 or negatives < 1:
        return 0.0
    v1, v2 = (hanley_mcneil_variance(area, positives, negatives) for area in (first, second))
    error = sqrt(max(v1 + v2 - 2 * correlation * sqrt(v1 * v2), 0.0))
    return _normal_power(abs(second - first), error, error, level)


def above_chance_power(area: float, positives: float, negatives: float, level: float) -> float:
    """Phi((A - 1/2 - z sqrt(V0)) / sqrt(V)), V0 and V the variances of areas 1/2 and A of normal scores [obuchowski97].

    >>> round(above_chance_power(0.73, 41, 72, 0.95), 7)
    0.9897453
    """
    if positives < 1 or negatives < 1:
        return 0.0
    from scipy.special import ndtri

    ratio = positives / negatives
    apart = 1.414 * float(ndtri(area))  # as printed there, like the other constants
    none = 0.0792 * (1 + ratio) / positives
    there = 0.0099 * exp(-(apart**2) / 2) * (5 * apart**2 + 8 + (apart**2 + 8) * ratio) / positives
    return _normal_power(area - 0.5, sqrt(there), sqrt(none), level)


def _normal_power(gain: float, error: float, error_without: float, level: float) -> float:
    """Phi((gain - z s0) / s), s0 the standard error if there were no difference."""
    from scipy.special import ndtr

    if error == inf:
        return 0.0
    reach = gain - critical_z(level) * error_without
    return float(ndtr(reach / error)) if error > 0 else float(reach > 0)
