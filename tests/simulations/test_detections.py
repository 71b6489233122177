"""Intervals of average precision hold the truth, and tests of equal detectors reject rarely: a part measured again."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.error_rates.detections import WORLDS, rates, truth

REPEATS = 120


@pytest.mark.slow
@pytest.mark.simulation
def test_intervals_of_average_precision_hold_the_truth():
    world, rng = WORLDS[1], np.random.default_rng(7)
    found = rates(world, 40, truth(world, rng), rng, REPEATS)
    spread = np.sqrt(0.05 * 0.95 / REPEATS)
    assert found["coverage"] > 0.95 - 3 * spread
    assert found["rejected"] < 0.05 + 3 * spread
