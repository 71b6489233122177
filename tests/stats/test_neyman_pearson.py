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
        assert (found.violation, found.reason) == (pytest.approx(bound[0]), "")
        assert found.threshold == np.nextafter(found.rank - 1, n)


def test_B8_the_certified_rate_holds_with_the_stated_confidence():
    rng = np.random.default_rng(4)
    certified = [threshold_at(rng.random(200), 0.1, 0.9) for _ in range(2000)]
    # Uniform scores: the true false positive rate of a threshold is one minus it.
    violated = np.mean([1 - one.threshold > 0.1 for one in certified])
    assert violated == pytest.approx(certified[0].violation, abs=3 * sqrt(0.1 * 0.9 / 2000))
    assert violated <= 0.1


@pytest.mark.parametrize("rate", [0, 5e-324, 1e-320, 1e-17, 1e-16])
def test_a_rate_near_zero_takes_more_rows_than_any_data_has(rate):
    assert threshold_at(np.arange(20), rate).reason.endswith("from 20 negative rows: it takes more than any data has")


def test_too_few_rows_are_told_how_many_it_takes():
    for rows in (0, 1, 58):
        found = threshold_at(np.zeros(rows), 0.05, 0.95)
        assert (found.threshold, found.rank, found.violation) == (None, None, 1.0)
        assert found.reason == (
            f"a false positive rate of 0.05 cannot be certified with confidence 0.95 from {rows} negative rows:"
            " it takes 59"
        )
    assert threshold_at(np.zeros(59), 0.05, 0.95).threshold == np.nextafter(0.0, 1.0)


def test_a_bound_that_is_met_exactly_is_met():
    assert threshold_at(np.array([0.3, 0.7]), 0.5, 0.75).threshold == np.nextafter(0.7, 1.0)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_the_certified_rate_holds_with_tied_scores(precision):
    """Scores in steps of a tenth: as many rows tie with the threshold as decide whether the rate is kept."""
    population = np.round(np.random.default_rng(0).beta(2, 4, 100_000), 1).astype(precision)
    rng = np.random.default_rng(5)
    violated = 0
    for _ in range(300):
        threshold = threshold_at(rng.choice(population, 200), 0.1).threshold
        violated += np.mean(population >= threshold) > 0.1
    assert violated / 300 <= 0.05


def test_the_threshold_is_the_next_number_above_the_score_of_that_rank():
    scores = np.random.default_rng(8).random(2000)
    found = threshold_at(scores, 0.1)
    assert found.threshold == np.nextafter(np.sort(scores)[found.rank - 1], 2.0)
    single = scores.astype(np.float32)
    assert threshold_at(single, 0.1).threshold == np.nextafter(np.sort(single)[found.rank - 1], np.float32(2))


@pytest.mark.parametrize("seed", [1, 283, 468])  # in two of them a partition at another rank is another one
def test_the_threshold_is_just_above_the_score_of_its_rank_in_any_order(seed):
    scores = np.random.default_rng(seed).normal(size=1000)
    found = threshold_at(scores, 0.1)
    assert found.threshold == np.nextafter(np.sort(scores)[found.rank - 1], np.inf)
