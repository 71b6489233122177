"""Which task the columns pose, and whether an unnamed output holds predictions or scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.inputs.columns.column_values import Column, blank
from heldout.inputs.columns.label_column import fractions_error, missing_labels
from heldout.inputs.columns.number_parsing import numbers_or_none
from heldout.inputs.columns.role_columns import RoleColumns

FEW = 20
"""Up to this many distinct whole numbers are classes, whatever the number of rows."""
HEAD = 1000
"""Rows that usually show whether values have fractions, or a truth more than two values."""

Family = Literal["labels", "multilabel", "regression"]


def task_family(columns: RoleColumns, task: str | None, of: float | None = None) -> Family:
    """Labels, several labels, or numbers to predict: the one rule by which every verb finds the task.

    A task that was given (`task=`, `--task`) wins. Otherwise:

    1. Several truths: multilabel if every truth and prediction is 0 or 1, else regression.
    2. A truth of text, or of true and false: labels.
    3. A truth of numbers with fractions: regression.
    4. A truth of whole numbers with a score or class probabilities beside it, or with predictions that are text:
       labels.
    5. A truth of whole numbers and predictions with fractions: regression. But if the truth is 0 and 1, or -1 and 1, or
       has any two values and the predictions lie in [0, 1], the predictions may be scores: an error asks the caller.
    6. A truth of whole numbers and predictions of whole numbers: regression if more than 20 values of the truth, and
       more than half of its rows, are distinct; else labels.

    Labels with at most two classes are the task binary, with more the task multiclass. `compare` takes outputs without
    a stated role; `output_role` says whether they are predictions or scores, and then these rules apply.

    `of` is the number of rows of the whole table where `columns` hold a sample of them.
    """
    if task is not None:
        return _given_family(columns, task)
    if len(columns.truth) > 1:
        return "multilabel" if all(map(_zero_or_one, (*columns.truth, *columns.prediction))) else "regression"
    truth_column, scored = columns.truth[0], columns.score is not None or bool(columns.classes)
    if truth_column.whole and (scored or not columns.prediction):
        return "labels"
    if truth_column.whole and columns.prediction[0].whole:
        return "regression" if _many_values(truth_column.values, of) else "labels"
    truth = numbers_or_none(truth_column)
    if truth is None or truth_column.values.dtype.kind == "b":
        return "labels"
    truth = _finite(truth)
    if not len(truth):
        return "regression"  # nothing but infinite numbers: the check of missing values names them
    if _fractional(truth):
        return _fractional_truth(columns, truth)
    if scored or not columns.prediction:
        return "labels"
    predicted = numbers_or_none(columns.prediction[0])
    if predicted is None:
        return "labels"
    predicted = _finite(predicted)
    if not len(predicted):
        return "regression"
    if _fractional(predicted) or _huge(truth):
        return _whole_truth(columns, truth, predicted)
    return "regression" if _many_values(truth, of) else "labels"


def output_role(truth: Sequence[Column], output: Sequence[Column], task: str | None = None) -> Literal["pred", "score"]:
    """Whether a model's output holds predictions or scores, where its role was not stated.

    Predictions, if the task given is regression, or the output is not a number in every row, or every value of one
    column is also a value of the truth. Otherwise scores:

    - several columns of floats beside one truth (a probability per class), or of fractions beside truths of 0 and 1;
    - one column of floats beside a truth of at most two values;
    - one column with fractions beside a truth of text, or where the task given is one of classes.

    Everything else is predictions: beside a truth with fractions, or whole numbers with more than two values, floats
    are numbers to predict (`task_family`).

    >>> from heldout.inputs.columns.column_values import column
    >>> y, scores = column("y", [0, 1, 1]), column("m", [0.2, 0.7, 0.4])
    >>> output_role([y], [scores]), output_role([column("y", [7, 3, 9])], [scores])
    ('score', 'pred')
    """
    if task == "regression":
        return "pred"
    parsed = [numbers_or_none(column) for column in output]
    values = [_finite(numbers) for numbers in parsed if numbers is not None]
    if len(values) < len(output):
        return "pred"
    fractional = any(map(_fractional, values))
    if len(truth) > 1:
        return "score" if fractional and (task is not None or all(map(_zero_or_one, truth))) else "pred"
    truth_numbers = numbers_or_none(truth[0])
    named = truth_numbers is None or truth[0].values.dtype.kind == "b"
    if truth_numbers is not None and not named and _fractional(_finite(truth_numbers)) and task is None:
        return "pred"
    if len(output) > 1:
        return "score" if fractional or any(column.values.dtype.kind == "f" for column in output) else "pred"
    two = _at_most_two_values(truth[0])
    floats = fractional or (output[0].words is None and output[0].values.dtype.kind == "f")
    if not floats or not (two or (fractional and (named or task is not None))):
        return "pred"
    labels = np.zeros(0) if truth_numbers is None else _finite(truth_numbers)
    labels = np.array([labels.min(), labels.max()]) if two and len(labels) else np.unique(labels)  # without sorting
    return "pred" if all(np.isin(some, labels).all() for some in _head_and_all(values[0])) else "score"


def _given_family(columns: RoleColumns, task: str) -> Family:
    several = len(columns.truth) > 1
    if (task == "multilabel" and not several) or (task in ("binary", "multiclass") and several):
        count = f"are {len(columns.truth)} columns of truth" if several else "is one column of truth"
        raise UsageError(
            f"the task {task} was given, and there {count}",
            code="H106",
            fix="name the truth of that task, or leave the task out",
        )
    return "multilabel" if task == "multilabel" else "regression" if task == "regression" else "labels"


def _zero_or_one(column: Column) -> bool:
    values = numbers_or_none(column)
    return column.values.dtype.kind == "b" or (
        values is not None and bool(np.isin(values[~np.isnan(values)], (0, 1)).all())
    )


def _at_most_two_values(column: Column) -> bool:
    """Whether a column has at most two distinct values, missing ones aside; without sorting."""
    if column.words is not None:
        present = column.values[~missing_labels(column)]
        return len(np.unique(present[:HEAD])) <= 2 and int(np.count_nonzero(np.bincount(present))) <= 2
    values = column.values[~blank(column)]
    if len(np.unique(values[:HEAD])) > 2:
        return False
    return not len(values) or bool(((values == values.min()) | (values == values.max())).all())


def _finite(values: Array) -> Array:
    finite = np.isfinite(values)
    return values if finite.all() else values[finite]


def _fractional(values: Array) -> bool:
    return any(bool((some != np.rint(some)).any()) for some in _head_and_all(values))


def _head_and_all(values: Array) -> Iterator[Array]:
    """The first rows, which often decide, and then all of them."""
    yield values[:HEAD]
    yield values


def _huge(values: Array) -> bool:
    return bool((np.abs(values) > 1e25).any())


def _many_values(values: Array, of: float | None) -> bool:
    """Whether more than 20 values, and more than half of the rows, are distinct."""
    fewest = max(FEW, (len(values) if of is None else of) / 2)
    # the range is known without sorting: fewer whole numbers than that fit into it
    return len(values) > FEW and values.max() - values.min() >= fewest and len(np.unique(values)) > fewest


def _fractional_truth(columns: RoleColumns, truth: Array) -> Family:
    if columns.prediction:
        return "regression"
    fraction = truth[truth != np.rint(truth)][0]
    origin = columns.origin
    raise origin.error(
        f"{columns.truth[0].name} holds fractions such as {fraction:.6g}, so the task is regression, "
        "and there are no predicted numbers",
        code="H106",
        fix=f"name the predictions with {origin.option('pred')}, or state the task: {origin.option('task', 'binary')}",
    )


def _whole_truth(columns: RoleColumns, truth: Array, predicted: Array) -> Family:
    """A truth of whole numbers and predictions with fractions: numbers, unless they may be scores of two classes."""
    low, high = truth.min(), truth.max()
    two = bool(np.isin(truth, (low, high)).all())
    shares = bool(((predicted >= 0) & (predicted <= 1)).all())
    if two and ((low, high) in ((0, 1), (-1, 1)) or (shares and high - low > 0)):
        names = [columns.truth[0].name, columns.prediction[0].name]
        raise fractions_error(columns.origin, names, sorted({int(low), int(high)}), predicted.tolist())
    return "regression"
