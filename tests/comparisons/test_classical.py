from __future__ import annotations

from math import isnan, log

import numpy as np
import pytest
from scipy import stats

from heldout.comparisons.classical import (
    binomial,
    chi_square,
    chi_square_table,
    likelihood_ratio_normal,
    two_proportions,
)
from heldout.comparisons.independent import newcombe


def test_E4_fifteen_heads_of_twenty():
    found = binomial(15, 20, 0.5, alternative="greater", alpha=0.01)
    assert found.p == pytest.approx(0.020695, abs=5e-7)
    assert found.decision == "fail to reject"
    assert binomial(15, 20, 0.5).p == pytest.approx(0.041389, abs=5e-7)
    assert binomial(15, 20, 0.5).decision == "reject"


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_binomial_as_scipy_has_it(alternative):
    for x, n, p0 in ((0, 10, 0.3), (3, 10, 0.3), (10, 10, 0.3), (12, 40, 0.5), (7, 400, 0.02), (1, 1, 0.5)):
        found, want = binomial(x, n, p0, alternative=alternative), stats.binomtest(x, n, p0, alternative=alternative)
        assert found.p == pytest.approx(want.pvalue, rel=1e-9)
        assert (found.low, found.high) == pytest.approx(tuple(want.proportion_ci(0.95)))


def test_binomial_power_is_the_chance_of_rejecting():
    found = binomial(15, 20, 0.5, against=0.8)
    rejecting = [x for x in range(21) if binomial(x, 20, 0.5).p <= 0.05]
    assert found.power == pytest.approx(stats.binom.pmf(rejecting, 20, 0.8).sum())
    assert found.beta == pytest.approx(1 - found.power)
    assert isnan(binomial(15, 20, 0.5).power)


def test_E4_goodness_of_fit():
    found = chi_square(np.array([10, 15, 8, 20]))
    assert (found.statistic, found.p, found.df) == pytest.approx((6.547, 0.088, 3), abs=5e-4)
    assert found.decision == "fail to reject"
    for expected in ([1, 2, 1, 2], [0.1, 0.2, 0.1, 0.2]):
        want = stats.chisquare([10, 15, 8, 20], np.array([1, 2, 1, 2]) * 53 / 6)
        found = chi_square(np.array([10, 15, 8, 20]), np.array(expected))
        assert (found.statistic, found.p) == pytest.approx(tuple(want))


def test_independence_as_scipy_has_it_with_cramers_v():
    table = np.array([[12, 7, 3], [5, 9, 14]])
    found, want = chi_square_table(table), stats.chi2_contingency(table, correction=False)
    assert (found.statistic, found.p, found.df) == pytest.approx((want.statistic, want.pvalue, want.dof))
    assert found.value == pytest.approx(stats.contingency.association(table, "cramer"))
    assert found.effect == "Cramér's V"


def test_E5_the_interval_of_an_effect_excludes_zero_where_its_test_rejects_clearly():
    strong = chi_square(np.array([10, 15, 8, 60]))
    assert strong.decision == "reject"
    assert 0 < strong.low < strong.value < strong.high
    far = [stats.ncx2.cdf(strong.statistic, 3, 93 * end**2) for end in (strong.low, strong.high)]
    assert far == pytest.approx([0.975, 0.025])
    even = chi_square(np.array([10, 10, 10]))
    assert (even.statistic, even.p, even.low) == (0.0, 1.0, 0.0)


def test_likelihood_ratio_is_the_one_of_the_densities():
    x = np.random.default_rng(1).normal(0, 1.5, 12)
    for sigma0, sigma1 in ((1, 2), (2, 1)):
        found = likelihood_ratio_normal(x, sigma0, sigma1)
        want = stats.norm.logpdf(x, 0, sigma1).sum() - stats.norm.logpdf(x, 0, sigma0).sum()
        assert found.log_ratio == pytest.approx(want)
        rejects = np.sum(x**2) >= found.critical if sigma1 > sigma0 else np.sum(x**2) <= found.critical
        assert (found.decision.decision == "reject") == rejects


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
    assert (found.low, found.high) == pytest.approx(tuple(18.08 / stats.chi2.ppf([0.975, 0.025], 8)))
    assert likelihood_ratio_normal(x, 1, 2).log_ratio == pytest.approx(8 * log(0.5) + 18.08 / 2 * 0.75)


def test_two_proportions_are_the_table_of_four():
    found = two_proportions(30, 100, 20, 100, alpha=0.1)
    want = stats.chi2_contingency([[30, 70], [20, 80]], correction=False)
    assert (found.statistic**2, found.p) == pytest.approx((want.statistic, want.pvalue))
    assert (found.low, found.high) == newcombe(30, 100, 20, 100, 0.9)
    same = two_proportions(0, 10, 0, 20)
    assert (same.statistic, same.p, same.decision) == (0.0, 1.0, "fail to reject")
