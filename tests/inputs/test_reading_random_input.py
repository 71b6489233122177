"""Random bytes, random frames, random labels: an error of our own or a sound batch, and nothing else, ever."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from heldout.batch import Batch
from heldout.errors import HeldoutError
from heldout.inputs import from_arrays, read, read_confusion, read_costs, shared_rows

SUFFIXES = ["csv", "tsv", "jsonl", "json", "parquet", "arrow", "csv.gz", "txt", "feather"]
NAMES = [
    "y",
    "y_true",
    "label",
    "yhat",
    "y_pred",
    "p",
    "y_score",
    "p_a",
    "p_b",
    "p[1]",
    "y1",
    "yhat1",
    "id",
    "weight",
    "group",
]
PIECES = [
    b"y,p\n",
    b"y,yhat\n",
    b"y;p\n",
    b"a,1\n",
    b'"',
    b",",
    b";",
    b"\r",
    b"\n",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"0.5",
    b"nan",
]
PIECES += [
    b'{"y": 1, "p": 0.5}\n',
    b"{",
    b"[",
    b"\x00",
    b"PAR1",
    b"ARROW1\x00\x00",
    b"\xff\xff\xff\xff",
    b"\x1f\x8b\x08",
    b"yes",
    b"1_0",
]
fuzz = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)

cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(),
    st.floats(0, 1),
    st.text(max_size=4),
    st.sampled_from(
        ["a", "b", "1", "0", "1.0", "01", "True", "true", "yes", "no", "NA", "nan", "", " a", "1,234.5", "97%", "0x1"]
    ),
    st.binary(max_size=2),
    st.just(pd.NA),
    st.lists(st.integers(), max_size=2),
)
plain_columns = st.one_of(
    st.lists(st.integers(0, 2), min_size=4, max_size=4),
    st.lists(st.floats(0, 1), min_size=4, max_size=4),
    st.lists(st.sampled_from(["a", "b", "c"]), min_size=4, max_size=4),
    st.lists(st.booleans(), min_size=4, max_size=4),
)
columns = st.one_of(plain_columns, st.lists(cells, min_size=4, max_size=4))
options = st.fixed_dictionaries(
    {},
    optional={
        "positive": st.sampled_from([1, "1", "a", "yes", True, 0.5]),
        "labels": st.sampled_from([["a", "b"], [0, 1], ["a", "b", "c"], [0, "x"]]),
        "threshold": st.sampled_from([0.5, 0, float("nan"), "x"]),
        "task": st.sampled_from(["binary", "multiclass", "multilabel", "regression", "ranking"]),
        "on_nan": st.sampled_from(["error", "drop"]),
        "link": st.sampled_from(["logit", "probit"]),
    },
)


def sound(batch: Batch) -> None:
    """What every batch promises to those who trust it."""
    assert batch.rows > 0
    for column in (batch.prediction, batch.score, batch.weight, batch.unit):
        assert column is None or len(column) == batch.rows
    assert batch.task in ("multilabel", "regression") or batch.truth.max() < len(batch.labels)
    assert batch.score is None or np.isfinite(batch.score).all()
    assert not batch.probabilities or (batch.score.min() >= 0 and batch.score.max() <= 1)
    assert (batch.task == "binary") == (batch.positive is not None)
    assert batch.task != "binary" or len(batch.labels) == 2
    assert len(set(batch.labels)) == len(batch.labels)


def survives(step, *arguments, **named):
    """Either a sound batch, or an error of our own that says what to do."""
    try:
        reading = step(*arguments, **named)
    except HeldoutError as error:
        reading = error
    if isinstance(reading, HeldoutError):
        assert reading.message
        assert reading.fix
        assert reading.code or "not known" in reading.message
    elif hasattr(reading, "batch"):
        sound(reading.batch)


def written(data: bytes, suffix: str, step) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"preds.{suffix}"
        path.write_bytes(data)
        step(path)


@fuzz
@given(data=st.binary(max_size=200), suffix=st.sampled_from(SUFFIXES))
def test_random_bytes(data, suffix):
    written(data, suffix, lambda path: survives(read, path))


@fuzz
@given(
    pieces=st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4)), max_size=14),
    suffix=st.sampled_from(SUFFIXES),
)
def test_bytes_that_look_like_files(pieces, suffix):
    def everything(path):
        survives(read, path)
        survives(read_confusion, path)
        survives(read_costs, path, ["a", "b"])
        survives(shared_rows, path, {"y": ["a", "b"], "p": [1, 2], "id": [1, 2]})

    written(b"".join(pieces), suffix, everything)


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream", "csv.gz"])
@fuzz
@given(at=st.floats(0, 1), byte=st.integers(0, 255), cut=st.floats(0, 1))
def test_damaged_files(kind, at, byte, cut):
    table = pa.table({"y": ["a", "b", "a"], "p": [0.1, 0.9, 0.4]})
    sink = pa.BufferOutputStream()
    if kind == "parquet":
        pq.write_table(table, sink)
    elif kind in ("arrow", "stream"):
        with (pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream)(sink, table.schema) as writer:
            writer.write_table(table)
    data = bytearray(gzip.compress(b"y,p\na,0.1\nb,0.9\n") if kind == "csv.gz" else sink.getvalue().to_pybytes())
    data[int(at * (len(data) - 1))] = byte
    suffix = "arrow" if kind == "stream" else kind
    written(bytes(data[: max(1, int(cut * 2 * len(data)))]), suffix, lambda path: survives(read, path))


@fuzz
@given(
    frame=st.dictionaries(st.one_of(st.sampled_from(NAMES), st.text(max_size=3)), columns, max_size=5), choices=options
)
def test_random_dicts_and_frames(frame, choices):
    survives(read, frame, **choices)
    survives(read, pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in frame.items()}), **choices)
    try:
        typed = pl.DataFrame(frame, strict=False)
    except Exception:  # noqa: BLE001 what polars cannot hold cannot be handed over
        return
    survives(read, typed, **choices)


@fuzz
@given(
    rows=st.lists(
        st.lists(
            st.one_of(st.sampled_from(["a", "b", "0", "1", "0.5", "", "nan"]), st.text(max_size=3)),
            min_size=2,
            max_size=2,
        ),
        max_size=6,
    )
)
@pytest.mark.parametrize("header", ["y,p", "y,yhat", "y,p_a", "y,yhat,weight", "y_a,p_a"])
def test_random_csv_values(header, rows):
    text = "\n".join([header, *(",".join(row) for row in rows)])
    written(text.encode("utf-8", "replace"), "csv", lambda path: survives(read, path))


@fuzz
@given(
    y_true=columns, y_pred=st.none() | columns, y_score=st.none() | columns, weight=st.none() | columns, choices=options
)
def test_random_labels(y_true, y_pred, y_score, weight, choices):
    named = {"pos_label" if name == "positive" else name: value for name, value in choices.items()}
    survives(from_arrays, y_true, y_pred, y_score=y_score, sample_weight=weight, **named)


@fuzz
@given(
    y_true=plain_columns,
    wide=st.integers(0, 4),
    dtype=st.sampled_from([float, int, bool, object, "datetime64[s]", complex, "U3", "S2", np.float16]),
    choices=options,
    data=st.data(),
)
def test_random_matrices(y_true, wide, dtype, choices, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    matrix = rng.random((4, wide)) if data.draw(st.booleans()) else rng.integers(0, 2, (4, wide))
    matrix = matrix.astype(dtype)
    named = {"pos_label" if name == "positive" else name: value for name, value in choices.items()}
    survives(from_arrays, y_true, y_proba=matrix, **named)
    survives(from_arrays, matrix, matrix, **named)
    survives(from_arrays, matrix, y_score=rng.random((4, wide)), **named)


@pytest.mark.parametrize(
    "strange", [None, 3, "text", b"bytes", object(), {}, [], [[]], [[1], [1, 2]], np.array(3), iter([1, 2]), (1, 2)]
)
def test_strange_arguments(strange):
    survives(from_arrays, strange, [1, 0])
    survives(from_arrays, [1, 0], strange)
    survives(from_arrays, [1, 0], y_score=strange)
    survives(from_arrays, [1, 0], [1, 0], groups=strange, segments=strange)
    survives(read, strange)
