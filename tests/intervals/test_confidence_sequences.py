"""Confidence sequences: false verdicts over many looks, agreement of interval and p-value, order of rows."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from scipy.stats import binom

from heldout.intervals import confidence_sequences as module
from heldout.intervals.confidence_sequences import (
    FRACTIONS,
    SHARES,
    asymptotic,
    asymptotic_pvalue,
    begins_at,
    betting,
    betting_pvalue,
    price,
)

LOOKS = np.arange(50, 5050, 5)
"""A thousand looks."""
REPEATS = 300


def rare(rng, shape):
    u = rng.random(shape)
    return np.where(u < 0.01, 1.0, np.where(u < 0.02, -1.0, 0.0))


def often(rng, shape):
    u = rng.random(shape)
    return np.where(u < 0.2, 1.0, np.where(u < 0.4, -1.0, 0.0))


def brier(rng, shape):
    return rng.beta(1, 6, shape) - rng.beta(1, 6, shape)


def one_sided(rng, shape):
    """Many small gains, and a large loss in 2% of the rows."""
    return np.where(rng.random(shape) < 0.02, -0.98, 0.02)


def wealth_at_looks(rows, side):
    """The logarithm of the wealth at every look, from one sample."""
    values = np.unique(rows)
    if len(values) < 4:  # then counts tell all
        counts = np.stack([np.cumsum(rows == value)[LOOKS - 1] for value in values])
        each = np.log1p(np.multiply.outer(FRACTIONS, side * values)) @ counts
    else:
        each = np.cumsum(np.log1p(np.multiply.outer(FRACTIONS, side * rows)), axis=1)[:, LOOKS - 1]
    most = each.max(axis=0)
    return np.log(SHARES @ np.exp(each - most)) + most


@pytest.mark.parametrize("world", [rare, often, brier, one_sided])
def test_a_thousand_looks_at_bounded_differences_give_a_false_verdict_at_most_in_5_of_100(world):
    rng, false = np.random.default_rng(11), 0
    repeats = 100 if world is brier else REPEATS
    for _ in range(repeats):
        rows = world(rng, LOOKS[-1])
        false += max(float(wealth_at_looks(rows, side).max()) for side in (1, -1)) >= np.log(2 / 0.05)
    assert false <= binom.ppf(0.999, repeats, 0.05)


def test_the_p_value_is_one_over_the_wealth():
    rows = one_sided(np.random.default_rng(3), 700)
    wealth = [float(np.prod(1 + np.multiply.outer(FRACTIONS, side * rows), axis=1) @ SHARES) for side in (1, -1)]
    assert betting_pvalue(rows) == pytest.approx(min(1.0, 2 / max(wealth)))


def lognormal(rng, shape):
    return rng.lognormal(size=shape) - sqrt(np.e)


def zero_inflated(rng, shape):
    return (rng.random(shape) < 0.1) * rng.exponential(size=shape) - 0.1


def squared(rng, shape):
    """Squared errors of a model that is far off in a tenth of the rows."""
    return rng.normal(size=shape) ** 2 * np.where(rng.random(shape) < 0.1, 5.5, 0.5) - 1


def symmetric(rng, shape):
    return rng.lognormal(size=shape) - rng.lognormal(size=shape)


@pytest.mark.parametrize("world", [symmetric, lognormal, zero_inflated, squared])
def test_a_thousand_looks_at_skewed_losses_give_a_false_verdict_at_most_in_5_of_100(world):
    rng, false = np.random.default_rng(12), 0
    n = LOOKS.astype(float)
    for _ in range(REPEATS):
        rows = world(rng, LOOKS[-1])
        first, second, third = (np.cumsum(rows**power)[LOOKS - 1] / n for power in (1, 2, 3))
        variance = second - first**2
        skewness = (third - 3 * first * second + 2 * first**3) / variance**1.5
        errors = np.sqrt(variance / (n - 1))
        far = np.flatnonzero(np.abs(first) > 2.9 * errors)  # nearer than that, no look is significant
        false += any(
            asymptotic_pvalue(first[at], errors[at], int(LOOKS[at]), skewness[at]) < 0.05 for at in far.tolist()
        )
    assert false <= binom.ppf(0.999, REPEATS, 0.05)


def test_no_look_is_significant_within_29_standard_errors():
    assert all(asymptotic_pvalue(2.9, 1.0, units, 0.0) > 0.05 for units in (100, 500, 1000, 2000, 10_000))


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("shift", [0.0, 0.05, 0.11, 0.3])
def test_the_interval_leaves_out_zero_just_where_the_p_value_is_small(level, shift):
    rows = np.clip(brier(np.random.default_rng(4), 200) + shift, -1, 1)
    low, high = betting(rows, level)
    assert (betting_pvalue(rows) < 1 - level) == (not low <= 0 <= high)
    error, skewness = float(np.std(rows, ddof=1)) / sqrt(200), 1.7
    low, high = asymptotic(float(rows.mean()), error, 200, skewness, level)
    assert (asymptotic_pvalue(float(rows.mean()), error, 200, skewness) < 1 - level) == (not low <= 0 <= high)


def test_the_order_of_rows_changes_nothing():
    rng = np.random.default_rng(5)
    rows = one_sided(rng, 400)
    assert betting(rows, 0.95) == betting(np.sort(rows), 0.95) == betting(rng.permutation(rows), 0.95)


def test_swapped_models_mirror_the_interval():
    rows = one_sided(np.random.default_rng(6), 300)
    low, high = betting(rows, 0.95)
    assert betting(-rows, 0.95) == pytest.approx((-high, -low))
    assert betting(3 * rows, 0.95, span=3.0) == pytest.approx((3 * low, 3 * high))
    assert betting_pvalue(rows) == betting_pvalue(-rows) == pytest.approx(betting_pvalue(3 * rows, span=3.0))
    assert betting_pvalue(rows + 0.3) == betting_pvalue(-rows - 0.3) < 1e-6


def test_very_many_distinct_differences_are_rounded_to_the_safe_side():
    rows = brier(np.random.default_rng(7), 70_000)
    low, high = betting(rows, 0.95)
    some_low, some_high = betting(np.round(rows, 4), 0.95)  # few distinct values, nearly the same rows
    assert low == pytest.approx(some_low, abs=1e-4)
    assert high == pytest.approx(some_high, abs=1e-4)
    assert low < rows.mean() < high


def test_values_are_rounded_down_where_there_are_more_than_are_kept_apart(monkeypatch):
    monkeypatch.setattr(module, "AT_MOST", 17)
    values = np.append(np.random.default_rng(8).uniform(-1, 1, 15), [-1.5, 1.5])
    distinct, counts = module._counted(values)
    assert (distinct.tolist(), counts.tolist()) == (sorted(np.clip(values, -1, 1)), [1] * 17)
    more = np.append(values, [0.26, 0.26])
    rounded, counts = module._counted(more)
    want = np.unique(np.floor(8 * np.clip(more, -1, 1)) / 8, return_counts=True)
    assert (rounded.tolist(), counts.tolist()) == (want[0].tolist(), want[1].tolist())


def test_one_row_above_the_lowest_among_very_many_bounds_nothing():
    assert betting(np.append(np.full(1_000_000, -1.0), -0.5), 0.95)[0] == -1.0


def test_identical_predictions_have_an_interval_that_shrinks_with_the_rows():
    wide, narrow = (betting(np.zeros(n), 0.95)[1] for n in (100, 1000))
    assert betting(np.zeros(100), 0.95) == pytest.approx((-wide, wide))
    assert 0.05 < wide < 0.1
    assert narrow == pytest.approx(wide / 10, rel=0.2)
    assert betting_pvalue(np.zeros(100)) == 1.0


def test_extremes_stay_within_the_span():
    assert betting(np.ones(5), 0.95)[1] == 1.0
    low, high = betting(-np.ones(50), 0.95)
    assert (low, high < -0.5) == (-1.0, True)


def test_an_asymptotic_sequence_begins_later_where_units_are_skewed():
    assert asymptotic(0.1, 0.01, 99, 0.0, 0.95) == (-inf, inf)
    assert asymptotic_pvalue(0.1, 0.01, 99, 0.0) == 1.0
    assert asymptotic(0.1, 0.01, 300, 8.0, 0.95) == (-inf, inf)
    assert begins_at(-8.0) == 320.0
    low, high = asymptotic(0.1, 0.01, 400, 8.0, 0.95)
    plain_low, plain_high = asymptotic(0.1, 0.01, 400, 0.0, 0.95)
    assert low <= plain_low
    assert high > plain_high
    assert asymptotic(0.1, 0.0, 400, 0.0, 0.95) == (-inf, inf)


@pytest.mark.parametrize("skewness", [-3.0, -0.5, -1e-9, 0.0, 1e-9, 0.4, 2.5, 4.4])
@pytest.mark.parametrize("units", [100, 330, 5000])
def test_the_interval_at_the_level_of_the_p_value_ends_at_zero(skewness, units):
    """Both rest on the same boundary, the p-value by Hall's transformation and the interval by its inverse."""
    for value in (0.15, 0.22, 0.3, 0.42, -0.15, -0.3):
        error = 1 / sqrt(units) * 0.9
        p = asymptotic_pvalue(value * 3 / sqrt(units) ** 0.5, error, units, skewness)
        if units < begins_at(skewness) or not 1e-12 < p < 1:
            continue
        ends = asymptotic(value * 3 / sqrt(units) ** 0.5, error, units, skewness, 1 - p)
        assert min(map(abs, ends)) == pytest.approx(0, abs=1e-6)
        assert ends[0] < value * 3 / sqrt(units) ** 0.5 < ends[1]


@pytest.mark.parametrize("skewness", [-3.0, -0.5, 1e-7, 0.4, 2.5])
def test_halls_transformation_undoes_its_inverse(skewness):
    for scaled in (-0.4, -0.1, 0.05, 0.3):
        found = module._unskewed(scaled, skewness, 90)
        bent = found + skewness * found**2 / 3 + skewness**2 * found**3 / 27 + skewness / (6 * 90)
        assert bent == pytest.approx(scaled, abs=1e-8)  # below 1e-6 skewness is taken in its first power


def test_p_values_at_the_ends_of_the_scale():
    assert asymptotic_pvalue(0.1, 0.02, 100, 0.0) < 1
    assert asymptotic_pvalue(0.0, 0.02, 1000, 0.0) == asymptotic_pvalue(1e-9, 0.02, 1000, -2.0) == 1.0
    assert 0 < asymptotic_pvalue(10.0, 0.01, 1000, 0.0) < 1e-200
    assert asymptotic(0.1, 0.01, 100, 0.0, 1 - 1e-15) == (-inf, inf)  # so few units cannot show so much


@pytest.mark.parametrize(("units", "wider"), [(100, 2.04), (1000, 1.57), (5000, 1.60), (100_000, 1.84)])
def test_the_price_of_a_sequence(units, wider):
    low, high = asymptotic(0.0, 1.0, units, 0.0, 0.95)
    assert (high - low) / (2 * 1.959964) == pytest.approx(wider, abs=0.02)


def test_the_price_in_rows():
    assert price(1.0, 0.95) == pytest.approx(1.0)
    assert price(2.0, 0.95) == pytest.approx(((2 * 1.959964 + 0.841621) / 2.801585) ** 2)


def test_rows_that_all_lose_leave_the_least_mean_open():
    low, high = betting(-np.ones(20), 0.95)
    assert low == -1.0
    assert -1 < high < 0


@pytest.mark.parametrize("skewness", [-1.5, 0.0, 0.8])
@pytest.mark.parametrize("t", [-4.2, 3.1, 3.6, 5.0])
def test_an_asymptotic_p_value_is_the_level_at_which_the_sequence_reaches_zero(skewness, t):
    """Also of skewed units, whose ends are those of Hall's transformation."""
    p = asymptotic_pvalue(0.01 * t, 0.01, 150, skewness)
    assert 0 < p < 1
    low, high = asymptotic(0.01 * t, 0.01, 150, skewness, 1 - p)
    assert (low if t > 0 else high) == pytest.approx(0.0, abs=1e-8)


def test_weak_evidence_has_a_p_value_of_one_and_a_little_more_has_less():
    values = [asymptotic_pvalue(t, 1.0, 400, 0.0) for t in (0.0, 0.5, 1.0)]
    assert values == [1.0, 1.0, 1.0]
    near = [asymptotic_pvalue(t, 1.0, 400, 0.0) for t in np.linspace(1.5, 3.5, 60)]
    assert any(0.5 < p < 1 for p in near)
    assert max(near) <= 1.0
