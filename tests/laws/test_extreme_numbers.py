"""Finite numbers near the ends of what floats can hold: a value, a note or a refusal, and no warning of NumPy."""

from __future__ import annotations

import warnings
from contextlib import suppress

import numpy as np
import pytest

import heldout
from heldout import metrics
from heldout.errors import HeldoutError

ENDS = np.array([0, 5e-324, 1e-310, 1e-300, 1e-160, 1, 3, 1e100, 1e154, 1.4e154, 1e200, 1e300, 1.7e308])
WEIGHTS = np.array([1, 2, 5e-324, 1e-300, 1e-50, 1e50, 1e300, 1.7e308])
CHANCES = np.array([0, 1, 5e-324, 1e-300, 1 - 1e-16, 0.5])
REGRESSION = [
    name
    for name in metrics.__all__
    if name.startswith(("mean_", "r2", "root", "median", "d2_abs", "d2_pin", "explained"))
]
PROBABILITY = ("log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score")


def found(seed):
    """Results on rows that are drawn from the ends."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([2, 5, 12, 40]))
    labels, said = rng.integers(0, 2, (2, rows))
    numbers = rng.choice(rng.choice(ENDS, 4), (3, rows)) * rng.choice([1, -1], (3, rows) if seed % 2 else (3, 1))
    weight = None if seed % 3 else rng.choice(WEIGHTS, rows)
    chances = rng.choice(CHANCES, (2, rows))
    costs = [[0, rng.choice(ENDS)], [rng.choice(ENDS), 0]]
    calls = [
        lambda: heldout.evaluate(numbers[0], numbers[1], task="regression", sample_weight=weight),
        lambda: heldout.evaluate(labels, y_score=numbers[0], sample_weight=weight),
        lambda: heldout.evaluate(labels, y_proba=chances[0], sample_weight=weight),
        lambda: heldout.evaluate(labels, said, cost=costs, sample_weight=weight),
        lambda: heldout.compare(numbers[0], {"a": numbers[1], "b": numbers[2]}, task="regression"),
        lambda: heldout.compare(labels, {"a": numbers[1], "b": numbers[2]}),
        lambda: heldout.compare_fold_scores({"a": numbers[0], "b": numbers[1]}, n_train=90, n_test=10),
        lambda: heldout.curves.roc(labels, numbers[0]),
        lambda: metrics.roc_auc_score(labels, numbers[0], sample_weight=weight),
        lambda: metrics.hinge_loss(labels, numbers[0], sample_weight=weight),
        *(
            lambda name=name: getattr(metrics, name)(numbers[0], numbers[1], sample_weight=weight)
            for name in REGRESSION
        ),
        *(lambda name=name: getattr(metrics, name)(labels, chances[0], sample_weight=weight) for name in PROBABILITY),
    ]
    for call in calls:
        with suppress(HeldoutError):
            result = call()
            if hasattr(result, "to_json"):
                result.to_json()
            yield result


@pytest.mark.parametrize("seed", range(24))
def test_extreme_numbers_give_no_warning(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        results = list(found(seed))
    for result in results:
        values = result.estimates.values() if isinstance(result, heldout.Evaluation) else [result]
        for one in values:
            if isinstance(one, heldout.Estimate):
                assert np.isfinite(one.value) or one.notes, one
