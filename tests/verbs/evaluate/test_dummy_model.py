"""The dummy model beside every model: what always saying the same would score."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

import heldout
from heldout.verbs.evaluate.dummy_model import DECIDING, no_better

TRUTH = np.repeat([0, 1], [70, 30])


def test_of_two_classes_it_says_the_more_frequent_one():
    rng = np.random.default_rng(1)
    chance = np.clip(0.3 + 0.3 * TRUTH + 0.1 * rng.standard_normal(100), 0.01, 0.99)
    found = heldout.evaluate(TRUTH, y_proba=chance).baseline
    assert found.name == "always predicts 0; probabilities: the share of positives"
    assert found.values["accuracy"] == pytest.approx(0.7)
    assert found.values["recall"] == 0.0
    assert found.values["specificity"] == 1.0
    assert found.values["roc_auc"] == 0.5
    assert found.values["brier"] == pytest.approx(0.3 * 0.7)
    assert found.values["log_loss"] == pytest.approx(-0.3 * log(0.3) - 0.7 * log(0.7))
    assert "precision" not in found.values  # it never says positive: 0/0


def test_equal_classes_are_counted_like_any_others():
    truth = np.repeat([0, 1], 40)
    found = heldout.evaluate(truth, y_proba=np.linspace(0.1, 0.9, 80)).baseline
    assert found.values["accuracy"] == 0.5
    assert found.values["log_loss"] == pytest.approx(log(2))


def test_costs_choose_what_it_says():
    found = heldout.evaluate(TRUTH, 1 - TRUTH, cost=[[0, 1], [10, 0]]).baseline
    assert found.name == "always predicts 1"
    assert found.values["cost"] == pytest.approx(0.7)


def test_weights_count():
    found = heldout.evaluate(TRUTH, TRUTH, sample_weight=np.where(TRUTH == 1, 5.0, 1.0)).baseline
    assert found.name == "always predicts 1"
    assert found.values["accuracy"] == pytest.approx(150 / 220)


def test_of_numbers_it_says_the_mean():
    truth = np.array([1.0, 2.0, 6.0])
    found = heldout.evaluate(truth, truth + 0.1, task="regression").baseline
    assert found.name == "always predicts the mean"
    assert found.values["mse"] == pytest.approx(truth.var())
    assert found.values["mae"] == pytest.approx(np.abs(truth - 3).mean())
    assert found.values["r2"] == pytest.approx(0.0)


def test_of_several_classes_areas_are_a_half():
    rng = np.random.default_rng(2)
    truth = np.repeat(["a", "b", "c"], [50, 30, 20])
    found = heldout.evaluate(truth, y_proba=rng.dirichlet([1, 1, 1], 100), labels=["a", "b", "c"]).baseline
    assert found.name == 'always predicts "a"; probabilities: the share of each class'
    assert (found.values["accuracy"], found.values["roc_auc_ovr"]) == (0.5, 0.5)
    assert found.values["balanced_accuracy"] == pytest.approx(1 / 3)


def test_of_labels_each_by_itself():
    truth = np.array([[1, 0], [1, 0], [0, 1], [1, 0]])
    found = heldout.evaluate(truth, truth).baseline
    assert found.name == "always predicts each label's majority"
    assert found.values["subset_accuracy"] == 0.75


def test_beaten_is_an_interval_wholly_on_the_better_side():
    right = np.r_[np.zeros(70, int), np.ones(24, int), np.zeros(6, int)]
    good, same = heldout.evaluate(TRUTH, right), heldout.evaluate(TRUTH, np.zeros(100, int))
    assert good.baseline.beaten["accuracy"]
    assert good["accuracy"].low > good.baseline.values["accuracy"]
    assert not same.baseline.beaten["accuracy"]
    assert "cost" in DECIDING
    assert no_better(good.baseline, good.estimates) == []
    (said,) = no_better(same.baseline, same.estimates)
    assert said == "accuracy 0.700 [0.604, 0.781] is not significantly better than the dummy model (0.700)"


def test_a_loss_is_beaten_from_below():
    truth = np.linspace(0, 10, 50)
    good = heldout.evaluate(truth, truth + 0.1 * np.sin(truth), task="regression")
    assert good.baseline.beaten["mae"]
    assert good["mae"].high < good.baseline.values["mae"]


def test_an_interval_wholly_on_the_bad_side_is_significantly_worse():
    chances = np.where(TRUTH == 1, 0.05, 0.95) + 0.02 * np.sin(np.arange(100))
    bad = heldout.evaluate(TRUTH, 1 - TRUTH, y_proba=chances, pos_label=1)
    texts = {said.split()[0]: said.partition("] ")[2] for said in no_better(bad.baseline, bad.estimates)}
    assert texts["accuracy"] == "is significantly worse than the dummy model (0.700)"
    assert texts["log_loss"] == "is significantly worse than the dummy model (0.611)"
    assert ": significantly worse than the dummy model (0.700)." in " ".join(bad.document().headline)


def test_the_order_of_rows_decides_no_tie():
    """Sums of weights that are equal but for rounding: the first class is the majority, however rows are sorted."""
    truth = np.array(["dog", "emu"] * 3)
    weight = np.array([0.1, 0.3, 0.2, 0.1, 0.3, 0.2])
    for order in (np.arange(6), np.array([4, 3, 2, 5, 0, 1]), np.arange(6)[::-1]):
        found = heldout.evaluate(truth[order], truth[order], sample_weight=weight[order])
        assert found.baseline.name == 'always predicts "dog"'


def test_no_zero_has_a_minus_sign():
    truth = np.random.default_rng(0).normal(size=400)
    found = heldout.evaluate(truth, np.full(400, truth.mean() - 1e-9))
    assert "r2 0.000 [0.000, 0.000] is not significantly better than the dummy model (0.000)" in {
        check.text for check in found.checks
    }
