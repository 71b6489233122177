"""Formulas on the counts of right and wrong labels.

The first part is about one class (its true and false positives and negatives); given vectors with one entry per class,
each answers for every class. The second part needs all classes at once: the last axis runs over them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np

from heldout.batch import Array


def precision(tp: Array, fp: Array) -> Array:
    """Share of the predicted positives that are positive (PPV): TP / (TP + FP).

    >>> precision(tp=6, fp=1)
    0.8571428571428571
    """
    return tp / (tp + fp)


def recall(tp: Array, fn: Array) -> Array:
    """Share of the positives that are found (sensitivity, TPR): TP / (TP + FN)."""
    return tp / (tp + fn)


def specificity(tn: Array, fp: Array) -> Array:
    """Share of the negatives that are left alone (TNR): TN / (TN + FP)."""
    return tn / (tn + fp)


def npv(tn: Array, fn: Array) -> Array:
    """Share of the predicted negatives that are negative: TN / (TN + FN)."""
    return tn / (tn + fn)


def fpr(fp: Array, tn: Array) -> Array:
    """Share of the negatives that are called positive: FP / (FP + TN)."""
    return fp / (fp + tn)


def fnr(fn: Array, tp: Array) -> Array:
    """Share of the positives that are missed: FN / (FN + TP)."""
    return fn / (fn + tp)


def prevalence(tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
    """Share of the rows that are positive: (TP + FN) / n."""
    return (tp + fn) / (tp + fp + fn + tn)


def jaccard(tp: Array, fp: Array, fn: Array) -> Array:
    """Overlap of what is and what was said (IoU): TP / (TP + FP + FN)."""
    return tp / (tp + fp + fn)


def f1(tp: Array, fp: Array, fn: Array) -> Array:
    """Harmonic mean of precision and recall (Dice): 2 TP / (2 TP + FP + FN).

    >>> round(f1(tp=1, fp=0, fn=4), 3)  # precision 1, recall 0.2
    0.333
    """
    return 2 * tp / (2 * tp + fp + fn)


def fbeta(beta: float) -> Callable[..., Array]:
    """F measure, recall counting beta times as much as precision: (1 + b²) TP / ((1 + b²) TP + b² FN + FP)."""

    def formula(tp: Array, fp: Array, fn: Array) -> Array:
        return (1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp)

    formula.__doc__ = (
        f"F measure with recall counting {beta:g} times as much as precision: (1 + b²) TP / ((1 + b²) TP + b² FN + FP)."
    )
    return formula


def youden_j(tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
    """Youden's index: recall + specificity - 1; 0 for guessing, 1 for no error [youden50]."""
    return tp / (tp + fn) + tn / (tn + fp) - 1


def lr_positive(tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
    """How many times likelier a positive is to be called positive: recall / FPR."""
    return (tp / (tp + fn)) / (fp / (fp + tn))


def lr_negative(tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
    """How many times likelier a positive is to be called negative: FNR / specificity."""
    return (fn / (tp + fn)) / (tn / (fp + tn))


def diagnostic_odds_ratio(tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
    """Odds of being called positive, positives against negatives: TP TN / (FP FN)."""
    return (tp * tn) / (fp * fn)


def accuracy(tp: Array, fn: Array) -> Array:
    """Share of the rows that are right: sum of TP over classes / n.

    >>> float(accuracy(tp=np.array([3, 6]), fn=np.array([1, 2])))
    0.75
    """
    return tp.sum(axis=-1) / (tp + fn).sum(axis=-1)


def error_rate(tp: Array, fn: Array) -> Array:
    """Share of the rows that are wrong (sample error): 1 - accuracy."""
    return fn.sum(axis=-1) / (tp + fn).sum(axis=-1)


def balanced_accuracy(tp: Array, fn: Array) -> Array:
    """Mean recall over the classes that occur in the truth."""
    found = tp / np.where(tp + fn == 0, np.nan, tp + fn)
    return np.nansum(found, axis=-1) / np.sum(~np.isnan(found), axis=-1)


def kappa(tp: Array, fp: Array, fn: Array) -> Array:
    """Cohen's kappa: accuracy beyond a random predictor with the same margins, (po - pe) / (1 - pe) [cohen60]."""
    actual, other, joint = _agreement(tp, fp, fn)
    return joint / (actual * other).sum(axis=-1)


def mcc(tp: Array, fp: Array, fn: Array) -> Array:
    """Matthews correlation of truth and prediction, R_K for several classes [gorodkin04].

    >>> round(float(mcc(np.array([73, 18]), np.array([6, 3]), np.array([3, 6]))), 6)
    0.745023
    """
    actual, other, joint = _agreement(tp, fp, fn)
    below = ((tp + fp) * other).sum(axis=-1) * (actual * _of_others(actual)).sum(axis=-1)
    return joint / np.sqrt(np.where(below > 0, below, np.nan))  # where one class is all, `joint` is rounding


def _agreement(tp: Array, fp: Array, fn: Array) -> tuple[Array, Array, Array]:
    """Rows of each class; rows not predicted as it; and n sum(tp) - sum(rows of a class times predictions of it).

    Differences are of counts and not of their squares: those of a large class would lose every digit of a rare one.
    """
    actual = tp + fn
    other = _of_others(tp + fp)
    return actual, other, (tp * (other - fn) - fp * fn).sum(axis=-1)


def _of_others(rows: Array) -> Array:
    """The rows of all other classes than each: without a subtraction, so that nothing but zeros is zero with weights.

    >>> _of_others(np.array([0.1, 0.0, 0.0]))
    array([0. , 0.1, 0.1])
    """
    before, after = np.zeros_like(rows), np.zeros_like(rows)
    before[..., 1:] = np.cumsum(rows[..., :-1], axis=-1)
    after[..., :-1] = np.cumsum(rows[..., :0:-1], axis=-1)[..., ::-1]
    return before + after


def macro(formula: Callable[..., Array]) -> Callable[..., Array]:
    """The plain mean of a class metric over classes: rare classes count as much as common ones."""

    @wraps(formula)
    def averaged(**sums: Array) -> Array:
        return formula(**sums).mean(axis=-1)

    return _described(averaged, formula, f"Plain mean over classes: {_definition(formula)}")


def micro(formula: Callable[..., Array]) -> Callable[..., Array]:
    """A class metric of the counts added up over classes: every row counts the same."""

    @wraps(formula)
    def pooled(**sums: Array) -> Array:
        return formula(**{name: part.sum(axis=-1) for name, part in sums.items()})

    return _described(pooled, formula, f"Counts added up over classes: {_definition(formula)}")


def weighted(formula: Callable[..., Array]) -> Callable[..., Array]:
    """The mean of a class metric over classes, each with the weight of its true rows."""
    own = tuple(signature(formula).parameters)
    needs = tuple(dict.fromkeys((*own, "tp", "fn")))

    def averaged(**sums: Array) -> Array:
        values = formula(**{name: sums[name] for name in own})
        support = sums["tp"] + sums["fn"]
        return np.where(support == 0, 0, support * values).sum(axis=-1) / support.sum(axis=-1)

    described = _described(averaged, formula, f"Mean over classes by their true rows: {_definition(formula)}")
    described.__signature__ = signature(formula).replace(  # type: ignore[attr-defined]
        parameters=[_parameter(name) for name in needs]
    )
    return described


def chosen_average(
    formula: Callable[..., Array], average: str, chosen: Array, undefined: float
) -> Callable[..., Array]:
    """A macro, micro or weighted average over some classes, with a number in the place of 0/0; nan leaves them out."""
    own = tuple(signature(formula).parameters)
    needs = tuple(dict.fromkeys((*own, "tp", "fn")))

    def averaged(**sums: Array) -> Array:
        picked = {name: part[..., chosen] for name, part in sums.items()}
        if average == "micro":
            pooled = formula(**{name: picked[name].sum(axis=-1) for name in own})
            return np.where(np.isnan(pooled), undefined, pooled)
        values = formula(**{name: picked[name] for name in own})
        values = np.where(np.isnan(values), undefined, values)
        weight = picked["tp"] + picked["fn"] if average == "weighted" else np.ones_like(values)
        weight = weight * ~np.isnan(values)
        # where no class that is left has a true row, all of them count the same
        weight = np.where(weight.sum(axis=-1, keepdims=True) == 0, ~np.isnan(values), weight)
        return np.where(weight == 0, 0.0, weight * values).sum(axis=-1) / weight.sum(axis=-1)

    words = {"macro": "Plain mean", "micro": "Pooled counts", "weighted": "Mean by true rows"}[average]
    described = _described(averaged, formula, f"{words} over some classes: {_definition(formula)}")
    described.__signature__ = signature(formula).replace(  # type: ignore[attr-defined]
        parameters=[_parameter(name) for name in needs]
    )
    return described


def _described(made: Callable[..., Array], formula: Callable[..., Array], definition: str) -> Callable[..., Array]:
    made.__signature__ = signature(formula)  # type: ignore[attr-defined]
    made.__doc__ = definition
    return made


def _definition(formula: Callable[..., Array]) -> str:
    return (formula.__doc__ or "").strip().partition("\n")[0]  # python -OO has no docstrings


def _parameter(name: str) -> Any:
    from inspect import Parameter

    return Parameter(name, Parameter.KEYWORD_ONLY)
