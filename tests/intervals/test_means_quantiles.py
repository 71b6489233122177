from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binom

from heldout.intervals.means import exceedance, quantile


def test_median_of_ten() -> None:
    assert quantile(np.arange(1, 11), 0.5, 0.95) == ((2.0, 9.0), pytest.approx(1 - 22 / 1024))


def test_median_of_five_has_the_extremes_and_says_so() -> None:
    assert quantile(np.arange(1, 6), 0.5, 0.95) == ((1.0, 5.0), pytest.approx(1 - 2 / 32))


def test_one_value_and_none() -> None:
    for values, chance in ((np.array([3.0]), 0.0), (np.array([]), None)):
        interval, said = quantile(values, 0.5, 0.95)
        assert all(map(isnan, interval))
        assert isnan(said) if chance is None else said == chance


def test_ties_may_give_a_point() -> None:
    assert quantile(np.zeros(100), 0.5, 0.95)[0] == (0.0, 0.0)


@settings(deadline=None)
@given(st.integers(2, 400), st.sampled_from([0.05, 0.5, 0.9, 0.99]), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_ranks_are_the_narrowest_with_these_tails(n: int, q: float, level: float) -> None:
    (low, high), chance = quantile(np.arange(1, n + 1), q, level)
    if isnan(low):
        assert chance == 0.0
        return
    first, last, tail = int(low), int(high), (1 - level) / 2 + 1e-12
    assert chance == pytest.approx(binom.cdf(last - 1, n, q) - binom.cdf(first - 1, n, q), abs=1e-10)
    assert first == 1 or binom.cdf(first - 1, n, q) <= tail
    assert first == n or binom.cdf(first, n, q) > tail - 2e-12
    assert last == n or binom.sf(last - 1, n, q) <= tail
    assert last == 1 or binom.sf(last - 2, n, q) > tail - 2e-12
    if first > 1 and last < n:
        assert chance >= level - 1e-9


def test_a_million_values() -> None:
    (low, high), chance = quantile(np.arange(1_000_000), 0.5, 0.95)
    assert low == pytest.approx(500_000 - 1.96 * 500, abs=3)
    assert high == pytest.approx(500_000 + 1.96 * 500, abs=3)
    assert 0.95 <= chance < 0.951


@pytest.mark.simulation
def test_measured_coverage_is_the_one_said() -> None:
    rng = np.random.default_rng(1)
    samples = np.sort(rng.exponential(size=(4000, 25)), axis=1)
    (first, last), chance = quantile(np.arange(25), 0.5, 0.9)
    held = (samples[:, int(first)] <= np.log(2)) & (np.log(2) <= samples[:, int(last)])
    assert held.mean() == pytest.approx(chance, abs=0.015)


def test_exceedance() -> None:
    assert exceedance(30, 0.95) == pytest.approx(0.0950, abs=5e-5)
    assert exceedance(100, 0.95) == pytest.approx(0.0295, abs=5e-5)
    assert exceedance(1, 0.95) == pytest.approx(0.95)
    assert exceedance(0, 0.95) == 1.0
    assert exceedance(10**9, 0.95) == pytest.approx(np.log(20) / 10**9, rel=1e-6)
