"""The t test on what units move a value: against Student's, against its own inversion, and in skewed data."""

from __future__ import annotations

from math import inf, isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from heldout.intervals.unit_spread import (
    Carriers,
    UnitSpread,
    carriers,
    hidden_by_sizes,
    hidden_by_weights,
    hidden_in_sums,
    sizes_of_clusters,
    skew_adjusted_pvalue,
    skew_adjusted_t,
    spread_of_sums,
    spread_of_units,
)

RNG = np.random.default_rng(4)


def test_without_skewness_it_is_students_t():
    d = RNG.normal(0.3, 1, 40)
    d = np.concatenate([d, 2 * d.mean() - d])  # symmetric about its mean
    spread = spread_of_units((d - d.mean()) / len(d))
    reference = stats.ttest_1samp(d, 0)
    assert skew_adjusted_pvalue(d.mean(), spread) == pytest.approx(reference.pvalue, rel=1e-6)
    assert skew_adjusted_t(d.mean(), spread, 0.9) == pytest.approx(tuple(reference.confidence_interval(0.9)), rel=1e-6)


@given(
    t=st.floats(-8, 8),
    skewness=st.floats(-0.9, 0.9),
    df=st.floats(1, 1e6),
    level=st.sampled_from([0.8, 0.9, 0.95, 0.99]),
)
def test_the_p_value_and_the_interval_are_one_test(t, skewness, df, level):
    spread = UnitSpread(units=50, variance=0.25, skewness=skewness, df=df)
    p = skew_adjusted_pvalue(0.5 * t, spread)
    low, high = skew_adjusted_t(0.5 * t, spread, level)
    if abs(p - (1 - level)) > 1e-9:
        assert (p < 1 - level) == (not low <= 0 <= high)
    plain = UnitSpread(units=50, variance=0.25, df=df)
    assert p >= skew_adjusted_pvalue(0.5 * t, plain) * (1 - 1e-9)  # never less cautious than Student's
    mirrored = UnitSpread(units=50, variance=0.25, skewness=-skewness, df=df)
    assert p == pytest.approx(skew_adjusted_pvalue(-0.5 * t, mirrored), rel=1e-9)


def test_sums_tell_the_same_as_units():
    moved = RNG.exponential(size=30) / 30
    spread = spread_of_units(moved)
    same = spread_of_sums(30, moved.sum(), (moved**2).sum(), (moved**3).sum())
    assert (same.variance, same.skewness, same.df) == pytest.approx((spread.variance, spread.skewness, spread.df))
    assert spread.skewness == pytest.approx(stats.skew(moved) / np.sqrt(30))


def test_large_units_are_corrected_for_their_pull_on_a_ratio():
    """CR2 lies between what units seem to move a ratio and leaving out each (the jackknife, CR3)."""
    sizes, sums = np.array([1.0, 50.0, 8.0, 20.0, 3.0]), np.array([0.5, 45.0, 2.0, 10.0, 3.0])
    value = sums.sum() / sizes.sum()
    without = (sums.sum() - sums) / (sizes.sum() - sizes)
    spread = spread_of_units((sums - value * sizes) / sizes.sum(), sizes[None])
    moved = (sums - value * sizes) / np.sqrt(sizes.sum() * (sizes.sum() - sizes)) * np.sqrt(4 / 5)
    assert spread.variance == pytest.approx(5 / 4 * np.sum((moved - moved.mean()) ** 2))
    jackknife = 4 / 5 * np.sum((without - without.mean()) ** 2)
    assert spread_of_units((sums - value * sizes) / sizes.sum()).variance < spread.variance < jackknife


def test_one_kind_of_rows_has_the_degrees_of_freedom_of_its_units():
    found = carriers(np.array([4.0]), 60.0)
    assert (found.df, found.seen, found.fewest) == pytest.approx((3, 3 / 4, 4))
    assert not found.too_few
    assert carriers(np.array([2.9]), 60.0).too_few
    assert carriers(np.array([1.0]), 60.0) == Carriers(df=0.0, seen=0.0, fewest=1.0)


def test_where_many_units_carry_a_value_all_count():
    assert carriers(np.array([40.0, np.inf]), 60.0) == Carriers(df=59.0)
    assert carriers(np.array([np.inf]), 60.0) == carriers(np.zeros(0), 60.0) == Carriers(df=59.0)
    assert carriers(np.array([29.0]), 60.0).df == pytest.approx(28)


@pytest.mark.parametrize("units", [(3, 57), (6, 20, 20), (2, 10, 10, 10), (30, 20)])
def test_several_kinds_of_rows_are_joined_by_satterthwaites_rule(units):
    """Variances of means of m normal units each: the mean and the spread of their sum, in 20,000 draws."""
    rng = np.random.default_rng(len(units))
    variances = sum(np.var(rng.normal(size=(20_000, m)), axis=1) / m for m in units)  # as influence gives them
    truth = sum(1 / m for m in units)
    found = carriers(np.array(units, dtype=float), 1000.0)
    assert variances.mean() / truth == pytest.approx(found.seen, abs=0.02)
    assert 2 * variances.mean() ** 2 / variances.var() == pytest.approx(found.df, rel=0.05)


def test_a_class_in_one_unit_hides_its_variance():
    """Of four classes, one in 1 unit and three in 20: 87% of the variance of their mean is that of the one."""
    found = carriers(np.array([1.0, 20.0, 20.0, 20.0]), 61.0)
    assert found.seen == pytest.approx(0.95 * 0.15 / 1.15)
    assert found.too_few


def test_one_unit_gives_no_interval():
    spread = spread_of_units(np.array([0.0]))
    assert isnan(skew_adjusted_pvalue(0.1, spread))
    assert isnan(skew_adjusted_t(0.1, spread, 0.95)[0])


@pytest.mark.parametrize("n", [10, 15, 30])
def test_skewed_differences_are_not_rejected_too_often(n):
    """Gamma differences of mean 0, 4,000 times: Student's t rejects 8% to 14%; the claim is 6% and three errors."""
    rng = np.random.default_rng(n)
    d = rng.gamma(0.5, 2, (4000, n)) - 1
    spreads = [spread_of_units((one - one.mean()) / n) for one in d]
    ours = np.mean([skew_adjusted_pvalue(one.mean(), spread) < 0.05 for one, spread in zip(d, spreads, strict=True)])
    student = np.mean(stats.ttest_1samp(d, 0, axis=1).pvalue < 0.05)
    assert student > 0.07
    assert ours <= 0.06 + 3 * np.sqrt(0.06 * 0.94 / 4000)


def test_three_effective_units_are_enough_to_carry_a_value():
    assert not Carriers(df=2.0).too_few
    assert Carriers(df=1.999).too_few


def test_carriers_are_no_more_than_all_units():
    found = carriers(np.array([5.0]), 3.0)
    assert (found.df, found.seen, found.fewest) == (2.0, pytest.approx(0.8), 5.0)
    half = carriers(np.array([21.0]), 41.0)  # 20 degrees of freedom are half of 40
    assert (half.df, half.seen) == (40.0, 1.0)
    less = carriers(np.array([20.7]), 41.0)
    assert (less.df, less.fewest) == (pytest.approx(19.7), 20.7)
    few = carriers(np.array([1.5, 30.0]), 40.0)  # they show less than half: the fewest decide
    assert (few.df, few.fewest) == (pytest.approx(0.5), 1.5)


def test_one_unit_has_no_degrees_of_freedom():
    for found in (spread_of_units(np.array([0.3])), spread_of_sums(1, 0.3, 0.09, 0.027)):
        assert (found.df, isnan(found.variance)) == (0.0, True)


@pytest.mark.parametrize(("variance", "df"), [(0.04, 0.0), (0.0, 9.0), (inf, 9.0), (nan, 9.0)])
def test_without_degrees_of_freedom_or_a_finite_error_there_is_no_interval(variance, df):
    spread = UnitSpread(units=10, variance=variance, df=df)
    assert [isnan(end) for end in skew_adjusted_t(1.0, spread, 0.95)] == [True, True]
    assert isnan(skew_adjusted_pvalue(1.0, spread))


def test_two_units_have_a_variance():
    """Of two equal units that move a value by 1 and -1 the variance is 2 (1 + 1)."""
    assert spread_of_units(np.array([1.0, -1.0])).variance == pytest.approx(4.0)
    assert spread_of_units(np.array([1.0, -1.0]), np.array([[3.0, 3.0]])).variance == pytest.approx(4.0)
    # three quarters of the rows: divided by the root of 1/4, against the root of 1/2 for equal units
    moved = np.array([sqrt(0.5 / 0.25), -sqrt(0.5 / 0.75)])
    uneven = spread_of_units(np.array([1.0, -1.0]), np.array([[3.0, 1.0]]))
    assert uneven.variance == pytest.approx(2 * np.sum((moved - moved.mean()) ** 2))


def test_a_unit_pulls_by_its_largest_share_of_a_class():
    moved, sizes = np.array([0.3, -0.1, -0.2]), np.array([[1.0, 2.0, 1.0], [8.0, 1.0, 1.0]])
    pulled = moved * np.sqrt((2 / 3) / (1 - np.array([0.8, 0.5, 0.25])))
    want = 3 / 2 * np.sum((pulled - pulled.mean()) ** 2)
    assert spread_of_units(moved, sizes).variance == pytest.approx(want)
    assert spread_of_units(moved, sizes * 1e-3).variance == pytest.approx(want)  # of weights as well
    without = np.vstack([sizes, np.zeros(3)])  # a class that has no rows pulls nothing
    assert spread_of_units(moved, without).variance == pytest.approx(want)


@pytest.mark.parametrize("scale", [1e-70, 1e-140, 1e60])
def test_the_skewness_does_not_hang_on_the_scale(scale):
    moved = np.array([-1.0, -1.0, 5.0, -2.0, -1.0])
    found = spread_of_units(scale * moved).skewness
    want = stats.skew(moved) / np.sqrt(5)
    assert found == pytest.approx(0.0 if scale == 1e-140 else want)  # there the cube is below all numbers
    assert spread_of_units(np.zeros(5)).skewness == 0.0


def test_a_p_value_of_a_small_t_is_that_of_its_transformation():
    """With t = 0.8 and skewness -0.3, by hand: 0.8 - 0.3 * 0.64 / 3 + 0.09 * 0.512 / 27 - 0.05."""
    spread = UnitSpread(units=30, variance=0.04, skewness=-0.3, df=29)
    assert skew_adjusted_pvalue(0.16, spread) == pytest.approx(2 * stats.t.sf(0.8 - 0.064 + 0.0017066667 - 0.05, 29))


def exchangeable(moved, weights):
    """What rows would show if heavy rows moved the value as far as others, and how many effective rows know it."""
    u = moved / weights
    by_weight = np.average(u**2, weights=weights)
    kish = weights.sum() ** 2 / np.sum(weights**2)
    return np.sum(weights**2) * by_weight, kish * by_weight**2 / np.average(u**4, weights=weights)


def test_what_heavy_rows_may_not_show_counts_where_they_are_few():
    """Nine rows of weight 1 that move a value by 1, and one of weight 9 that does not: 1 / 2 of 90 instead of 9."""
    weights = np.r_[np.ones(9), 9.0]
    moved = np.r_[np.ones(9), 0.0]
    variance, effective = exchangeable(moved, weights)
    assert (variance, effective) == (pytest.approx(45.0), pytest.approx(1.8))
    assert hidden_by_weights(moved, weights) == pytest.approx((45.0 - 9.0) / (1 + 0.18**2))
    assert hidden_by_weights(moved[:2], weights[:2]) == 0.0  # rows of equal weight show all
    assert hidden_by_weights(np.r_[np.ones(9), 20.0], weights) == 0.0  # heavy rows move it more than others
    assert hidden_by_weights(np.zeros(3), np.array([1.0, 2.0, 0.0])) == 0.0
    assert hidden_by_weights(np.array([inf, 1.0]), np.array([1.0, 2.0])) == 0.0
    assert hidden_by_weights(np.array([nan, 1.0]), np.array([1.0, 2.0])) == 0.0


def test_what_rows_may_not_show_hangs_on_no_scale_and_no_row_of_weight_zero():
    rng = np.random.default_rng(2)
    weights, moved = rng.exponential(size=40), rng.normal(size=40)
    variance, effective = exchangeable(moved, weights)
    want = (variance - moved @ moved) / (1 + (effective / 10) ** 2)
    assert want > 0
    assert hidden_by_weights(moved, weights) == pytest.approx(want)
    assert hidden_by_weights(3 * moved, 100 * weights) == pytest.approx(9 * want)
    assert hidden_by_weights(np.r_[moved, 0.0], np.r_[weights, 0.0]) == pytest.approx(want)
    twice = hidden_by_weights(np.tile(moved, 2), np.tile(weights, 2))
    assert hidden_by_weights(moved, weights, np.full(40, 2.0)) == pytest.approx(twice)
    assert twice == pytest.approx(2 * want * (1 + (effective / 10) ** 2) / (1 + (effective / 5) ** 2))


def test_what_rows_may_not_show_from_sums():
    assert hidden_in_sums(10.0, 50.0, 2.0, 1.0, 4.0) == pytest.approx(6 / (1 + 0.08**2))
    assert hidden_in_sums(10.0, 50.0, 2.0, 1.0, 10.0) == 0.0
    for nothing in ((0.0, 1.0), (nan, 1.0), (2.0, 0.0), (2.0, inf), (2.0, nan)):
        assert hidden_in_sums(10.0, 50.0, *nothing, 4.0) == 0.0


def by_pairs(moved, sizes, squared, second):
    """What clusters may not show: variance between rows, and between pairs of rows of a cluster, by hand."""
    typical = second.sum() / sizes.sum()
    pairs = sizes**2 - squared
    together = np.sum((moved**2 - typical * squared) / sizes) / np.sum(pairs / sizes)
    together = np.clip(together, -typical / np.max(pairs / squared) / 2, typical)
    expected = typical * squared + together * pairs
    relative, root = moved**2 / expected, np.sqrt(expected)
    effective = root.sum() ** 2 / expected.sum() * np.average(relative, weights=root) ** 2
    effective /= np.average(relative**2, weights=root)
    return max(expected.sum() - moved @ moved, 0.0) / (1 + (effective / 10) ** 2)


def hidden(moved, *sums):
    """Of clusters whose rows are all of one class."""
    return hidden_by_sizes(moved, *sizes_of_clusters(*(part[None] for part in sums)))


SIZES = np.array([1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 20.0])
TURNS = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 0.1])


@pytest.mark.parametrize(
    "moved",
    [
        pytest.param(SIZES * TURNS, id="rows of a cluster move it together, those of the largest hardly"),
        pytest.param(np.sqrt(SIZES) * TURNS, id="in between"),
        pytest.param(0.1 * np.sqrt(SIZES) * TURNS, id="rows of a cluster cancel"),
        pytest.param(0.3 * np.sqrt(SIZES), id="they cancel in part"),
    ],
)
def test_what_large_clusters_may_not_show(moved):
    second = SIZES * 1.0
    want = by_pairs(moved, SIZES, SIZES, second)
    assert want > 0
    assert hidden(moved, SIZES, SIZES, second) == pytest.approx(want)
    empty = [np.r_[part, 0.0] for part in (moved, SIZES, SIZES, second)]
    assert hidden(*empty) == pytest.approx(want)
    # by other units of size and of value
    assert hidden(3 * moved, 7 * SIZES, 49 * SIZES, 9 / 7 * second) == pytest.approx(9 * want)


def test_clusters_of_one_row_are_rows():
    rng = np.random.default_rng(3)
    weights, moved = rng.exponential(size=30), rng.normal(size=30)
    found = hidden(moved, weights, weights**2, moved**2 / weights)
    assert found > 0
    assert found == pytest.approx(hidden_by_weights(moved, weights))


def test_clusters_of_equal_size_and_clusters_that_move_nothing_show_all():
    sizes, moved = np.full(4, 5.0), np.array([1.0, -1.0, 0.0, 0.0])
    assert hidden(moved, sizes, sizes, np.full(4, 9.0)) == 0.0
    assert hidden(np.zeros(9), SIZES, SIZES, np.zeros(9)) == 0.0
    assert hidden(np.zeros(9), SIZES, SIZES, np.full(9, inf)) == 0.0
    assert hidden(np.zeros(9), np.zeros(9), np.zeros(9), np.zeros(9)) == 0.0
    # rows that cancel in every cluster leave nothing known of pairs: half of what independent rows would move it
    small = np.array([2.0, 4.0])
    assert hidden(np.zeros(2), small, small, small) == pytest.approx(2 + 4 - (2 + 12) / 6)


def test_rows_of_different_classes_move_a_value_differently():
    """A cluster with rows of both classes: each by what its class moves, and together by the product."""
    weights = np.array([[2.0, 0.0, 1.0], [3.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    squared, second = weights**2 / 2, np.array([[4.0, 0.0, 8.0], [0.5, 1.25, 0.0], [0.0, 0.0, 0.0]])
    sizes, alone = sizes_of_clusters(weights, squared, second)
    assert sizes == pytest.approx(2.0 * weights[0] + 0.5 * weights[1])  # mean squares of 12 / 3 and 1.75 / 7
    assert alone == pytest.approx(4.0 * squared[0] + 0.25 * squared[1])
