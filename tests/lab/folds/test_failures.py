"""Methods that are known to fail."""

from __future__ import annotations

import numpy as np
import pytest

from heldout import lab
from heldout.lab.folds.failures import in_bag, majority, majority_error
from heldout.lab.learning.small_learners import constant
from heldout.splits import splits


def test_the_majority_learner_is_always_wrong_when_one_row_is_left_out():
    """Exactly: 1 by leave-one-out, .680 by ten folds that are not stratified, .5 by five that are."""
    assert [round(one.value, 3) for one in majority()] == [1.0, 0.68, 0.5]
    assert {(one.error, one.truth, one.repeats) for one in majority()} == {(0.0, 0.5, 0)}


def test_the_majority_learner_over_the_splits_of_the_package():
    y = np.repeat([0, 1], 25)
    X = np.zeros((50, 1))

    def error(cv, task):
        return np.mean(
            [
                (constant().fit(X[one.train], y[one.train])(X[one.test]) != y[one.test]).mean()
                for one in splits(cv, y, task=task, random_state=1)
            ]
        )

    assert error("loo", "binary") == majority_error(25, 25, 1) == 1.0
    assert error("5", "binary") == 0.5
    many = error("200x10", "regression")  # classes as numbers are not stratified
    assert many == pytest.approx(majority_error(25, 25, 5), abs=0.01)


def test_the_share_of_rows_in_a_bootstrap_sample():
    assert [round(one.value, 4) for one in in_bag()] == [0.6513, 0.634, 0.6323]


def test_error_estimates_of_a_memoriser_on_coin_flips():
    """.632 says .316 where the truth is .5, .632+ about .473; none of the others is off."""
    found = {one.method: one for one in lab.failures(repeats=100) if one.case.startswith("nearest")}
    known = {".632": 0.316, ".632+": 0.473, "out of bag (e0)": 0.5, "leave-one-out": 0.5, "10-fold": 0.5}
    assert found["training error"].value == 0.0
    assert {name: one.value for name, one in found.items() if name in known} == {
        name: pytest.approx(value, abs=3 * found[name].error) for name, value in known.items()
    }
    assert found[".632"].error < 0.005


def test_the_naive_t_is_among_the_failures():
    naive, corrected, *_ = lab.failures(repeats=60)
    assert (naive.method, corrected.method) == ("naive t over 10x10", "corrected t over 10x10")
    assert naive.value > 0.4
    assert corrected.value < 0.2
