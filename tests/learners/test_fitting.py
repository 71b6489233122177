"""One learner, one split: a fresh copy, a seed of its own, scores in the order of the labels; failures as sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from heldout.errors import DataError
from heldout.learners import dataset, whole
from heldout.learners.fitting import Fit, fitted, said, seedless
from heldout.splits import Split

RNG = np.random.default_rng(5)
X = RNG.normal(size=(30, 3))
Y = np.where(X[:, 0] + RNG.normal(size=30) > 0, "yes", "no")
TRAIN, TEST = np.arange(20), np.arange(20, 30)


def fit(estimator, train=TRAIN, test=TEST, **options):
    known = {"number": 3, "of": 5, "seed": 8, **options}
    split = Split(train=train, test=test, repeat=known.pop("repeat", 0), fold=known.pop("fold", 2))
    return Fit(learner="mine", estimator=estimator, split=split, seeded=seedless(estimator), **known)


class Says:
    """Learns nothing and says what it was told to."""

    def __init__(self, what, proba=None, classes=None):
        self.what, self.proba = what, proba
        if proba is not None:
            self.predict_proba = lambda X: np.asarray(self.proba)
        if classes is not None:
            self.classes_ = np.asarray(classes)

    def fit(self, X, y):  # noqa: ARG002
        return self

    def predict(self, X):  # noqa: ARG002
        if isinstance(self.what, Exception):
            raise self.what
        return self.what


def refusal(estimator, data, **options):
    with pytest.raises(DataError) as caught:
        said(fit(estimator, **options), data)
    return str(caught.value)


DATA = dataset(X, Y)
NUMBERS = dataset(X, X[:, 0] * 2)


@pytest.mark.parametrize(
    ("data", "what", "sentence"),
    [
        (
            DATA,
            np.full(10, np.nan),
            (
                "[H314] mine predicted nan, which is not a class of the target (split 3 of 5)\n"
                "  Fix: predict(X) must give classes of the target"
            ),
        ),
        (
            DATA,
            ["yes"] * 9 + ["maybe"],
            (
                "[H314] mine predicted 'maybe', which is not a class of the target (split 3 of 5)\n"
                "  Fix: predict(X) must give classes of the target"
            ),
        ),
        (
            DATA,
            ["yes"] * 9,
            "[H314] mine predicted 9 values for 10 (split 3 of 5)\n  Fix: predict(X) must give one prediction per row",
        ),
        (
            DATA,
            np.zeros((10, 2)),
            (
                "[H314] mine predicted 10 x 2 values for 10 (split 3 of 5)\n"
                "  Fix: predict(X) must give one prediction per row"
            ),
        ),
        (
            DATA,
            None,
            "[H314] mine predicted no values for 10 (split 3 of 5)\n  Fix: predict(X) must give one prediction per row",
        ),
        (
            DATA,
            "yes",
            "[H314] mine predicted 1 values for 10 (split 3 of 5)\n  Fix: predict(X) must give one prediction per row",
        ),
        (
            NUMBERS,
            np.r_[np.zeros(9), np.nan],
            (
                "[H314] mine gave 1 prediction that is missing or infinite (row 30; split 3 of 5)\n"
                "  Fix: scale the features, or take another learner"
            ),
        ),
        (
            NUMBERS,
            np.r_[np.inf, -np.inf, np.zeros(8)],
            (
                "[H314] mine gave 2 predictions that are missing or infinite (rows 21, 22; split 3 of 5)\n"
                "  Fix: scale the features, or take another learner"
            ),
        ),
        (
            NUMBERS,
            ["seven"] * 10,
            (
                "[H314] mine predicted 'seven', which is not a number (split 3 of 5)\n"
                "  Fix: take a learner of numbers, or name the task"
            ),
        ),
    ],
)
def test_predictions_that_are_none(data, what, sentence):
    assert refusal(Says(what), data) == sentence


@pytest.mark.parametrize(
    ("proba", "sentence"),
    [
        (
            np.full((10, 3), 0.3),
            (
                "[H314] predict_proba of mine gave 10 x 3 values for 10 rows and 2 classes (split 3 of 5)\n"
                "  Fix: predict_proba(X) must give one column for each of classes_"
            ),
        ),
        (
            np.full((9, 2), 0.5),
            (
                "[H314] predict_proba of mine gave 9 x 2 values for 10 rows and 2 classes (split 3 of 5)\n"
                "  Fix: predict_proba(X) must give one column for each of classes_"
            ),
        ),
        (
            np.full((10, 2), 1.3),
            (
                "[H314] predict_proba of mine gave 1.3, which is not a probability (split 3 of 5)\n"
                "  Fix: call it decision_function, or give probabilities from 0 to 1"
            ),
        ),
        (
            np.full((10, 2), np.nan),
            (
                "[H314] mine gave 10 scores that are missing or infinite (rows 21, 22, 23, 24, 25 and 5 more; "
                "split 3 of 5)\n  Fix: scale the features, or take another learner"
            ),
        ),
    ],
)
def test_probabilities_that_are_none(proba, sentence):
    assert refusal(Says(["yes"] * 10, proba, ["no", "yes"]), DATA) == sentence


def test_probabilities_of_another_shape():
    one = said(fit(Says(["yes"] * 10, np.linspace(0, 1, 10), ["no", "yes"])), DATA)
    np.testing.assert_array_equal(one.score, np.linspace(0, 1, 10))
    turned = said(fit(Says(["yes"] * 10, np.linspace(0, 1, 10), ["no", "yes"])), dataset(X, Y, pos_label="no"))
    np.testing.assert_array_equal(turned.score, 1 - np.linspace(0, 1, 10))


def test_what_a_learner_raises():
    error = Says(ValueError("too warm.\nand too wet"))
    heading = "[H313] mine raised ValueError in"
    fix = "  Fix: correct the learner or the data; finished fits of a run are kept"
    assert refusal(error, DATA) == f"{heading} split 3 of 5: too warm\n{fix}"
    assert refusal(error, DATA, number=0) == f"{heading} the fit to all rows: too warm\n{fix}"
    later = {"number": 8, "of": 15, "repeat": 1, "fold": 2}
    assert refusal(error, DATA, **later) == f"{heading} split 8 of 15, repeat 2, fold 3: too warm\n{fix}"


def test_texts_among_the_features():
    reason = "[H313] mine raised ValueError in split 3 of 5: could not convert string to float:"
    frame = pd.DataFrame({"size": X[:, 0], "colour": ["red", "blue"] * 15, "site": ["a", "b", "c"] * 10})
    assert refusal(GaussianNB(), dataset(frame[["size", "colour"]], Y)).splitlines()[1:] == [
        "  Fix: colour holds text: encode it in a pipeline, or leave it out"
    ]
    found = refusal(GaussianNB(), dataset(frame, Y))
    assert found.startswith(reason)
    assert found.splitlines()[1:] == ["  Fix: colour, site hold text: encode it in a pipeline, or leave it out"]
    matrix = refusal(GaussianNB(), dataset(frame[["site"]].to_numpy(), Y))
    assert matrix == f"{reason} 'a'\n  Fix: X holds text: encode it in a pipeline, or leave it out"


def test_rows_are_named_as_they_were_given():
    backwards = dataset(X, X[:, 0], time=-np.arange(30))
    found = refusal(Says(np.r_[np.nan, np.zeros(9)]), backwards)
    assert found.startswith("[H314] mine gave 1 prediction that is missing or infinite (row 10; split 3 of 5)")


def test_a_fresh_copy_is_fitted_and_the_given_one_is_left_alone():
    given = LogisticRegression()
    model = fitted(fit(given), DATA)
    assert not hasattr(given, "coef_")
    np.testing.assert_array_equal(model.coef_, LogisticRegression().fit(X[TRAIN], Y[TRAIN]).coef_)


def test_an_object_without_parameters_is_copied_whole():
    given = Says(["yes"] * 10)
    assert fitted(fit(given), DATA) is not given


def test_only_seeds_that_are_missing_are_set():
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(3))
    assert seedless(forest) == ("randomforestclassifier__random_state",)
    assert seedless(RandomForestClassifier(random_state=4)) == ()
    assert seedless(Says(1)) == ()
    one, same = (said(fit(forest), DATA).score for _ in range(2))
    np.testing.assert_array_equal(one, same)
    by_hand = make_pipeline(StandardScaler(), RandomForestClassifier(3, random_state=8)).fit(X[TRAIN], Y[TRAIN])
    np.testing.assert_array_equal(one, by_hand.predict_proba(X[TEST])[:, 1])
    assert not np.array_equal(one, said(fit(forest, seed=9), DATA).score)


@pytest.mark.parametrize("positive", ["no", "yes"])
@pytest.mark.parametrize(("learner", "name"), [(GaussianNB(), "predict_proba"), (SVC(), "decision_function")])
def test_scores_are_those_of_the_positive_class(learner, name, positive):
    found = said(fit(learner), dataset(X, Y, pos_label=positive))
    told = getattr(learner.fit(X[TRAIN], Y[TRAIN]), name)(X[TEST])
    by_hand = told[:, ["no", "yes"].index(positive)] if told.ndim == 2 else told * (1 if positive == "yes" else -1)
    np.testing.assert_array_equal(found.score, by_hand)
    assert found.probabilities == (name == "predict_proba")


def test_a_class_that_was_not_learned_has_no_probability():
    three = np.array(["a", "b", "c"] * 10)
    without = np.flatnonzero(three != "b")
    found = said(fit(GaussianNB(), train=without[:14]), dataset(X, three))
    by_hand = GaussianNB().fit(X[without[:14]], three[without[:14]]).predict_proba(X[TEST])
    np.testing.assert_array_equal(found.score, np.insert(by_hand, 1, 0, axis=1))
    assert said(fit(SVC(), train=without[:14]), dataset(X, three)).score is None
    lone = said(fit(GaussianNB(), train=np.flatnonzero(Y == "no")), DATA)
    assert lone.score.tolist() == [0] * 10


def test_no_scores_where_none_are_asked_for():
    assert said(fit(GaussianNB(), scores=False), DATA).score is None
    assert said(fit(LinearRegression()), NUMBERS).score is None


def test_seconds_are_told():
    found = said(fit(GaussianNB()), DATA)
    assert 0 < found.fit_seconds < 1
    assert 0 < found.predict_seconds < 1


def test_decision_values_of_pairs_of_classes_are_no_scores_of_classes():
    rng = np.random.default_rng(3)
    data = dataset(rng.normal(size=(60, 2)), np.repeat(["a", "b", "c"], 20))
    every = whole(data)
    for shape, kept in (("ovr", True), ("ovo", False)):
        one = Fit(
            learner="SVC",
            estimator=SVC(decision_function_shape=shape),
            split=every,
            number=1,
            of=1,
            seed=0,
            scores=True,
        )
        assert (said(one, data).score is not None) == kept
