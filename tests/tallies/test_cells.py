from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.tallies.cells import cells_of_counts, tally_cells

TRUTH, SAID = np.array([0, 0, 1, 1, 2, 2, 2]), np.array([0, 1, 1, 1, 2, 0, 2])


def test_counts_and_sums():
    cells = tally_cells(TRUTH, SAID, 3)
    assert cells.counts.tolist() == [[1, 1, 0], [0, 2, 0], [1, 0, 2]]
    assert {name: part.tolist() for name, part in cells.sums.items()} == {
        "tp": [1, 2, 2],
        "fp": [1, 1, 0],
        "fn": [1, 0, 1],
        "tn": [4, 4, 4],
    }
    assert (cells.units, cells.clustered, cells.weighted) == (7, False, False)
    assert cells.rows.sum() == 7
    assert len(cells.rows) == 5  # rows that are alike share a line


def test_weights_add_up():
    weight = np.arange(1.0, 8.0)
    cells = tally_cells(TRUTH, SAID, 3, weight)
    assert cells.counts.tolist() == [[1, 2, 0], [0, 7, 0], [6, 0, 12]]
    assert cells.squares["tp"].tolist() == [1, 9 + 16, 25 + 49]
    assert cells.weighted


def test_units_are_kept_apart():
    cells = tally_cells(TRUTH, SAID, 3, unit=np.array([0, 0, 0, 1, 1, 1, 1]))
    assert (cells.units, cells.clustered) == (2, True)
    assert cells.lines.tolist() == [1, 1]
    gradient = {"tp": np.ones(3)}
    assert cells.influence(gradient).tolist() == [2, 3]  # right answers of each unit


def test_variance_is_that_of_a_share():
    cells = cells_of_counts(np.array([[30, 10], [5, 55]]))
    slope = {"tp": np.full(2, (1 - 0.85) / 100), "fn": np.full(2, -0.85 / 100)}
    assert cells.variance(slope) == pytest.approx(0.85 * 0.15 / 100)


def test_counts_and_rows_are_the_same_tally():
    cells, counted = tally_cells(TRUTH, SAID, 3), cells_of_counts(np.array([[1, 1, 0], [0, 2, 0], [1, 0, 2]]))
    assert counted.units == cells.units
    for name in cells.sums:
        np.testing.assert_array_equal(cells.sums[name], counted.sums[name])


def test_many_classes_need_no_square_table():
    truth = np.arange(5000) % 2500
    cells = tally_cells(truth, truth, 2500)
    assert cells.sums["tp"].sum() == 5000
    assert len(cells.rows) == 2500


def test_one_unit_has_no_variance():
    cells = tally_cells(TRUTH, SAID, 3, unit=np.zeros(7, dtype=int))
    assert np.isnan(cells.variance({"tp": np.ones(3)}))


def test_weights_that_cancel_leave_no_true_negatives():
    """Every row is of the class or said to be: what adding up weights leaves is no row."""
    truth, weight = np.array([0, 1, 1, 1, 0, 0, 1]), np.array([3, 2, 2, 1, 1, 1, 1])
    cells = tally_cells(truth, np.ones(7, int), 2, weight / weight.mean())
    assert cells.sums["tn"].tolist()[1] == 0.0
    found = heldout.evaluate(truth, np.ones(7, int), sample_weight=weight)
    assert np.isnan(found["lr_negative"].value)
