"""Intervals of means, squared errors, R² and order statistics, each worked out by hand."""

from __future__ import annotations

from math import inf, isnan, log, sqrt

import numpy as np
import pytest
from scipy import stats

import heldout
from heldout.estimates.means import ENOUGH, ENOUGH_SQUARES, HEAVY, heavy_tail

RNG = np.random.default_rng(1)


def evaluated(errors, metric, **options):
    """The metric of predictions that are off by these errors."""
    truth = np.linspace(5, 25, len(errors))
    return heldout.evaluate(truth, truth + errors, task="regression", metrics=metric, **options)[metric]


def test_from_a_hundred_units_on_a_mean_has_students_interval():
    errors = RNG.gamma(2, 1, ENOUGH)
    found = evaluated(errors, "mae")
    known = stats.t.interval(0.95, ENOUGH - 1, errors.mean(), errors.std(ddof=1) / sqrt(ENOUGH))
    assert (found.low, found.high) == pytest.approx(known, rel=1e-9)
    assert found.method == "t"


def test_below_a_hundred_units_a_skewed_mean_reaches_farther_up():
    errors = RNG.exponential(size=ENOUGH - 1)
    found = evaluated(errors, "mae")
    assert found.method == "bootstrap-t"
    assert found.high - found.value > 1.2 * (found.value - found.low)


@pytest.mark.parametrize(("rows", "method"), [(ENOUGH_SQUARES - 1, "bootstrap-t of mse"), (ENOUGH_SQUARES, "t of mse")])
def test_squared_errors_need_more_units(rows, method):
    assert evaluated(RNG.normal(size=rows), "rmse", n_resamples=100).method == method


def test_the_root_of_an_interval_is_the_interval_of_the_root():
    errors = RNG.normal(size=60)
    square, root = (evaluated(errors, name) for name in ("mse", "rmse"))
    assert (root.low, root.high) == pytest.approx((sqrt(square.low), sqrt(square.high)))


def test_a_ratio_of_sums_has_the_variance_of_what_rows_move_it():
    """Of R = sum(x) / sum(y), with residuals x - R y: s² = n / (n - 1) sum (x - R y)² / (sum y)²."""
    truth = RNG.gamma(3, 1, 300) + 0.1
    said = truth + RNG.normal(size=300)
    found = heldout.evaluate(truth, said, task="regression", metrics="wmape")["wmape"]
    scale = 100.0 if found.value > 1 else 1.0
    ratio = np.abs(said - truth).sum() / truth.sum()
    error = sqrt(300 / 299 * np.sum((np.abs(said - truth) - ratio * truth) ** 2)) / truth.sum()
    known = stats.t.interval(0.95, 299, scale * ratio, scale * error)
    assert (found.low, found.high) == pytest.approx(known, rel=1e-6)
    assert found.method == "t, ratio"


def test_the_normal_interval_is_given_by_name_and_warned_of_below_a_hundred_units():
    errors = RNG.gamma(2, 1, 40)
    found = evaluated(errors, "mae", method="normal")
    known = stats.norm.interval(0.95, errors.mean(), errors.std(ddof=1) / sqrt(40))
    assert (found.low, found.high) == pytest.approx(known, rel=1e-9)
    assert found.notes == ("the normal interval is too narrow at 40 units",)
    assert evaluated(RNG.gamma(2, 1, ENOUGH), "mae", method="normal").notes == ()


def test_a_mean_that_a_few_rows_make_is_bounded_by_the_largest_of_them():
    """Two rows of thirty cost seven each: draws without either have no spread."""
    truth, said = np.zeros(30, dtype=int), np.zeros(30, dtype=int)
    said[:2] = 1
    truth[2:10] = said[2:10] = 1
    cost = {"cost": [[0, 7], [7, 0]], "metrics": "cost"}
    found = heldout.evaluate(truth, said, **cost)["cost"]
    taken = "0 and 7, the least and the largest seen, as the least and the largest possible"
    assert found.notes == (f"a few rows make the value; the interval takes {taken}",)
    assert found.method == "effective-n Wilson"
    assert 0 < found.low < 14 / 30 < found.high < 7


def test_r_squared_is_jackknifed_on_the_scale_of_unexplained_variance():
    truth = RNG.normal(size=25)
    said = truth + 0.5 * RNG.normal(size=25)

    def left(rows):
        return (
            1 - heldout.evaluate(truth[rows], said[rows], task="regression", metrics="r2", n_resamples=100)["r2"].value
        )

    every = np.arange(25)
    without = np.log([left(np.delete(every, at)) for at in every])
    spread = sqrt(24 / 25 * np.sum((without - without.mean()) ** 2))
    value = left(every)
    reach = stats.t.ppf(0.975, 24) * spread
    known = 1 - value * np.exp(reach), 1 - value * np.exp(-reach)
    found = heldout.evaluate(truth, said, task="regression", metrics="r2")["r2"]
    assert (found.low, found.high) == pytest.approx(known, rel=1e-9)


def test_r_squared_of_a_truth_that_does_not_vary():
    missed = heldout.evaluate(np.full(9, 2.0), RNG.normal(size=9), task="regression")["r2"]
    assert (missed.value, missed.low, missed.high) == (-inf, -inf, 1.0)
    assert missed.notes == ("R2 is minus infinity: the truth does not vary, and the predictions miss it",)
    met = heldout.evaluate(np.full(9, 2.0), np.full(9, 2.0), task="regression")["r2"]
    assert isnan(met.value)
    assert met.notes == ("R2 is undefined: the truth does not vary (0/0)",)


@pytest.mark.parametrize("rows", [20, 61])
def test_a_median_lies_between_two_of_the_rows_by_counting_heads(rows):
    """The shortest pair of order statistics whose binomial chance to hold the median is at least the level."""
    errors = np.sort(RNG.gamma(2, 1, rows))
    found = evaluated(errors, "median_absolute_error")
    low, high = (int(np.argmin(np.abs(errors - end))) for end in (found.low, found.high))
    assert (errors[low], errors[high]) == pytest.approx((found.low, found.high))

    def chance(first, last):
        return stats.binom.cdf(last, rows, 0.5) - stats.binom.cdf(first, rows, 0.5)

    assert chance(low, high) >= 0.95
    assert chance(low + 1, high) < 0.95 or chance(low, high - 1) < 0.95


def test_a_median_of_few_rows_says_what_it_reaches():
    found = evaluated(np.array([1.0, 2.0, 3.0, 4.0]), "median_absolute_error")
    assert (found.low, found.high) == (1.0, 4.0)
    assert found.notes == ("4 rows: order statistics reach 87.5% only",)
    alone = evaluated(np.array([1.0]), "median_absolute_error")
    assert alone.notes == ("one row has no spread to judge the value by",)


def test_the_largest_error_has_no_upper_end():
    found = evaluated(np.arange(1.0, 51.0), "max_error")
    assert (found.value, found.low, found.high) == (50.0, 50.0, inf)
    chance = 1 - 0.05 ** (1 / 50)
    assert found.notes[0].endswith(f"a new row exceeds 50 with probability at most {chance:.3g}")


def test_a_heavy_tail_is_a_hundredth_of_the_rows_that_carries_a_quarter_of_the_sum():
    values = np.ones(300)
    values[:3] = 297 * HEAVY / (1 - HEAVY) / 3
    assert heavy_tail(values * 0.999 + 1e-3) == ()
    values[0] += 1.0
    (said,) = heavy_tail(values)
    assert said.startswith("heavy tail: the largest 3 of 300 squared errors carry 25% of the sum")
    assert heavy_tail(values[:19]) == ()
    assert heavy_tail(np.zeros(50)) == ()


@pytest.mark.parametrize("rows", [7, 150])
@pytest.mark.parametrize("error", [0.5, 0.1])
def test_units_that_are_alike_but_for_rounding_tell_no_spread(error, rows):
    """(t + 0.1) - t is 0.1 in some rows and 0.09999999999999964 in others."""
    found = evaluated(np.full(rows, error), "mae")
    assert (found.low, found.high) == (0.0, inf)
    assert found.notes == (f"all {rows} units are alike, so there is no spread to judge the value by",)


def test_on_the_log_scale_by_name():
    errors = RNG.gamma(2, 1, 200)
    found = evaluated(errors, "mse", method="log")
    squares = errors**2
    reach = stats.norm.ppf(0.975) * squares.std(ddof=1) / sqrt(200) / squares.mean()
    assert (log(found.low), log(found.high)) == pytest.approx(
        (log(squares.mean()) - reach, log(squares.mean()) + reach), rel=1e-6
    )
