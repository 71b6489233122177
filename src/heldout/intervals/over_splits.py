"""The error of a learner from losses over splits: holdout, cross-validation, repeated splits, nested cross-validation.

Three different things are called the error, and each function says which of them it estimates:

    this model        the fitted model, on new rows
    these k models    the mean error of the models of k folds, on new rows; says nothing of another sample's models
    this learner      the mean error of models fitted to samples of this size, on new rows

Splits share training rows, and no estimator of the variance is right for every learner [bengio04]. Whatever has no
spread has no interval: (nan, nan).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.intervals import UNDEFINED
from heldout.intervals.critical_values import critical_t, critical_z

Target = Literal["this model", "these k models", "this learner"]

ROUNDING = 1e-12
"""What spread is less than this part of the largest number comes from rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverSplits:
    """An error with its interval, and whose error it is."""

    value: float
    low: float
    high: float
    level: float
    error: float
    """Standard error; nan where there is none."""
    target: Target
    method: str
    notes: tuple[str, ...] = ()


def holdout(losses: Any, level: float) -> OverSplits:
    """mean(l) -+ t s / sqrt(n), n - 1 degrees of freedom, over test rows: the error of this model [student08].

    For zeros and ones Wilson's interval is the better one.

    >>> found = holdout([0.1, 0.4, 0.2, 0.3], 0.95)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3), found.target
    (0.25, 0.045, 0.455, 'this model')
    """
    given = losses_in(losses)
    error = float(given.std(ddof=1)) / sqrt(len(given)) if len(given) > 1 else 0.0
    reach = critical_t(level, len(given) - 1)
    return _around(given, (error, reach), level, "this model", "holdout, t")


def all_pairs(losses: Any, level: float) -> OverSplits:
    """mean(l) -+ z sqrt(mean((l - mean(l))^2) / n) over out-of-fold losses: the error of these k models [bayle20].

    Taken for the error of the learner the interval is too narrow.

    >>> found = all_pairs([0, 1, 0, 0, 1, 0, 0, 0], 0.95)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3), found.target
    (0.25, -0.05, 0.55, 'these k models')
    """
    given = losses_in(losses)
    error = float(given.std()) / sqrt(len(given))
    return _around(given, (error, critical_z(level)), level, "these k models", "cross-validation, all pairs")


def within_folds(losses: Any, folds: Any, level: float) -> OverSplits:
    """mean(l) -+ z sqrt(mean of s_k^2 / n), s_k^2 the variance within fold k: the error of these k models [bayle20].

    Folds of one row have no variance: not for leave-one-out.

    >>> found = within_folds([0, 1, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1, 1, 1, 1], 0.95)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.25, -0.096, 0.596)
    """
    given = losses_in(losses)
    names, place, sizes = folds_in(folds, len(given))
    if sizes.min() < 2:
        message = f"fold {names[sizes.argmin()]} has one row, and so no variance within it"
        raise DataError(message, code="H310", fix="use all_pairs, which takes folds of any size")
    variances = variances_within(given, place, sizes)
    error = sqrt(float(variances.mean()) / len(given))
    return _around(given, (error, critical_z(level)), level, "these k models", "cross-validation, within folds")


def leave_one_out(losses: Any, level: float) -> OverSplits:
    """`all_pairs` over n models that each left one row out: the error of these n models [bayle20].

    It can fail altogether: the majority learner on as many rows of one class as of the other is always wrong here.

    >>> found = leave_one_out([0.1, 0.4, 0.2, 0.3], 0.95)
    >>> round(found.value, 3), found.method
    (0.25, 'leave-one-out')
    """
    given = losses_in(losses)
    error = float(given.std()) / sqrt(len(given))
    return _around(given, (error, critical_z(level)), level, "these k models", "leave-one-out")


def corrected_t(values: Any, level: float, *, ratio: float) -> OverSplits:
    """mean(v) -+ t s sqrt(1 / J + ratio) over the values of J splits, ratio = test / training rows [nadeau03].

    The error of this learner, or any other metric of it. It is meant for splits with 90% training rows.

    >>> found = corrected_t([0.20, 0.24, 0.18, 0.22, 0.26], 0.95, ratio=1 / 9)
    >>> round(found.value, 3), round(found.low, 4), round(found.high, 4)
    (0.22, 0.171, 0.269)
    """
    checked_ratio(ratio)
    return _over_values(values, level, ratio, "corrected t")


def naive_fold_interval(values: Any, level: float) -> OverSplits:
    """mean(v) -+ t s / sqrt(J), as if splits were independent, which they are not: for teaching, not for use.

    >>> found = naive_fold_interval([0.20, 0.24, 0.18, 0.22, 0.26], 0.95)
    >>> round(found.low, 3), round(found.high, 3), found.method
    (0.181, 0.259, 'naive t over folds (not valid)')
    """
    note = "splits share training rows, so the interval is too narrow"
    return _over_values(values, level, 0.0, "naive t over folds (not valid)", note)


def conservative_z(values: Any, halves: Any, level: float) -> OverSplits:
    """mean(v) -+ z sqrt(sum((a_m - b_m)^2) / (2 M)) over M halvings of the rows [nadeau03].

    The error of this learner, or any other metric of it. v are the values of J splits of all rows; a_m and b_m the
    means over J splits within either half, with as many test rows as before. Conservative: half the rows vary more.

    >>> found = conservative_z([0.20, 0.24, 0.22], [[0.25, 0.21], [0.20, 0.28], [0.24, 0.22]], 0.95)
    >>> round(found.value, 3), round(found.low, 4), round(found.high, 4)
    (0.22, 0.1467, 0.2933)
    """
    given, pairs = losses_in(values, "the values"), np.asarray(halves, float)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not len(pairs) or not np.isfinite(pairs).all():
        shape = " x ".join(map(str, pairs.shape)) or "one number"
        fix = "give a line per halving with the mean of either half"
        raise UsageError(f"the halves are {shape}, not lines of two numbers", fix=fix)
    error = sqrt(float(np.sum((pairs[:, 0] - pairs[:, 1]) ** 2)) / (2 * len(pairs)))
    return _around(given, (error, critical_z(level)), level, "this learner", "conservative z")


def _over_values(values: Any, level: float, ratio: float, method: str, *notes: str) -> OverSplits:
    given = losses_in(values, "the values")
    error = float(given.std(ddof=1)) * sqrt(1 / len(given) + ratio) if len(given) > 1 else 0.0
    reach = critical_t(level, len(given) - 1)
    return _around(given, (error, reach), level, "this learner", method, *notes)


def _around(
    given: Array, spread: tuple[float, float], level: float, target: Target, method: str, *notes: str
) -> OverSplits:
    """The mean of numbers, and so many errors (the second of `spread`) to either side of it."""
    error, reach = spread
    value = float(given.mean())
    if not error > ROUNDING * float(np.abs(given).max()):
        why = f"no interval: {'one number has' if len(given) == 1 else f'{len(given)} numbers have'} no spread"
        return OverSplits(value=value, low=UNDEFINED[0], high=UNDEFINED[1], level=level, error=float("nan"),
                          target=target, method=method, notes=(*notes, why))  # fmt: skip
    return OverSplits(value=value, low=value - reach * error, high=value + reach * error, level=level, error=error,
                      target=target, method=method, notes=notes)  # fmt: skip


def variances_within(given: Array, place: Array, sizes: Array) -> Array:
    """The variance within each group, divided by its size less one."""
    apart = given - (np.bincount(place, weights=given) / sizes)[place]
    found: Array = np.bincount(place, weights=apart**2) / (sizes - 1)
    return found


def losses_in(given: Any, name: str = "the losses") -> Array:
    """One row of finite numbers."""
    found = np.asarray(given, float)
    if found.ndim != 1 or not len(found):
        shape = " x ".join(map(str, found.shape)) if found.ndim else "one number"
        raise DataError(f"{name} are {shape}, not one row of numbers", code="H112", fix="give one number per row")
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        message = f"number {bad[0] + 1} of {name} is {found[bad[0]]:g}, which is missing or infinite"
        raise DataError(message, code="H305", fix="remove it, and say why it was removed")
    return found


def folds_in(folds: Any, rows: int) -> tuple[Array, Array, Array]:
    """The folds there are, which of them each row is in, and how many rows each has; at least two folds."""
    given = np.asarray(folds)
    if given.shape != (rows,):
        raise DataError(f"{rows} rows have {given.size} folds", code="H112", fix="name the fold of every row")
    names, place, sizes = np.unique(given, return_inverse=True, return_counts=True)
    if len(names) < 2:
        raise DataError(f"all {rows} rows are in one fold", code="H310", fix="use at least two folds")
    return names, place, sizes


def checked_ratio(ratio: float) -> None:
    """Refuse what is no ratio of test rows to training rows."""
    if not 0 < ratio < float("inf"):
        fix = "give test rows / training rows, 1 / (k - 1) for k folds"
        raise UsageError(f"ratio is {ratio:g}, but splits have rows on both sides", fix=fix)
