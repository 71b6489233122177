"""Frames of every library, Arrow streams, dicts, structured arrays."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import heldout
from heldout.inputs import from_arrays, read

COLUMNS = {"y": ["no", "yes", "no"], "p": [0.25, 0.75, 0.5], "weight": [1, 2, 1]}


class Stream:
    """Anything that hands out an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.table(COLUMNS).__arrow_c_stream__(requested_schema)


FRAMES = {
    "dict": lambda: COLUMNS,
    "dict of arrays": lambda: {name: np.array(values) for name, values in COLUMNS.items()},
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas with an index": lambda: pd.DataFrame(COLUMNS, index=[5, 5, 7]),
    "pandas categorical": lambda: pd.DataFrame(COLUMNS).astype({"y": "category"}),
    "pandas of arrow": lambda: pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars lazy": lambda: pl.LazyFrame(COLUMNS),
    "arrow": lambda: pa.table(COLUMNS),
    "arrow batch": lambda: pa.RecordBatch.from_pydict(COLUMNS),
    "arrow reader": lambda: pa.table(COLUMNS).to_reader(),
    "stream": Stream,
    "structured": lambda: np.array(
        list(zip(*COLUMNS.values(), strict=True)), dtype=[("y", "U3"), ("p", float), ("weight", int)]
    ),
}


@pytest.mark.parametrize("name", FRAMES)
def test_the_same_rows_from_every_frame(name):
    reading = read(FRAMES[name]())
    assert reading.batch.labels == ("no", "yes")
    assert reading.batch.truth.tolist() == [0, 1, 0]
    assert reading.batch.score.tolist() == [0.25, 0.75, 0.5]
    assert reading.batch.weight.tolist() == [1, 2, 1]
    assert reading.sources == ()


def test_a_column_twice(said):
    frame = pd.DataFrame([["a", "b", 0.5]], columns=["y", "y", "p"])
    assert said(read, frame) == "[H106] the frame has the column 'y' twice\n  Fix: rename or drop one of them"
    table = pa.table([pa.array(["a"]), pa.array(["a"]), pa.array([0.5])], names=["y", "y", "p"])
    assert said(read, table) == "[H106] the table has the column 'y' twice\n  Fix: rename or remove one of the two"


def test_a_column_that_is_not_used_may_hold_anything():
    frame = pd.DataFrame({"y": [0, 1], "p": [0.2, 0.7], "notes": [{"a": 1}, object()]})
    assert read(frame).batch.rows == 2
    assert read(pa.table({"y": [0, 1], "p": [0.2, 0.7], "tokens": [[1], [2, 3]]})).batch.rows == 2


def test_nulls_are_missing_in_every_frame(said):
    wanted = "[H305] the {}: y is missing in row 2; p is missing in row 3. Rows are never dropped silently"
    columns = {"y": ["a", None, "b"], "p": [0.5, 0.2, None]}
    assert said(read, pd.DataFrame(columns)).startswith(wanted.format("frame"))
    assert said(read, pl.DataFrame(columns)).startswith(wanted.format("frame"))
    assert said(read, pa.table(columns)).startswith(wanted.format("table"))
    assert said(read, {"y": pd.Series([1, None, 2], dtype="Int64"), "p": [0.1, 0.2, None]}).startswith(
        wanted.format("dict")
    )


def test_whole_numbers_beside_nulls_stay_whole():
    frame = pl.DataFrame({"y": [9007199254740993, None, 1], "yhat": [9007199254740993, 1, 1]})
    assert read(frame, on_nan="drop").batch.labels == (1, 9007199254740993)
    flags = pa.table({"y": [True, None, False], "yhat": [True, True, False]})
    assert read(flags, on_nan="drop").batch.labels == (False, True)


def test_segments_of_every_kind():
    frame = pd.DataFrame({"age": [40, 5, 40], "site": ["b", None, "a"]})
    found = from_arrays([0, 1, 1], [0, 1, 1], segments=frame).batch.segments
    assert found["age"].names == ("5", "40")
    assert found["age"].codes.tolist() == [1, 0, 1]
    assert found["site"].names == ("a", "b", "(missing)")
    assert found["site"].codes.tolist() == [1, 2, 0]
    alone = from_arrays([0, 1, 1], [0, 1, 1], segments=pd.Series(["x", "x", "y"], name="ward")).batch.segments
    assert alone["ward"].names == ("x", "y")
    assert list(from_arrays([0, 1], [0, 1], segments=[True, False]).batch.segments) == ["segment"]


def test_units():
    assert from_arrays([0, 1, 1], [0, 1, 1], groups=["u", "v", "u"]).batch.units == 2
    assert from_arrays([0, 1, 1], [0, 1, 1], groups=[10**12, 5, 5]).batch.unit.tolist() == [1, 0, 0]


def test_one_column_frames_are_columns():
    frame = pd.DataFrame({"t": ["a", "b"]})
    assert from_arrays(frame, frame).batch.labels == ("a", "b")
    assert from_arrays(np.array([[0], [1]]), y_proba=np.array([[0.2], [0.7]])).batch.score.tolist() == [0.2, 0.7]


@pytest.mark.filterwarnings("error")
def test_asking_whether_a_value_is_a_frame_resolves_no_lazy_schema():
    rows = {"y_true": [0, 1, 1, 0, 1, 0], "y_pred": [0, 1, 0, 0, 1, 1]}
    lazy, whole = (heldout.evaluate(one, metrics="accuracy") for one in (pl.LazyFrame(rows), pl.DataFrame(rows)))
    assert lazy.to_json() == whole.to_json()
    two = {"a": pl.LazyFrame(rows), "b": pl.LazyFrame(rows | {"y_pred": rows["y_true"]})}
    assert heldout.compare(two, metrics="accuracy").differences
