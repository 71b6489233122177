from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from heldout.errors import HeldoutError
from heldout.inputs import from_arrays, read
from heldout.inputs.columns.time_column import as_times, dated_columns, time_column

Y, YHAT = [1.0, 2.5, 3.0, 4.5], [1.5, 2.0, 3.5, 4.0]


def said(**options):
    with pytest.raises(HeldoutError) as error:
        from_arrays(Y, YHAT, **options)
    return str(error.value)


@pytest.mark.parametrize(
    "times",
    [
        [3, 1, 2, 1],
        [0.3, 0.1, 0.2, 0.1],
        ["3", "1", "2", "1"],
        ["2024-01-03", "2024-01-01", "2024-01-02", "2024-01-01"],
        ["2024-03", "2024-01", "2024-02", "2024-01"],
        ["2024-01-01T12:30", "2023-05-01 10:00:00", "2023-05-01 10:00:01", "2023-05-01 10:00"],
        ["2024-01-01T12:00Z", "2024-01-01T12:00+02:00", "2024-01-01T11:30Z", "2024-01-01T10:00Z"],
        np.array(["2024-01-03", "2024-01-01", "2024-01-02", "2024-01-01"], "datetime64[D]"),
        pd.to_datetime(["2024-01-03", "2024-01-01", "2024-01-02", "2024-01-01"]),
        pd.Series(pd.to_datetime(["2024-01-03", "2024-01-01", "2024-01-02", "2024-01-01"])).dt.tz_localize("CET"),
        [dt.date(2024, 1, 3), dt.date(2024, 1, 1), dt.date(2024, 1, 2), dt.date(2024, 1, 1)],
        *(pa.array([3000, 1000, 2000, 1000], pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")),
        pa.chunked_array([pa.array([3000, 1000, 2000, 1000], pa.timestamp("ns"))]),
        pa.chunked_array([pa.array([3000, 1000, 2000, 1000], pa.timestamp("ns", tz="Europe/Berlin"))]),
        pl.Series([3000, 1000, 2000, 1000]).cast(pl.Datetime("ns")),
        pd.Series(pd.to_datetime([3000, 1000, 2000, 1000], unit="ns")),
        [f"2024-01-01T00:00:00,{digits}" for digits in ("3", "123456789", "2", "123456789")],
        (5 - k for k in (2, 4, 3, 4)),
    ],
)
def test_times_in_every_form_are_put_in_order_and_equal_ones_stay_together(times):
    batch = from_arrays(Y, YHAT, time=times).batch
    assert batch.unit.tolist() == [2, 0, 1, 0]
    assert batch.time.horizon is None


def test_a_missing_time_is_refused_with_its_place_or_dropped():
    want = (
        "[H305] time is missing in row 2. Rows are never dropped silently\n"
        "  Fix: complete the values, or drop these rows with on_nan='drop'"
    )
    for times in ([1, None, 2, 3], ["2024-01-01", "NaT", "2024-01-02", "2024-01-03"], [1.0, np.nan, 2.0, 3.0]):
        assert said(time=times) == want
        assert from_arrays(Y, YHAT, time=times, on_nan="drop").batch.unit.tolist() == [0, 1, 2]
    stamps = np.array(["2024-01-01", "NaT", "2024-01-02", "2024-01-03"], "datetime64[s]")
    assert said(time=stamps) == want


@pytest.mark.parametrize("word", ["later", "2024-02-30", "12:30", "1/2/2024"])
def test_text_that_is_no_time_is_named(word):
    assert said(time=["2024-01-01", word, "2024-01-02", word]) == (
        f"[H108] time is '{word}' in row 2, which is neither a number nor an ISO date\n"
        "  Fix: write every time as a number, or as a date such as 2024-03-01 or 2024-03-01T12:30, all with or all "
        "without a time zone"
    )


def test_what_does_not_go_together():
    assert said(series=list("abab")) == (
        "series has no effect without times\n  Fix: name them with time=…, or leave it out"
    )
    assert said(horizon=2) == "horizon has no effect without times\n  Fix: name them with time=…, or leave it out"
    assert said(time=range(4), horizon=3) == (
        "horizon is 3, more than half of the 4 times\n"
        "  Fix: give the number of steps that the forecasts look ahead, or more times"
    )
    for horizon in (0, 1.5, True):
        assert said(time=range(4), horizon=horizon) == (
            f"horizon is {horizon!r}, but must be a whole number of steps, 1 or more\n"
            "  Fix: for forecasts of the next time write horizon=1"
        )
    assert said(time=range(4), groups=list("aabb")) == (
        "rows have times (time) and groups (groups), and dependence can be allowed for in one way\n"
        "  Fix: if every group is a series of its own, name it as such: series=…; otherwise leave out the times or the "
        "groups"
    )


def test_groups_that_are_the_series_are_allowed():
    batch = from_arrays(Y, YHAT, time=[1, 1, 2, 2], groups=["b", "a", "b", "a"], series=[1, 0, 1, 0]).batch
    assert batch.unit.tolist() == [0, 0, 1, 1]
    assert batch.time.series == 2


def test_columns_of_dates_that_have_no_role_are_noticed():
    columns = {
        "y": Y, "yhat": YHAT, "n": [2024, 2025, 2026, 2027], "day": ["2024-01-01", None, "2024-01-02", "2024-01-03"],
        "stamp": pd.date_range("2024-01-01", periods=4), "code": ["2024-01", "a", "b", "c"],
    }  # fmt: skip
    reading = read(columns)
    assert reading.dated == ("day", "stamp")
    named = read(columns, time="stamp")
    assert named.dated == ()
    assert named.columns["time"] == "stamp"
    assert dated_columns(["a"], [object()], taken=()) == ()


def test_numbers_stay_what_they_are_and_text_becomes_numbers():
    whole, words = (as_times(time_column("t", given)) for given in (np.array([2**60 + 1, 2**60]), ["10", "9"]))
    assert np.array_equal(whole.values, [2**60 + 1, 2**60])
    assert np.array_equal(words.values, [10.0, 9.0])
