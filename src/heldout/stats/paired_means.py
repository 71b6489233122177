"""The mean of paired differences: one number per unit, a - b."""

from __future__ import annotations

from math import sqrt

import numpy as np

from heldout.batch import Array
from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.means import bootstrap_t, student
from heldout.stats.outcome import Outcome

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


def sign_flip(differences: Array, *, draws: int, seed: int | None) -> float:
    """The share of sign patterns s with |sum(s d)| >= |sum(d)|: the p-value of d being symmetric about 0 [fisher35].

    Zeros say nothing and are left out. Up to 12 differences all patterns are looked at; beyond, `draws` random ones
    and the one seen, (1 + #) / (draws + 1), which is never 0 [phipson10].

    >>> sign_flip(np.array([0.2, 0.1, 0.3, 0.1, 0.4]), draws=999, seed=0)
    0.0625
    """
    given = np.asarray(differences, float)
    if not np.isfinite(given).all():
        return float("nan")
    moved = given[given != 0]
    if not len(moved):
        return 1.0
    seen = abs(float(moved.sum())) - TIED * float(np.abs(moved).sum())
    if len(moved) <= ENUMERATED:
        codes = np.arange(2 ** len(moved))[:, None]
        flipped = (codes >> np.arange(len(moved))) & 1
        return float(np.mean(np.abs((1 - 2 * flipped) @ moved) >= seen))
    rng = np.random.default_rng(seed)
    chunk = max(1, SIGNS_AT_ONCE // len(moved))
    beyond = 0
    for done in range(0, draws, chunk):
        flipped = rng.integers(0, 2, size=(min(chunk, draws - done), len(moved)), dtype=np.int8)
        beyond += int(np.count_nonzero(np.abs((1.0 - 2.0 * flipped) @ moved) >= seen))
    return (1 + beyond) / (draws + 1)


def paired_mean(differences: Array, level: float, *, draws: int, seed: int | None) -> Outcome:
    """The mean of the differences, its interval, and the p-value of it being zero.

    From 100 units on both are Student's, t = mean / (s / sqrt(n)) with n - 1 degrees of freedom; below that the
    interval is bootstrap-t and the p-value is by sign flips. Differences that are all zero are 0 [0, 0] with p = 1.

    >>> found = paired_mean(np.array([0.2, 0.1, 0.3, 0.1, 0.4, 0.2, 0.1]), 0.95, draws=999, seed=0)
    >>> round(found.value, 3), found.p, found.test
    (0.2, 0.015625, 'sign flips')
    """
    given = np.asarray(differences, float)
    units = len(given)
    if units and not given.any():
        return Outcome(
            value=0.0, low=0.0, high=0.0, level=level, p=1.0, statistic=0.0,
            test=_test_of(units), notes=("all differences are zero",),
        )  # fmt: skip
    mean = float(given.mean()) if units else float("nan")
    error = _error(given)
    if units >= MANY and error > 0:
        return paired_t(mean, error, units, level)
    interval, notes = _interval(given, mean, error, level, draws=draws, seed=seed)
    return Outcome(
        value=mean, low=interval[0], high=interval[1], level=level, p=_flipped(given, draws, seed),
        statistic=mean / error if error > 0 else float("nan"), test="sign flips", notes=notes,
    )  # fmt: skip


def paired_t(mean: float, error: float, units: int, level: float) -> Outcome:
    """Student's t = mean / error with n - 1 degrees of freedom: all that is needed of many differences.

    >>> found = paired_t(0.2, 0.1, 400, 0.95)
    >>> round(found.low, 4), round(found.high, 4), round(found.p, 4)
    (0.0034, 0.3966, 0.0462)
    """
    if not error * sqrt(units) > ROUNDING * abs(mean):
        low, high, p = *UNDEFINED, float("nan")
        why = f"all {units} differences are equal" if units > 1 else "fewer than two units"
        notes: tuple[str, ...] = (f"no interval: {why}",)
    else:
        (low, high), p, notes = student(mean, error, units - 1, level), _two_sided_t(mean / error, units - 1), ()
    statistic = mean / error if error > 0 else float("nan")
    return Outcome(value=mean, low=low, high=high, level=level, p=p, statistic=statistic, test="t", notes=notes)


def _test_of(units: int) -> str:
    return "t" if units >= MANY else "sign flips"


def _flipped(given: Array, draws: int, seed: int | None) -> float:
    return sign_flip(given, draws=draws, seed=seed) if len(given) else float("nan")


def _error(given: Array) -> float:
    """Standard error s / sqrt(n): nan with fewer than two units, 0 where what spread there is comes from rounding."""
    if len(given) < 2 or not np.isfinite(given).all():
        return float("nan")
    spread = float(given.std(ddof=1))
    return spread / sqrt(len(given)) if spread > ROUNDING * float(np.abs(given).max()) else 0.0


def _interval(
    given: Array, mean: float, error: float, level: float, *, draws: int, seed: int | None
) -> tuple[Interval, tuple[str, ...]]:
    """Student's, below 100 units the wider of it and bootstrap-t, and what there is to say about it."""
    units = len(given)
    if np.isnan(error):
        why = "fewer than two units" if units < 2 else "some differences are infinite or missing"
        return UNDEFINED, (f"no interval: {why}",)
    if error == 0:
        return UNDEFINED, (f"no interval: all {units} differences are equal",)
    plain = student(mean, error, units - 1, level)
    found, dropped = bootstrap_t(given, np.ones(units), level, draws=draws, rng=np.random.default_rng(seed))
    if np.isnan(found[0]):
        return plain, ("interval by t: too few units for bootstrap-t",)
    # bootstrap-t alone is too narrow for symmetric differences, t alone for skewed ones; together they hold
    return (min(plain[0], found[0]), max(plain[1], found[1])), (
        (f"{dropped} of {draws} draws had no spread and were left out",) if dropped else ()
    )


def _two_sided_t(statistic: float, df: float) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(df, -abs(statistic)))
