"""Confusion matrices and cost tables."""

from __future__ import annotations

import pytest

from heldout.inputs import read_confusion, read_costs

FORM = "write a square table: the classes in the header line and in the first column, rows truth, columns prediction"


def test_a_labelled_table(file):
    labels, counts = read_confusion(file("cm.csv", "truth,no,yes\nno,50,2\nyes,3,10\n"))
    assert labels == ("no", "yes")
    assert counts.tolist() == [[50, 2], [3, 10]]


def test_columns_follow_the_order_of_the_rows(file):
    labels, counts = read_confusion(file("cm.csv", ",yes,no\nno,2,50\nyes,10,3\n"))
    assert labels == ("no", "yes")
    assert counts.tolist() == [[50, 2], [3, 10]]


def test_without_names_of_rows_the_header_gives_the_order(file):
    labels, counts = read_confusion(file("cm.csv", "a;b\n5;1\n2;7\n"))
    assert labels == ("a", "b")
    assert counts.tolist() == [[5, 1], [2, 7]]


def test_whole_labels(file):
    labels, counts = read_confusion(file("cm.csv", ",0,1\n0,5,1\n1,2,7\n"))
    assert labels == (0, 1)
    assert counts.tolist() == [[5, 1], [2, 7]]


WRONG = {
    "negative": (
        "a,b\n5,-1\n2,7\n",
        "-1 rows of 'a' predicted as 'b', and a count is zero or more",
        "count rows; weighted or normalised tables cannot be evaluated",
    ),
    "shares": (
        "a,b\n0.5,1\n2,7\n",
        "0.5 rows of 'a' predicted as 'a', and a count is a whole number",
        "count rows; weighted or normalised tables cannot be evaluated",
    ),
    "zeros": (",a,b\na,0,0\nb,0,0\n", "every count is zero", "count at least one row"),
    "gap": (",a,b\na,1,\nb,0,2\n", "column b is missing or infinite in row 1", "write a number in every cell"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_counts(name, file, said):
    text, message, fix = WRONG[name]
    assert said(read_confusion, file("cm.csv", text)) == f"[H110] cm.csv: {message}\n  Fix: {fix}"


SHAPES = {
    "wide": ("a,b,c\n5,1,0\n2,7,0\n", "cm.csv is not square: 2 rows ('1', '2') and 3 columns ('a', 'b', 'c')"),
    "twice": (",a,a\na,1,2\nb,3,4\n", "cm.csv has the column 'a' twice"),
    "rows twice": (",a,b\na,1,2\na,3,4\n", "cm.csv has the row 'a' twice"),
    "no rows": (",a,b\n", "cm.csv has no rows"),
    "one column": ("a\nb\n", "cm.csv has one column only"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_no_square(name, file, said):
    text, message = SHAPES[name]
    assert said(read_confusion, file("cm.csv", text)) == f"[H110] {message}\n  Fix: {FORM}"


def test_a_word_among_counts(file, said):
    assert said(read_confusion, file("cm.csv", ",a,b\na,1,many\nb,3,4\n")) == (
        "[H108] cm.csv: column b is 'many' in row 1, which is not a number\n"
        "  Fix: write column b in plain decimal notation, such as 0.25 or 1e-3"
    )


def test_costs_follow_the_labels(file):
    path = file("costs.csv", ",yes,no,other\nyes,-2,5,9\nno,1.5,0,9\nother,9,9,9\n")
    assert read_costs(path, ("no", "yes")).tolist() == [[0, 1.5], [5, -2]]
    assert read_costs(file("numbers.csv", ",0,1\n0,0,1\n1,5,0\n"), (1, 0)).tolist() == [[0, 5], [1, 0]]


def test_costs_of_a_class_that_is_missing(file, said):
    assert said(read_costs, file("costs.csv", ",Yes\nYes,0\nNo,1\n"), ("No", "Yes")) == (
        f"[H110] costs.csv has no column for the class 'No'; it has 'Yes'\n  Fix: {FORM}"
    )
    assert said(read_costs, file("costs.csv", ",Yes,No\nYes,0,1\n"), ("No", "Yes")) == (
        f"[H110] costs.csv has no row for the class 'No'; it has 'Yes'\n  Fix: {FORM}"
    )
    assert said(read_costs, file("costs.csv", ",yes,no\nyes,0,1\nno,1,0\n"), ("nox", "yes")) == (
        f"[H110] costs.csv has no row for the class 'nox'; did you mean 'no'?\n  Fix: {FORM}"
    )
