"""Metrics of one class on every class, and their averages, with scikit-learn's choice of classes and of 0/0."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Literal

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import UsageError
from heldout.estimates import Estimate
from heldout.estimates.value_with_interval import with_value
from heldout.formulas import MARK_METRICS, METRICS, Metric
from heldout.formulas.families import class_average, over_labels, row_average
from heldout.formulas.labels import chosen_average
from heldout.inputs.message_text import MOST, listed as few
from heldout.metrics.reading import Rows, UndefinedMetricWarning, instead, position, within, zero_division_value

Average = Literal["binary", "micro", "macro", "weighted", "samples"] | None
ZeroDivision = Literal["warn", 0, 1] | float
AVERAGES = ("binary", "micro", "macro", "weighted", "samples", None)


def class_scores(
    rows: Rows,
    metric: Metric,
    *,
    labels: Sequence[Label] | None,
    pos_label: Label | None,
    average: Average,
    zero_division: ZeroDivision,
) -> Estimate | list[Estimate]:
    """A metric of one class: of the positive class, of each class, or averaged."""
    within(average, "average", AVERAGES, fitting=_fitting(rows))
    value = zero_division_value(zero_division)
    warn = isinstance(zero_division, str)
    if average == "binary":
        rows, chosen = _positive(rows, pos_label)
        return instead(rows.each(metric, chosen)[0], value, warn=warn)
    rows, chosen = choose(rows, labels)
    if average is None:
        return [instead(one, value, warn=warn) for one in rows.each(metric, chosen)]
    if average == "samples":
        return _over_rows(rows, metric, chosen, value)
    return _over_classes(rows, metric, average, chosen, undefined=value, warn=warn)


def _fitting(rows: Rows) -> tuple[str, ...]:
    """The averages that rows of this kind have."""
    if rows.batch.task == "multilabel":
        return "macro", "micro", "weighted", "samples"
    averages = ("macro", "micro", "weighted")
    return averages if len(rows.batch.labels) > 2 else ("binary", *averages)


def choose(rows: Rows, labels: Sequence[Label] | None) -> tuple[Rows, list[int]]:
    """The rows, and the positions of the classes that count; labels without a row become classes of their own."""
    if labels is None:
        return rows, list(range(len(rows.batch.labels)))
    listed = np.asarray(labels).tolist()
    if rows.batch.task == "multilabel":
        count = rows.batch.truth.shape[1]
        if not all(isinstance(label, int) and 0 <= label < count for label in listed):
            raise UsageError(
                f"labels is [{few(listed, MOST)}], but the columns of y_true are 0 to {count - 1}",
                fix="pass labels=None",
            )
        return rows, listed
    known = rows.batch.labels
    names = {str(label) for label in known}
    missing = [label for label in listed if str(label) not in names]
    rows = rows.changed(labels=(*known, *missing))
    return rows, [position(label, rows.batch.labels, "labels") for label in listed]


def _positive(rows: Rows, pos_label: Label | None) -> tuple[Rows, list[int]]:
    """The positive one of two classes."""
    count = len(rows.batch.labels)
    if rows.batch.task == "multilabel" or count > 2:
        kind = "labels per row" if rows.batch.task == "multilabel" else "classes"
        raise UsageError(
            f"average is 'binary', and there are {count} {kind}",
            fix="pass average='macro', 'micro', 'weighted' or None",
        )
    if count == 2:
        return rows, [position(pos_label, rows.batch.labels, "pos_label")]
    return choose(rows, [1 if pos_label is None else pos_label])


def _over_rows(rows: Rows, metric: Metric, chosen: list[int], undefined: float) -> Estimate:
    """The mean over rows of the metric on the row's own labels."""
    if rows.batch.task != "multilabel":
        raise UsageError(
            "average is 'samples', which is for several 0/1 labels per row, and y_true has one column",
            fix="pass average='macro', 'micro' or 'weighted'",
        )
    assert rows.batch.prediction is not None
    picked = rows.changed(truth=rows.batch.truth[:, chosen], prediction=rows.batch.prediction[:, chosen])
    return picked.estimate(row_average(metric, undefined))


def _over_classes(
    rows: Rows, metric: Metric, average: str, chosen: list[int], *, undefined: float, warn: bool
) -> Estimate:
    """The average over classes; the metric of the table wherever all classes count and none is undefined."""
    name = f"{metric.name}_{average}"
    mean = METRICS.get(name) or class_average(metric, average)
    if rows.batch.task == "multilabel":
        mean = MARK_METRICS.get(name) or over_labels(mean)
    else:
        mean = replace(mean, tasks=(rows.batch.task,))
    sums = rows.measured(mean).labels.sums
    empty = _undefined(metric, sums, chosen, pooled=average == "micro")
    every = chosen == list(range(len(rows.batch.labels)))
    if every and not empty:
        return rows.estimate(mean)
    formula = chosen_average(metric.formula, average, np.array(chosen), undefined)
    found = rows.estimate(replace(mean, formula=formula, interval="unit", via=None))
    if not empty:
        return found
    listed = ", ".join(repr(rows.batch.labels[k]) for k in empty[:5])
    note = f"{metric.name} is 0/0 for {listed}: " + (
        "left out" if isnan(undefined) else f"{undefined:g} is put in its place"
    )
    if warn:
        warnings.warn(note, UndefinedMetricWarning, stacklevel=4)
    return with_value(found, found.value, notes=(*(part for part in found.notes if "undefined" not in part), note))


def _undefined(metric: Metric, sums: object, chosen: list[int], *, pooled: bool) -> list[int]:
    """The classes for which the metric is 0/0; all of them where their pooled counts are."""
    picked: dict[str, Array] = {name: np.asarray(sums[name])[..., chosen] for name in metric.needs}  # type: ignore[index]
    if pooled:
        value = float(metric({name: part.sum() for name, part in picked.items()}))
        return chosen if isnan(value) else []
    return [k for k, value in zip(chosen, metric(picked).tolist(), strict=True) if isnan(value)]
