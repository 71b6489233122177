"""Nested cross-validation: how far the error of k folds is from that of rows which no fold has seen."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from heldout.errors import DataError, UsageError
from heldout.intervals.critical_values import critical_z
from heldout.intervals.over_splits import ROUNDING, OverSplits, losses_in, variances_within


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
    reach = critical_z(level) * error if known else float("nan")
    return OverSplits(
        value=value, low=value - reach, high=value + reach, level=level, error=error if known else float("nan"),
        target="this learner", method="nested cross-validation",
        notes=() if known else (f"no interval: {len(given)} numbers have no spread",),
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
