from __future__ import annotations

from math import inf, isnan, nan

import pytest
from scipy.stats import norm, t

from heldout.intervals.shares import clustered_trials, effective_trials, effective_wilson, weighted_trials, wilson


def test_the_variance_of_a_share_gives_its_own_trials() -> None:
    assert effective_trials(0.3, 0.3 * 0.7 / 40) == pytest.approx(40)
    assert effective_trials(0.3, 0.0) == inf
    assert isnan(effective_trials(0.0, 0.0))
    assert isnan(effective_trials(nan, 0.1))


def test_a_plain_share_gets_wilsons_interval() -> None:
    got = effective_wilson(0.3, 0.3 * 0.7 / 40, 0.95, at_edge=7)
    assert got == pytest.approx(wilson(12, 40, 0.95), abs=1e-12)


@pytest.mark.parametrize("variance", [0.0, 1e-33, nan, 0.01])
def test_at_0_and_1_the_units_count(variance: float) -> None:
    assert effective_wilson(0.0, variance, 0.95, at_edge=20) == wilson(0, 20, 0.95)
    assert effective_wilson(1.0, variance, 0.95, at_edge=20) == wilson(20, 20, 0.95)


@pytest.mark.parametrize("variance", [0.0, 1e-33, nan])
def test_without_variance_the_units_count(variance: float) -> None:
    assert effective_wilson(0.5, variance, 0.95, at_edge=20) == wilson(10, 20, 0.95)


def test_without_units_everything_is_possible() -> None:
    assert effective_wilson(1.0, 0.0, 0.95, at_edge=0) == (0.0, 1.0)


def test_an_undefined_value_has_no_interval() -> None:
    assert all(map(isnan, effective_wilson(nan, 0.01, 0.95, at_edge=20)))


def test_a_value_past_1_by_rounding_is_1() -> None:
    assert effective_wilson(1.0000000000000002, 1e-40, 0.95, at_edge=20) == wilson(20, 20, 0.95)


def test_clusters_are_worth_fewer_rows() -> None:
    few = (t.ppf(0.975, 19) / norm.ppf(0.975)) ** 2
    assert clustered_trials(0.8, 400, 4 * 0.16 / 400, 20, 0.95) == pytest.approx(400 / 4 / few)
    # less variance than independent rows is luck, not information
    assert clustered_trials(0.8, 400, 0.5 * 0.16 / 400, 20, 0.95) == pytest.approx(400 / few)
    assert clustered_trials(0.8, 400, 0.0, 20, 0.95) == pytest.approx(400 / few)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_clusters_that_agree_count_once_each(share: float) -> None:
    few = (t.ppf(0.975, 19) / norm.ppf(0.975)) ** 2
    assert clustered_trials(share, 400, 0.0, 20, 0.95) == pytest.approx(20 / few)


def test_one_cluster_is_worth_nothing() -> None:
    assert clustered_trials(0.8, 400, nan, 1, 0.95) == 0.0
    assert clustered_trials(1.0, 400, 0.0, 1, 0.95) == 0.0


def test_many_independent_units_are_worth_themselves() -> None:
    assert clustered_trials(0.8, 10**6, 0.16 / 10**6, 10**6, 0.95) == pytest.approx(10**6, rel=1e-5)


def test_weights_that_follow_difficulty_are_worth_less_than_kish_says() -> None:
    assert weighted_trials(0.8, 400, 4 * 0.16 / 400) == pytest.approx(100)


@pytest.mark.parametrize(
    ("share", "variance"), [(0.8, 0.1 * 0.16 / 400), (0.0, 0.0), (1.0, 0.0), (0.8, 0.0), (0.8, nan)]
)
def test_weighted_rows_are_worth_no_more_than_kish_says(share: float, variance: float) -> None:
    assert weighted_trials(share, 400, variance) == 400


def test_rows_of_equal_weight_are_worth_themselves_to_the_last_digit() -> None:
    assert weighted_trials(0.3, 7, 0.3 * 0.7 / 7 * (1 + 1e-15)) == 7


def test_at_a_level_of_one_half_few_clusters_are_paid_for_too() -> None:
    paid = (norm.ppf(0.75) / t.ppf(0.75, 19)) ** 2
    assert clustered_trials(0.8, 400, 0.0016, 20, 0.5) == pytest.approx(100 * paid)
    assert clustered_trials(0.8, 400, 0.0016, 20, 0.0) == pytest.approx(100)  # both quantiles are 0


def test_a_share_at_or_past_an_end_of_its_range_is_worth_all_rows() -> None:
    assert [weighted_trials(share, 400, 0.01) for share in (0.0, 1.0, 1 + 1e-12)] == [400, 400, 400]
