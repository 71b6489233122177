from __future__ import annotations

import numpy as np
import pytest

from heldout.formulas import ALIASES, MARK_METRICS, METRICS, metric

NAMED = (
    *("accuracy", "error_rate", "balanced_accuracy", "precision", "recall", "specificity", "npv", "fpr", "fnr", "f1"),
    *("f0.5", "f2", "jaccard", "mcc", "kappa", "youden_j", "lr_positive", "lr_negative", "diagnostic_odds_ratio"),
    *("prevalence", "precision_macro", "recall_macro", "f1_macro", "precision_micro", "recall_micro", "f1_micro"),
    *("precision_weighted", "recall_weighted", "f1_weighted", "roc_auc", "average_precision", "eer", "partial_auc"),
    *("gini", "ks", "lift@10%", "gain@10%", "roc_auc_ovr", "roc_auc_ovo", "log_loss", "log_loss_bits", "brier"),
    *("quadratic_loss", "calibration_error", "calibration_slope", "calibration_intercept", "cost"),
    *("cost_minimum_risk", "mae", "mse", "rmse", "mape", "mspe", "rmspe", "wmape", "r2", "median_absolute_error"),
    *("max_error", "mean_error", "hamming_loss", "subset_accuracy"),
)


def test_every_metric_that_was_promised_is_there():
    assert [name for name in NAMED if name not in METRICS] == []


@pytest.mark.parametrize("name", METRICS)
def test_facts(name):
    one = METRICS[name]
    low, high = one.range
    assert low < high
    assert one.better in ("higher", "lower", None)
    assert one.tasks
    assert one.needs
    assert one.definition.endswith((".", "]")), one.definition
    assert metric(name) is one


def test_aliases_lead_to_metrics_and_hide_none():
    assert set(ALIASES.values()) <= set(METRICS)
    assert not set(ALIASES) & set(METRICS)
    assert metric("sensitivity") is METRICS["recall"]


def test_averages_over_labels_have_the_same_names():
    assert set(MARK_METRICS) == {name for name in METRICS if name.endswith(("_macro", "_micro", "_weighted"))}
    assert {one.tasks for one in MARK_METRICS.values()} == {("multilabel",)}


@pytest.mark.parametrize("name", [name for name, one in METRICS.items() if one.via is not None])
def test_a_metric_that_follows_another_is_that_function_of_it(name):
    one = METRICS[name]
    behind, function = METRICS[one.via[0]], one.via[1]
    rng = np.random.default_rng(0)
    shape = (8,) if one.reads == "scores" else ()
    sums = {part: rng.uniform(1, 5, shape) for part in {*one.needs, *behind.needs}}
    if behind.name == "accuracy":  # sums of one table: a wrong row is one class's false positive and another's miss
        table = rng.uniform(1, 5, (3, 3))
        hits = np.diag(table)
        sums = {"tp": hits, "fp": table.sum(axis=0) - hits, "fn": table.sum(axis=1) - hits}
    assert float(one(sums)) == pytest.approx(function(float(behind(sums))))


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("lift@5%", (0.0, 20.0)),
        ("gain@2.5%", (0.0, 1.0)),
        ("f3", (0.0, 1.0)),
        ("pinball@0.9", (0.0, np.inf)),
        ("partial_auc@0.1-0.3", (0.0, pytest.approx(0.2))),
    ],
)
def test_metrics_with_a_number_in_their_name(name, made):
    assert (metric(name).name, metric(name).range) == (name, made)
