"""What choosing a threshold costs."""

from __future__ import annotations

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from scipy.optimize import minimize_scalar

from heldout import lab
from heldout.errors import UsageError
from heldout.lab.folds.threshold_bias import Thresholds
from heldout.report.schema import schema


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
        (lambda: lab.threshold_bias(10), ("n is 10, but 10 folds need 20 rows or more\n  Fix: write n=20 or more")),
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


def test_the_result_keeps_to_its_schema():
    answer = lab.threshold_bias(20, repeats=5).to_dict()
    Draft202012Validator(schema(answer["schema"])).validate(answer)
