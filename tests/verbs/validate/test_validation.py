"""`validate` as a user has it: what is wrong is told in one sentence, and before anything is fitted."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import heldout
from heldout.errors import HeldoutError

RNG = np.random.default_rng(15)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)
FITS = []
OTHERS = "take another learner, or another metric"
NO_SCORES = f"[H106] roc_auc needs a score column\n  Fix: {OTHERS}"


class Counted(GaussianNB):
    def fit(self, X, y):
        FITS.append(len(X))
        return super().fit(X, y)


class Plain:
    """No parameters, no scores: the least that is a learner."""

    def fit(self, X, y):  # noqa: ARG002
        self.most_ = np.bincount(y).argmax()

    def predict(self, X):
        return np.full(len(X), self.most_)


@pytest.mark.parametrize(
    "options",
    [
        {"method": "corrected"},
        {"test": "corrected"},
        {"margin": -1},
        {"metrics": "acuracy"},
        {"metrics": "mae"},
        {"confidence_level": 95},
        {"random_state": -1},
        {"n_jobs": 0},
        {"cv": "ten"},
        {"pos_label": 7},
        {"groups": [1, 2]},
        {"task": "binry"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_what_is_wrong_is_told_before_anything_is_fitted(options):
    FITS.clear()
    with pytest.raises(HeldoutError):
        heldout.validate([Counted(), Counted(var_smoothing=0.1)], X, Y, **options)
    assert FITS == []


@pytest.mark.parametrize(
    ("learner", "y", "options", "said"),
    [
        (
            GaussianNB(),
            "knd",
            {},
            (
                "[H106] the frame has no column 'knd' for learning; did you mean 'kind'? its columns are "
                "a, b, t, kind\n  Fix: name one of these columns"
            ),
        ),
        (
            GaussianNB(),
            "kind",
            {"cv": 3},
            (
                "[H313] GaussianNB raised ValueError in split 1 of 3: could not convert string to float: 'blue'\n"
                "  Fix: t holds text: encode it in a pipeline, or leave it out"
            ),
        ),
        (
            LogisticRegression(),
            "same",
            {"cv": 3, "drop": ["t", "kind"]},
            (
                "[H313] LogisticRegression raised ValueError in split 1 of 3: This solver needs samples of at least 2 "
                "classes in the data, but the data contains only one class: np.int64(0)\n"
                "  Fix: correct the learner or the data; finished fits of a run are kept"
            ),
        ),
        (Plain(), "kind", {"cv": 3, "metrics": "roc_auc", "drop": ["t"]}, NO_SCORES),
    ],
)
def test_messages(learner, y, options, said):
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "t": ["red", "blue"] * 30, "kind": Y})
    if y == "same":
        frame["same"] = 0
    with pytest.raises(HeldoutError) as caught:
        heldout.validate(learner, frame, y, **options)
    assert str(caught.value) == said


def test_one_class_only_is_told():
    found = heldout.validate(GaussianNB(), X, np.zeros(60, int), cv=3)
    assert float(found["accuracy"]) == 1.0
    assert "has one class only (60 x 0): recall or specificity, and AUC, are undefined" in found.checks[0].text


def test_the_least_that_is_a_learner():
    found = heldout.validate(Plain(), X, Y, cv=5)
    assert list(found.learners["Plain"].estimates) == ["accuracy"]
    assert float(found["accuracy"]) == pytest.approx(max(Y.mean(), 1 - Y.mean()))
    assert found.fitted().most_ == np.bincount(Y).argmax()


def test_learners_are_told_by_the_metrics_that_all_of_them_have():
    found = heldout.validate({"plain": Plain(), "nb": GaussianNB(), "svm": SVC()}, X, Y, cv=5)
    assert [list(one.estimates) for one in found.learners.values()] == [["accuracy"]] * 3
    scored = heldout.validate({"nb": GaussianNB(), "svm": SVC()}, X, Y, cv=5)
    assert list(scored.learners["nb"].estimates) == ["accuracy", "roc_auc"]


def test_a_metric_that_one_of_the_learners_lacks():
    for learners in ([GaussianNB(), SVC()], [SVC(), GaussianNB()]):
        with pytest.raises(HeldoutError) as caught:
            heldout.validate(learners, X, Y, cv=3, metrics="log_loss")
        assert str(caught.value) == f"[H106] log_loss needs probabilities\n  Fix: {OTHERS}"


def test_an_infinite_loss_of_one_learner_costs_its_own_line_only():
    from sklearn.tree import DecisionTreeClassifier

    for cv in ("boot:20", ".632+:20", "nested:2x3", "conservative:3x2", "3x4"):
        found = heldout.validate(DecisionTreeClassifier(), X, Y, cv=cv, metrics=["accuracy", "log_loss"])
        assert np.isfinite(float(found["accuracy"]))
        assert not np.isfinite(float(found["log_loss"]))
        assert found["log_loss"].notes


def test_a_fold_that_weighs_nothing_has_no_value():
    weight = (np.arange(60) < 45).astype(float)
    parts = [(np.setdiff1d(np.arange(60), part), part) for part in np.array_split(np.arange(60), 4)]
    found = heldout.validate(GaussianNB(), X, Y, cv=parts, metrics="accuracy", sample_weight=weight)
    assert np.isnan(found.learners["GaussianNB"].values["accuracy"]).tolist() == [False, False, False, True]  # noqa: PD011
    alone = heldout.validate(GaussianNB(), X, Y, cv=parts, metrics="accuracy").learners["GaussianNB"]
    told = alone.values["accuracy"][:3].mean()  # noqa: PD011
    assert float(found["accuracy"]) == pytest.approx(told)


def test_a_model_by_name():
    found = heldout.validate({"a": GaussianNB(), "b": SVC()}, X, Y, cv=3, metrics="accuracy")
    assert isinstance(found.fitted("b"), SVC)
    with pytest.raises(HeldoutError) as caught:
        found.fitted("c")
    assert str(caught.value) == "no learner is named 'c'\n  Fix: choose one of a, b"
    with pytest.raises(HeldoutError) as caught:
        found["acuracy"]
    assert str(caught.value) == (
        "no difference is named 'acuracy'; did you mean 'accuracy'?\n  Fix: choose one of accuracy"
    )


def test_a_seeded_learner_gives_the_model_that_was_judged():
    from sklearn.ensemble import RandomForestClassifier

    found = heldout.validate(RandomForestClassifier(3), X, Y, cv=3, metrics="accuracy")
    judged = found.learners["RandomForestClassifier"].training["accuracy"]
    assert np.mean(found.fitted().predict(X) == Y) == judged


def test_frames_and_timings():
    found = heldout.validate({"a": GaussianNB(), "b": SVC()}, X, Y, cv=4, metrics=["accuracy", "roc_auc"])
    frame = found.to_frame()
    assert frame[["model", "metric"]].to_numpy().tolist() == [
        [model, metric] for model in "ab" for metric in ("accuracy", "roc_auc")
    ]
    assert (frame["low"] <= frame["value"]).all()
    timings = found.timings()
    assert timings.groupby("model").size().to_dict() == {"a": 5, "b": 5}  # four splits, and all rows
    assert (timings["fit"] > 0).all()


def test_the_json_is_plain_and_strict():
    target = X[:, 0] + 1
    for found in (
        heldout.validate([GaussianNB(), SVC()], X, Y, rope=0.01),
        heldout.validate(LinearRegression(), X, target, cv="loo"),
    ):
        text = json.dumps(found.to_dict(), allow_nan=False)
        assert json.loads(text)["schema"] == "heldout.validation/1"
        assert str(found)


def test_training_holdout_and_splits_are_drawn_side_by_side():
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = (X[:, 0] + rng.normal(size=90) > 0).astype(int)
    found = heldout.validate(GaussianNB(), X, y, cv=5, holdout=0.33, metrics="accuracy,brier")
    parts = found.plot.figure("holdout").parts["rates"]
    assert parts["name"] == ["GaussianNB: training rows", "GaussianNB: holdout", "GaussianNB: cv=5"]
    one = found.learners["GaussianNB"]
    assert parts["value"] == [one.training["accuracy"], one.holdout["accuracy"].value, one.estimates["accuracy"].value]
    assert parts["low"][1:] == [one.holdout["accuracy"].low, one.estimates["accuracy"].low]
    assert found.plot.figure("holdout", metric="brier").x == "brier"
    assert "holdout" not in heldout.validate(GaussianNB(), X, y, cv=5).plot()
