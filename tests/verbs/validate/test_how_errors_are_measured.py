"""What an estimate is made of is said: pooled or averaged folds, training error in .632, what leave-one-out does."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import heldout
from heldout.cli import verbs

RNG = np.random.default_rng(0)
X = RNG.normal(size=(100, 2))
COIN = np.tile([0, 1], 50)
NUMBER = X[:, 0] + RNG.normal(size=100) * 5


def codes(found):
    return [check.code for check in found.checks]


@pytest.mark.parametrize("learner", [DummyClassifier(), LogisticRegression(C=1e-9)], ids=["dummy", "shrunk"])
def test_the_artefact_of_leave_one_out_is_not_called_overfitting(learner):
    found = heldout.validate(learner, X, COIN, cv="loo", metrics="accuracy")
    assert found["accuracy"].high < 0.5
    assert "H312" in codes(found)
    assert "H315" not in codes(found)


def test_a_memoriser_overfits_by_leave_one_out_too():
    found = heldout.validate(KNeighborsClassifier(1), X, COIN, cv="loo", metrics="accuracy")
    assert "H315" in codes(found)


def test_632_of_a_memoriser_warns_that_training_error_is_counted():
    found = heldout.validate(KNeighborsClassifier(1), X, COIN, cv=".632", metrics="error_rate")
    (note,) = [note for note in found["error_rate"].notes if ".632+" in note]
    assert "36.8%" in note
    assert "training error 0.000" in note
    (overfits,) = [check.text for check in found.checks if check.code == "H315"]
    assert "on rows it has not" not in overfits  # a part of the value is from rows it has seen
    assert ".632" in overfits


@pytest.mark.parametrize("cv", [".632+", "boot"])
def test_632_plus_and_out_of_bag_need_no_such_warning(cv):
    found = heldout.validate(KNeighborsClassifier(1), X, COIN, cv=cv, metrics="error_rate")
    assert not any("36.8%" in note for note in found["error_rate"].notes)


def test_632_of_a_learner_that_hardly_overfits_does_not_warn():
    truth = (X[:, 0] + 0.2 * RNG.normal(size=100) > 0).astype(int)
    found = heldout.validate(GaussianNB(), X, truth, cv=".632", metrics="error_rate")
    assert not any("36.8%" in note for note in found["error_rate"].notes)


def test_pooled_and_averaged_folds_are_both_given_and_named():
    rows, truth = X[:93], NUMBER[:93]
    pooled = heldout.validate(Ridge(), rows, truth, cv=10)
    averaged = heldout.validate(Ridge(), rows, truth, cv=10, method="corrected_t")
    for metric in ("mae", "rmse", "r2"):
        assert pooled[metric] != averaged[metric]
        both = {"pooled": float(pooled[metric]), "mean_of_splits": float(averaged[metric])}
        for found, used in ((pooled, "pooled"), (averaged, "mean_of_splits")):
            said = found.to_dict()["averaging"]["Ridge"][metric]
            assert said["used"] == used
            assert {name: said[name] for name in both} == pytest.approx(both)
    residuals = np.abs(pooled.predictions()["y_pred"] - pooled.predictions()["y_true"])
    assert pooled["mae"] == pytest.approx(residuals.mean())
    by_fold = residuals.groupby(pooled.predictions()["fold"]).mean()
    assert averaged["mae"] == pytest.approx(by_fold.mean())


def test_the_text_says_which_of_pooled_and_averaged_was_used(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{a:.4f},{b:.4f},{y:.4f}" for (a, b), y in zip(X[:93], NUMBER[:93], strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,y", *lines]) + "\n", encoding="utf-8")
    asked = ["validate", "sklearn.linear_model:Ridge", "--data", "rows.csv", "--target", "y", "--cv", "10", "-m", "mae"]
    pooled = " ".join(CliRunner().invoke(verbs, asked).stdout.split())
    assert "value: test rows of all folds pooled" in pooled
    assert "--method corrected_t" in pooled
    averaged = " ".join(CliRunner().invoke(verbs, [*asked, "--method", "corrected_t"]).stdout.split())
    assert "value: mean of the 10 folds' values" in averaged
    assert "--method pooled" in averaged


def test_training_error_holdout_and_folds_stand_side_by_side():
    found = heldout.validate(KNeighborsClassifier(1), X, COIN, cv=10, holdout=0.3, metrics="error_rate")
    one = found.learners["KNeighborsClassifier"]
    assert one.training["error_rate"] == 0
    assert one.holdout["error_rate"] > 0
    assert one.holdout["error_rate"].target == "this model, trained on 70 rows"
    assert one.holdout["error_rate"].low < one.holdout["error_rate"] < one.holdout["error_rate"].high
    table = found.to_text().split("three ways")[1].split("\n\n")[0]
    assert [line.split("  ")[0] for line in table.splitlines()[2:5]] == ["training rows", "holdout", "10 folds"]
    # the rest of the result is what it is without
    alone = heldout.validate(KNeighborsClassifier(1), X, COIN, cv=10, metrics="error_rate")
    assert alone["error_rate"] == found["error_rate"]
    assert alone.to_dict()["holdout"] == {}


def test_in_the_order_of_time_the_last_rows_are_held_out():
    class Newest(Ridge):
        def fit(self, X, y):
            assert X[:, 1].max() < 100
            if len(X) == 70:
                assert X[:, 1].max() == 69
            return super().fit(X, y)

    rows = np.column_stack([X[:, 0], np.arange(100)])
    found = heldout.validate(Newest(), rows, NUMBER, cv="time", time=np.arange(100), holdout=0.3, metrics="mae")
    assert found.learners["Newest"].holdout["mae"].target == "this model, trained on 70 rows"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"holdout": 1.0}, "between 0 and 1"),
        ({"holdout": 0.3, "cv": "holdout"}, "one itself"),
        ({"stratified": False, "strata": COIN}, "leave out one of them"),
        ({"min_fold_size": 0}, "whole number from 1"),
    ],
)
def test_ways_to_split_that_make_no_sense_are_refused(options, words):
    with pytest.raises(heldout.UsageError, match=words):
        heldout.validate(GaussianNB(), X, COIN, **options)


def test_unstratified_folds_and_the_least_fold_size_can_be_chosen():
    shares = []
    for stratified in (True, False):
        found = heldout.validate(GaussianNB(), X, COIN, cv=10, stratified=stratified, min_fold_size=5)
        assert "H312" not in codes(found)
        shares.append([COIN[one.test].mean() for one in found.splits])
    assert np.ptp(shares[0]) == 0 < np.ptp(shares[1])
    rough = heldout.validate(GaussianNB(), X, COIN, cv=10, min_fold_size=11)
    assert "fewer than 11" in " ".join(check.text for check in rough.checks)


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        ("lpo", "each of 100 pairs of a positive and a negative row left out once"),
        ("lpo:2", "all 190 ways to leave out 2 of 20 rows"),
    ],
)
def test_leave_pair_out_and_leave_two_out_are_called_what_they_are(cv, words):
    found = heldout.validate(GaussianNB(), X[:20], COIN[:20], cv=cv, metrics="roc_auc")
    assert words in " ".join(found.to_text().split())
    assert "H312" not in codes(found)  # parts of two rows are what was asked for


def test_the_model_of_all_rows_is_written_and_says_which_estimate_belongs_to_it(tmp_path, monkeypatch):
    joblib = pytest.importorskip("joblib")
    monkeypatch.chdir(tmp_path)
    lines = [f"{a:.4f},{b:.4f},{y}" for (a, b), y in zip(X, COIN, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,y", *lines]) + "\n", encoding="utf-8")
    asked = ["--data", "rows.csv", "--target", "y", "--cv", "10", "-m", "accuracy", "--model", "nb.joblib"]
    found = CliRunner().invoke(verbs, ["validate", "sklearn.naive_bayes:GaussianNB", *asked])
    assert found.exit_code == 0, found.output
    model = joblib.load(tmp_path / "nb.joblib")
    assert model.class_count_.sum() == 100  # all rows
    said = " ".join(found.stdout.split())
    assert "nb.joblib is GaussianNB fitted to all 100 rows. No row is left to measure it: accuracy" in said
    assert "is of these 10 models, trained on about 90 rows each, and if anything a little pessimistic" in said
    assert "fitted to all 100 rows" in model.heldout_estimate_
    two = ["sklearn.naive_bayes:GaussianNB", "sklearn.svm:SVC"]
    refused = CliRunner().invoke(verbs, ["validate", *two, *asked])
    assert refused.exit_code == 2
    assert "--model writes one model, and 2 were given" in refused.stderr
