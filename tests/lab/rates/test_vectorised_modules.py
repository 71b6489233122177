"""Modules that were loaded again: the product's own code, with a universe of its own."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.estimates import interval_choice
from heldout.formulas import METRICS
from heldout.intervals.auc import newcombe
from heldout.intervals.shares import SHARES
from heldout.lab.rates.sample_arrays import Many
from heldout.lab.rates.vectorised_modules import vectorised


def test_they_are_loaded_once_and_see_each_other():
    choice = vectorised("heldout.estimates.interval_choice")
    assert choice is vectorised("heldout.estimates.interval_choice")
    assert choice is not interval_choice
    assert choice.Question is vectorised("heldout.estimates.question").Question is not interval_choice.Question
    assert set(vectorised("heldout.formulas").METRICS) == set(METRICS)


def test_numbers_of_one_sample_are_answered_as_before():
    again = vectorised("heldout.intervals.shares").SHARES
    for name, formula in SHARES.items():
        assert again[name](12, 40, 0.95) == formula(12, 40, 0.95)


@pytest.mark.parametrize("method", ["wilson", "wilson_cc", "clopper_pearson", "midp", "jeffreys", "normal", "logit"])
def test_a_share_of_many_samples(method):
    successes = np.array([1.0, 7.5, 12.0, 39.0])
    low, high = vectorised("heldout.intervals.shares").SHARES[method](Many(successes), 40.0, 0.9)
    expected = np.array([SHARES[method](x, 40.0, 0.9) for x in successes])
    assert np.stack([low.data, high.data], axis=1) == pytest.approx(expected, rel=1e-13)


def test_a_search_for_the_edge_of_many_samples():
    areas = np.array([0.6, 0.75, 0.99])
    low, high = vectorised("heldout.intervals.auc").newcombe(Many(areas), 12.0, 30.0, 0.95)
    expected = np.array([newcombe(area, 12.0, 30.0, 0.95) for area in areas])
    assert np.array_equal(np.stack([low.data, high.data], axis=1), expected)
