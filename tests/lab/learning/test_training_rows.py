from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from heldout.errors import DataError, HeldoutError
from heldout.lab.learning.training_rows import rows_to_learn

FRAME = {"x": [0.5, 1.5, 2.5], "color": ["red", "blue", "red"], "same": [1, 1, 1], "y": ["a", "b", "a"]}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_tables(make):
    rows = rows_to_learn(make(FRAME), target="y")
    assert rows.X.tolist() == [[0.5, 1, 0, 1], [1.5, 0, 1, 1], [2.5, 1, 0, 1]]
    assert (rows.truth.tolist(), rows.labels, rows.names) == ([0, 1, 0], ("a", "b"), ("x", "color", "same"))
    assert rows.dimensions == 2
    assert rows.notes == ("color: texts became columns of 0 and 1", "same: the same in every row")


def test_a_file_has_its_hash_and_numbers_as_text(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,x,y\n1,0.5,0\n2,1.5,1\n", encoding="utf-8")
    rows = rows_to_learn(path, target="y", drop=["id"])
    assert (rows.X.tolist(), rows.truth.tolist(), rows.names) == ([[0.5], [1.5]], [0, 1], ("x",))
    assert rows.labels == (0, 1)
    assert len(rows.sources[0].sha256) == 64


def test_classes_are_in_order_whatever_comes_first():
    rows = rows_to_learn([[1.0], [2.0], [3.0]], ["b", "c", "a"])
    assert (rows.labels, rows.truth.tolist()) == (("a", "b", "c"), [1, 2, 0])
    rows = rows_to_learn([[1.0], [2.0], [3.0]], ["1", "0", " 1"])
    assert (rows.labels, rows.truth.tolist()) == ((0, 1), [1, 0, 1])


def test_arrays():
    rows = rows_to_learn(np.arange(6).reshape(3, 2), [0, 1, 1])
    assert (rows.names, rows.X.tolist()) == (("x1", "x2"), [[0, 1], [2, 3], [4, 5]])


def test_numbers_with_fractions_are_numbers_and_few_whole_ones_classes():
    assert rows_to_learn([[1.0]] * 3, [0.5, 1.0, 2.0]).labels == ()
    assert rows_to_learn([[1.0]] * 3, [5, 7, 5]).labels == (5, 7)
    assert rows_to_learn([[1.0]] * 60, range(60)).labels == ()
    assert rows_to_learn([[1.0]] * 3, [5, 7, 5], kind="numbers").truth.tolist() == [5, 7, 5]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: rows_to_learn(FRAME, target="z"),
            (
                "[H106] the dict has no column 'z' for the target; its columns are x, color, same, y\n"
                "  Fix: name one of these columns"
            ),
        ),
        (
            lambda: rows_to_learn(FRAME, target="y", drop=["colour"]),
            (
                "[H106] the dict has no column 'colour' for leaving out; did you mean 'color'? its columns are x, "
                "color, same, y\n  Fix: name one of these columns"
            ),
        ),
        (
            lambda: rows_to_learn({"y": [1, 0]}, target="y"),
            "[H106] the dict has no column beside the target\n  Fix: keep some features",
        ),
        (
            lambda: rows_to_learn([[1.0], [2.0]], [1]),
            "[H112] X has columns of 1 and 2 rows\n  Fix: give one value per row and column",
        ),
        (
            lambda: rows_to_learn(np.zeros((0, 2)), []),
            "[H112] X has no row\n  Fix: give one value per row and column",
        ),
        (
            lambda: rows_to_learn([1.0, 2.0], [1, 0]),
            (
                "[H107] X has 1 dimension (shape (2,)), and needs two\n"
                "  Fix: pass one line per row and one column per feature"
            ),
        ),
        (
            lambda: rows_to_learn([[1.0], [np.nan]], [1, 0]),
            (
                "[H305] X: x1 is missing or infinite in row 2\n"
                "  Fix: complete the values, or leave out these rows or this column"
            ),
        ),
        (
            lambda: rows_to_learn([[1.0], [2.0]], ["a", None]),
            (
                "[H305] X: y is missing or infinite in row 2\n"
                "  Fix: complete the values, or leave out these rows or this column"
            ),
        ),
        (
            lambda: rows_to_learn({"name": [f"n{i}" for i in range(30)], "y": [0, 1] * 15}, target="y"),
            (
                "[H108] the dict: name has 30 different texts, which say nothing about nearness\n"
                "  Fix: leave it out (--drop name), or write it as a number"
            ),
        ),
        (
            lambda: rows_to_learn([[1.0], [2.0]], ["a", "a"]),
            "[H104] X: y has one class only\n  Fix: name the column of classes",
        ),
        (
            lambda: rows_to_learn(np.zeros((60, 1)), range(60), kind="classes"),
            "[H107] X: y has 60 different values, too many for classes\n  Fix: take a target of at most 50 classes",
        ),
        (
            lambda: rows_to_learn([[1.0], [2.0]], ["a", "b"], kind="numbers"),
            (
                "[H108] X: y is text, and squared loss needs numbers\n"
                "  Fix: take zero-one loss, or name a column of numbers"
            ),
        ),
    ],
)
def test_messages(call, message):
    with pytest.raises(HeldoutError) as caught:
        call()
    assert str(caught.value) == message


def test_missing_text_is_missing(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("color,y\nred,0\n,1\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        rows_to_learn(path, target="y")
    assert str(caught.value) == (
        "[H305] rows.csv: color is missing or infinite in row 2\n"
        "  Fix: complete the values, or leave out these rows or this column"
    )
