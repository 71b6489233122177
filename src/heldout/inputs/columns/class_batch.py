"""Labels with predictions, scores or probabilities: a binary or multiclass batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from heldout.batch import Array, Batch, Label
from heldout.errors import DataError, UsageError
from heldout.inputs.columns.column_names import named_after
from heldout.inputs.columns.column_values import Column
from heldout.inputs.columns.label_column import CodedLabels, coded_labels
from heldout.inputs.columns.positive_class import positive_class, two_labels
from heldout.inputs.columns.role_columns import Origin, RoleColumns
from heldout.inputs.columns.score_checks import (
    between,
    check_direction,
    clipped,
    in_range,
    logistic,
    not_decisions,
    softmax_rows,
    sum_to_one,
    within,
)
from heldout.inputs.message_text import SHOWN, listed, names_listed, quoted
from heldout.inputs.reading import Check, Choices, Reading


def class_reading(columns: RoleColumns, choices: Choices) -> Reading:
    """Read a truth that holds labels; weights, units and segments are left to the caller."""
    columns, coded, checks = _one_kind_of_score(columns, choices)
    if choices.task == "binary" or (choices.task is None and len(coded.labels) <= 2):
        _two_classes(columns, coded, "the task binary", columns.origin.option("task", "regression"))
        reading = _binary(columns, coded, choices)
    else:
        reading = _multiclass(columns, coded, choices)
    unnamed = coded.as_sorted if columns.in_order and columns.classes else ()
    return replace(reading, checks=(*checks, *coded.checks, *reading.checks), as_sorted=unnamed)


def _one_kind_of_score(columns: RoleColumns, choices: Choices) -> tuple[RoleColumns, CodedLabels, tuple[Check, ...]]:
    """The coded labels, and the columns with one kind of score: one per class where columns name the classes."""
    checks: tuple[Check, ...] = ()
    coded = coded_labels(columns, given=choices.labels, doubts=choices.doubts)
    if columns.numbered and _are_names(columns, coded, choices):
        columns = replace(columns, in_order=False)
    if columns.classes and columns.in_order:
        _one_column_per_class(columns, coded)
        columns, checks = _columns_as_sorted(replace(columns, score=None), coded, choices)
    elif columns.classes:
        columns = _keyed_by_class(columns, coded) if columns.origin.kind == "arrays" else columns
        columns, coded, checks = _classes_by_name(columns, coded, choices)
    if columns.score is not None and len(coded.labels) > 2 and choices.task != "binary":
        if "score" in columns.named or not columns.prediction:
            origin, name = columns.origin, columns.score.name
            output = origin.option("pred") if origin.kind == "arrays" else origin.option("pred", name)
            numbers = f"{output} and {origin.option('task', 'regression')}"
            _two_classes(columns, coded, f"the single score {name}", numbers)
        text = f"{columns.score.name}: not used, because one score cannot rank {len(coded.labels)} classes"
        checks = (*checks, Check(code="H111", text=text))
        columns = replace(columns, score=None)
    return columns, coded, checks


def _two_classes(columns: RoleColumns, coded: CodedLabels, why: str, as_numbers: str) -> None:
    """Raise if there are more than two classes; `as_numbers` are the options for numbers to predict."""
    if len(coded.labels) > 2:
        labels: Sequence[Label] = [coded.labels[int(at)] for at in np.unique(coded.truth)]
        seen = f"{columns.truth[0].name} has"
        if len(labels) <= 2:
            labels = coded.labels
            also = f" and {columns.prediction[0].name}" if columns.prediction else ""
            seen = f"{columns.truth[0].name}{also} have" if also else "there are"
        numbers = all(isinstance(label, (int, float)) and not isinstance(label, bool) for label in labels)
        also = f", or pass {as_numbers} if these are numbers to predict"
        raise columns.origin.error(
            f"{why} needs two classes, and {seen} {len(labels)}: {listed(labels)}",
            code="H107",
            fix="give one column of probabilities per class (p_<class>), or predicted labels"
            + (also if numbers else ""),
        )


def _are_names(columns: RoleColumns, coded: CodedLabels, choices: Choices) -> bool:
    """Whether columns called 0, 1, … are called so after classes: these are all classes, or the caller named them."""
    names, labels = set(columns.classes), {str(label) for label in coded.labels}
    return names == labels or (columns.numbered == "named" and choices.labels is None and labels < names)


def _one_column_per_class(columns: RoleColumns, coded: CodedLabels) -> None:
    """Raise unless an array of scores has one column per class: which classes more columns are of is not known."""
    width = len(columns.classes)
    if width == len(coded.labels) or (width == 2 and len(coded.labels) == 1 and not isinstance(coded.labels[0], str)):
        return
    name = next(iter(columns.classes.values())).name.split("[")[0]
    raise columns.origin.error(
        f"{name} has {width} columns, and the classes are {len(coded.labels)}: {listed(coded.labels)}",
        code="H107",
        fix="give one column per class, in the sorted order of the labels, or name all classes as labels",
    )


def _columns_as_sorted(
    columns: RoleColumns, coded: CodedLabels, choices: Choices
) -> tuple[RoleColumns, tuple[Check, ...]]:
    """The columns in the order of the labels; without names they come sorted, as scikit-learn has its classes."""
    own_order = choices.labels is not None and not choices.as_sorted
    if own_order or coded.as_sorted == coded.labels or len(columns.classes) != len(coded.labels):
        return columns, ()
    given = dict(zip(coded.as_sorted, columns.classes.values(), strict=True))
    shown = [f"column {at} is {quoted(label)}" for at, label in enumerate(coded.as_sorted, start=1)]
    more = ", …" if len(shown) > SHOWN else ""
    text = (
        f"the columns of {next(iter(given.values())).name.split('[')[0]} have no names and are read in the sorted "
        f"order of the labels, as scikit-learn has them: {', '.join(shown[:SHOWN])}{more}; labels=… gives another order"
    )
    in_order = {str(at): given[label] for at, label in enumerate(coded.labels)}
    return replace(columns, classes=in_order), (Check(code="H111", text=text),)


def _keyed_by_class(columns: RoleColumns, coded: CodedLabels) -> RoleColumns:
    """The columns of a frame of scores by the class that each names; raise if they name no class of the truth."""
    class_of = named_after(tuple(columns.classes), coded.labels)
    if not {str(label) for label in coded.labels} & set(class_of.values()):
        raise columns.origin.error(
            f"the columns of {columns.prefix} ({names_listed(tuple(columns.classes))}) name no class of "
            f"{columns.truth[0].name} ({listed(coded.labels)})",
            code="H106",
            fix=f"rename them after the classes, or pass {columns.prefix} as an array (.to_numpy()) with columns in "
            "the order of the classes",
        )
    return replace(columns, classes={class_of[name]: column for name, column in columns.classes.items()})


def _classes_by_name(
    columns: RoleColumns, coded: CodedLabels, choices: Choices
) -> tuple[RoleColumns, CodedLabels, tuple[Check, ...]]:
    """Columns named after classes are used; columns named otherwise may belong to models, and are not."""
    known = {str(label) for label in coded.labels}
    fitting = [name for name in columns.classes if name in known]
    if not fitting or (columns.score is not None and len(fitting) < len(known)):
        return _without_classes(columns, coded)
    with_all = coded
    if choices.labels is None:
        with_all = coded_labels(columns, tuple(columns.classes), doubts=choices.doubts)
    lacking = [label for label in with_all.labels if str(label) not in columns.classes]
    if lacking and len(with_all.labels) > 2:
        names = [column.name for column in columns.classes.values()]
        arrays = columns.origin.kind == "arrays"
        raise columns.origin.error(
            f"the class {listed(lacking)} has no column of probabilities ({columns.prefix}); "
            f"there are {names_listed(names, SHOWN) if arrays else listed(names)}",
            code="H106",
            fix="export one probability for every class",
        )
    empty = [label for label in with_all.labels if label not in coded.labels]
    note = f"no row has the class {listed(empty)}, though there is a probability for it"
    checks = (Check(code="H104", text=note),) if empty else ()
    probability = columns.probability or columns.origin.kind != "arrays"  # p_<label> says so in a table
    return replace(columns, score=None, probability=probability), with_all, checks


def _without_classes(columns: RoleColumns, coded: CodedLabels) -> tuple[RoleColumns, CodedLabels, tuple[Check, ...]]:
    origin = columns.origin
    names = listed([column.name for column in columns.classes.values()]).replace("'", "")
    text = f"{names}: no class of {columns.truth[0].name} ({listed(coded.labels)}) has one of these names"
    if columns.score is None and not columns.prediction:
        also = f" or {origin.option('pred', columns.models[0])}" if columns.models else ""
        first = next(iter(columns.classes.values())).name
        raise origin.error(
            f"{text}, so these may be scores of several models",
            code="H106",
            fix=f"name the column to evaluate, such as {origin.option('score', first)}{also}",
        )
    return replace(columns, classes={}, prefix=""), coded, (Check(code="H111", text=f"{text}; not used"),)


def _binary(columns: RoleColumns, coded: CodedLabels, choices: Choices) -> Reading:
    only = coded.labels[0] if len(coded.labels) == 1 else None
    labels = two_labels(coded.labels, choices.positive)
    truth, prediction = coded.truth, coded.prediction
    if labels[0] != coded.labels[0]:  # the class that does not occur sorts first
        truth, prediction = truth + 1, None if prediction is None else prediction + 1
    positive, checks = _positive(columns, labels, choices, only)
    if choices.of is None and truth.min() == truth.max():
        count = f"{columns.truth[0].name} has one class only ({len(truth):,} x {quoted(labels[int(truth[0])])})"
        checks = (*checks, Check(code="H104", text=f"{count}: recall or specificity, and AUC, are undefined"))
    batch = Batch(task="binary", truth=truth, prediction=prediction, labels=labels, positive=positive)
    if columns.score is None and not columns.classes:
        return Reading(batch=batch, checks=checks, columns=columns.used(prediction=True))
    score, probability, name = _score_of_positive(columns, labels, positive, choices)
    if choices.of is None:
        # a column of probabilities per class leaves no doubt about which class it is for
        given = choices.positive is not None or bool(columns.classes) or not choices.doubts
        checks = (
            *checks,
            *check_direction(
                columns.origin, columns.truth[0].name, labels, positive, truth=truth, score=score, given=given
            ),
        )
    if probability and not columns.probability and choices.link is None:
        checks = (*checks, Check(code="H111", text=f"{name} lies in [0, 1] and is read as a probability"))
    reading = _at_threshold(
        replace(batch, score=score, probabilities=probability), choices.threshold, name, columns.origin
    )
    used = columns.used(prediction=prediction is not None, score="score" if columns.score is not None else "prob")
    return replace(reading, checks=(*checks, *reading.checks), columns=used)


def _positive(
    columns: RoleColumns, labels: tuple[Label, ...], choices: Choices, only: Label | None
) -> tuple[int, tuple[Check, ...]]:
    """Position of the positive class; a single column of probabilities that names its class decides it."""
    if choices.positive is None and len(columns.classes) == 1 and not columns.in_order:
        at = [str(label) for label in labels].index(next(iter(columns.classes)))
        name = next(iter(columns.classes.values())).name
        text = f"{quoted(labels[at])} is taken as the positive class, because {name} names it"
        return at, (Check(code="H111", text=text),)
    return positive_class(columns.origin, labels, choices.positive, only)


def _score_of_positive(
    columns: RoleColumns, labels: tuple[Label, ...], positive: int, choices: Choices
) -> tuple[Array, bool, str]:
    """The score of the positive class, whether it is a probability, and the name of its column."""
    link, origin = choices.link, columns.origin
    by_class = _in_label_order(columns, labels)
    if columns.score is None and len(by_class) == 2:
        matrix, probability = _score_matrix(columns, by_class, link)
        return matrix[:, positive], probability, by_class[positive].name
    column = columns.score if columns.score is not None else by_class[0]
    if choices.of is None:
        not_decisions(origin, column)
    values = column.values
    if link == "logit":
        values = logistic(values)
    elif columns.probability:
        in_range(origin, [column])
    low, high = column.bounds if link is None else (0.0, 1.0)
    probability = between(low, high)
    if low < 0 or high > 1:
        values = clipped(values) if probability else values
    if columns.score is None and not columns.in_order and str(labels[positive]) not in columns.classes:
        # the one column is of the negative class
        return (1 - values, True, f"1 - {column.name}") if probability else (-values, False, f"-{column.name}")
    return values, probability, column.name


def _in_label_order(columns: RoleColumns, labels: tuple[Label, ...]) -> list[Column]:
    """Columns of class scores in the order of the labels."""
    if columns.in_order:
        return list(columns.classes.values())
    return [columns.classes[str(label)] for label in labels if str(label) in columns.classes]


def _score_matrix(columns: RoleColumns, by_class: list[Column], link: str | None) -> tuple[Array, bool]:
    """Scores with one column per class, and whether they are probabilities."""
    origin = columns.origin
    if link is None and columns.probability:
        in_range(origin, by_class)
    matrix = np.stack([column.values for column in by_class]).T
    if link == "logit":
        return softmax_rows(matrix), True
    if columns.probability:
        return sum_to_one(origin, clipped(matrix), [column.name for column in by_class]), True
    looks = within(matrix) and bool((np.abs(matrix.sum(axis=1) - 1) <= 1e-6).all())
    return (sum_to_one(origin, clipped(matrix), []) if looks else matrix), looks


def _at_threshold(batch: Batch, threshold: float | None, name: str, origin: Origin) -> Reading:
    """Predict positive from the threshold on, where no predictions were given; `name` is the score's column."""
    if batch.prediction is not None or batch.score is None or batch.positive is None:
        return Reading(batch=batch)
    option = origin.option("threshold")
    if threshold is None and not batch.probabilities:
        text = f"{name} lies outside [0, 1], so no threshold is assumed and label metrics are left out; set {option}"
        return Reading(batch=batch, checks=(Check(code="H111", text=text, labels=True),))
    at = 0.5 if threshold is None else float(threshold)
    called = batch.score >= at if batch.positive == 1 else batch.score < at
    prediction = called.view(np.uint8)
    text = f"rows with {name} of 0.5 or more are predicted positive; {option} sets another threshold"
    checks = (Check(code="H111", text=text, labels=True),) if threshold is None else ()
    return Reading(batch=replace(batch, prediction=prediction), checks=checks, threshold=at)


def of_two_classes(name: str, value: Label | float | None, labels: Sequence[Label]) -> None:
    """Raise if something was given that only two classes have."""
    if value is not None:
        raise UsageError(
            f"a {name} ({quoted(value)}) was given for {len(labels)} classes: {listed(labels)}",
            code="H107",
            fix="leave it out, or pass two classes",
        )


def _multiclass(columns: RoleColumns, coded: CodedLabels, choices: Choices) -> Reading:
    of_two_classes("positive class", choices.positive, coded.labels)
    of_two_classes("threshold", choices.threshold, coded.labels)
    batch = Batch(task="multiclass", truth=coded.truth, prediction=coded.prediction, labels=coded.labels)
    if not columns.classes:
        if coded.prediction is None:
            raise _no_class_scores(columns.origin)
        return Reading(batch=batch, columns=columns.used(prediction=True))
    by_class = _in_label_order(columns, coded.labels)
    if len(by_class) != len(coded.labels):
        raise _no_class_scores(columns.origin)
    matrix, probability = _score_matrix(columns, by_class, choices.link)
    batch = replace(batch, score=matrix, probabilities=probability)
    if coded.prediction is None:
        batch = replace(batch, prediction=highest_score(matrix))
    return Reading(
        batch=batch,
        columns=columns.used(prediction=coded.prediction is not None, score="prob"),
        checks=_unused_models(columns, coded),
    )


def highest_score(matrix: Array) -> Array:
    """The column with the highest score in each row, the first of equals."""
    # column by column, as they lie in memory: several times faster than argmax over rows
    best, chosen = matrix[:, 0].copy(), np.zeros(len(matrix), np.min_scalar_type(matrix.shape[1]))
    for k in range(1, matrix.shape[1]):
        higher = matrix[:, k] > best
        np.maximum(best, matrix[:, k], out=best)
        chosen[higher] = k
    return chosen


def _unused_models(columns: RoleColumns, coded: CodedLabels) -> tuple[Check, ...]:
    if coded.prediction is not None or not columns.models:
        return ()
    text = (
        f"{listed(columns.models)}: not used; the prediction is the class with the highest probability; "
        f"{columns.origin.option('pred')} names another"
    )
    return (Check(code="H111", text=text),)


def _no_class_scores(origin: Origin) -> DataError:
    return origin.error(
        "the task multiclass needs predicted labels or one probability per class",
        code="H106",
        fix="add columns p_<class>, or predicted labels",
    )
