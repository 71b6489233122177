"""What models said of rows they had not seen, as a batch and as a file like any other."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

import heldout

RNG = np.random.default_rng(7)
X = RNG.normal(size=(60, 3))
NOISE = X[:, 0] + RNG.normal(size=60)
TARGETS = {
    "words": np.where(NOISE > 0, "yes", "no"),
    "booleans": NOISE > 0,
    "whole numbers": np.where(NOISE > 0, 4, 2),
    "three classes": np.array(["a", "b", "c"])[np.digitize(NOISE, [-0.5, 0.5])],
}


@pytest.mark.parametrize("kind", TARGETS)
def test_the_saved_file_evaluates_to_the_same_value(kind, tmp_path):
    y = TARGETS[kind]
    found = heldout.validate(GaussianNB(), X, y, cv=StratifiedKFold(5), metrics=["accuracy", "log_loss"])
    path = tmp_path / "out_of_fold.parquet"
    found.save_predictions(path)
    again = heldout.evaluate(path)
    assert float(again["accuracy"]) == pytest.approx(float(found["accuracy"]), abs=1e-12)
    assert float(again["log_loss"]) == pytest.approx(float(found["log_loss"]), abs=1e-12)
    assert (again["accuracy"].low, again["accuracy"].high) == pytest.approx(
        (found["accuracy"].low, found["accuracy"].high), abs=1e-12
    )
    frame = found.predictions("pandas").sort_values("id")
    assert frame["y_true"].tolist() == y.tolist()
    assert frame["y_pred"].tolist() == cross_val_predict(GaussianNB(), X, y, cv=StratifiedKFold(5)).tolist()


def test_two_targets_have_two_columns_each(tmp_path):
    found = heldout.validate(LinearRegression(), X, X[:, :2] * 2 + 1, cv=4)
    columns = found.predictions("pandas").columns.tolist()
    assert columns == ["id", "repeat", "fold", "y_true_0", "y_true_1", "y_pred_0", "y_pred_1"]


def test_several_learners_are_told_apart():
    found = heldout.validate({"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.5)}, X, TARGETS["words"], cv="2x3")
    frame = found.predictions("pandas")
    assert frame.groupby("model").size().to_dict() == {"a": 120, "b": 120}
    assert sorted(set(zip(frame["repeat"], frame["fold"], strict=True))) == [(r, f) for r in (0, 1) for f in (0, 1, 2)]


def test_ids_are_those_of_the_rows_as_they_were_given():
    when = RNG.permutation(60)
    frame = heldout.validate(LinearRegression(), X, NOISE, time=when, cv="time:3").predictions("pandas")
    np.testing.assert_array_equal(frame["y_true"], NOISE[frame["id"]])
    assert (np.diff(when[frame["id"]]) > 0).all()


def test_lines_of_one_row_or_group_belong_together():
    repeated = heldout.validate(GaussianNB(), X, TARGETS["words"], cv="3x4").learners["GaussianNB"].predictions
    assert (repeated.batch.rows, repeated.batch.units) == (180, 60)
    groups = np.arange(60) // 3
    grouped = heldout.validate(GaussianNB(), X, TARGETS["words"], cv=4, groups=groups).batch_of_rows
    assert (grouped.rows, grouped.units) == (60, 20)


def test_one_split():
    found = heldout.validate(GaussianNB(), X, TARGETS["words"], cv=4).learners["GaussianNB"].predictions
    for at, split in enumerate(found.splits):
        model = GaussianNB().fit(X[split.train], TARGETS["words"][split.train])
        np.testing.assert_array_equal(found.of(at).score, model.predict_proba(X[split.test])[:, 1])
