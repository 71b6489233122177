from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from heldout.intervals.simultaneous import sup_t
from heldout.stats.best_of_many import best_set, joint_of, joint_of_sums, max_t, winner

RNG = np.random.default_rng


def moved(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The influence of units on column means, and the means."""
    means = rows.mean(axis=0)
    return (rows - means) / len(rows), means


def test_one_difference_is_students():
    d = RNG(1).normal(0.2, 1, (30, 1))
    found, want = max_t(*moved(d), 0.95, draws=4000, seed=0), stats.ttest_1samp(d[:, 0], 0)
    assert found.critical == pytest.approx(stats.t.ppf(0.975, 29), rel=0.05)
    assert found.pvalue[0] == pytest.approx(want.pvalue, abs=0.02)
    assert found.pvalue[0] >= want.pvalue
    assert found.critical >= stats.t.ppf(0.975, 29) - 1e-12


def test_equal_columns_count_once():
    d = np.repeat(RNG(1).normal(0.2, 1, (500, 1)), 5, axis=1)
    assert max_t(*moved(d), 0.95, draws=4000, seed=0).critical == pytest.approx(1.965, abs=0.1)


def test_many_units_need_the_critical_value_of_a_band():
    influence, means = moved(RNG(1).normal(size=(3000, 8)))
    band = sup_t(influence, 0.95, draws=20_000, rng=RNG(1))
    assert max_t(influence, means, 0.95, draws=20_000, seed=0).critical == pytest.approx(band, abs=0.04)


def test_intervals_and_p_values_agree():
    influence, means = moved(RNG(4).normal([0, 0.1, 0.2, 0.3, 0.4], 1, (150, 5)))
    found = max_t(influence, means, 0.95, draws=4000, seed=0)
    assert (((found.lows > 0) | (found.highs < 0)) == (found.pvalue < 0.05)).all()
    assert 0 < np.sum(found.pvalue < 0.05) < 5


def test_a_value_that_no_unit_moves():
    rows = np.column_stack([np.zeros(20), np.full(20, 0.5), RNG(1).normal(size=20)])
    found = max_t(*moved(rows), 0.95, draws=200, seed=0)
    assert (found.lows[0], found.highs[0], found.pvalue[0]) == (0.0, 0.0, 1.0)
    assert np.isnan([found.lows[1], found.pvalue[1]]).all()
    nothing = max_t(*moved(np.zeros((20, 2))), 0.95, draws=200, seed=0)
    assert nothing.pvalue.tolist() == [1.0, 1.0]


def test_max_t_holds_the_family_wise_error():
    rng, wrong = RNG(11), 0
    for trial in range(400):
        rows = rng.normal(size=(60, 6)) + rng.normal(size=(60, 1))
        wrong += bool(np.any(max_t(*moved(rows), 0.95, draws=400, seed=trial).pvalue < 0.05))
    assert wrong / 400 < 0.05 + 3 * sqrt(0.05 * 0.95 / 400)


def test_the_best_set_holds_the_best_and_drops_the_far():
    rng, held, size = RNG(12), 0, 0
    for trial in range(300):
        right = rng.random((300, 4)) < [0.9, 0.89, 0.88, 0.7]
        found = best_set(*moved(right.astype(float)), 0.95, draws=400, seed=trial)
        held += bool(found.members[0])
        size += int(found.members[3])
    assert held / 300 > 0.95 - 3 * sqrt(0.05 * 0.95 / 300)
    assert size == 0


def test_the_best_set_of_lower_is_better_and_of_twins():
    rows = RNG(3).normal([0.0, 1.0, 2.0], 0.5, (100, 3))
    influence, means = moved(rows)
    assert best_set(influence, means, 0.95, higher=False, draws=200, seed=0).members.tolist() == [True, False, False]
    found = best_set(*moved(np.repeat(rows[:, :1], 3, axis=1)), 0.95, draws=200, seed=0)
    assert found.pvalue.tolist() == [1.0, 1.0, 1.0]
    ahead = best_set(*moved(rows[:, [0, 0]] + [0.0, 0.1]), 0.95, draws=200, seed=0)
    assert ahead.members.tolist() == [False, True]


def test_the_winners_optimism_is_the_published_one():
    """Five models alike on 200 rows: picking the best adds 3.2 points, and with it the plain bound does not hold."""
    rng = RNG(6)
    trials = [
        (right.mean(axis=0).max(), winner(*moved(right), 0.95, draws=300, seed=i))
        for i, right in enumerate((rng.random((300, 200, 5)) < 0.8).astype(float))
    ]
    assert np.mean([best - 0.8 for best, _ in trials]) == pytest.approx(0.032, abs=0.004)
    assert np.mean([found.largest for _, found in trials]) == pytest.approx(0.032, abs=0.003)
    assert all(0 < found.optimism <= found.largest for _, found in trials)
    assert np.mean([found.bound < 0.8 for _, found in trials]) > 0.975 - 3 * sqrt(0.975 * 0.025 / 300)
    assert np.mean([found.plain < 0.8 for _, found in trials]) < np.mean([found.bound < 0.8 for _, found in trials])


def test_the_winners_bound_holds_for_high_shares_whose_own_error_is_too_small():
    rng, held, plain = RNG(7), 0, 0
    for trial in range(150):
        right = (rng.random((200, 20)) < 0.95).astype(float)
        found = winner(*moved(right), 0.95, draws=200, seed=trial)
        held += found.bound < 0.95
        plain += found.plain < 0.95
    assert held / 150 > 0.975 - 3 * sqrt(0.975 * 0.025 / 150)
    assert plain / 150 < 0.6


def test_a_winner_by_lowest_value_is_bounded_from_above():
    influence, means = moved(RNG(3).normal([1.0, 1.1, 2.0], 0.5, (100, 3)))
    found = winner(influence, means, 0.95, higher=False, draws=400, seed=0)
    assert (found.best, found.value) == (0, pytest.approx(means[0]))
    assert found.value < found.plain <= found.bound


def added_up(influence):
    return joint_of_sums(len(influence), influence.sum(axis=0), influence.T @ influence)


def test_sums_over_units_say_the_same_as_units():
    influence, means = moved(RNG(4).normal([1.0, 1.1, 1.05, 2.0], 0.5, (300, 4)))
    known = {"draws": 400, "seed": 1}
    for one, same in (
        (best_set(influence, means, 0.95, **known).pvalue, best_set(added_up(influence), means, 0.95, **known).pvalue),
        (max_t(influence, means, 0.95, **known).pvalue, max_t(added_up(influence), means, 0.95, **known).pvalue),
    ):
        assert one == pytest.approx(same, rel=1e-9)
    found, same = (winner(given, means, 0.95, **known) for given in (influence, added_up(influence)))
    assert (found.bound, found.optimism) == pytest.approx((same.bound, same.optimism), rel=1e-9)


def test_differences_from_one_of_them():
    influence, _ = moved(RNG(5).normal(size=(200, 4)))
    others = [0, 1, 3]
    apart = joint_of(influence[:, others] - influence[:, [2]])
    for found in (joint_of(influence).against(2), added_up(influence).against(2)):
        assert np.allclose(found.covariance, apart.covariance, rtol=1e-9, atol=1e-18)
        assert np.allclose(found.errors, apart.errors, rtol=1e-9)
        assert np.allclose(found.between, apart.between, rtol=1e-9)


def test_columns_that_are_equal_stay_equal_when_added_up():
    one = RNG(6).normal(size=(5000, 1)) / 5000
    found = added_up(np.concatenate([one, one, -one], axis=1))
    assert (found.between[0, 1], found.between[1, 0]) == (0.0, 0.0)
    assert found.between[0, 2] == pytest.approx(2 * found.errors[0])
