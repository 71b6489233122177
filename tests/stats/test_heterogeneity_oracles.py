"""Tests of segments beside other computations: loops, all arrangements, Hotelling's T2, the studentised range."""

from __future__ import annotations

from itertools import combinations, product
from math import comb, sqrt

import numpy as np
import pytest
from scipy import stats

from heldout.stats import heterogeneity as room
from heldout.stats.heterogeneity import (
    heterogeneity,
    heterogeneity_of_many,
    heterogeneity_of_shares,
    joint_covariance,
    joint_heterogeneity,
    largest_gap,
)

RNG = np.random.default_rng


def mid_p_of_all_tables(hits: list[int], counts: list[int]) -> float:
    """The chance of tables that are further from equal shares than the one seen, and half that of equally far ones."""
    total, wanted = sum(counts), sum(hits)

    def distance(table):
        return sum((h - n * wanted / total) ** 2 / n for h, n in zip(table, counts, strict=True))

    p = 0.0
    for table in product(*(range(n + 1) for n in counts)):
        if sum(table) == wanted:
            chance = np.prod([comb(n, h) for h, n in zip(table, counts, strict=True)]) / comb(total, wanted)
            apart = distance(table) - distance(hits)
            p += chance * (1.0 if apart > 1e-9 else 0.5 if apart > -1e-9 else 0.0)
    return float(p)


@pytest.mark.parametrize(
    ("hits", "counts"), [([2, 0, 1], [3, 4, 3]), ([1, 1], [2, 2]), ([3, 1, 0], [3, 5, 2]), ([1, 2, 1], [3, 6, 3])]
)
def test_shares_beside_all_tables(hits, counts):
    p = heterogeneity_of_shares(np.array(hits, float), np.array(counts, float), draws=20_000, seed=2)
    assert p == pytest.approx(mid_p_of_all_tables(hits, counts), abs=4 * sqrt(0.25 / 20_000))


@pytest.mark.parametrize("draws", [1, 9, 100])
def test_half_of_what_is_equally_far_counts_and_half_of_the_table_seen(draws):
    # one hit in one of two rows: every table is as far
    assert heterogeneity_of_shares([1, 0], [1, 1], draws=draws, seed=0) == 0.5


def q_by_loops(parts: list[list[np.ndarray]]) -> float:
    """Cochran's Q of segments, a list of strata each: the value is the sum of the means in the strata.

    The variance of a mean in a stratum is its own, and at least its own with four pooled degrees of freedom added.
    """
    strata = range(len(parts[0]))
    values = [sum(np.mean(segment[s]) for s in strata) for segment in parts]
    variances = []
    for segment in parts:
        variance = 0.0
        for s in strata:
            squares = [float(np.sum((other[s] - np.mean(other[s])) ** 2)) for other in parts]
            pooled = sum(squares) / max(sum(len(other[s]) for other in parts) - len(parts), 1)
            own, n = float(np.sum((segment[s] - np.mean(segment[s])) ** 2)), len(segment[s])
            variance += max((own + 4 * pooled) / (n - 1 + 4), own / max(n - 1, 1)) / n
        variances.append(variance)
    weights = [1 / one for one in variances]
    centre = sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)
    return float(sum(w * (v - centre) ** 2 for w, v in zip(weights, values, strict=True)))


def of_parts(parts: list[list[np.ndarray]], **options) -> float:
    """The test of segments whose values are sums of the means in their strata."""
    values = np.array([sum(np.mean(one) for one in segment) for segment in parts])
    moved = [np.concatenate([(one - one.mean()) / len(one) for one in segment]) for segment in parts]
    strata = [np.repeat(np.arange(len(segment)), [len(one) for one in segment]) for segment in parts]
    given = {"draws": 4000, "seed": 1} | options
    return heterogeneity(values, moved, strata if len(parts[0]) > 1 else None, **given)


def by_all_arrangements(parts: list[list[np.ndarray]]) -> float:
    """The share of ways to hand out the units of every stratum to two segments whose Q is at least the one seen."""
    ways = []
    for s in range(len(parts[0])):
        pooled, first = np.concatenate([parts[0][s], parts[1][s]]), len(parts[0][s])
        chosen = [list(one) for one in combinations(range(len(pooled)), first)]
        ways.append([(pooled[one], np.delete(pooled, one)) for one in chosen])
    seen = q_by_loops(parts)
    drawn = [q_by_loops([[one[0] for one in way], [one[1] for one in way]]) for way in product(*ways)]
    return float(np.mean([one >= seen * (1 - 1e-9) for one in drawn]))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_units_that_change_places_beside_all_arrangements(seed):
    rng = RNG(seed)
    parts = [[rng.normal(size=3)], [rng.normal(1.0, 1.0, 4)]]
    exact = by_all_arrangements(parts)
    assert of_parts(parts) == pytest.approx(exact, abs=4 * sqrt(exact * (1 - exact) / 4000) + 1 / 4001)


@pytest.mark.parametrize("seed", [1, 2])
def test_units_that_change_places_within_strata_beside_all_arrangements(seed):
    rng = RNG(seed)
    parts = [[rng.normal(size=2), rng.normal(5, 1, 3)], [rng.normal(1, 1, 3), rng.normal(6, 1, 2)]]
    # a unit's pseudo-value is how far it is from its stratum's mean, and half of its segment's value
    pseudo = [[one - one.mean() + sum(map(np.mean, segment)) / 2 for one in segment] for segment in parts]
    exact = by_all_arrangements(pseudo)
    assert of_parts(parts) == pytest.approx(exact, abs=4 * sqrt(exact * (1 - exact) / 4000) + 1 / 4001)


def test_q_in_strata_by_loops():
    rng = RNG(4)
    for sizes in ([(5, 3), (2, 9), (4, 4)], [(1, 6), (8, 2), (30, 3)]):
        parts = [[rng.normal(size=a), rng.exponential(size=b)] for a, b in sizes]
        sums = [
            (
                np.array([segment[s].sum() for segment in parts]),
                np.array([np.sum(segment[s] ** 2) for segment in parts]),
            )
            for s in (0, 1)
        ]
        counts = [np.array([len(segment[s]) for segment in parts]) for s in (0, 1)]
        assert float(room._q(sums, counts)) == pytest.approx(q_by_loops(parts))


def test_two_units_have_one_degree_of_freedom_between_them():
    sums = [(np.array([1.0, 2.0]), np.array([0.7, 2.5]))]
    first, second = ([mean - sqrt(square), mean + sqrt(square)] for mean, square in ((0.5, 0.1), (1.0, 0.25)))
    want = q_by_loops([[np.array(first)], [np.array(second)]])
    assert float(room._q(sums, [np.array([2, 2])])) == pytest.approx(want)
    alone = [(np.array([3.0, 2.0]), np.array([9.0, 2.5]))]  # one unit beside two, which have all of the spread
    want = q_by_loops([[np.array([3.0])], [np.array(second)]])
    assert float(room._q(alone, [np.array([1, 2])])) == pytest.approx(want)


@pytest.mark.parametrize(("units", "asymptotic"), [(1000, True), (999, False)])
def test_from_a_thousand_units_in_every_stratum_on_it_is_chi_square(units, asymptotic):
    rng = RNG(5)
    parts = [[rng.normal(size=1000), rng.normal(size=1000)], [rng.normal(0.05, 1, 1000), rng.normal(size=units)]]
    found = of_parts(parts, draws=499)
    assert (found == pytest.approx(stats.chi2.sf(q_by_loops(parts), 1))) == asymptotic
    assert (round(found * 500, 9) == round(found * 500)) == (not asymptotic)


@pytest.mark.parametrize(("segments", "drawn"), [(100, True), (101, False)])
def test_up_to_a_hundred_segments_the_draws_are_counted(segments, drawn):
    rng = RNG(6)
    parts = [[rng.normal(size=5)] for _ in range(segments)]
    found = of_parts(parts, draws=499)
    assert (round(found * 500, 9) == round(found * 500)) == drawn


def test_large_samples_have_fewer_draws_and_never_fewer_than_499():
    rng = RNG(7)
    parts = [[rng.normal(size=900)] for _ in range(2)]  # 4,000,000 // 1800 = 2222 draws
    found = of_parts(parts, draws=100_000)
    assert round(found * 2223, 9) == round(found * 2223)
    found = of_parts([[np.array([0.1, 0.5, 0.2])], [np.array([0.3, 0.9, 0.4])]], draws=5)
    assert round(found * 500, 9) == round(found * 500)


def test_chunks_of_draws_change_nothing(monkeypatch):
    parts = [[RNG(8).normal(size=6)], [RNG(9).normal(size=5)]]
    influence = [(one - one.mean()) / len(one) for (one,) in parts]
    layers = room._layers(np.array([one.mean() for (one,) in parts]), influence, None)
    whole, p = room._drawn_q(layers, 10, 0), of_parts(parts, draws=600)
    monkeypatch.setattr(room, "NUMBERS_AT_ONCE", 33)  # three draws of eleven units
    assert room._drawn_q(layers, 10, 0) == pytest.approx(whole)
    assert len(whole) == 10
    assert of_parts(parts, draws=600) == p


def test_of_large_segments_a_thousand_units_are_drawn(monkeypatch):
    monkeypatch.setattr(room, "ENOUGH", 5)
    ones = np.ones(20)
    sums, squares = room._handed_out(ones, np.array([12, 3, 5]), 4, RNG(1))
    assert sums.tolist() == squares.tolist() == [[5.0, 3.0, 5.0]] * 4
    few = room._handed_out(np.arange(5.0), np.array([2, 3]), 4, RNG(1))[0]
    assert few.sum(axis=1).tolist() == [10.0] * 4  # all units, in another order
    assert len(set(few[:, 0])) > 1
    # values without spread but one: Q of five and five units drawn with replacement is that of equal counts
    drawn = room._drawn_q([(RNG(2).normal(size=20), np.array([12, 8]))], 400, 0)
    turned = room._drawn_q([(RNG(2).normal(size=20), np.array([8, 12]))], 400, 1)
    assert np.mean(drawn) == pytest.approx(np.mean(turned), abs=0.4)


def test_the_tail_of_a_gamma_with_the_moments_of_the_draws():
    drawn = np.array([1.0, 2.0, 4.0, 2.5])
    mean, variance = drawn.mean(), drawn.var(ddof=1)
    want = stats.gamma.sf(3.7, mean**2 / variance, scale=variance / mean)
    assert room._gamma(3.7, drawn) == pytest.approx(want)
    small = drawn / 10
    assert room._gamma(0.37, small) == pytest.approx(want)
    assert room._gamma(3.7, np.full(5, 2.0)) == 1.0


def test_strata_of_two_units_are_kept_apart_and_thinner_ones_are_not():
    rng = RNG(10)
    two = [[rng.normal(size=2), rng.normal(9, 1, 3)], [rng.normal(size=3), rng.normal(9, 1, 2)]]
    values = np.array([sum(np.mean(one) for one in segment) for segment in two])
    moved = [np.concatenate([(one - one.mean()) / len(one) for one in segment]) for segment in two]
    strata = [np.repeat([0, 1], [2, 3]), np.repeat([0, 1], [3, 2])]
    assert len(room._layers(values, moved, strata)) == 2
    assert len(room._layers(values, moved, [np.repeat([0, 1], [1, 4]), strata[1]])) == 1
    assert len(room._layers(values, moved, [np.zeros(5), np.repeat([0, 1], [3, 2])])) == 1  # none in one segment


def test_q_of_many_units_by_the_inverse_variances():
    values, variances = np.array([0.8, 0.83, 0.79, 0.81]), np.array([1e-4, 2e-4, 1e-4, 4e-4])
    centre = np.average(values, weights=1 / variances)
    want = stats.chi2.sf(np.sum((values - centre) ** 2 / variances), 3)
    assert heterogeneity_of_many(values, variances) == pytest.approx(want)


@pytest.mark.parametrize("scale", [1.0, 1e-9])
@pytest.mark.parametrize("segments", [2, 3, 5])
def test_units_in_every_segment_have_hotellings_test(segments, scale):
    """With equal spreads nothing is lent, and the test is that of the differences from the last segment."""
    n = 23
    scores = RNG(segments).normal(size=(n, segments)) + RNG(1).normal(size=(n, 1))
    scores = scale * (scores / scores.std(axis=0) + 0.3 * np.arange(segments))
    apart = scores[:, :-1] - scores[:, -1:]
    mean, covariance = apart.mean(axis=0), np.atleast_2d(np.cov(apart.T))
    squared = n * mean @ np.linalg.solve(covariance, mean)
    k = segments - 1
    want = stats.f.sf(squared * (n - k) / (k * (n - 1)), k, n - k)
    found = joint_heterogeneity(scores.mean(axis=0), (scores - scores.mean(axis=0)) / n, np.full(segments, n))
    assert found == pytest.approx(want, rel=1e-6)


@pytest.mark.parametrize("present", [[9, 4, 7], [1, 9, 9], [2, 3, 9]])
def test_the_covariance_has_the_variances_that_loops_give(present):
    moved = RNG(3).normal(size=(9, 3)) * [1.0, 0.1, 3.0]
    plain = 9 * np.cov(moved.T)
    units = [max(one, 2) for one in present]
    spread = [plain[at, at] * units[at] for at in range(3)]
    pooled = sum((u - 1) * s for u, s in zip(units, spread, strict=True)) / sum(u - 1 for u in units)
    found = joint_covariance(moved, present)
    for at, u in enumerate(units):
        lent = ((u - 1) * spread[at] + 4 * pooled) / (u - 1 + 4) / u
        assert found[at, at] == pytest.approx(max(plain[at, at], lent))
    off = ~np.eye(3, dtype=bool)
    assert found[off] == pytest.approx(plain[off])


def test_two_units_have_a_covariance():
    moved = np.array([[0.1, 0.3], [-0.1, -0.3]])
    assert joint_covariance(moved, [2, 2])[1, 1] == pytest.approx(2 * np.var(moved[:, 1], ddof=1))


@pytest.mark.parametrize("r", [0.0, 0.9])
def test_gaps_of_segments_of_equal_error_reach_as_far_as_the_studentised_range(r):
    """Differences of values that correlate alike are spread as those of independent ones with less spread."""
    correlation = np.full((4, 4), r) + (1 - r) * np.eye(4)
    found = room._critical(np.full(4, 0.3), correlation, 0.95, draws=40_000, seed=1)
    assert found == pytest.approx(stats.studentized_range.ppf(0.95, 4, np.inf) / sqrt(2), abs=0.03)
    low = room._critical(np.full(4, 0.3), correlation, 0.2, draws=40_000, seed=1)
    assert low == pytest.approx(stats.studentized_range.ppf(0.2, 4, np.inf) / sqrt(2), abs=0.03)


def test_gaps_of_segments_of_tiny_errors_are_gaps():
    errors = np.array([1e-9, 2e-9, 3e-9])
    tiny = room._critical(errors, np.eye(3), 0.95, draws=4000, seed=1)
    assert tiny == pytest.approx(room._critical(errors * 1e9, np.eye(3), 0.95, draws=4000, seed=1))
    three = room._critical(np.full(3, 0.1), np.eye(3), 0.95, draws=40_000, seed=1)
    assert three == pytest.approx(stats.studentized_range.ppf(0.95, 3, np.inf) / sqrt(2), abs=0.03)
    assert three < stats.norm.ppf(1 - 0.025 / 3) - 0.01  # less than Bonferroni's


def test_gaps_of_two_segments_or_of_equal_ones_reach_as_far_as_one():
    two = room._critical(np.array([0.1, 0.4]), np.eye(2), 0.9, draws=100, seed=1)
    assert two == pytest.approx(stats.norm.ppf(0.95))
    same = room._critical(np.full(3, 0.2), np.ones((3, 3)), 0.9, draws=100, seed=1)
    assert same == pytest.approx(stats.norm.ppf(0.95))


def test_gaps_that_are_not_correlated_need_no_more_than_bonferroni():
    # pairs of segments whose errors differ widely have all but independent gaps; few draws may say more
    for k, drawn in ((100, True), (101, False)):
        each = stats.norm.ppf(1 - 0.025 / comb(k, 2))
        found = room._critical(np.full(k, 0.1), np.eye(k), 0.95, draws=300, seed=1)
        assert found <= each + 1e-12
        assert (found < each - 1e-6) == drawn
    few = room._critical(np.full(3, 0.1), np.eye(3), 0.95, draws=3, seed=5)
    assert stats.norm.ppf(0.975) - 1e-12 <= few <= stats.norm.ppf(1 - 0.025 / 3) + 1e-12


def test_reach_of_a_difference_is_the_law_of_cosines():
    assert room._combined(np.array(3.0), np.array(4.0), np.array(0.0)) == 5.0
    assert room._combined(np.array(3.0), np.array(4.0), np.array(0.5)) == pytest.approx(sqrt(13))
    assert room._combined(np.array(2.0), np.array(2.0), np.array(1.0)) == 0.0


def test_segments_without_an_interval_are_left_out_of_the_gaps():
    nan = np.nan
    values, lows, highs = [0.9, 0.2, 0.6, 0.5], [0.85, nan, 0.55, 0.45], [0.95, 0.3, 0.65, 0.55]
    correlation = np.full((4, 4), 0.5) + 0.5 * np.eye(4)
    correlation[1] = correlation[:, 1] = nan
    found = largest_gap(values, lows, highs, 0.95, 0.95, correlation=correlation, draws=2000, seed=0)
    known = [0, 2, 3]
    alone = largest_gap(
        *([part[at] for at in known] for part in (values, lows, highs)), 0.95, 0.95,
        correlation=correlation[np.ix_(known, known)], draws=2000, seed=0,
    )  # fmt: skip
    assert (found.more, found.less) == (0, 3)
    assert (alone.more, alone.less) == (0, 2)
    assert (found.low, found.high) == (alone.low, alone.high)
