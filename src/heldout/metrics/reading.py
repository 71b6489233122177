"""Arrays as scikit-learn takes them → rows with settings, and estimates of metrics on these rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from heldout import inputs
from heldout.batch import Array, Batch, Label
from heldout.errors import DataError, UsageError
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import Side
from heldout.estimates.value_with_interval import with_value
from heldout.formulas import Metric, metric as named
from heldout.inputs.columns.column_values import column
from heldout.inputs.index_alignment import aligned, warn_of_other_order
from heldout.inputs.message_text import MOST, listed as few, rows_named, rows_where
from heldout.metrics.message_arguments import naming_own_arguments
from heldout.verbs.measurement import Measurement
from heldout.verbs.parameters import unwarned
from heldout.verbs.settings import Settings, settings

RandomState = int | np.random.Generator | None
CLASSES = ("binary", "multiclass")


class UndefinedMetricWarning(UserWarning):
    """A metric is 0/0 on the data, and the value that scikit-learn puts in its place is returned."""


@dataclass(frozen=True)
class Options:
    """What every function takes beside scikit-learn's parameters, and the weights of the rows."""

    sample_weight: ArrayLike | None
    groups: ArrayLike | None
    confidence_level: float
    method: str
    side: Side
    n_resamples: int
    random_state: RandomState

    @cached_property
    def settings(self) -> Settings:
        """Level, method and the like, checked."""
        return settings(
            confidence_level=self.confidence_level,
            method=self.method,
            side=self.side,
            n_resamples=self.n_resamples,
            random_state=self.random_state,
        )


@dataclass(frozen=True)
class Rows:
    """Rows that were read and checked, and how their estimates are to be made."""

    batch: Batch
    options: Options

    @cached_property
    def total(self) -> float:
        """What all rows weigh, in the weights that were given."""
        return float(self.batch.rows * self.each_weighs if self.batch.weight is None else self.batch.weight.sum())

    @cached_property
    def each_weighs(self) -> float:
        """What every row weighs where all weigh the same, which a batch does not know; else 1."""
        if self.batch.weight is not None or self.options.sample_weight is None:
            return 1.0
        return float(np.asarray(self.options.sample_weight, dtype=float).max())  # rows of weight zero are left out

    def measured(self, metric: Metric) -> Measurement:
        """The rows as one metric sees them."""
        return Measurement(self.batch, replace(self.options.settings, metrics=(metric,)))

    def estimate(self, metric: str | Metric) -> Estimate:
        """A metric of all rows."""
        one = named(metric) if isinstance(metric, str) else metric
        with unwarned():
            return self.measured(one).overall()[one.name]

    def each(self, metric: Metric, labels: Sequence[int]) -> list[Estimate]:
        """A metric of one class, label or target, for each of these."""
        measured = self.measured(metric)
        with unwarned():
            return [measured.one(metric, label) for label in labels]

    def kept(self, values: Array) -> Array:
        """Values of the rows that were read: those of weight zero are left out."""
        numbers = self.batch.numbers
        return values if numbers is None else values[numbers - 1]

    def changed(self, **changes: Any) -> Rows:
        """The same with other columns."""
        return replace(self, batch=replace(self.batch, **changes))


def width(values: Any) -> int:
    """How many columns there are; 1 for one dimension.

    >>> width([1, 2]), width([[1, 2], [3, 4]]), width(np.zeros((3, 1)))
    (1, 2, 1)
    """
    shape = getattr(values, "shape", None)
    if shape is None:
        first = values[0] if isinstance(values, Sequence) and len(values) else 0
        return len(first) if isinstance(first, list | tuple | np.ndarray) else 1
    return int(shape[1]) if len(shape) == 2 else 1


def dense(values: Any) -> Any:
    """The values as they are; a sparse matrix as an array."""
    return values.toarray() if hasattr(values, "toarray") else values


def one_column(name: str, values: Any) -> Array:
    """Numbers of one column as an array of one dimension."""
    if np.ma.is_masked(values):
        lacking = rows_named(rows_where(np.asarray(np.ma.getmaskarray(values).reshape(len(values), -1).any(axis=1))))
        raise DataError(f"{name} is missing in {lacking}", code="H305", fix="leave these rows out")
    try:
        column = np.asarray(values)
    except ValueError as error:
        fix = "pass one number per row"
        raise DataError(f"the rows of {name} differ in length", code="H112", fix=fix) from error
    if column.ndim == 2 and column.shape[1] == 1:
        return column[:, 0]
    if column.ndim != 1:
        raise UsageError(
            f"{name} has the shape {column.shape}, and one number per row is needed",
            fix=f"for two classes pass the column of the positive class: {name}[:, 1]",
        )
    return column


def floats(name: str, values: Any) -> Array:
    """Numbers as floats; refuse what is not a number."""
    given = np.asarray(values)
    try:
        return given.astype(float, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(
            f"{name} is of type {given.dtype}, and {name} must have numbers", code="H108", fix="pass probabilities"
        ) from error


def read(y_true: Any, options: Options, *, called: tuple[str, str], **columns: Any) -> Rows:
    """The rows of arrays, after the same checks as those of `evaluate`; `called` are truth and prediction."""
    truth_name, predicted_name = called
    with naming_own_arguments(truth_name, predicted_name), unwarned():
        given: dict[str, Any] = {
            "sample_weight": options.sample_weight,
            "groups": options.groups,
            "truth_name": truth_name,
            "doubts": False,  # scikit-learn's conventions say what the values mean
            **columns,
        }
        if given["sample_weight"] is not None and given.get("labels") is None and given["task"] in CLASSES:
            given["labels"] = _classes_of_all_rows(y_true, given)
        reading = inputs.from_arrays(y_true, **given)
        if reading.as_sorted and reading.as_sorted != reading.batch.labels and columns.get("labels") is None:
            reading = inputs.from_arrays(y_true, **{**given, "labels": reading.as_sorted})
    warn_of_other_order(reading.checks)
    return Rows(reading.batch, options)


def _classes_of_all_rows(y_true: Any, given: Mapping[str, Any]) -> tuple[Label, ...] | None:
    """All classes where rows of weight zero are left out, as they are classes of scikit-learn's; else None."""
    weights = column("sample_weight", given["sample_weight"])
    if weights.words is not None or np.all(weights.values != 0):  # texts are refused where weights are read
        return None
    whole = inputs.from_arrays(y_true, **{**given, "sample_weight": None, "groups": None})
    return whole.as_sorted or whole.batch.labels


def read_labels(y_true: Any, y_pred: Any, options: Options, *, called: tuple[str, str] = ("y_true", "y_pred")) -> Rows:
    """Rows with one label each, or with several 0/1 labels where there are several columns."""
    y_true, y_pred = dense(y_true), dense(y_pred)
    task = "multilabel" if width(y_true) > 1 else "multiclass"
    return read(y_true, options, called=called, y_pred=y_pred, task=task)


def read_numbers(y_true: Any, y_pred: Any, options: Options) -> Rows:
    """Rows with numbers to predict, of one target or several."""
    return read(y_true, options, called=("y_true", "y_pred"), y_pred=y_pred, task="regression")


def aligned_rows(y_true: Any, name: str, values: Any, options: Options) -> tuple[Any, Any, Options]:
    """Truth, scores, and the options with weights and groups, their rows matched by index where they have one."""
    given = {"y_true": y_true, name: values, "sample_weight": options.sample_weight, "groups": options.groups}
    rows, moved = aligned(given)
    warn_of_other_order(moved)
    return rows["y_true"], rows[name], replace(options, sample_weight=rows["sample_weight"], groups=rows["groups"])


def read_score(y_true: Any, name: str, score: Any, options: Options, pos_label: Label | None = None) -> Rows:
    """Rows of two classes with one score; the positive class is the one given, else the later one in sort order.

    The score is passed once per class: scores that are all 0 and 1, as a fully grown tree gives, are valid here.
    """
    y_true, score, options = aligned_rows(y_true, name, score, options)
    column = one_column(name, score)
    rows = _read_two(y_true, name, options, y_score=np.column_stack([column, column]))
    positive = 1 if pos_label is None else position(pos_label, rows.batch.labels, "pos_label")
    return rows.changed(positive=positive, prediction=None)


def read_probability(
    y_true: Any,
    name: str,
    probability: Any,
    options: Options,
    *,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
) -> Rows:
    """Rows of two classes with the probability of the positive one."""
    y_true, probability, options = aligned_rows(y_true, name, probability, options)
    column = floats(name, one_column(name, probability))
    rows = _read_two(y_true, name, options, y_proba=np.column_stack([1 - column, column]), labels=labels)
    positive = 1 if pos_label is None else position(pos_label, rows.batch.labels, "pos_label")
    return rows.changed(positive=positive, score=np.clip(rows.kept(column), 0, 1), prediction=None)


def _read_two(y_true: Any, name: str, options: Options, **columns: Any) -> Rows:
    try:
        rows = read(y_true, options, called=("y_true", name), task="binary", **columns)
    except DataError as error:
        classes = len(np.unique(np.asarray(y_true)))
        if error.code != "H107" or classes <= 2:
            raise
        raise UsageError(
            f"y_true has {classes} classes and {name} has one column", fix=f"pass {name} with one column per class"
        ) from error
    return rows


def position(label: Any, labels: Sequence[Label], name: str) -> int:
    """Where a label stands among those of the data.

    >>> position(1, (0, 1), "pos_label")
    1
    """
    for at, known in enumerate(labels):
        if known == label or str(known) == str(label):
            return at
    listed = ", ".join(map(repr, labels[:10]))
    raise UsageError(
        f"{name} is {label!r}, which is not among the labels {listed}", fix=f"pass {name}={labels[-1]!r}, for example"
    )


def sorted_labels(labels: Sequence[Label] | None, name: str = "labels") -> list[Label] | None:
    """The labels of columns, which scikit-learn has in sorted order."""
    if labels is None:
        return None
    listed = np.asarray(labels).tolist()
    if listed != sorted(set(listed)):
        raise UsageError(
            f"{name} is [{few(listed, MOST)}], but must be sorted and without repetition: columns are in that order",
            fix=f"pass {name}=[{few(sorted(set(listed)), MOST)}] and columns in that order",
        )
    return listed


def within(value: Any, name: str, allowed: Sequence[Any], where: str = "", fitting: Sequence[Any] = ()) -> None:
    """Refuse a value that is not among the allowed ones; the fix is the nearest of those that fit the data."""
    if not any(value is known or (type(value) is type(known) and value == known) for known in allowed):
        listed = ", ".join(map(repr, allowed))
        candidates = fitting or allowed
        close = get_close_matches(str(value), [known for known in candidates if isinstance(known, str)], n=1)
        raise UsageError(
            f"{name} is {value!r}, but must be one of {listed}{where}",
            fix=f"pass {name}={(close or candidates)[0]!r}",
        )


def zero_division_value(zero_division: Any) -> float:
    """The number that takes the place of 0/0.

    >>> zero_division_value("warn"), zero_division_value(1)
    (0.0, 1.0)
    """
    if isinstance(zero_division, str):
        within(zero_division, "zero_division", ("warn", 0, 1, float("nan")))
        return 0.0
    if zero_division in (0, 1) or isnan(zero_division):
        return float(zero_division)
    raise UsageError(f"zero_division is {zero_division!r}, but must be 'warn', 0, 1 or nan", fix="pass zero_division=0")


def instead(estimate: Estimate, value: float, *, warn: bool = False, why: str = "") -> Estimate:
    """The estimate with another value where its own is undefined, and a note that says so."""
    if not isnan(estimate.value):
        return estimate
    reason = why or f"{estimate.name} is 0/0 on these rows"
    note = f"{reason}: {value:g} is put in its place"
    if warn:
        warnings.warn(note, UndefinedMetricWarning, stacklevel=4)
    return with_value(estimate, value, notes=(*estimate.notes, note))


def restricted(rows: Rows, labels: Sequence[Label] | None, name: str) -> Rows:
    """The rows whose two labels are among these, which become all classes, in this order."""
    if labels is None:
        return rows
    listed = np.asarray(labels).tolist()
    batch = rows.batch
    assert batch.prediction is not None
    code = np.full(len(batch.labels), -1)
    for at, label in enumerate(listed):
        if str(label) in map(str, batch.labels):
            code[position(label, batch.labels, "labels")] = at
    truth, prediction = code[batch.truth], code[batch.prediction]
    if not np.any(truth >= 0):
        raise UsageError(
            f"labels is [{few(listed, MOST)}], and {name} has none of these", fix="pass labels=None for all labels"
        )
    keep = (truth >= 0) & (prediction >= 0)
    batch = replace(batch, truth=truth, prediction=prediction, labels=tuple(listed))
    if not keep.any():
        raise UsageError(
            f"labels is [{few(listed, MOST)}], and no row has both of its labels among these",
            fix="pass labels=None for all labels",
        )
    return replace(rows, batch=batch if keep.all() else batch.take(keep))
