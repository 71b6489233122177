"""Labels become codes: by kind, in order, and quickly."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from heldout.inputs import from_arrays, read
from heldout.inputs.columns.column_values import column, positions
from heldout.inputs.columns.label_column import kind, match

KINDS = {
    "text": (["b", "a", "b"], ("a", "b")),
    "whole numbers": (["10", "9", "10"], (9, 10)),
    "negative ones": (["-1", "1", "1"], (-1, 1)),
    "leading zeros": (["01", "1", "01"], ("01", "1")),
    "beyond 53 bits": (["9007199254740993", "9007199254740992"], (9007199254740992, 9007199254740993)),
    "beyond 64 bits": (["99999999999999999999", "1"], ("1", "99999999999999999999")),
    "true and false": (["true", "false"], (False, True)),
    "floats": (["1.0", "2.0"], (1, 2)),
    "numbers and a word": (["1", "2", "other"], ("1", "2", "other")),
    "code points": (["ä", "z", "Z"], ("Z", "z", "ä")),
}


@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_text(name):
    words, labels = KINDS[name]
    batch = read({"y": words, "yhat": words}).batch
    assert batch.labels == labels
    assert [type(label) for label in batch.labels] == [type(label) for label in labels]
    assert [str(batch.labels[code]).lower() for code in batch.truth] == [
        word.lower().removesuffix(".0") for word in words
    ]


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "objects": lambda values: np.array(values, dtype=object),
    "pandas": pd.Series,
    "categorical": lambda values: pd.Series(values, dtype="category"),
    "polars": pl.Series,
    "polars categorical": lambda values: (
        pl.Series(values).cast(pl.Categorical) if isinstance(values[0], str) else pl.Series(values)
    ),
    "arrow": pa.array,
    "chunked": lambda values: pa.chunked_array([pa.array(values[:1]), pa.array(values[1:])]),
    "dictionary": lambda values: pa.array(values).dictionary_encode(),
    "masked": lambda values: np.ma.array(values, mask=[False] * len(values)),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(
    ("values", "labels"), [(["b", "a", "b"], ("a", "b")), ([3, 7, 3], (3, 7)), ([True, False, True], (False, True))]
)
def test_every_container(container, values, labels):
    made = CONTAINERS[container](values)
    batch = from_arrays(made, made).batch
    assert batch.labels == labels
    assert batch.truth.tolist() == [labels.index(value) for value in values]
    assert batch.prediction.tolist() == batch.truth.tolist()
    assert [type(label) for label in batch.labels] == [type(label) for label in labels]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, np.float32, np.float64, bool])
def test_every_dtype(dtype):
    truth = np.array([1, 0, 1], dtype)
    batch = from_arrays(truth, y_score=[0.9, 0.2, 0.6]).batch
    assert batch.labels == (0, 1)
    assert batch.truth.tolist() == [1, 0, 1]


def test_a_label_only_predicted_is_a_class():
    batch = from_arrays(["a", "b"], ["a", "c"]).batch
    assert batch.labels == ("a", "b", "c")
    assert batch.task == "multiclass"


def test_labels_given_keep_their_order_and_may_lack_rows():
    batch = from_arrays([0, 1], [1, 1], labels=["2", 1, 0]).batch
    assert batch.labels == (2, 1, 0)
    assert batch.truth.tolist() == [2, 1]
    assert batch.prediction.tolist() == [1, 1]


def test_dropped_rows_take_their_labels_with_them():
    batch = from_arrays(["a", "b", "c"], ["a", "b", None], on_nan="drop").batch
    assert batch.labels == ("a", "b")


def test_a_label_given_as_text():
    assert match("1", (0, 1), "positive") == 1
    assert match("true", (False, True), "positive") == 1
    assert match(1, ("0", "1"), "positive") == 1
    assert match(True, (0, 1), "positive") == 1


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["0", "-0"], "text"),
        (["1.5"], "fraction"),
        (["1.50"], "text"),
        (["18446744073709551615"], "whole"),
        (["18446744073709551616"], "text"),
        (["1e3"], "text"),
        (["1", "yes"], "mixed"),
        (["TRUE"], "bool"),
        (["2.", "3"], "float"),
    ],
)
def test_kind_of_spellings(words, wanted):
    assert kind(words) == wanted


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_positions_are_those_of_unique(values):
    names, codes = positions(column("y", np.array(values)))
    assert names == sorted(set(values))
    assert [names[code] for code in codes] == values


@given(st.lists(st.integers(-5, 2000), min_size=1), st.sampled_from([np.int16, np.float64]))
def test_positions_in_a_small_range(values, dtype):
    names, codes = positions(column("y", np.array(values, dtype)))
    assert names == sorted(set(values))
    assert [names[code] for code in codes] == values


@given(st.lists(st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]))), min_size=1))
def test_positions_of_text(values):
    names, codes = positions(column("y", values))
    assert [None if code < 0 else names[code] for code in codes] == values
