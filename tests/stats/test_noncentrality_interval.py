from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import ive

from heldout.stats.noncentrality_interval import _chance_of_closer, _likeliest, _log_bessel, noncentrality


def chance_of_closer(x, df, c):
    """P(outcomes with a larger f(x; c) / max_c f(x; c) than x has), on a fine grid, from scipy's density."""
    outcomes = np.linspace(1e-4, 80, 1201)
    best = np.max([stats.ncx2.pdf(outcomes, df, one) for one in np.linspace(1e-9, 9, 60) ** 2], axis=0)
    ratio = stats.ncx2.pdf(outcomes, df, c) / best
    mine = np.interp(x, outcomes, ratio)
    return np.sum(stats.ncx2.pdf(outcomes, df, c) * (ratio > mine)) * (outcomes[1] - outcomes[0])


@pytest.mark.parametrize(("x", "df"), [(14.0, 3), (6.0, 3), (0.3, 1), (2.0, 4), (25.0, 1), (8.4, 3)])
def test_ends_are_where_the_order_of_outcomes_puts_them(x, df):
    low, high = noncentrality(x, df, 0.95)
    assert chance_of_closer(x, df, high) == pytest.approx(0.95, abs=6e-3)
    if low > 0:
        assert chance_of_closer(x, df, low) == pytest.approx(0.95, abs=6e-3)


@pytest.mark.parametrize("df", [1, 2, 7, 40, 150])
@pytest.mark.parametrize("level", [0.9, 0.99])
def test_zero_is_excluded_exactly_where_the_test_rejects(df, level):
    cut = stats.chi2.ppf(level, df)
    assert noncentrality(cut * 0.999, df, level)[0] == 0
    assert noncentrality(cut * 1.01, df, level)[0] > 0


@pytest.mark.parametrize(("x", "df"), [(0.0, 1), (0.0, 5), (1.0, 20), (30.0, 200), (0.0, 200)])
def test_a_fit_too_good_leaves_room(x, df):
    low, high = noncentrality(x, df, 0.95)
    assert low == 0 < high < 12 * np.sqrt(df)


def test_far_from_zero_it_is_normal():
    low, high = noncentrality(2e6, 2, 0.95)
    assert (low, high) == pytest.approx((2e6 - 1.96 * 2 * 2e6**0.5, 2e6 + 1.96 * 2 * 2e6**0.5), rel=1e-5)


def test_large_orders_go_over_into_their_expansion():
    below, above = noncentrality(160.0, 101.9, 0.95), noncentrality(160.0, 102.1, 0.95)
    assert below == pytest.approx(above, rel=0.02)


@pytest.mark.parametrize(("df", "c"), [(1, 2.0), (3, 1e-9), (10, 20.0)])
def test_intervals_hold(df, c):
    outcomes = stats.ncx2.ppf((np.arange(20) + 0.5) / 20, df, c)
    ends = [noncentrality(float(x), df, 0.8) for x in outcomes]
    assert np.mean([low <= c <= high for low, high in ends]) == pytest.approx(0.8, abs=0.051)


def test_a_statistic_that_is_no_number_says_nothing():
    assert noncentrality(np.nan, 3, 0.95) == noncentrality(np.inf, 3, 0.95) == (0.0, np.inf)


@pytest.mark.parametrize("order", [-0.5, 0.0, 1.5, 10.0])
def test_bessels_function_of_small_and_large_arguments(order):
    z = np.array([1e-6, 1e-4, 9e-4, 2e-3, 0.5, 1.0, 30.0])
    assert _log_bessel(order, z) == pytest.approx(np.log(ive(order, z)), abs=1e-10)


@pytest.mark.parametrize("df", [1, 4, 30])
def test_the_likeliest_noncentrality_is_where_the_density_is_largest(df):
    grid = np.linspace(0, 12, 4001) ** 2
    for x in (0.5 * df, 1.0 * df, 1.2 * df, 3.0 * df):
        best = grid[np.argmax(stats.ncx2.logpdf(x, df, np.maximum(grid, 1e-12)))]
        assert float(_likeliest(np.array([x]), df)[0]) == pytest.approx(best, abs=0.1)


def test_no_outcome_speaks_more_for_the_likeliest_value_than_the_one_seen():
    seen, df = 14.0, 3.0
    likeliest = _likeliest(seen, df)
    assert _chance_of_closer(seen, df, likeliest, likeliest) == 0.0
    assert 0 < _chance_of_closer(seen, df, likeliest + 3, likeliest) < 1
