from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from heldout.errors import HeldoutError
from heldout.stats import diebold_mariano
from heldout.stats.forecast_tests import beyond_horizon

D = np.random.default_rng(3).normal(0.1, 1.0, 40)


@pytest.mark.parametrize("h", [1, 2, 5])
def test_it_is_the_formula_of_harvey_leybourne_and_newbold(h):
    n, mean = len(D), sum(D) / len(D)
    gamma = [sum((D[t] - mean) * (D[t - k] - mean) for t in range(k, n)) / n for k in range(h)]
    plain = mean / sqrt((gamma[0] + 2 * sum(gamma[1:])) / n)
    statistic = sqrt((n + 1 - 2 * h + h * (h - 1) / n) / n) * plain
    found = diebold_mariano(D, horizon=h)
    assert found.statistic == pytest.approx(statistic)
    assert found.pvalue == pytest.approx(2 * stats.t.sf(abs(statistic), n - 1))
    assert (found.pvalue < 0.05) == (not found.low <= 0 <= found.high)
    assert found.test == f"Diebold-Mariano, h={h}"


def test_one_step_ahead_it_is_students_t():
    want = stats.ttest_1samp(D, 0)
    found = diebold_mariano(D)
    assert (found.statistic, found.pvalue) == pytest.approx((want.statistic, want.pvalue))
    assert (found.low, found.high) == pytest.approx(tuple(want.confidence_interval(0.95)))


@pytest.mark.parametrize(
    ("differences", "horizon", "why"),
    [
        ([0.1], 1, "not tested: fewer than two times"),
        ([0.1, np.nan, 0.2], 1, "not tested: some differences are infinite or missing"),
        ([0.1, 0.1, 0.1], 1, "not tested: all differences are equal"),
        (
            [1.0, -1.0] * 6,
            2,
            "not tested: the autocovariances up to lag 1 add up to no positive variance; --test t (test='t') has one",
        ),
    ],
)
def test_what_cannot_be_tested_says_why(differences, horizon, why):
    found = diebold_mariano(differences, horizon=horizon)
    assert np.isnan(found.pvalue)
    assert found.notes == (why,)


@pytest.mark.parametrize("horizon", [0, 41, 1.5])
def test_a_horizon_that_is_none(horizon):
    with pytest.raises(HeldoutError) as error:
        diebold_mariano(D, horizon=horizon)
    assert str(error.value) == (
        f"the horizon is {horizon!r}, but must be a whole number from 1 to the 40 differences\n"
        "  Fix: give the number of steps that the forecasts look ahead"
    )


def test_autocorrelation_beyond_the_horizon_is_named_and_what_belongs_to_it_is_not():
    rng = np.random.default_rng(1)
    moving = np.convolve(rng.standard_normal(302), np.ones(3), mode="valid")
    assert beyond_horizon(moving, 3) == ()
    assert beyond_horizon(moving, None) == ()
    assert beyond_horizon(moving[:20], 3) == ()
    assert beyond_horizon(np.ones(100), 1) == ()
    (note,) = beyond_horizon(moving, 1)
    assert note == (
        "autocorrelation is 0.54 at lag 1, where forecasts 1 step ahead should leave none: intervals are too narrow; "
        "leave out --horizon (horizon=)"
    )
