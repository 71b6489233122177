"""Metrics by scikit-learn's names: the same parameters and values, each value with its confidence interval.

    >>> from heldout.metrics import roc_auc_score
    >>> area = roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> float(area), area.low < area < area.high
    (0.75, True)

Every function takes the parameters of the function of that name in `sklearn.metrics`, and by keyword `groups`,
`confidence_level`, `method`, `side`, `n_resamples` and `random_state`. What it returns is an `Estimate`, a float with
`low`, `high`, `level`, `method`, `units` and `notes`. Where scikit-learn returns an array, as with `average=None` (one
value per class) and `multioutput='raw_values'` (one per target), it is a list of estimates, which `numpy.array` turns
into an array of the values; where scikit-learn returns a tuple or dict, it is a tuple or dict of estimates.

`METRICS` is the table of all metrics by heldout's names, `metric` finds one, `define` adds one.
"""

from __future__ import annotations

from heldout.formulas import ALIASES, METRICS, Metric, metric
from heldout.metrics.class_reports import classification_report, confusion_matrix, multilabel_confusion_matrix
from heldout.metrics.classification import (
    accuracy_score,
    balanced_accuracy_score,
    class_likelihood_ratios,
    cohen_kappa_score,
    hamming_loss,
    matthews_corrcoef,
    zero_one_loss,
)
from heldout.metrics.label_ranking import (
    coverage_error,
    dcg_score,
    label_ranking_average_precision_score,
    label_ranking_loss,
    ndcg_score,
)
from heldout.metrics.precision_recall import (
    f1_score,
    fbeta_score,
    jaccard_score,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
)
from heldout.metrics.probability import brier_score_loss, d2_brier_score, d2_log_loss_score, hinge_loss, log_loss
from heldout.metrics.ranking import average_precision_score, roc_auc_score, top_k_accuracy_score
from heldout.metrics.reading import UndefinedMetricWarning
from heldout.metrics.regression import (
    max_error,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_gamma_deviance,
    mean_pinball_loss,
    mean_poisson_deviance,
    mean_squared_error,
    mean_squared_log_error,
    mean_tweedie_deviance,
    median_absolute_error,
    root_mean_squared_error,
    root_mean_squared_log_error,
)
from heldout.metrics.skill_scores import (
    d2_absolute_error_score,
    d2_pinball_score,
    d2_tweedie_score,
    explained_variance_score,
    r2_score,
)
from heldout.verbs.own_metric import define

__all__ = [
    "ALIASES",
    "METRICS",
    "Metric",
    "UndefinedMetricWarning",
    "accuracy_score",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_score_loss",
    "class_likelihood_ratios",
    "classification_report",
    "cohen_kappa_score",
    "confusion_matrix",
    "coverage_error",
    "d2_absolute_error_score",
    "d2_brier_score",
    "d2_log_loss_score",
    "d2_pinball_score",
    "d2_tweedie_score",
    "dcg_score",
    "define",
    "explained_variance_score",
    "f1_score",
    "fbeta_score",
    "hamming_loss",
    "hinge_loss",
    "jaccard_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "log_loss",
    "matthews_corrcoef",
    "max_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_gamma_deviance",
    "mean_pinball_loss",
    "mean_poisson_deviance",
    "mean_squared_error",
    "mean_squared_log_error",
    "mean_tweedie_deviance",
    "median_absolute_error",
    "metric",
    "multilabel_confusion_matrix",
    "ndcg_score",
    "precision_recall_fscore_support",
    "precision_score",
    "r2_score",
    "recall_score",
    "roc_auc_score",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
    "top_k_accuracy_score",
    "zero_one_loss",
]
