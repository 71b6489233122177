"""Confusion matrices and costs in frames are matched by the names of the classes, as those in files are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import heldout
from heldout import evaluate, evaluate_confusion, evaluate_counts

SWAPPED = pd.DataFrame([[1, 50], [60, 2]], index=["b", "a"], columns=["a", "b"])
RIGHT = 110 / 113


@pytest.mark.parametrize(
    "counts",
    [
        SWAPPED,
        SWAPPED.reset_index(),
        SWAPPED.rename_axis("truth").rename_axis("prediction", axis=1),
        pl.DataFrame({"": ["b", "a"], "a": [1, 60], "b": [50, 2]}),
        pl.DataFrame({"a": [60, 1], "b": [2, 50]}),
        pd.DataFrame([[60, 2], [1, 50]]),
        pd.DataFrame([[60, 2], [1, 50]], columns=["a", "b"]),
    ],
)
def test_a_frame_is_read_by_its_labels(counts):
    assert evaluate_confusion(counts)["accuracy"].value == RIGHT


def test_a_frame_and_its_file_give_the_same(tmp_path):
    SWAPPED.to_csv(tmp_path / "counts.csv")
    found, read = evaluate_confusion(SWAPPED), evaluate_confusion(tmp_path / "counts.csv")
    assert found.labels == read.labels == ("b", "a")
    assert found["recall"].value == read["recall"].value


def test_labels_put_the_classes_of_a_frame_in_order():
    found = evaluate_confusion(SWAPPED, labels=["a", "b"])
    assert (found.labels, found["accuracy"].value, found["recall"].value) == (("a", "b"), RIGHT, 50 / 51)
    with pytest.raises(heldout.UsageError, match=r"labels is \['a', 'c'\], but the classes of the frame are"):
        evaluate_confusion(SWAPPED, labels=["a", "c"])


@pytest.mark.parametrize(
    ("counts", "labels", "words"),
    [
        (pd.crosstab(pd.Series(list("aab")), pd.Series(list("bcc"))), None, "name different classes"),
        (pd.DataFrame([[1, 2], [3, 4]], index=["a", "a"], columns=["a", "b"]), None, "the row 'a' twice"),
        ([[1, 2], [3, 4]], ["x", "x"], "'x' twice"),
        ([["1", "2"], ["3", "4"]], None, "'1', which is not a number"),
        ([[10**30, 1], [1, 1]], None, "beyond 1e12"),
        ([[10**400, 1], [1, 1]], None, "beyond 1e308"),
        ([[1, 2], [3]], None, "differ in length"),
        (np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]]), None, "masked cells"),
        (np.array([[1, 2], [3, 4]], dtype="M8[D]"), None, "not a number"),
    ],
)
def test_what_is_no_labelled_table_of_counts_is_refused(counts, labels, words):
    with pytest.raises(heldout.HeldoutError, match=words) as caught:
        evaluate_confusion(counts, labels=labels)
    assert caught.value.fix


def test_a_rare_class_beside_many_rows_keeps_its_digits():
    few, many = (evaluate_confusion([[n, 1], [2, 6]]) for n in (10**8, 10**12))
    for name in ("mcc", "kappa"):
        assert many[name].value == pytest.approx(few[name].value, abs=1e-6)
        assert many[name].low == pytest.approx(few[name].low, abs=0.003)


def test_counts_beyond_exact_numbers_are_refused():
    with pytest.raises(heldout.DataError, match="counts beyond 1e15 are not exact"):
        evaluate_counts(wrong=10**23, of=10**24)


COST = pd.DataFrame([[0, 1], [5, 0]])


@pytest.mark.parametrize("cost", [COST, COST.loc[[1, 0]], COST[[1, 0]], pl.DataFrame({"0": [0, 5], "1": [1, 0]})])
def test_costs_in_a_frame_are_matched_with_the_classes(cost):
    found = evaluate([0, 1] * 20, [0, 1, 1, 0] * 10, cost=cost, metrics="cost")
    assert found["cost"].value == 1.5


def test_costs_of_other_classes_are_refused():
    named = COST.set_axis(["x", "y"]).set_axis(["x", "y"], axis=1)
    with pytest.raises(heldout.DataError, match="no row for the class '0', '1'; it has 'x', 'y'"):
        evaluate([0, 1] * 20, [0, 1, 1, 0] * 10, cost=named, metrics="cost")
