"""Splits, leaks and shifts: rows A10, A11, F1, F2, F3 and G5 of what the system must do."""

from __future__ import annotations

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.naive_bayes import GaussianNB

import heldout

RNG = np.random.default_rng(11)
X = RNG.normal(3, 2, (200, 4))
TRUTH = np.repeat(["no", "yes"], [130, 70])


def said(rows=X, truth=TRUTH, learner=None, **how):
    """The notes of a validation by their codes."""
    found = heldout.validate(learner or DummyClassifier(), rows, truth, **how)
    return {check.code: check.text for check in found.checks}


def test_A10_a_planted_duplicate_and_a_shared_group_are_reported():
    planted = X.copy()
    assert "H201" not in said(planted, cv=5)
    planted[199] = planted[0]  # in another fold, as both have the class they had
    folds = [(np.arange(100, 200), np.arange(100)), (np.arange(100), np.arange(100, 200))]
    assert "H201" in said(planted, cv=folds)
    halves = [(np.arange(0, 200, 2), np.arange(1, 200, 2)), (np.arange(1, 200, 2), np.arange(0, 200, 2))]
    assert "H202" in said(X, cv=halves, groups=np.arange(200) // 2)


def labelled(rows, truth):
    return {**{f"x{at}": rows[:, at] for at in range(4)}, "y_true": truth, "y_pred": truth}


def test_A11_a_planted_shift_is_reported_and_none_where_there_is_none():
    def said(test, train):
        found = heldout.evaluate(test, train=train, metrics="accuracy")
        return [check.text for check in found.checks if check.code == "H205"]

    truth = np.tile([0, 1], 100)
    train = labelled(X[:120], truth[:120])
    assert said(labelled(X[120:], truth[120:]), train) == []
    (moved,) = said(labelled(X[120:] + np.array([0, 1.5, 0, 0]), truth[120:]), train)
    assert moved.startswith("the test rows are not like the training rows (the dict): x1 (mean ")
    (shares,) = said(labelled(X[120:], np.tile([0, 1, 1, 1], 20)), train)
    assert "y_true (the target) (share of " in shares


def test_F1_holdout_is_two_to_one_and_keeps_class_shares_within_a_row():
    found = heldout.split({"y": TRUTH, "x": X[:, 0]}, strata="y")
    assert [(part.name, part.rows) for part in found.parts] == [("train", 133), ("test", 67)]
    assert abs(np.sum(TRUTH[found.positions("test")] == "yes") - 70 / 3) <= 1


def test_F2_ten_times_ten_stratified_folds_with_a_word_about_small_ones():
    folds = heldout.split({"y": TRUTH, "x": X[:, 0]}, strata="y", folds=10)
    sizes = {(part.rows, int(np.sum(TRUTH[folds.positions(part.name)] == "yes"))) for part in folds.parts}
    assert sizes == {(20, 7)}
    small = "the smallest of 100 test parts has 20 rows, fewer than 30"
    assert any(text.startswith(small) for text in said(cv="10x10").values())
    assert not any(text.startswith(small) for text in said(cv="10x10", min_fold_size=20).values())


def test_F3_leave_one_out_of_equal_classes_fails_a_majority_learner_and_is_warned_about():
    truth = np.repeat([0, 1], 25)
    found = heldout.validate(DummyClassifier(), X[:50], truth, cv="loo", metrics="accuracy")
    assert found["accuracy"].value == 0.0
    heading = "leave-one-out with classes of 25 and 25 rows"
    assert [check.text for check in found.checks if check.code == "H312"] == [
        f"{heading}: a learner that says the commonest class errs on every row left out; take stratified folds (cv=10)"
    ]
    pairs = heldout.validate(GaussianNB(), X[:50], truth, cv="lpo", metrics="roc_auc")
    assert pairs.fits == 25 * 25
    two = heldout.validate(DummyRegressor(), X[:10], np.arange(10.0), cv="lpo:2", metrics="mae")
    assert two.fits == 45


def test_G5_columns_scaled_before_the_split_are_found():
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    assert "H207" not in said(cv=5)
    assert "H207" in said(scaled, cv=5)
