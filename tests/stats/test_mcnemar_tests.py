from __future__ import annotations

from itertools import product
from math import comb, isnan

import pytest
from scipy import stats

from heldout.stats.independent_samples import newcombe
from heldout.stats.mcnemar_tests import agresti_min, fewest_discordant, mcnemar, newcombe_paired, tango


@pytest.mark.parametrize(
    ("b", "c", "method", "p"),
    [
        (25, 15, "corrected", 0.154729),
        (25, 15, "asymptotic", 0.113846),
        (25, 15, "exact", 0.153860),
        (25, 15, "midp", 0.117275),
        (11, 1, "corrected", 0.009375),
        (11, 1, "exact", 0.00634766),
        (11, 1, "midp", 0.00341797),
        (121, 59, "asymptotic", 3.8151e-6),
        (121, 59, "exact", 4.43445e-6),
        (15, 6, "midp", 0.0525),
    ],
)
def test_mcnemar_on_published_counts(b, c, method, p):
    assert mcnemar(b, c, method=method) == pytest.approx(p, rel=1e-3)
    assert mcnemar(c, b, method=method) == mcnemar(b, c, method=method)


def test_exact_and_midp_by_counting_all_outcomes():
    for b, c in product(range(7), repeat=2):
        if b + c == 0:
            continue
        tail = sum(comb(b + c, k) for k in range(min(b, c) + 1)) / 2 ** (b + c)
        seen = comb(b + c, b) / 2 ** (b + c)
        assert mcnemar(b, c, method="exact") == pytest.approx(min(1, 2 * tail))
        assert mcnemar(b, c) == pytest.approx(2 * tail - seen)


def test_models_that_never_disagree_or_disagree_evenly():
    for method in ("midp", "exact", "asymptotic", "corrected"):
        assert mcnemar(0, 0, method=method) == 1.0
        assert mcnemar(8, 8, method=method) == pytest.approx(1.0)
    assert isnan(mcnemar(float("nan"), 1))


def test_fewest_discordant_is_where_rejecting_starts():
    assert [fewest_discordant(method, 0.05) for method in ("midp", "exact", "asymptotic", "corrected")] == [5, 6, 4, 6]
    for method, alpha in product(("midp", "exact"), (0.1, 0.05, 0.01, 0.001)):
        count = fewest_discordant(method, alpha)
        assert mcnemar(count, 0, method=method) <= alpha < mcnemar(count - 1, 0, method=method)


@pytest.mark.parametrize(
    ("b", "c", "n", "ends"),
    [
        (12, 2, 50, (0.0611, 0.3447)),
        (0, 1, 44, (-0.1181, 0.0594)),
        (0, 0, 54, (-0.0664, 0.0664)),
    ],
)
def test_tango_on_published_tables(b, c, n, ends):
    assert tango(b, c, n, 0.95) == pytest.approx(ends, abs=5.1e-5)
    assert tango(c, b, n, 0.95) == pytest.approx((-ends[1], -ends[0]), abs=5.1e-5)


def test_tango_holds_the_value_and_stays_in_range():
    for b, c, d in product((0, 1, 3, 10), (0, 1, 3, 10), (0, 1, 5)):
        n = b + c + d
        if n:
            low, high = tango(b, c, n, 0.95)
            assert -1 <= low <= (b - c) / n <= high <= 1
            assert low < high
    assert tango(0, 0, 0, 0.95) == (-1.0, 1.0)
    assert tango(10, 0, 10, 0.95)[1] == 1.0
    assert all(map(isnan, tango(float("nan"), 0, 10, 0.95)))


@pytest.mark.parametrize(
    ("cells", "ends"),
    [
        ((36, 12, 2, 0), (0.0569, 0.3404)),
        ((20, 12, 2, 16), (0.0562, 0.3292)),
        ((43, 0, 1, 0), (-0.1181, 0.0597)),
        ((54, 0, 0, 0), (-0.0664, 0.0664)),
    ],
)
def test_newcombe_on_published_tables(cells, ends):
    assert newcombe_paired(*cells, 0.95) == pytest.approx(ends, abs=5.1e-5)


def test_newcombe_without_rows_or_correction():
    assert newcombe_paired(0, 0, 0, 0, 0.95) == (-1.0, 1.0)
    assert newcombe_paired(59, 6, 16, 80, 0.95, correction=False) == pytest.approx((-0.1173509, -0.0059235), abs=1e-6)


def test_agresti_min_is_wald_with_half_a_row_more_in_each_cell():
    assert agresti_min(16, 6, 161, 0.95) == pytest.approx((0.00445738, 0.11824201), abs=1e-7)
    low, high = agresti_min(0, 0, 20, 0.95)
    assert low == -high < 0


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("table", [(2, 1, 1, 1), (6, 2, 3, 1), (5, 4, 1, 1)])
def test_models_whose_rows_are_not_correlated_have_newcombes_interval_of_independent_samples(table, level):
    """Where a d - b c is positive and at most n / 2, the corrected correlation is 0."""
    a, b, c, d = table
    n = a + b + c + d
    assert a * d - b * c <= n / 2
    if a * d - b * c >= 0:
        assert newcombe_paired(*table, level) == pytest.approx(newcombe(a + b, n, a + c, n, level))


def test_agresti_and_mins_interval_ends_at_one():
    assert agresti_min(0, 1, 1, 0.95)[0] == -1.0
    assert agresti_min(1, 0, 1, 0.95)[1] == 1.0


def test_intervals_of_paired_shares_are_at_95_percent_unless_said_otherwise():
    assert tango(12, 2, 50) == tango(12, 2, 50, 0.95)
    assert newcombe_paired(36, 12, 2, 0) == newcombe_paired(36, 12, 2, 0, 0.95)
    assert agresti_min(12, 2, 50) == agresti_min(12, 2, 50, 0.95)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_tango_of_one_row_in_closed_form(level):
    """Given D the likeliest share of c-rows is (1 - D) / 2, so that the variance is 1 - D^2."""
    square = stats.norm.ppf((1 + level) / 2) ** 2
    assert tango(1, 0, 1, level) == pytest.approx(((1 - square) / (1 + square), 1.0))
    assert tango(0, 1, 1, level) == pytest.approx((-1.0, (square - 1) / (1 + square)))


def test_an_outcome_with_a_p_value_of_just_alpha_rejects():
    """One row, or two, that only one model has right: mid-p 1/2 and 1/4."""
    assert [fewest_discordant("midp", alpha) for alpha in (0.6, 0.5, 0.25, 0.24)] == [1, 1, 2, 3]
