from __future__ import annotations

from inspect import signature

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, precision_score, recall_score

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


def test_classes_of_one_row_and_of_none():
    tp, fn = np.array([1.0, 0.0, 3.0, 0.0]), np.array([0.0, 0.0, 1.0, 2.0])  # the second class does not occur
    with np.errstate(invalid="ignore"):
        assert float(labels.balanced_accuracy(tp, fn)) == pytest.approx((1 + 0.75 + 0) / 3)
        weighted = labels.weighted(labels.recall)(tp=tp, fn=fn)
    assert float(weighted) == pytest.approx((1 * 1 + 4 * 0.75 + 2 * 0) / 7)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("undefined", [0.0, 1.0, np.nan])
@pytest.mark.parametrize("chosen", [[0, 1, 2, 3], [1, 3], [3], [0, 2]])
def test_averages_over_some_classes_are_those_of_scikit_learn(average, undefined, chosen):
    """Class 3 is never predicted and class 1 never true: 0/0 is what was asked for, or left out."""
    truth, said = np.array([0, 0, 0, 2, 2, 3, 3, 2, 0]), np.array([0, 1, 0, 2, 0, 2, 2, 1, 1])
    table = confusion_matrix(truth, said, labels=range(4)).astype(float)
    hits = np.diag(table)
    sums = {"tp": hits, "fp": table.sum(axis=0) - hits, "fn": table.sum(axis=1) - hits}
    for formula, peer in ((labels.precision, precision_score), (labels.recall, recall_score)):
        with np.errstate(invalid="ignore"):
            found = labels.chosen_average(formula, average, np.array(chosen), undefined)
            value = float(found(**sums))
            twice = found(**{name: np.stack([part, part]) for name, part in sums.items()})
        want = peer(truth, said, labels=chosen, average=average, zero_division=undefined)
        assert value == pytest.approx(want, nan_ok=True)
        assert twice == pytest.approx([value, value], nan_ok=True)
    assert set(signature(found).parameters) == {"tp", "fn"}
    words = {"macro": "Plain mean", "micro": "Pooled counts", "weighted": "Mean by true rows"}[average]
    definition = "Share of the positives that are found (sensitivity, TPR): TP / (TP + FN)."
    assert found.__doc__ == f"{words} over some classes: {definition}"


def test_balanced_accuracy_of_classes_that_are_half_right():
    assert labels.balanced_accuracy(np.array([3.0, 1.0, 0.0]), np.array([3.0, 1.0, 0.0])) == 0.5
    truth = np.repeat([0, 1, 2], [4, 6, 10])
    said = np.where(np.arange(20) % 2 == 0, truth, 0)
    table = confusion_matrix(truth, said).astype(float)
    hit = np.diag(table)
    assert labels.balanced_accuracy(hit, table.sum(axis=1) - hit) == pytest.approx(balanced_accuracy_score(truth, said))


def test_a_weighted_average_of_several_tables_at_once():
    """In the first the chosen classes have no true row, and count the same; the second has its own weights."""
    average = labels.chosen_average(labels.precision, "weighted", np.array([0, 1]), 0.0)
    tables = {
        "tp": np.array([[0.0, 0.0, 5.0], [3.0, 2.0, 1.0]]),
        "fp": np.array([[2.0, 0.0, 0.0], [1.0, 2.0, 0.0]]),
        "fn": np.array([[0.0, 0.0, 2.0], [1.0, 4.0, 0.0]]),
    }
    with np.errstate(invalid="ignore"):
        both = average(**tables)
        each = [float(average(**{name: part[at] for name, part in tables.items()})) for at in (0, 1)]
    assert both.tolist() == pytest.approx(each)
    assert each[1] == pytest.approx((4 * 3 / 4 + 6 * 2 / 4) / 10)
