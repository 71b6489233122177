"""Many intervals that hold together: levels for each, and the critical value of a band."""

from __future__ import annotations

import numpy as np

from heldout.batch import Array
from heldout.intervals.critical import critical_z
from heldout.intervals.resampling import percentile

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
    Points nobody moves are left out; the answer is never below the value for one point.

    >>> curve = np.random.default_rng(1).normal(size=(200, 10))
    >>> 2.5 < sup_t(curve, 0.95, draws=2000, rng=np.random.default_rng(2)) < 3.1
    True
    """
    if not len(influence):
        return critical_z(level)
    centred = influence - influence.mean(axis=0)
    lengths = np.sqrt(np.sum(centred**2, axis=0))
    moved = np.isfinite(lengths) & (lengths > 1e-12 * np.max(np.abs(influence), axis=0, initial=0.0))
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
    root = directions * np.sqrt(np.maximum(sizes, 0.0))
    chunk = max(1, NUMBERS_AT_ONCE // len(sizes))
    farthest = np.concatenate(
        [
            np.abs(rng.standard_normal((min(chunk, draws - done), len(sizes))) @ root.T).max(axis=1)
            for done in range(0, draws, chunk)
        ]
    )
    # The upper end of the middle 2 level - 1 is the quantile at `level`.
    return max(pointwise, percentile(farthest, 2 * level - 1)[1])
