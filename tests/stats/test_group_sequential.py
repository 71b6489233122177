"""Boundaries of planned looks against published values, and what they cost."""

from __future__ import annotations

from functools import cache
from math import sqrt

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from heldout.errors import UsageError
from heldout.stats import group_sequential
from heldout.stats.group_sequential import LEAST_STEP, NODES, SPENDING, boundaries, crossing, drift_for, repeated_pvalue
from heldout.verbs.compare.repeated_looks import planned_fractions

FIVE = (0.2, 0.4, 0.6, 0.8, 1.0)


def even(looks):
    return tuple((place + 1) / looks for place in range(looks))


@pytest.mark.parametrize(
    ("looks", "spending", "alpha", "published"),
    [
        # Lan and DeMets's program, as in Jennison and Turnbull (2000) and the R packages ldbounds and gsDesign
        (5, "obrien-fleming", 0.05, [4.877, 3.357, 2.680, 2.290, 2.031]),
        (5, "pocock", 0.05, [2.438, 2.427, 2.410, 2.397, 2.386]),
        (2, "obrien-fleming", 0.05, [2.963, 1.969]),
        (3, "obrien-fleming", 0.05, [3.710, 2.511, 1.993]),
        (4, "pocock", 0.05, [2.368, 2.368, 2.358, 2.350]),
    ],
)
def test_boundaries_of_spending_functions(looks, spending, alpha, published):
    assert boundaries(even(looks), alpha, spending) == pytest.approx(published, abs=0.001)


@pytest.mark.parametrize(("looks", "constant"), [(2, 2.178), (3, 2.289), (4, 2.361), (5, 2.413), (10, 2.555)])
def test_pococks_constants(looks, constant):
    above, below = crossing(even(looks), [constant] * looks)
    assert float((above + below).sum()) == pytest.approx(0.05, abs=1e-4)


@pytest.mark.parametrize(("looks", "constant"), [(2, 1.977), (3, 2.004), (4, 2.024), (5, 2.040), (10, 2.087)])
def test_obrien_and_flemings_constants(looks, constant):
    above, below = crossing(even(looks), [constant / sqrt(share) for share in even(looks)])
    assert float((above + below).sum()) == pytest.approx(0.05, abs=1e-4)


def test_inflation_of_pococks_design():
    """Jennison and Turnbull (2000), table 2.2: 1.228 for five looks, power 80%."""
    drift = drift_for(FIVE, (2.413,) * 5, 0.8)
    assert (drift / (1.959964 + 0.841621)) ** 2 == pytest.approx(1.228, abs=0.001)


@pytest.mark.parametrize("spending", SPENDING)
@pytest.mark.parametrize("fractions", [FIVE, (0.1, 0.15, 0.9, 1.0), even(20)])
def test_all_of_the_error_rate_is_spent_and_no_more(spending, fractions):
    above, below = crossing(fractions, boundaries(fractions, 0.05, spending))
    assert float(above.sum()) == pytest.approx(0.025, abs=1e-6)
    assert below == pytest.approx(above, abs=1e-9)
    spent = [SPENDING[spending](share, 0.025) for share in fractions]
    assert np.cumsum(above) == pytest.approx(spent, abs=1e-6)


def test_looks_that_were_simulated():
    rng = np.random.default_rng(1)
    walk = np.cumsum(rng.normal(size=(20_000, 5)), axis=1) / np.sqrt(np.arange(1, 6))
    crossed = (np.abs(walk) >= boundaries(FIVE, 0.05, "pocock")).any(axis=1).mean()
    assert crossed == pytest.approx(0.05, abs=4 * sqrt(0.05 * 0.95 / 20_000))


@pytest.mark.parametrize("spending", SPENDING)
@pytest.mark.parametrize("look", [2, 5])
def test_a_repeated_p_value_is_below_the_error_rate_just_where_the_boundary_is_reached(spending, look):
    for alpha in (1e-5, 0.001, 0.01, 0.013, 0.03, 0.05, 0.08, 0.1, 0.11, 0.2, 0.3, 0.45, 0.6, 0.8, 0.95):
        nominal = 2 * ndtr(-boundaries(FIVE, alpha, spending)[look - 1])
        assert repeated_pvalue(nominal, FIVE, look, spending) == pytest.approx(alpha, rel=0.01)
    assert repeated_pvalue(1.0, FIVE, look, spending) == repeated_pvalue(0.99999, FIVE, look, spending) == 1.0
    assert 0 < repeated_pvalue(0.0, FIVE, look, spending) < 1e-4
    assert np.isnan(repeated_pvalue(float("nan"), FIVE, look, spending))


def test_no_p_value_is_claimed_beyond_what_is_known():
    """At the first of 50 looks the boundary of O'Brien and Fleming lies beyond all that is computed."""
    assert repeated_pvalue(1e-12, even(50), 1, "obrien-fleming") > 1e-12


def test_the_first_look_claims_no_smaller_error_rate_than_its_boundary_is_known_for():
    """At a fiftieth of the rows the boundary is 2 - 2 Phi(z / sqrt(t)) in closed form, known up to 8.5."""
    least = 4 * ndtr(ndtri(ndtr(-8.5) / 2) * sqrt(1 / 50))
    found = repeated_pvalue(1e-30, even(50), 1, "obrien-fleming")
    assert least <= found <= least + 0.05  # error rates are looked up in steps of 0.046 there
    assert repeated_pvalue(0.0, even(50), 1, "obrien-fleming") == found  # one that underflows claims no more


@cache
def fine_nodes():
    """Twenty times as many points of integration; they are an eigenvalue problem of that size."""
    return np.polynomial.legendre.leggauss(20 * NODES)


@pytest.mark.parametrize("spending", SPENDING)
@pytest.mark.parametrize(
    "fractions", [(LEAST_STEP, 1.0), (0.1, 0.1 + LEAST_STEP, 1.0), (0.5, 0.5 + LEAST_STEP, 1.0)], ids=str
)
def test_looks_at_the_least_distance_keep_the_error_rate(fractions, spending, monkeypatch):
    """With twenty times as many points of integration the boundaries are the same."""
    coarse = boundaries(fractions, 0.05, spending)
    assert 0 < repeated_pvalue(0.01, fractions, 1, spending) <= 1
    monkeypatch.setattr(group_sequential, "_nodes", fine_nodes)
    fine = boundaries.__wrapped__(fractions, 0.05, spending)
    assert coarse == pytest.approx(fine, abs=1e-3)


def test_looks_may_be_a_five_hundredth_of_the_rows_apart():
    assert planned_fractions((0.002, 1.0)) == (0.002, 1.0)
    assert planned_fractions((0.5, 0.503, 1.0)) == (0.5, 0.503, 1.0)
    with pytest.raises(UsageError, match=r"but must be at least 0\.002"):
        planned_fractions((0.5, 0.501, 1.0))


@pytest.mark.parametrize("power", [0.1, 0.5, 0.9])
def test_the_drift_of_one_look_is_that_of_a_single_test(power):
    assert drift_for((1.0,), (1.96,), power) == pytest.approx(1.96 + ndtri(power))


def test_a_look_before_any_boundary_is_within_reach_claims_nothing():
    """With a hundred millionth of the rows even an error rate of 99.9% needs more than 8.5 standard errors."""
    assert repeated_pvalue(1e-6, (1e-8, 1.0), 1, "obrien-fleming") == 1.0
