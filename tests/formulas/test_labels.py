from __future__ import annotations

import numpy as np
import pytest

from heldout.formulas import METRICS, labels, metric

ONE = {"tp": 6.0, "fp": 1.0, "fn": 2.0, "tn": 3.0}


def of_table(name, table):
    table = np.array(table, dtype=float)
    hit, actual, said = np.diag(table), table.sum(axis=1), table.sum(axis=0)
    return float(
        metric(name)({"tp": hit, "fp": said - hit, "fn": actual - hit, "tn": table.sum() - actual - said + hit})
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("precision", 6 / 7),
        ("recall", 6 / 8),
        ("specificity", 3 / 4),
        ("npv", 3 / 5),
        ("fpr", 1 / 4),
        ("fnr", 2 / 8),
        ("prevalence", 8 / 12),
        ("jaccard", 6 / 9),
        ("f1", 12 / 15),
        ("f0.5", 1.25 * 6 / (1.25 * 6 + 0.25 * 2 + 1)),
        ("f2", 5 * 6 / (5 * 6 + 4 * 2 + 1)),
        ("f3", 10 * 6 / (10 * 6 + 9 * 2 + 1)),
        ("youden_j", 0.5),
        ("lr_positive", 3.0),
        ("lr_negative", 1 / 3),
        ("diagnostic_odds_ratio", 9.0),
    ],
)
def test_one_class(name, value):
    assert float(metric(name)(ONE)) == pytest.approx(value)


def test_several_classes():
    table = [[88, 10, 2], [14, 40, 6], [18, 10, 12]]
    assert of_table("accuracy", table) == pytest.approx(0.7)
    assert of_table("error_rate", table) == pytest.approx(0.3)
    assert of_table("kappa", table) == pytest.approx(58 / 118)
    assert of_table("balanced_accuracy", table) == pytest.approx((0.88 + 40 / 60 + 0.3) / 3)
    assert of_table("recall_macro", table) == of_table("balanced_accuracy", table)
    assert of_table("precision_macro", table) == pytest.approx((88 / 120 + 40 / 60 + 12 / 20) / 3)
    assert of_table("precision_micro", table) == of_table("recall_micro", table) == of_table("accuracy", table)
    assert of_table("recall_weighted", table) == pytest.approx(0.7)
    assert of_table("precision_weighted", table) == pytest.approx((100 * 88 / 120 + 60 * 40 / 60 + 40 * 12 / 20) / 200)


def test_two_classes_agree_with_the_binary_form():
    table = [[73, 3], [6, 18]]
    by_hand = (18 * 73 - 3 * 6) / np.sqrt(21 * 24 * 76 * 79)
    assert of_table("mcc", table) == pytest.approx(by_hand)


def test_perfect_and_reversed():
    assert of_table("mcc", [[5, 0], [0, 7]]) == of_table("kappa", [[5, 0], [0, 7]]) == 1.0
    assert of_table("mcc", [[0, 5], [7, 0]]) == -1.0


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "specificity", "npv", "jaccard"])
def test_nothing_of_nothing_is_undefined(name):
    assert np.isnan(metric(name)(dict.fromkeys(ONE, 0.0)))


def test_a_class_that_never_occurs_is_left_out_of_the_mean_of_recalls():
    assert of_table("balanced_accuracy", [[3, 1, 0], [1, 4, 1], [0, 0, 0]]) == pytest.approx((3 / 4 + 4 / 6) / 2)
    assert np.isnan(of_table("recall_macro", [[3, 1, 0], [1, 4, 1], [0, 0, 0]]))


def test_averages_say_what_they_average():
    assert METRICS["f1_macro"].definition == (
        "Plain mean over classes: Harmonic mean of precision and recall (Dice): 2 TP / (2 TP + FP + FN)."
    )
    assert METRICS["precision_weighted"].needs == ("tp", "fp", "fn")
    assert labels.fbeta(2).__doc__.startswith("F measure with recall counting 2 times as much as precision")


def test_many_draws_at_once():
    """The last axis runs over classes, the first over draws."""
    draws = {name: np.tile([[4.0, 5.0, 6.0]], (7, 1)) for name in ("tp", "fp", "fn", "tn")}
    for name in ("accuracy", "kappa", "mcc", "f1_macro", "precision_weighted", "jaccard_micro", "balanced_accuracy"):
        assert METRICS[name](draws).shape == (7,)
