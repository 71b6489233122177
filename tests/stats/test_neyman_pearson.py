from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from heldout.stats.neyman_pearson import threshold_at


def test_the_rank_is_the_least_that_is_certified():
    for n, alpha, confidence in ((100, 0.1, 0.95), (59, 0.05, 0.95), (1000, 0.01, 0.9)):
        found = threshold_at(np.random.default_rng(1).permutation(n), alpha, confidence)
        bound = stats.binom.sf(np.array([found.rank - 1, found.rank - 2]), n, 1 - alpha)
        assert bound[0] <= 1 - confidence < bound[1]
        assert (found.violation, found.threshold, found.reason) == (pytest.approx(bound[0]), found.rank - 1, "")


def test_B8_the_certified_rate_holds_with_the_stated_confidence():
    rng = np.random.default_rng(4)
    certified = [threshold_at(rng.random(200), 0.1, 0.9) for _ in range(2000)]
    # Uniform scores: the true false positive rate of a threshold is one minus it.
    violated = np.mean([1 - one.threshold > 0.1 for one in certified])
    assert violated == pytest.approx(certified[0].violation, abs=3 * sqrt(0.1 * 0.9 / 2000))
    assert violated <= 0.1


def test_too_few_rows_are_told_how_many_it_takes():
    for rows in (0, 1, 58):
        found = threshold_at(np.zeros(rows), 0.05, 0.95)
        assert (found.threshold, found.rank, found.violation) == (None, None, 1.0)
        assert found.reason == (
            f"a false positive rate of 0.05 cannot be certified with confidence 0.95 from {rows} negative rows:"
            " it takes 59"
        )
    assert threshold_at(np.zeros(59), 0.05, 0.95).threshold == 0.0


def test_a_bound_that_is_met_exactly_is_met():
    assert threshold_at(np.array([0.3, 0.7]), 0.5, 0.75).threshold == 0.7
