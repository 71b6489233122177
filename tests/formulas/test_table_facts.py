"""The facts of the table of metrics, held against what the metrics do: which way is better, between which values."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

import heldout
from heldout.formulas import MARK_METRICS, METRICS, metric

RNG = np.random.default_rng
ROWS = 60
TRUTHS = {
    "binary": np.arange(ROWS) % 2,
    "multiclass": np.arange(ROWS) % 3,
    "multilabel": np.array([[0, 1, 1], [1, 0, 0], [1, 1, 0], [0, 0, 1]] * (ROWS // 4)),
    "regression": RNG(1).gamma(3, 1, ROWS) + 0.5,
}
NO_SIDE = ("prevalence", "mean_error", "calibration_slope", "calibration_intercept")
NEEDS_COSTS = ("cost", "cost_minimum_risk")
ELSEWHERE = ("lift@10%", "gain@10%", "coverage_error", "dcg")
"""Their best value depends on the rows: how many are positive, and how many labels a row has."""
CASES = [
    (name, task)
    for name, one in METRICS.items()
    for task in one.tasks
    # one of two classes is always among two, and the margins of the hinge loss are not probabilities
    if (name, task) not in (("top_2_accuracy", "binary"), ("hinge_loss", "binary"))
]


def given(task: str, said: np.ndarray, scored: bool) -> dict:
    """What evaluate takes, from predictions that are labels or numbers."""
    if task == "binary":  # all but certain: what is 0 or 1 in every row is taken for decisions
        return {"y_proba": np.abs(said - 1e-9 * np.arange(ROWS)), "pos_label": 1}
    if task == "multiclass":
        return {"y_proba": np.eye(3)[said]}
    if task == "multilabel":
        return {"y_score" if scored else "y_pred": said.astype(float) if scored else said}
    return {"y_pred": said, "task": "regression"}


def value(name: str, task: str, said: np.ndarray, truth: np.ndarray | None = None):
    options = {"n_resamples": 100, "metrics": [name]}
    if name in NEEDS_COSTS:
        costs = [[0, 1], [5, 0]] if task == "binary" else [[0, 1, 2], [1, 0, 1], [5, 1, 0]]
        options["cost"] = np.array(costs)
    rows = given(task, said, not METRICS[name].of_labels)
    return heldout.evaluate(TRUTHS[task] if truth is None else truth, **rows, **options)[name]


def guessed(task: str, seed: int) -> np.ndarray:
    """Predictions that have nothing to do with the truth."""
    return RNG(seed).permutation(TRUTHS[task])


@pytest.mark.parametrize(("name", "task"), [one for one in CASES if one[0] not in (*NO_SIDE, *NEEDS_COSTS, *ELSEWHERE)])
def test_perfect_predictions_are_at_the_better_end_of_the_range(name, task):
    one, found = METRICS[name], value(name, task, TRUTHS[task])
    best = one.range[1] if one.better == "higher" else one.range[0]
    assert found.value == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize(("name", "task"), [one for one in CASES if one[0] not in NO_SIDE])
def test_perfect_predictions_are_better_than_guesses_and_all_lie_in_the_range(name, task):
    one, best = METRICS[name], value(name, task, TRUTHS[task]).value
    for seed in range(3):
        found = value(name, task, guessed(task, seed))
        assert one.range[0] <= found.value <= one.range[1]
        assert one.range[0] <= found.low <= found.high <= one.range[1]
        assert found.value < best if one.better == "higher" else found.value > best


@pytest.mark.parametrize("name", NO_SIDE)
def test_some_metrics_have_no_better_side(name):
    assert METRICS[name].better is None


WORST = {
    **dict.fromkeys(("accuracy", "balanced_accuracy", "precision", "recall", "specificity", "npv"), 0.0),
    **dict.fromkeys(("f1", "f0.5", "f2"), 0.0),
    **dict.fromkeys(("jaccard", "roc_auc", "ks", "partial_auc", "gain@10%", "lift@10%", "lr_positive"), 0.0),
    **dict.fromkeys(("mcc", "kappa", "youden_j", "gini", "kappa_linear", "kappa_quadratic"), -1.0),
    **dict.fromkeys(("error_rate", "fpr", "fnr", "eer", "brier", "ece"), 1.0),
    "quadratic_loss": 2.0,
    **dict.fromkeys(("log_loss", "log_loss_bits", "lr_negative"), inf),
    "diagnostic_odds_ratio": 0.0,
}


@pytest.mark.parametrize("name", WORST)
def test_turned_round_predictions_are_at_the_worse_end_of_the_range(name):
    one, found = METRICS[name], value(name, "binary", 1 - TRUTHS["binary"])
    worst = one.range[0] if one.better == "higher" else one.range[1]
    assert (found.value, worst) == pytest.approx((WORST[name], WORST[name]), abs=1e-6)


@pytest.mark.parametrize(
    "name", ["r2", "explained_variance", "d2_absolute_error", "d2_log_loss", "d2_brier", "mae", "mse"]
)
def test_losses_and_shares_of_them_have_no_worst_value(name):
    one = METRICS[name]
    assert (one.range[0] if one.better == "higher" else one.range[1]) in (-inf, inf)


PRINTED = {
    "binary": {
        "accuracy", "balanced_accuracy", "mcc", "precision", "recall", "specificity", "npv", "f1", "roc_auc",
        "average_precision", "log_loss", "brier", "ece", "calibration_slope", "cost", "cost_minimum_risk",
    },
    "multiclass": {
        "accuracy", "balanced_accuracy", "mcc", "f1_macro", "roc_auc_ovr", "log_loss", "ece", "cost",
        "cost_minimum_risk",
    },
    "multilabel": {"subset_accuracy", "hamming_loss"},
    "regression": {"mae", "rmse", "r2", "median_absolute_error", "mean_error"},
}  # fmt: skip
"""The short table that a user sees first."""


@pytest.mark.parametrize("task", PRINTED)
def test_the_short_table_of_a_task(task):
    assert {name for name, one in METRICS.items() if one.printed and task in one.tasks} == PRINTED[task]


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("ppv", "precision"), ("sensitivity", "recall"), ("tpr", "recall"), ("tnr", "specificity"), ("dice", "f1"),
        ("iou", "jaccard"), ("informedness", "youden_j"), ("lr+", "lr_positive"), ("lr-", "lr_negative"),
        ("dor", "diagnostic_odds_ratio"), ("matthews", "mcc"), ("cohen_kappa", "kappa"), ("auc", "roc_auc"),
        ("auroc", "roc_auc"), ("ap", "average_precision"), ("auprc", "average_precision"),
        ("equal_error_rate", "eer"), ("hand_till", "roc_auc_ovo"), ("label_ranking_average_precision", "lrap"),
        ("cross_entropy", "log_loss"), ("informational_loss", "log_loss_bits"),
        ("expected_calibration_error", "ece"), ("mean_absolute_error", "mae"), ("mean_squared_error", "mse"),
        ("root_mean_squared_error", "rmse"),
    ],
)  # fmt: skip
def test_other_names_that_the_field_uses(alias, name):
    assert metric(alias).name == metric(alias.upper()).name == name


BY_NAME = {
    "kappa_linear", "kappa_quadratic", "top_2_accuracy", "hinge_loss", "d2_log_loss", "d2_brier", "ndcg", "dcg", "lrap",
    "label_ranking_loss", "coverage_error", "roc_auc_samples", "average_precision_samples", "roc_auc_macro",
    "roc_auc_micro", "roc_auc_weighted", "roc_auc_ovo_weighted", "average_precision_macro", "average_precision_micro",
    "average_precision_weighted", "precision_samples", "recall_samples", "f1_samples", "jaccard_samples",
    "explained_variance", "d2_absolute_error", "msle", "rmsle", "poisson_deviance", "gamma_deviance",
}  # fmt: skip
"""Computed only where they are asked for: they take long, or most readers do not want them."""


@pytest.mark.parametrize("task", PRINTED)
def test_what_is_computed_without_being_asked_for(task):
    rows = given(task, TRUTHS[task], scored=False)
    found = heldout.evaluate(TRUTHS[task], **rows, n_resamples=100)
    asked = {"cost", "cost_minimum_risk"}
    wanted = {name for name, one in METRICS.items() if task in one.tasks} - BY_NAME - asked
    wanted |= set(MARK_METRICS) if task == "multilabel" else set()
    assert set(found.estimates) == wanted
