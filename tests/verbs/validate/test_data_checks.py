"""What is said of rows and splits before any value is read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import heldout
from heldout.learners import dataset, designed
from heldout.verbs.validate.arguments import learning_checks

RNG = np.random.default_rng(14)
X = RNG.normal(size=(80, 3))
Y = RNG.permutation(np.repeat([0, 1], 40))
HALF = [(range(40), range(40, 80))]


def codes(data, cv=2):
    return [check.code for check in learning_checks(data, designed(cv, data, random_state=0, several=False))]


def texts(data, cv=2):
    return [check.text for check in learning_checks(data, designed(cv, data, random_state=0, several=False))]


def test_clean_rows_have_nothing_to_be_said():
    for features in (X, X.tolist(), pd.DataFrame(X), sp.csr_matrix(X), [f"text {at}" for at in range(80)]):
        assert codes(dataset(features, Y)) == []


def test_a_copy_across_parts_in_every_kind_of_table():
    copied = X.copy()
    copied[50] = copied[3]
    said = "1 of 80 rows is tested while a copy is in the training rows: row 51, equal in "
    for features, names in (
        (copied, "x0, x1, x2"),
        (copied.tolist(), "x0, x1, x2"),
        (pd.DataFrame(copied), "0, 1, 2"),
        (pd.DataFrame(copied, columns=list("abc"), index=np.arange(80)[::-1]), "a, b, c"),
    ):
        assert texts(dataset(features, Y), HALF) == [said + names]


def test_rows_are_named_as_they_were_given_also_in_the_order_of_time():
    copied = X.copy()
    copied[70] = copied[3]
    data = dataset(copied, Y, time=-np.arange(80))  # row 71 comes before row 4 now
    found = texts(data, [(range(40), range(40, 80))])
    assert "1 of 80 rows is tested while a copy is in the training rows: row 4, equal in x0, x1, x2" in found


def test_both_copies_are_named_where_each_is_tested():
    copied = X.copy()
    copied[50] = copied[3]
    two = [(range(40), range(40, 80)), (range(40, 80), range(40))]
    said = "2 of 80 rows are tested while a copy is in the training rows: rows 4, 51, equal in x0, x1, x2"
    assert texts(dataset(copied, Y), two) == [said]


def test_shifts_are_looked_for_where_one_division_matters():
    moved = X + np.where(np.arange(80) < 40, 0, 2)[:, None] * [1, 0, 0]
    assert codes(dataset(moved, Y), HALF) == ["H205"]
    assert "H205" in codes(dataset(moved, Y), "time:3")
    assert codes(dataset(moved, Y), "holdout") == ["H312"]  # a small test part, drawn at random
    assert "H205" not in codes(dataset(moved, Y), 2)  # folds are dealt at random
    assert "H205" not in codes(dataset(moved, Y, groups=np.arange(80)), HALF)  # rows that are no independent draws


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_a_column_that_knows_the_target(task):
    y = Y if task == "binary" else X[:, 0] * 2
    told = np.c_[X[:, 1:], y * 3.0 + 1]
    measure = "AUC" if task == "binary" else "squared rank correlation"
    assert texts(dataset(told, y, task=task)) == [
        f"x2 alone predicts the target ({measure} 1.000): is it known when the prediction is made?"
    ]


def test_columns_that_are_neither_numbers_nor_labels_stop_nothing():
    copied = X.copy()
    copied[50] = copied[3]
    for odd in ([[1, 2]] * 80, [b"x"] * 80, [1, "x"] * 40, [{"a": 1}] * 80, np.arange(80) * 1j):
        frame = pd.DataFrame(copied, columns=list("abc")).assign(odd=list(odd), paid=Y * 2.0)
        assert codes(dataset(frame, Y), HALF) == ["H206"]  # rows may differ in what was not read: no copies
    ragged = [[1.0] * (at % 3) for at in range(80)]
    assert codes(dataset(ragged, Y), HALF) == []


def test_learning_from_the_future_is_told():
    data = dataset(X, Y, time=RNG.permutation(80))
    said = "4 of 4 splits learn from rows later than some they test: take cv='time'"
    assert [text for text in texts(data, 4) if "later" in text] == [said]
    assert not [text for text in texts(data, "time:3") if "later" in text]
    assert not [text for text in texts(dataset(X, Y), 4) if "later" in text]


def test_several_targets_are_not_looked_at_column_by_column():
    assert codes(dataset(X, np.c_[X[:, 0], X[:, 1]], task="regression")) == []


def test_a_missing_class_is_named():
    found = texts(dataset(X, np.r_[np.zeros(70), np.ones(10)].astype(int)), HALF)
    assert "class 1 is missing from 1 of 1 training parts: it cannot be learned there" in found


def test_a_column_of_patients_that_repeats_is_mentioned_unless_it_is_the_groups():
    frame = pd.DataFrame({"age": X[:, 0], "patient_id": np.repeat(np.arange(20), 4), "y": Y})
    (note,) = [text for text in texts(dataset(frame, "y")) if "groups" in text]
    assert note.startswith("patient_id has 20 values in 80 rows, and no groups were given")
    assert note.endswith("pass groups='patient_id'")
    assert "H114" not in codes(dataset(frame, "y", groups="patient_id"))


class Sure:
    """Gives the class of the row at the end no chance."""

    def fit(self, X, y):  # noqa: ARG002 as learners have it
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        none = np.where(X[:, 0] >= 157, 0.0, 0.5)
        return np.column_stack([none, 1 - none])

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)


def test_notes_on_a_loss_name_rows_as_they_were_given_in_the_order_of_time():
    late_first = np.arange(160.0)[::-1]
    found = heldout.validate(
        Sure(), late_first[:, None], (late_first % 2).astype(int), cv=4, time=late_first, metrics="log_loss"
    )
    assert found.learners["Sure"].estimates["log_loss"].notes[0] == (
        "infinite (inf): row 2 gave probability 0 to the true class (1 row); probabilities are clipped only with "
        "--clip (clip=)"
    )
