"""Two learners over the splits of one data set: one difference a - b per split, each from models fitted anew.

Splits share training rows, so their differences are not independent: s / sqrt(J) is not the standard error of their
mean, and no correction is right for every learner [bengio04]. All of this is about learners at the size of the training
parts; to compare two fitted models on one holdout, use McNemar's test or paired differences of losses.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.intervals import UNDEFINED
from heldout.intervals.over_splits import ROUNDING, checked_ratio
from heldout.intervals.scales import critical_t
from heldout.stats.argument_checks import numbers_in
from heldout.stats.outcome import Outcome

PAIRS = (5, 2)
"""Five repetitions of two halves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior:
    """Student's t for the true difference a - b, and how much of it lies below -rope, within, and above rope."""

    mean: float
    scale: float
    """Squared, it is baycomp's variance; that of the distribution itself is df / (df - 2) times as much."""
    df: float
    rope: float
    below: float
    within: float
    above: float


def corrected_resampled_t(differences: Any, confidence_level: float = 0.95, *, ratio: float) -> Outcome:
    """Nadeau and Bengio's corrected resampled t test of two learners over the splits of one data set.

    t = mean(d) / (s sqrt(1 / J + ratio)) with J - 1 degrees of freedom for J splits. For r x k cross-validation J = r
    k.

    Parameters
    ----------
    differences : array-like of float
        One difference of the two learners per split, first minus second, each from models fitted anew.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.
    ratio : float
        Test rows over training rows: 1 / (k - 1) for k folds, repeated or not.

    Returns
    -------
    Outcome
        The mean difference, its interval, t, its degrees of freedom and the two-sided p-value.

    Raises
    ------
    DataError
        Where there are fewer than two splits, or all gave the same difference.

    References
    ----------
    C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine Learning 52(3), 239–281. [nadeau03]

    R. R. Bouckaert, E. Frank (2004). Evaluating the replicability of significance tests for comparing learning
    algorithms. Advances in Knowledge Discovery and Data Mining (PAKDD), 3–12. [bouckaert04]

    Examples
    --------
    >>> d = [0.02, 0.01, -0.01, 0.03, 0.02, 0.0, 0.04, 0.01, 0.02, 0.03]
    >>> outcome = corrected_resampled_t(d, ratio=1 / 9)
    >>> round(outcome.statistic, 5), round(outcome.pvalue, 6), round(outcome.low, 6), round(outcome.high, 6)
    (2.47581, 0.035233, 0.001467, 0.032533)
    """
    checked_ratio(ratio)
    return _student(_splits(differences), confidence_level, ratio, "corrected resampled t")


def naive_fold_t(differences: Any, confidence_level: float = 0.95) -> Outcome:
    """T = mean(d) / (s / sqrt(J)) as if splits were independent, which they are not: for teaching, not for use.

    Over 10 x 10 folds, or 30 random splits, it rejects learners that are equally good more than half of the time.

    >>> d = [0.02, 0.01, -0.01, 0.03, 0.02, 0.0, 0.04, 0.01, 0.02, 0.03]
    >>> round(naive_fold_t(d, 0.95).pvalue, 6)
    0.005773
    """
    note = "splits share training rows, so the error is too small: equally good learners are rejected far too often"
    return _student(_splits(differences), confidence_level, 0.0, "naive t over folds (not valid)", note)


def kfold_paired_t(differences: Any, confidence_level: float = 0.95) -> Outcome:
    """Paired t test of two learners over the k folds of one cross-validation; approximate.

    t = mean(d) / (s / sqrt(k)) with k - 1 degrees of freedom. Training parts overlap, so that unstable learners are
    rejected too often. Do not give folds of repeated cross-validation; use `corrected_resampled_t` for them.

    Parameters
    ----------
    differences : array-like of float
        One difference of the two learners per split, first minus second, each from models fitted anew.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    Outcome
        The mean difference, its interval, t, its degrees of freedom and the two-sided p-value.

    Raises
    ------
    DataError
        Where there are fewer than two splits, or all gave the same difference.

    References
    ----------
    T. M. Mitchell (1997). Machine Learning. McGraw-Hill. [mitchell97]

    Examples
    --------
    >>> d = [0.02, 0.01, -0.01, 0.03, 0.02, 0.0, 0.04, 0.01, 0.02, 0.03]
    >>> outcome = kfold_paired_t(d)
    >>> outcome.test, outcome.df
    ('k-fold paired t (approximate)', 9)
    """
    note = "approximate: training parts overlap, and unstable learners are rejected too often"
    return _student(_splits(differences), confidence_level, 0.0, "k-fold paired t (approximate)", note)


def five_by_two_t(differences: Any, confidence_level: float = 0.95) -> Outcome:
    """Dietterich's 5x2cv t test of two learners, each trained on half the rows.

    t = p_11 / sqrt(mean of s_i^2), s_i^2 = (p_i1 - p_i2)^2 / 2, with 5 degrees of freedom. Only the first of the ten
    differences is in the numerator, and so the value and the interval are those of p_11.

    Parameters
    ----------
    differences : array-like of shape (5, 2)
        Differences of the two learners, first minus second: five repetitions of two halves.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    Outcome
        The first difference p_11, its interval, t and the two-sided p-value.

    Raises
    ------
    UsageError
        Where the differences are not 5 x 2.
    DataError
        Where the differences do not vary.

    References
    ----------
    T. G. Dietterich (1998). Approximate statistical tests for comparing supervised classification learning
    algorithms. Neural Computation 10(7), 1895–1923. [dietterich98]

    Examples
    --------
    >>> d = [[0.02, -0.01], [0.03, 0.01], [-0.01, 0.04], [0.02, 0.0], [0.01, 0.03]]
    >>> outcome = five_by_two_t(d)
    >>> round(outcome.statistic, 6), round(outcome.pvalue, 5)
    (0.932505, 0.39388)
    """
    given, variances = _halves(differences)
    error, first = sqrt(float(variances.mean())), float(given[0, 0])
    reach = critical_t(confidence_level, 5) * error
    return Outcome(
        value=first, low=first - reach, high=first + reach, level=confidence_level, pvalue=_two_sided(first / error, 5),
        statistic=first / error, test="5x2cv t", df=5, notes=("the value is the first of the ten differences",),
    )  # fmt: skip


def five_by_two_f(differences: Any, confidence_level: float = 0.95) -> Outcome:
    """Alpaydın's combined 5x2cv F test of two learners, each trained on half the rows.

    F = sum(p_ij^2) / (2 sum(s_i^2)) with 10 and 5 degrees of freedom, s_i^2 as in `five_by_two_t`. The interval
    contains the shifts of all ten differences that the test does not reject, and is (nan, nan) where it rejects all.

    Parameters
    ----------
    differences : array-like of shape (5, 2)
        Differences of the two learners, first minus second: five repetitions of two halves.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    Outcome
        The mean of the ten differences, its interval, F and the p-value.

    Raises
    ------
    UsageError
        Where the differences are not 5 x 2.
    DataError
        Where the differences do not vary.

    References
    ----------
    E. Alpaydın (1999). Combined 5 × 2 cv F test for comparing supervised classification learning algorithms. Neural
    Computation 11(8), 1885–1892. [alpaydin99]

    Examples
    --------
    >>> d = [[0.02, -0.01], [0.03, 0.01], [-0.01, 0.04], [0.02, 0.0], [0.01, 0.03]]
    >>> outcome = five_by_two_f(d)
    >>> round(outcome.statistic, 6), round(outcome.pvalue, 6)
    (1.0, 0.534881)
    """
    from scipy.special import fdtrc, fdtri

    given, variances = _halves(differences)
    scale, mean = 2 * float(variances.sum()), float(given.mean())
    statistic = float(np.sum(given**2)) / scale
    room = (float(fdtri(10, 5, confidence_level)) * scale - float(np.sum((given - mean) ** 2))) / given.size
    low, high = (mean - sqrt(room), mean + sqrt(room)) if room >= 0 else UNDEFINED
    notes = () if room >= 0 else ("no interval: the ten differences are further apart than any shift explains",)
    return Outcome(
        value=mean, low=low, high=high, level=confidence_level, pvalue=float(fdtrc(10, 5, statistic)),
        statistic=statistic, test="5x2cv F", df=5, notes=notes,
    )  # fmt: skip


def bayes_correlated_t(differences: Any, rope: float, *, correlation: float) -> Posterior:
    """Bayesian correlated t test of two learners over the splits of one data set.

    The posterior of the difference is t with J - 1 degrees of freedom and scale^2 = s^2 (1 / J + rho / (1 - rho)), the
    scale of `corrected_resampled_t`.

    Parameters
    ----------
    differences : array-like of float
        One difference of the two learners per split, first minus second, each from models fitted anew.
    rope : float
        Region of practical equivalence: a difference within it, either way, has no practical consequence.
    correlation : float
        Correlation of the splits: the share of rows that are tested, 1 / k for k folds, repeated or not. From 0 to
        below 1.

    Returns
    -------
    Posterior
        The posterior's mean, scale and degrees of freedom, and how much of it lies `below` -rope, `within` and
        `above` rope.

    Raises
    ------
    UsageError
        Where the correlation or the rope is out of range.
    DataError
        Where there are fewer than two splits, or all gave the same difference.

    References
    ----------
    G. Corani, A. Benavoli (2015). A Bayesian approach for comparing cross-validated algorithms on multiple data
    sets. Machine Learning 100(2–3), 285–304. [corani15]

    Examples
    --------
    >>> d = [0.02, 0.01, -0.01, 0.03, 0.02, 0.0, 0.04, 0.01, 0.02, 0.03]
    >>> posterior = bayes_correlated_t(d, 0.01, correlation=1 / 10)
    >>> [round(chance, 5) for chance in (posterior.below, posterior.within, posterior.above)]
    [0.00172, 0.16558, 0.8327]
    """
    from scipy.special import stdtr

    if not 0 <= correlation < 1:
        fix = "give the share of rows that are tested, 1 / k for k folds"
        raise UsageError(f"correlation is {correlation:g}, which is not between 0 and 1", fix=fix)
    known_rope(rope)
    given = _splits(differences)
    df, mean = len(given) - 1, float(given.mean())
    scale = float(given.std(ddof=1)) * sqrt(1 / len(given) + correlation / (1 - correlation))
    below, above = (float(stdtr(df, (-rope + side * mean) / scale)) for side in (-1, 1))
    return Posterior(
        mean=mean, scale=scale, df=df, rope=rope, below=below, within=max(0.0, 1 - below - above), above=above
    )


def known_rope(rope: float) -> None:
    """Refuse what is not the size of a difference."""
    if not 0 <= rope < float("inf"):
        fix = "give the largest difference of no consequence"
        raise UsageError(f"rope is {rope:g}, but must be 0 or more", fix=fix)


def _student(given: Array, level: float, ratio: float, test: str, *notes: str) -> Outcome:
    """The mean against its standard error, s sqrt(1 / J + ratio)."""
    df, mean = len(given) - 1, float(given.mean())
    error = float(given.std(ddof=1)) * sqrt(1 / len(given) + ratio)
    reach = critical_t(level, df) * error
    return Outcome(
        value=mean, low=mean - reach, high=mean + reach, level=level, pvalue=_two_sided(mean / error, df),
        statistic=mean / error, test=test, df=df, notes=notes,
    )  # fmt: skip


def _two_sided(statistic: float, df: float) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(df, -abs(statistic)))


def _splits(differences: Any) -> Array:
    """Differences of at least two splits that are not all the same."""
    given = numbers_in(differences, "the differences")
    if given.ndim != 1:
        shape = " x ".join(map(str, given.shape)) or "one number"
        raise UsageError(f"the differences are {shape}, not one row of numbers", fix="give one difference per split")
    if len(given) < 2:
        message = f"the difference of {len(given)} split says nothing about how much it varies"
        raise DataError(message, code="H310", fix="give the differences of at least two splits, better 30")
    if given.std(ddof=1) <= ROUNDING * np.abs(given).max():
        raise _same(len(given), given[0])
    return given


def _halves(differences: Any) -> tuple[Array, Array]:
    """Five pairs of differences, and the variance within each pair."""
    given = numbers_in(differences, "the differences")
    if given.shape != PAIRS:
        shape = " x ".join(map(str, given.shape)) or "one number"
        fix = "give five repetitions (lines) of two halves (columns)"
        raise UsageError(f"the differences are {shape}, not 5 x 2", fix=fix)
    variances = (given[:, 0] - given[:, 1]) ** 2 / 2
    if sqrt(variances.sum()) <= ROUNDING * np.abs(given).max():
        if np.ptp(given) <= ROUNDING * np.abs(given).max():
            raise _same(given.size, given[0, 0])
        message = "both halves gave the same difference in all 5 repetitions, so nothing says how much it varies"
        raise DataError(message, code="H310", fix="use more rows, or another test")
    return given, variances


def _same(splits: int, value: float) -> DataError:
    message = f"all {splits} splits gave the same difference, {value:g}, so nothing says how much it varies"
    fix = "check that the learners and the splits differ; else compare two models on one holdout"
    return DataError(message, code="H310", fix=fix)
