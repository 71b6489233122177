"""The columns of one chunk as a batch, by the recipe of the whole table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from heldout.errors import DataError
from heldout.inputs.chunked.chunk_batch import column_arrays, smallest_and_largest
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.column_recipe import Recipe, code_chunk

SCORES = Recipe(
    task="binary", truth="y", score="p", labels=("no", "yes"), positive=1, threshold=0.5, probabilities=True,
    truths=(("no", 0), ("yes", 1)),
)  # fmt: skip
NUMBERS = Recipe(task="regression", truth="y", prediction="p", labels=("y",), origin=2.0)


def chunk(**columns):
    return Chunk(batch=pa.record_batch(columns), place="rows.parquet", first=10)


def test_labels_become_codes_and_scores_decisions():
    coded = code_chunk(chunk(y=["no", "yes", "yes"], p=[0.2, 0.5, 0.4]), SCORES)
    assert coded.batch.truth.tolist() == [0, 1, 1]
    assert coded.batch.prediction.tolist() == [0, 1, 0]
    assert coded.facts.rows == 3
    assert coded.facts.bounds["p"] == (0.2, 0.5)
    assert coded.facts.new_rows is None


def test_a_label_that_the_sample_lacks_is_brought_back():
    coded = code_chunk(chunk(y=["no", "perhaps", "perhaps"], p=[0.2, 0.5, 0.4]), SCORES)
    (row,) = coded.facts.new_rows
    assert row.batch.column("y").to_pylist() == ["perhaps"]
    assert row.first == 11


def test_a_score_outside_its_range_is_brought_back_too():
    coded = code_chunk(chunk(y=["no", "yes"], p=[0.2, 1.7]), SCORES)
    assert [row.batch.column("p").to_pylist() for row in coded.facts.new_rows] == [[1.7]]


def test_missing_values_are_named_with_their_rows_or_dropped():
    rows = chunk(y=["no", None, "yes"], p=[0.2, 0.5, None])
    with pytest.raises(DataError, match=r"y is missing in row 12; p is missing in row 13"):
        code_chunk(rows, SCORES)
    coded = code_chunk(rows, replace(SCORES, on_nan="drop"))
    assert (coded.facts.rows, coded.facts.dropped, coded.batch.rows) == (3, 2, 1)
    assert coded.rows.tolist() == [10]


def test_numbers_in_text_are_read_as_numbers():
    coded = code_chunk(chunk(y=["1.5", "2"], p=["2", "1e1"]), NUMBERS)
    assert coded.batch.truth.tolist() == [1.5, 2.0]
    assert coded.batch.prediction.tolist() == [2.0, 10.0]
    assert coded.batch.origin == 2.0
    with pytest.raises(DataError, match=r"rows\.parquet"):
        code_chunk(chunk(y=["1.5", "two"], p=["2", "3"]), NUMBERS)


def test_a_negative_weight_is_named():
    with pytest.raises(DataError, match=r"the weight in w is -2 in row 12, and must be zero or more"):
        code_chunk(chunk(y=["no", "yes"], p=[0.2, 0.5], w=[1.0, -2.0]), replace(SCORES, weight="w"))


def test_weights_of_a_chunk_are_kept_even_where_they_are_equal():
    """Other chunks may have other weights."""
    coded = code_chunk(chunk(y=["no", "yes"], p=[0.2, 0.5], w=[2.0, 2.0]), replace(SCORES, weight="w"))
    assert coded.batch.weight.tolist() == [2.0, 2.0]


def test_bounds_of_no_rows_hold_nothing():
    assert smallest_and_largest(np.zeros(0)) == (np.inf, -np.inf)
    assert smallest_and_largest(np.array([3.0, -1.0])) == (-1.0, 3.0)
    assert column_arrays(chunk(y=["no"], p=[0.5]), SCORES).numbers["p"].tolist() == [0.5]
