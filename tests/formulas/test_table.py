from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as peers

import heldout
from heldout.errors import UsageError
from heldout.formulas import ALIASES, MARK_METRICS, METRICS, metric

NAMED = (
    *("accuracy", "error_rate", "balanced_accuracy", "precision", "recall", "specificity", "npv", "fpr", "fnr", "f1"),
    *("f0.5", "f2", "jaccard", "mcc", "kappa", "youden_j", "lr_positive", "lr_negative", "diagnostic_odds_ratio"),
    *("prevalence", "precision_macro", "recall_macro", "f1_macro", "precision_micro", "recall_micro", "f1_micro"),
    *("precision_weighted", "recall_weighted", "f1_weighted", "roc_auc", "average_precision", "eer", "partial_auc"),
    *("gini", "ks", "lift@10%", "gain@10%", "roc_auc_ovr", "roc_auc_ovo", "log_loss", "log_loss_bits", "brier"),
    *("quadratic_loss", "ece", "rms_calibration_error_debiased", "calibration_slope", "calibration_intercept", "cost"),
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
    averages = ("_macro", "_micro", "_weighted")
    assert set(MARK_METRICS) == {
        one.name for one in METRICS.values() if one.name.endswith(averages) and not one.contest
    }
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


SCIKIT_LEARN = {
    "f1_score": "f1", "r2_score": "r2", "accuracy_score": "accuracy", "precision_score": "precision",
    "recall_score": "recall", "roc_auc_score": "roc_auc", "mean_squared_error": "mse", "mean_absolute_error": "mae",
    "root_mean_squared_error": "rmse", "mean_absolute_percentage_error": "mape", "brier_score_loss": "brier",
    "matthews_corrcoef": "mcc", "cohen_kappa_score": "kappa", "jaccard_score": "jaccard", "zero_one_loss": "error_rate",
    "average_precision_score": "average_precision", "top_k_accuracy_score": "top_2_accuracy", "log_loss": "log_loss",
    "explained_variance_score": "explained_variance", "max_error": "max_error", "ndcg_score": "ndcg",
}  # fmt: skip


@pytest.mark.parametrize(("name", "known"), SCIKIT_LEARN.items())
def test_functions_of_scikit_learn_are_names_of_metrics(name, known):
    assert metric(name) is METRICS[known]


WITH_A_NUMBER = ("d2_pinball_score", "d2_tweedie_score", "fbeta_score", "mean_pinball_loss", "mean_tweedie_deviance")
WITHOUT_A_METRIC = ("class_likelihood_ratios", "classification_report", "precision_recall_fscore_support")


def test_every_function_of_scikit_learn_is_a_name_or_has_a_number():
    from heldout import metrics

    for name in metrics.__all__:
        if hasattr(peers, name) and name not in WITHOUT_A_METRIC and "matrix" not in name:
            assert (name in METRICS or name in ALIASES) != (name in WITH_A_NUMBER), name


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("acuracy", "no metric is named 'acuracy'; did you mean 'accuracy'?"),
        ("f1_scor", "no metric is named 'f1_scor'; did you mean 'f1'?"),
        ("roc_auc_scores", "no metric is named 'roc_auc_scores'; did you mean 'roc_auc'?"),
        ("Balanced Accuracy", "no metric is named 'Balanced Accuracy'; did you mean 'balanced_accuracy'?"),
        ("neg_log_loss", "no metric is named 'neg_log_loss'; did you mean 'log_loss', which is not negated?"),
        ("fbeta_score", "no metric is named 'fbeta_score'; its name has the number in it, such as 'f2'"),
        ("zzzz", "no metric is named 'zzzz'"),
        ("Fbeta-score", "no metric is named 'Fbeta-score'; its name has the number in it, such as 'f2'"),
        ("Fbeta score", "no metric is named 'Fbeta score'; its name has the number in it, such as 'f2'"),
        ("roc-auc", "no metric is named 'roc-auc'; did you mean 'roc_auc'?"),
    ],
)
def test_an_unknown_name_gets_a_sensible_suggestion(name, sentence):
    with pytest.raises(UsageError) as refused:
        metric(name)
    assert str(refused.value) == f"{sentence}\n  Fix: heldout explain metrics lists all"


@pytest.mark.parametrize("name", WITH_A_NUMBER)
def test_the_example_of_a_name_with_a_number_is_that_function_of_scikit_learn(name):
    from inspect import signature

    with pytest.raises(UsageError, match=r"its name has the number in it, such as '[^']+'") as refused:
        metric(name)
    made = metric(str(refused.value).split("'")[3])
    rng = np.random.default_rng(1)
    truth, said = rng.gamma(2, 2, 50), rng.gamma(2, 2, 50)
    if name == "fbeta_score":
        truth, said = (truth > 4).astype(int), (said > 3).astype(int)
    number = 2 if name == "fbeta_score" else float(made.name.partition("@")[2])
    place = next(one for one in ("alpha", "power", "beta") if one in signature(getattr(peers, name)).parameters)
    found = heldout.evaluate(truth, said, metrics=[made.name], **({"pos_label": 1} if number == 2 else {}))
    assert found[made.name].value == pytest.approx(getattr(peers, name)(truth, said, **{place: number}))


def test_an_average_over_classes_is_described_in_one_line():
    for one in MARK_METRICS.values():
        assert "\n" not in one.formula.__doc__, one.name
        assert one.formula.__doc__ == one.definition


def test_what_is_saved_of_an_absolute_error_is_against_the_median():
    assert "always predicting the median of these rows" in METRICS["d2_absolute_error"].definition


def test_the_mean_of_areas_is_for_labels_where_classes_have_one_against_the_rest():
    assert METRICS["roc_auc_macro"].tasks == ("multilabel",)
    assert METRICS["roc_auc_ovr"].tasks == METRICS["roc_auc_ovo"].tasks == ("multiclass",)


def test_the_verbs_take_the_names_of_scikit_learn():
    truth, good, bad = [0, 1] * 30, [0, 1] * 28 + [1, 0] * 2, [0, 0, 1, 1] * 15
    evaluated = heldout.evaluate(truth, good, metrics="f1_score,accuracy_score")
    assert evaluated["f1_score"] == evaluated["f1"]
    assert evaluated["accuracy_score"] == evaluated["accuracy"]
    found = heldout.compare(truth, {"good": good, "bad": bad}, metrics=["precision_score"], primary="recall_score")
    assert found.primary == "recall"
