"""Metrics of decided labels: accuracy and error rate, correlation, kappa, likelihood ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan, nan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from heldout.batch import Label
from heldout.errors import UsageError
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import Side
from heldout.estimates.value_with_interval import rescaled, with_value
from heldout.formulas import METRICS
from heldout.metrics.documentation import documented
from heldout.metrics.reading import Options, RandomState, Rows, instead, read_labels, restricted, within


@documented
def accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Share of the rows that are right; of several labels per row, all of them must be.

    Examples
    --------
    >>> from heldout.metrics import accuracy_score
    >>> accuracy_score([0, 1, 2, 3], [0, 2, 1, 3])
    0.500 [0.150, 0.850]
    >>> float(accuracy_score([0, 1, 2, 3], [0, 2, 1, 3], normalize=False))
    2.0
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = read_labels(y_true, y_pred, options)
    share = rows.estimate("subset_accuracy" if rows.batch.task == "multilabel" else "accuracy")
    return share if normalize else rescaled(share, rows.total)


@documented
def zero_one_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Share of the rows that are wrong; of several labels per row, one wrong label is enough.

    Examples
    --------
    >>> from heldout.metrics import zero_one_loss
    >>> zero_one_loss([1, 2, 3, 4], [2, 2, 3, 4])
    0.250 [0.046, 0.699]
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = read_labels(y_true, y_pred, options)
    if rows.batch.task == "multilabel":
        right = rows.estimate("subset_accuracy")
        share = rescaled(right, -1, 1, name="zero_one_loss", better="lower", count=None)
    else:
        share = rows.estimate("error_rate")
    return share if normalize else rescaled(share, rows.total)


@documented
def hamming_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Share of all labels of all rows that are wrong; with one label per row, the error rate.

    Examples
    --------
    >>> from heldout.metrics import hamming_loss
    >>> float(hamming_loss([[0, 1], [1, 1]], [[0, 0], [1, 1]]))
    0.25
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = read_labels(y_true, y_pred, options)
    return rows.estimate("hamming_loss" if rows.batch.task == "multilabel" else "error_rate")


@documented
def balanced_accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    adjusted: bool = False,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Mean recall over the classes that occur in y_true.

    Parameters
    ----------
    adjusted : bool, default: False
        Rescale so that guessing has the value 0 and no error the value 1.

    Examples
    --------
    >>> from heldout.metrics import balanced_accuracy_score
    >>> balanced_accuracy_score([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])
    0.625 [0.322, 0.852]
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = _one_label(read_labels(y_true, y_pred, options), "balanced accuracy")
    mean = rows.estimate("balanced_accuracy")
    if not adjusted:
        return mean
    weights = np.bincount(rows.batch.truth, weights=rows.batch.weight)
    chance = 1 / np.count_nonzero(weights)
    if chance == 1:
        return instead(with_value(mean, nan), nan, why="one class has no accuracy beyond chance")
    return rescaled(mean, 1 / (1 - chance), -chance / (1 - chance), name="balanced_accuracy, adjusted")


@documented
def matthews_corrcoef(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Matthews correlation of truth and prediction; 0, with a note, where one of them does not vary.

    Examples
    --------
    >>> from heldout.metrics import matthews_corrcoef
    >>> matthews_corrcoef([1, 1, 1, 0, 0, 1, 0, 0], [1, 0, 1, 1, 0, 1, 0, 0])
    0.500 [-0.246, 0.874]
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = _one_label(read_labels(y_true, y_pred, options), "the Matthews correlation")
    return instead(rows.estimate("mcc"), 0.0)


@documented
def cohen_kappa_score(
    y1: ArrayLike,
    y2: ArrayLike,
    *,
    labels: Sequence[Label] | None = None,
    weights: Literal["linear", "quadratic"] | None = None,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: float = nan,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Cohen's kappa: agreement of two raters beyond that of chance.

    Parameters
    ----------
    y1 : array-like of shape (n_samples,)
        Labels of the first rater.
    y2 : array-like of shape (n_samples,)
        Labels of the second rater. Exchanging the two changes nothing.
    labels : list of labels, default: None
        Labels that count, in this order; rows with another label are left out. None: all labels, sorted.
    weights : {'linear', 'quadratic'} or None, default: None
        Weigh a disagreement by the distance of the two labels in their order, or by its square.

    Examples
    --------
    >>> from heldout.metrics import cohen_kappa_score
    >>> cohen_kappa_score([0, 0, 1, 1, 2, 2, 2, 1], [0, 1, 1, 1, 2, 2, 1, 1], weights="linear")
    0.667 [-1.000, 1.000]
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    within(weights, "weights", (None, "linear", "quadratic"))
    rows = _one_label(read_labels(y1, y2, options, called=("y1", "y2")), "kappa")
    rows = restricted(rows, labels, "y1")
    two = len(rows.batch.labels) == 2  # whose distance is 1
    kappa = rows.estimate("kappa" if weights is None or two else f"kappa_{weights}")
    return instead(kappa, replace_undefined_by)


@documented
def class_likelihood_ratios(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[Label] | None = None,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: float | Mapping[str, float] = nan,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> tuple[Estimate, Estimate]:
    """Positive and negative likelihood ratio of two classes: recall / FPR and FNR / specificity.

    Parameters
    ----------
    labels : list of labels, default: None
        The negative and the positive class, needed where the rows have one of them only. None: both labels, sorted.
    replace_undefined_by : float or dict, default: nan
        The value of a ratio whose denominator is 0: nan, 1.0, or {'LR+': value of 1 or more, 'LR-': value in [0, 1]}.

    Returns
    -------
    tuple of Estimate
        Positive and negative likelihood ratio, each with its confidence interval.

    Examples
    --------
    >>> from heldout.metrics import class_likelihood_ratios
    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5 [0.2, 12.5], 0.8 [0.2, 3.7])
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = _one_label(read_labels(y_true, y_pred, options), "a likelihood ratio")
    _at_most_two(rows.batch.labels)
    rows = restricted(rows, labels, "y_true")
    if len(rows.batch.labels) != 2:
        listed = ", ".join(map(repr, rows.batch.labels[:10]))
        raise UsageError(
            f"likelihood ratios need two classes, and these are {len(rows.batch.labels)}: {listed}",
            fix="pass labels=[negative, positive]",
        )
    sums = rows.measured(METRICS["lr_positive"]).labels.sums
    pair = []
    for (name, value), missing in zip(_replaced_ratios(replace_undefined_by).items(), ("fp", "tn"), strict=True):
        ratio = rows.each(METRICS[name], [1])[0]
        if sums[missing][1] == 0:  # infinite or 0/0
            ratio = instead(with_value(ratio, nan), value, why=f"the denominator of {name} is 0")
        pair.append(ratio)
    return pair[0], pair[1]


def _at_most_two(labels: Sequence[Label]) -> None:
    """Refuse three classes or more, as scikit-learn does whatever `labels` says."""
    if len(labels) > 2:
        listed = ", ".join(map(repr, labels[:10]))
        against = f"y_true == {labels[-1]!r}, y_pred == {labels[-1]!r}"
        raise UsageError(
            f"likelihood ratios need two classes, and these are {len(labels)}: {listed}",
            fix=f"keep the rows of two classes, or make one class against the rest: {against}",
        )


def _replaced_ratios(given: float | Mapping[str, float]) -> dict[str, float]:
    """What takes the place of each undefined ratio."""
    if isinstance(given, Mapping):
        keys = {"LR+", "LR-"} <= set(given)
        if keys and not given["LR+"] < 1 and not given["LR-"] < 0 and not given["LR-"] > 1:
            return {"lr_positive": float(given["LR+"]), "lr_negative": float(given["LR-"])}
    elif isnan(given) or given == 1:
        return {"lr_positive": float(given), "lr_negative": float(given)}
    raise UsageError(
        f"replace_undefined_by is {given!r}, but must be nan, 1.0 or a dict with 'LR+' from 1 on and 'LR-' in [0, 1]",
        fix="pass replace_undefined_by={'LR+': 1.0, 'LR-': 1.0}",
    )


def _one_label(rows: Rows, name: str) -> Rows:
    """Refuse several labels per row."""
    if rows.batch.task == "multilabel":
        raise UsageError(
            f"{name} needs one label per row, and y_true has {rows.batch.truth.shape[1]} columns",
            fix="pass one column of labels",
        )
    return rows
