"""Few rows with most of the weight, few clusters with most of the rows: gates, notes and simulated rates."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from benchmarks.unequal_weights import CASES, gated

FEW = "200 rows of unequal weight are worth 20.2 of equal weight: the interval is rough"


@pytest.mark.parametrize("case", CASES)
def test_a_model_worse_by_the_margin_seldom_passes(case):
    """At a nominal 5% these passed in 12% to 43% of samples; 300 samples of 6% have 10% at most."""
    rng = np.random.default_rng(5)
    passed = np.mean([gated(case, rng) for _ in range(300)])
    assert passed <= 0.10


def weighted(share=0.04, times=40.0, n=200):
    """Two classifiers, and weights of which a few make up most."""
    rng = np.random.default_rng(9)
    truth = np.arange(n) % 2
    models = {name: np.clip(0.3 * truth + 0.7 * rng.random(n), 0.01, 0.99) for name in ("old", "new")}
    return truth, models, np.where(np.arange(n) < share * n, times, 1.0)


def test_compare_and_gate_say_how_few_rows_of_equal_weight_there_are():
    truth, models, weight = weighted()
    compared = heldout.compare(truth, models, sample_weight=weight, metrics=["brier", "log_loss"])
    assert [FEW in one.notes for one in compared.differences] == [True, True]
    passed = heldout.gate(truth, models, sample_weight=weight, primary="brier", margin=0.1)
    assert passed.hurdles[0].notes == (FEW,)
    even = heldout.gate(truth, models, sample_weight=weight + 60, primary="brier", margin=0.1)
    assert even.hurdles[0].notes == ()


@pytest.mark.parametrize("metric", ["brier", "log_loss", "mae", "accuracy", "mcc"])
def test_a_simulated_rate_is_not_printed_for_weights_beyond_those_simulated(metric):
    truth, models, weight = weighted(share=0.02, times=200.0, n=300)
    given = {"metrics": metric, "pos_label": 1}
    if metric == "mae":
        models = {name: truth + 0.3 * np.random.default_rng(len(name)).normal(size=300) for name in models}
        given = {"metrics": metric, "task": "regression"}
    said = {"y_pred" if metric == "mae" else "y_score": models["new"]}
    found = heldout.evaluate(truth, sample_weight=weight, **given, **said)[metric]
    mild = heldout.evaluate(truth, sample_weight=1.0 + np.arange(300) % 4, **given, **said)[metric]
    assert (found.card, found.to_dict()["unlike"]) == (None, "such unequal weights")
    assert mild.card is not None
    compared = heldout.compare(truth, models, sample_weight=weight, **given)
    assert [one.unlike for one in compared.differences] == ["such unequal weights"]


@pytest.mark.parametrize("name", ["wmape", "d2_absolute_error"])
def test_targets_near_zero_are_no_light_rows(name):
    """Of a ratio of losses, weights that differ little widen the interval by about as much as in the mean error."""
    rng = np.random.default_rng(5)
    truth = rng.normal(size=200)
    rows = {
        "y_true": truth,
        "y_pred": truth + 0.6 * rng.normal(size=200),
        "task": "regression",
        "metrics": [name, "mae"],
    }
    even, weighted = (
        heldout.evaluate(**rows, sample_weight=given) for given in (None, np.exp(0.5 * rng.normal(size=200)))
    )
    widened = {
        one: (weighted[one].high - weighted[one].low) / (even[one].high - even[one].low) for one in (name, "mae")
    }
    assert widened["mae"] < 1.3
    assert widened[name] < 1.5
