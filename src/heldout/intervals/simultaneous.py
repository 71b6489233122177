"""Many intervals that hold together: levels for each, and the critical value of a band."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, log

import numpy as np

from heldout.batch import Array
from heldout.intervals.resampling import percentile
from heldout.intervals.scales import critical_z

DRAWS, PLACES, SEED = 2000, 240, 20130411
"""Samples drawn to find the local level, order statistics looked at in each, and the seed, so that it is one number."""
FEW, STEP = 20, 1.1
"""Beyond so few rows the level is found at every tenth part more of them, rounded up: to the safe side."""
LARGE = 1000
"""From so many rows on, the chance to miss falls as 1 / (ln n ln ln n)."""


def local_level(rows: int, level: float) -> float:
    """The level each interval needs for those of all order statistics of `rows` draws to hold at `level` [aldor13].

    The k-th smallest of n uniform draws is Beta(k, n - k + 1), so the least two-sided tail probability over all k has
    a distribution that depends on n alone; its lower quantile, found by drawing, is the chance to miss at each count.
    Of very many rows it is the one of a thousand, carried on by its rate of decay.

    >>> 0.995 < local_level(100, 0.95) < 0.999
    True
    """
    if rows > LARGE:
        return 1 - (1 - _drawn(LARGE, level)) * _pace(LARGE) / _pace(rows)
    return _drawn(rows if rows < FEW else min(ceil(FEW * STEP ** ceil(log(rows / FEW) / log(STEP))), LARGE), level)


@lru_cache(maxsize=256)
def _drawn(rows: int, level: float) -> float:
    from scipy.special import betainc

    # Beyond a few hundred, neighbouring order statistics say the same; the ends are the exception.
    near = np.geomspace(1, ceil(rows / 2), PLACES // 2).astype(int)
    k = np.unique(np.concatenate([near, rows + 1 - near]))
    rng = np.random.default_rng(SEED)
    steps = rng.standard_gamma(np.diff(k, prepend=0), size=(DRAWS, len(k)))
    above = rng.standard_gamma(rows + 1 - k[-1], size=(DRAWS, 1))
    reached = np.cumsum(steps, axis=1)
    share = betainc(k, rows + 1 - k, reached / (reached[:, -1:] + above))
    least = 2 * np.minimum(share, 1 - share).min(axis=1)
    return 1 - float(np.quantile(least, 1 - level))


def _pace(rows: int) -> float:
    return log(rows) * log(log(rows))


def share_band(share: Array, trials: Array, level: float) -> tuple[Array, Array]:
    """Clopper and Pearson's interval of every share of one distribution, at the local level: all hold at `level`.

    `trials` are the rows, or how many independent rows each share is worth.

    >>> low, high = share_band(np.array([0.0, 0.5, 1.0]), np.array([50.0, 50.0, 50.0]), 0.95)
    >>> np.round(low, 2).tolist(), np.round(high, 2).tolist()
    ([0.0, 0.29, 0.88], [0.12, 0.71, 1.0])
    """
    from scipy.special import betainccinv, betaincinv

    rows = max(round(float(np.median(trials))), 1)
    tail = (1 - local_level(rows, level)) / 2
    hits, misses = share * trials, (1 - share) * trials
    low = np.where(hits > 0, betaincinv(np.where(hits > 0, hits, 1), misses + 1, tail), 0.0)
    high = np.where(misses > 0, betainccinv(hits + 1, np.where(misses > 0, misses, 1), tail), 1.0)
    return low, high


NUMBERS_AT_ONCE = 2_000_000
"""Random numbers held in memory together: 16 MB, and at most as much again for their sums."""


def bonferroni(level: float, count: int) -> float:
    """The level each of `count` intervals needs for all to hold at `level`: 1 - (1 - level) / count [dunn61].

    >>> round(bonferroni(0.95, 5), 6)
    0.99
    """
    return 1 - (1 - level) / max(count, 1)


def sidak(level: float, count: int) -> float:
    """The level each of `count` independent intervals needs for all to hold at `level`: level^(1 / count) [sidak67].

    >>> round(sidak(0.95, 5), 6)
    0.989794
    """
    return float(level ** (1 / max(count, 1)))


def sup_t(influence: Array, level: float, *, draws: int, rng: np.random.Generator) -> float:
    """Standard errors that a band over all points needs: the level-quantile of max_j |Z_j| [montiel19].

    Z_j = sum_i g_i L_ij / sqrt(sum_i L_ij^2), with L_ij how far unit i moves point j, centred, and g_i standard normal.
    Points without variance are left out; the answer is never below the value for one point.

    >>> curve = np.random.default_rng(1).normal(size=(200, 10))
    >>> 2.5 < sup_t(curve, 0.95, draws=2000, rng=np.random.default_rng(2)) < 3.1
    True
    """
    if not len(influence):
        return critical_z(level)
    centred = influence - influence.mean(axis=0)
    lengths = np.sqrt(np.sum(centred**2, axis=0))
    moved = np.isfinite(lengths) & (lengths > 1e-12 * np.max(np.abs(influence), axis=0))
    centred = centred[:, moved]
    return sup_t_of(centred.T @ centred, level, draws=draws, rng=rng)


def sup_t_of(covariance: Array, level: float, *, draws: int, rng: np.random.Generator) -> float:
    """The same from the covariance of the points.

    >>> 1.95 < sup_t_of(np.ones((5, 5)), 0.95, draws=4000, rng=np.random.default_rng(1)) < 2.05
    True
    """
    pointwise = critical_z(level)
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    moved = np.isfinite(errors) & (errors > 0)
    if not moved.any():
        return pointwise
    correlation = covariance[np.ix_(moved, moved)] / np.outer(errors[moved], errors[moved])
    sizes, directions = np.linalg.eigh(correlation)
    root = (directions * np.sqrt(np.maximum(sizes, 0.0))) @ directions.T  # symmetric: no sign is left to rounding
    chunk = max(1, NUMBERS_AT_ONCE // len(sizes))
    farthest = np.concatenate(
        [
            np.abs(rng.standard_normal((min(chunk, draws - done), len(sizes))) @ root.T).max(axis=1)
            for done in range(0, draws, chunk)
        ]
    )
    # The upper end of the middle 2 level - 1 is the quantile at `level`.
    return max(pointwise, percentile(farthest, 2 * level - 1)[1])
