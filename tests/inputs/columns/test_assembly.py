"""Columns by role become a batch: gaps, weights, groups and ids, whatever the task."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.errors import DataError, UsageError
from heldout.inputs import from_arrays, read
from heldout.inputs.columns.assembly import check_weights, segment
from heldout.inputs.columns.column_values import column
from heldout.inputs.columns.role_columns import Origin

TRUTH, PREDICTED = [0, 1, 0, 1], [0, 1, 1, 1]


def test_equal_weights_are_no_weights_and_others_are_kept():
    assert from_arrays(TRUTH, PREDICTED, sample_weight=[2, 2, 2, 2]).batch.weight is None
    assert from_arrays(TRUTH, PREDICTED, sample_weight=[2, 1, 2, 2]).batch.weight.tolist() == [2, 1, 2, 2]


def test_the_column_of_weights_is_echoed_even_where_it_changes_nothing():
    reading = read({"y_true": TRUTH, "y_pred": PREDICTED, "weight": [1.0, 1.0, 1.0, 1.0]})
    assert reading.columns["weight"] == "weight"


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -0.5], "the weight in w is -0.5 in row 2, and must be zero or more"),
        ([0.0, 0.0], "every weight in w is zero"),
    ],
)
def test_weights_that_are_none_are_refused(weights, message):
    with pytest.raises(DataError, match=message):
        check_weights(Origin(kind="arrays"), column("w", np.array(weights)), all_rows=True)


def test_all_zero_is_allowed_of_some_of_the_rows():
    check_weights(Origin(kind="arrays"), column("w", np.zeros(3)), all_rows=False)


def test_rows_that_lack_a_value_are_named_or_dropped_and_counted():
    table = {"y_true": [0, 1, None, 1], "y_score": [0.1, np.inf, 0.4, 0.8]}
    with pytest.raises(DataError) as refused:
        read(table)
    assert "y_true is missing in row 3; y_score is infinite (inf) in row 2" in str(refused.value)
    reading = read(table, on_nan="drop")
    assert reading.batch.rows == 2
    assert reading.rows.tolist() == [1, 4]
    assert reading.checks[0].text.startswith("2 of 4 rows were dropped: ")


def test_groups_are_numbered_and_segments_named_in_order():
    reading = from_arrays(TRUTH, PREDICTED, groups=["b", "a", "b", "c"], segments={"site": ["s", "n", None, "s"]})
    assert reading.batch.units == 3
    assert reading.batch.unit[0] == reading.batch.unit[2]
    site = reading.batch.segments["site"]
    assert site.names == ("n", "s", "(missing)")
    assert site.codes.tolist() == [1, 0, 2, 1]
    assert segment(column("s", np.array([10, 9, 10]))).names == ("9", "10")  # numbers by size
    assert segment(column("s", ["10", "9", "-1.5"])).names == ("-1.5", "9", "10")  # as CSV has them, too
    assert segment(column("s", ["10", "9", "nan"])).names == ("10", "9", "nan")


def test_columns_of_other_lengths_and_no_rows_are_refused():
    with pytest.raises(DataError, match="y_true has 4 rows and y_pred has 3"):
        from_arrays(TRUTH, PREDICTED[:3])
    with pytest.raises(DataError, match="has no rows"):
        from_arrays([], [])


def test_ids_that_come_twice_are_no_independent_rows():
    table = {"y_true": TRUTH, "y_pred": PREDICTED, "id": ["u", "v", "u", "w"]}
    with pytest.raises(DataError, match=r"1 id occurs more than once .*: id 'u' is in rows 1, 3"):
        read(table)
    assert read({**table, "id": ["u", "v", "x", "w"]}).ids.tolist() == ["u", "v", "x", "w"]


@pytest.mark.parametrize("option", [{"pos_label": 1}, {"threshold": 0.5}])
def test_choices_about_classes_do_not_fit_numbers(option):
    with pytest.raises(UsageError, match="was given, and the task is regression"):
        from_arrays([1.5, 2.5], [1.0, 2.0], task="regression", **option)
