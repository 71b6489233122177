"""Learners over splits: rows A7, A9, A10, A11, F1 to F7, F9 and G5 of what the system must do, through `validate`."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import heldout

RNG = np.random.default_rng(12)
X = RNG.normal(3, 2, (120, 4))
Y = np.where(X[:, 0] + RNG.normal(size=120) * 2 > 3, "yes", "no")


def said(found, code):
    return [check.text for check in found.checks if check.code == code]


def test_A7_a_memoriser_has_no_training_error_and_is_named_as_overfitting():
    coins = RNG.permutation(np.repeat([0, 1], 60))
    found = heldout.validate({"memory": KNeighborsClassifier(1)}, X, coins, cv=10, metrics="error_rate")
    memory = found.learners["memory"]
    assert memory.training["error_rate"] == 0
    assert memory.gap("error_rate") == float(memory.estimates["error_rate"]) > 0.3
    assert said(found, "H315") == [
        (
            "memory fits the rows it has seen better than others (overfitting shows as this gap): "
            f"error_rate 0.000 on the rows it has seen, {found['error_rate']} on rows it has not"
        )
    ]
    told = found.to_dict()
    assert told["training"]["memory"]["error_rate"] == 0
    assert told["overfitting"]["memory"]["error_rate"] == memory.gap("error_rate")


def test_A7_training_holdout_and_cross_validation_error_stand_side_by_side():
    found = heldout.validate(KNeighborsClassifier(1), X, Y, cv=10, holdout=1 / 3, metrics="error_rate")
    (one,) = found.learners.values()
    assert one.training["error_rate"] == 0 < one.holdout["error_rate"]
    assert [line.split("  ")[0] for line in found.to_text().split("three ways")[1].splitlines()[2:5]] == [
        "training rows",
        "holdout",
        "10 folds",
    ]


def test_A7_a_learner_that_learns_nothing_does_not_overfit():
    found = heldout.validate(DummyClassifier(), X, Y, cv=10)
    assert said(found, "H315") == []
    assert abs(found.learners["DummyClassifier"].gap("accuracy")) < 0.02


def test_A9_the_object_that_the_user_gets_is_fitted_on_all_rows():
    found = heldout.validate([LogisticRegression(), GaussianNB()], X, Y)
    np.testing.assert_array_equal(found.fitted("GaussianNB").class_count_, [np.sum(Y == "no"), np.sum(Y == "yes")])
    np.testing.assert_array_equal(found.fitted().coef_, LogisticRegression().fit(X, Y).coef_)
    for estimates in found.estimates.values():
        assert estimates["accuracy"].target == "this learner, trained on about 80 rows"  # and not that object
    assert found.training_rows == 80


def test_A10_a_planted_duplicate_is_reported():
    assert said(heldout.validate(GaussianNB(), X, Y, cv=5), "H201") == []
    planted = X.copy()
    planted[17] = planted[101]
    frame = pd.DataFrame(planted, columns=list("abcd"))
    found = heldout.validate(GaussianNB(), frame, Y, cv=[(range(80), range(80, 120))])
    assert said(found, "H201") == [
        ("1 of 120 rows is tested while a copy is in the training rows: row 102, equal in a, b, c, d")
    ]


def test_A10_a_group_on_both_sides_is_reported():
    groups = np.arange(120) // 10
    halves = [(range(55), range(55, 120))]
    found = heldout.validate(GaussianNB(), X, Y, cv=halves, groups=groups)
    assert said(found, "H202") == ["group is on both sides of a split: 1 of 12 (5)"]
    assert said(heldout.validate(GaussianNB(), X, Y, cv=4, groups=groups), "H202") == []


def test_A11_a_planted_shift_is_reported_and_none_where_there_is_none():
    parts = [(range(80), range(80, 120))]
    frame = pd.DataFrame(X, columns=["age", "size", "dose", "site"])
    shifted = frame.assign(dose=frame["dose"] + np.where(np.arange(120) < 80, 0, 3))
    assert said(heldout.validate(GaussianNB(), frame, Y, cv=parts), "H205") == []
    (text,) = said(heldout.validate(GaussianNB(), shifted, Y, cv=parts), "H205")
    assert text.startswith("the test rows are not like the training rows: dose (mean 3.073 → 5.632, +1.46 sd")
    assert "; a classifier distinguishes them (AUC 0.79 [" in text
    sorted_rows = frame.assign(kind=Y).iloc[np.argsort(Y, kind="stable")]
    found = said(heldout.validate(DummyClassifier(), sorted_rows, "kind", cv=parts), "H205")
    assert any("kind (the target) (share of " in text for text in found)


@pytest.mark.slow
def test_A11_parts_drawn_alike_are_seldom_said_to_differ():
    """At most at the stated level: of 25 worlds without a shift, 6 or more would be named once in 1,000 tries."""
    named = 0
    for seed in range(25):
        rng = np.random.default_rng([13, seed])
        found = heldout.validate(
            DummyClassifier(), rng.normal(size=(60, 3)), rng.integers(0, 2, 60), cv=[(range(40), range(40, 60))],
            metrics="accuracy",
        )  # fmt: skip
        named += any(check.code == "H205" for check in found.checks)
    assert named <= stats.binom.ppf(0.999, 25, 0.05)


def test_F1_holdout_two_to_one_once_and_repeated():
    found = heldout.validate(GaussianNB(), X, Y, cv="holdout")
    (one,) = found.splits
    assert (len(one.train), len(one.test)) == (80, 40)
    assert abs(np.sum(Y[one.test] == "yes") - np.sum(Y == "yes") / 3) <= 1
    repeated = heldout.validate(GaussianNB(), X, Y, cv="shuffle:20x0.33")
    assert len(repeated.learners["GaussianNB"].values["accuracy"]) == 20  # noqa: PD011
    assert repeated["accuracy"].target.startswith("this learner")


def test_F2_ten_times_ten_stratified_folds_and_a_word_about_small_ones():
    found = heldout.validate(GaussianNB(), X, Y, cv="10x10")
    assert (found.fits, len(found.learners["GaussianNB"].values["accuracy"])) == (100, 100)  # noqa: PD011
    shares = {int(np.sum(Y[one.test] == "yes")) for one in found.splits}
    assert max(shares) - min(shares) <= 1
    assert said(found, "H312") == [
        "the smallest of 100 test parts has 12 rows, fewer than 30: values per part are rough, pool their predictions"
    ]


def test_F3_leave_one_out_of_a_majority_learner_is_warned_about_and_pairs_tell_the_area():
    equal = np.repeat([0, 1], 20)
    found = heldout.validate(DummyClassifier(), X[:40], equal, cv="loo", metrics="error_rate")
    assert float(found["error_rate"]) == 1.0
    assert said(found, "H312")[0].startswith("leave-one-out with classes of 20 and 20 rows: a learner that says the")
    assert float(heldout.validate(DummyClassifier(), X[:40], equal, cv=10, metrics="error_rate")["error_rate"]) == 0.5
    pairs = heldout.validate(GaussianNB(), X[:30], Y[:30], cv="lpo", metrics="roc_auc")
    assert pairs["roc_auc"].method == "leave-pair-out, DeLong logit"
    assert pairs.fits == np.sum(Y[:30] == "yes") * np.sum(Y[:30] == "no")


@pytest.mark.slow
def test_F4_bootstrap_and_the_memoriser_that_deceives_it():
    coins = np.random.default_rng(3).permutation(np.repeat([0, 1], 60))
    memory = KNeighborsClassifier(1)
    words = ("boot", ".632", ".632+")
    found = {word: heldout.validate(memory, X, coins, cv=word, metrics="error_rate") for word in words}
    distinct = np.mean([len(np.unique(one.train)) / 120 for one in found["boot"].splits])
    assert distinct == pytest.approx(1 - (1 - 1 / 120) ** 120, abs=0.01)
    assert float(found["boot"]["error_rate"]) == pytest.approx(0.5, abs=0.06)
    assert float(found[".632"]["error_rate"]) == pytest.approx(0.316, abs=0.04)
    assert float(found[".632+"]["error_rate"]) == pytest.approx(0.48, abs=0.05)


def test_F5_groups_stay_together_and_nothing_is_learned_from_the_future():
    groups = RNG.integers(0, 15, 120)
    for cv in (5, "3x5", "holdout", "group:4"):
        for one in heldout.validate(GaussianNB(), X, Y, cv=cv, groups=groups, metrics="accuracy").splits:
            assert not set(groups[one.train]) & set(groups[one.test])
    when = RNG.permutation(120)
    found = heldout.validate(GaussianNB(), X, Y, time=when, metrics="accuracy")
    for one in found.splits:
        assert when[found.data.order[one.train]].max() < when[found.data.order[one.test]].min()


def test_F5_several_columns_are_stratified_together():
    site, sex = np.arange(120) % 3, np.arange(120) // 3 % 2
    kinds = (Y == "yes") * 6 + site * 2 + sex
    for one in heldout.validate(GaussianNB(), X, Y, cv=4, strata=[site, sex], metrics="accuracy").splits:
        assert np.abs(np.bincount(kinds[one.test], minlength=12) - np.bincount(kinds, minlength=12) / 4).max() < 1


@pytest.mark.parametrize("cv", [None, 10, "3x5", "holdout", "loo", ".632+:30", "nested:2x4", "conservative:4x3"])
def test_F6_the_same_for_numbers(cv):
    target = X @ [1, 2, 0, 0] + RNG.normal(size=120)
    found = heldout.validate(LinearRegression(), X, target, cv=cv, metrics="mae")
    assert found.task == "regression"
    assert found["mae"].low < float(found["mae"]) < found["mae"].high
    assert float(found["mae"]) == pytest.approx(np.sqrt(2 / np.pi), rel=0.35)


def test_F7_the_naive_interval_only_under_its_name_and_the_default_with_its_measured_rate():
    default = heldout.validate(GaussianNB(), X, Y, cv="10x10", metrics="accuracy")["accuracy"]
    assert default.method == "corrected t"
    naive = heldout.validate(GaussianNB(), X, Y, cv="10x10", metrics="accuracy", method="naive_t")["accuracy"]
    assert naive.method == "naive t over folds (not valid)"
    assert naive.high - naive.low < default.high - default.low
    assert "splits share training rows, so the interval is too narrow" in naive.notes


def test_F9_two_learners_over_the_same_folds():
    learners = {"nb": GaussianNB(), "knn": KNeighborsClassifier(3)}
    by_test = {
        "corrected_t": None,
        "kfold_t": 10,
        "5x2cv_t": "5x2",
        "5x2cv_f": "5x2",
    }
    for test, cv in by_test.items():
        (found,) = heldout.validate(learners, X, Y, cv=cv, test=test, metrics="accuracy").differences
        assert 0 <= found.pvalue <= 1, test
        assert found.low <= found.value <= found.high, test
    bayes = heldout.validate(learners, X, Y, metrics="accuracy", rope=0.01).posteriors["knn"]
    assert bayes.below + bayes.within + bayes.above == pytest.approx(1)
    mcnemar = heldout.validate(learners, X, Y, cv="holdout", test="mcnemar", metrics="accuracy").differences[0]
    assert "McNemar" in mcnemar.test


SEEN = []
"""How many rows each fit of the spy saw."""


class Spy(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):  # noqa: ARG002
        SEEN.append(len(X))
        self.fitted_ = True
        return self

    def transform(self, X):
        return X


def test_G5_steps_of_a_pipeline_are_fitted_inside_the_folds_only():
    SEEN.clear()
    found = heldout.validate(make_pipeline(Spy(), StandardScaler(), GaussianNB()), X, Y, cv=10)
    assert [len(one.train) for one in found.splits] == SEEN[:10]
    assert SEEN[10:] == [120]  # the model of all rows, for the training error
    assert said(found, "H207") == []


def test_G5_a_planted_leak_is_found():
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    found = said(heldout.validate(GaussianNB(), pd.DataFrame(scaled, columns=list("abcd")), Y, cv=5), "H207")
    assert len(found) == 1
    assert found[0].startswith("a, b, c, d ")
    frame = pd.DataFrame(X[:, :2], columns=["age", "dose"]).assign(paid=(Y == "yes") * 3.0, kind=Y)
    assert said(heldout.validate(GaussianNB(), frame, "kind", cv=5), "H206") == [
        "paid alone predicts the target (AUC 1.000): is it known when the prediction is made?"
    ]
