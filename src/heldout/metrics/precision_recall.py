"""Precision, recall and what is made of them, of one class, of every class or averaged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from heldout.batch import Array, Label
from heldout.errors import UsageError
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import Side
from heldout.formulas import METRICS, Metric
from heldout.formulas.families import fbeta
from heldout.metrics.class_averages import Average, ZeroDivision, choose, class_scores
from heldout.metrics.documentation import documented
from heldout.metrics.reading import Options, RandomState, Rows, read_labels


@documented
def precision_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Share of the predicted positives that are positive: TP / (TP + FP).

    Examples
    --------
    >>> from heldout.metrics import precision_score
    >>> precision_score([0, 1, 1, 0, 1, 1], [0, 1, 0, 1, 1, 1])
    0.750 [0.301, 0.954]
    >>> [float(one) for one in precision_score([0, 1, 2], [0, 2, 2], average=None, zero_division=0)]
    [1.0, 0.0, 0.5]
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = read_labels(y_true, y_pred, options)
    return class_scores(
        rows, METRICS["precision"], labels=labels, pos_label=pos_label, average=average, zero_division=zero_division
    )


@documented
def recall_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Share of the positives that are found: TP / (TP + FN).

    Examples
    --------
    >>> from heldout.metrics import recall_score
    >>> recall_score([0, 1, 1, 0, 1, 1], [0, 1, 0, 1, 1, 1])
    0.750 [0.301, 0.954]
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = read_labels(y_true, y_pred, options)
    return class_scores(
        rows, METRICS["recall"], labels=labels, pos_label=pos_label, average=average, zero_division=zero_division
    )


@documented
def f1_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Harmonic mean of precision and recall: 2 TP / (2 TP + FP + FN).

    Examples
    --------
    >>> from heldout.metrics import f1_score
    >>> f1_score([0, 1, 1, 0, 1, 1], [0, 1, 0, 1, 1, 1])
    0.750 [0.375, 0.938]
    >>> f1_score([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1], average="macro")
    0.267 [0.083, 0.603]
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = read_labels(y_true, y_pred, options)
    return class_scores(
        rows, METRICS["f1"], labels=labels, pos_label=pos_label, average=average, zero_division=zero_division
    )


@documented
def fbeta_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """F measure in which recall counts beta times as much as precision.

    Parameters
    ----------
    beta : float
        Weight of recall against precision, 0 or more: 0 is precision alone, 1 is F1, infinity is recall alone.

    Examples
    --------
    >>> from heldout.metrics import fbeta_score
    >>> float(fbeta_score([0, 1, 1, 0, 1, 1], [0, 1, 0, 1, 1, 0], beta=0.5))
    0.625
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = read_labels(y_true, y_pred, options)
    return class_scores(
        rows, f_measure(beta), labels=labels, pos_label=pos_label, average=average, zero_division=zero_division
    )


@documented
def jaccard_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Overlap of the true and the predicted positives (IoU): TP / (TP + FP + FN).

    Examples
    --------
    >>> from heldout.metrics import jaccard_score
    >>> jaccard_score([0, 1, 1, 0, 1, 1], [0, 1, 0, 1, 1, 1])
    0.600 [0.231, 0.882]
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = read_labels(y_true, y_pred, options)
    return class_scores(
        rows, METRICS["jaccard"], labels=labels, pos_label=pos_label, average=average, zero_division=zero_division
    )


@documented
def precision_recall_fscore_support(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = 1,
    average: Average = None,
    warn_for: Iterable[str] = ("precision", "recall", "f-score"),
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> tuple[Any, Any, Any, Array | None]:
    """Precision, recall, F measure and number of true rows, of every class or averaged.

    Parameters
    ----------
    beta : float, default: 1.0
        Weight of recall against precision in the F measure.
    average : {'binary', 'micro', 'macro', 'weighted', 'samples'} or None, default: None
        None: lists with one estimate per class. Else one estimate each, averaged as in `precision_score`.
    warn_for : list of {'precision', 'recall', 'f-score'}
        Which of the three warn where they are 0/0 and zero_division is 'warn' (default: all).

    Returns
    -------
    tuple of (precision, recall, fbeta, support)
        Three estimates, or three lists of them where average is None. support is an array with the weight of the true
        rows of each class, or None where averaged.

    Examples
    --------
    >>> from heldout.metrics import precision_recall_fscore_support
    >>> precision, recall, f1, support = precision_recall_fscore_support([0, 1, 1, 2], [0, 1, 2, 2])
    >>> [float(one) for one in recall], support.tolist()
    ([1.0, 0.5, 1.0], [1, 2, 1])
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = read_labels(y_true, y_pred, options)
    metrics = {"precision": METRICS["precision"], "recall": METRICS["recall"], "f-score": f_measure(beta)}
    scores = []
    for name, metric in metrics.items():
        quiet = 0 if zero_division == "warn" and name not in warn_for else zero_division
        scores.append(
            class_scores(rows, metric, labels=labels, pos_label=pos_label, average=average, zero_division=quiet)
        )
    support = support_of(*choose(rows, labels), sample_weight) if average is None else None
    return scores[0], scores[1], scores[2], support


def f_measure(beta: float) -> Metric:
    """The F measure of one class; precision where recall counts nothing, recall where precision does.

    >>> f_measure(1).name, f_measure(0).name, f_measure(float("inf")).name
    ('f1', 'precision', 'recall')
    """
    if not beta >= 0:
        raise UsageError(f"beta is {beta!r}, but must be 0 or more", fix="pass beta=1 for F1")
    ends = {0.0: "precision", 1.0: "f1", float("inf"): "recall"}
    return METRICS[ends[beta]] if beta in ends else METRICS.get(f"f{beta:g}") or fbeta(beta)


def support_of(rows: Rows, chosen: list[int], sample_weight: Any) -> Array:
    """What the true rows of each class weigh; counts where weights are whole."""
    sums = rows.measured(METRICS["recall"]).labels.sums
    total = (np.asarray(sums["tp"]) + np.asarray(sums["fn"]))[chosen] * (rows.total / rows.batch.rows)
    return total if has_fractions(sample_weight) else np.rint(total).astype(np.int64)


def has_fractions(sample_weight: Any) -> bool:
    """Whether rows have weights that need not be whole numbers."""
    return sample_weight is not None and np.asarray(sample_weight).dtype.kind not in "iub"
