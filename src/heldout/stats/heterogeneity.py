"""Is a value the same in every segment? One test for all segments, and the largest gap that is supported.

Q = sum_s (v_s - v)^2 / var_s with v the mean weighted by 1 / var_s [cochran54] is held against what it is when segments
are handed out at random, not against chi-square: with 30 rows of which 90% are right, chi-square rejects far too often.
Dividing by each segment's own spread keeps the test near its level where only the values are alike and the spreads
are not [chung13].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from heldout.batch import Array
from heldout.intervals.resampling import percentile
from heldout.intervals.scales import critical_z
from heldout.intervals.simultaneous import NUMBERS_AT_ONCE

LENT = 4.0
"""Prior degrees of freedom for variance shrinkage: 30 right answers in a row are not without any."""
ENOUGH = 1000
"""Units of a segment that are drawn; the mean of more is as good as normal, and Q does not depend on its size."""
FEWEST_DRAWS = 499
MOST_NUMBERS = 4_000_000
"""Random numbers for one test; where units are many, draws are fewer, but never below `FEWEST_DRAWS`."""
MOST_SEGMENTS = 100
"""Up to so many segments pairs are drawn jointly; beyond, each pair gets its part of the error."""
ROUNDING = 1e-7
"""A standard error of a gap below this part of the segments' own is what rounding of its square left of zero."""
SOME_DRAWS = 199
"""Draws of Q beyond so many segments: the sum of so many parts is told by its mean and its spread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """How much more one segment has than another, with an interval that holds together with those of all pairs."""

    more: int
    """Position of the segment with the larger value."""
    less: int
    value: float
    low: float
    high: float


def heterogeneity_of_shares(hits: Array, counts: Array, *, draws: int, seed: int) -> float:
    """Mid p-value of X^2 = sum_s (h_s - n_s h / n)^2 / n_s given both margins, h hits of n handed out [freeman51].

    Exact in its distribution whatever the sizes, up to the error of the draws.

    >>> heterogeneity_of_shares([28, 27, 15], [30, 30, 30], draws=2000, seed=0) < 0.001
    True
    """
    n, h = np.asarray(counts, np.int64), np.asarray(hits, np.int64)
    if h.sum() in (0, n.sum()):
        return 1.0
    expected = n * (h.sum() / n.sum())
    seen = float(np.sum((h - expected) ** 2 / n))
    drawn = np.random.default_rng([seed, 11]).multivariate_hypergeometric(n, int(h.sum()), size=draws)
    distances = np.sum((drawn - expected) ** 2 / n, axis=1)
    beyond, equal = np.sum(distances > seen * (1 + 1e-9)), np.sum(np.abs(distances - seen) <= 1e-9 * seen)
    return float((beyond + (equal + 1) / 2) / (draws + 1))


def heterogeneity(
    values: Array, moved: Sequence[Array], strata: Sequence[Array] | None = None, *, draws: int, seed: int
) -> float:
    """P-value of Q when the units' pseudo-values v_s + n_s L_i change places between segments, within strata if given.

    `moved` has how far each unit of a segment moves its value: L_i. Ranking two classes, a unit moves the value by its
    place among the other class, so places are changed within the classes (`strata`).

    >>> rng = np.random.default_rng(1)
    >>> losses = [rng.exponential(size) for size in ([1.0] * 50, [1.0] * 50, [3.0] * 50)]
    >>> means = np.array([part.mean() for part in losses])
    >>> moved = [(part - part.mean()) / len(part) for part in losses]
    >>> heterogeneity(means, moved, draws=999, seed=0) <= 0.002
    True
    """
    given = np.asarray(values, float)
    layers = _layers(given, moved, strata)
    seen = float(_q([_sums(pseudo, counts) for pseudo, counts in layers], [counts for _, counts in layers]))
    if min(int(counts.min()) for _, counts in layers) >= ENOUGH:
        return _chi_square(seen, len(given) - 1)
    if len(given) > MOST_SEGMENTS:
        return _gamma(seen, _drawn_q(layers, SOME_DRAWS, seed))
    total = sum(int(np.minimum(counts, ENOUGH).sum()) for _, counts in layers)
    draws = max(min(draws, MOST_NUMBERS // total), FEWEST_DRAWS)
    beyond = int(np.sum(_drawn_q(layers, draws, seed) >= seen * (1 - 1e-9)))
    return (1 + beyond) / (draws + 1)


def heterogeneity_of_many(values: Array, variances: Array) -> float:
    """P-value of Q as chi-square: for segments of so many units that nothing needs to be handed out [cochran54].

    >>> round(heterogeneity_of_many(np.array([0.80, 0.81, 0.79]), np.array([1e-4, 1e-4, 1e-4])), 3)
    0.368
    """
    weight = 1 / np.asarray(variances, float)
    centre = float(np.sum(weight * values) / np.sum(weight))
    return _chi_square(float(np.sum(weight * (np.asarray(values, float) - centre) ** 2)), len(values) - 1)


def _drawn_q(layers: list[tuple[Array, Array]], draws: int, seed: int) -> Array:
    """Q in draws that hand out the units to the segments at random."""
    total = sum(int(np.minimum(counts, ENOUGH).sum()) for _, counts in layers)
    rng, chunk = np.random.default_rng([seed, 12]), max(1, NUMBERS_AT_ONCE // total)
    found = []
    for done in range(0, draws, chunk):
        size = min(chunk, draws - done)
        drawn = [_handed_out(pseudo, counts, size, rng) for pseudo, counts in layers]
        found.append(_q(drawn, [np.minimum(counts, ENOUGH) for _, counts in layers]))
    return np.concatenate(found)


def _gamma(statistic: float, drawn: Array) -> float:
    """How rarely a gamma with the mean and variance of the draws is as large."""
    from scipy.special import gammaincc

    mean, variance = float(drawn.mean()), float(drawn.var(ddof=1))
    if not variance > 0:
        return 1.0
    return float(gammaincc(mean**2 / variance, statistic * mean / variance))


def _chi_square(statistic: float, df: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(df, statistic))


def _layers(values: Array, moved: Sequence[Array], strata: Sequence[Array] | None) -> list[tuple[Array, Array]]:
    """Per stratum the pseudo-values, segment after segment, and how many belong to each; one where strata are thin."""
    segment = np.repeat(np.arange(len(values)), [len(part) for part in moved])
    influence = np.concatenate(list(moved))
    layer = np.zeros(len(segment), int) if strata is None else np.concatenate(list(strata)).astype(int)
    counts = np.stack([np.bincount(segment[layer == one], minlength=len(values)) for one in np.unique(layer)])
    if strata is not None and counts.min() < 2:
        return _layers(values, moved, None)
    found = []
    for one, sizes in zip(np.unique(layer), counts, strict=True):
        chosen = layer == one
        pseudo = values[segment[chosen]] / len(counts) + sizes[segment[chosen]] * influence[chosen]
        found.append((pseudo - pseudo.mean(), sizes))
    return found


def _sums(pseudo: Array, counts: Array) -> tuple[Array, Array]:
    """Sums and sums of squares of each segment."""
    starts = np.append(0, np.cumsum(counts)[:-1])
    return np.add.reduceat(pseudo, starts, axis=-1), np.add.reduceat(pseudo**2, starts, axis=-1)


def _handed_out(pseudo: Array, counts: Array, draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """The same with units handed out to the segments at random, a line per resample."""
    wanted = np.minimum(counts, ENOUGH)
    total, pseudo = int(wanted.sum()), np.sort(pseudo)
    if total == len(pseudo):
        lines = rng.permuted(np.broadcast_to(pseudo, (draws, total)), axis=1)
    else:
        lines = pseudo[rng.integers(len(pseudo), size=(draws, total))]
    return _sums(lines, wanted)


def _q(sums: list[tuple[Array, Array]], counts: list[Array]) -> Array:
    """Cochran's Q, the value of a segment being the sum of its means in the strata."""
    values, variances = np.zeros(1), np.zeros(1)
    for (sum_, squares), n in zip(sums, counts, strict=True):
        mean = sum_ / n
        spread = np.maximum(squares - n * mean**2, 0.0)
        pooled = spread.sum(axis=-1, keepdims=True) / max(float(n.sum()) - len(n), 1.0)
        lent = (spread + LENT * pooled) / (n - 1 + LENT)
        values = values + mean
        variances = variances + np.maximum(lent, spread / np.maximum(n - 1, 1)) / n
    weight = 1 / np.maximum(variances, 1e-290)
    centre = np.sum(weight * values, axis=-1, keepdims=True) / np.sum(weight, axis=-1, keepdims=True)
    return np.asarray(np.sum(weight * (values - centre) ** 2, axis=-1))


def joint_heterogeneity(values: Array, influence: Array, present: Array) -> float:
    """P-value of T^2 = d' S^+ d as F with r and n - r degrees of freedom, d the segments less their mean [hotelling31].

    For units that lie in several segments. `influence` has a line per unit and a column per segment, 0 where the unit
    has no rows, and `present` units have some; the variance of a segment is never below its shrunken value.

    >>> rng = np.random.default_rng(1)
    >>> scores = rng.normal([0.0, 0.0, 0.8], 1, size=(80, 3)) + rng.normal(size=(80, 1))
    >>> joint_heterogeneity(scores.mean(axis=0), (scores - scores.mean(axis=0)) / 80, [80] * 3) < 0.01
    True
    """
    from scipy.special import fdtrc

    n, segments = influence.shape
    if n <= segments:
        return nan
    centring = np.eye(segments) - 1 / segments
    covariance = centring @ joint_covariance(influence, present) @ centring
    apart = centring @ np.asarray(values, float)
    sizes, directions = np.linalg.eigh(covariance)
    kept = sizes > 1e-12 * max(float(sizes.max()), 1e-290)
    rank = int(kept.sum())
    if not rank:
        return 1.0 if np.allclose(apart, 0) else nan
    squared = float(np.sum((directions[:, kept].T @ apart) ** 2 / sizes[kept]))
    return float(fdtrc(rank, n - rank, squared * (n - rank) / (rank * (n - 1))))


def joint_covariance(influence: Array, present: Array) -> Array:
    """Covariance of the segments' values, each variance at least its shrunken value.

    >>> right = np.array([[0.02, 0.0], [-0.02, 0.0], [0.02, 0.0], [-0.02, 0.0]])  # all are right in the second
    >>> bool(joint_covariance(right, [4, 4])[1, 1] > 0)
    True
    """
    n = len(influence)
    centred = influence - influence.mean(axis=0)
    covariance = n / max(n - 1, 1) * (centred.T @ centred)
    units = np.maximum(np.asarray(present, float), 2.0)
    spread = np.diag(covariance) * units
    pooled = float(np.sum((units - 1) * spread) / np.sum(units - 1))
    lent = ((units - 1) * spread + LENT * pooled) / (units - 1 + LENT) / units
    return np.asarray(covariance + np.diag(np.maximum(lent - np.diag(covariance), 0.0)))


def largest_gap(
    values: Array, lows: Array, highs: Array, each: float, level: float, *, correlation: Array | None = None,
    draws: int, seed: int,
) -> Gap | None:  # fmt: skip
    """The pair of segments whose gap has the largest lower end; None where no end is above zero.

    Ends of a gap d are d - sqrt(a^2 + b^2 - 2 r a b), with a and b how far the two intervals at level `each` reach
    [zou08], stretched by c / z(each), c the level-quantile of the largest |d| / error over all pairs.

    >>> largest_gap([0.9, 0.8, 0.6], [0.84, 0.72, 0.5], [0.94, 0.86, 0.69], 0.983, 0.95, draws=2000, seed=0).less
    2
    """
    ends = np.stack([np.asarray(part, float) for part in (lows, values, highs)])
    known = np.isfinite(ends).all(axis=0)
    places = np.flatnonzero(known)
    if len(places) < 2:
        return None
    low, v, high = ends[:, known]
    below, above = v - low, high - v
    r = np.eye(len(v)) if correlation is None else np.asarray(correlation, float)[np.ix_(known, known)]
    stretch = _critical((below + above) / 2, r, level, draws=draws, seed=seed) / critical_z(each)
    apart = v[:, None] - v[None, :]
    lower = apart - stretch * _combined(below[:, None], above[None, :], r)
    more, less = np.unravel_index(int(np.argmax(lower)), lower.shape)
    if not lower[more, less] > 0:
        return None
    upper = apart[more, less] + stretch * _combined(above[more], below[less], r[more, less])
    return Gap(
        more=int(places[more]), less=int(places[less]), value=float(apart[more, less]),
        low=float(lower[more, less]), high=float(upper),
    )  # fmt: skip


def _combined(a: Array, b: Array, r: Array) -> Array:
    """How far a difference reaches where its parts reach a and b and are correlated by r."""
    return np.sqrt(np.maximum(a**2 + b**2 - 2 * r * a * b, 0.0))


def _critical(errors: Array, correlation: Array, level: float, *, draws: int, seed: int) -> float:
    """Standard errors that the gaps of all pairs reach together."""
    k = len(errors)
    pairs = k * (k - 1) // 2
    each = critical_z(1 - (1 - level) / pairs)
    if k > MOST_SEGMENTS or pairs == 1:
        return each
    sizes, directions = np.linalg.eigh(correlation)
    root = (directions * np.sqrt(np.maximum(sizes, 0.0))) @ directions.T * errors[:, None]  # rounding turns no sign
    drawn = np.random.default_rng([seed, 13]).standard_normal((draws, k)) @ root.T
    farthest = np.zeros(draws)
    for at in range(k - 1):
        apart = _combined(errors[at], errors[at + 1 :], correlation[at, at + 1 :])
        moved = apart > ROUNDING * (errors[at] + errors[at + 1 :])
        gaps = np.abs(drawn[:, [at]] - drawn[:, at + 1 :])[:, moved] / apart[moved]
        farthest = np.maximum(farthest, gaps.max(axis=1, initial=0.0))
    return min(max(percentile(farthest, 2 * level - 1)[1], critical_z(level)), each)
