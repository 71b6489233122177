from __future__ import annotations

from math import isnan, log

import numpy as np
import pytest
from scipy import stats

from heldout.errors import HeldoutError
from heldout.stats.independent_samples import newcombe
from heldout.stats.textbook_tests import (
    binomial,
    binomial_tails,
    chi_square,
    chi_square_table,
    likelihood_ratio_normal,
    two_proportions,
)


def test_E4_fifteen_heads_of_twenty():
    found = binomial(15, 20, 0.5, alternative="greater", alpha=0.01)
    assert found.pvalue == pytest.approx(0.020695, abs=5e-7)
    assert found.decision == "fail to reject"
    assert binomial(15, 20, 0.5).pvalue == pytest.approx(0.041389, abs=5e-7)
    assert binomial(15, 20, 0.5).decision == "reject"


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_binomial_as_scipy_has_it(alternative):
    for x, n, p0 in ((0, 10, 0.3), (3, 10, 0.3), (10, 10, 0.3), (12, 40, 0.5), (7, 400, 0.02), (1, 1, 0.5)):
        found, want = binomial(x, n, p0, alternative=alternative), stats.binomtest(x, n, p0, alternative=alternative)
        assert found.pvalue == pytest.approx(want.pvalue, rel=1e-9)
        assert (found.low, found.high) == pytest.approx(tuple(want.proportion_ci(0.95)))


def test_a_p_value_of_just_alpha_rejects():
    found = binomial(3, 3, 0.5, alternative="greater", alpha=0.125, against=0.9)
    assert (found.pvalue, found.decision, found.power) == (0.125, "reject", pytest.approx(0.9**3))
    assert (found.value, found.level, found.effect) == (1.0, 0.875, "share")


def test_all_counts_have_their_p_value_and_no_others():
    for alternative in ("two-sided", "greater", "less"):
        assert binomial_tails(7, 0.3, alternative) == pytest.approx(
            [stats.binomtest(x, 7, 0.3, alternative=alternative).pvalue for x in range(8)]
        )
    # equally probable counts are equally extreme, whatever rounding says
    assert binomial_tails(3, 0.5, "two-sided").tolist() == pytest.approx([0.25, 1.0, 1.0, 0.25])
    assert max(binomial_tails(n, 0.3, "two-sided").max() for n in range(1, 200)) == 1.0  # no sum is above 1 by rounding


def test_the_exact_test_takes_ten_million_trials(monkeypatch):
    monkeypatch.setattr("heldout.stats.textbook_tests.MOST_TRIALS", 20)
    assert binomial(15, 20, 0.5).pvalue == pytest.approx(0.041389, abs=5e-7)
    with pytest.raises(HeldoutError, match="n is 21, too many for the exact test"):
        binomial(15, 21, 0.5)


def test_binomial_power_is_the_chance_of_rejecting():
    found = binomial(15, 20, 0.5, against=0.8)
    rejecting = [x for x in range(21) if binomial(x, 20, 0.5).pvalue <= 0.05]
    assert found.power == pytest.approx(stats.binom.pmf(rejecting, 20, 0.8).sum())
    assert found.beta == pytest.approx(1 - found.power)
    assert isnan(binomial(15, 20, 0.5).power)


def test_E4_goodness_of_fit():
    found = chi_square(np.array([10, 15, 8, 20]))
    assert (found.statistic, found.pvalue, found.df) == pytest.approx((6.547, 0.088, 3), abs=5e-4)
    assert found.decision == "fail to reject"
    for expected in ([1, 2, 1, 2], [0.1, 0.2, 0.1, 0.2]):
        want = stats.chisquare([10, 15, 8, 20], np.array([1, 2, 1, 2]) * 53 / 6)
        found = chi_square(np.array([10, 15, 8, 20]), np.array(expected))
        assert (found.statistic, found.pvalue) == pytest.approx(tuple(want))


def test_independence_as_scipy_has_it_with_cramers_v():
    table = np.array([[12, 7, 3], [5, 9, 14]])
    found, want = chi_square_table(table), stats.chi2_contingency(table, correction=False)
    assert (found.statistic, found.pvalue, found.df) == pytest.approx((want.statistic, want.pvalue, want.dof))
    assert found.value == pytest.approx(stats.contingency.association(table, "cramer"))
    assert found.effect == "Cramér's V"
    three = np.array([[12, 7, 3], [5, 9, 14], [2, 8, 20]])
    found = chi_square_table(three)
    assert found.value == pytest.approx(stats.contingency.association(three, "cramer"))
    assert 0 < found.low < found.value < found.high < 1


def test_E5_the_interval_of_an_effect_excludes_zero_where_its_test_rejects_clearly():
    strong = chi_square(np.array([10, 15, 8, 60]))
    assert strong.decision == "reject"
    assert 0 < strong.low < strong.value < strong.high
    for counts in ([22, 14, 24], [11, 14, 25], [10, 14, 26], [9, 13, 28]):
        found = chi_square(np.array(counts))
        assert (found.low > 0) == (found.decision == "reject"), counts
    even = chi_square(np.array([10, 10, 10]))
    assert (even.statistic, even.pvalue, even.low, even.level) == (0.0, 1.0, 0.0, 0.95)
    assert even.high == pytest.approx(0.2988, abs=1e-3)  # a perfect fit of 30 rows is no proof of equal shares


def test_likelihood_ratio_is_the_one_of_the_densities():
    x = np.random.default_rng(1).normal(0, 1.5, 12)
    for sigma0, sigma1 in ((1, 2), (2, 1)):
        found = likelihood_ratio_normal(x, sigma0, sigma1)
        want = stats.norm.logpdf(x, 0, sigma1).sum() - stats.norm.logpdf(x, 0, sigma0).sum()
        assert found.log_ratio == pytest.approx(want)
        rejects = np.sum(x**2) >= found.critical if sigma1 > sigma0 else np.sum(x**2) <= found.critical
        assert (found.decision.decision == "reject") == rejects


def test_likelihood_ratio_about_a_mean_that_is_not_zero():
    x = np.random.default_rng(1).normal(3, 1.5, 12)
    found = likelihood_ratio_normal(x, 1.2, 2, mean=3.0)
    assert found.log_ratio == pytest.approx(stats.norm.logpdf(x, 3, 2).sum() - stats.norm.logpdf(x, 3, 1.2).sum())
    assert (found.decision.df, found.decision.statistic) == (12, pytest.approx(np.sum((x - 3) ** 2) / 1.44))
    cut = stats.chi2.ppf(0.95, 12)
    assert found.critical == pytest.approx(cut * 1.44)
    assert found.decision.power == pytest.approx(stats.chi2.sf(cut * 1.44 / 4, 12))


def test_likelihood_ratio_has_the_size_and_power_it_says():
    rng = np.random.default_rng(2)
    for sigma0, sigma1 in ((1.0, 1.5), (1.5, 1.0)):
        tests = [
            [likelihood_ratio_normal(rng.normal(0, sigma, 10), sigma0, sigma1).decision for _ in range(1500)]
            for sigma in (sigma0, sigma1)
        ]
        size, power = (np.mean([one.decision == "reject" for one in found]) for found in tests)
        assert size == pytest.approx(0.05, abs=0.018)
        assert power == pytest.approx(tests[0][0].power, abs=0.04)


def test_likelihood_ratio_interval_is_that_of_a_variance():
    x = np.array([0.3, -1.2, 2.2, 0.8, -1.9, 0.1, 2.7, -0.4])
    found = likelihood_ratio_normal(x, 1, 2).decision
    assert found.value == pytest.approx(np.mean(x**2))
    assert (found.low, found.high) == pytest.approx(tuple(18.08 / stats.chi2.ppf([0.95, 0.05], 8)))
    assert found.level == pytest.approx(0.9)
    assert likelihood_ratio_normal(x, 1, 2).log_ratio == pytest.approx(8 * log(0.5) + 18.08 / 2 * 0.75)


@pytest.mark.parametrize("sigmas", [(1.0, 2.0), (2.0, 1.0)])
def test_the_side_that_the_likelihood_ratio_looks_to_is_where_interval_and_test_agree(sigmas):
    rng = np.random.default_rng(3)
    decided = [likelihood_ratio_normal(rng.normal(0, 1.5, 6), *sigmas).decision for _ in range(100)]
    rejects = [one.decision == "reject" for one in decided]
    assert [one.low > 1 if sigmas[1] > sigmas[0] else one.high < 1 for one in decided] == rejects
    assert 5 < sum(rejects) < 95


def test_two_proportions_are_the_table_of_four():
    found = two_proportions(30, 100, 20, 100, alpha=0.1)
    want = stats.chi2_contingency([[30, 70], [20, 80]], correction=False)
    assert (found.statistic**2, found.pvalue) == pytest.approx((want.statistic, want.pvalue))
    assert (found.low, found.high) == newcombe(30, 100, 20, 100, 0.9)
    pooled = 0.25 * 0.75 * (1 / 100 + 1 / 100)
    assert (found.value, found.standard_error, found.level) == (pytest.approx(0.1), pytest.approx(pooled**0.5), 0.9)
    assert (found.test, found.effect) == ("z, pooled", "difference of shares")
    same = two_proportions(0, 10, 0, 20)
    assert (same.statistic, same.pvalue, same.decision) == (0.0, 1.0, "fail to reject")


def test_one_sided_tests_of_two_proportions_bound_one_side():
    z = 0.1 / (0.25 * 0.75 * 0.02) ** 0.5
    for alternative, p in (("greater", stats.norm.sf(z)), ("less", stats.norm.cdf(z))):
        found = two_proportions(30, 100, 20, 100, alternative=alternative, alpha=0.1)
        low, high = newcombe(30, 100, 20, 100, 0.8)
        assert (found.pvalue, found.level) == (pytest.approx(p), 0.9)
        assert (found.low, found.high) == ((low, 1.0) if alternative == "greater" else (-1.0, high))
        assert found.test == f"z, pooled, {alternative}"


def test_the_textbook_interval_of_two_proportions_stays_within_one():
    assert two_proportions(9, 10, 0, 1, textbook=True).high == 1.0
    assert two_proportions(0, 1, 9, 10, textbook=True).low == -1.0
    assert two_proportions(9, 10, 0, 1, textbook=True).standard_error == pytest.approx((0.9 * 0.1 / 10) ** 0.5)


@pytest.mark.parametrize(
    "call",
    [
        lambda alpha: binomial(3, 9, 0.5, alpha=alpha),
        lambda alpha: chi_square([3, 9], alpha=alpha),
        lambda alpha: chi_square_table([[3, 9], [4, 2]], alpha=alpha),
        lambda alpha: likelihood_ratio_normal([1.0, 2.0], 1, 2, alpha=alpha),
        lambda alpha: two_proportions(3, 9, 4, 9, alpha=alpha),
    ],
)
def test_every_test_refuses_what_is_not_a_level(call):
    with pytest.raises(HeldoutError, match=r"alpha is 0\.5, which is not a significance level"):
        call(0.5)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: two_proportions(3, 9, 10, 9),
            "[H110] 10 of 9 is more than there are\n  Fix: give the part, then the whole",
        ),
        (
            lambda: two_proportions(3, 9, 4, 9, alternative="more"),
            "alternative is 'more', but must be 'two-sided', 'greater' or 'less'\n  Fix: leave it out for 'two-sided'",
        ),
        (
            lambda: likelihood_ratio_normal([1.0], 1, 2, mean=float("inf")),
            "mean is inf, but must be a number from -1e+60 to 1e+60\n  Fix: give a number such as 0",
        ),
        (
            lambda: chi_square_table([[0, 0], [1, 2]]),
            "[H110] line 1 of the table holds no count\n  Fix: leave the line out",
        ),
        (
            lambda: binomial(21, 20, 0.5),
            "[H110] 21 of 20 is more than there are\n  Fix: give the part, then the whole",
        ),
        (lambda: binomial(1.5, 20, 0.5), "[H110] 1.5 is not a count\n  Fix: give whole numbers from 0 to 1e15"),
        (
            lambda: binomial(0, 0, 0.5),
            "[H110] there is nothing to count: 0 in all\n  Fix: give the counts of at least one row",
        ),
        (lambda: binomial(1, 9, 1.0), "p0 is 1, which is not between 0 and 1\n  Fix: give a share such as 0.5"),
        (
            lambda: binomial(1, 9, 0.5, against=-1),
            "against is -1, which is not between 0 and 1\n  Fix: give a share such as 0.5",
        ),
        (
            lambda: binomial(1, 9, 0.5, alternative="more"),
            (
                "alternative is 'more', but must be 'two-sided', 'greater' or 'less'\n"
                "  Fix: leave it out for 'two-sided'"
            ),
        ),
        (
            lambda: binomial(1, 10**8, 0.5),
            (
                "n is 100,000,000, too many for the exact test\n"
                "  Fix: evaluate_counts(wrong=..., of=...) gives the share with its interval"
            ),
        ),
        (
            lambda: chi_square([1, 2], alpha=5),
            "alpha is 5, which is not a significance level\n  Fix: give a number above 0 and below 0.5, such as 0.05",
        ),
        (
            lambda: chi_square([5]),
            "[H110] one count alone fits whatever is expected\n  Fix: give at least two counts",
        ),
        (
            lambda: chi_square([[1, 2], [3, 4]]),
            "[H110] the counts are 2 x 2, not one row of counts\n  Fix: give one row of counts",
        ),
        (lambda: chi_square([3, -1]), "[H110] -1.0 is not a count\n  Fix: give whole numbers from 0 to 1e15"),
        (
            lambda: chi_square([3, float("nan")]),
            (
                "[H305] number 2 of the counts is nan, which is missing or infinite\n"
                "  Fix: remove it, and say why it was removed"
            ),
        ),
        (
            lambda: chi_square(["a", "b"]),
            "[H108] the counts are not numbers\n  Fix: give a list or an array of numbers",
        ),
        (
            lambda: chi_square([5, 6], [1, 2, 3]),
            "2 counts were observed, but 3 are expected\n  Fix: give one expected number for each count",
        ),
        (
            lambda: chi_square([5, 6], [1, 0]),
            "[H110] a count of 0 cannot be expected\n  Fix: leave out or join categories that cannot occur",
        ),
        (
            lambda: chi_square_table([1, 2]),
            ("[H110] the counts are 2, not a table of lines and columns\n  Fix: give a table of lines and columns"),
        ),
        (
            lambda: chi_square_table([[1, 2]]),
            (
                "[H110] a table of 1 x 2 has nothing to be independent of\n"
                "  Fix: give at least two lines and two columns"
            ),
        ),
        (
            lambda: chi_square_table([[1, 0], [2, 0]]),
            "[H110] column 2 of the table holds no count\n  Fix: leave the column out",
        ),
        (
            lambda: likelihood_ratio_normal([1.0], 1, 1),
            ("sigma0 and sigma1 are both 1: there is nothing to test\n  Fix: give two standard deviations that differ"),
        ),
        (
            lambda: likelihood_ratio_normal([1.0], 1, -1),
            "sigma1 is -1, but must be a standard deviation from 1e-60 to 1e+60\n  Fix: give a number such as 1",
        ),
        (
            lambda: likelihood_ratio_normal([], 1, 2),
            "[H112] there is no number to test\n  Fix: give at least one",
        ),
        (
            lambda: likelihood_ratio_normal([1.0, float("inf")], 1, 2),
            (
                "[H305] number 2 of the data is inf, which is missing or infinite\n"
                "  Fix: remove it, and say why it was removed"
            ),
        ),
        (
            lambda: two_proportions(3, 2, 1, 9),
            "[H110] 3 of 2 is more than there are\n  Fix: give the part, then the whole",
        ),
    ],
)
def test_what_cannot_be_tested(call, said):
    with pytest.raises(HeldoutError) as refused:
        call()
    assert str(refused.value) == said


def test_cohens_w_is_never_beyond_what_the_expected_shares_allow():
    found = chi_square(np.array([10, 0]))
    assert (found.value, found.high) == (pytest.approx(1), pytest.approx(1))
    found = chi_square(np.array([9, 0, 0]), np.array([0.2, 0.3, 0.5]))
    assert found.value == found.high == pytest.approx(2)
    # all rows in the category that is expected least, a fifth of them: w = sqrt((1 - 0.2) / 0.2)
    found = chi_square(np.array([9, 1, 1]), np.array([0.2, 0.3, 0.5]))
    assert found.value < found.high <= 2
    wide = chi_square(np.array([6, 0]), np.array([0.2, 0.8]))
    assert wide.high == pytest.approx(2)
    cut = chi_square(np.array([5, 1]), np.array([0.2, 0.8]))  # six rows alone would allow more
    assert (cut.value, cut.high) == (pytest.approx(np.sqrt((3.8**2 / 1.2 + 3.8**2 / 4.8) / 6)), pytest.approx(2))
