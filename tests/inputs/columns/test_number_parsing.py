"""Text to numbers: what is one, what is none, what is missing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from heldout.inputs.columns.column_values import column
from heldout.inputs.columns.number_parsing import numbers, numbers_or_none, with_decimal_comma


@given(st.lists(st.floats(), min_size=1))
def test_every_float_survives_its_own_spelling(values):
    found = numbers(column("p", [repr(value) for value in values]))
    assert np.array_equal(found, np.array(values), equal_nan=True)


@pytest.mark.parametrize(
    ("word", "value"),
    [("+.1", 0.1), (".5", 0.5), ("1.", 1.0), ("1E-3", 0.001), (" 2 ", 2.0), ("-0", 0.0), ("1e-400", 0.0)],
)
def test_plain_decimal_notation(word, value):
    assert numbers(column("p", [word, "x"[:0]]))[0] == value


@pytest.mark.parametrize("word", ["", " ", "nan", "NaN", "NA", "N/A", "null", "None", "<NA>", "#N/A"])
def test_missing(word):
    assert np.isnan(numbers(column("p", ["1", word]))).tolist() == [False, True]


@pytest.mark.parametrize(
    "word", ["0x1p-2", "1_0", "٠٫٢", "1,5", "1,234.5", "5%", "high", "1e", "--1", "1 2", "½", "True"]
)
def test_no_number(word, said):
    assert numbers_or_none(column("p", ["1", word])) is None
    assert said(numbers, column("p", ["1", word])).startswith(f"[H108] p is {word!r} in row 2, which is not a number")


def test_a_column_of_gaps_is_no_column_of_numbers():
    assert numbers_or_none(column("p", ["", "nan"])) is None
    assert numbers_or_none(column("p", [None, None])) is None


@pytest.mark.parametrize(
    ("words", "read"),
    [(["0,5", "1"], [0.5, 1]), (["-,5", "1,e2"], [-0.5, 100]), (["0,5", ""], [0.5, np.nan])],
)
def test_decimal_commas(words, read):
    found = with_decimal_comma(column("p", words))
    assert found.decimal_comma
    assert np.array_equal(numbers(found), read, equal_nan=True)


@pytest.mark.parametrize("words", [["0.5", "1"], ["0,5", "0.5"], ["0,5", "a"], ["1,2,3"]])
def test_no_decimal_commas(words):
    assert not with_decimal_comma(column("p", words)).decimal_comma
