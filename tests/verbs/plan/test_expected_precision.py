"""What is known before rows are there, and what follows for a number of them."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from heldout.errors import UsageError
from heldout.intervals.shares import wilson
from heldout.verbs.plan.expected_precision import (
    better_by,
    disagreement,
    expected,
    looked_at,
    of_two,
    piloted,
    powers_of,
    widest,
    widths_of,
)


def two(name, value, gain, **known):
    return of_two(name, value, gain=gain, level=0.95, known=known, pilot=None, reading={})


def test_a_share_is_as_wide_as_wilsons_interval():
    width, name = widths_of(expected("accuracy", 0.8, 0.95))
    low, high = wilson(80, 100, 0.95)
    assert width(0.8)(100) == pytest.approx((high - low) / 2, rel=1e-6)
    assert name == "Wilson"


def test_a_share_of_one_class_has_the_rows_of_that_class_only():
    width, _ = widths_of(expected("recall", 0.8, 0.95, prevalence=0.25))
    low, high = wilson(80, 100, 0.95)
    assert width(0.8)(400) == pytest.approx((high - low) / 2, rel=1e-6)
    other, _ = widths_of(expected("specificity", 0.8, 0.95, prevalence=0.75))
    assert other(0.8)(400) == pytest.approx(width(0.8)(400))


def test_a_mean_is_as_wide_as_students_interval():
    width, name = widths_of(expected("mae", 1.0, 0.95, sd=0.6))
    assert width(None)(50) == pytest.approx(stats.t.ppf(0.975, 49) * 0.6 / sqrt(50), rel=1e-3)
    assert name == "t"


@pytest.mark.parametrize(("value", "between"), [(0.8, (0.75, 0.85)), (0.98, (0.93, 1.0)), (0.03, (0.0, 0.08))])
def test_the_worst_case_is_looked_for_within_five_points(value, between):
    case = expected("accuracy", value, 0.95)
    assert looked_at(case) == pytest.approx(between)
    assert widest(case, between) == pytest.approx(min(between, key=lambda end: abs(end - 0.5)))


def test_a_range_that_is_given_counts_and_may_hold_a_half():
    case = expected("accuracy", 0.6, 0.95, range=(0.7, 0.4))
    assert looked_at(case) == (0.4, 0.7)
    assert widest(case, (0.4, 0.7)) == 0.5
    assert looked_at(expected("mae", 1.0, 0.95, sd=1.0)) is None


def test_models_that_are_independent_disagree_where_one_is_right_and_the_other_wrong():
    case = two("accuracy", 0.8, 0.1)
    assert disagreement(case, 0.1) == pytest.approx(0.8 * 0.1 + 0.9 * 0.2)
    assert disagreement(two("accuracy", 0.8, 0.1, disagree=0.15), 0.1) == 0.15


@pytest.mark.parametrize(("name", "value", "better"), [("accuracy", 0.8, 0.9), ("error_rate", 0.2, 0.1)])
def test_a_gain_is_to_the_better_side(name, value, better):
    assert better_by(two(name, value, 0.1), 0.1) == pytest.approx(better)


def test_the_power_of_means_is_students():
    powers, test = powers_of(two("mae", 1.0, 0.1, sd=0.6, correlation=0.7), 0.1)
    spread = 0.6 * sqrt(2 * 0.3)
    critical, shift = stats.t.ppf(0.975, 199), 0.1 * sqrt(200) / spread
    assert powers["paired"](200) == pytest.approx(stats.nct.sf(critical, 199, shift), abs=2e-3)
    apart = stats.nct.sf(stats.t.ppf(0.975, 398), 398, 0.1 * sqrt(100) / 0.6)
    assert powers["unpaired"](200) == pytest.approx(apart, abs=2e-3)
    assert test == "t"


def test_the_power_of_shares_of_one_class_counts_its_rows():
    whole, _ = powers_of(two("accuracy", 0.8, 0.1), 0.1)
    half, _ = powers_of(two("recall", 0.8, 0.1, prevalence=0.5), 0.1)
    assert half["paired"](400) == pytest.approx(whole["paired"](200))
    assert half["unpaired"](400) == pytest.approx(whole["unpaired"](200))


def test_a_pilot_tells_how_far_one_row_moves_a_metric():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=400)
    rows = {"y_true": truth, "y_pred": truth + rng.normal(size=400)}
    case = piloted("mae", rows, 0.95, {"task": "regression"})
    errors = np.abs(rows["y_pred"] - truth)
    assert case.sd == pytest.approx(errors.std(ddof=1), rel=0.03)  # the interval allows for skewness
    assert (case.kind, case.piloted, case.unit) == ("mean", True, "row")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: expected("f1", 0.8, 0.95), "how far rows move f1 does not follow from its value"),
        (lambda: expected("roc_auc", 0.8, 0.95), "the rows for roc_auc depend on how many of them are positive"),
        (lambda: expected("accuracy", 1.2, 0.95), "accuracy cannot be 1.2"),
        (lambda: expected("accuracy", 0.8, 0.95, correlation=0.5), "correlation says nothing about accuracy here"),
        (lambda: expected("accuracy", 0.8, 0.95, prevalence=0.5), "prevalence says nothing about accuracy here"),
        (lambda: expected("accuracy", 0.8, 1.0), "confidence_level is 1, but must lie between 0 and 1"),
        (lambda: expected("mae", 1.0, 0.95, sd=0.0), "sd is 0, but must be above zero"),
        (lambda: two("accuracy", 0.8, 0.0), "gain is 0, but must be above zero"),
        (lambda: two("accuracy", 0.95, 0.1), "accuracy cannot be 1.05"),
        (lambda: two("accuracy", 0.8, 0.1, disagree=0.05), "cannot disagree on 0.05 of the rows"),
        (lambda: two("accuracy", 0.8, 0.1, disagree=0.4), "cannot disagree on 0.4 of the rows"),
    ],
)
def test_what_cannot_be_planned_is_refused(call, said):
    with pytest.raises(UsageError) as refused:
        call()
    assert said in str(refused.value)
