"""The t test on what units move a value: against Student's, against its own inversion, and in skewed data."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from heldout.intervals.unit_spread import (
    UnitSpread,
    effective_units,
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
    assert spread.df == pytest.approx(sizes.sum() ** 2 / np.sum(sizes**2) - 1)


def test_the_rarest_class_gives_the_degrees_of_freedom():
    sizes = np.stack([np.ones(60), np.r_[np.ones(4), np.zeros(56)]])
    assert spread_of_units(RNG.normal(size=60), sizes).df == pytest.approx(3)
    assert effective_units(np.zeros(3)) == np.inf


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
