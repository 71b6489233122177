"""Splits, leaks and shifts: rows A10, A11, F1, F2, F3 and G5 of what the system must do."""

from __future__ import annotations

import numpy as np
from sklearn.dummy import DummyClassifier

import heldout
from heldout.inputs.checks.leakage import copied_across, feature_columns, groups_across, standardised
from heldout.splits import split_checks, splits

RNG = np.random.default_rng(11)
X = RNG.normal(3, 2, (200, 4))
TRUTH = np.repeat(["no", "yes"], [130, 70])


def pairs(found):
    return [(one.train, one.test) for one in found]


def test_A10_a_planted_duplicate_and_a_shared_group_are_reported():
    planted = X.copy()
    found = pairs(splits(5, TRUTH, task="binary"))
    assert copied_across(feature_columns(planted), found) == ()
    planted[found[0][1][0]] = planted[found[0][0][0]]
    assert copied_across(feature_columns(planted), found)[0].code == "H201"
    assert groups_across(np.arange(200) // 2, found)[0].code == "H202"


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
    found = splits("10x10", TRUTH, task="binary")
    assert {(len(one.test), int(np.sum(TRUTH[one.test] == "yes"))) for one in found} == {(20, 7)}
    assert [one.text for one in split_checks(found, TRUTH, task="binary")] == [
        "the smallest of 100 test parts has 20 rows, fewer than 30: values per part are rough, pool their predictions"
    ]


def test_F3_leave_one_out_of_equal_classes_fails_a_majority_learner_and_is_warned_about():
    truth = np.repeat([0, 1], 25)
    found = splits("loo", truth, task="binary")
    learner = DummyClassifier()
    wrong = [learner.fit(X[one.train], truth[one.train]).predict(X[one.test])[0] != truth[one.test][0] for one in found]
    assert np.mean(wrong) == 1.0
    heading = "leave-one-out with classes of 25 and 25 rows"
    assert [one.text for one in split_checks(found, truth, task="binary")] == [
        f"{heading}: a learner that says the commonest class errs on every row left out; take stratified folds (cv=10)"
    ]
    assert len(splits("lpo", truth, task="binary")) == 25 * 25
    assert len(splits("lpo:2", np.arange(10.0), task="regression")) == 45


def test_G5_columns_scaled_before_the_split_are_found():
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    assert standardised(feature_columns(X)) == ()
    assert standardised(feature_columns(scaled))[0].code == "H207"
