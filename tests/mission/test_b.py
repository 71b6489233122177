"""Measures for classification: rows B1 to B6 and B8 of what the system must do."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.errors import UsageError
from heldout.stats import threshold_at

# 8 positive, 4 negative: TP 6, FN 2, FP 1, TN 3
TRUTH = np.repeat([1, 0], [8, 4])
PREDICTION = np.array([1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0])
KAPPA = [[88, 10, 2], [14, 40, 6], [18, 10, 12]]


def values(found, *names):
    return [round(found[name].value, 3) for name in names]


def test_B1_confusion_matrix(command, file, tmp_path):
    rows = heldout.evaluate(TRUTH, PREDICTION)
    assert rows.confusion.tolist() == [[3, 1], [2, 6]]
    shown = command(file(y_true=TRUTH, y_pred=PREDICTION))
    assert shown["confusion"] == {"labels": [0, 1], "counts": [[3, 1], [2, 6]]}
    table = tmp_path / "matrix.csv"
    table.write_text("truth,no,yes\nno,3,1\nyes,2,6\n", encoding="utf-8")
    counted = command("--confusion", table)
    assert counted["confusion"] == {"labels": ["no", "yes"], "counts": [[3, 1], [2, 6]]}
    for name, estimate in counted["estimates"].items():
        assert shown["estimates"][name]["value"] == estimate["value"], name
        assert shown["estimates"][name]["low"] == estimate["low"], name
    several = heldout.evaluate(["a", "b", "c", "c"], ["a", "c", "c", "b"])
    assert several.confusion.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 1]]


def test_B2_rates(command, file):
    found = heldout.evaluate(TRUTH, PREDICTION)
    assert values(found, "accuracy", "recall", "specificity", "precision") == [0.75, 0.75, 0.75, 0.857]
    assert values(found, "error_rate", "fpr", "fnr", "npv", "prevalence") == [0.25, 0.25, 0.25, 0.6, 0.667]
    assert values(found, "balanced_accuracy", "youden_j", "lr_positive", "lr_negative") == [0.75, 0.5, 3.0, 0.333]
    assert values(found, "f1", "f0.5", "f2", "diagnostic_odds_ratio") == [0.8, 0.833, 0.769, 9.0]
    assert found["mcc"].value == pytest.approx((6 * 3 - 1 * 2) / np.sqrt(7 * 8 * 4 * 5))
    for alias, name in (("sensitivity", "recall"), ("tpr", "recall"), ("tnr", "specificity"), ("ppv", "precision")):
        assert found[alias] == found[name]
    shown = command(file(y_true=TRUTH, y_pred=PREDICTION))["estimates"]
    assert {name: shown[name]["value"] for name in shown} == {name: one.value for name, one in found.estimates.items()}
    assert all(one["low"] <= one["value"] <= one["high"] and one["low"] < one["high"] for one in shown.values())


def test_B2_f1_is_not_the_mean():
    found = heldout.evaluate_confusion([[5, 0], [4, 1]])  # TP 1, FN 4, FP 0
    assert values(found, "precision", "recall", "f1") == [1.0, 0.2, 0.333]
    assert (found["precision"] + found["recall"]) / 2 == pytest.approx(0.6)


def test_B2_recall_without_misses_is_one():
    assert heldout.evaluate_confusion([[3, 1], [0, 6]])["recall"] == 1.0


def test_B3_averages():
    small = (1, 1, 1, 1)
    found = heldout.evaluate_class_counts({"A": small, "B": (10, 90, 80, 10), "C": small, "D": small})
    assert found["precision_macro"].value == pytest.approx(0.400)
    assert found["precision_micro"].value == pytest.approx(13 / 106)
    assert found["recall_micro"].value == pytest.approx(13 / 96)
    assert found["recall_macro"].value == pytest.approx((3 * 0.5 + 10 / 90) / 4)
    assert found["precision_weighted"].value == pytest.approx((3 * 2 * 0.5 + 90 * 0.1) / 96)
    assert all(one.low < one.value < one.high for one in found.estimates.values())
    assert found.classes["B"]["precision"].value == pytest.approx(0.1)
    with pytest.raises(UsageError, match=r"^roc_auc_macro needs rows: counts per class have counts of labels only\n"):
        heldout.evaluate_class_counts({"A": small, "B": small}, metrics="roc_auc_macro")


def test_B3_averages_of_counts_on_the_command_line(command, tmp_path):
    counts = tmp_path / "counts.csv"
    counts.write_text("class,tp,fp,fn,tn\nA,1,1,1,1\nB,10,90,80,10\nC,1,1,1,1\nD,1,1,1,1\n", encoding="utf-8")
    shown = command("--class-counts", counts)["estimates"]
    for name, value, low, high in (
        ("precision_macro", 0.400, 0.170, 0.685),
        ("precision_micro", 0.1226, 0.073, 0.199),
        ("recall_micro", 0.1354, 0.081, 0.218),
    ):
        assert shown[name]["value"] == pytest.approx(value, abs=5e-5)
        assert [shown[name]["low"], shown[name]["high"]] == pytest.approx([low, high], abs=5e-4)
        assert shown[name]["printed"]
    assert shown["precision_micro"]["count"] == [13, 106]


def test_B3_averages_of_rows(command, file):
    truth, prediction = ["a", "a", "b", "b", "b", "c"], ["a", "b", "b", "b", "c", "c"]
    shown = command(file(y_true=truth, y_pred=prediction))["estimates"]
    assert shown["precision_macro"]["value"] == pytest.approx((1 + 2 / 3 + 1 / 2) / 3)
    assert shown["recall_macro"]["value"] == pytest.approx((1 / 2 + 2 / 3 + 1) / 3)
    assert shown["precision_micro"]["value"] == shown["recall_micro"]["value"] == pytest.approx(4 / 6)
    assert shown["recall_weighted"]["value"] == shown["accuracy"]["value"] == pytest.approx(4 / 6)


def test_B4_the_majority_baseline(command, file):
    truth = np.repeat([0, 1], [90, 10])
    found = heldout.evaluate(truth, np.zeros(100, dtype=int))
    assert (found["accuracy"], found["recall"]) == (0.90, 0.0)
    assert found.baseline.name == "always predicts 0"
    assert found.baseline.values["accuracy"] == 0.90
    assert found.baseline.beaten["accuracy"] is False
    said = "accuracy 0.900 [0.826, 0.945] is not significantly better than the dummy model (0.900)"
    assert [(check.code, check.text) for check in found.checks] == [("H309", said)]
    assert found["recall"].high > 0.2  # ten positives, none found: recall may still be well above zero
    shown = command(file(y_true=truth, y_pred=np.zeros(100, dtype=int)))
    assert shown["baseline"]["estimates"]["accuracy"] == 0.90
    assert [(check["code"], check["text"]) for check in shown["checks"]] == [("H309", said)]


def test_B4_a_better_model_is_not_flagged():
    truth = np.repeat([0, 1], [90, 10])
    assert heldout.evaluate(truth, truth).checks == ()


def test_B5_kappa(command, tmp_path):
    found = heldout.evaluate_confusion(KAPPA, method="normal")
    assert found["kappa"].value == pytest.approx(58 / 118)
    assert found["kappa"].value == pytest.approx(0.491525, abs=5e-7)
    # Fleiss, Cohen and Everitt's standard error is the gradient's
    assert (found["kappa"].low, found["kappa"].high) == pytest.approx((0.3916, 0.5915), abs=5e-5)
    assert (found["kappa"].high - found["kappa"].low) / 2 / 1.959964 == pytest.approx(0.051002, abs=5e-7)
    table = tmp_path / "matrix.csv"
    table.write_text("truth,a,b,c\na,88,10,2\nb,14,40,6\nc,18,10,12\n", encoding="utf-8")
    shown = command("--confusion", table)["estimates"]["kappa"]
    assert shown["value"] == pytest.approx(58 / 118)
    assert shown["method"] == "Fisher z"
    assert 0.37 < shown["low"] < shown["value"] < shown["high"] < 0.61


def test_B6_zero_one_cost_is_the_error_rate(command, file, tmp_path):
    truth = np.repeat([1, 0], [20, 20])
    prediction = np.concatenate([np.repeat([1, 0], [15, 5]), np.repeat([0, 1], [13, 7])])
    found = heldout.evaluate(truth, prediction, cost=[[0, 1], [1, 0]])
    counted = heldout.evaluate_confusion([[13, 7], [5, 15]], cost=[[0, 1], [1, 0]])
    for one in (found, counted):
        assert one["cost"].value == one["error_rate"].value == 0.30
        assert (one["cost"].low, one["cost"].high) == (one["error_rate"].low, one["error_rate"].high)
    costs = tmp_path / "costs.csv"
    costs.write_text("truth,0,1\n0,0,1\n1,1,0\n", encoding="utf-8")
    shown = command(file(y_true=truth, y_pred=prediction), "--cost", costs)["estimates"]
    assert shown["cost"]["value"] == 0.30
    assert [shown["cost"][end] for end in ("low", "high")] == [shown["error_rate"][end] for end in ("low", "high")]


@pytest.mark.parametrize("design", ["sample_weight", "groups", "time"])
def test_B6_zero_one_cost_is_the_error_rate_in_every_design(design):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 60)
    prediction = np.where(rng.random(60) < 0.3, rng.integers(0, 3, 60), truth)
    beside = {"sample_weight": rng.gamma(2, 1, 60), "groups": rng.integers(0, 12, 60), "time": np.arange(60)}[design]
    found = heldout.evaluate(truth, prediction, cost=7 * (1 - np.eye(3)), **{design: beside})
    paid, error = found["cost"], found["error_rate"]
    assert (paid.value, paid.low, paid.high) == pytest.approx((7 * error.value, 7 * error.low, 7 * error.high))


@pytest.mark.parametrize("rows", [12, 30, 100])
def test_B6_no_interval_leaves_the_range_of_the_costs(rows):
    """A miss costs five false alarms: no mean cost is negative, none is above five."""
    for missed, false in ((2, 1), (0, 0), (0, 1), (1, 0)):
        right = rows - 5 - false
        found = heldout.evaluate_confusion([[right, false], [missed, 5 - missed]], cost=[[0, 1], [5, 0]])["cost"]
        assert 0 <= found.low <= found.value <= found.high <= 5
        assert found.high > 5 * heldout.stats.wilson(missed, rows)[1] - 1e-9  # misses alone may be as many as that


def test_B6_costs_are_truth_by_prediction():
    found = heldout.evaluate_confusion([[13, 7], [5, 15]], cost=[[0, 1], [10, -2]])  # a hit earns two
    assert found["cost"].value == pytest.approx((7 * 1 + 5 * 10 - 15 * 2) / 40)


def test_B6_minimum_risk_decision(command, file, tmp_path):
    """A miss costs nine false alarms: calling positive pays from a probability of 0.1 on."""
    truth = np.array([0, 0, 1, 0, 1, 1, 0, 0, 1, 1])
    chance = np.array([0.02, 0.09, 0.11, 0.2, 0.3, 0.4, 0.05, 0.6, 0.95, 0.08])
    found = heldout.evaluate(truth, y_proba=chance, cost=[[0, 1], [9, 0]])
    called = chance >= 0.1
    paid = np.where(truth == 1, 9 * ~called, called)
    assert found["cost_minimum_risk"].value == pytest.approx(paid.mean())
    assert found["cost"].value == pytest.approx(np.where(truth == 1, 9 * (chance < 0.5), chance >= 0.5).mean())
    costs = tmp_path / "costs.csv"
    costs.write_text("truth,0,1\n0,0,1\n1,9,0\n", encoding="utf-8")
    shown = command(file(y_true=truth, y_prob=chance), "--cost", costs)["estimates"]
    assert shown["cost_minimum_risk"]["value"] == found["cost_minimum_risk"].value


def test_B8_the_certified_rate_holds():
    """Scores of negatives are uniform, so that the rate of false positives above a threshold t is 1 - t."""
    rng = np.random.default_rng(8)
    alpha, confidence, worlds = 0.1, 0.9, 2000
    samples = rng.random((worlds, 100))
    chosen = [threshold_at(sample, alpha, confidence) for sample in samples]
    rates = 1 - np.array([one.threshold for one in chosen])
    error = np.sqrt(chosen[0].violation * (1 - chosen[0].violation) / worlds)
    assert chosen[0].violation <= 1 - confidence
    assert np.mean(rates > alpha) == pytest.approx(chosen[0].violation, abs=3 * error)
    # best recall: the next lower score would break the promise
    lower = np.sort(samples, axis=1)[:, chosen[0].rank - 2]
    assert np.mean(1 - lower > alpha) > 1 - confidence


def test_B8_too_few_rows_certify_nothing():
    found = threshold_at(np.arange(20), 0.1, 0.95)
    assert (found.threshold, found.violation) == (None, 1.0)
    assert found.reason == (
        "a false positive rate of 0.1 cannot be certified with confidence 0.95 from 20 negative rows: it takes 29"
    )
