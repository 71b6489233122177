"""Learners over data sets: a table of scores with a line per data set and a column per learner.

Data sets are the sample. Scores of folds must not be fed as lines: they are not independent.

Traps of the example that everybody checks against, fourteen data sets and four variants of C4.5 [demsar06]: the
printed scores are rounded, and tie on "voting" where the paper's own ranks do not, so that the printed table gives a
Friedman statistic of 9.86 (10.95 corrected for ties) and the printed ranks give 9.28. Table 5(b) has 2.724 for nine
learners against a control, where the critical value is 2.734. The table of wins that a two-tailed sign test needs is
that of the one-sided test, with one win too many for 23 and 24 data sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt
from typing import Literal

import numpy as np

from heldout.batch import Array
from heldout.intervals.scales import critical_z, edge
from heldout.stats.multiplicity import holm
from heldout.stats.wilcoxon import signed_rank


@dataclass(frozen=True, slots=True, kw_only=True)
class Friedman:
    """Whether learners differ at all."""

    ranks: Array
    """Average rank of each learner, 1 the best."""
    chi_square: float
    chi_square_pvalue: float
    f: float
    """Iman and Davenport's."""
    f_pvalue: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Pairs of learners, or learners against one, each with its test."""

    pairs: Array
    """Positions of the two learners, a line per pair."""
    statistic: Array
    pvalue: Array
    adjusted: Array
    """By Holm, or by Nemenyi's range."""
    ahead: Array
    """1 where the first of the two is ahead, -1 where the second is, 0 where neither."""


def ranks_of(scores: Array, *, higher: bool = True) -> Array:
    """Rank of every learner on every data set, 1 the best: 1 + how many are better + half of how many others are equal.

    >>> ranks_of(np.array([[0.7, 0.9, 0.9], [0.5, 0.6, 0.4]])).tolist()
    [[3.0, 1.5, 1.5], [2.0, 1.0, 3.0]]
    """
    given = np.asarray(scores, float) if higher else -np.asarray(scores, float)
    better = np.sum(given[:, None, :] > given[:, :, None], axis=2)
    equal = np.sum(given[:, None, :] == given[:, :, None], axis=2)
    return better + (equal + 1) / 2


def friedman(scores: Array, *, better: Literal["higher", "lower"] = "higher", tie_correction: bool = True) -> Friedman:
    """Friedman's test that several models are equally good over data sets, with Iman and Davenport's F.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_models)
        One score of each model on each data set, such as its mean over folds. Folds are not data sets: they are not
        independent.
    better : {"higher", "lower"}, default "higher"
        Which scores are better.
    tie_correction : bool, default True
        Whether to divide the statistic by 1 - sum(t^3 - t) / (N k (k^2 - 1)), t the sizes of groups of equal
        scores.

    Returns
    -------
    Friedman
        Average `ranks` (1 is the best), `chi_square` with `chi_square_pvalue`, and `f` with `f_pvalue`.

    See Also
    --------
    heldout.compare_across_sets : The whole analysis, with post-hoc tests.

    References
    ----------
    M. Friedman (1937). The use of ranks to avoid the assumption of normality implicit in the analysis of variance.
    Journal of the American Statistical Association 32(200), 675–701. [friedman37]

    R. L. Iman, J. M. Davenport (1980). Approximations of the critical region of the Friedman statistic.
    Communications in Statistics: Theory and Methods 9(6), 571–595. [iman80]

    Examples
    --------
    >>> tested = friedman([[0.28, 0.95, 0.96], [0.53, 0.65, 0.64], [0.40, 0.87, 0.90], [0.41, 0.83, 0.91]])
    >>> tested.chi_square, round(tested.chi_square_pvalue, 4)
    (6.5, 0.0388)
    """
    ranks = ranks_of(scores, higher=better == "higher")
    sets, learners = ranks.shape
    # The sum of t^3 - t over groups is the sum over scores of t^2 - 1.
    equal = np.sum(ranks[:, None, :] == ranks[:, :, None], axis=2)
    kept = 1 - float(np.sum(equal**2 - 1)) / (sets * learners * (learners**2 - 1)) if tie_correction else 1.0
    return friedman_of_ranks(ranks.mean(axis=0), sets, kept=kept)


def friedman_of_ranks(average: Array, sets: int, *, kept: float = 1.0) -> Friedman:
    """12 N / (k (k + 1)) (sum(R^2) - k (k + 1)^2 / 4), and F = (N - 1) chi^2 / (N (k - 1) - chi^2) [iman80].

    `kept` is what ties leave of the ranks' variance. Where all scores of every set tie, nothing differs: 0, p = 1.

    >>> found = friedman_of_ranks(np.array([3.143, 2.000, 2.893, 1.964]), 14)
    >>> round(found.chi_square, 2), round(found.f, 2)
    (9.28, 3.69)
    """
    from scipy.special import chdtrc, fdtrc

    ranks, k = np.asarray(average, float), len(average)
    if kept <= 0:
        return Friedman(ranks=ranks, chi_square=0.0, chi_square_pvalue=1.0, f=0.0, f_pvalue=1.0)
    raw = 12 * sets / (k * (k + 1)) * (float(np.sum(ranks**2)) - k * (k + 1) ** 2 / 4)
    chi_square = max(round(raw, 12), 0.0) / kept
    left = sets * (k - 1) - chi_square
    f = (sets - 1) * chi_square / left if left > 1e-9 else float("inf")
    return Friedman(
        ranks=ranks, chi_square=chi_square, chi_square_pvalue=float(chdtrc(k - 1, chi_square)),
        f=f, f_pvalue=float(fdtrc(k - 1, (k - 1) * (sets - 1), f)) if np.isfinite(f) else 0.0,
    )  # fmt: skip


def nemenyi(n_models: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference of average ranks: models further apart differ significantly.

    Whether two models differ depends on which others are in the table; Wilcoxon tests with Holm's correction do not
    have this problem [benavoli16].

    Parameters
    ----------
    n_models : int
        Number of models, k.
    n_datasets : int
        Number of data sets, N.
    alpha : float, default 0.05
        Type I error rate of the test.

    Returns
    -------
    float
        q sqrt(k (k + 1) / (6 N)), q the quantile of the studentised range of k normal values, over sqrt(2).

    References
    ----------
    P. B. Nemenyi (1963). Distribution-Free Multiple Comparisons. PhD thesis, Princeton University. [nemenyi63]

    Examples
    --------
    >>> round(nemenyi(4, 14), 4)
    1.2536
    """
    widest = edge(lambda q: bool(_range_beyond(np.array(q), n_models) >= alpha), 100.0, 0.0)
    return widest / sqrt(2) * sqrt(n_models * (n_models + 1) / (6 * n_datasets))


def bonferroni_dunn(learners: int, sets: int, alpha: float) -> float:
    """Critical difference to a control, z sqrt(k (k + 1) / (6 N)) with z at alpha / (k - 1), two-sided [dunn61].

    >>> round(bonferroni_dunn(4, 14, 0.05), 4)
    1.1681
    """
    return critical_z(1 - alpha / (learners - 1)) * sqrt(learners * (learners + 1) / (6 * sets))


def nemenyi_p(average: Array, sets: int) -> Array:
    """P-value of every pair of average ranks, by the range of k normal values; a square table.

    >>> nemenyi_p(np.array([3.0, 1.75, 1.25]), 4).round(3)[0].tolist()
    [1.0, 0.181, 0.036]
    """
    ranks, k = np.asarray(average, float), len(average)
    apart = np.abs(ranks[:, None] - ranks) / sqrt(k * (k + 1) / (6 * sets))
    return _range_beyond(apart * sqrt(2), k)


def _range_beyond(width: Array, count: int) -> Array:
    """P(range of k normal values > q) = 1 - k integral phi(z) (Phi(z) - Phi(z - q))^(k - 1) dz."""
    from scipy.special import ndtr

    # The trapezoid rule is exact to rounding here: the integrand is smooth and vanishes at both ends.
    points = np.linspace(-9, 9, 721)
    density = np.exp(-(points**2) / 2) / sqrt(2 * np.pi)
    inside = (ndtr(points) - ndtr(points - np.asarray(width)[..., None])) ** (count - 1)
    within = count * np.sum(density * inside, axis=-1) * (points[1] - points[0])
    return np.clip(1 - within, 0.0, 1.0)


def wilcoxon_pairs(scores: Array, *, higher: bool = True, control: int | None = None) -> Pairs:
    """Wilcoxon's signed rank test of every pair of learners, or of each against a control, with Holm's correction.

    Zeros are split [demsar06].

    >>> scores = np.array([[0.1, 0.2, 0.3], [0.2, 0.4, 0.7], [0.3, 0.6, 0.5], [0.1, 0.5, 0.9], [0.2, 0.7, 0.9]])
    >>> wilcoxon_pairs(scores).pvalue.tolist()
    [0.0625, 0.0625, 0.1875]
    """
    given = np.asarray(scores, float)
    pairs = every_pair(given.shape[1]) if control is None else against(control, given.shape[1])
    found = [signed_rank(given[:, i] - given[:, j]) for i, j in pairs]
    p = np.array([one.pvalue for one in found])
    more = np.sign([one.plus - one.minus for one in found])
    return Pairs(
        pairs=pairs, statistic=np.array([min(one.plus, one.minus) for one in found]),
        pvalue=p, adjusted=holm(p), ahead=more if higher else -more,
    )  # fmt: skip


def every_pair(learners: int) -> Array:
    """Positions i < j of all pairs, a line each."""
    return np.argwhere(np.triu(np.ones((learners, learners), bool), 1))


def against(control: int, learners: int) -> Array:
    """Positions of the control and of each other learner, a line each."""
    others = np.delete(np.arange(learners), control)
    return np.column_stack([np.full(len(others), control), others])


def nemenyi_pairs(average: Array, sets: int) -> Pairs:
    """The z = (R_i - R_j) / sqrt(k (k + 1) / (6 N)) of every pair, adjusted by the range of k normal values.

    >>> nemenyi_pairs(np.array([3.0, 1.75, 1.25]), 4).adjusted.round(3).tolist()
    [0.181, 0.036, 0.759]
    """
    ranks, k = np.asarray(average, float), len(average)
    first, second = every_pair(k).T
    z = (ranks[first] - ranks[second]) / sqrt(k * (k + 1) / (6 * sets))
    return Pairs(
        pairs=every_pair(k), statistic=z, pvalue=_normal_p(z),
        adjusted=nemenyi_p(ranks, sets)[first, second], ahead=-np.sign(z),
    )  # fmt: skip


def _normal_p(z: Array) -> Array:
    return np.array([erfc(abs(one) / sqrt(2)) for one in z.tolist()])


def versus_control(average: Array, sets: int, *, control: int = 0) -> Pairs:
    """The z = (R_control - R_i) / sqrt(k (k + 1) / (6 N)) of every other learner, with Holm's correction [demsar06].

    >>> found = versus_control(np.array([3.143, 2.000, 2.893, 1.964]), 14)
    >>> found.statistic.round(2).tolist(), found.pvalue.round(3).tolist()
    ([2.34, 0.51, 2.42], [0.019, 0.608, 0.016])
    """
    ranks, k = np.asarray(average, float), len(average)
    pairs = against(control, k)
    z = (ranks[control] - ranks[pairs[:, 1]]) / sqrt(k * (k + 1) / (6 * sets))
    p = _normal_p(z)
    return Pairs(pairs=pairs, statistic=z, pvalue=p, adjusted=holm(p), ahead=-np.sign(z))


def sign_test_wins(
    n_datasets: int, alpha: float = 0.05, *, alternative: Literal["two-sided", "greater"] = "two-sided"
) -> int | None:
    """The fewest wins over data sets with which a sign test is significant.

    Parameters
    ----------
    n_datasets : int
        Number of data sets without a tie.
    alpha : float, default 0.05
        Type I error rate of the test.
    alternative : {"two-sided", "greater"}, default "two-sided"
        Whether the two-sided p-value 2 P(X >= wins) or the one-sided P(X >= wins) is held against alpha, X
        binomial(n_datasets, 1/2).

    Returns
    -------
    int or None
        The number of wins; None where even a win on every data set is not significant.

    References
    ----------
    J. Demšar (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning
    Research 7, 1–30. [demsar06]

    Examples
    --------
    >>> sign_test_wins(20), sign_test_wins(5), sign_test_wins(5, alternative="greater")
    (15, None, 5)
    """
    from scipy.special import bdtrc

    wins = np.arange(1, n_datasets + 1)
    sides = 2 if alternative == "two-sided" else 1
    enough = wins[sides * bdtrc(wins - 1, n_datasets, 0.5) <= alpha]
    return int(enough[0]) if len(enough) else None
