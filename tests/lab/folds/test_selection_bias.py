"""What choosing a configuration costs."""

from __future__ import annotations

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from heldout import lab
from heldout.errors import UsageError
from heldout.lab.folds.selection_bias import chosen_elsewhere
from heldout.report.schema import schema


def test_choosing_on_other_folds():
    losses = np.array([[0, 1, 1], [0, 1, 1], [1, 0, 1], [1, 0, 1]])
    assert chosen_elsewhere(losses, np.array([0, 0, 1, 1])) == 1.0
    assert chosen_elsewhere(losses, np.array([0, 1, 0, 1])) == 0.5


def test_on_noise_the_winner_is_optimistic_and_honest_estimates_are_not():
    """Fifty configurations, none better than a coin."""
    found = lab.selection_bias(100, 50, null=True, n_resamples=100, repeats=100)
    assert found.truth.value == 0.5
    assert found.biases["apparent"].value > 0.1
    for name in ("nested", "bootstrap_corrected"):
        assert found.biases[name].value == pytest.approx(0, abs=3 * found.biases[name].error)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: lab.selection_bias(10, 50),
            "10 rows and 50 configurations leave nothing to choose\n  Fix: give 20 rows and 2 configurations or more",
        ),
        (
            lambda: lab.selection_bias(n_resamples=1),
            "n_resamples is 1, too few for an interval\n  Fix: take 500 or more",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message


def test_the_result_keeps_to_its_schema():
    answer = lab.selection_bias(20, 3, n_resamples=10, repeats=5).to_dict()
    Draft202012Validator(schema(answer["schema"])).validate(answer)
