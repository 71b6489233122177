from __future__ import annotations

from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import bootstrap, norm

from heldout.intervals.resampling import basic, bca, percentile, unresolved

DRAWN = np.random.default_rng(5).gamma(3, size=999)
SKEWED = np.random.default_rng(6).gamma(0.5, size=20) - 0.5


def test_percentile_takes_ranks_of_b_plus_1() -> None:
    ordered = np.sort(DRAWN)
    assert percentile(DRAWN, 0.95) == (ordered[24], ordered[974])  # ranks 25 and 975 of 999, as R's boot
    assert percentile(DRAWN, 0.90) == (ordered[49], ordered[949])


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_percentile_as_numpys_weibull(drawn: list[float], level: float) -> None:
    expected = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], method="weibull")
    assert percentile(np.array(drawn), level) == pytest.approx(expected, rel=1e-7, abs=1e-2 * 1e-7)


def test_nan_draws_are_left_out() -> None:
    holes = np.insert(DRAWN, [0, 10, 999], nan)
    value = float(np.median(DRAWN))
    assert percentile(holes, 0.95) == percentile(DRAWN, 0.95)
    assert basic(value, holes, 0.95) == basic(value, DRAWN, 0.95)
    assert bca(value, holes, SKEWED, 0.95) == bca(value, DRAWN, SKEWED, 0.95)


@pytest.mark.parametrize("drawn", [np.array([]), np.array([nan, nan])])
def test_without_draws_there_is_no_interval(drawn: np.ndarray) -> None:
    assert all(map(isnan, percentile(drawn, 0.95)))
    assert all(map(isnan, basic(1.0, drawn, 0.95)))
    assert all(map(isnan, bca(1.0, drawn, SKEWED, 0.95)))


def test_infinite_draws_stay_infinite() -> None:
    drawn = np.concatenate([np.arange(90.0), np.full(10, inf)])
    assert percentile(drawn, 0.9) == (pytest.approx(4.05), inf)
    assert bca(45.0, drawn, SKEWED, 0.95)[1] == inf
    assert percentile(-drawn, 0.9) == (-inf, pytest.approx(-4.05))


def test_basic_turns_the_percentiles_round_the_value() -> None:
    low, high = percentile(DRAWN, 0.95)
    assert basic(3.0, DRAWN, 0.95) == (6.0 - high, 6.0 - low)


def test_bca_by_hand() -> None:
    value = float(np.sort(DRAWN)[599])  # 599 below, itself a tie: share 0.6
    bias = norm.ppf(599.5 / 999)
    acceleration = (SKEWED**3).sum() / (6 * (SKEWED**2).sum() ** 1.5)
    steps = bias + norm.ppf([0.025, 0.975])
    shares = norm.cdf(bias + steps / (1 - acceleration * steps))
    expected = np.quantile(DRAWN, shares, method="weibull")
    assert abs(acceleration) > 0.01
    assert bca(value, DRAWN, SKEWED, 0.95) == pytest.approx(expected, rel=1e-9)


def test_bca_does_not_depend_on_the_scale_of_the_influence() -> None:
    assert bca(3.0, DRAWN, 1000 * SKEWED, 0.95) == pytest.approx(bca(3.0, DRAWN, SKEWED, 0.95), rel=1e-12)


def test_bca_agrees_with_scipy_on_the_mean() -> None:
    values = np.random.default_rng(8).exponential(size=40)
    found = bootstrap((values,), np.mean, n_resamples=9999, method="BCa", rng=np.random.default_rng(1))
    got = bca(values.mean(), found.bootstrap_distribution, values - values.mean(), 0.95)
    assert got == pytest.approx(tuple(found.confidence_interval), abs=2e-3)


def test_bca_with_all_draws_on_one_side_is_the_percentile_interval() -> None:
    for value in (-1.0, 1e9):
        assert bca(value, DRAWN, SKEWED, 0.95) == percentile(DRAWN, 0.95)


def test_bca_without_influence_corrects_the_bias_only() -> None:
    value = float(np.median(DRAWN))
    for influence in (np.zeros(20), np.array([])):
        assert bca(value, DRAWN, influence, 0.95) == pytest.approx(percentile(DRAWN, 0.95), abs=1e-6)


def test_draws_that_differ_from_the_value_by_rounding_are_ties_also_where_most_are() -> None:
    """Two models that agree in most resamples: which one comes first must not matter."""
    rounding = np.tile([1e-17, 1e-17, -1e-17], 200)
    drawn = np.concatenate([rounding, np.linspace(-1, 2, 300)])
    exact = np.where(np.abs(drawn) < 1e-15, 0.0, drawn)
    low, high = bca(0.0, drawn, SKEWED, 0.95)
    assert (low, high) == bca(0.0, exact, SKEWED, 0.95)
    assert bca(0.0, -drawn, -SKEWED, 0.95) == pytest.approx((-high, -low), rel=1e-12)


def test_bca_does_not_depend_on_the_scale_of_small_influences() -> None:
    value = float(np.median(DRAWN)) + 0.3
    assert bca(value, DRAWN, 1e-9 * SKEWED, 0.95) == pytest.approx(bca(value, DRAWN, SKEWED, 0.95))


def test_bca_beyond_the_pole_takes_the_extreme_draw() -> None:
    value = float(np.quantile(DRAWN, 0.999))
    lone = np.array([1.0, 0.0, 0.0])  # acceleration 1/6, the largest there is
    assert bca(value, DRAWN, lone, 0.9999)[1] == DRAWN.max()
    assert bca(-value, -DRAWN, -lone, 0.9999)[0] == -DRAWN.max()


@pytest.mark.parametrize(("level", "needed"), [(0.95, 39), (0.9, 19), (0.97, 66), (0.985, 133), (0.99, 199)])
def test_a_level_is_resolved_by_two_over_its_error_less_one(level, needed):
    """The outermost of B draws has the rank 1 of B + 1: (1 - level) / 2 is at least 1 / (B + 1)."""
    assert unresolved(needed, level) == ()
    (note,) = unresolved(needed - 1, level)
    assert note == (
        f"{needed - 1} resamples cannot resolve the level {100 * level:g}%: the interval ends at their extremes; "
        f"take {needed} or more"
    )
