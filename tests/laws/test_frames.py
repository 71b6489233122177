"""Results, charts and curves give frames of what is installed, and the same lines as plain dictionaries."""

from __future__ import annotations

import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import heldout
from heldout import UsageError, curves
from tests.laws.every_kind import binary

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}


@pytest.mark.parametrize(
    ("missing", "given"), [((), "pandas"), (("pandas",), "polars"), (("pandas", "polars"), "pyarrow")]
)
def test_without_pandas_a_frame_is_of_what_is_there(missing, given, monkeypatch):
    truth, score, _ = binary()
    result = heldout.evaluate(truth, y_score=score)
    chart = result.plot.roc()
    for package in missing:
        monkeypatch.setitem(sys.modules, package, None)
    for holder in (result, chart, chart.figure, curves.roc(truth, score)):
        assert isinstance(holder.to_frame(), FRAMES[given])
    assert isinstance(chart.data, FRAMES[given])


def test_a_frame_of_a_missing_library_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError) as caught:
        heldout.evaluate_counts(wrong=1, of=9).to_frame("pandas")
    assert str(caught.value) == (
        "a frame of pandas needs pandas, which is not installed\n"
        "  Fix: pip install 'heldout[pandas]', or leave out backend, which gives a frame of what is installed"
    )


def test_records_hold_plain_values():
    truth, score, _ = binary()
    curve = curves.roc(truth, score)
    chart = heldout.evaluate(truth, y_score=score).plot.roc()
    for record in (curve.records()[0], curve.records("band")[0], chart.records()[0], chart.records("band")[0]):
        assert {type(value) for value in record.values()} <= {float, int, str, type(None)}
    assert curve.records()[0]["threshold"] is None  # infinite: nothing is called positive


def test_a_curve_refuses_a_part_that_it_has_not():
    truth, score, _ = binary()
    with pytest.raises(UsageError, match=r"the curve has no part 'bend'; did you mean 'band'\?"):
        curves.roc(truth, score).to_frame("bend")
