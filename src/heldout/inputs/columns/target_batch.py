"""Several 0/1 labels per row, and numbers to predict → a multilabel or regression batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import UsageError
from heldout.inputs.columns.class_batch import Judged
from heldout.inputs.columns.column import Column
from heldout.inputs.columns.score_column import clipped, in_range, logistic, within
from heldout.inputs.reading import Check, Choices, Parts, fault, option
from heldout.inputs.wording import quoted

LARGEST = 1e150
"""Sums of squares of larger numbers are beyond what a computer holds (1.8e308)."""


def regressed(parts: Parts, _choices: Choices) -> Judged:
    """The batch of numbers: one target as a column, several side by side."""
    for column in (*parts.truth, *parts.prediction):
        square_fits(parts, column)
    names = parts.targets or tuple(column.name for column in parts.truth)
    batch = Batch(task="regression", truth=_side(parts.truth), prediction=_side(parts.prediction), labels=names)
    return Judged(batch=batch, used_prediction=True)


def square_fits(parts: Parts, column: Column) -> None:
    """Raise where the square of a number would be beyond what a computer holds."""
    beyond = np.flatnonzero(np.abs(column.values) > LARGEST)
    if len(beyond):
        at = int(beyond[0])
        raise fault(
            parts,
            f"{column.name} is {column.values[at]:.6g} in row {parts.row(at)}: the square of its error would overflow",
            code="H108",
            fix="write the numbers in a larger unit",
        )


def _side(columns: Sequence[Column]) -> Array:
    return columns[0].values if len(columns) == 1 else np.column_stack([column.values for column in columns])


def multilabelled(parts: Parts, choices: Choices) -> Judged:
    """The batch of several labels, each of which a row has or has not."""
    if choices.positive is not None:
        raise UsageError(
            f"a positive class ({quoted(choices.positive)}) was given, and the task is multilabel: 1 is positive",
            code="H107",
            fix="leave it out",
        )
    for column in (*parts.truth, *parts.prediction):
        _zero_one(parts, column)
    truth = np.column_stack([column.values for column in parts.truth]).astype(np.int64)
    prediction = np.column_stack([c.values for c in parts.prediction]).astype(np.int64) if parts.prediction else None
    labels = parts.targets or tuple(column.name for column in parts.truth)
    batch = Batch(task="multilabel", truth=truth, prediction=prediction, labels=labels)
    if not parts.classes:
        return Judged(batch=batch, used_prediction=True)
    return _scored(parts, choices, batch)


def _scored(parts: Parts, choices: Choices, batch: Batch) -> Judged:
    columns = list(parts.classes.values())
    if len(columns) != batch.truth.shape[1]:
        raise fault(
            parts,
            f"there are {batch.truth.shape[1]} labels and {len(columns)} columns of scores",
            code="H106",
            fix="pass one score per label",
        )
    score = np.column_stack([column.values for column in columns])
    if choices.link == "logit":
        score = logistic(score)
    elif parts.probability:
        in_range(parts, columns)
    probability = within(score)
    score = clipped(score) if probability else score
    prediction, threshold = batch.prediction, None
    if prediction is None and (probability or choices.threshold is not None):
        threshold = 0.5 if choices.threshold is None else float(choices.threshold)
        prediction = (score >= threshold).astype(np.int64)
    assumed = batch.prediction is None and choices.threshold is None
    return Judged(
        batch=Batch(
            task="multilabel",
            truth=batch.truth,
            prediction=prediction,
            score=score,
            probabilities=probability,
            labels=batch.labels,
        ),
        checks=_threshold_note(parts, probability) if assumed else (),
        threshold=threshold,
        used_score="prob",
        used_prediction=batch.prediction is not None,
    )


def _threshold_note(parts: Parts, probability: bool) -> tuple[Check, ...]:
    if probability:
        text = f"labels with a probability of 0.5 and more are predicted; {option(parts, 'threshold')} sets another one"
    else:
        text = f"scores lie outside [0, 1], so no threshold is assumed; {option(parts, 'threshold')} sets one"
    return (Check(code="H111", text=text, labels=True),)


def _zero_one(parts: Parts, column: Column) -> None:
    strange = np.flatnonzero(~np.isin(column.values, (0, 1)))
    if len(strange):
        at = int(strange[0])
        raise fault(
            parts,
            f"{column.name} is {column.values[at]:.6g} in row {parts.row(at)}, and a label is there (1) or not (0)",
            code="H107",
            fix=f"write 0 and 1, or say {option(parts, 'task', 'regression')} if these are numbers",
        )
