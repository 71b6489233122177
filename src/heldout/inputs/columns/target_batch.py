"""Several 0/1 labels per row, or numbers to predict: a multilabel or regression batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import UsageError
from heldout.inputs.columns.column_values import Column
from heldout.inputs.columns.role_columns import Origin, RoleColumns
from heldout.inputs.columns.score_checks import clipped, in_range, logistic, within
from heldout.inputs.message_text import listed, quoted
from heldout.inputs.reading import Check, Choices, Reading

LARGEST = 1e150
"""The sum of squares of larger numbers overflows (1.8e308)."""
SMALLEST = 1e-50
"""The sixth power of smaller numbers, by which skewness is known, is lost (2.2e-308)."""


def regression_reading(columns: RoleColumns, _choices: Choices) -> Reading:
    """Read numbers to predict: one target as a column, several side by side."""
    for column in (*columns.truth, *columns.prediction):
        check_squares(columns.origin, column)
    check_small(columns.origin, (*columns.truth, *columns.prediction))
    for truth, prediction in zip(columns.truth, columns.prediction, strict=False):
        check_steps(columns.origin, truth, prediction)
    names = columns.targets or tuple(column.name for column in columns.truth)
    batch = Batch(
        task="regression",
        truth=_side_by_side(columns.truth),
        prediction=_side_by_side(columns.prediction),
        labels=names,
    )
    return Reading(batch=batch, columns=columns.used(prediction=True))


def check_squares(origin: Origin, column: Column) -> None:
    """Raise if the square of a number would overflow."""
    beyond = np.flatnonzero(np.abs(column.values) > LARGEST)
    if len(beyond):
        at = int(beyond[0])
        raise origin.error(
            f"{column.name} is {column.values[at]:.6g} in row {origin.row(at)}: the square of its error would overflow",
            code="H108",
            fix="write the numbers in a larger unit",
        )


def check_small(origin: Origin, columns: Sequence[Column]) -> None:
    """Raise if all numbers are so small that squares of their errors, and the spread of these, are rounded to zero."""
    largest = max((float(np.max(np.abs(column.values), initial=0.0)) for column in columns), default=0.0)
    if 0 < largest < SMALLEST:
        names = " and ".join(dict.fromkeys(column.name for column in columns))
        raise origin.error(
            f"the largest number of {names} is {largest:.6g}: squares of errors would be rounded to zero",
            code="H108",
            fix="write the numbers in a smaller unit",
        )


WHOLE = 2.0**53
"""Above this, floating-point numbers are more than one apart."""


def check_steps(origin: Origin, truth: Column, prediction: Column) -> None:
    """Raise if errors are lost between two floating-point numbers, as those of times in nanoseconds are."""
    largest = max(float(np.max(np.abs(one.values), initial=0.0)) for one in (truth, prediction))
    if largest <= WHOLE:
        return
    step, error = float(np.spacing(largest)), float(np.mean(np.abs(truth.values - prediction.values)))
    if error < STEPS * step:
        raise origin.error(
            f"{truth.name} and {prediction.name} reach {largest:.6g}, where floating-point numbers are {step:,.6g} "
            f"apart, and their mean absolute error of {error:.6g} is not known that well",
            code="H108",
            fix="subtract the same number from both columns",
        )


STEPS = 1000
"""So many steps between floating-point numbers an error has at least, for three digits of it to be right."""


def _side_by_side(columns: Sequence[Column]) -> Array:
    return columns[0].values if len(columns) == 1 else np.column_stack([column.values for column in columns])


def multilabel_reading(columns: RoleColumns, choices: Choices) -> Reading:
    """Read several labels, each of which a row has or has not."""
    if choices.positive is not None:
        raise UsageError(
            f"a positive class ({quoted(choices.positive)}) was given, and the task is multilabel: 1 is positive",
            code="H107",
            fix="leave it out, or pass one truth",
        )
    if choices.labels is not None:
        raise UsageError(
            f"labels ({listed(choices.labels)}) were given, and the task is multilabel: its labels are those of the "
            "columns",
            code="H107",
            fix="leave them out, or pass one truth",
        )
    for column in (*columns.truth, *columns.prediction):
        _zero_or_one(columns.origin, column)
    truth = np.column_stack([column.values for column in columns.truth]).astype(np.int64)
    prediction = (
        np.column_stack([column.values for column in columns.prediction]).astype(np.int64)
        if columns.prediction
        else None
    )
    labels = columns.targets or tuple(column.name for column in columns.truth)
    batch = Batch(task="multilabel", truth=truth, prediction=prediction, labels=labels)
    if not columns.classes:
        return Reading(batch=batch, columns=columns.used(prediction=True))
    return _with_scores(columns, choices, batch)


def _with_scores(columns: RoleColumns, choices: Choices, batch: Batch) -> Reading:
    scores = list(columns.classes.values())
    if len(scores) != batch.truth.shape[1]:
        raise columns.origin.error(
            f"there are {batch.truth.shape[1]} labels and {len(scores)} columns of scores",
            code="H106",
            fix="pass one score per label",
        )
    score = np.column_stack([column.values for column in scores])
    if choices.link == "logit":
        score = logistic(score)
    elif columns.probability:
        in_range(columns.origin, scores)
    probability = within(score)
    score = clipped(score) if probability else score
    prediction, threshold = batch.prediction, None
    if prediction is None and (probability or choices.threshold is not None):
        threshold = 0.5 if choices.threshold is None else float(choices.threshold)
        prediction = (score >= threshold).astype(np.int64)
    assumed = batch.prediction is None and choices.threshold is None
    return Reading(
        batch=replace(batch, prediction=prediction, score=score, probabilities=probability),
        checks=_threshold_note(columns.origin, probability) if assumed else (),
        threshold=threshold,
        columns=columns.used(prediction=batch.prediction is not None, score="prob"),
    )


def _threshold_note(origin: Origin, probability: bool) -> tuple[Check, ...]:
    option = origin.option("threshold")
    if probability:
        text = f"labels with a probability of 0.5 or more are predicted; {option} sets another threshold"
    else:
        text = f"scores lie outside [0, 1], so no threshold is assumed and label metrics are left out; set {option}"
    return (Check(code="H111", text=text, labels=True),)


def _zero_or_one(origin: Origin, column: Column) -> None:
    strange = np.flatnonzero(~np.isin(column.values, (0, 1)))
    if len(strange):
        at = int(strange[0])
        raise origin.error(
            f"{column.name} is {column.values[at]:.6g} in row {origin.row(at)}, and a label of several is 0 or 1",
            code="H107",
            fix=f"write 0 and 1, or pass {origin.option('task', 'regression')} if these are numbers",
        )
