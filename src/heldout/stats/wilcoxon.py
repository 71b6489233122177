"""Paired differences by the ranks of their sizes: Wilcoxon's test, and the Bayesian one."""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt
from typing import Literal

import numpy as np

from heldout.batch import Array
from heldout.intervals.scales import critical_z
from heldout.stats.paired_means import RandomState

Zeros = Literal["split", "pratt", "drop"]

COUNTED = 50
"""Differences up to which all 2^n signs are counted."""

PRIOR = 0.5
"""Units that the prior of the Bayesian test is worth: its difference is zero [benavoli14]."""
NUMBERS_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRank:
    """Wilcoxon's sums of ranks and their p-value."""

    plus: float
    minus: float
    z: float
    pvalue: float
    method: str
    """"exact" or "normal"."""


def signed_rank(
    differences: Array,
    *,
    zeros: Zeros = "split",
    method: Literal["auto", "exact", "normal"] = "auto",
    correction: bool = False,
    tie_correction: bool = True,
) -> SignedRank:
    """Wilcoxon's signed rank test that differences are symmetric about 0.

    Parameters
    ----------
    differences : array-like of float
        One difference per independent unit, such as a data set, first minus second.
    zeros : {"split", "pratt", "drop"}, default "split"
        Zeros are ranked and halved between the two sums ("split", as Demšar does), ranked and then left out
        ("pratt"), or left out before ranking ("drop").
    method : {"auto", "exact", "normal"}, default "auto"
        "exact" counts all signs given the ranks; "normal" is z = (sum - mean) / sd; "auto" is exact up to 50
        differences.
    correction : bool, default False
        Whether z gets a continuity correction of 1/2.
    tie_correction : bool, default True
        Whether the sd in z is that of the tied ranks; False takes that of ranks without ties.

    Returns
    -------
    SignedRank
        The sums of ranks `plus` and `minus`, `z`, the two-sided `pvalue` and the `method` used.

    References
    ----------
    F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1(6), 80–83. [wilcoxon45]

    J. Demšar (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning
    Research 7, 1–30. [demsar06]

    Examples
    --------
    >>> tested = signed_rank([0.1, 0.2, 0.3, 0.5, 0.6, -0.05])
    >>> tested.plus, tested.minus, tested.pvalue, tested.method
    (20.0, 1.0, 0.0625, 'exact')
    """
    given = np.asarray(differences, float)
    given = given[given != 0] if zeros == "drop" else given
    if not given.any():
        return SignedRank(plus=0.0, minus=0.0, z=0.0, pvalue=1.0, method="exact")
    ranks, sign = _ranks(np.abs(given)), np.sign(given)
    counted = ranks[sign != 0]
    halves = float(ranks[sign == 0].sum()) / 2 if zeros == "split" else 0.0
    plus, minus = (float(ranks[sign == side].sum()) + halves for side in (1, -1))
    spread = float(np.sum((ranks if zeros == "split" else counted) ** 2))
    n = len(given)
    sd = sqrt(spread / 4 if tie_correction else n * (n + 1) * (2 * n + 1) / 24)
    apart = (plus - minus) / 2
    z = np.sign(apart) * max(abs(apart) - (0.5 if correction else 0.0), 0.0) / sd
    exact = method == "exact" or (method == "auto" and len(counted) <= COUNTED)
    p = _counted(counted, abs(plus - minus)) if exact else erfc(abs(z) / sqrt(2))
    return SignedRank(plus=plus, minus=minus, z=float(z), pvalue=p, method="exact" if exact else "normal")


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


def pseudomedian(differences: Array, confidence_level: float = 0.95) -> tuple[float, float, float]:
    """Hodges and Lehmann's pseudomedian of differences, with the interval of Wilcoxon's test.

    It is the median of the means (d_i + d_j) / 2, i <= j. The ends are the (c + 1)-th of these means from below and
    from above, c the largest with 2 P(sum <= c) <= 1 - confidence_level: exact up to 50 differences, normal beyond.

    Parameters
    ----------
    differences : array-like of float
        One difference per independent unit, such as a data set, first minus second.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    (float, float, float)
        The pseudomedian, and the low and high end of its interval; infinite ends where there are too few
        differences, such as 5 at 95%.

    References
    ----------
    J. L. Hodges, E. L. Lehmann (1963). Estimates of location based on rank tests. Annals of Mathematical Statistics
    34(2), 598–611. [hodges63]

    Examples
    --------
    >>> [round(x, 3) for x in pseudomedian([0.1, 0.2, 0.3, 0.5, 0.6, -0.05])]
    [0.275, -0.05, 0.6]
    """
    given = np.asarray(differences, float)
    n = len(given)
    means = np.sort((given[:, None] + given)[np.triu_indices(n)] / 2)
    if n <= COUNTED:
        below = 2 * np.cumsum(_chances(np.arange(1, n + 1))) <= 1 - confidence_level + 1e-12
        left_out = int(np.count_nonzero(below)) - 1
    else:
        sd = sqrt(n * (n + 1) * (2 * n + 1) / 24)
        left_out = int(n * (n + 1) / 4 - 0.5 - critical_z(confidence_level) * sd)
    value = float(np.median(means))
    if left_out < 0:
        return value, -float("inf"), float("inf")
    return value, float(means[left_out]), float(means[-1 - left_out])


def bayes_signed_rank(
    differences: Array, rope: float, *, n_resamples: int = 10_000, random_state: RandomState = 0
) -> tuple[float, float, float]:
    """Bayesian signed rank test: the probability that differences are mostly below, within or above the rope.

    Weights w of one more difference, at zero, and of the differences are Dirichlet(1/2, 1, ..., 1): the prior is worth
    half a unit. A sample goes to the side with the largest sum of w_i w_j over pairs whose mean difference lies there.
    With rope = 0, pairs at zero count half to each side.

    Parameters
    ----------
    differences : array-like of float
        One difference per independent unit, such as a data set, first minus second.
    rope : float
        Region of practical equivalence, 0 or more: a difference within it, either way, has no practical
        consequence.
    n_resamples : int, default 10000
        Number of Dirichlet samples.
    random_state : int, numpy.random.Generator or None, default 0
        Seed of the samples; None: another one in each call.

    Returns
    -------
    (float, float, float)
        Probabilities (below, within, above).

    References
    ----------
    A. Benavoli, G. Corani, F. Mangili, M. Zaffalon, F. Ruggeri (2014). A Bayesian Wilcoxon signed-rank test based
    on the Dirichlet process. International Conference on Machine Learning, 1026–1034. [benavoli14]

    Examples
    --------
    >>> [round(chance) for chance in bayes_signed_rank([0.05] * 20, 0.01, n_resamples=500)]
    [0, 0, 1]
    """
    ordered = np.asarray(differences, float)
    # sorted, so that the order of units changes nothing; from the other end where the mean is negative, so that swapped
    # learners are the mirror image
    ordered = ordered[np.argsort(ordered if ordered.sum() >= 0 else -ordered, kind="stable")]
    given = np.concatenate([[0.0], ordered])
    means = np.add.outer(given, given) / 2
    below, above = (means < -rope).astype(float), (means > rope).astype(float)
    rng = np.random.default_rng(random_state)
    strength = np.r_[PRIOR, np.ones(len(ordered))]
    chunk, wins = max(1, NUMBERS_AT_ONCE // len(given)), np.zeros(3)
    for done in range(0, n_resamples, chunk):
        weights = rng.dirichlet(strength, size=min(chunk, n_resamples - done))
        low, high = (np.sum((weights @ side) * weights, axis=1) for side in (below, above))
        within = 1 - low - high if rope > 0 else np.full(len(low), -1.0)
        sums = np.column_stack([low, within, high])
        most = sums >= sums.max(axis=1, keepdims=True) - 1e-12
        wins += np.sum(most / most.sum(axis=1, keepdims=True), axis=0)
    low_share, within_share, high_share = (wins / n_resamples).tolist()
    return low_share, within_share, high_share
