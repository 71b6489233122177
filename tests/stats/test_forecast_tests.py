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
    assert (found.test, found.df, found.level) == (f"Diebold-Mariano, h={h}", n - 1, 0.95)
    assert found.error == pytest.approx(mean / statistic)


def test_one_step_ahead_it_is_students_t():
    want = stats.ttest_1samp(D, 0)
    found = diebold_mariano(D)
    assert (found.statistic, found.pvalue) == pytest.approx((want.statistic, want.pvalue))
    assert (found.low, found.high) == pytest.approx(tuple(want.confidence_interval(0.95)))


@pytest.mark.parametrize("differences", [[0.1, 0.4], 1e-12 * D, 1e12 * D])
def test_two_times_are_enough_and_a_scale_changes_nothing(differences):
    want = stats.ttest_1samp(differences, 0)
    found = diebold_mariano(differences)
    assert (found.statistic, found.pvalue) == pytest.approx((want.statistic, want.pvalue))


@pytest.mark.parametrize("n", range(2, 12))
def test_a_horizon_of_all_times_cannot_be_tested(n):
    """The autocovariances of all lags add up to 0, and so does Harvey's correction; rounding may leave more than 0."""
    found = diebold_mariano(D[:n], horizon=n)
    assert np.isnan(found.pvalue)
    no_variance = f"the autocovariances up to lag {n - 1} add up to no positive variance"
    assert found.notes in (
        (f"not tested: {n} times are too few for a horizon of {n}",),
        (f"not tested: {no_variance}; --test t (test='t') has one",),
    )


def test_some_horizon_of_all_times_is_refused_for_its_length():
    assert any("too few for a horizon" in diebold_mariano(D[:n], horizon=n).notes[0] for n in range(2, 12))


@pytest.mark.parametrize(
    ("differences", "horizon", "why"),
    [
        ([0.0, 0.0, 0.0], 1, "not tested: all differences are equal"),
        ([0.1], 1, "not tested: fewer than two times"),
        ([0.1, np.nan], 1, "not tested: some differences are infinite or missing"),
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


def test_a_horizon_longer_than_one_time():
    with pytest.raises(HeldoutError, match=r"the horizon is 2, but must be a whole number from 1 to the 1 differences"):
        diebold_mariano([0.1], horizon=2)


def test_the_note_begins_at_fourteen_times_for_one_step():
    """A wave whose autocorrelation at lag 1 is cos(2 pi / (n + 1)), above three standard errors 3 / sqrt(n)."""
    for n, noted in ((13, False), (14, True)):
        wave = np.sin(2 * np.pi * np.arange(1, n + 1) / (n + 1))
        assert np.cos(2 * np.pi / (n + 1)) > 3 / sqrt(n)
        assert bool(beyond_horizon(wave, 1)) == bool(beyond_horizon(1e-3 * wave, 1)) == noted


@pytest.mark.parametrize("horizon", [1, 2, 4])
def test_the_note_is_given_beyond_three_of_bartletts_standard_errors(horizon):
    rng, ratios = np.random.default_rng(horizon), []
    for _ in range(150):
        noise = rng.standard_normal(120)
        series = np.convolve(noise, [1.0] + [0.3] * (horizon - 1) + [rng.uniform(0, 1.2)], mode="valid")
        centred = series - series.mean()
        n = len(series)
        r = [sum(centred[t] * centred[t - k] for t in range(k, n)) / sum(centred**2) for k in range(horizon + 1)]
        error = sqrt((1 + 2 * sum(one**2 for one in r[1:horizon])) / n)
        ratios.append(r[horizon] / error)
        assert bool(beyond_horizon(series, horizon)) == (ratios[-1] > 3)
    assert min(sum(2.5 < one < 3 for one in ratios), sum(3 < one < 3.5 for one in ratios)) > 0


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


def test_a_horizon_needs_four_times_as_many_times_and_ten():
    """Every fifth time is alike, and no other lag: of five steps, 30 times say so."""
    alike = np.tile([1.0, 0.0, 0.0, 0.0, 0.0], 10)
    assert beyond_horizon(alike[:29], 5) == ()
    assert len(beyond_horizon(alike[:30], 5)) == 1
