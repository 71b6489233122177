"""Families of metrics: which names with a number are metrics, and what the members of a family have in common."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from sklearn import metrics as peers

import heldout
from heldout.errors import UsageError
from heldout.estimates.interval_choice import KINDS
from heldout.formulas import MARK_METRICS, METRICS, metric
from heldout.formulas.families import class_average, fbeta, ndcg, row_average

WITH_A_NUMBER = (
    "lift@3%", "gain@100%", "partial_auc@0.3-0.4", "partial_auc_standardized@0.3", "f3", "f3_macro", "f3_micro",
    "f3_weighted", "f3_samples", "pinball@0.9", "d2_pinball@0.9", "tweedie_deviance@1.5", "d2_tweedie@1.5",
    "top_3_accuracy", "ece@15", "ndcg@3", "dcg@3",
)  # fmt: skip
EVERY = {**METRICS, **{name: metric(name) for name in WITH_A_NUMBER}}


@pytest.mark.parametrize(
    "name",
    [
        "gain@100%", "lift@0.1%", "partial_auc@0-1", "partial_auc@1", "pinball@0.001", "pinball@.999",
        "d2_pinball@.001", "d2_pinball@0.999", "tweedie_deviance@0", "tweedie_deviance@1", "tweedie_deviance@-1.5",
        "d2_tweedie@0", "d2_tweedie@1", "d2_tweedie@-1.5", "d2_tweedie@3", "top_1_accuracy", "ece@1", "ece@10000",
        "ndcg@1", "dcg@1", "f1.0", "f02", "f3.0_macro", "f02_samples",
    ],
)  # fmt: skip
def test_the_ends_of_what_a_number_may_be(name):
    made = metric(name)
    assert (made.name, made.aliases) == (name, ())


@pytest.mark.parametrize(
    "name",
    [
        "gain@0%", "lift@100.1%", "partial_auc@0.2-0.2", "partial_auc@0", "partial_auc@0.5-1.1", "pinball@0",
        "pinball@1", "pinball@1.5", "d2_pinball@0", "d2_pinball@1", "d2_pinball@1.5", "tweedie_deviance@0.001",
        "tweedie_deviance@0.999", "d2_tweedie@0.001", "d2_tweedie@0.999", "top_0_accuracy", "ece@0", "ece@10001",
        "ndcg@0", "dcg@0",
    ],
)  # fmt: skip
def test_numbers_beyond_the_ends_make_no_metric(name):
    with pytest.raises(UsageError, match="no metric is named"):
        metric(name)


ASKED_FOR = {
    "kappa_linear", "kappa_quadratic", "top_2_accuracy", "hinge_loss", "d2_log_loss", "d2_brier", "ndcg", "dcg", "lrap",
    "label_ranking_loss", "coverage_error", "roc_auc_samples", "average_precision_samples", "roc_auc_macro",
    "roc_auc_micro", "roc_auc_weighted", "roc_auc_ovo_weighted", "average_precision_macro", "average_precision_micro",
    "average_precision_weighted", "precision_samples", "recall_samples", "f1_samples", "jaccard_samples",
    "explained_variance", "d2_absolute_error", "msle", "rmsle", "poisson_deviance", "gamma_deviance",
    "f3_samples", "d2_pinball@0.9", "d2_tweedie@1.5", "top_3_accuracy", "ndcg@3", "dcg@3",
}  # fmt: skip


def test_what_is_computed_only_where_it_is_asked_for():
    assert {name for name, one in EVERY.items() if one.by_name} == ASKED_FOR


INTERVALS = {
    "share": {
        "accuracy", "error_rate", "precision", "recall", "specificity", "npv", "fpr", "fnr", "f1", "jaccard",
        "prevalence", "subset_accuracy", "top_2_accuracy", "top_3_accuracy",
    },
    "mean_of_rates": {"balanced_accuracy", "recall_macro"},
    "sum_of_rates": {"youden_j"},
    "correlation": {"mcc", "kappa"},
    "weighted_kappa": {"kappa_linear", "kappa_quadratic"},
    "ratio": {"lr_positive", "lr_negative", "diagnostic_odds_ratio"},
    "area": {"roc_auc"},
    "precision": {"average_precision"},
    "depth": {"lift@10%", "gain@10%", "lift@3%", "gain@100%"},
    "ranking": {"eer", "partial_auc", "gini", "ks", "partial_auc@0.3-0.4", "partial_auc_standardized@0.3"},
    "bounded_mean": {
        "ndcg", "ndcg@3", "lrap", "label_ranking_loss", "roc_auc_samples", "average_precision_samples",
        "precision_samples", "recall_samples", "f1_samples", "f3_samples", "jaccard_samples",
    },
    "mean": {
        "dcg", "dcg@3", "coverage_error", "log_loss", "log_loss_bits", "brier", "quadratic_loss", "hinge_loss", "cost",
        "cost_minimum_risk", "mae", "rmse", "mape", "rmspe", "wmape", "rmsle", "mean_error", "pinball@0.9",
    },
    "spread": {"mse", "mspe", "msle", "poisson_deviance", "gamma_deviance", "tweedie_deviance@1.5"},
    "explained": {
        "d2_log_loss", "d2_brier", "r2", "explained_variance", "d2_absolute_error", "d2_pinball@0.9", "d2_tweedie@1.5",
    },
}  # fmt: skip
"""Which interval a metric has by default. Squares have long tails, shares are counts, gains hang on one cut."""


def test_the_kind_of_interval_that_each_metric_has():
    for kind, names in INTERVALS.items():
        assert {name for name, one in EVERY.items() if one.interval == kind} == names, kind
    assert {one.interval for one in (*EVERY.values(), *MARK_METRICS.values())} <= set(KINDS)
    assert {one.interval for name, one in EVERY.items() if name.endswith("_weighted") and not one.contest} == {"unit"}


def test_a_metric_whose_interval_is_that_of_another_says_which():
    behind = {name: one.via[0] for name, one in EVERY.items() if one.via is not None}
    micro = {name: "accuracy" for name in EVERY if name.endswith("_micro") and EVERY[name].contest is None}
    assert behind == {
        "gini": "roc_auc", "log_loss_bits": "log_loss", "f1": "jaccard", "rmse": "mse", "rmspe": "mspe",
        "rmsle": "msle", **micro,
    }  # fmt: skip
    assert len(micro) == 7


def test_where_rows_have_several_labels_a_pooled_average_is_not_accuracy():
    for one in MARK_METRICS.values():
        assert (one.reads, one.interval, one.via, one.printed) == ("marks", "unit", None, False), one.name


def test_shares_count_the_rows_that_their_formula_divides_by():
    """The sums of a share, made of rows that are right and wrong, add up to the denominator of the formula."""
    rng = np.random.default_rng(0)
    for one in EVERY.values():
        if one.one_class and one.interval == "share" and one.via is None:
            cells = {part: np.array(rng.integers(1, 50)) for part in ("tp", "fp", "fn", "tn")}
            whole = float(sum(cells[part] for part in one.share))
            hits = float(one(cells)) * whole
            assert hits == pytest.approx(round(hits)), one.name
            sides = {float(cells[part]) for part in one.share} | {float(cells["tp"] + cells["fn"])}
            assert any(hits == pytest.approx(part) for part in sides), one.name
    assert EVERY["top_3_accuracy"].share == ("counted_rows",)


SCORED = {
    "ndcg", "dcg", "lrap", "label_ranking_loss", "coverage_error", "roc_auc_samples", "average_precision_samples",
    "hinge_loss", "top_2_accuracy", "top_3_accuracy", "ndcg@3", "dcg@3",
}  # fmt: skip
PROBABLE = {"log_loss", "log_loss_bits", "brier", "quadratic_loss", "d2_log_loss", "d2_brier", "cost_minimum_risk"}


def test_what_losses_are_computed_from():
    of_losses = {name: one.uses for name, one in EVERY.items() if one.reads == "losses"}
    assert {name for name, uses in of_losses.items() if uses == "score"} == SCORED
    assert {name for name, uses in of_losses.items() if uses == "probabilities"} == PROBABLE
    assert {one.uses for one in EVERY.values()} == {"prediction", "score", "probabilities"}


def test_means_over_rows_rest_on_all_rows():
    means = {name for name, one in EVERY.items() if one.interval == "bounded_mean"}
    pooled = {name for name, one in EVERY.items() if name.endswith(("_micro", "_weighted")) and one.contest is None}
    more = {"dcg", "dcg@3", "coverage_error", "kappa_linear", "kappa_quadratic"}
    assert {name for name, one in EVERY.items() if one.rests_on == "all rows"} == means | pooled | more


TRUTH, SAID = np.array([0, 1, 2, 0, 1, 2, 1, 1]), np.array([0, 2, 2, 1, 1, 0, 1, 1])
NUMBERS, GUESSED = np.array([1.0, 2.0, 4.0, 7.0, 3.0, 5.0]), np.array([1.5, 2.0, 3.0, 8.0, 3.5, 4.0])
AGAINST = {
    "r2": "the mean of these rows", "explained_variance": "the mean of these rows",
    "d2_absolute_error": "the median of these rows", "d2_pinball@0.9": "the 0.9 quantile of these rows",
    "d2_tweedie@1.5": "the mean of these rows", "d2_log_loss": "the class shares of these rows",
    "d2_brier": "the class shares of these rows", "kappa_linear": "chance agreement with the margins of these rows",
    "kappa_quadratic": "chance agreement with the margins of these rows",
}  # fmt: skip


def test_a_share_that_is_saved_says_of_what():
    assert {name: one.against for name, one in EVERY.items() if one.against} == AGAINST
    found = heldout.evaluate(NUMBERS, GUESSED, task="regression", metrics=["d2_pinball@0.9"])
    assert "d2_pinball@0.9 is against the 0.9 quantile of these rows" in found["d2_pinball@0.9"].notes


def test_what_needs_all_rows_at_once():
    """Medians, class shares and margins are those of all rows; sums of squares add up from parts."""
    of_all = set(AGAINST) - {"r2", "explained_variance"}
    assert {name for name, one in EVERY.items() if one.whole} == of_all


def test_the_rare_side_of_a_quantile_is_a_share_of_the_rows():
    rare = {name: one.rare for name, one in EVERY.items() if one.rare != 1}
    assert rare == pytest.approx({"pinball@0.9": 0.1, "d2_pinball@0.9": 0.1, "d2_absolute_error": 0.5})


@pytest.mark.parametrize(("name", "weights"), [("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")])
def test_weighted_kappas_are_those_of_scikit_learn(name, weights):
    found = heldout.evaluate(TRUTH, SAID, metrics=[name])[name]
    assert found.value == pytest.approx(peers.cohen_kappa_score(TRUTH, SAID, weights=weights))
    word = {"linear": "distance", "quadratic": "squared distance"}[weights]
    assert METRICS[name].definition.startswith(f"Cohen's kappa weighed by the {word} of classes in order: ")


MARKS = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 0], [0, 1, 1, 1]])
SCORES = np.array([[3, 3, 1, 2], [2, 2, 2, 1], [4, 1, 3, 1], [0, 2, 2, 2], [1, 4, 2, 2]]) / 5


@pytest.mark.parametrize("k", [None, 1, 2, 3])
def test_gains_are_those_of_scikit_learn_with_and_without_ties(k):
    tail = "" if k is None else f"@{k}"
    found = heldout.evaluate(MARKS, y_score=SCORES, metrics=[f"ndcg{tail}", f"dcg{tail}"])
    assert found[f"ndcg{tail}"].value == pytest.approx(peers.ndcg_score(MARKS, SCORES, k=k))
    assert found[f"dcg{tail}"].value == pytest.approx(peers.dcg_score(MARKS, SCORES, k=k))
    for name, peer in (("ndcg_score", peers.ndcg_score), ("dcg_score", peers.dcg_score)):
        own = getattr(heldout.metrics, name)
        assert float(own(MARKS, SCORES, k=k, ignore_ties=True)) == pytest.approx(
            peer(MARKS, SCORES, k=k, ignore_ties=True)
        )
    in_tens = heldout.metrics.dcg_score(MARKS, SCORES, k=k, log_base=10)
    assert float(in_tens) == pytest.approx(peers.dcg_score(MARKS, SCORES, k=k, log_base=10))


def test_gains_say_how_many_labels_count():
    assert ndcg().definition.startswith("Normalized discounted cumulative gain, averaged over rows;")
    assert metric("dcg").definition.startswith("Discounted cumulative gain, averaged over rows:")
    assert "cumulative gain of the 3 highest scores, averaged" in metric("ndcg@3").definition
    assert "cumulative gain of the 3 highest scores, averaged" in metric("dcg@3").definition


def test_rows_without_a_value_are_left_out_or_count_as_asked():
    said = np.array([[1, 0, 0, 1], [0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]])
    found = heldout.evaluate(MARKS, said, metrics=["precision_samples"])["precision_samples"]
    assert found.value == pytest.approx((1 + 1 + 1 / 2) / 3)
    assert row_average(fbeta(2)).reads == "losses"
    for undefined in (0, 1):
        want = peers.precision_score(MARKS, said, average="samples", zero_division=undefined)
        got = heldout.metrics.precision_score(MARKS, said, average="samples", zero_division=undefined)
        assert float(got) == pytest.approx(want)


def test_metrics_of_the_order_know_what_a_row_moves():
    """All but gini, whose interval is that of the area."""
    assert [name for name, one in EVERY.items() if one.reads == "scores" and one.slopes is None] == ["gini"]


def test_a_standardised_area_lies_between_0_and_1_and_moves_by_its_own_scale():
    plain, scaled = metric("partial_auc@0.3"), metric("partial_auc_standardized@0.3")
    assert (plain.range, scaled.range) == ((0.0, 0.3), (0.0, 1.0))
    assert plain.definition == "Area under the ROC curve from false positive rate 0 to 0.3."
    assert scaled.definition == (
        "Area under the ROC curve from false positive rate 0 to 0.3, scaled so that 0.5 is guessing [mcclish89]."
    )
    sums = np.array([1.0, 2.0, 3.0, 4.0]), np.array([4.0, 3.0, 2.0, 1.0])
    moved, more = plain.slopes(*sums)["positives"], scaled.slopes(*sums)["positives"]
    assert more == pytest.approx(moved / (2 * (0.3 - 0.3**2 / 2)))


@pytest.mark.parametrize(("name", "bins"), [("ece", 10), ("ece@4", 4)])
def test_the_calibration_error_has_bins_of_equal_width(name, bins):
    rng = np.random.default_rng(5)
    chance = rng.beta(1, 3, 400)
    truth = (rng.random(400) < chance**1.3).astype(int)
    bin_of = np.minimum(np.ceil(chance * bins), bins)
    parts = [bin_of == one for one in np.unique(bin_of)]
    want = sum(part.sum() * abs(truth[part].mean() - chance[part].mean()) for part in parts) / 400
    found = heldout.evaluate(truth, y_proba=chance, metrics=[name], pos_label=1)[name]
    assert found.value == pytest.approx(want)


def test_the_debiased_calibration_error_has_fifteen_bins_of_equal_mass():
    """The square less what chance adds to it, mean (p (1 - p) / (n - 1)) over bins by their rows."""
    rng = np.random.default_rng(6)
    chance = np.sort(rng.beta(1, 3, 450))
    truth = (rng.random(450) < chance**2).astype(int)
    parts = np.split(np.arange(450), 15)
    off = [(truth[part].mean() - chance[part].mean()) ** 2 for part in parts]
    noise = [truth[part].mean() * (1 - truth[part].mean()) / (len(part) - 1) for part in parts]
    want = np.sqrt(max(np.mean(off) - np.mean(noise), 0))
    name = "rms_calibration_error_debiased"
    found = heldout.evaluate(truth, y_proba=chance, metrics=[name], pos_label=1)[name]
    assert found.value == pytest.approx(want)


def test_metrics_without_ends_say_so():
    for name in ("calibration_slope", "calibration_intercept", "cost", "cost_minimum_risk", "mean_error"):
        assert METRICS[name].range == (-inf, inf), name


def test_an_average_over_classes_is_printed_for_one_metric_only():
    made = [class_average(METRICS[name], kind) for name in ("f1", "recall") for kind in ("macro", "micro", "weighted")]
    assert [one.name for one in made if one.printed] == ["f1_macro"]
    assert {one.name for one in METRICS.values() if one.name.startswith("f0.5_")} == {
        "f0.5_macro", "f0.5_micro", "f0.5_weighted",
    }  # fmt: skip
