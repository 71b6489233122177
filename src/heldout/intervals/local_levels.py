"""A band around a whole distribution: the same small chance to miss at every count, so that all hold together."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, log

import numpy as np

from heldout.batch import Array

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
