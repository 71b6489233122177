"""Labels with predictions, scores or probabilities → a binary or multiclass batch."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from heldout.batch import Array, Batch, Label
from heldout.errors import DataError, UsageError
from heldout.inputs.columns.column import Column
from heldout.inputs.columns.label_column import Coding, coding
from heldout.inputs.columns.positive_class import at_most_two, positive_class, two_labels
from heldout.inputs.columns.score_column import (
    between,
    clipped,
    in_range,
    logistic,
    not_decisions,
    pointing,
    shares,
    sum_to_one,
    within,
)
from heldout.inputs.reading import Check, Choices, Parts, fault, option
from heldout.inputs.wording import listed, quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A batch without weights, units and segments, and what was decided on the way to it."""

    batch: Batch
    checks: tuple[Check, ...] = ()
    threshold: float | None = None
    used_prediction: bool = False
    used_score: str = ""
    """`score` for one column, `prob` for one per class."""


def classified(parts: Parts, choices: Choices) -> Judged:
    """The batch of a truth that holds labels."""
    parts, code, checks = _settled(parts, choices)
    binary = choices.task == "binary" or (choices.task is None and (len(code.labels) <= 2))
    if binary:
        at_most_two(parts, code.labels, "the task binary" if choices.task else "a score")
        judged = _binary(parts, code, choices)
    else:
        judged = _multiclass(parts, code, choices)
    return replace(judged, checks=(*checks, *code.checks, *judged.checks))


def _settled(parts: Parts, choices: Choices) -> tuple[Parts, Coding, tuple[Check, ...]]:
    """The coding, and the parts with one kind of score: one per class where columns name the classes, else one."""
    checks: tuple[Check, ...] = ()
    code = coding(parts, given=choices.labels)
    if parts.classes and parts.door == "arrays":
        code = _numbered(parts, code, choices)
        parts = replace(parts, score=None)
    elif parts.classes:
        parts, code, checks = _named(parts, code, choices)
    if parts.score is not None and len(code.labels) > 2 and choices.task != "binary":
        if "score" in parts.asked or not parts.prediction:
            at_most_two(parts, code.labels, f"the single score {parts.score.name}")
        text = f"{parts.score.name}: not used, because one score cannot rank {len(code.labels)} classes"
        checks = (*checks, Check(code="H111", text=text))
        parts = replace(parts, score=None)
    return parts, code, checks


def _numbered(parts: Parts, code: Coding, choices: Choices) -> Coding:
    """Scores given as an array with one column per class, in the order of the labels."""
    wide = len(parts.classes)
    if wide == len(code.labels) or (wide == 2 and len(code.labels) == 1 and not isinstance(code.labels[0], str)):
        return code
    whole = all(isinstance(label, int) and not isinstance(label, bool) and 0 <= label < wide for label in code.labels)
    if choices.labels is None and whole:
        return coding(parts, given=tuple(range(wide)))
    first = next(iter(parts.classes.values())).name.split("[")[0]
    raise fault(
        parts,
        f"{first} has {wide} columns, and the classes are {len(code.labels)}: {listed(code.labels)}",
        code="H107",
        fix="pass labels= with the class of each column, in order",
    )


def _named(parts: Parts, code: Coding, choices: Choices) -> tuple[Parts, Coding, tuple[Check, ...]]:
    """Columns that name a class: used where they do, refused or left alone where they name models."""
    known = {str(label) for label in code.labels}
    fitting = [name for name in parts.classes if name in known]
    if not fitting or (parts.score is not None and len(fitting) < len(known)):
        return _unfitting(parts, code)
    more = coding(parts, tuple(parts.classes), given=choices.labels) if choices.labels is None else code
    lacking = [label for label in more.labels if str(label) not in parts.classes]
    if lacking and len(more.labels) > 2:
        raise fault(
            parts,
            f"the class {listed(lacking)} has no column of probabilities ({parts.prefix}); "
            f"there are {listed([column.name for column in parts.classes.values()])}",
            code="H106",
            fix="export one probability for every class",
        )
    empty = [label for label in more.labels if label not in code.labels]
    note = f"no row has the class {listed(empty)}, though there is a probability for it"
    return replace(parts, score=None, probability=True), more, (Check(code="H104", text=note),) if empty else ()


def _unfitting(parts: Parts, code: Coding) -> tuple[Parts, Coding, tuple[Check, ...]]:
    names = listed([column.name for column in parts.classes.values()]).replace("'", "")
    text = f"{names}: no class of {parts.truth[0].name} ({listed(code.labels)}) has one of these names"
    if parts.score is None and not parts.prediction:
        also = f" or {option(parts, 'pred', parts.models[0])}" if parts.models else ""
        first = next(iter(parts.classes.values())).name
        raise fault(
            parts,
            f"{text}, so these may be scores of several models",
            code="H106",
            fix=f"name the column to judge, such as {option(parts, 'score', first)}{also}",
        )
    return replace(parts, classes={}, prefix=""), code, (Check(code="H111", text=f"{text}; not used"),)


def _binary(parts: Parts, code: Coding, choices: Choices) -> Judged:
    only = code.labels[0] if len(code.labels) == 1 else None
    labels = two_labels(code.labels, choices.positive)
    if labels[0] != code.labels[0]:  # the made-up class sorts first
        code = replace(code, truth=code.truth + 1, prediction=None if code.prediction is None else code.prediction + 1)
    code = replace(code, labels=labels)
    positive, checks = _positive(parts, code, choices, only)
    if choices.of is None and code.truth.min() == code.truth.max():
        seen = f"{parts.truth[0].name} has one class only ({len(code.truth):,} x {quoted(labels[int(code.truth[0])])})"
        text = f"{seen}: recall or specificity, and AUC, are undefined"
        checks = (*checks, Check(code="H104", text=text))
    batch = Batch(task="binary", truth=code.truth, prediction=code.prediction, labels=labels, positive=positive)
    if parts.score is None and not parts.classes:
        return Judged(batch=batch, checks=checks, used_prediction=True)
    score, probability, column = _one_score(parts, labels, positive, choices)
    if choices.of is None:
        given = choices.positive is not None or parts.door == "arrays"
        checks = (*checks, *pointing(parts, labels, positive, truth=code.truth, score=score, given=given))
    if probability and not parts.probability and choices.link is None:
        checks = (*checks, Check(code="H111", text=f"{column} lies in [0, 1] and is read as a probability"))
    judged = _decided(replace(batch, score=score, probabilities=probability), choices.threshold, column, parts)
    used = "score" if parts.score is not None else "prob"
    return replace(
        judged, checks=(*checks, *judged.checks), used_score=used, used_prediction=code.prediction is not None
    )


def _positive(parts: Parts, code: Coding, choices: Choices, only: Label | None) -> tuple[int, tuple[Check, ...]]:
    """The positive class; a single column that names its class decides, if the caller did not."""
    if choices.positive is None and len(parts.classes) == 1 and parts.door == "table":
        at = [str(label) for label in code.labels].index(next(iter(parts.classes)))
        name = next(iter(parts.classes.values())).name
        return at, (
            Check(
                code="H111", text=f"{quoted(code.labels[at])} is taken as the positive class, because {name} names it"
            ),
        )
    return positive_class(parts, code.labels, choices.positive, only)


def _one_score(parts: Parts, labels: tuple[Label, ...], positive: int, choices: Choices) -> tuple[Array, bool, str]:
    """The score of the positive class, whether it is a probability, and the name of its column."""
    link = choices.link
    columns = _in_order(parts, labels)
    if parts.score is None and len(columns) == 2:
        matrix, probability = _matrix(parts, columns, link)
        return matrix[:, positive], probability, columns[positive].name
    column = parts.score if parts.score is not None else columns[0]
    if choices.of is None:
        not_decisions(parts, column)
    values = column.values
    if link == "logit":
        values = logistic(values)
    elif parts.probability:
        in_range(parts, [column])
    low, high = column.bounds if link is None else (0.0, 1.0)
    probability = between(low, high)
    if low < 0 or high > 1:
        values = clipped(values) if probability else values
    if parts.score is None and parts.door == "table" and str(labels[positive]) not in parts.classes:
        return (1 - values, True, f"1 - {column.name}") if probability else (-values, False, f"-{column.name}")
    return values, probability, column.name


def _in_order(parts: Parts, labels: tuple[Label, ...]) -> list[Column]:
    """Columns of class scores in the order of the labels."""
    if parts.door == "arrays":
        return list(parts.classes.values())
    return [parts.classes[str(label)] for label in labels if str(label) in parts.classes]


def _matrix(parts: Parts, columns: list[Column], link: str | None) -> tuple[Array, bool]:
    """Scores side by side, and whether they are probabilities."""
    if link is None and parts.probability:
        in_range(parts, columns)
    matrix = np.stack([column.values for column in columns]).T
    if link == "logit":
        return shares(matrix), True
    if parts.probability:
        return sum_to_one(parts, clipped(matrix), [column.name for column in columns]), True
    looks = within(matrix) and bool((np.abs(matrix.sum(axis=1) - 1) <= 1e-6).all())
    return (sum_to_one(parts, clipped(matrix), []) if looks else matrix), looks


def _decided(batch: Batch, threshold: float | None, column: str, parts: Parts) -> Judged:
    """Predictions from the score where none were given: positive from the threshold on."""
    if batch.prediction is not None or batch.score is None or batch.positive is None:
        return Judged(batch=batch)
    if threshold is None and not batch.probabilities:
        sets = f"{option(parts, 'threshold')} sets one"
        text = f"{column} lies outside [0, 1], so no threshold is assumed and nothing is said about labels; {sets}"
        return Judged(batch=batch, checks=(Check(code="H111", text=text, labels=True),))
    at = 0.5 if threshold is None else float(threshold)
    called = batch.score >= at if batch.positive == 1 else batch.score < at
    prediction = called.view(np.uint8)
    text = f"rows with {column} of 0.5 and more are predicted positive; {option(parts, 'threshold')} sets another one"
    checks = (Check(code="H111", text=text, labels=True),) if threshold is None else ()
    return Judged(batch=replace(batch, prediction=prediction), checks=checks, threshold=at)


def _multiclass(parts: Parts, code: Coding, choices: Choices) -> Judged:
    for name, value in (("positive class", choices.positive), ("threshold", choices.threshold)):
        if value is not None:
            raise UsageError(
                f"a {name} ({quoted(value)}) was given for {len(code.labels)} classes: {listed(code.labels)}",
                code="H107",
                fix="leave it out, or pass two classes",
            )
    batch = Batch(task="multiclass", truth=code.truth, prediction=code.prediction, labels=code.labels)
    if not parts.classes:
        if code.prediction is None:
            raise _no_class_scores(parts)
        return Judged(batch=batch, used_prediction=True)
    columns = _in_order(parts, code.labels)
    if len(columns) != len(code.labels):
        raise _no_class_scores(parts)
    matrix, probability = _matrix(parts, columns, choices.link)
    batch = replace(batch, score=matrix, probabilities=probability)
    if code.prediction is None:
        batch = replace(batch, prediction=likeliest(matrix))
    return Judged(
        batch=batch, used_score="prob", used_prediction=code.prediction is not None, checks=_unused(parts, code)
    )


def likeliest(matrix: Array) -> Array:
    """The column of the highest score of each row, the first of equals: column by column, as they lie in memory."""
    best, chosen = matrix[:, 0].copy(), np.zeros(len(matrix), np.min_scalar_type(matrix.shape[1]))
    for k in range(1, matrix.shape[1]):
        higher = matrix[:, k] > best
        np.maximum(best, matrix[:, k], out=best)
        chosen[higher] = k
    return chosen


def _unused(parts: Parts, code: Coding) -> tuple[Check, ...]:
    if code.prediction is not None or not parts.models:
        return ()
    names = f"{option(parts, 'pred')} names another"
    text = f"{listed(parts.models)}: not used; the prediction is the class with the highest probability; {names}"
    return (Check(code="H111", text=text),)


def _no_class_scores(parts: Parts) -> DataError:
    return fault(
        parts,
        "the task multiclass needs predicted labels or one probability per class",
        code="H106",
        fix="add columns p_<class>, or predicted labels",
    )
