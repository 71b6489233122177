from __future__ import annotations

from math import isnan, nan, sqrt

import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import norm

from heldout.intervals.auc import delong, delong_logit, hanley_mcneil_variance, newcombe


def test_fawcett() -> None:
    variance = 0.127017**2
    assert delong(0.68, variance, 0.95) == pytest.approx((0.431, 0.929), abs=5e-4)
    assert delong_logit(0.68, variance, 0.95) == pytest.approx((0.4036, 0.8696), abs=5e-5)
    assert sqrt(hanley_mcneil_variance(0.68, 10, 10)) == pytest.approx(0.121863, abs=5e-7)


def test_hanley_mcneil_1982() -> None:
    assert sqrt(hanley_mcneil_variance(0.893171, 51, 58)) == pytest.approx(0.032487, abs=5e-7)


def test_delong_as_proc_prints_it() -> None:
    got = delong(0.6119579946, 0.00319081055, 0.95)
    assert got == pytest.approx((0.501244999, 0.722670990), abs=5e-9)


def test_delong_is_cut_at_the_ends_of_the_range() -> None:
    assert delong(0.97, 0.05**2, 0.95)[1] == 1.0
    assert delong(0.03, 0.05**2, 0.95)[0] == 0.0


@pytest.mark.parametrize("interval", [delong, delong_logit])
def test_without_variance_there_is_no_interval(interval) -> None:
    for area, variance in ((1.0, 0.0), (0.5, 0.0), (0.5, nan), (nan, 0.01)):
        assert all(map(isnan, interval(area, variance, 0.95)))


@pytest.mark.parametrize(
    ("area", "positives", "negatives"), [(0.7, 10, 10), (0.97, 10, 90), (0.5, 3, 4), (1.0, 10, 10)]
)
def test_newcombe_ends_solve_the_score_equation(area: float, positives: int, negatives: int) -> None:
    pairs, half = positives * negatives, (positives + negatives) / 2 - 1
    low, high = newcombe(area, positives, negatives, 0.95)
    assert 0 < low < area <= high <= 1
    for end in (low, high):
        if end < 1:
            variance = end * (1 - end) * (1 + half * (1 - end) / (2 - end) + half * end / (1 + end)) / pairs
            assert abs(area - end) / sqrt(variance) == pytest.approx(norm.ppf(0.975), rel=1e-9)


def test_newcombe_answers_at_0_and_1() -> None:
    low, high = newcombe(1.0, 10, 10, 0.95)
    assert (low, high) == pytest.approx((0.8, 1.0), abs=5e-4)
    assert newcombe(0.0, 10, 10, 0.95) == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_newcombe_without_a_class_or_an_area() -> None:
    assert newcombe(nan, 0, 10, 0.95) == (0.0, 1.0)
    assert newcombe(nan, 10, 0, 0.95) == (0.0, 1.0)
    assert all(map(isnan, newcombe(nan, 10, 10, 0.95)))


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0.5, 1e6), st.floats(0.5, 1e6), st.sampled_from([0.5, 0.95, 0.9999]))
def test_newcombe_holds_the_area(area: float, positives: float, negatives: float, level: float) -> None:
    low, high = newcombe(area, positives, negatives, level)
    assert 0.0 <= low <= area <= high <= 1.0
    assert low < high


def test_newcombe_of_one_row_in_a_class():
    for sizes in ((1, 5), (5, 1), (0.5, 5)):
        low, high = newcombe(0.7, *sizes, 0.5)
        assert 0 < low < 0.7 < high < 1


def test_areas_of_nothing_and_everything_have_an_end_there():
    assert newcombe(0.0, 10, 12, 0.95)[0] == 0.0
    assert newcombe(1.0, 10, 12, 0.95)[1] == 1.0


def test_the_level_is_95_percent_where_none_is_given():
    assert delong_logit(0.68, 0.016) == delong_logit(0.68, 0.016, 0.95)
