"""The mean of paired differences: one number per unit, a - b."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.random import Generator

from heldout.batch import Array
from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.means import bootstrap_t, student
from heldout.stats.outcome import Outcome

RandomState = int | Generator | None
"""What seeds resamples; None gives others in each call."""

ENUMERATED = 12
"""Differences up to which all 2^n sign patterns are looked at."""

MANY = 100
"""Units from which Student's t is used, for the interval and for the p-value."""

SIGNS_AT_ONCE = 2_000_000
"""Signs held in memory together: 16 MB as floats."""

ROUNDING = 1e-12
"""Sums of the same numbers in another order differ by less than this part of the sum of their sizes."""

TIED = 1e-9
"""Sign patterns whose sums differ by less than this part are tied: differences may come from numerical slopes."""


def sign_flip(differences: Array, *, n_resamples: int = 2000, random_state: RandomState = 0) -> float:
    """Sign-flip permutation test that differences are symmetric about 0.

    The p-value is the share of sign patterns s with |sum(s d)| >= |sum(d)|. Zeros say nothing and are left out. Up to
    12 differences all patterns are looked at; beyond that, random ones and the one seen, (1 + count) / (n_resamples +
    1), so that the p-value is never 0.

    Parameters
    ----------
    differences : array-like of float
        One difference per independent unit, first minus second.
    n_resamples : int, default 2000
        Number of random sign patterns, where there are too many to look at all.
    random_state : int, numpy.random.Generator or None, default 0
        Seed of the resamples; None: another one in each call.

    Returns
    -------
    float
        Two-sided p-value; 1 where all differences are zero, nan where one is not finite.

    References
    ----------
    R. A. Fisher (1935). The Design of Experiments. Oliver and Boyd. [fisher35]

    B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero: calculating exact p-values when
    permutations are randomly drawn. Statistical Applications in Genetics and Molecular Biology 9(1), 39.
    [phipson10]

    Examples
    --------
    >>> sign_flip([0.2, 0.1, 0.3, 0.1, 0.4])
    0.0625
    """
    given = np.asarray(differences, float)
    if not np.isfinite(given).all():
        return float("nan")
    moved = given[np.abs(given) > TIED * np.abs(given).max(initial=0.0)]  # less is the rounding of weights
    if not len(moved):
        return 1.0
    seen = abs(float(moved.sum())) - TIED * float(np.abs(moved).sum())
    if len(moved) <= ENUMERATED:
        codes = np.arange(2 ** len(moved))[:, None]
        flipped = (codes >> np.arange(len(moved))) & 1
        return float(np.mean(np.abs((1 - 2 * flipped) @ moved) >= seen))
    # neither the order of units nor which model is the first changes the p-value
    moved = np.sort(moved if moved.sum() >= 0 else -moved)
    rng = np.random.default_rng(random_state)
    chunk = max(1, SIGNS_AT_ONCE // len(moved))
    beyond = 0
    for done in range(0, n_resamples, chunk):
        flipped = rng.integers(0, 2, size=(min(chunk, n_resamples - done), len(moved)), dtype=np.int8)
        beyond += int(np.count_nonzero(np.abs((1.0 - 2.0 * flipped) @ moved) >= seen))
    return (1 + beyond) / (n_resamples + 1)


def paired_mean(
    differences: Array, confidence_level: float = 0.95, *, n_resamples: int = 2000, random_state: RandomState = 0
) -> Outcome:
    """The mean of paired differences, its interval, and the p-value of it being zero.

    From 100 units on, both are Student's: t = mean / (s / sqrt(n)) with n - 1 degrees of freedom. Below that the
    interval is the wider of bootstrap-t and Student's, and the p-value is by sign flips. Differences that are all zero
    give 0 [0, 0] with p = 1.

    Parameters
    ----------
    differences : array-like of float
        One difference per independent unit, first minus second.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.
    n_resamples : int, default 2000
        Number of bootstrap resamples and of random sign patterns, below 100 units.
    random_state : int, numpy.random.Generator or None, default 0
        Seed of the resamples; None: another one in each call.

    Returns
    -------
    Outcome
        The mean, its interval, the two-sided p-value and the name of the test; a note says why, where there is no
        interval.

    References
    ----------
    Student (1908). The probable error of a mean. Biometrika 6(1), 1–25. [student08]

    Examples
    --------
    >>> outcome = paired_mean([0.2, 0.1, 0.3, 0.1, 0.4, 0.2, 0.1], n_resamples=999)
    >>> round(outcome.value, 3), outcome.pvalue, outcome.test
    (0.2, 0.015625, 'sign flips')
    """
    given = np.asarray(differences, float)
    units = len(given)
    if units and not given.any():
        return Outcome(
            value=0.0, low=0.0, high=0.0, level=confidence_level, pvalue=1.0, statistic=0.0,
            test=_test_of(units), notes=("all differences are zero",),
        )  # fmt: skip
    mean = float(given.mean()) if units else float("nan")
    error = _error(given)
    if units >= MANY and error > 0:
        return paired_t(mean, error, units, confidence_level)
    interval, notes = _interval(
        given, mean, error, confidence_level, n_resamples=n_resamples, random_state=random_state
    )
    return Outcome(
        value=mean, low=interval[0], high=interval[1], level=confidence_level,
        pvalue=_flipped(given, n_resamples, random_state),
        statistic=mean / error if error > 0 else float("nan"), test="sign flips", notes=notes,
    )  # fmt: skip


def paired_t(mean: float, error: float, units: int, confidence_level: float = 0.95) -> Outcome:
    """Student's t test that the mean of paired differences is zero, from the mean and its standard error.

    Parameters
    ----------
    mean : float
        Mean of the differences.
    error : float
        Standard error of the mean, s / sqrt(n).
    units : int
        Number of independent differences, n; t has n - 1 degrees of freedom.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    Outcome
        The mean, its interval, t and the two-sided p-value; a note says why, where there is no interval.

    References
    ----------
    Student (1908). The probable error of a mean. Biometrika 6(1), 1–25. [student08]

    Examples
    --------
    >>> outcome = paired_t(0.2, 0.1, 400)
    >>> round(outcome.low, 4), round(outcome.high, 4), round(outcome.pvalue, 4)
    (0.0034, 0.3966, 0.0462)
    """
    if not error * sqrt(units) > ROUNDING * abs(mean):
        low, high, p = *UNDEFINED, float("nan")
        why = f"all {units} differences are equal" if units > 1 else "fewer than two units"
        notes: tuple[str, ...] = (f"no interval: {why}",)
    else:
        (low, high), p, notes = (
            student(mean, error, units - 1, confidence_level),
            two_sided_t(mean / error, units - 1),
            (),
        )
    statistic = mean / error if error > 0 else float("nan")
    return Outcome(
        value=mean, low=low, high=high, level=confidence_level, pvalue=p, statistic=statistic, test="t", notes=notes
    )


def _test_of(units: int) -> str:
    return "t" if units >= MANY else "sign flips"


def _flipped(given: Array, n_resamples: int, random_state: RandomState) -> float:
    return sign_flip(given, n_resamples=n_resamples, random_state=random_state) if len(given) else float("nan")


def _error(given: Array) -> float:
    """Standard error s / sqrt(n): nan with fewer than two units, 0 where what spread there is comes from rounding."""
    if len(given) < 2 or not np.isfinite(given).all():
        return float("nan")
    spread = float(given.std(ddof=1))
    return spread / sqrt(len(given)) if spread > ROUNDING * float(np.abs(given).max()) else 0.0


def _interval(
    given: Array, mean: float, error: float, level: float, *, n_resamples: int, random_state: RandomState
) -> tuple[Interval, tuple[str, ...]]:
    """Student's, below 100 units the wider of it and bootstrap-t, and what there is to say about it."""
    units = len(given)
    if np.isnan(error):
        why = "fewer than two units" if units < 2 else "some differences are infinite or missing"
        return UNDEFINED, (f"no interval: {why}",)
    if error == 0:
        return UNDEFINED, (f"no interval: all {units} differences are equal",)
    plain = student(mean, error, units - 1, level)
    found, dropped = bootstrap_t(
        given, np.ones(units), level, draws=n_resamples, rng=np.random.default_rng(random_state)
    )
    if np.isnan(found[0]):
        return plain, ("interval by t: too few units for bootstrap-t",)
    # bootstrap-t alone is too narrow for symmetric differences, t alone for skewed ones; together they hold
    return (min(plain[0], found[0]), max(plain[1], found[1])), (
        (f"{dropped} of {n_resamples} resamples had no variance and were left out",) if dropped else ()
    )


def two_sided_t(statistic: float, df: float) -> float:
    """Two-sided p-value of Student's t."""
    from scipy.special import stdtr

    return float(2 * stdtr(df, -abs(statistic)))
