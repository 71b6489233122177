from __future__ import annotations

from itertools import product
from math import isnan

import numpy as np
import pytest
from scipy import stats
from scipy.special import xlogy

from heldout.stats.independent_samples import (
    _likeliest_second,
    agresti_caffo,
    combined,
    miettinen_nurminen,
    newcombe,
    textbook_z,
    unpaired_areas,
    wald,
    welch,
)


@pytest.mark.parametrize(
    ("counts", "ends"),
    [
        ((56, 70, 48, 80), (0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.1705, 0.8090)),
        ((10, 10, 0, 20), (0.6791, 1.0)),
        ((5, 56, 0, 29), (-0.0381, 0.1926)),
    ],
)
def test_newcombe_on_published_counts(counts, ends):
    assert newcombe(*counts, 0.95) == pytest.approx(ends, abs=5.1e-5)


def test_miettinen_nurminen_as_two_other_tools_have_it():
    assert miettinen_nurminen(30, 100, 20, 100, 0.95) == pytest.approx((-0.02055128, 0.21904053), abs=1e-7)


def test_score_and_newcombe_hold_the_value_and_mirror():
    for x1, x2 in product((0, 1, 5, 10), (0, 3, 8)):
        for interval in (newcombe, miettinen_nurminen):
            low, high = interval(x1, 10, x2, 8, 0.95)
            assert -1 - 1e-12 <= low <= x1 / 10 - x2 / 8 <= high <= 1 + 1e-12
            assert low < high
            assert interval(x2, 8, x1, 10, 0.95) == pytest.approx((-high, -low))


def test_a_sample_without_rows_says_nothing():
    assert newcombe(0, 0, 3, 8, 0.95) == miettinen_nurminen(3, 8, 0, 0, 0.95) == (-1.0, 1.0)
    assert all(map(isnan, wald(0, 0, 3, 8, 0.95)))


@pytest.mark.parametrize("interval", [newcombe, miettinen_nurminen, wald])
def test_one_row_is_a_sample(interval):
    for counts in ((3, 8, 1, 1), (1, 1, 3, 8)):
        low, high = interval(*counts, 0.5)
        assert -1 < low < high < 1


def test_the_likeliest_shares_that_differ_by_a_number():
    """Beside a search over the likelihood; at D the second share lies between max(0, -D) and min(1, 1 - D)."""
    tables = ((3, 8, 5, 9), (0, 8, 5, 9), (8, 8, 5, 9), (3, 8, 0, 9), (3, 8, 9, 9), (8, 8, 0, 9), (0, 8, 9, 9))
    for x1, n1, x2, n2 in tables:
        for difference in (-0.95, -0.6, -0.1, 0.0, 0.2, 0.7, 0.95):
            least, most = max(0.0, -difference), min(1.0, 1 - difference)
            shares = np.linspace(least, most, 20_001)
            first = np.clip(shares + difference, 0, 1)
            logs = xlogy(x1, first) + xlogy(n1 - x1, 1 - first) + xlogy(x2, shares) + xlogy(n2 - x2, 1 - shares)
            found = _likeliest_second(x1, n1, x2, n2, difference)
            assert least <= found <= most
            assert found == pytest.approx(shares[np.argmax(logs)], abs=2e-4)


def test_agresti_caffo_adds_a_success_and_a_failure():
    assert agresti_caffo(30, 100, 20, 100, 0.95) == wald(31, 102, 21, 102, 0.95)


def test_textbook_z_on_mitchells_example():
    found = textbook_z(30, 100, 20, 100, 0.95)
    assert found.statistic == pytest.approx(1.6440, abs=5e-5)
    assert found.pvalue == pytest.approx(0.1002, abs=5e-5)
    assert (found.low, found.high) == pytest.approx((-0.0192, 0.2192), abs=5e-5)
    assert (found.notes, found.level) == ((), 0.95)


def test_textbook_z_without_an_error_says_so():
    found = textbook_z(10, 10, 0, 10, 0.95)
    assert (found.low, found.high) == (1.0, 1.0)
    assert isnan(found.pvalue)
    assert found.notes == ("both shares are 0 or 1: the textbook's standard error is 0",)


def test_welch_as_scipy_has_it():
    rng = np.random.default_rng(3)
    one, other = rng.normal(0, 1, 12), rng.normal(0.5, 3, 30)
    found = welch(one.mean(), one.var(ddof=1), 12, other.mean(), other.var(ddof=1), 30, confidence_level=0.9)
    want = stats.ttest_ind(one, other, equal_var=False)
    assert (found.statistic, found.pvalue) == pytest.approx((want.statistic, want.pvalue))
    assert (found.low, found.high) == pytest.approx(tuple(want.confidence_interval(0.9)))
    assert (found.level, found.df) == (0.9, pytest.approx(want.df))


def test_welch_of_two_rows_and_of_one():
    one, other = np.array([0.1, 0.5]), np.array([0.2, 1.4, 0.9])
    found = welch(one.mean(), one.var(ddof=1), 2, other.mean(), other.var(ddof=1), 3)
    assert found.pvalue == pytest.approx(stats.ttest_ind(one, other, equal_var=False).pvalue)
    alone = welch(0.1, 0.2, 1, other.mean(), other.var(ddof=1), 3, confidence_level=0.9)
    assert (alone.value, alone.level, alone.notes) == (
        pytest.approx(0.1 - other.mean()),
        0.9,
        ("fewer than two rows in a sample",),
    )
    flat = welch(0.1, 0.0, 2, 0.3, 0.0, 2)
    assert flat.notes == ("no variance in either sample",)
    assert np.isnan([alone.pvalue, alone.statistic, flat.pvalue, flat.low]).all()


@pytest.mark.parametrize(
    ("first", "second", "z", "p"),
    [
        ((0.8236788618, 0.00146991471), (0.7313685637, 0.00266868246), 1.434906409, 0.152825379),
        ((0.8236788618, 0.00146991471), (0.6119579946, 0.00319081055), 3.101250968, 0.00220950792),
        ((0.6119579946, 0.00319081055), (0.7313685637, 0.00266868246), -1.559957434, 0.120192832),
    ],
)
def test_unpaired_areas_on_published_values(first, second, z, p):
    found = unpaired_areas(*first, *second, 113, 113, level=0.95)
    assert (found.statistic, found.pvalue) == pytest.approx((z, p), rel=1e-6)
    assert (found.low > 0 or found.high < 0) == (p < 0.05)


def test_two_means_without_spread_or_rows_have_no_test():
    flat, single = welch(1, 0, 5, 0, 0, 5, confidence_level=0.95), welch(1, 1, 1, 0, 1, 5, confidence_level=0.95)
    assert flat.notes == ("no variance in either sample",)
    assert single.notes == ("fewer than two rows in a sample",)
    assert isnan(flat.pvalue)
    assert isnan(single.low)


def test_combined_of_equal_intervals_is_wider_by_the_root_of_two():
    low, high = combined((0.5, 0.4, 0.6), (0.5, 0.4, 0.6))
    assert (low, high) == pytest.approx((-0.1 * 2**0.5, 0.1 * 2**0.5))


@pytest.mark.parametrize("interval", [newcombe, miettinen_nurminen, agresti_caffo, textbook_z])
def test_two_shares_are_compared_at_95_percent_unless_said_otherwise(interval):
    assert interval(56, 70, 48, 80) == interval(56, 70, 48, 80, 0.95)


def test_welch_is_at_95_percent_unless_said_otherwise():
    facts = (20.6, 7.9, 10, 22.1, 3.8, 12)
    assert welch(*facts) == welch(*facts, confidence_level=0.95)
