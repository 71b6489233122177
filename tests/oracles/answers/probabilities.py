"""Metrics of probabilities and of the order they give."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

import heldout
from tests.oracles.answers.asking import FAST, Answers, chances, named, ranked, rows
from tests.oracles.reader import Case

BINARY = {
    "roc_auc": "roc_auc",
    "average_precision": "average_precision",
    "brier": "brier",
    "log_loss": "log_loss",
    "log_loss_nats_default": "log_loss",
    "bbrier": "brier",
    "mbrier": "quadratic_loss",
    "auc": "roc_auc",
    "logloss_clipped_1e_15": "log_loss",
    "MLmetrics_LogLoss": "log_loss",
    "MLmetrics_KS": "ks",
    "MLmetrics_Gini": "gini",
}
SEVERAL = {
    "log_loss_nats": "log_loss",
    "brier_sum_over_classes": "quadratic_loss",
    "top1": "accuracy",
    "auc_ovr_macro": "roc_auc_ovr",
    "auc_ovo_macro": "roc_auc_ovo",
    "hand_till": "roc_auc_ovo",
}


def class_columns(case: Case) -> tuple[list[str], np.ndarray, list[str]]:
    """Truth, probabilities and classes, of the rows whose class has a column."""
    names = case.params["probabilities"]
    classes = [name.removeprefix("p[").removesuffix("]") for name in names]
    table = np.stack([rows(case).numbers(name) for name in names], axis=1)
    truth = rows(case).text(case.params["truth"])
    kept = [at for at, label in enumerate(truth) if label in classes]
    return [truth[at] for at in kept], table[kept], classes


@lru_cache(maxsize=16)
def several(case: Case) -> heldout.Evaluation:
    """Truth and a probability per class, all metrics."""
    truth, table, classes = class_columns(case)
    return heldout.evaluate(truth, y_proba=table, labels=classes, method=FAST)


def of_classes(case: Case, metric: str) -> heldout.Estimate:
    """One metric of a probability per class."""
    truth, table, classes = class_columns(case)
    return heldout.evaluate(truth, y_proba=table, labels=classes, metrics=metric, method=FAST)[metric]


def of_probability(case: Case, metric: str) -> heldout.Estimate:
    """One metric of the probability of the positive class."""
    of = rows(case)
    beside = {**of.beside, "metrics": metric, "method": FAST}
    return heldout.evaluate(of.text(of.truth), y_proba=of.numbers(of.told), **beside)[metric]


PROBABILITY: Answers = {
    **named(BINARY, chances),
    r"roc_auc_max_fpr_0_(\d+)": lambda case, limit: ranked(case, f"partial_auc_standardized@0.{limit}"),
    "d2_brier": lambda case: of_probability(case, "d2_brier"),
    "d2_log_loss": lambda case: of_probability(case, "d2_log_loss"),
}
MULTICLASS: Answers = {
    **named(SEVERAL, several),
    "auc_ovr_(weighted|micro)": lambda case, average: of_classes(case, f"roc_auc_{average}"),
    "auc_ovo_weighted": lambda case: of_classes(case, "roc_auc_ovo_weighted"),
    "ap_(macro|micro)": lambda case, average: of_classes(case, f"average_precision_{average}"),
    r"top([2-9])": lambda case, k: of_classes(case, f"top_{k}_accuracy"),
    r"ece_(\d+)bins_top_label": lambda case, bins: of_classes(case, f"ece@{bins}"),
}
