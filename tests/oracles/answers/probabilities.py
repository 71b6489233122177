"""Metrics of probabilities and of the order they give."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

import heldout
from tests.oracles.answers.asking import FAST, Answers, chances, named, ranked, rows
from tests.oracles.answers.calibration import gap
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


def skill(case: Case, metric: str) -> float:
    """How much of the loss of the constant predictor is saved."""
    found = chances(case)
    return 1 - found[metric] / found.baseline.values[metric]


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


def mean_over_classes(case: Case, metric: str, *, by_size: bool = False) -> float:
    found = several(case)
    sizes = found.confusion.sum(axis=1) if by_size else None
    return float(np.average([found.classes[str(label)][metric] for label in found.labels], weights=sizes))


def pooled(case: Case, metric: str) -> heldout.Estimate:
    """Every class of every row as a row of its own: does it hold or not?"""
    truth, table, classes = class_columns(case)
    holds = np.array(truth)[:, None] == np.array(classes)
    return heldout.evaluate(holds.ravel().astype(int), y_score=table.ravel(), metrics=metric, method=FAST)[metric]


PROBABILITY: Answers = {
    **named(BINARY, chances),
    r"roc_auc_max_fpr_0_(\d+)": lambda case, limit: ranked(case, f"partial_auc_standardized@0.{limit}"),
    "d2_brier": lambda case: skill(case, "brier"),
    "d2_log_loss": lambda case: skill(case, "log_loss"),
}
MULTICLASS: Answers = {
    **named(SEVERAL, several),
    "auc_ovr_weighted": lambda case: mean_over_classes(case, "roc_auc", by_size=True),
    "auc_ovr_micro": lambda case: pooled(case, "roc_auc"),
    "ap_macro": lambda case: mean_over_classes(case, "average_precision"),
    "ap_micro": lambda case: pooled(case, "average_precision"),
    r"ece_(\d+)bins_top_label": lambda case, bins: gap(several(case), int(bins), "width", 1),
}
