"""Intervals of calibration errors where bins have no gap."""

from __future__ import annotations

from math import isnan

import pytest

import heldout


@pytest.mark.parametrize("repeats", [1, 3, 50])
@pytest.mark.parametrize("design", ["rows", "groups"])
def test_bins_without_a_gap_have_an_interval_of_some_width(repeats, design):
    """Two bins of probability, in each of which exactly what was predicted happened."""
    truths, scores = [0, 1, 0, 0, 0, 1] * repeats, [0.5, 0.5, 0.25, 0.25, 0.25, 0.25] * repeats
    given = {} if design == "rows" else {design: list(range(len(truths)))}
    estimate = heldout.evaluate(truths, y_score=scores, metrics=["ece"], **given)["ece"]
    assert estimate.value == 0
    assert estimate.low == 0
    assert estimate.high > 0.02  # of 300 rows, fewer have more


@pytest.mark.parametrize("design", [{}, {"groups": ["a", "b"]}, {"time": [0, 1]}], ids=["rows", "groups", "time"])
def test_two_rows_of_one_probability_are_measured(design):
    estimate = heldout.evaluate([0, 1], y_score=[0.5, 0.5], **design)["ece"]
    assert estimate.value == 0
    assert isnan(estimate.high) if "time" in design else estimate.high > 0.5  # two times do not show how they vary
