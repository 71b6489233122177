"""Means of rows that take one of a few known values, and other edges of intervals of means."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import optimize, stats

from heldout.intervals.means import _counts, bootstrap_t, mean_of_counts, mean_of_values, quantile
from heldout.intervals.shares import effective_wilson, wilson

COSTS = np.array([0.0, 1.0, 5.0])


@pytest.mark.parametrize(("move", "scale"), [(3.0, 1.0), (-7.0, 0.01), (0.0, 100.0)])
def test_values_that_are_moved_and_scaled_move_and_scale_the_interval(move, scale):
    for mean, variance in ((0.0, 0.0), (0.35, 0.0113), (4.9, 0.0004), (5.0, 0.0), (2.0, 0.2)):
        low, high = mean_of_values(mean, variance, 100, COSTS, 0.9)
        found = mean_of_values(move + scale * mean, scale**2 * variance, 100, move + scale * COSTS, 0.9)
        assert found == pytest.approx((move + scale * low, move + scale * high))
    for counts in ([9, 3, 0], [98, 2, 0], [5, 5, 5], [0, 0, 7], [0, 4, 7]):
        low, high = mean_of_counts(np.array(counts), COSTS, 0.9)
        found = mean_of_counts(np.array(counts), move + scale * COSTS, 0.9)
        assert found == pytest.approx((move + scale * low, move + scale * high))
        turned = mean_of_counts(np.array(counts)[::-1], -COSTS[::-1], 0.9)
        assert turned == pytest.approx((-high, -low))


def test_two_values_have_wilsons_interval():
    low, high = wilson(3, 12, 0.8)
    assert mean_of_counts(np.array([9, 3]), np.array([2.0, 6.0]), 0.8) == pytest.approx((2 + 4 * low, 2 + 4 * high))


def test_a_spread_between_many_values_has_the_normal_interval():
    """With very many rows that take all values, half a row more at each changes nothing."""
    rng = np.random.default_rng(1)
    rows = rng.choice(COSTS, 200_000, p=[0.5, 0.3, 0.2])
    variance = float(rows.var()) / len(rows)
    want = stats.norm.interval(0.9, rows.mean(), sqrt(variance))
    assert mean_of_values(float(rows.mean()), variance, len(rows), COSTS, 0.9) == pytest.approx(want, rel=1e-3)
    counts = np.array([np.sum(rows == cost) for cost in COSTS])
    assert mean_of_counts(counts, COSTS, 0.9) == pytest.approx(want, rel=1e-3)
    wide = mean_of_values(float(rows.mean()), 4 * variance, len(rows), COSTS, 0.9)  # as of clustered rows
    assert wide == pytest.approx(stats.norm.interval(0.9, rows.mean(), 2 * sqrt(variance)), rel=1e-3)


def test_half_a_row_is_added_at_every_value_and_five_rows_at_most():
    """Ten rows at 0 of 0..k: the share and the variance that (k + 1) / 2 rows more, spread evenly, would give."""
    for k in (1, 4, 9, 30):
        values = np.arange(k + 1.0)
        more = min((k + 1) / 2, 5.0)
        share, square = more * 0.5 / (10 + more), more * np.mean((values / k) ** 2) / (10 + more)
        trials = 10 * share * (1 - share) / (square - share**2)
        assert mean_of_values(0.0, 0.0, 10, values, 0.95) == pytest.approx((0.0, k * wilson(0.0, trials)[1]))


def likeliest_variance(counts, values, mean):
    """The variance of the likeliest law of three values with this mean, by a search along its one free chance."""
    a, b, c = values
    # chances p of the middle value; the others follow from the mean
    p = np.linspace(0, 1, 400_001)
    top = (mean - a - p * (b - a)) / (c - a)
    rest = 1 - p - top
    kept = (top >= 0) & (rest >= 0)
    chances = np.column_stack([rest, p, top])[kept]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(counts > 0, counts * np.log(chances), 0.0).sum(axis=1)
    best = chances[np.argmax(logs)]
    return float(best @ (np.asarray(values) - mean) ** 2)


@pytest.mark.parametrize("counts", [[98, 2, 0], [90, 8, 2]])
def test_the_upper_end_solves_the_score_equation_of_the_likeliest_law(counts):
    counts, values = np.array(counts), np.array([0.0, 1.0, 50.0])
    high = mean_of_counts(counts, values, 0.95)[1]
    mean, n = counts @ values / counts.sum(), counts.sum()
    wide = mean_of_values(mean, float(counts @ (values - mean) ** 2) / n**2, n, values, 0.95)[1]
    assert high > wide  # so that the score equation decides
    likeliest = likeliest_variance(counts, values, high)
    assert n * (mean - high) ** 2 == pytest.approx(stats.norm.ppf(0.975) ** 2 * likeliest, rel=1e-3)


@pytest.mark.parametrize(("n", "q"), [(1, 0.5), (2, 0.5), (9, 0.5), (12, 0.1), (12, 0.9), (40, 0.25)])
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_ranks_of_a_quantile_by_adding_up_chances(n, q, level):
    """l is the largest rank with P(X < l) <= tail and u the least with P(X >= u) <= tail; the extremes stand in."""
    chances, tail = stats.binom.pmf(np.arange(n + 1), n, q), (1 - level) / 2
    lower = [rank for rank in range(1, n + 1) if chances[:rank].sum() <= tail + 1e-12]
    upper = [rank for rank in range(1, n + 1) if chances[rank:].sum() <= tail + 1e-12]
    first, last = max(lower, default=1), min(upper, default=n)
    (low, high), chance = quantile(np.arange(1.0, n + 1), q, level)
    if first == last:
        assert (np.isnan(low), chance) == (True, 0.0)
    else:
        assert (low, high) == (first, last)
        assert chance == pytest.approx(chances[first:last].sum())


@pytest.mark.parametrize("scale", [1e-40, 1e40])
def test_a_scale_does_not_make_or_remove_an_interval(scale):
    values = np.random.default_rng(3).exponential(size=15)
    (low, high), _ = bootstrap_t(values, np.ones(15), 0.95, draws=200, rng=np.random.default_rng(1))
    found, _ = bootstrap_t(scale * values, np.ones(15), 0.95, draws=200, rng=np.random.default_rng(1))
    assert found == pytest.approx((scale * low, scale * high))
    alike = scale * np.array([0.3, 0.1 + 0.2] * 5)
    rounded, _ = bootstrap_t(alike, np.ones(10), 0.95, draws=9, rng=np.random.default_rng(1))
    assert np.isnan(rounded).all()


def test_what_is_turned_round_has_the_interval_turned_round():
    rng = np.random.default_rng(4)
    values, sizes = rng.exponential(size=30) - 0.3, rng.integers(1, 9, 30).astype(float)
    (low, high), dropped = bootstrap_t(values, sizes, 0.95, draws=300, rng=np.random.default_rng(1))
    assert values.sum() > 0
    turned, missing = bootstrap_t(-values, sizes, 0.95, draws=300, rng=np.random.default_rng(1))
    assert (turned, missing) == (pytest.approx((-high, -low), rel=1e-12), dropped)
    order = rng.permutation(30)
    mixed, _ = bootstrap_t(values[order], sizes[order], 0.95, draws=300, rng=np.random.default_rng(1))
    assert mixed == pytest.approx((low, high))
    same = np.repeat(values[:10], 3)  # ties in the values: the sizes break them
    found = bootstrap_t(same, sizes, 0.95, draws=300, rng=np.random.default_rng(1))[0]
    mixed, _ = bootstrap_t(same[order], sizes[order], 0.95, draws=300, rng=np.random.default_rng(1))
    assert mixed == pytest.approx(found)


def test_resamples_without_any_denominator_are_dropped():
    values, sizes = np.arange(6.0), np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    (low, high), dropped = bootstrap_t(values, sizes, 0.9, draws=500, rng=np.random.default_rng(1))
    assert dropped == pytest.approx(500 * (4 / 6) ** 6, abs=40)  # none of six draws has one
    assert low < values.sum() / 2 < high


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937])
@pytest.mark.parametrize("units", [100, 101])
def test_counts_are_those_of_the_generator_whichever_it_is(bits, units):
    ours, plain = np.random.Generator(bits(5)), np.random.Generator(bits(5))
    for _ in range(2):
        assert np.array_equal(_counts(units, 7, ours), plain.multinomial(units, np.full(units, 1 / units), size=7))


def variance_of_law(counts, values, mean):
    """The variance of the likeliest law of these values with this mean: p ~ count / (1 + k (value - mean)) [owen88]."""
    shares, apart = counts / counts.sum(), values - mean
    ends = -1 / apart.max() * (1 - 1e-12), -1 / apart.min() * (1 - 1e-12)
    k = optimize.brentq(lambda k: np.sum(shares * apart / (1 + k * apart)), *ends, xtol=1e-15)
    chances = shares / (1 + k * apart)
    assert chances.sum() == pytest.approx(1.0)
    return float(chances @ apart**2)


@pytest.mark.parametrize("counts", [(60, 30, 10), (5, 5, 5), (10, 80, 10), (2, 3, 40)])
def test_the_ends_of_a_score_interval_by_the_likeliest_law(counts):
    """n (mean - m)^2 = z^2 variance(m) beyond the mean; where effective-n Wilson is wider, its end holds."""
    counts = np.array(counts)
    n, mean = counts.sum(), counts @ COSTS / counts.sum()

    def outside(m):
        return n * (mean - m) ** 2 - stats.norm.ppf(0.975) ** 2 * variance_of_law(counts, COSTS, m)

    variance = float(counts @ (COSTS - mean) ** 2) / n**2
    wide = mean_of_values(mean, variance, n, COSTS, 0.95)
    low, high = mean_of_counts(counts, COSTS, 0.95)
    assert high == pytest.approx(max(wide[1], optimize.brentq(outside, mean, 5 - 1e-6)))
    assert low == pytest.approx(min(wide[0], optimize.brentq(outside, 1e-6, mean)))


def test_the_variance_of_the_rows_holds_where_half_a_row_more_would_lower_it():
    counts, values = np.array([18, 14, 86]), np.array([0.0, 5.0, 50.0])
    mean = counts @ values / 118
    variance = float(counts @ (values - mean) ** 2) / 118**2
    low, high = effective_wilson(mean / 50, variance / 50**2, 0.95, at_edge=118)
    assert mean_of_values(mean, variance, 118, values, 0.95) == pytest.approx((50 * low, 50 * high), rel=1e-9)


def test_numbers_that_differ_in_their_last_digits_only_still_differ():
    losses = 1 + 1e-8 * np.random.default_rng(3).normal(size=30)
    (low, high), _ = bootstrap_t(losses, np.ones(30), 0.95, draws=200, rng=np.random.default_rng(1))
    assert 0 < high - low < 1e-7


def test_the_order_of_units_with_equal_numerators_does_not_matter():
    rng = np.random.default_rng(4)
    numerators, denominators = np.tile([1.0, -1.0], 10), rng.uniform(1, 3, 20)
    order = rng.permutation(20)
    one, other = (
        bootstrap_t(numerators[rows], denominators[rows], 0.9, draws=200, rng=np.random.default_rng(1))[0]
        for rows in (np.arange(20), order)
    )
    assert one == pytest.approx(other)


def test_rows_that_all_take_a_value_in_the_middle():
    """All 100 rows cost 1 of 0, 1 or 5: what half a row more at each value would vary by is all that is known."""
    places, more = COSTS / 5, 1.5
    middle = (100 * 0.2 + more * places.mean()) / 101.5
    square = (100 * 0.2**2 + more * np.mean(places**2)) / 101.5
    trials = 100 * middle * (1 - middle) / (square - middle**2)
    low, high = wilson(0.2 * trials, trials, 0.95)
    assert mean_of_values(1.0, 0.0, 100, COSTS, 0.95) == pytest.approx((5 * low, 5 * high))
