"""What choosing costs, and methods that are known to fail."""

from __future__ import annotations

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from scipy.optimize import minimize_scalar

from heldout import lab
from heldout.errors import UsageError
from heldout.lab.folds.failures import in_bag, majority, majority_error
from heldout.lab.folds.selection_bias import chosen_elsewhere
from heldout.lab.folds.threshold_bias import Thresholds
from heldout.lab.learning.small_learners import constant
from heldout.report.schema import schema
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


def test_choosing_on_other_folds():
    losses = np.array([[0, 1, 1], [0, 1, 1], [1, 0, 1], [1, 0, 1]])
    assert chosen_elsewhere(losses, np.array([0, 0, 1, 1])) == 1.0
    assert chosen_elsewhere(losses, np.array([0, 1, 0, 1])) == 0.5


def test_on_noise_the_winner_is_optimistic_and_honest_estimates_are_not():
    """Fifty configurations, none better than a coin."""
    found = lab.selection_bias(100, 50, null=True, draws=100, repeats=100)
    assert found.truth.value == 0.5
    assert found.biases["apparent"].value > 0.1
    for name in ("nested", "bootstrap_corrected"):
        assert found.biases[name].value == pytest.approx(0, abs=3 * found.biases[name].error)


def test_the_least_cost_there_is():
    job = Thresholds(100, 1.5, 0.1, 1.0, 10.0)
    assert lab.threshold_bias(100, repeats=20).best == pytest.approx(minimize_scalar(job.cost).fun)


def test_the_cost_of_a_threshold_is_that_of_many_rows():
    job, rng = Thresholds(100, 1.5, 0.1, 1.0, 10.0), np.random.default_rng(0)
    positive = rng.random(400_000) < 0.1
    called = rng.normal(size=400_000) + 1.5 * positive >= 0.5
    costs = 10.0 * (positive & ~called) + (~positive & called)
    assert costs.mean() == pytest.approx(job.cost(0.5), abs=4 * costs.std() / np.sqrt(400_000))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: lab.selection_bias(10, 50),
            "10 rows and 50 configurations leave nothing to choose\n  Fix: give 20 rows and 2 configurations or more",
        ),
        (
            lambda: lab.selection_bias(draws=1),
            "draws is 1, too few for an interval\n  Fix: take 500 or more",
        ),
        (lambda: lab.threshold_bias(10), "n is 10, but 10 folds need 20 rows or more"),
        (
            lambda: lab.threshold_bias(prevalence=0.0),
            (
                "apart 1.5, prevalence 0, fp 1, fn 10 give no costs\n"
                "  Fix: apart, fp and fn are above 0, prevalence between 0 and 1"
            ),
        ),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "found", [lab.selection_bias(20, 3, draws=10, repeats=5), lab.threshold_bias(20, repeats=5)], ids=["best", "cost"]
)
def test_results_keep_to_their_schemas(found):
    answer = found.to_dict()
    Draft202012Validator(schema(answer["schema"])).validate(answer)
