from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from heldout.intervals.simultaneous import sup_t
from heldout.stats.best_of_many import _alone, _drawn, best_set, joint_of, joint_of_sums, max_t, on_few_units, winner

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
    ahead = best_set(*moved(rows[:, [0, 0, 1]] + [0.0, 0.1, -3.0]), 0.95, draws=200, seed=0)
    assert ahead.pvalue[0] == 0.0  # every unit alike says that the second is better by 0.1
    assert ahead.members.tolist() == [False, True, False]


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


@pytest.mark.parametrize("units", [2, 3, 40])
@pytest.mark.parametrize("scale", [1.0, 1e-9])
def test_covariance_and_errors_are_those_of_a_sum_over_units(units, scale):
    moves = scale * (RNG(8).normal(size=(units, 3)) + [0.0, 5.0, -2.0])  # noqa: RUF005 arrays are added, not joined
    want = units * np.cov(moves.T)
    apart = [[sqrt(units * np.var(one - other, ddof=1)) for other in moves.T] for one in moves.T]
    for found in (joint_of(moves), added_up(moves)):
        assert found.covariance == pytest.approx(want, rel=1e-6, abs=0)
        assert found.errors == pytest.approx(np.sqrt(np.diag(want)), rel=1e-6, abs=0)
        assert found.between == pytest.approx(np.array(apart), rel=1e-6, abs=0)


def test_what_rounding_leaves_of_a_difference_is_none():
    for seed in range(20):
        one = np.append(0.0, RNG(seed).normal(size=50))
        for found in (joint_of, added_up):
            joint = found(np.column_stack([one, (one + 0.1) - 0.1, one / 1e14]))
            assert joint.between[0, 1] == joint.between[1, 0] == 0.0
            assert joint.errors[2] == pytest.approx(joint.errors[0] / 1e14, rel=1e-6, abs=0)


def test_samples_are_students_t_with_their_covariance(monkeypatch):
    covariance = np.array([[4.0, 1.8], [1.8, 1.0]])
    drawn = _drawn(covariance, 6, 60_000, 1)
    for column, sd in zip(drawn.T, (2.0, 1.0), strict=True):
        assert np.quantile(column / sd, [0.05, 0.95]) == pytest.approx(stats.t.ppf([0.05, 0.95], 5), abs=0.05)
    assert np.corrcoef(drawn.T)[0, 1] == pytest.approx(0.9, abs=0.01)
    assert np.abs(_drawn(covariance, 2, 9, 1)).min() > 0  # two units have one degree of freedom
    assert not _drawn(covariance, 1, 9, 1).any()
    monkeypatch.setattr("heldout.stats.best_of_many.NUMBERS_AT_ONCE", 6)
    assert _drawn(covariance, 6, 60_000, 1)[:3].shape == (3, 2)
    assert len(_drawn(covariance, 6, 10, 1)) == 10


def test_two_models_on_the_same_rows_have_the_paired_test():
    rows = RNG(7).normal(size=(20, 1)) + 0.3 * RNG(8).normal([0.0, 0.15], 1, (20, 2))
    found = best_set(*moved(rows), 0.95, draws=40_000, seed=1)
    want = stats.ttest_rel(rows[:, 1], rows[:, 0], alternative="greater").pvalue
    behind = int(np.argmin(rows.mean(axis=0)))
    assert found.pvalue[behind] == pytest.approx(want if behind == 0 else 1 - want, abs=0.01)


def test_two_units_have_one_degree_of_freedom():
    rows = np.array([[0.2], [0.25]])
    assert max_t(*moved(rows), 0.95, draws=3, seed=0).pvalue[0] >= stats.ttest_1samp(rows[:, 0], 0).pvalue


def test_critical_values_and_p_values_are_never_below_students():
    d = RNG(1).normal(0.2, 1, (30, 1))
    found = max_t(*moved(d), 0.95, draws=9, seed=0)  # none of nine samples reaches so far
    assert found.critical == pytest.approx(stats.t.ppf(0.975, 29))
    assert found.pvalue[0] >= stats.ttest_1samp(d[:, 0], 0).pvalue
    many = max_t(*moved(d + 0.5), 0.95, draws=100_000, seed=0)
    assert many.pvalue[0] == pytest.approx(stats.ttest_1samp(d[:, 0] + 0.5, 0).pvalue, abs=2e-4)


def test_a_value_that_no_unit_moves_does_not_change_the_others():
    rows = RNG(2).normal(size=(40, 3))
    alone = max_t(*moved(rows), 0.95, draws=500, seed=3)
    beside = max_t(*moved(np.column_stack([rows, np.zeros(40)])), 0.95, draws=500, seed=3)
    assert beside.critical == alone.critical > stats.t.ppf(0.975, 39)
    assert beside.pvalue[:3].tolist() == alone.pvalue.tolist()


def test_lowest_is_the_best_of_what_has_its_sign_turned():
    influence, means = moved(RNG(3).normal([0.0, 0.1, 0.2], 0.5, (60, 3)))
    turned = best_set(-influence, -means, 0.95, draws=500, seed=0)
    found = best_set(influence, means, 0.95, higher=False, draws=500, seed=0)
    assert (found.best, found.pvalue.tolist()) == (turned.best, pytest.approx(turned.pvalue, abs=0.05))
    lowest = winner(influence, means, 0.95, higher=False, draws=20_000, seed=0)
    highest = winner(-influence, -means, 0.95, draws=20_000, seed=1)
    assert (lowest.value, lowest.plain) == (-highest.value, pytest.approx(-highest.plain))
    assert lowest.bound == pytest.approx(-highest.bound, abs=0.005)


def test_a_p_value_of_just_one_less_the_level_is_in_the_set():
    rows = RNG(4).normal([0.0, 50.0], 1.0, (30, 2))
    found = best_set(*moved(rows), 0.75, draws=3, seed=0)
    assert (found.pvalue[0], found.members[0]) == (0.25, True)  # (1 + none of 3) / (3 + 1)


def test_the_plain_end_is_students():
    rows = RNG(5).normal([0.0, 1.0], 1.0, (12, 2))
    found = winner(*moved(rows), 0.9, draws=50, seed=0)
    low, _ = stats.t.interval(0.9, 11, rows[:, 1].mean(), stats.sem(rows[:, 1]))
    assert (found.best, found.value, found.plain) == (1, pytest.approx(rows[:, 1].mean()), pytest.approx(low))


@pytest.mark.parametrize(("draws", "contends"), [(159, True), (169, False)])
def test_the_bound_is_that_of_models_not_told_from_the_best_at_a_tenth_of_the_error(draws, contends):
    """The other model is far behind, and spreads ten times as much: as a contender it widens the bound tenfold.

    Its p-value is the least there can be, 1 / (draws + 1), and a tenth of 1 - 0.9375 is 1 / 160.
    """
    rows = RNG(6).normal([0.0, -1000.0], [1.0, 10.0], (30, 2))
    found = winner(*moved(rows), 0.9375, draws=draws, seed=0)
    assert ((found.value - found.bound) > 3 * (found.value - found.plain)) == contends


def test_models_that_may_be_the_best_contend():
    rows = RNG(6).normal([0.0, 0.0], [1.0, 10.0], (30, 2))
    influence, _ = moved(rows)
    found = winner(influence, np.array([0.0, -3.5]), 0.95, draws=2000, seed=0)
    contenders = best_set(influence, np.array([0.0, -3.5]), 0.95, draws=2000, seed=0)
    assert contenders.pvalue[1] == pytest.approx(0.05, abs=0.04)
    assert (found.value - found.bound) > 3 * (found.value - found.plain)


@pytest.mark.parametrize(("df", "units"), [(4.6, 6), (0.2, 2)])
def test_few_units_that_carry_values_raise_their_errors(df, units):
    joint = joint_of(RNG(3).normal(size=(30, 3)) / 30)
    found = on_few_units(joint, df, 0.64)
    assert found.units == units
    assert found.covariance == pytest.approx(joint.covariance / 0.64)
    assert found.errors == pytest.approx(joint.errors / 0.8)
    assert found.between == pytest.approx(joint.between / 0.8)


def test_values_that_units_move_alike_but_for_rounding_do_not_differ():
    rows = RNG(4).normal(size=(50, 1))
    influence = np.hstack([rows, rows * (1 + 1e-15), rows[::-1]])
    for joint in (joint_of(influence), joint_of_sums(50, influence.sum(axis=0), influence.T @ influence)):
        assert joint.between[0, 1] == 0.0
        assert joint.between[0, 2] > 0.1


def test_a_p_value_alone_has_one_degree_of_freedom_at_least():
    assert _alone(np.array([3.0]), 0.5)[0] == pytest.approx(2 * stats.t.sf(3.0, 1))
    assert _alone(np.array([3.0]), 7)[0] == pytest.approx(2 * stats.t.sf(3.0, 7))
