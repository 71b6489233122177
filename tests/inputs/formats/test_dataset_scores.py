from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from heldout.errors import HeldoutError
from heldout.inputs import read_set_scores

SHAPE = "give one row per data set and one column of scores per learner"
TABLE = {"dataset": ["iris", "wine", "zoo"], "tree": [0.9, 0.8, 0.7], "forest": [0.95, 0.85, 0.7]}


def told(source, **options):
    with pytest.raises(HeldoutError) as caught:
        read_set_scores(source, **options)
    return str(caught.value)


def written(tmp_path, text, name="scores.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "made",
    [
        lambda folder: TABLE,
        lambda folder: pd.DataFrame(TABLE),
        lambda folder: pd.DataFrame(TABLE).set_index("dataset"),
        lambda folder: pl.DataFrame(TABLE),
        lambda folder: written(folder, pd.DataFrame(TABLE).to_csv(index=False)),
        lambda folder: written(folder, pd.DataFrame(TABLE).rename(columns={"dataset": ""}).to_csv(index=False)),
        lambda folder: written(folder, "x;tree;forest\niris;0,9;0,95\nwine;0,8;0,85\nzoo;0,7;0,7\n"),
    ],
    ids=["dict", "pandas", "pandas index", "polars", "csv", "csv with an index", "decimal comma"],
)
def test_every_source_gives_the_same(made, tmp_path):
    found = read_set_scores(made(tmp_path))
    assert (found.sets, found.learners) == (("iris", "wine", "zoo"), ("tree", "forest"))
    assert found.scores.tolist() == [[0.9, 0.95], [0.8, 0.85], [0.7, 0.7]]
    assert found.checks == ()


def test_parquet(tmp_path):
    pl.DataFrame(TABLE).write_parquet(tmp_path / "scores.parquet")
    found = read_set_scores(tmp_path / "scores.parquet")
    assert found.sets == ("iris", "wine", "zoo")
    assert found.sources[0].path == str(tmp_path / "scores.parquet")


def test_an_array_has_numbered_learners_and_sets():
    found = read_set_scores(np.array([[1.0, 2.0], [3.0, 5.0]]))
    assert (found.sets, found.learners) == (("1", "2"), ("learner 1", "learner 2"))
    assert read_set_scores([[1.0, 2.0], [3.0, 5.0]]).scores.tolist() == [[1.0, 2.0], [3.0, 5.0]]


def test_the_column_of_data_sets_may_be_any_and_may_hold_numbers():
    table = {"tree": [0.9, 0.8], "number": [7, 9], "forest": [0.9, 0.95]}
    found = read_set_scores(table, dataset="number")
    assert (found.sets, found.learners) == (("7", "9"), ("tree", "forest"))
    assert read_set_scores({"tree": [1, 2], "forest": [2, 4], "task": [31, 3]}).sets == ("31", "3")


def test_rows_without_names_are_told():
    (check,) = read_set_scores({"tree": [0.9, 0.8], "forest": [0.95, 0.85]}).checks
    assert (check.code, check.text) == (
        "H111",
        ("no column names the data sets: each of the 2 rows is read as a data set"),
    )


def test_a_constant_column_is_told():
    (check,) = read_set_scores({"set": ["a", "b"], "chance": [0.5, 0.5], "tree": [0.6, 0.7]}).checks
    assert check.code == "H111"
    assert check.text == "'chance' has the same score on every data set, and counts as a learner"


def test_folds_as_rows(tmp_path):
    path = written(tmp_path, "dataset,a,b\niris,0.9,0.8\niris,0.8,0.9\nwine,0.7,0.6\niris,0.9,0.9\n")
    assert told(path) == (
        "[H301] scores.csv: the data set 'iris' occurs 3 times; these look like fold scores, and folds of one data set"
        " are not independent\n  Fix: average the folds of each data set first"
    )
    assert told({"fold": [1, 2, 3], "a": [1, 2, 3], "b": [2, 3, 4]}) == (
        "[H301] the dict has a column 'fold', so its rows are folds or runs, not data sets\n"
        "  Fix: average the folds of each data set first"
    )


def test_rows_of_predictions():
    assert told({"a": np.arange(3000.0), "b": np.arange(3000.0)}) == (
        "[H301] the dict has 3,000 rows, too many for data sets: these look like predictions or fold scores\n"
        "  Fix: average the folds of each data set first"
    )


def test_a_missing_score_is_named(tmp_path):
    path = written(tmp_path, "dataset,C4.5,C4.5+m\niris,0.9,0.8\nwine,0.9,\nzoo,NA,1\n")
    assert told(path) == (
        "[H305] scores.csv: the score of 'C4.5+m' on the data set 'wine' is missing (2 such scores)\n"
        "  Fix: complete it, or leave the data set out for all learners and say so"
    )
    assert told([[1.0, np.inf], [2.0, 3.0]]) == (
        "[H305] the array: the score of 'learner 2' on the data set '1' is inf, which is not a score\n"
        "  Fix: complete it, or leave the data set out for all learners and say so"
    )


def test_a_number_beyond_all_scores():
    assert told([[1.0, 2.0], [-1e300, 3.0]]).startswith(
        "[H305] the array: the score of 'learner 1' on the data set '2' is -1e+300, which is not a score\n"
    )


def test_what_is_not_a_number(tmp_path):
    path = written(tmp_path, "dataset,a,b\niris,0.9,0.8\nwine,high,0.8\n")
    assert told(path) == (
        "[H108] scores.csv: a is 'high' in row 2, which is not a number\n"
        "  Fix: write a in plain decimal notation, such as 0.25 or 1e-3"
    )
    path = written(tmp_path, "dataset,learner,score\niris,a,0.8\nwine,b,0.8\n")
    assert told(path) == (
        "[H108] scores.csv: the column 'learner' holds no numbers ('a', 'b')\n"
        f"  Fix: {SHAPE}; name the column of data sets with dataset="
    )


def test_a_data_set_without_a_name():
    assert told({"dataset": ["iris", ""], "a": [1, 2], "b": [3, 4]}) == (
        "[H305] the dict: row 2 of 'dataset' names no data set\n  Fix: name every data set"
    )


def test_tables_that_are_none():
    assert told({"dataset": ["x", "y"], "a": [1, 2]}) == (
        f"[H106] the dict has 1 column of scores, and a comparison needs two\n  Fix: {SHAPE}"
    )
    assert told({"dataset": ["x"], "a": [1], "b": [2]}) == (
        "[H112] the dict has 1 data set, and data sets are the sample here\n"
        "  Fix: for one data set give the predictions themselves: heldout compare a.csv b.csv"
    )
    assert told({"dataset": ["x", "y"], "a": [1], "b": [2, 3]}) == (
        f"[H112] the dict: columns differ in length (dataset 2, a 1, b 2)\n  Fix: {SHAPE}"
    )
    assert told(np.zeros((3, 51))) == (
        "[H106] the array has 51 columns of scores, more than 50\n"
        f"  Fix: {SHAPE}; turn the table if it is the other way round"
    )
    assert told([1.0, 2.0]) == f"the array has 1 dimension, not 2\n  Fix: {SHAPE}"
    assert told([[1.0, 2.0], [3.0]]) == f"[H112] the rows of the list differ in length\n  Fix: {SHAPE}"


def test_columns_that_are_not_there_or_twice(tmp_path):
    assert told(TABLE, dataset="datset") == (
        "[H106] the dict has no column 'datset'; did you mean 'dataset'?\n  Fix: the columns are dataset, tree, forest"
    )
    assert told(written(tmp_path, "dataset,a,a\nx,1,2\ny,2,3\n")) == (
        "[H106] scores.csv has the column 'a' twice\n  Fix: give each learner a name of its own"
    )
