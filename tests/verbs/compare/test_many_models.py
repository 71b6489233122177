"""More than two models: who is best, who cannot be told from it, and what picking the best has added."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.errors import UsageError
from heldout.formulas import METRICS
from heldout.inputs import from_arrays
from heldout.verbs.compare.many_models import based_on, contenders, judge
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

ROWS = 400


def measured(shares, seed=1):
    """Models that are right in these shares of the rows, independently of each other."""
    rng = np.random.default_rng(seed)
    truth = np.arange(ROWS) % 2
    found = {}
    for name, share in shares.items():
        said = np.where(rng.permutation(ROWS) < share * ROWS, truth, 1 - truth)
        found[name] = Measurement(batch_of(truth, said), Settings())
    return found


def batch_of(truth, said):
    return from_arrays(truth, said, pos_label=1).batch


def test_the_best_and_those_not_told_from_it():
    models = measured({"good": 0.9, "alike": 0.89, "bad": 0.6})
    found = contenders(METRICS["accuracy"], models, "good")
    assert found.best == "good"
    assert found.indistinguishable == ("good", "alike")
    assert found.adjusted["bad"] < 0.001
    assert found.adjusted["alike"] > 0.2
    assert set(found.adjusted) == {"alike", "bad"}


def test_lower_is_better_where_the_metric_says_so():
    models = measured({"good": 0.9, "bad": 0.6, "worse": 0.5})
    found = contenders(METRICS["error_rate"], models, "bad")
    assert found.best == "good"
    assert found.value >= models["good"].value(METRICS["error_rate"])  # the correction makes an error larger


def test_picking_among_equals_adds_and_picking_a_clear_winner_does_not():
    equals = contenders(METRICS["accuracy"], measured({f"m{at}": 0.8 for at in range(8)}, seed=2), "m0")
    clear = contenders(METRICS["accuracy"], measured({"good": 0.95, "b": 0.5, "c": 0.5}, seed=2), "b")
    assert equals.optimism > 0.01
    assert clear.optimism < 0.002
    assert equals.low <= equals.value <= equals.high


def test_intervals_of_more_models_are_wider_to_hold_together():
    few, many = (
        contenders(METRICS["accuracy"], measured({f"m{at}": 0.8 for at in range(count)}), "m0").wider
        for count in (3, 8)
    )
    assert 1.05 < few < many < 1.6


def test_a_metric_that_is_no_number_for_some_model_judges_nobody():
    rng = np.random.default_rng(3)
    truth = np.arange(60) % 2
    models = {
        "silent": Measurement(batch_of(truth, np.zeros(60, int)), Settings()),
        "other": Measurement(batch_of(truth, rng.integers(0, 2, 60)), Settings()),
        "third": Measurement(batch_of(truth, rng.integers(0, 2, 60)), Settings()),
    }
    assert contenders(METRICS["precision"], models, "other") is None


def test_the_judge_is_the_primary_metric_or_the_first_that_is_printed():
    every = measured({"a": 0.8, "b": 0.8})["a"].metrics()
    assert judge(every, "f1").name == "f1"
    assert judge(every, None).printed
    assert judge(every, "rmse") is None


def test_the_baseline_is_the_first_or_named():
    assert based_on(None, ["a", "b"]) == "a"
    assert based_on("b", ["a", "b"]) == "b"
    with pytest.raises(UsageError, match=r"^no model is named 'bb'; did you mean 'b'\?"):
        based_on("bb", ["a", "b"])
