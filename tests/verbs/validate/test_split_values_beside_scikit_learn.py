"""Values split by split beside scikit-learn's own, on the same splits, for every kind of rows and target."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, f1_score, log_loss, mean_absolute_error, roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import heldout

RNG = np.random.default_rng(8)
X = RNG.normal(size=(120, 4))
NOISE = X[:, 0] + X[:, 1] / 2 + RNG.normal(size=120)
BINARY = (NOISE > 0.3).astype(int)
THREE = np.digitize(NOISE, [-0.6, 0.6])
FOLDS = StratifiedKFold(6, shuffle=True, random_state=3)
OF_TWO = {
    "accuracy": "accuracy",
    "roc_auc": "roc_auc",
    "log_loss": "neg_log_loss",
    "brier": "neg_brier_score",
    "f1": "f1",
    "average_precision": "average_precision",
    "balanced_accuracy": "balanced_accuracy",
    "mcc": "matthews_corrcoef",
}
OF_THREE = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "f1_macro": "f1_macro",
    "log_loss": "neg_log_loss",
    "roc_auc_ovr": "roc_auc_ovr",
}
OF_NUMBERS = {
    "mae": "neg_mean_absolute_error",
    "rmse": "neg_root_mean_squared_error",
    "mse": "neg_mean_squared_error",
    "r2": "r2",
    "median_absolute_error": "neg_median_absolute_error",
}


def agree(learner, features, y, names, cv, **options):
    """Every value on every split, to the last digits but a few."""
    found = heldout.validate(learner, features, y, cv=cv, metrics=list(names), checks=False, **options)
    theirs = cross_validate(learner, features, y, cv=cv, scoring=names, groups=options.get("groups"))
    (ours,) = found.learners.values()
    values = ours.values  # noqa: PD011
    for name, scorer in names.items():
        expected = theirs[f"test_{name}"] * (-1 if scorer.startswith("neg_") else 1)
        np.testing.assert_allclose(values[name], expected, rtol=1e-12, atol=1e-12, err_msg=name)
    return found


@pytest.mark.parametrize("learner", [GaussianNB(), LogisticRegression()])
def test_two_classes(learner):
    agree(learner, X, BINARY, OF_TWO, FOLDS)


@pytest.mark.parametrize("learner", [GaussianNB(), LogisticRegression()])
def test_three_classes(learner):
    agree(learner, X, THREE, OF_THREE, FOLDS)


@pytest.mark.parametrize("learner", [LinearRegression(), KNeighborsRegressor(3)])
def test_numbers(learner):
    agree(learner, X, NOISE, OF_NUMBERS, KFold(5))


def test_several_targets():
    y = np.c_[NOISE, X[:, 2] * 3 + RNG.normal(size=120)]
    agree(Ridge(), X, y, {"mae": "neg_mean_absolute_error", "r2": "r2"}, KFold(5, shuffle=True, random_state=1))


def test_decision_values():
    agree(SVC(), X, BINARY, {"accuracy": "accuracy", "roc_auc": "roc_auc"}, FOLDS)


@pytest.mark.parametrize(
    "features",
    [
        X.tolist(),
        np.asfortranarray(X),
        pd.DataFrame(X),
        pd.DataFrame(X, index=RNG.permutation(120), columns=list("abcd")),
        pl.DataFrame({name: X[:, at] for at, name in enumerate("abcd")}),
    ],
    ids=["lists", "by columns", "pandas", "pandas with an index", "polars"],
)
def test_rows_in_any_container(features):
    agree(GaussianNB(), features, BINARY, OF_TWO, FOLDS)


def test_single_precision_and_a_tree():
    # scikit-learn adds up single precision in single precision, so only what counts and orders is held against it
    names = {"accuracy": "accuracy", "roc_auc": "roc_auc"}
    agree(DecisionTreeClassifier(max_depth=3, random_state=0), X.astype(np.float32), BINARY, names, FOLDS)
    agree(GaussianNB(), X.astype(np.float32), BINARY, names, FOLDS)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_array])
def test_sparse_rows(kind):
    counts = kind(RNG.poisson(1, size=(120, 6)))
    agree(MultinomialNB(), counts, BINARY, {"accuracy": "accuracy", "log_loss": "neg_log_loss"}, FOLDS)


def test_texts():
    words = np.array(["good", "bad", "day", "night", "rain"])
    texts = [
        " ".join(RNG.choice(words, 4)) + (" sun" if kind else " moon") * (at % 3) for at, kind in enumerate(BINARY)
    ]
    learner = make_pipeline(CountVectorizer(), MultinomialNB())
    for given in (texts, np.array(texts), pd.Series(texts)):
        agree(learner, given, BINARY, {"accuracy": "accuracy", "roc_auc": "roc_auc"}, FOLDS)


def test_a_frame_with_texts_through_a_pipeline():
    frame = pd.DataFrame({"size": X[:, 0], "site": np.array(["a", "b", "c"])[np.arange(120) % 3], "kind": BINARY})
    learner = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["site"]), (StandardScaler(), ["size"])), LogisticRegression()
    )
    found = heldout.validate(learner, frame, "kind", cv=FOLDS, metrics="accuracy")
    theirs = cross_val_score(learner, frame[["size", "site"]], BINARY, cv=FOLDS)
    np.testing.assert_allclose(found.learners["LogisticRegression"].values["accuracy"], theirs, rtol=1e-12)  # noqa: PD011


@pytest.mark.parametrize(
    "labels", [np.array(["no", "yes"]), np.array([False, True]), np.array([-1, 1]), np.array([0.0, 1.0])]
)
def test_labels_of_any_kind(labels):
    # scikit-learn's scorers take the greater label for the positive one, and so do we
    names = {"accuracy": "accuracy", "roc_auc": "roc_auc", "log_loss": "neg_log_loss"}
    found = agree(GaussianNB(), X, labels[BINARY], names, FOLDS)
    assert found.task == "binary"


def test_the_other_positive_class():
    found = heldout.validate(
        GaussianNB(), X, np.where(BINARY, "p", "n"), cv=FOLDS, metrics=["f1", "brier"], pos_label="n"
    )
    turned = cross_validate(GaussianNB(), X, 1 - BINARY, cv=FOLDS, scoring={"f1": "f1", "brier": "neg_brier_score"})
    ours = found.learners["GaussianNB"].values  # noqa: PD011
    np.testing.assert_allclose(ours["f1"], turned["test_f1"], rtol=1e-12)
    np.testing.assert_allclose(ours["brier"], -turned["test_brier"], rtol=1e-12)


@pytest.mark.parametrize(
    "cv",
    [
        KFold(4, shuffle=True, random_state=1),
        RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=1),
        ShuffleSplit(6, test_size=0.25, random_state=1),
        TimeSeriesSplit(4),
        [(np.arange(80), np.arange(80, 120)), (np.arange(40, 120), np.arange(40))],
    ],
    ids=lambda cv: type(cv).__name__,
)
def test_splitters(cv):
    agree(GaussianNB(), X, BINARY, {"accuracy": "accuracy", "brier": "neg_brier_score"}, cv)


@pytest.mark.parametrize("cv", [GroupKFold(5), LeaveOneGroupOut()], ids=lambda cv: type(cv).__name__)
def test_groups(cv):
    found = agree(GaussianNB(), X, BINARY, {"accuracy": "accuracy"}, cv, groups=np.arange(120) // 12)
    assert found.units == 10


class Thirds:
    """A splitter of one's own."""

    def split(self, X, y=None, groups=None):  # noqa: ARG002
        for third in range(3):
            yield np.flatnonzero(np.arange(len(y)) % 3 != third), np.flatnonzero(np.arange(len(y)) % 3 == third)

    def get_n_splits(self, X=None, y=None, groups=None):  # noqa: ARG002
        return 3


def test_a_splitter_of_ones_own():
    assert agree(GaussianNB(), X, BINARY, OF_TWO, Thirds()).split_kind == "folds"


def test_words_are_splits_of_scikit_learn():
    found = heldout.validate(GaussianNB(), X, BINARY, cv="2x5", metrics="accuracy", random_state=9)
    theirs = cross_val_score(
        GaussianNB(), X, BINARY, cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=9)
    )
    np.testing.assert_allclose(found.learners["GaussianNB"].values["accuracy"], theirs, rtol=1e-12)  # noqa: PD011


def test_folds_pooled_are_the_metric_of_cross_val_predict():
    found = heldout.validate(GaussianNB(), X, BINARY, cv=FOLDS, metrics=["accuracy", "log_loss"])
    told = cross_val_predict(GaussianNB(), X, BINARY, cv=FOLDS)
    proba = cross_val_predict(GaussianNB(), X, BINARY, cv=FOLDS, method="predict_proba")
    assert float(found["accuracy"]) == pytest.approx(accuracy_score(BINARY, told), abs=1e-12)
    assert float(found["log_loss"]) == pytest.approx(log_loss(BINARY, proba), abs=1e-12)
    as_evaluated = heldout.evaluate(BINARY, told)["accuracy"]
    assert (found["accuracy"].low, found["accuracy"].high) == (as_evaluated.low, as_evaluated.high)


def test_weights_count_in_the_values():
    weight = RNG.uniform(0.1, 4, 120)
    cv = KFold(4)
    names = ["accuracy", "log_loss", "f1", "roc_auc"]
    ours = heldout.validate(GaussianNB(), X, BINARY, cv=cv, metrics=names, sample_weight=weight)
    for at, (train, test) in enumerate(cv.split(X)):
        model = GaussianNB().fit(X[train], BINARY[train])
        told, score, of = model.predict(X[test]), model.predict_proba(X[test])[:, 1], {"sample_weight": weight[test]}
        by_hand = (
            accuracy_score(BINARY[test], told, **of),
            log_loss(BINARY[test], score, **of),
            f1_score(BINARY[test], told, **of),
            roc_auc_score(BINARY[test], score, **of),
        )
        values = ours.learners["GaussianNB"].values  # noqa: PD011
        np.testing.assert_allclose([values[name][at] for name in names], by_hand, rtol=1e-12)


def test_weights_count_in_regression():
    weight = RNG.uniform(0.1, 4, 120)
    cv = KFold(4)
    ours = (
        heldout.validate(Ridge(), X, NOISE, cv=cv, metrics="mae", sample_weight=weight).learners["Ridge"].values["mae"]  # noqa: PD011
    )
    for value, (train, test) in zip(ours, cv.split(X), strict=True):
        told = Ridge().fit(X[train], NOISE[train]).predict(X[test])
        assert value == pytest.approx(mean_absolute_error(NOISE[test], told, sample_weight=weight[test]), rel=1e-12)


def test_strata_on_several_columns_are_kept():
    site, age = np.arange(120) % 2, np.arange(120) // 2 % 3
    found = heldout.validate(GaussianNB(), X, NOISE > 0, cv=4, strata=[site, age], metrics="accuracy")
    kinds = (NOISE > 0) * 6 + site * 3 + age
    for one in found.splits:
        shares = np.bincount(kinds[one.test], minlength=12) - np.bincount(kinds, minlength=12) / 4
        assert np.abs(shares).max() < 1
