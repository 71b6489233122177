from __future__ import annotations

import numpy as np
import pytest
from scipy.special import chdtrc

from heldout.intervals.scales import critical_z
from heldout.stats import heterogeneity as room
from heldout.stats.heterogeneity import (
    heterogeneity,
    heterogeneity_of_shares,
    joint_covariance,
    joint_heterogeneity,
    largest_gap,
)


def of_means(parts, **options):
    """Means of numbers, and how far each number moves its mean."""
    values = np.array([np.mean(part) for part in parts])
    moved = [(np.asarray(part) - np.mean(part)) / len(part) for part in parts]
    return heterogeneity(values, moved, draws=999, seed=0, **options)


def test_shares_have_the_exact_distribution():
    # two by two with margins 4, 4 and 4, 4: tables 4-0 and 3-1 have chances 2/70 and 32/70
    p = heterogeneity_of_shares([4, 0], [4, 4], draws=40_000, seed=1)
    assert p == pytest.approx(1 / 70, abs=0.003)  # half of what is as far
    assert heterogeneity_of_shares([3, 1], [4, 4], draws=40_000, seed=1) == pytest.approx(2 / 70 + 16 / 70, abs=0.01)


def test_shares_of_many_rows_agree_with_chi_square():
    hits, counts = np.array([1600, 1660, 1560]), np.array([2000, 2000, 2000])
    share = hits.sum() / counts.sum()
    statistic = np.sum((hits - counts * share) ** 2 / (counts * share * (1 - share)))
    assert heterogeneity_of_shares(hits, counts, draws=40_000, seed=0) == pytest.approx(chdtrc(2, statistic), abs=0.002)


def test_shares_that_are_all_alike():
    assert heterogeneity_of_shares([30, 40], [30, 40], draws=500, seed=0) == 1.0
    assert heterogeneity_of_shares([0, 0], [30, 40], draws=500, seed=0) == 1.0


def test_one_mean_that_differs_is_found_and_alike_ones_are_not():
    rng = np.random.default_rng(3)
    alike = [rng.exponential(size=size) for size in (30, 60, 90)]
    assert of_means(alike) > 0.1
    assert of_means([*alike[:2], alike[2] + 1.5]) == 1 / 1000


def test_no_spread_anywhere_is_no_difference():
    assert of_means([[2.0] * 10, [2.0] * 20]) == 1.0


def test_no_spread_within_segments_that_differ():
    assert of_means([[1.0] * 20, [2.0] * 20]) == 1 / 1000


def test_a_scale_changes_nothing():
    rng = np.random.default_rng(4)
    parts = [rng.normal(loc, size=40) for loc in (0.0, 0.3, 0.5)]
    assert of_means(parts) == of_means([1000 * part for part in parts])


def test_many_units_are_held_against_chi_square():
    rng = np.random.default_rng(5)
    parts = [rng.normal(loc, size=4000) for loc in (0.0, 0.02, 0.04)]
    values, variances = np.array([p.mean() for p in parts]), np.array([p.var(ddof=1) / 4000 for p in parts])
    centre = np.sum(values / variances) / np.sum(1 / variances)
    assert of_means(parts) == pytest.approx(chdtrc(2, np.sum((values - centre) ** 2 / variances)), rel=1e-3)


def test_a_small_segment_beside_many_units_is_drawn():
    rng = np.random.default_rng(6)
    parts = [rng.normal(size=5000), rng.normal(size=5000), rng.normal(size=30)]
    assert of_means(parts) > 0.05
    assert of_means([*parts[:2], parts[2] + 2]) == 1 / 1000


def test_places_change_within_strata():
    """Segments that differ only in how many units of each stratum they have, and are alike within: not a difference."""
    rng = np.random.default_rng(7)
    strata = [np.repeat([0, 1], sizes) for sizes in ([90, 30], [30, 90])]
    noise = [rng.normal(size=120) for _ in strata]
    values = np.array([sum(part[of == s].mean() for s in (0, 1)) for part, of in zip(noise, strata, strict=True)])
    moved = [
        np.concatenate([(part[of == s] - part[of == s].mean()) / np.sum(of == s) for s in (0, 1)])
        for part, of in zip(noise, strata, strict=True)
    ]
    assert heterogeneity(values, moved, strata, draws=999, seed=0) > 0.05
    assert heterogeneity(values + np.array([0, 2]), moved, strata, draws=999, seed=0) == 1 / 1000


def test_thin_strata_are_not_kept_apart():
    moved = [np.array([0.1, -0.1, 0.0]), np.array([0.1, -0.2, 0.1])]
    thin = [np.array([0, 1, 1]), np.array([0, 0, 1])]
    given = {"draws": 999, "seed": 0}
    assert heterogeneity([1.0, 1.2], moved, thin, **given) == heterogeneity([1.0, 1.2], moved, **given)
    missing = [np.array([0, 1, 1]), np.array([0, 0, 0])]  # a class that the last segment has no row of
    assert heterogeneity([1.0, 1.2], moved, missing, **given) == heterogeneity([1.0, 1.2], moved, **given)


def test_units_in_every_segment_are_paired():
    """What units have in common does not hide a difference, as it would if segments were independent."""
    rng = np.random.default_rng(8)
    scores = rng.normal(0, 5, size=(60, 1)) + rng.normal([0.0, 0.0, 0.8], 1, size=(60, 3))
    moved = (scores - scores.mean(axis=0)) / 60
    assert joint_heterogeneity(scores.mean(axis=0), moved, [60] * 3) < 0.001
    assert heterogeneity(scores.mean(axis=0), list(moved.T), draws=999, seed=0) > 0.2


def test_two_joint_segments_are_the_paired_t():
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(9)
    scores = rng.normal([0.0, 0.3], 1, size=(400, 2)) + rng.normal(size=(400, 1))
    p = joint_heterogeneity(scores.mean(axis=0), (scores - scores.mean(axis=0)) / 400, [400, 400])
    assert p == pytest.approx(ttest_rel(scores[:, 0], scores[:, 1]).pvalue, rel=0.05)  # a little lent spread


def test_fewer_units_than_segments_say_nothing():
    assert np.isnan(joint_heterogeneity(np.zeros(3), np.ones((3, 3)), [3] * 3))
    assert joint_heterogeneity(np.zeros(2), np.zeros((9, 2)), [9, 9]) == 1.0
    assert np.isnan(joint_heterogeneity(np.array([0.0, 1.0]), np.zeros((9, 2)), [9, 9]))


def test_covariance_is_that_of_the_sums_and_never_zero_beside_others():
    rng = np.random.default_rng(10)
    moved = np.stack([rng.normal(size=50), np.zeros(50)], axis=1)
    found = joint_covariance(moved, [50, 50])
    assert found[0, 0] == pytest.approx(50 * np.var(moved[:, 0], ddof=1))
    assert 0 < found[1, 1] < found[0, 0]


def test_the_gap_of_two_segments_is_their_own_interval():
    z = critical_z(0.95)
    found = largest_gap([0.9, 0.7], [0.9 - 0.03 * z, 0.7 - 0.04 * z], [0.9 + 0.03 * z, 0.7 + 0.04 * z], 0.95, 0.95,
                        draws=2000, seed=0)  # fmt: skip
    assert (found.more, found.less) == (0, 1)
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.2 - 0.05 * z, 0.2 + 0.05 * z))


def test_the_largest_supported_gap_is_not_the_largest_seen():
    values, reach = np.array([0.5, 0.8, 0.95]), np.array([0.02, 0.02, 0.4])
    found = largest_gap(values, values - reach, values + reach, 0.95, 0.95, draws=2000, seed=0)
    assert (found.more, found.less, found.value) == (1, 0, pytest.approx(0.3))


def test_no_gap_is_supported():
    values, reach = np.array([0.5, 0.55, 0.6]), np.full(3, 0.1)
    assert largest_gap(values, values - reach, values + reach, 0.95, 0.95, draws=2000, seed=0) is None
    assert largest_gap([0.9, np.nan], [0.8, np.nan], [1.0, np.nan], 0.95, 0.95, draws=2000, seed=0) is None


def test_more_segments_need_wider_intervals_and_never_wider_than_bonferroni():
    def low(count, **options):
        values = np.append(np.zeros(count - 1), 1.0)
        return largest_gap(values, values - 0.1, values + 0.1, 0.95, 0.95, draws=4000, seed=0, **options).low

    assert low(2) > low(5) > low(20) > low(101)  # from 101 on, each pair gets its part of the error
    pairs = 20 * 19 / 2
    assert low(20) >= 1 - 0.1 * np.sqrt(2) * critical_z(1 - 0.05 / pairs) / critical_z(0.95)


def test_correlated_segments_have_closer_gaps():
    values, reach = np.array([0.5, 0.6]), np.full(2, 0.1)
    alike = np.array([[1.0, 0.8], [0.8, 1.0]])
    given = {"draws": 2000, "seed": 0}
    assert largest_gap(values, values - reach, values + reach, 0.95, 0.95, **given) is None
    assert largest_gap(values, values - reach, values + reach, 0.95, 0.95, correlation=alike, **given).low > 0


def test_beyond_a_hundred_segments_few_draws_tell_the_same():
    """Mean and spread of 199 draws, held against the share of 4,000 draws that are larger."""
    rng = np.random.default_rng(4)
    rows = rng.exponential(size=(120, 30)) * (rng.random((120, 30)) < 0.3) + 0.05 * rng.normal(size=(120, 1))
    values = rows.mean(axis=1)
    moved = [(part - part.mean()) / 30 for part in rows]
    layers = room._layers(values, moved, None)
    seen = float(room._q([room._sums(*layers[0])], [layers[0][1]]))
    exact = float(np.mean(room._drawn_q(layers, 4000, 9) >= seen))
    assert 0.01 < exact < 0.99
    assert heterogeneity(values, moved, draws=2000, seed=0) == pytest.approx(exact, abs=0.06)
    values[:40] += 0.3
    assert heterogeneity(values, moved, draws=2000, seed=0) < 1e-6
