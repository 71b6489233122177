"""More than two models: who is best, who cannot be told from it, and what picking the best has added."""

from __future__ import annotations

import numpy as np
import pytest

from heldout import compare
from heldout.errors import DataError
from heldout.formulas import METRICS
from heldout.inputs import from_arrays
from heldout.verbs.compare.many_models import best_of_many, deciding_metric
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
    found = best_of_many(METRICS["accuracy"], models, "good")
    assert found.best == "good"
    assert found.indistinguishable == ("good", "alike")
    assert found.adjusted["bad"] < 0.001
    assert found.adjusted["alike"] > 0.2
    assert set(found.adjusted) == {"alike", "bad"}


def test_lower_is_better_where_the_metric_says_so():
    models = measured({"good": 0.9, "bad": 0.6, "worse": 0.5})
    found = best_of_many(METRICS["error_rate"], models, "bad")
    assert found.best == "good"
    assert found.value >= models["good"].value(METRICS["error_rate"])  # the correction makes an error larger


def test_picking_among_equals_adds_and_picking_a_clear_winner_does_not():
    equals = best_of_many(METRICS["accuracy"], measured({f"m{at}": 0.8 for at in range(8)}, seed=2), "m0")
    clear = best_of_many(METRICS["accuracy"], measured({"good": 0.95, "b": 0.5, "c": 0.5}, seed=2), "b")
    assert equals.optimism > 0.01
    assert clear.optimism < 0.002
    assert equals.low <= equals.value <= equals.high


def test_intervals_of_more_models_are_wider_to_hold_together():
    few, many = (
        best_of_many(METRICS["accuracy"], measured({f"m{at}": 0.8 for at in range(count)}), "m0").wider
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
    assert best_of_many(METRICS["precision"], models, "other") is None


def test_the_deciding_metric_is_the_primary_metric_or_the_first_that_is_printed():
    every = measured({"a": 0.8, "b": 0.8})["a"].metrics()
    assert deciding_metric(every, "f1").name == "f1"
    assert deciding_metric(every, None).printed
    assert deciding_metric(every, "rmse") is None


def winners(wrong: int):
    """Three models on 100 rows, the first with so many errors."""
    truth = np.arange(100) % 2
    rng = np.random.default_rng(4)
    said = {"best": np.where(np.arange(100) < wrong, 1 - truth, truth)}
    said |= {name: np.where(rng.random(100) < 0.6, truth, 1 - truth) for name in ("b", "c")}
    return truth, said


@pytest.mark.parametrize("name", ["accuracy", "error_rate", "recall", "f1"])
@pytest.mark.parametrize("wrong", [0, 1, 2, 5])
def test_the_bound_of_the_best_is_not_beyond_the_end_of_its_own_interval(name, wrong):
    truth, said = winners(wrong)
    models = {model: Measurement(batch_of(truth, one), Settings()) for model, one in said.items()}
    metric = METRICS[name]
    found, own = best_of_many(metric, models, "b"), models["best"].one(metric)
    assert found.best == "best"
    if metric.better == "higher":
        assert found.low <= own.low < found.value
    else:
        assert found.high >= own.high > found.value


def test_the_bound_of_a_perfect_winner_is_that_of_wilson():
    truth, said = winners(0)
    result = compare(truth, said, baseline="b", primary="accuracy")
    assert result.document().verdict[-1].endswith("corrected for selection: 1.000, at least 0.963 (97.5% bound).")
    truth, said = winners(1)
    result = compare(truth, said, baseline="b", primary="accuracy")
    assert result.document().verdict[-1].endswith(", at least 0.946 (97.5% bound).")


def test_models_of_scores_beside_a_model_of_labels():
    """All are judged together by a metric that every one of them has."""
    truth = np.arange(80) % 2
    scores = np.clip(0.3 * truth + 0.7 * np.random.default_rng(0).random(80), 0, 1)
    models = {"a": scores, "b": scores[::-1], "c": (scores > 0.5).astype(int)}
    found = compare(truth, models, pos_label=1)  # named, because the scores of b point away from it
    assert (found.best_of_many.metric, found.best_of_many.best) == ("accuracy", "a")
    compared = {name: {one.metric for one in found.differences if one.model == name} for name in ("b", "c")}
    assert "roc_auc" in compared["b"] - compared["c"]
    assert "accuracy" in compared["b"] & compared["c"]
    with pytest.raises(DataError) as error:
        compare(truth, models, pos_label=1, primary="roc_auc")
    assert str(error.value) == (
        "[H106] the primary metric roc_auc cannot be computed from the predictions of c\n"
        "  Fix: choose a metric that all models have, or give every model what it needs, such as scores"
    )
