from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from heldout.stats.wilcoxon import SignedRank, bayes_signed_rank, pseudomedian, signed_rank

RNG = np.random.default_rng


def by_counting(differences: np.ndarray) -> float:
    """All signs of the ranks of non-zero differences, zeros ranked."""
    ranks = stats.rankdata(np.abs(differences))[differences != 0]
    seen = abs(np.dot(np.sign(differences[differences != 0]), ranks))
    return float(np.mean([abs(np.dot(signs, ranks)) >= seen for signs in product((1, -1), repeat=len(ranks))]))


@pytest.mark.parametrize(
    "differences", [[1, 2, -3, 4, 5, 6, -7], [1, 1, 1, -2, 2, 3], [0, 0, 1, -2, 3, 4], [5, 5, 5, 5], [0, 1]]
)
def test_exact_counts_all_signs_with_ties_and_zeros(differences):
    d = np.array(differences, float)
    assert signed_rank(d).pvalue == pytest.approx(by_counting(d))
    assert signed_rank(d, zeros="pratt").pvalue == pytest.approx(by_counting(d))
    assert signed_rank(d, zeros="drop").pvalue == pytest.approx(by_counting(d[d != 0]))
    assert signed_rank(d).plus + signed_rank(d).minus == len(d) * (len(d) + 1) / 2


def test_exact_and_normal_as_scipy_has_them():
    d = RNG(1).normal(0.3, 1, 40)
    assert signed_rank(d).pvalue == pytest.approx(stats.wilcoxon(d, method="exact").pvalue)
    d = RNG(1).integers(-3, 5, 80).astype(float)
    for zeros, theirs in (("split", "zsplit"), ("pratt", "pratt"), ("drop", "wilcox")):
        want = stats.wilcoxon(d, zero_method=theirs, method="approx", correction=True)
        found = signed_rank(d, zeros=zeros, correction=True)
        assert (min(found.plus, found.minus), found.pvalue) == pytest.approx((want.statistic, want.pvalue))
        assert found.method == "normal"


def test_differences_equal_but_for_rounding_share_their_rank():
    d = np.array([0.3 - 0.2, 0.2 - 0.1, 0.7])
    assert d[0] != d[1]
    assert signed_rank(np.array([-d[0], d[1], d[2]])).minus == 1.5
    assert signed_rank(1e-20 * np.array([1.0, 2.0, -3.0])).plus == 3.0


def test_nothing_but_zeros():
    for zeros in ("split", "pratt", "drop"):
        assert signed_rank(np.zeros(4), zeros=zeros).pvalue == 1.0
    assert signed_rank(np.array([])).pvalue == 1.0


def test_bayes_is_symmetric_and_adds_up():
    d = RNG(2).normal(0.01, 0.02, 15)
    one, other = (bayes_signed_rank(sign * d, 0.01, n_resamples=4000, random_state=0) for sign in (1, -1))
    assert sum(one) == pytest.approx(1)
    assert one == pytest.approx(other[::-1])


def test_bayes_without_a_rope_never_calls_it_a_draw():
    below, within, above = bayes_signed_rank(RNG(2).normal(0.01, 0.02, 15), 0.0, n_resamples=500, random_state=0)
    assert within == 0
    assert below + above == pytest.approx(1)
    assert bayes_signed_rank(np.zeros(5), 0.0, n_resamples=500, random_state=0) == pytest.approx((0.5, 0.0, 0.5))


def test_bayes_within_the_rope():
    assert bayes_signed_rank(np.full(10, 0.001), 0.01, n_resamples=200, random_state=0) == (0.0, 1.0, 0.0)


def test_the_interval_holds_the_shifts_that_the_test_keeps():
    d = np.random.default_rng(5).normal(0.3, 1.0, 13)
    value, low, high = pseudomedian(d, 0.95)
    assert low < value < high
    for shift, kept in ((low - 1e-6, False), (low + 1e-6, True), (high - 1e-6, True), (high + 1e-6, False)):
        assert (signed_rank(d - shift).pvalue > 0.05) == kept


def test_the_interval_needs_six_differences_at_95_percent():
    assert pseudomedian(np.arange(1.0, 6.0), 0.95) == (3.0, -np.inf, np.inf)
    assert pseudomedian(np.arange(1.0, 7.0), 0.95) == (3.5, 1.0, 6.0)


def test_beyond_fifty_differences_the_normal_interval_goes_on_where_counting_ended():
    d = np.random.default_rng(6).normal(0.1, 1.0, 51)
    counted, normal = pseudomedian(d[:50], 0.95), pseudomedian(d, 0.95)
    assert normal == pytest.approx(counted, abs=0.1)
    for shift, kept in ((normal[1] - 0.01, False), (normal[1] + 0.01, True)):
        assert (signed_rank(d - shift, method="exact").pvalue > 0.05) == kept


def test_the_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(7)
    ends = [pseudomedian(d, 0.95) for d in rng.standard_t(3, (600, 14)) + 0.3]
    held = np.mean([low <= 0.3 <= high for _, low, high in ends])
    assert 0.95 - 3 * np.sqrt(0.95 * 0.05 / 600) <= held <= 0.985


def test_exact_up_to_fifty_differences_and_normal_beyond():
    assert [signed_rank(RNG(3).normal(size=n)).method for n in (50, 51)] == ["exact", "normal"]
    d = RNG(3).normal(0.2, 1, 60)
    assert signed_rank(d, method="exact").pvalue == pytest.approx(stats.wilcoxon(d, method="exact").pvalue)
    assert signed_rank(d, method="exact").method == "exact"


def test_sums_that_are_equal_have_no_z_whatever_the_correction():
    for correction in (True, False):
        tested = signed_rank(np.array([1.0, -1.0] * 30), method="normal", correction=correction)
        assert (tested.z, tested.pvalue) == (0.0, 1.0)
    # rank sums of 2 and 1 are half a rank from their mean, which the correction takes away
    assert signed_rank(np.array([-1.0, 2.0]), method="normal", correction=True).z == 0.0
    assert signed_rank(np.zeros(3)) == SignedRank(plus=0.0, minus=0.0, z=0.0, pvalue=1.0, method="exact")


def test_without_correction_for_ties_the_spread_is_that_of_whole_ranks():
    d = RNG(5).integers(-3, 5, 40).astype(float)
    tested = signed_rank(d, method="normal", tie_correction=False)
    # the variance of a sum of ranks 1..n, each in it with chance 1/2
    assert tested.z == pytest.approx((tested.plus - tested.minus) / 2 / np.sqrt(sum(k * k / 4 for k in range(1, 41))))


def test_no_continuity_correction_unless_it_is_asked_for():
    d = RNG(4).normal(0.2, 1, 30)
    want = stats.wilcoxon(d, method="approx", correction=False)
    assert signed_rank(d, method="normal").pvalue == pytest.approx(want.pvalue)


def most_left_out(n: int, alpha: float) -> int:
    """The largest sum of ranks with a chance of at most alpha / 2 of being that small or smaller: all signs counted."""
    ways = [1]
    for rank in range(1, n + 1):
        longer = ways + [0] * rank
        ways = [count + (longer[at - rank] if at >= rank else 0) for at, count in enumerate(longer)]
    below, most = 0, -1
    while 2 * (below + ways[most + 1]) <= alpha * 2**n:
        most += 1
        below += ways[most]
    return most


@pytest.mark.parametrize("n", [51, 60, 72])  # at others, such as 80, the normal curve is one mean off
def test_the_normal_interval_leaves_out_as_many_means_as_counting_would(n):
    d = RNG(n).normal(size=n)
    means = np.sort([(d[i] + d[j]) / 2 for i in range(n) for j in range(i, n)])
    left_out = most_left_out(n, 0.05)
    assert pseudomedian(d) == pytest.approx((np.median(means), means[left_out], means[-1 - left_out]), abs=1e-12)


def test_a_level_that_can_be_reached_exactly_is():
    # the 32 signs of 5 ranks: 2 of them have all ranks on one side
    assert pseudomedian(np.arange(1.0, 6.0), 1 - 2 / 32) == (3.0, 1.0, 5.0)


@pytest.mark.parametrize(
    ("rope", "want"),
    # One difference of 1 beside the pseudo-observation at 0, with weights u and 1 - u, u uniform: means of pairs are
    # 0, 1/2 and 1, with weights (1 - u)^2, 2u(1 - u), u^2. The side with more than half of the weight wins.
    [  # the weight of the prior is Beta(1/2, 1): it is below x with probability sqrt(x)
        (0.3, (0.0, 1 - 0.5**0.25, 0.5**0.25)),
        (0.7, (0.0, 1 - np.sqrt(1 - np.sqrt(0.5)), np.sqrt(1 - np.sqrt(0.5)))),
        (2.0, (0, 1, 0)),
    ],
)
def test_bayes_with_one_difference_in_closed_form(rope, want):
    found = bayes_signed_rank(np.array([1.0]), rope, n_resamples=20_000, random_state=1)
    assert found == pytest.approx(want, abs=4 * np.sqrt(0.25 / 20_000))
    assert bayes_signed_rank(np.array([1.0]), rope, random_state=1) == pytest.approx(want, abs=0.02)


def test_bayes_gives_the_same_in_chunks(monkeypatch):
    d = RNG(2).normal(0.01, 0.02, 15)
    whole = bayes_signed_rank(d, 0.01, n_resamples=1000, random_state=0)
    monkeypatch.setattr("heldout.stats.wilcoxon.NUMBERS_AT_ONCE", 300 * 16)
    assert bayes_signed_rank(d, 0.01, n_resamples=1000, random_state=0) == pytest.approx(whole)
