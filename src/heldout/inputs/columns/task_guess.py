"""Which task the columns pose."""

from __future__ import annotations

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.inputs.columns.column import Column
from heldout.inputs.columns.label_column import fractions
from heldout.inputs.columns.number_parsing import numbers_or_none
from heldout.inputs.reading import Parts, fault, option

FEW = 20
"""Up to so many distinct whole numbers are classes, whatever the number of rows."""


def family(parts: Parts, task: str | None, of: float | None = None) -> str:
    """`labels`, `multilabel` or `regression`: what kind of thing the truth is.

    A task that was given wins. Else several truths are multilabel where all are 0 and 1, and regression otherwise. For
    one truth, in this order:

    1. text, true/false: labels;
    2. numbers with fractions: regression;
    3. a score or probabilities beside it: labels;
    4. whole numbers, the prediction has fractions: regression; but where the truth is 0 and 1, or -1 and 1, or has two
       values and the predictions lie in [0, 1], these may be scores, and the caller is asked;
    5. whole numbers, so is the prediction: regression where more than 20 values, and more than half, are distinct;
    6. else labels. Two labels at most are binary, more are multiclass.

    `of` how many rows these are witnesses, where they are not all.
    """
    if task is not None:
        return _given(parts, task)
    if len(parts.truth) > 1:
        zero_one = all(_zero_one(column) for column in (*parts.truth, *parts.prediction))
        return "multilabel" if zero_one else "regression"
    if parts.truth[0].whole and (parts.score is not None or parts.classes or not parts.prediction):
        return "labels"
    if parts.truth[0].whole and parts.prediction[0].whole:
        return "regression" if _many(parts.truth[0].values, of) else "labels"
    truth = numbers_or_none(parts.truth[0])
    if truth is None or parts.truth[0].values.dtype.kind == "b":
        return "labels"
    truth = _finite(truth)
    if not len(truth):
        return "regression"  # nothing but infinite numbers: named as such later
    if _fractional(truth):
        return _fractional_truth(parts, truth)
    if parts.score is not None or parts.classes or not parts.prediction:
        return "labels"
    predicted = numbers_or_none(parts.prediction[0])
    if predicted is None:
        return "labels"
    predicted = _finite(predicted)
    if not len(predicted):
        return "regression"
    if _fractional(predicted) or _huge(truth):
        return _whole_truth(parts, truth, predicted)
    return "regression" if _many(truth, of) else "labels"


def _given(parts: Parts, task: str) -> str:
    several = len(parts.truth) > 1
    if (task == "multilabel" and not several) or (task in ("binary", "multiclass") and several):
        found = f"{len(parts.truth)} columns of truth" if several else "one column of truth"
        raise UsageError(
            f"the task {task} was given, and there {'are' if several else 'is'} {found}",
            code="H106",
            fix="name the truth of that task, or leave the task out",
        )
    return task if task in ("multilabel", "regression") else "labels"


def _zero_one(column: Column) -> bool:
    found = numbers_or_none(column)
    return column.values.dtype.kind == "b" or (
        found is not None and bool(np.isin(found[~np.isnan(found)], (0, 1)).all())
    )


def _finite(values: Array) -> Array:
    there = np.isfinite(values)
    return values if there.all() else values[there]


def _fractional(values: Array) -> bool:
    return bool((values != np.rint(values)).any())


def _huge(values: Array) -> bool:
    return bool((np.abs(values) > 1e25).any())


def _many(values: Array, of: float | None) -> bool:
    fewest = max(FEW, (len(values) if of is None else of) / 2)
    return len(values) > FEW and values.max() - values.min() >= fewest and len(np.unique(values)) > fewest


def _fractional_truth(parts: Parts, truth: Array) -> str:
    if parts.prediction:
        return "regression"
    some = truth[truth != np.rint(truth)][0]
    name = parts.truth[0].name
    raise fault(
        parts,
        f"{name} holds fractions such as {some:.6g}, which are not classes, and there are no predicted numbers",
        code="H106",
        fix=f"name the predictions with {option(parts, 'pred')}",
    )


def _whole_truth(parts: Parts, truth: Array, predicted: Array) -> str:
    """Whole truth and fractional predictions: numbers, unless they might be scores of two classes."""
    low, high = truth.min(), truth.max()
    two = bool(np.isin(truth, (low, high)).all())
    shares = bool(((predicted >= 0) & (predicted <= 1)).all())
    if two and ((low, high) in ((0, 1), (-1, 1)) or (shares and high - low > 0)):
        names = [parts.truth[0].name, parts.prediction[0].name]
        raise fractions(parts, names, sorted({int(low), int(high)}), predicted.tolist())
    return "regression"
