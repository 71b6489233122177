from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from heldout.stats.multiplicity import holm
from heldout.stats.rank_tests import (
    bonferroni_dunn,
    friedman,
    friedman_of_ranks,
    nemenyi,
    nemenyi_p,
    nemenyi_pairs,
    ranks_of,
    sign_test_wins,
    versus_control,
    wilcoxon_pairs,
)
from heldout.stats.wilcoxon import signed_rank

# Fourteen data sets, C4.5 and its variants with m, with cf and with both, as Demšar (2006) prints them.
SCORES = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
RANKS = np.array([44.0, 28.0, 40.5, 27.5]) / 14
"""The paper's own: 3.143, 2.000, 2.893, 1.964."""
WINS = [5, 6, 7, 7, 8, 9, 9, 10, 10, 11, 12, 12, 13, 13, 14, 15, 15, 16, 17, 18, 18]
"""The paper's table of wins for 5 to 25 data sets."""


def test_F10_the_papers_ranks_give_the_papers_statistics():
    found = friedman_of_ranks(RANKS, 14)
    assert found.chi_square == pytest.approx(9.2786, abs=5e-5)
    assert found.f == pytest.approx(3.6863, abs=5e-5)
    assert found.f_pvalue < 0.05


def test_F10_first_trap_the_printed_scores_tie_where_the_paper_does_not():
    assert friedman(SCORES).ranks == pytest.approx([3.1429, 2.0, 2.9286, 1.9286], abs=5e-5)
    assert friedman(SCORES, tie_correction=False).chi_square == pytest.approx(9.857, abs=5e-4)
    assert friedman(SCORES).chi_square == pytest.approx(10.952, abs=5e-4)


def test_F10_critical_differences_and_the_second_trap():
    assert nemenyi(4, 14, 0.05) == pytest.approx(1.2536, abs=5e-5)
    assert nemenyi(4, 14, 0.10) == pytest.approx(1.1181, abs=5e-5)
    # Without the factor sqrt(k (k + 1) / (6 N)) the critical difference is the paper's q.
    q = [nemenyi(k, 1, 0.05) / np.sqrt(k * (k + 1) / 6) for k in range(2, 11)]
    assert q == pytest.approx([1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164], abs=5.1e-4)
    assert bonferroni_dunn(4, 14, 0.05) == pytest.approx(1.1681, abs=5e-5)
    # The paper prints 2.724 for nine learners.
    assert bonferroni_dunn(9, 15, 0.05) == pytest.approx(2.734, abs=5e-4)


def test_F10_against_the_first_learner():
    found = versus_control(RANKS, 14)
    assert found.statistic == pytest.approx([2.3422, 0.5123, 2.4154], abs=5e-5)
    assert found.pvalue == pytest.approx([0.0192, 0.6084, 0.0157], abs=5e-5)
    assert (found.adjusted < 0.05).tolist() == [True, False, True]
    assert found.pairs.tolist() == [[0, 1], [0, 2], [0, 3]]
    assert versus_control(RANKS, 14, control=3).statistic[0] == pytest.approx(-2.4154, abs=5e-5)


def test_F10_wilcoxon_of_the_first_two():
    found = signed_rank(SCORES[:, 1] - SCORES[:, 0], tie_correction=False, method="normal")
    assert (found.plus, found.minus) == (93.0, 12.0)
    assert found.z == pytest.approx(2.5424, abs=5e-5)


def test_the_readme_of_mlr3benchmark():
    scores = [
        [0.28, 0.9466667, 0.96],
        [0.5334023, 0.6537612, 0.6394755],
        [0.3990584, 0.8652542, 0.9048023],
        [0.4058229, 0.8309566, 0.9099822],
    ]
    found = friedman(np.array(scores))
    assert (found.chi_square, found.chi_square_pvalue) == pytest.approx((6.5, 0.03877421))
    assert nemenyi_p(found.ranks, 4)[np.triu_indices(3, 1)] == pytest.approx([0.181, 0.036, 0.759], abs=5e-4)


def test_friedman_as_scipy_has_it_with_ties_and_upside_down():
    scores = np.random.default_rng(1).integers(0, 5, (20, 5)).astype(float)
    want = stats.friedmanchisquare(*scores.T)
    assert (friedman(scores).chi_square, friedman(scores).chi_square_pvalue) == pytest.approx(tuple(want))
    assert friedman(-scores, better="lower").ranks == pytest.approx(friedman(scores).ranks)
    assert ranks_of(scores, higher=False) == pytest.approx(stats.rankdata(scores, axis=1))


def test_friedman_where_nothing_or_everything_differs():
    nothing = friedman(np.ones((6, 3)))
    assert (nothing.chi_square, nothing.chi_square_pvalue, nothing.f, nothing.f_pvalue) == (0.0, 1.0, 0.0, 1.0)
    always = friedman(np.tile([0.1, 0.2, 0.3], (6, 1)))
    assert (always.chi_square, always.f, always.f_pvalue) == (pytest.approx(12), float("inf"), 0.0)


def test_nemenyi_p_is_the_studentised_range():
    found = nemenyi_p(np.array([1.5, 2.0, 2.5]), 20)
    want = stats.studentized_range.sf(np.array([0.5, 1.0]) / np.sqrt(3 * 4 / 120) * np.sqrt(2), 3, np.inf)
    assert found[0, 1:] == pytest.approx(want, abs=1e-8)
    assert np.diag(found) == pytest.approx(1)


def test_wilcoxon_pairs_tests_every_pair_and_corrects():
    found = wilcoxon_pairs(SCORES)
    assert found.pairs.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert found.pvalue[0] == pytest.approx(0.0078125)
    assert found.statistic[0] == 12.0
    assert found.adjusted == pytest.approx(holm(found.pvalue))


def test_wins_that_a_sign_test_needs():
    for sets in (6, 20, 22, 24):
        wins = sign_test_wins(sets, 0.05)
        assert stats.binomtest(wins, sets).pvalue <= 0.05 < stats.binomtest(wins - 1, sets).pvalue
    assert sign_test_wins(5, 0.05) is None
    assert sign_test_wins(0, 0.05) is None


def test_the_papers_table_of_wins_is_that_of_the_one_sided_test_but_for_two():
    ours = {sets: sign_test_wins(sets, 0.05, alternative="greater") for sets in range(5, 26)}
    printed = dict(zip(range(5, 26), WINS, strict=True))
    assert {sets: wins for sets, wins in ours.items() if wins != printed[sets]} == {23: 16, 24: 17}
    assert (printed[23], printed[24]) == (17, 18)
    assert [sign_test_wins(sets, 0.5, alternative="greater") for sets in (1, 2, 3)] == [1, 2, 2]
    assert sign_test_wins(5, 2 / 32) == 5  # a p-value of just alpha is significant


def test_f_is_the_analysis_of_variance_of_ranks():
    """Iman and Davenport's F is that of the two-way analysis of variance with ranks for scores [conover81]."""
    scores = np.random.default_rng(2).normal(size=(9, 4))
    ranks = stats.rankdata(-scores, axis=1)
    between = 9 * np.sum((ranks.mean(axis=0) - 2.5) ** 2)
    within = np.sum((ranks - ranks.mean(axis=0)) ** 2)
    f = between / 3 / (within / (3 * 8))
    found = friedman(scores)
    assert (found.f, found.f_pvalue) == pytest.approx((f, stats.f.sf(f, 3, 3 * 8)))


def test_a_little_is_left_where_one_set_disagrees():
    scores = np.vstack([np.tile([0.1, 0.2, 0.3], (30, 1)), [0.2, 0.1, 0.3]])
    found = friedman(scores)
    left = 31 * 2 - found.chi_square
    assert 0 < left < 2
    assert (found.f, found.f_pvalue) == (pytest.approx(30 * found.chi_square / left), pytest.approx(0.0, abs=1e-30))
    small = friedman_of_ranks(np.array([2.1, 2.0, 1.9]), 10)
    assert small.chi_square == pytest.approx(0.2)  # 12 N / (k (k + 1)) times the sum of squares 0.02


def test_pairs_by_ranks_have_z_and_who_is_ahead():
    ranks = np.array([1.5, 3.0, 2.5, 3.0])
    found = nemenyi_pairs(ranks, 12)
    assert found.pairs.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    z = np.array([-1.5, -1.0, -1.5, 0.5, 0.0, -0.5]) / np.sqrt(4 * 5 / (6 * 12))
    assert found.statistic == pytest.approx(z)
    assert found.pvalue == pytest.approx(2 * stats.norm.sf(np.abs(z)))
    assert found.ahead.tolist() == [1, 1, 1, -1, 0, 1]  # lower ranks are better
    assert versus_control(ranks, 12, control=2).ahead.tolist() == [-1, 1, 1]


@pytest.mark.parametrize("higher", [True, False])
def test_who_is_ahead_by_signed_ranks(higher):
    scores = SCORES if higher else -SCORES
    found = wilcoxon_pairs(scores, higher=higher)
    assert found.ahead.tolist() == [-1, -1, -1, 1, -1, -1]
    assert wilcoxon_pairs(SCORES).ahead.tolist() == found.ahead.tolist()
    against_last = wilcoxon_pairs(scores, higher=higher, control=3)
    assert against_last.pairs.tolist() == [[3, 0], [3, 1], [3, 2]]
    assert against_last.ahead.tolist() == [1, 1, 1]
    assert against_last.adjusted == pytest.approx(holm(found.pvalue[[2, 4, 5]]))


def test_critical_differences_of_two_and_of_many_learners():
    assert nemenyi(2, 6) == pytest.approx(stats.norm.ppf(0.975) * np.sqrt(2 * 3 / 36))
    many = stats.studentized_range.ppf(0.95, 40, np.inf) / np.sqrt(2)
    assert nemenyi(40, 100) == pytest.approx(many * np.sqrt(40 * 41 / 600), rel=1e-6)
    # nearly all differences of ranks are beyond one that nine of ten pairs of equal models reach
    assert nemenyi(2, 6, 0.9) == pytest.approx(stats.norm.ppf(0.55) * np.sqrt(2 * 3 / 36))


def test_less_than_one_is_left_where_one_of_ten_sets_swaps_two_of_five():
    """A swap of neighbours takes 24 (1 - 1 / N) / (k (k + 1)) from the largest chi-square, N (k - 1)."""
    scores = np.tile([0.1, 0.2, 0.3, 0.4, 0.5], (10, 1))
    scores[0, :2] = 0.2, 0.1
    found, left = friedman(scores), 24 * 0.9 / 30
    assert found.chi_square == pytest.approx(40 - left)
    assert found.f == pytest.approx(9 * (40 - left) / left)
    assert 0 < found.f_pvalue < 1e-30
