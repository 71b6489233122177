"""Metrics of scores: ROC AUC, average precision, top-k accuracy."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from heldout.batch import Array, Batch, Label
from heldout.errors import DataError, UsageError
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import Side
from heldout.estimates.value_with_interval import rescaled, with_value
from heldout.formulas import METRICS, Metric
from heldout.formulas.families import partial_auc, top_k_accuracy
from heldout.metrics.documentation import documented
from heldout.metrics.reading import (
    Options,
    RandomState,
    Rows,
    UndefinedMetricWarning,
    dense,
    instead,
    one_column,
    read,
    read_score,
    sorted_labels,
    width,
    within,
)
from heldout.rows.labels import every_row

ScoreAverage = Literal["micro", "macro", "weighted", "samples"] | None


AVERAGES = ("macro", "micro", "weighted", "samples", None)


@documented
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: ScoreAverage = "macro",
    sample_weight: ArrayLike | None = None,
    max_fpr: float | None = None,
    multi_class: Literal["raise", "ovr", "ovo"] = "raise",
    labels: Sequence[Label] | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Area under the ROC curve: chance that a positive row scores above a negative one, ties counting half.

    Parameters
    ----------
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default: 'macro'
        Of several classes or 0/1 columns: mean over them, area of all pairs of row and class in one ranking, mean by
        true rows, mean over rows (0/1 columns only). None: a list, one per class. Two classes: not used.
    max_fpr : float in (0, 1], default: None
        Area up to this false positive rate only, standardized so that 0.5 is guessing; not for several classes.
    multi_class : {'raise', 'ovr', 'ovo'}, default: 'raise'
        Of several classes: each against the rest, or every pair of them. 'raise' refuses several classes.
    labels : list of labels, default: None
        Of several classes: the class of each column, sorted; needed where y_true lacks one of them.

    Examples
    --------
    >>> from heldout.metrics import roc_auc_score
    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.750 [0.147, 0.981]
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    within(average, "average", AVERAGES)
    within(multi_class, "multi_class", ("raise", "ovr", "ovo"))
    each = _area_until(max_fpr)
    y_true, y_score = dense(y_true), dense(y_score)
    if width(y_true) > 1:
        rows = read(y_true, options, called=("y_true", "y_score"), y_score=y_score, task="multilabel")
        return _of_labels(rows, each, average)
    if width(y_score) == 1:
        return read_score(y_true, "y_score", y_score, options).estimate(each)
    if each.name != "roc_auc":
        raise UsageError(
            f"max_fpr is {max_fpr!r}, which is for two classes, and y_score has {width(y_score)} columns",
            fix="pass max_fpr=None",
        )
    return _of_classes(_read_classes(y_true, y_score, labels, options), each, average, multi_class)


@documented
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: ScoreAverage = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Precision averaged over the positives by falling score: sum of (R_i - R_i-1) P_i.

    Parameters
    ----------
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default: 'macro'
        Of several classes or 0/1 columns: mean over them, value of all pairs of row and class in one ranking, mean by
        true rows, mean over rows. None: a list, one per class. Two classes: not used.
    pos_label : label, default: 1
        The positive one of two classes.

    Examples
    --------
    >>> from heldout.metrics import average_precision_score
    >>> average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.833 [0.108, 0.995]
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    within(average, "average", AVERAGES)
    each = METRICS["average_precision"]
    y_true, y_score = dense(y_true), dense(y_score)
    if width(y_true) == 1 and width(y_score) == 1:
        return _precision(read_score(y_true, "y_score", y_score, options, pos_label), each)
    if pos_label != 1:
        raise UsageError(
            f"pos_label is {pos_label!r}, which is for two classes, and there are {width(y_score)} columns of scores",
            fix="pass pos_label=1",
        )
    if width(y_true) > 1:
        rows = read(y_true, options, called=("y_true", "y_score"), y_score=y_score, task="multilabel")
    else:
        rows = _read_classes(y_true, y_score, None, options)
        codes = np.eye(len(rows.batch.labels), dtype=int)[rows.batch.truth]
        if average == "samples":
            rows = rows.changed(task="multilabel", truth=codes)
    return _of_labels(rows, each, average)


@documented
def top_k_accuracy_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[Label] | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Share of the rows whose true class has one of the k highest scores.

    Parameters
    ----------
    k : int, default: 2
        How many classes of each row are looked at, 1 or more.
    labels : list of labels, default: None
        The class of each column, sorted; needed where y_true lacks one of them.

    Examples
    --------
    >>> from heldout.metrics import top_k_accuracy_score
    >>> y_score = [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]]
    >>> top_k_accuracy_score([0, 1, 2, 2], y_score, k=2)
    0.750 [0.301, 0.954]
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    if k < 1:
        raise UsageError(f"k is {k!r}, but must be 1 or more", fix="pass k=1 for the accuracy")
    if width(y_score) == 1:
        rows, classes = _top_of_two(y_true, y_score, k, labels, options), 2
        share = rows.estimate("accuracy")
    else:
        rows = _read_classes(y_true, y_score, labels, options)
        classes = width(y_score)
        share = rows.estimate(top_k_accuracy(int(k)))
    if k >= classes:
        note = f"k is {k}, and there are {classes} classes: every row is right"
        warnings.warn(note, UndefinedMetricWarning, stacklevel=2)
        share = with_value(share, share.value, notes=(*share.notes, note))
    return share if normalize else rescaled(share, rows.total)


def _top_of_two(y_true: Any, y_score: Any, k: int, labels: Sequence[Label] | None, options: Options) -> Rows:
    """Two classes: the later one is predicted above 0.5, or above 0 where scores are not probabilities."""
    rows = read_score(y_true, "y_score", y_score, options)
    known = sorted_labels(labels)
    if known is not None and len(known) != 2:
        raise UsageError(f"labels is {known}, and y_score has one column", fix="pass one column of scores per class")
    score = rows.kept(one_column("y_score", y_score))
    cut = 0.5 if score.min() >= 0 and score.max() <= 1 else 0.0
    prediction = (score > cut).astype(int) if k == 1 else rows.batch.truth
    return rows.changed(task="multiclass", prediction=prediction, score=None)


def _area_until(max_fpr: float | None) -> Metric:
    if max_fpr is None or max_fpr == 1:
        return METRICS["roc_auc"]
    if not 0 < max_fpr < 1:
        raise UsageError(f"max_fpr is {max_fpr!r}, but must be above 0 and at most 1", fix="pass max_fpr=0.1")
    return partial_auc(0.0, max_fpr, f"partial_auc_standardized@{max_fpr:g}", standardized=True)


def _read_classes(y_true: Any, y_score: Any, labels: Sequence[Label] | None, options: Options) -> Rows:
    """Rows of several classes with a score for each."""
    rows = read(
        y_true, options, called=("y_true", "y_score"), y_score=y_score, labels=sorted_labels(labels), task="multiclass"
    )
    if labels is None and width(y_score) == 2 and len(rows.batch.labels) == 2:
        raise UsageError(
            "y_true has two classes and y_score has two columns",
            fix="pass the scores of the later class: y_score[:, 1]",
        )
    return rows


def _of_classes(rows: Rows, each: Metric, average: ScoreAverage, multi_class: str) -> Estimate | list[Estimate]:
    """The area of several classes, one against the rest or one against one."""
    if multi_class == "raise":
        raise UsageError(
            f"y_score has {len(rows.batch.labels)} columns, and multi_class is 'raise'",
            fix="pass multi_class='ovr' (each class against the rest) or multi_class='ovo' (every pair of classes)",
        )
    if multi_class == "ovo":
        within(average, "average", ("macro", "weighted"), where=" with multi_class='ovo'")
        return rows.estimate("roc_auc_ovo" if average == "macro" else "roc_auc_ovo_weighted")
    within(average, "average", ("macro", "micro", "weighted", None), where=" with multi_class='ovr'")
    if average is None:
        return rows.each(each, range(len(rows.batch.labels)))
    return rows.estimate("roc_auc_ovr" if average == "macro" else f"roc_auc_{average}")


def _of_labels(rows: Rows, each: Metric, average: ScoreAverage) -> Estimate | list[Estimate]:
    """The metric of every label, or its average over labels, over rows or over all pairs of them."""
    area = each.name != "average_precision"
    if average is None:
        found = rows.each(each, range(len(rows.batch.labels)))
        if area:
            return found
        # without a negative row every precision is 1, without a positive one scikit-learn says 0
        seen = _weight_of_positives(rows.batch) > 0
        return [instead(one, float(some), warn=not some) for one, some in zip(found, seen, strict=True)]
    if average == "samples":
        return _over_rows(rows, each, area=area)
    name = "roc_auc" if area else "average_precision"
    mean = replace(METRICS[f"{name}_{average}"], contest=each)
    if area or average != "macro":
        return rows.estimate(mean)
    return _mean_with_empty_labels(rows, mean)


def _mean_with_empty_labels(rows: Rows, mean: Metric) -> Estimate:
    """The mean over labels, to which a label without a positive row adds nothing."""
    batch = rows.batch
    several = batch.truth.ndim == 2
    positive = _weight_of_positives(batch) > 0
    if positive.all() or not positive.any():
        return instead(rows.estimate(mean), 0.0, warn=True)
    assert batch.score is not None
    truth = batch.truth if several else np.eye(len(batch.labels), dtype=int)[batch.truth]
    kept = rows.changed(
        task="multilabel",
        truth=truth[:, positive],
        score=batch.score[:, positive],
        prediction=None,
        labels=tuple(np.array(batch.labels, dtype=object)[positive]),
    )
    note = f"{np.count_nonzero(~positive)} labels have no positive row and count as 0"
    warnings.warn(note, UndefinedMetricWarning, stacklevel=4)
    found = rescaled(kept.estimate(mean), float(positive.mean()))
    return with_value(found, found.value, notes=(*found.notes, note))


def _weight_of_positives(batch: Batch) -> Array:
    """How much the positive rows of each label (or class) weigh: rows of weight zero do not count."""
    if batch.truth.ndim == 2:
        return batch.truth.sum(axis=0) if batch.weight is None else batch.weight @ batch.truth
    return np.bincount(batch.truth, weights=batch.weight, minlength=len(batch.labels))


def _over_rows(rows: Rows, each: Metric, *, area: bool) -> Estimate:
    """The mean over rows of the metric on the row's own labels."""
    relevant = rows.batch.truth.sum(axis=1)
    if area:
        if each.name != "roc_auc":
            raise UsageError("average is 'samples', which has no partial area", fix="pass max_fpr=None")
        one_sided = np.flatnonzero((relevant == 0) | (relevant == rows.batch.truth.shape[1]))
        if len(one_sided):
            raise DataError(
                f"row {one_sided[0] + 1} has no or only relevant labels: its area is undefined ({len(one_sided)} rows)",
                fix="heldout.evaluate(y_true, y_score=y_score, metrics='roc_auc_samples') leaves such rows out",
            )
        return rows.estimate("roc_auc_samples")
    mean = METRICS["average_precision_samples"]
    if np.any(relevant == 0):
        note = f"{np.count_nonzero(relevant == 0)} rows have no relevant label and count as 0"
        warnings.warn(note, UndefinedMetricWarning, stacklevel=4)
        mean = replace(mean, rows={**(mean.rows or {}), "counted_rows": every_row})
    return rows.estimate(mean)


def _precision(rows: Rows, metric: Metric) -> Estimate:
    """Average precision of two classes; 1 without a negative row, 0 without a positive one."""
    found = rows.estimate(metric)
    if not isnan(found.value):
        return found
    if np.any(rows.batch.truth == rows.batch.positive):
        return instead(found, 1.0, why="no row is negative: every precision is 1")
    return instead(found, 0.0, warn=True, why="no row is positive")
