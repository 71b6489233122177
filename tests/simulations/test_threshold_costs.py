"""Thresholds of least cost: what they seem to cost, what they cost, and how often the interval holds that.

`THRESHOLD_COSTS=1000 pytest -s tests/simulations/test_threshold_costs.py` prints it for as many samples.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from scipy.special import ndtr

import heldout
from tests.simulations.bounds import COVERS, at_least

pytestmark = pytest.mark.simulation
SAMPLES = int(os.environ.get("THRESHOLD_COSTS", "400"))
SHIFT, SHARE, FP, FN = 1.5, 0.1, 1, 10


def true_cost(threshold):
    return FN * SHARE * ndtr(np.asarray(threshold) - SHIFT) + FP * (1 - SHARE) * ndtr(-np.asarray(threshold))


@pytest.mark.parametrize("rows", [50, 200, 1000])
def test_the_cost_across_folds_is_honest(rows):
    rng = np.random.default_rng(rows)
    apparent, honest, own, across, held = [], [], [], [], []
    for seed in range(SAMPLES):
        positive = np.arange(rows) < SHARE * rows
        found = heldout.choose_threshold(
            positive.astype(int), rng.normal(SHIFT * positive), fp=FP, fn=FN, random_state=seed
        )
        apparent.append(found.apparent)
        honest.append(found.cost.value)
        own.append(true_cost(found.threshold))
        across.append(np.mean(true_cost(found.thresholds)))
        held.append(found.cost.low <= own[-1] <= found.cost.high)
    means = {name: np.mean(x).round(3) for name, x in (("apparent", apparent), ("true", own), ("honest", honest))}
    print(rows, means, "held", np.mean(held).round(3))
    apart = np.subtract(honest, across)
    assert abs(apart.mean()) <= 3.5 * apart.std(ddof=1) / np.sqrt(SAMPLES)
    assert np.mean(own) - np.mean(apparent) > 2 / rows
    assert np.mean(held) >= at_least(COVERS, SAMPLES)
