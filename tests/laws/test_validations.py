"""What must hold of every validation: of seeds, jobs, the order of learners, labels, levels and weights."""

from __future__ import annotations

import json
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import heldout

RNG = np.random.default_rng(16)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)
WORDS = (
    None,
    5,
    "2x3",
    "5x2",
    "holdout",
    "shuffle:5x0.2",
    "boot:10",
    ".632+:10",
    "nested:2x3",
    "conservative:3x2",
    "time:3",
)
SCORING = ["accuracy", "brier"]


PER_LEARNER = ("estimates", "training", "overfitting", "values")


def as_text(result):
    return json.dumps(result.to_dict())


def numbers_of(result, learner):
    """Everything in a result's dictionary that is about one learner."""
    contents = result.to_dict()
    return {part: contents[part][learner] for part in PER_LEARNER}


@pytest.mark.parametrize("cv", WORDS)
def test_the_same_seed_gives_the_same_numbers_and_another_one_others(cv):
    def run(seed):
        return heldout.validate(RandomForestClassifier(2), X, Y, cv=cv, metrics=SCORING, random_state=seed)

    assert as_text(run(3)) == as_text(run(3))
    one, other = (run(seed).learners["RandomForestClassifier"].values["brier"] for seed in (3, 4))
    assert not np.array_equal(one, other)


@pytest.mark.slow
@pytest.mark.parametrize("cv", [5, "nested:2x3"])
def test_jobs_change_no_number(cv):
    learners = {"forest": RandomForestClassifier(2), "nb": GaussianNB()}
    found = [heldout.validate(learners, X, Y, cv=cv, metrics=SCORING, n_jobs=jobs) for jobs in (None, 1, 2)]
    assert as_text(found[0]) == as_text(found[1]) == as_text(found[2])


def test_the_order_of_learners_changes_no_number_of_theirs():
    learners = {"forest": RandomForestClassifier(2), "nb": GaussianNB(), "knn": KNeighborsClassifier(3)}
    first = heldout.validate(learners, X, Y, metrics=SCORING)
    for order in permutations(learners):
        found = heldout.validate({name: learners[name] for name in order}, X, Y, metrics=SCORING)
        for name in learners:
            assert numbers_of(found, name) == numbers_of(first, name)
        for one in found.differences:
            pair = [
                other
                for other in first.differences
                if (other.model, other.baseline, other.metric) == (one.model, one.baseline, one.metric)
            ]
            turned = [
                other
                for other in first.differences
                if (other.baseline, other.model, other.metric) == (one.model, one.baseline, one.metric)
            ]
            for other in pair:
                assert (other.value, other.pvalue) == (one.value, one.pvalue)
            for other in turned:
                assert (other.value, other.pvalue) == pytest.approx((-one.value, one.pvalue), abs=1e-12)
                assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=1e-12)


def test_a_learner_alone_and_among_others_has_the_same_numbers_on_the_same_splits():
    alone = heldout.validate({"nb": GaussianNB()}, X, Y, cv="3x4", metrics=SCORING)
    among = heldout.validate({"nb": GaussianNB(), "knn": KNeighborsClassifier()}, X, Y, cv="3x4", metrics=SCORING)
    assert numbers_of(alone, "nb") == numbers_of(among, "nb")


@pytest.mark.parametrize("cv", WORDS)
def test_a_learner_against_itself_differs_by_nothing(cv):
    found = heldout.validate({"a": GaussianNB(), "b": GaussianNB()}, X, Y, cv=cv, metrics=SCORING)
    assert found.verdict == "UNDECIDED"
    assert {one.metric for one in found.differences} == set(SCORING)
    for one in found.differences:
        assert one.value == 0
        assert not one.pvalue < 1
        if np.isnan(one.pvalue):  # could not be tested, so that it is in no family and has no verdict
            assert one.verdict is None
            assert one.notes
        else:
            assert one.verdict == "UNDECIDED"


@pytest.mark.parametrize("cv", [5, "2x3", "holdout", "boot:10", "nested:2x3", "conservative:3x2"])
def test_names_of_classes_change_no_number(cv):
    plain = heldout.validate(GaussianNB(), X, Y, cv=cv, metrics=[*SCORING, "roc_auc", "f1"])
    for names in (["a", "b"], [False, True], [10, 20]):
        found = heldout.validate(GaussianNB(), X, np.array(names)[Y], cv=cv, metrics=[*SCORING, "roc_auc", "f1"])
        assert numbers_of(found, "GaussianNB") == numbers_of(plain, "GaussianNB")


@pytest.mark.parametrize("cv", [5, "2x3", "holdout", "boot:10", ".632+:10", "nested:2x3", "conservative:3x2", "loo"])
def test_accuracy_and_error_rate_are_one(cv):
    found = heldout.validate(GaussianNB(), X, Y, cv=cv, metrics=["accuracy", "error_rate"])
    right, wrong = found["accuracy"], found["error_rate"]
    assert (float(right), right.low, right.high) == pytest.approx((1 - float(wrong), 1 - wrong.high, 1 - wrong.low))


@settings(max_examples=15, deadline=None)
@given(cv=st.sampled_from([4, "2x3", "loo", "holdout"]), seed=st.integers(0, 2**32 - 1), rows=st.integers(24, 40))
def test_every_row_is_tested_as_often_as_the_word_says_and_never_learned_from(cv, seed, rows):
    found = heldout.validate(
        GaussianNB(), X[:rows], Y[:rows], cv=cv, metrics="accuracy", random_state=seed, checks=False
    )
    tested = np.bincount(np.concatenate([one.test for one in found.splits]), minlength=rows)
    assert set(tested) == {4: {1}, "2x3": {2}, "loo": {1}, "holdout": {0, 1}}[cv]
    for one in found.splits:
        assert not np.intersect1d(one.train, one.test).size
        assert len(one.train) + len(one.test) == rows
    values = found.learners["GaussianNB"].values["accuracy"]
    sizes = np.array([len(one.test) for one in found.splits])
    if cv != "2x3":  # folds pooled: the mean over rows
        assert float(found["accuracy"]) == pytest.approx(np.sum(values * sizes) / sizes.sum())


def test_a_larger_level_holds_a_smaller_one():
    for cv in WORDS:
        for metric in SCORING:
            narrow, wide = (
                heldout.validate(GaussianNB(), X, Y, cv=cv, metrics=metric, confidence_level=level, checks=False)[
                    metric
                ]
                for level in (0.8, 0.99)
            )
            assert wide.low <= narrow.low <= float(narrow) <= narrow.high <= wide.high, (cv, metric)


def test_weights_of_one_are_no_weights():
    target = X[:, 0] + RNG.normal(size=60)
    for learner, y, metric in ((GaussianNB(), Y, "accuracy"), (LinearRegression(), target, "mae")):
        for cv in (5, "3x4", None):
            plain = heldout.validate(learner, X, y, cv=cv, metrics=metric)
            weighed = heldout.validate(learner, X, y, cv=cv, metrics=metric, sample_weight=np.ones(60))
            (one,), (other,) = plain.learners.values(), weighed.learners.values()
            np.testing.assert_allclose(one.values[metric], other.values[metric], rtol=1e-12)
            assert float(plain[metric]) == pytest.approx(float(weighed[metric]), rel=1e-12)
