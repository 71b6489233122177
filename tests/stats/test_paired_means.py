from __future__ import annotations

from itertools import product
from math import isnan, sqrt

import numpy as np
import pytest
from scipy import stats

from heldout.intervals.means import bootstrap_t, student
from heldout.stats.paired_means import paired_mean, paired_t, sign_flip

RNG = np.random.default_rng


def test_sign_flips_of_few_differences_are_counted_all():
    d = np.array([0.03, 0.02, 0.05, -0.02, 0.04, 0.02, 0.08])
    sums = [abs(np.dot(signs, d)) for signs in product((1, -1), repeat=len(d))]
    want = np.mean([one >= abs(d.sum()) - 1e-12 for one in sums])
    assert sign_flip(d, n_resamples=1, random_state=0) == want
    assert sign_flip(np.append(d, [0.0, 0.0]), n_resamples=1, random_state=0) == want
    assert sign_flip(-d, n_resamples=1, random_state=0) == want


def test_sign_flips_of_many_differences_come_near_the_exact_value():
    d = RNG(1).normal(0.3, 1, 14)
    sums = np.abs(np.array(list(product((1, -1), repeat=14))) @ d)
    exact = np.mean(sums >= abs(d.sum()) - 1e-12)
    assert sign_flip(d, n_resamples=20_000, random_state=3) == pytest.approx(
        exact, abs=4 * sqrt(exact * (1 - exact) / 20_000)
    )


def test_sign_flips_are_seeded_in_blocks_and_never_zero(monkeypatch):
    d = RNG(1).normal(5, 1, 40)
    assert sign_flip(d, n_resamples=999, random_state=0) == 1 / 1000
    monkeypatch.setattr("heldout.stats.paired_means.SIGNS_AT_ONCE", 400)
    e = RNG(1).normal(0.1, 1, 40)
    # ten patterns of forty signs at a time: as many in all, and as near to the p-value of Student's t
    assert sign_flip(e, n_resamples=9999, random_state=7) == pytest.approx(stats.ttest_1samp(e, 0).pvalue, abs=0.03)
    assert (sign_flip(e, n_resamples=999, random_state=7) * 1000).is_integer()


def test_up_to_twelve_differences_are_counted():
    d = RNG(3).normal(0.4, 1, 12)
    patterns = np.array(list(product((1, -1), repeat=12)))
    assert sign_flip(d) == np.mean(np.abs(patterns @ d) >= abs(d.sum()) - 1e-12)
    assert (sign_flip(np.append(d, 0.1), n_resamples=99) * 100).is_integer()


def test_every_pattern_is_looked_at_where_all_are_as_far():
    d = np.append(1.0, np.full(12, 1e-15))  # thirteen differences, and the first alone decides
    assert sign_flip(d, n_resamples=99) == 1.0


def test_neither_scale_nor_sign_nor_zeros_change_sign_flips():
    for units in (9, 30):
        d = RNG(units).normal(0.01, 1, units)
        d[0], d[1:] = 1.0, d[1:] - d[1:].mean() - 0.5 / units  # one of them is 1, and the sum is between 0 and 1
        assert 0 < d.sum() < 1
        want = sign_flip(d)
        assert sign_flip(-d) == sign_flip(1e-9 * d) == sign_flip(1e9 * d) == sign_flip(np.append(0.0, d)) == want


def test_sign_flips_without_anything_to_flip():
    assert sign_flip(np.zeros(5), n_resamples=9, random_state=0) == 1.0
    assert sign_flip(np.array([]), n_resamples=9, random_state=0) == 1.0
    assert isnan(sign_flip(np.array([1.0, np.nan]), n_resamples=9, random_state=0))


def test_sign_flips_hold_their_level():
    rng = RNG(5)
    p = np.array([sign_flip(rng.laplace(size=30), n_resamples=199, random_state=i) for i in range(1000)])
    assert abs(np.mean(p <= 0.05) - 0.05) < 3 * sqrt(0.05 * 0.95 / 1000)


def test_many_units_are_judged_by_t():
    d = RNG(2).normal(0.1, 1, 150)
    found, want = paired_mean(d, 0.9, n_resamples=9, random_state=0), stats.ttest_1samp(d, 0)
    assert (found.statistic, found.pvalue) == pytest.approx((want.statistic, want.pvalue))
    assert (found.low, found.high) == pytest.approx(tuple(want.confidence_interval(0.9)))
    assert (found.test, found.notes, found.level) == ("t", (), 0.9)


def test_few_units_are_judged_by_sign_flips_and_bootstrap_t():
    d = RNG(2).normal(0.1, 1, 40)
    found = paired_mean(d, 0.95, n_resamples=999, random_state=4)
    drawn, _ = bootstrap_t(d, np.ones(40), 0.95, draws=999, rng=RNG(4))
    plain = student(d.mean(), d.std(ddof=1) / np.sqrt(40), 39, 0.95)
    assert found.low == pytest.approx(min(drawn[0], plain[0]))
    assert found.high == pytest.approx(max(drawn[1], plain[1]))
    assert found.pvalue == sign_flip(d, n_resamples=999, random_state=4)
    assert (found.value, found.test) == (pytest.approx(d.mean()), "sign flips")


def test_a_hundred_units_are_many():
    d = RNG(2).normal(0.1, 1, 100)
    assert (paired_mean(d).test, paired_mean(d[1:]).test) == ("t", "sign flips")
    assert (paired_mean(np.zeros(100)).test, paired_mean(np.zeros(99)).test) == ("t", "sign flips")


def test_few_units_have_their_level_statistic_and_seed():
    d = RNG(2).normal(0.1, 1, 20)
    found = paired_mean(d, 0.9, n_resamples=99, random_state=5)
    assert (found.level, found.statistic) == (0.9, pytest.approx(stats.ttest_1samp(d, 0).statistic))
    seeds = {seed: paired_mean(d, n_resamples=99, random_state=seed).pvalue for seed in range(9)}
    assert seeds == {seed: sign_flip(d, n_resamples=99, random_state=seed) for seed in range(9)}
    assert len(set(seeds.values())) > 1
    some = paired_mean([0.0, 1.0, 2.0])
    assert (some.value, some.pvalue) == (1.0, 0.5)  # two signs, of four patterns two as far


@pytest.mark.parametrize("sign", [1, -1])
def test_the_wider_end_of_the_two_intervals_is_taken_on_either_side(sign):
    d = sign * RNG(6).exponential(size=15) ** 2
    found = paired_mean(d, n_resamples=999, random_state=4)
    drawn, _ = bootstrap_t(d, np.ones(15), 0.95, draws=999, rng=RNG(4))
    plain = stats.t.interval(0.95, 14, d.mean(), stats.sem(d))
    assert (drawn[1] > plain[1], drawn[0] < plain[0]) == (sign > 0, sign < 0)  # each is the wider one on one side
    assert (found.low, found.high) == pytest.approx((min(drawn[0], plain[0]), max(drawn[1], plain[1])))


@pytest.mark.parametrize("scale", [1e-14, 1.0, 1e14])
def test_a_scale_changes_neither_interval_nor_test(scale):
    d = RNG(2).normal(0.1, 1, 120)
    for some in (d, d[:30]):
        found, want = paired_mean(scale * some), paired_mean(some)
        low, high = found.low / scale, found.high / scale
        assert (low, high, found.pvalue) == pytest.approx((want.low, want.high, want.pvalue))


def test_no_difference_at_all():
    for units in (1, 5, 500):
        found = paired_mean(np.zeros(units), 0.95, n_resamples=99, random_state=0)
        assert (found.level, found.statistic) == (0.95, 0.0)
        assert (found.value, found.low, found.high, found.pvalue) == (0.0, 0.0, 0.0, 1.0)
        assert found.notes == ("all differences are zero",)


@pytest.mark.parametrize(
    ("differences", "p", "note"),
    [
        (np.full(6, 0.1), 2 / 64, "no interval: all 6 differences are equal"),
        (np.array([0.4]), 1.0, "no interval: fewer than two units"),
        (np.array([0.4, np.inf]), float("nan"), "no interval: some differences are infinite or missing"),
        (np.array([]), float("nan"), "no interval: fewer than two units"),
    ],
)
def test_what_has_no_interval_says_why(differences, p, note):
    found = paired_mean(differences, 0.95, n_resamples=99, random_state=0)
    assert isnan(found.low)
    assert isnan(found.high)
    assert found.pvalue == pytest.approx(p, nan_ok=True)
    assert found.notes == (note,)


def test_equal_differences_of_many_units_are_judged_by_sign_flips():
    found = paired_mean(np.full(200, 0.1), 0.95, n_resamples=99, random_state=0)
    assert (found.pvalue, found.test) == (1 / 100, "sign flips")


def test_two_units_fall_back_on_t():
    found = paired_mean(np.array([0.1, 0.4]), 0.95, n_resamples=99, random_state=0)
    assert found.notes == ("interval by t: too few units for bootstrap-t",)
    assert (found.low, found.high) == pytest.approx(stats.t.interval(0.95, 1, 0.25, 0.15))


def test_draws_without_spread_are_counted():
    found = paired_mean(np.array([0.1, 0.4, 0.2]), 0.95, n_resamples=999, random_state=0)
    assert len(found.notes) == 1
    left_out = int(found.notes[0].split()[0])
    assert found.notes == (f"{left_out} of 999 resamples had no variance and were left out",)
    assert left_out == pytest.approx(999 / 9, abs=40)


def test_many_units_need_no_more_than_mean_and_error():
    given = np.random.default_rng(2).normal(0.1, 1, 150)
    found = paired_mean(given, 0.95, n_resamples=99, random_state=0)
    assert found == paired_t(found.value, found.value / found.statistic, 150, 0.95)
    assert found.pvalue == pytest.approx(stats.ttest_1samp(given, 0).pvalue)


def test_equal_differences_have_no_error():
    found = paired_t(0.1, 1e-18, 200, 0.95)
    assert np.isnan([found.low, found.high, found.pvalue]).all()
    assert found.notes == ("no interval: all 200 differences are equal",)
    assert paired_t(0.1, float("nan"), 1, 0.95).notes == ("no interval: fewer than two units",)
    assert paired_t(0.1, 0.0, 2).notes == ("no interval: all 2 differences are equal",)
    assert isnan(paired_t(0.1, 0.0, 2).statistic)
    nothing = paired_t(0.0, 0.0, 5)
    assert (nothing.notes, isnan(nothing.pvalue)) == (("no interval: all 5 differences are equal",), True)


@pytest.mark.parametrize("at_once", [10**6, 7 * 40])
def test_as_many_sign_flips_as_asked_for_however_many_are_made_at_once(at_once, monkeypatch):
    """Differences that cancel: every flip is as far from zero, and the p-value is 1."""
    monkeypatch.setattr("heldout.stats.paired_means.SIGNS_AT_ONCE", at_once)
    assert sign_flip(np.tile([1.0, -1.0], 20), n_resamples=20, random_state=0) == 1.0
