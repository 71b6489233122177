"""Error of a learner from losses over splits: holdout, cross-validation, nested cross-validation, cross-fitting."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt
from typing import Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.intervals.scales import critical_t, critical_z

MOST_COST = 1e100
"""Larger costs, and smaller ones than its inverse, have no usable square."""


def nested(
    losses: Any, turn: Any, inner: Any, level: float, *, folds: int, rows: int, exponent: float = 1.0
) -> OverSplits:
    """Err_ncv - bias -+ z error, bias = (1 + ((K - 2) / K)^exponent) (Err_ncv - Err_cv): of this learner [bates24].

    A turn is one held-out fold of one repetition. Its inner losses are out-of-fold losses of a cross-validation of the
    other K - 1 folds; its other losses are those of the held-out fold, under the model fitted to all K - 1. Err_ncv and
    Err_cv are the means of both. error^2 = (K - 1) / K times the mean over turns of (mean of inner - mean of outer)^2
    - s_outer^2 / n_outer, held between e^2 and K e^2, e = s_inner / sqrt(n).

    The exponent is 1 in the paper and 1.5 in the authors' code. They hold the ratio of error to e between 1 and
    sqrt(K), which is the same bound. `rows` is n; losses of all repetitions come in one row, in any order.

    >>> rng = np.random.default_rng(0)
    >>> turn, inner = np.repeat(np.arange(10), 100), np.tile(np.arange(100) >= 20, 10)
    >>> found = nested(rng.exponential(size=1000), turn, inner, 0.95, folds=5, rows=100)
    >>> round(found.value, 2), found.low < 1 < found.high, found.target
    (0.89, True, 'this learner')
    """
    given = losses_in(losses)
    place, inside = _turns(turn, inner, len(given))
    outer, held = given[~inside], place[~inside]
    tested = np.bincount(held)
    if tested.min() < 2:
        raise DataError("a held-out fold has one row, and so no variance within it", code="H310", fix="use fewer folds")
    outer_means = np.bincount(held, weights=outer) / tested
    inner_means = np.bincount(place[inside], weights=given[inside]) / np.bincount(place[inside])
    squared = float(np.mean((inner_means - outer_means) ** 2 - variances_within(outer, held, tested) / tested))
    least = float(given[inside].std(ddof=1)) / sqrt(rows)
    error = min(max(sqrt(max(0.0, squared) * (folds - 1) / folds), least), least * sqrt(folds))
    nested_mean, plain_mean = float(given[inside].mean()), float(outer.mean())
    value = nested_mean - (1 + ((folds - 2) / folds) ** exponent) * (nested_mean - plain_mean)
    known = error > ROUNDING * float(np.abs(given).max())
    reach = critical_z(level) * error if known else nan
    return OverSplits(
        value=value, low=value - reach, high=value + reach, level=level, error=error if known else nan,
        target="this learner", method="nested cross-validation",
        notes=() if known else (f"no interval: {len(given)} numbers have no variance",),
    )  # fmt: skip


def _turns(turn: Any, inner: Any, losses: int) -> tuple[Any, Any]:
    """Which turn each loss is of, counted from 0, and whether it is an inner one; every turn has both kinds."""
    turns, inside = np.asarray(turn), np.asarray(inner, bool)
    if turns.shape != (losses,) or inside.shape != (losses,):
        message = f"{losses} losses have {turns.size} turns and {inside.size} marks of being inner"
        raise DataError(message, code="H112", fix="give both for every loss")
    names, place = np.unique(turns, return_inverse=True)
    for kind, chosen in (("inner", inside), ("outer", ~inside)):
        missing = np.flatnonzero(np.bincount(place[chosen], minlength=len(names)) == 0)
        if len(missing):
            message = f"turn {names[missing[0]]} has no {kind} loss"
            raise UsageError(message, fix="give, of every held-out fold, its losses and those of the folds beside it")
    return place, inside


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossFitted:
    """What every row costs at the threshold that the other folds chose; `holdout` gives the mean with its interval."""

    costs: Array
    thresholds: Array
    """One per fold, in the order of the folds' names; rows with this score or more are called positive."""
    threshold: float
    """The one that all rows choose."""
    apparent: float
    """Mean cost at it, on the rows that chose it: optimistic."""


def cross_fitted(scores: Any, positive: Any, folds: Any, *, fp: float, fn: float) -> CrossFitted:
    """Per row, its cost at the threshold of least mean cost on the other folds: fn if missed, fp if a false alarm.

    About the rule of choosing a threshold from so many rows, given these scores. Rows of one unit must share a fold.
    Among thresholds that cost the same the highest is taken; an infinite one calls no row positive.

    >>> found = cross_fitted([0.1, 0.4, 0.6, 0.9], [False, True, False, True], [0, 1, 0, 1], fp=1, fn=5)
    >>> found.costs.tolist(), found.thresholds.tolist(), found.apparent
    ([0.0, 5.0, 1.0, 5.0], [0.4, inf], 0.25)
    """
    given, hits = losses_in(scores, "the scores"), np.asarray(positive)
    if hits.shape != given.shape or hits.dtype != bool:
        message = f"{len(given)} scores have {hits.size} marks of being positive, of type {hits.dtype}"
        raise DataError(message, code="H112", fix="mark every row True or False")
    for name, price in (("fp", fp), ("fn", fn)):
        if not 0 < price < float("inf"):
            raise UsageError(f"{name} is {price:g}, which is not a positive cost", fix="give a positive number")
        if not 1 / MOST_COST <= price <= MOST_COST:
            raise UsageError(f"{name} is {price:g}, whose square is lost in rounding", fix="give it in another unit")
    names, place, _ = folds_in(folds, len(given))
    order = np.argsort(-given, kind="stable")  # once: without a fold the others keep their order
    ranked, positives, folds_ranked = given[order], hits[order], place[order]
    others = (folds_ranked != fold for fold in range(len(names)))
    thresholds = np.array([_cheapest(ranked[kept], positives[kept], fp, fn) for kept in others])
    whole = _cheapest(ranked, positives, fp, fn)
    return CrossFitted(
        costs=_paid(given, hits, thresholds[place], fp, fn), thresholds=thresholds, threshold=whole,
        apparent=float(_paid(given, hits, np.full(len(given), whole), fp, fn).mean()),
    )  # fmt: skip


def _paid(scores: Array, hits: Array, thresholds: Array, fp: float, fn: float) -> Array:
    called = scores >= thresholds
    return np.where(hits & ~called, fn, 0.0) + np.where(~hits & called, fp, 0.0)


def _cheapest(ranked: Array, positives: Array, fp: float, fn: float) -> float:
    """The threshold of least cost among the scores (from the highest down) and infinity; the highest of equals."""
    last = np.append(ranked[1:] != ranked[:-1], True)
    costs = fn * (positives.sum() - np.cumsum(positives)) + fp * np.cumsum(~positives)
    costs, values = np.append(fn * positives.sum(), costs[last]), np.append(np.inf, ranked[last])
    return float(values[np.argmin(costs)])


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

    The error of this learner, or any other metric of it. For splits with 90% training rows.

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
        why = f"no interval: {'one number has' if len(given) == 1 else f'{len(given)} numbers have'} no variance"
        return OverSplits(value=value, low=nan, high=nan, level=level, error=nan,
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
    """Refuse what is not a ratio of test rows to training rows."""
    if not 0 < ratio < float("inf"):
        fix = "give test rows / training rows, 1 / (k - 1) for k folds"
        raise UsageError(f"ratio is {ratio:g}, but splits have rows on both sides", fix=fix)
