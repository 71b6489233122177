"""Leaks between what is learned from and what is tested."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsClassifier

import heldout
from heldout.inputs.checks.leakage import copied_across, feature_columns, giveaways, groups_across, standardised

RNG = np.random.default_rng(3)
X = RNG.normal(5, 2, (60, 3))
HALVES = [(np.arange(30), np.arange(30, 60))]


def test_copies():
    assert copied_across(feature_columns(X), HALVES) == ()
    with_copy = X.copy()
    with_copy[40] = with_copy[2]
    assert [one.text for one in copied_across(feature_columns(with_copy), HALVES)] == [
        "1 of 60 rows is tested while a copy is in the training rows: row 41, equal in x0, x1, x2"
    ]
    flags = feature_columns({"a": [0, 1] * 30, "b": [1, 1] * 30})
    assert [one.text for one in copied_across(flags, HALVES)] == [
        "a, b do not identify rows, so duplicated rows are not checked"
    ]


def test_groups():
    assert groups_across(np.arange(60) // 30, HALVES) == ()
    found = groups_across(np.arange(60) // 20, HALVES, "patient")
    assert [(one.code, one.text) for one in found] == [("H202", "patient is on both sides of a split: 1 of 3 (1)")]


def test_giveaways():
    y = X[:, 0] > 5
    assert [one.text[:2] for one in giveaways(feature_columns(X), y, task="binary")] == ["x0"]
    assert giveaways(feature_columns(X[:, 1:]), y, task="binary") == ()
    words = {"code": np.where(y, "p", "n"), "id": [f"r{at}" for at in range(60)]}
    assert [one.text for one in giveaways(feature_columns(words), y, task="binary")] == [
        "code alone predicts the target (accuracy 1.000): is it known when the prediction is made?"
    ]
    assert [one.text for one in giveaways(feature_columns(X), np.exp(X[:, 2]), task="regression")] == [
        "x2 alone predicts the target (squared rank correlation 1.000): is it known when the prediction is made?"
    ]


def test_standardised():
    scaled = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    assert standardised(feature_columns(X)) == ()
    assert [one.text for one in standardised(feature_columns(scaled.round(3)))] == [
        "x0, x1, x2 have mean 0 and variance 1 over all rows: scaled before the rows were split; scale inside the folds"
    ]
    assert standardised(feature_columns(RNG.normal(size=(1000, 50)))) == ()


def test_copies_are_found_where_most_rows_have_one():
    rng = np.random.default_rng(0)
    rows, y = np.repeat(rng.normal(size=(40, 3)), 2, axis=0), np.repeat(rng.integers(0, 2, 40), 2)
    found = heldout.validate(KNeighborsClassifier(1), rows, y, cv=10, metrics="error_rate")
    (note,) = (one.text for one in found.checks if one.code == "H201")
    assert "rows are tested while a copy is in the training rows" in note
    train = pd.DataFrame(rng.normal(size=(100, 3)), columns=list("abc"))
    test = train.assign(y_true=rng.integers(0, 2, 100), y_score=rng.random(100))
    train = pd.concat([train] * 2, ignore_index=True)
    twice = heldout.evaluate(test, train=train, metrics="roc_auc", allow_overlap=True)
    assert any(one.text.startswith("100 of 100 test rows are also in the frame") for one in twice.checks)
    # ten rows, eight times each: two columns of ten values would give 55 different rows by chance
    few = feature_columns(np.repeat(rng.normal(size=(10, 2)), 8, axis=0)[rng.permutation(80)])
    assert "rows are tested while" in copied_across(few, [(np.arange(40), np.arange(40, 80))])[0].text


def test_rows_of_few_values_are_equal_by_chance():
    rng = np.random.default_rng(0)
    for columns in (
        rng.integers(0, 3, (200, 4)),
        rng.integers(0, 2, (5000, 9)),
        np.eye(21)[rng.integers(0, 21, 300)],  # one category, a column for each of its values
    ):
        (note,) = copied_across(feature_columns(columns), [(np.arange(100), np.arange(100, 200))])
        assert "do not identify rows" in note.text
