"""Paired differences by the ranks of their sizes: Wilcoxon's test, and the Bayesian one."""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt
from typing import Literal

import numpy as np

from heldout.batch import Array
from heldout.intervals.critical_values import critical_z

Zeros = Literal["split", "pratt", "drop"]

COUNTED = 50
"""Differences up to which all 2^n signs are counted."""

NUMBERS_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRank:
    """Wilcoxon's sums of ranks and their p-value."""

    plus: float
    minus: float
    z: float
    p: float
    method: str
    """"exact" or "normal"."""


def signed_rank(
    differences: Array,
    *,
    zeros: Zeros = "split",
    method: Literal["auto", "exact", "normal"] = "auto",
    corrected: bool = False,
    tied: bool = True,
) -> SignedRank:
    """Sums of the ranks of |d| over d > 0 and over d < 0, and the two-sided p-value of d being symmetric [wilcoxon45].

    Equal sizes share their ranks. Zeros are ranked and halved between the sums ("split", as [demsar06]), ranked and
    left out ("pratt"), or left out first ("drop"). "exact" counts all signs given the ranks there are (up to 50
    differences), "normal" is z = (sum - mean) / sd, a half nearer to 0 if corrected; tied=False takes the sd of ranks
    without ties.

    >>> found = signed_rank(np.array([0.1, 0.2, 0.3, 0.5, 0.6, -0.05]))
    >>> found.plus, found.minus, found.p, found.method
    (20.0, 1.0, 0.0625, 'exact')
    """
    given = np.asarray(differences, float)
    given = given[given != 0] if zeros == "drop" else given
    if not given.any():
        return SignedRank(plus=0.0, minus=0.0, z=0.0, p=1.0, method="exact")
    ranks, sign = _ranks(np.abs(given)), np.sign(given)
    counted = ranks[sign != 0]
    halves = float(ranks[sign == 0].sum()) / 2 if zeros == "split" else 0.0
    plus, minus = (float(ranks[sign == side].sum()) + halves for side in (1, -1))
    spread = float(np.sum((ranks if zeros == "split" else counted) ** 2))
    n = len(given)
    sd = sqrt(spread / 4 if tied else n * (n + 1) * (2 * n + 1) / 24)
    apart = (plus - minus) / 2
    z = np.sign(apart) * max(abs(apart) - (0.5 if corrected else 0.0), 0.0) / sd
    exact = method == "exact" or (method == "auto" and len(counted) <= COUNTED)
    p = _counted(counted, abs(plus - minus)) if exact else erfc(abs(z) / sqrt(2))
    return SignedRank(plus=plus, minus=minus, z=float(z), p=p, method="exact" if exact else "normal")


def _ranks(sizes: Array) -> Array:
    """1 for the smallest; equal ones share the mean of their ranks. Sizes equal but for rounding are equal."""
    rounded = np.round(sizes / sizes.max(), 12)
    _, group, count = np.unique(rounded, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[group]


def _counted(ranks: Array, apart: float) -> float:
    """The share of all signs whose two sums are at least this far apart."""
    chances = _chances(np.round(2 * ranks).astype(int))
    total = len(chances) - 1
    far = np.abs(2 * np.arange(total + 1) - total) >= 2 * apart - 0.5
    return float(min(1.0, chances[far].sum()))


def _chances(ranks: Array) -> Array:
    """How probable each sum 0, 1, 2, ... of whole ranks is, where each is in the sum or is not with equal chances."""
    total = int(ranks.sum())
    chances = np.zeros(total + 1)
    chances[0] = 1.0
    for rank in ranks.tolist():  # at most 50 ranks
        moved = np.zeros_like(chances)
        moved[rank:] = chances[: total + 1 - rank]
        chances = (chances + moved) / 2
    return chances


def pseudomedian(differences: Array, level: float) -> tuple[float, float, float]:
    """Median of the means (d_i + d_j) / 2, i <= j, with the interval of the shifts Wilcoxon's test keeps [hodges63].

    The ends are the (c + 1)-th of these means from below and from above, c the largest with 2 P(sum <= c) <= 1 - level;
    exact up to 50 differences, normal beyond. Infinite where not even c = 0 will do: with 5 differences at 95%.

    >>> [round(x, 3) for x in pseudomedian(np.array([0.1, 0.2, 0.3, 0.5, 0.6, -0.05]), 0.95)]
    [0.275, -0.05, 0.6]
    """
    given = np.asarray(differences, float)
    n = len(given)
    means = np.sort((given[:, None] + given)[np.triu_indices(n)] / 2)
    if n <= COUNTED:
        below = 2 * np.cumsum(_chances(np.arange(1, n + 1))) <= 1 - level + 1e-12
        left_out = int(np.count_nonzero(below)) - 1
    else:
        sd = sqrt(n * (n + 1) * (2 * n + 1) / 24)
        left_out = int(n * (n + 1) / 4 - 0.5 - critical_z(level) * sd)
    value = float(np.median(means))
    if left_out < 0:
        return value, -float("inf"), float("inf")
    return value, float(means[left_out]), float(means[-1 - left_out])


def bayes_signed_rank(differences: Array, rope: float, *, draws: int, seed: int | None) -> tuple[float, float, float]:
    """How probable it is that d lies mostly below -rope, within, or above rope: (below, within, above) [benavoli14].

    Weights w of the data sets, and of one more at zero, are Dirichlet(1, ..., 1); a draw goes to the side with the
    largest sum of w_i w_j over pairs whose mean difference lies there. With rope = 0 pairs at zero count half to each.

    >>> [round(chance) for chance in bayes_signed_rank(np.full(20, 0.05), 0.01, draws=500, seed=0)]
    [0, 0, 1]
    """
    given = np.concatenate([[0.0], np.asarray(differences, float)])
    means = np.add.outer(given, given) / 2
    below, above = (means < -rope).astype(float), (means > rope).astype(float)
    rng = np.random.default_rng(seed)
    chunk, wins = max(1, NUMBERS_AT_ONCE // len(given)), np.zeros(3)
    for done in range(0, draws, chunk):
        weights = rng.dirichlet(np.ones(len(given)), size=min(chunk, draws - done))
        low, high = (np.sum((weights @ side) * weights, axis=1) for side in (below, above))
        within = 1 - low - high if rope > 0 else np.full(len(low), -1.0)
        sums = np.column_stack([low, within, high])
        most = sums >= sums.max(axis=1, keepdims=True) - 1e-12
        wins += np.sum(most / most.sum(axis=1, keepdims=True), axis=0)
    low_share, within_share, high_share = (wins / draws).tolist()
    return low_share, within_share, high_share
