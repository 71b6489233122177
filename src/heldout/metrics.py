"""Metrics by the names that scikit-learn's users know: each gives an `Estimate`, a float with its interval.

    >>> from heldout.metrics import roc_auc_score
    >>> area = roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> float(area), area.low < area < area.high
    (0.75, True)

Every function takes the truth first and, besides its own parameters, `sample_weight`, `groups`, `confidence_level`,
`method`, `side` and `random_state`. `METRICS` is the table of all metrics, `metric` finds one by name.
"""

from __future__ import annotations

from typing import Any

from heldout.batch import Label
from heldout.errors import UsageError
from heldout.estimates import Estimate
from heldout.formulas import ALIASES, METRICS, Metric, metric
from heldout.verbs.evaluate.evaluate import evaluate
from heldout.verbs.own_metric import define

__all__ = [
    "ALIASES",
    "METRICS",
    "Metric",
    "accuracy_score",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_score_loss",
    "cohen_kappa_score",
    "define",
    "f1_score",
    "fbeta_score",
    "hamming_loss",
    "jaccard_score",
    "log_loss",
    "matthews_corrcoef",
    "max_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_pinball_loss",
    "mean_squared_error",
    "median_absolute_error",
    "metric",
    "precision_score",
    "r2_score",
    "recall_score",
    "roc_auc_score",
    "root_mean_squared_error",
    "zero_one_loss",
]


def accuracy_score(y_true: Any, y_pred: Any, **options: Any) -> Estimate:
    """Share of the rows that are right (several labels per row: all of them)."""
    return _labels("accuracy", y_true, y_pred, options, several="subset_accuracy")


def zero_one_loss(y_true: Any, y_pred: Any, **options: Any) -> Estimate:
    """Share of the rows that are wrong."""
    return _labels("error_rate", y_true, y_pred, options)


def balanced_accuracy_score(y_true: Any, y_pred: Any, **options: Any) -> Estimate:
    """Mean recall over the classes that occur in the truth."""
    return _labels("balanced_accuracy", y_true, y_pred, options)


def matthews_corrcoef(y_true: Any, y_pred: Any, **options: Any) -> Estimate:
    """Matthews correlation of truth and prediction."""
    return _labels("mcc", y_true, y_pred, options)


def cohen_kappa_score(y_true: Any, y_pred: Any, **options: Any) -> Estimate:
    """Cohen's kappa: accuracy beyond that of a random predictor with the same margins."""
    return _labels("kappa", y_true, y_pred, options)


def hamming_loss(y_true: Any, y_pred: Any, **options: Any) -> Estimate:
    """Share of all labels of all rows that are wrong."""
    return _labels("error_rate", y_true, y_pred, options, several="hamming_loss")


def precision_score(
    y_true: Any, y_pred: Any, *, average: str = "binary", pos_label: Label | None = None, **options: Any
) -> Estimate:
    """Share of the predicted positives that are positive; `average`: binary, macro, micro or weighted."""
    return _labels(_averaged("precision", average), y_true, y_pred, options, pos_label=pos_label)


def recall_score(
    y_true: Any, y_pred: Any, *, average: str = "binary", pos_label: Label | None = None, **options: Any
) -> Estimate:
    """Share of the positives that are found; `average`: binary, macro, micro or weighted."""
    return _labels(_averaged("recall", average), y_true, y_pred, options, pos_label=pos_label)


def f1_score(
    y_true: Any, y_pred: Any, *, average: str = "binary", pos_label: Label | None = None, **options: Any
) -> Estimate:
    """Harmonic mean of precision and recall; `average`: binary, macro, micro or weighted."""
    return _labels(_averaged("f1", average), y_true, y_pred, options, pos_label=pos_label)


def fbeta_score(y_true: Any, y_pred: Any, *, beta: float, pos_label: Label | None = None, **options: Any) -> Estimate:
    """F measure in which recall counts beta times as much as precision."""
    return _labels(f"f{beta:g}", y_true, y_pred, options, pos_label=pos_label)


def jaccard_score(
    y_true: Any, y_pred: Any, *, average: str = "binary", pos_label: Label | None = None, **options: Any
) -> Estimate:
    """Overlap of what is and what was said; `average`: binary, macro, micro or weighted."""
    return _labels(_averaged("jaccard", average), y_true, y_pred, options, pos_label=pos_label)


def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    max_fpr: float | None = None,
    multi_class: str = "ovr",
    pos_label: Label | None = None,
    **options: Any,
) -> Estimate:
    """Area under the ROC curve (standardized, up to `max_fpr`, where given); several classes: `ovr` or `ovo`."""
    if max_fpr is not None and max_fpr < 1:
        return _one(f"partial_auc_standardized@{max_fpr:g}", y_true, options, y_score=y_score, pos_label=pos_label)
    if multi_class not in ("ovr", "ovo"):
        raise UsageError(f"multi_class is {multi_class!r}, but must be 'ovr' or 'ovo'")
    name = f"roc_auc_{multi_class}" if _columns(y_score) > 1 else "roc_auc"
    beside = {"y_proba": y_score} if _columns(y_score) > 1 else {"y_score": y_score}
    return _one(name, y_true, options, pos_label=pos_label, **beside)


def average_precision_score(y_true: Any, y_score: Any, *, pos_label: Label | None = None, **options: Any) -> Estimate:
    """Precision averaged over the positives by falling score."""
    return _one("average_precision", y_true, options, y_score=y_score, pos_label=pos_label)


def log_loss(y_true: Any, y_proba: Any, *, pos_label: Label | None = None, **options: Any) -> Estimate:
    """Mean of -ln p of what happened; infinite where a row gave it probability zero."""
    return _one("log_loss", y_true, options, y_proba=y_proba, pos_label=pos_label)


def brier_score_loss(y_true: Any, y_proba: Any, *, pos_label: Label | None = None, **options: Any) -> Estimate:
    """Mean squared distance between the probability of the positive class and what happened."""
    name = "quadratic_loss" if _columns(y_proba) > 1 else "brier"
    return _one(name, y_true, options, y_proba=y_proba, pos_label=pos_label)


def mean_absolute_error(y_true: Any, y_pred: Any, **options: Any) -> Estimate:
    """Mean of |t - p|."""
    return _numbers("mae", y_true, y_pred, options)


def mean_squared_error(y_true: Any, y_pred: Any, **options: Any) -> Estimate:
    """Mean of (t - p)²."""
    return _numbers("mse", y_true, y_pred, options)


def root_mean_squared_error(y_true: Any, y_pred: Any, **options: Any) -> Estimate:
    """Root of the mean of (t - p)²."""
    return _numbers("rmse", y_true, y_pred, options)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any, **options: Any) -> Estimate:
    """Mean of |t - p| / |t|; a target of zero is an error that names the row."""
    return _numbers("mape", y_true, y_pred, options)


def median_absolute_error(y_true: Any, y_pred: Any, **options: Any) -> Estimate:
    """The middle of |t - p|."""
    return _numbers("median_absolute_error", y_true, y_pred, options)


def max_error(y_true: Any, y_pred: Any, **options: Any) -> Estimate:
    """The largest |t - p|."""
    return _numbers("max_error", y_true, y_pred, options)


def r2_score(y_true: Any, y_pred: Any, **options: Any) -> Estimate:
    """Share of the spread of the truth that is explained."""
    return _numbers("r2", y_true, y_pred, options)


def mean_pinball_loss(y_true: Any, y_pred: Any, *, alpha: float = 0.5, **options: Any) -> Estimate:
    """Mean loss of a predicted quantile."""
    return _numbers(f"pinball@{alpha:g}", y_true, y_pred, options)


def _averaged(name: str, average: str) -> str:
    known = ("binary", "macro", "micro", "weighted")
    if average not in known:
        raise UsageError(f"average is {average!r}, but must be one of {', '.join(known)}")
    return name if average == "binary" else f"{name}_{average}"


def _labels(
    name: str,
    y_true: Any,
    y_pred: Any,
    options: dict[str, Any],
    *,
    several: str | None = None,
    pos_label: Label | None = None,
) -> Estimate:
    if several is not None and _columns(y_true) > 1:
        return _one(several, y_true, options, y_pred=y_pred)
    return _one(name, y_true, options, y_pred=y_pred, pos_label=pos_label)


def _numbers(name: str, y_true: Any, y_pred: Any, options: dict[str, Any]) -> Estimate:
    return _one(name, y_true, options, y_pred=y_pred, task="regression")


def _one(name: str, y_true: Any, options: dict[str, Any], **beside: Any) -> Estimate:
    return evaluate(y_true, metrics=name, **beside, **options)[name]


def _columns(values: Any) -> int:
    shape = getattr(values, "shape", None)
    if shape is None:
        first = values[0] if len(values) else 0
        return len(first) if isinstance(first, list | tuple) else 1
    return int(shape[1]) if len(shape) == 2 else 1
