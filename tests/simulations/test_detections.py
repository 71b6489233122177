"""Intervals of average precision hold the truth, and tests of equal detectors reject rarely: a part measured again."""

from __future__ import annotations

import numpy as np
import pytest

from heldout import lab

REPEATS = 120


@pytest.mark.slow
@pytest.mark.simulation
def test_intervals_of_average_precision_hold_the_truth():
    found = lab.corpus_rates("boxes:classes=3,objects=2,wrong=1.5,blur=0.12", 40, repeats=REPEATS, seed=7)
    spread = np.sqrt(0.05 * 0.95 / REPEATS)
    for one in found:
        if one.metric == "AP" and one.method == "auto":
            assert one.rate < 0.05 + 3 * spread if one.kind == "test" else one.rate > 0.95 - 3 * spread
