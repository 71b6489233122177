from __future__ import annotations

from math import comb, inf
from time import monotonic

import numpy as np
import pytest

import heldout
from heldout.errors import UsageError
from heldout.intervals.shares import wilson
from heldout.planning import (
    above_chance_power,
    area_half_width,
    areas_power,
    bound_power,
    fewest,
    hanley_mcneil_power,
    jumps,
    mcnemar_power,
    mean_half_width,
    mean_power,
    share_half_width,
    shares_power,
)
from heldout.stats.mcnemar_tests import mcnemar


def test_fewest_is_where_it_begins():
    assert [fewest(lambda n, k=k: n >= k) for k in (1, 2, 3, 64, 65, 1000)] == [1, 2, 3, 64, 65, 1000]
    assert fewest(lambda n: True, least=5) == 5


@pytest.mark.parametrize(
    ("gain", "disagree", "power", "level"),
    [
        (0.298, 0.9926, 0.8, 0.95),
        (0.85, 0.9985, 0.8, 0.95),
        (0.194, 0.9997, 0.9, 0.95),
        (0.06, 0.99999, 0.8, 0.9),
        (0.6, 0.7, 0.8, 0.95),
    ],
)
def test_near_total_disagreement_is_planned_for_power_that_stays(gain, disagree, power, level):
    planned = fewest(lambda n: mcnemar_power(gain, disagree, n, level) >= power, ahead=jumps)
    powers = np.array([mcnemar_power(gain, disagree, n, level) for n in range(1, 2 * planned + 200)])
    assert planned == np.flatnonzero(powers < power)[-1] + 2


def test_the_first_number_of_rows_with_the_power_may_not_keep_it():
    first = fewest(lambda n: mcnemar_power(0.298, 0.9926, n, 0.95) >= 0.9)
    lasting = fewest(lambda n: mcnemar_power(0.298, 0.9926, n, 0.95) >= 0.9, ahead=jumps)
    assert first < lasting
    assert any(mcnemar_power(0.298, 0.9926, n, 0.95) < 0.9 for n in range(first, lasting))


@pytest.mark.parametrize(("rows", "part"), [(40, 1.0), (60, 0.3)])
def test_bound_power_is_the_sum_over_all_outcomes(rows, part):
    share, bound = 0.9, 0.7
    total = sum(
        comb(rows, m) * part**m * (1 - part) ** (rows - m) * comb(m, x) * share**x * (1 - share) ** (m - x)
        for m in range(1, rows + 1)
        for x in range(m + 1)
        if wilson(x, m, 0.95)[0] > bound
    )
    assert bound_power(share, bound, rows, 0.95, part=part) == pytest.approx(total, abs=1e-9)


def test_power_of_areas_has_no_direction():
    up, down = (areas_power(a, b, 60, 90, level=0.95, correlation=0.4) for a, b in ((0.7, 0.8), (0.3, 0.2)))
    assert up == pytest.approx(down)
    unlike = areas_power(0.8, 0.7, 60, 90, level=0.95, correlation=0.4)
    assert unlike == pytest.approx(up)


def test_hanley_mcneil_by_name_is_for_exponential_scores():
    normal, exponential = (power(0.7, 0.82, 40, 160, level=0.95) for power in (areas_power, hanley_mcneil_power))
    assert (round(normal, 3), round(exponential, 3)) == (0.535, 0.449)


def test_no_number_of_rows_is_enough():
    with pytest.raises(UsageError) as caught:
        fewest(lambda n: False)
    assert str(caught.value) == "more than 10^12 rows would be needed\n  Fix: ask for less: a larger gain"


def test_a_plan_of_too_many_rows_names_what_needs_fewer():
    with pytest.raises(UsageError) as caught:
        heldout.plan.bound("accuracy", 0.9, lower_bound=0.8999999999)
    assert str(caught.value) == (
        "more than 10^12 rows would be needed\n  Fix: ask for less: a bound further from the expected value"
    )
    with pytest.raises(UsageError) as caught:
        heldout.plan.interval("accuracy", 0.9, half_width=1e-9)
    assert str(caught.value) == "more than 10^12 rows would be needed\n  Fix: ask for less: a larger half-width"


def test_rows_of_a_rare_class_are_planned_as_those_of_a_frequent_one():
    """One in 100 and one in 100,000: as many rows of the class, and the rarer in no more than seconds."""
    started = monotonic()
    for plan, asked in (
        (heldout.plan.bound, {"lower_bound": 0.85}),
        (heldout.plan.difference, {"gain": 0.02, "disagree": 0.1}),
    ):
        often, seldom = (plan("recall", 0.9, prevalence=part, **asked).rows * part for part in (1e-2, 1e-5))
        assert seldom == pytest.approx(often, rel=0.005)
    assert monotonic() - started < 30


def test_bound_power_goes_over_into_its_normal_limit():
    for part in (1.0, 0.1):
        rows = round(10**6 / part)
        below, above = (bound_power(0.9, 0.8992, rows + more, 0.95, part=part) for more in (0, 10))
        assert below == pytest.approx(above, abs=2e-3)  # steps of the exact one


@pytest.mark.parametrize(("gain", "disagree", "level"), [(0.2, 0.5, 0.95), (0.3, 0.3, 0.9), (0.5, 0.9, 0.99)])
def test_mcnemar_power_is_the_sum_over_all_tables(gain, disagree, level):
    rows, right, wrong = 30, (disagree + gain) / 2, (disagree - gain) / 2
    total = sum(
        comb(rows, b) * comb(rows - b, c) * right**b * wrong**c * (1 - disagree) ** (rows - b - c)
        for b in range(rows + 1)
        for c in range(min(b, rows - b + 1))
        if mcnemar(b, c) <= 1 - level
    )
    assert mcnemar_power(gain, disagree, rows, level) == pytest.approx(total, abs=1e-9)


def test_mcnemar_power_goes_over_into_its_normal_limit():
    rows = 20 * 10**6
    below, above = (mcnemar_power(0.00015, 0.05, rows + more, 0.95) for more in (0, 1))
    assert below == pytest.approx(above, abs=1e-4)


def test_without_rows_or_gain_nothing_is_found():
    assert mcnemar_power(0.1, 0.2, 0, 0.95) == mcnemar_power(0.0, 0.2, 50, 0.95) == 0
    assert mcnemar_power(0.1, 0.2, 4, 0.95) == 0  # five discordant rows are the fewest that can reject
    assert mean_power(1.0, 1.0, 1, 0.95) == shares_power(0.5, 0.6, 0, 0.95) == 0
    assert areas_power(0.7, 0.8, 0.5, 10, level=0.95) == above_chance_power(0.7, 0.5, 10, 0.95) == 0
    assert mean_half_width(1.0, 1, 0.95) == area_half_width(0.7, 0.5, 10, 0.95) == inf


def test_t_power_by_simulation_of_few_rows():
    rng = np.random.default_rng(1)
    drawn = rng.normal(1.0, 1.0, (20_000, 10))
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / np.sqrt(10))
    assert mean_power(1.0, 1.0, 10, 0.95) == pytest.approx(np.mean(t > 2.262157), abs=0.01)


@pytest.mark.parametrize("samples", [1, 2])
def test_t_power_goes_over_into_its_normal_limit(samples):
    rows = 1000 // samples
    below, above = (mean_power(0.1, 1.0, rows + more, 0.95, samples=samples) for more in (0, 2))
    assert below == pytest.approx(above, abs=3e-3)
    assert mean_power(100.0, 1.0, 50, 0.95) == 1


def test_published_power_of_one_area():
    assert above_chance_power(0.73, 41, 72, 0.95) == pytest.approx(0.9897453, abs=5e-8)


def test_more_rows_give_narrower_intervals_and_more_power():
    rows = (50, 100, 200, 400, 800)
    for width in (
        lambda n: share_half_width(0.9, n, 0.95),
        lambda n: mean_half_width(2.0, n, 0.95),
        lambda n: area_half_width(0.8, n / 4, n / 2, 0.95),
    ):
        assert np.all(np.diff([width(n) for n in rows]) < 0)
    for power in (
        lambda n: mcnemar_power(0.05, 0.2, n, 0.95),
        lambda n: shares_power(0.8, 0.85, n, 0.95),
        lambda n: mean_power(0.1, 1.0, n, 0.95),
        lambda n: areas_power(0.8, 0.85, n / 4, n / 2, level=0.95),
    ):
        assert np.all(np.diff([power(n) for n in rows]) > 0)
