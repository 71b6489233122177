"""Intervals of means, squared errors, R² and order statistics, each worked out by hand."""

from __future__ import annotations

from math import inf, isnan, log, sqrt

import numpy as np
import pytest
from scipy import optimize, stats

import heldout
from heldout.estimates.means import ENOUGH, FEW_ROWS
from heldout.intervals.means import mean_of_counts
from heldout.intervals.unit_spread import UnitSpread, skew_adjusted_t

RNG = np.random.default_rng(1)


def skewness_corrected(mean, error, skewness, rows, level):
    """Hall's interval with the skewness of rows raised by 1 + 6 / n, or Student's where that is wider."""
    raised = skewness * (1 + 6 / rows) / sqrt(rows)
    return skew_adjusted_t(mean, UnitSpread(units=rows, variance=error**2, skewness=raised, df=rows - 1), level)


def evaluated(errors, metric, **options):
    """The metric of predictions that are off by these errors."""
    truth = np.linspace(5, 25, len(errors))
    return heldout.evaluate(truth, truth + errors, task="regression", metrics=metric, **options)[metric]


def test_a_mean_has_halls_interval_which_corrects_for_skewness():
    """Worked out by inverting Hall's cubic numerically, with the skewness raised by 1 + 6 / n."""
    errors = RNG.exponential(size=40)
    found = evaluated(errors, "mae")
    n, mean, spread = 40, errors.mean(), errors.std(ddof=1)
    lean = stats.skew(errors) * (1 + 6 / n)

    def cubic(x):
        return x + lean * x**2 / 3 + lean**2 * x**3 / 27 + lean / (6 * n)

    reach = stats.t.ppf(0.975, n - 1) / sqrt(n)
    high = mean - spread * optimize.brentq(lambda x: cubic(x) + reach, -30, 0)
    known = stats.t.interval(0.95, n - 1, mean, spread / sqrt(n))
    assert (found.low, found.high) == pytest.approx((known[0], high), rel=1e-6)
    assert high > known[1]
    assert found.method == "Hall t"


def test_the_order_of_rows_moves_no_end_of_a_mean():
    errors = RNG.exponential(size=40)
    one, other = evaluated(errors, "mae"), evaluated(errors[::-1], "mae")
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)


@pytest.mark.parametrize(
    ("draw", "mean", "at_least"),
    [
        (lambda rng, size: np.abs(rng.normal(size=size)), sqrt(2 / np.pi), 0.93),
        (lambda rng, size: rng.normal(size=size) ** 2, 1.0, 0.93),
        (lambda rng, size: rng.exponential(size=size), 1.0, 0.93),
        (lambda rng, size: rng.lognormal(size=size), np.exp(0.5), 0.92),
        (lambda rng, size: rng.exponential(size=size) * (rng.random(size) < 0.2), 0.2, 0.93),
        (lambda rng, size: np.exp(2 * rng.normal(size=size)), np.exp(2), 0.86),
    ],
)
def test_halls_interval_covers_means_of_skewed_losses(draw, mean, at_least):
    """Student's covers .88, .90, .93, .88, .84 and .65 of them at 30 rows."""
    rows, reach = 2000, 2.6 * sqrt(0.05 * 0.95 / 2000)
    samples = draw(np.random.default_rng(30), (rows, 30))
    ends = [
        skewness_corrected(one.mean(), one.std(ddof=1) / sqrt(30), stats.skew(one), 30, 0.95)
        for one in samples
        if one.std() > 0
    ]
    covered = np.mean([low <= mean <= high for low, high in ends])
    assert at_least - reach <= covered <= 0.975 + reach


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
    apart = np.abs(said - truth) - ratio * truth
    lean = np.mean(apart**3) / np.mean(apart**2) ** 1.5
    known = skewness_corrected(scale * ratio, scale * error, lean, 300, 0.95)
    assert (found.low, found.high) == pytest.approx(known, rel=1e-6)
    assert found.method == "Hall t, ratio"


def test_the_normal_interval_is_given_by_name_and_warned_of_below_a_hundred_units():
    errors = RNG.gamma(2, 1, 40)
    found = evaluated(errors, "mae", method="normal")
    known = stats.norm.interval(0.95, errors.mean(), errors.std(ddof=1) / sqrt(40))
    assert (found.low, found.high) == pytest.approx(known, rel=1e-9)
    assert found.notes == ("the normal interval is too narrow at 40 units",)
    assert evaluated(RNG.gamma(2, 1, ENOUGH), "mae", method="normal").notes == ()


def test_a_cost_stays_between_the_least_and_the_largest_cost():
    """Two of thirty rows cost seven each; a share of two in thirty, times seven, is what Wilson's interval is of."""
    truth, said = np.zeros(30, dtype=int), np.zeros(30, dtype=int)
    said[:2] = 1
    truth[2:10] = said[2:10] = 1
    cost = {"cost": [[0, 7], [7, 0]], "metrics": "cost"}
    found = heldout.evaluate(truth, said, **cost)["cost"]
    share = heldout.evaluate(truth, said, metrics="error_rate")["error_rate"]
    assert found.method == share.method == "Wilson"
    assert (found.low, found.high) == pytest.approx((7 * share.low, 7 * share.high))
    none = heldout.evaluate(truth, truth, **cost)["cost"]
    assert none.low == 0
    assert 0 < none.high < 7
    assert none.notes == ()


@pytest.mark.parametrize("rows", [15, 30, 150])
def test_a_cost_covers_though_no_row_may_have_missed(rows):
    """A false alarm costs 1, a miss 5; at 150 rows about one row is a miss, and most samples of 15 lack one."""
    chances, costs = np.array([0.9, 0.093, 0.007]), np.array([0.0, 1.0, 5.0])
    counts = np.random.default_rng(rows).multinomial(rows, chances, size=2000)
    ends = [mean_of_counts(line, costs, 0.95) for line in counts]
    covered = np.mean([low <= chances @ costs <= high for low, high in ends])
    assert 0.93 <= covered <= 0.99
    assert all(low >= 0 and high <= 5 for low, high in ends)


def test_losses_of_a_few_values_are_counts_of_them():
    """Errors of 0 and 1, seen often enough, are a share: Wilson's interval, whatever the metric is called."""
    errors = np.repeat([0.0, 1.0], [90, 10])
    found = evaluated(errors, "mae")
    known = proportion_ends(10, 100)
    assert (found.low, found.high) == pytest.approx(known)


def proportion_ends(count, rows):
    """Wilson's interval."""
    return tuple(stats.binomtest(count, rows).proportion_ci(method="wilson"))


def test_an_r_squared_that_one_row_makes_has_no_lower_end():
    truth = np.r_[1e-3 * np.arange(6.0), 1e3]
    said = truth + np.r_[RNG.normal(size=6), 3.0]
    found = heldout.evaluate(truth, said, task="regression", metrics="r2")["r2"]
    assert found.low == -inf
    assert "R2 has no lower bound: single rows make up most of its denominator" in found.notes


def test_r_squared_is_jackknifed_on_the_scale_of_unexplained_variance_or_corrected_for_skewness():
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
    squares, spread = (truth - said) ** 2, (truth - truth.mean()) ** 2
    apart = -(squares - value * spread) / spread.sum()
    error, lean = sqrt(25 / 24 * np.sum(apart**2)), np.mean(apart**3) / np.mean(apart**2) ** 1.5
    (low, _), (_, high) = (
        skewness_corrected(1 - value, error, one, 25, 0.95) for one in (min(lean, -stats.skew(squares)), lean)
    )
    found = heldout.evaluate(truth, said, task="regression", metrics="r2")["r2"]
    assert (found.low, found.high) == pytest.approx((min(low, known[0]), min(max(high, known[1]), 1.0)), rel=1e-6)


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
    assert alone.notes == ("the variance of one row cannot be estimated",)


def test_the_largest_error_has_no_upper_end():
    found = evaluated(np.arange(1.0, 51.0), "max_error")
    assert (found.value, found.low, found.high) == (50.0, 50.0, inf)
    chance = 1 - 0.05 ** (1 / 50)
    assert found.notes[0].endswith(f"a new row exceeds 50 with probability at most {chance:.3g}")


def test_few_rows_and_skewed_losses_have_a_warning():
    rare = "rare large losses that are missing from them would move the value outside the interval"
    few = evaluated(RNG.normal(size=FEW_ROWS - 1), "mae")
    assert few.notes == (f"29 rows are few for losses without a bound: {rare}",)
    assert evaluated(RNG.uniform(size=FEW_ROWS), "mae").notes == ()
    errors = np.r_[RNG.uniform(size=99), 20.0]
    (said,) = evaluated(errors, "mae").notes
    assert said == f"the losses are very skewed (skewness {stats.skew(errors):.1f} in 100 rows): {rare}"


def test_misses_of_heavy_tails_are_warned_of():
    """Of squared lognormal errors, 60 rows: a tenth of the intervals miss, and one in thirty without a warning."""
    rng = np.random.default_rng(60)
    missed = silent = 0
    for _ in range(300):
        found = evaluated(rng.lognormal(size=60), "mse")
        beyond = not found.low <= np.exp(2) <= found.high
        missed += beyond
        silent += beyond and not found.notes
    assert missed <= 50
    assert silent <= 18


@pytest.mark.parametrize("rows", [7, 150])
@pytest.mark.parametrize("error", [0.5, 0.1])
def test_units_that_are_alike_but_for_rounding_tell_no_spread(error, rows):
    """(t + 0.1) - t is 0.1 in some rows and 0.09999999999999964 in others."""
    found = evaluated(np.full(rows, error), "mae")
    assert (found.low, found.high) == (0.0, inf)
    assert found.notes == (f"all {rows} units are alike: no variance",)


def test_on_the_log_scale_by_name():
    errors = RNG.gamma(2, 1, 200)
    found = evaluated(errors, "mse", method="log")
    squares = errors**2
    reach = stats.norm.ppf(0.975) * squares.std(ddof=1) / sqrt(200) / squares.mean()
    assert (log(found.low), log(found.high)) == pytest.approx(
        (log(squares.mean()) - reach, log(squares.mean()) + reach), rel=1e-6
    )


def test_heavy_rows_are_worth_few_degrees_of_freedom():
    """Ninety-nine rows of weight 1 and one of weight 99 are worth four: the interval is wider than Student's of 100."""
    errors, weight = RNG.normal(size=100), np.r_[np.ones(99), 99.0]
    found = evaluated(errors, "mae", sample_weight=weight)
    moved = weight * (np.abs(errors) - found) / weight.sum()
    reach = stats.t.ppf(0.975, 99) * sqrt(100 / 99 * moved @ moved)
    assert found.high - found > 2 * reach
    assert found.notes[0].startswith("100 rows, worth 4 of equal weight, are few for losses without a bound")


@pytest.mark.parametrize(("quantile", "rows", "noted"), [(0.99, 60, True), (0.95, 40, True), (0.95, 100, False)])
def test_a_quantile_beyond_which_few_rows_are_expected_has_a_note(quantile, rows, noted):
    """Without a row beyond it, the interval cannot reach the true loss; with 2 expected it covers 76%, with 5 95%."""
    at = -np.log(1 - quantile)
    truth = np.minimum(np.random.default_rng(1).exponential(size=rows), at - 0.1)  # no row is beyond
    name = f"pinball@{quantile}"
    for one in (name, f"d2_{name}"):
        found = heldout.evaluate(truth, at + 1e-6 * np.arange(rows), metrics=one, task="regression")[one]
        assert any("are expected beyond the quantile" in note for note in found.notes) == noted
        assert found.card is None


@pytest.mark.parametrize("rows", [30, 100, 1000])
@pytest.mark.parametrize("metric", ["brier", "log_loss"])
def test_a_model_that_is_sure_and_right_in_all_rows_is_not_known_to_be_right_always(metric, rows):
    rng = np.random.default_rng(0)
    truth = np.arange(rows) % 2
    found = heldout.evaluate(truth, y_score=truth * 0.998 + rng.uniform(5e-4, 15e-4, rows), metrics=metric)[metric]
    share = 100 * (1 - 0.05 ** (1 / rows))
    assert any(f"none of {rows:,} rows is predicted wrong, and up to {share:.2g}% of all may" in n for n in found.notes)
    wrong = np.where(np.arange(rows) < rows // 10, 1 - truth, truth)
    unsure = heldout.evaluate(truth, y_score=wrong * 0.8 + rng.uniform(0.05, 0.15, rows), metrics=metric)[metric]
    assert not any("is predicted wrong" in note for note in unsure.notes)


@pytest.mark.parametrize("rows", [20, 400])
def test_wrong_rows_that_are_not_in_the_sample_are_allowed_for(rows):
    """As many as may be missing, each at what a row would cost if the other class were true."""
    truth, said = np.arange(rows) % 2, np.linspace(0.001, 0.03, rows)  # the probability of the other class
    found = heldout.evaluate(truth, y_score=np.where(truth, 1 - said, said), metrics=["brier", "log_loss"])
    share = 1 - 0.05 ** (1 / rows)
    for name, right, wrong in (("brier", said**2, (1 - said) ** 2), ("log_loss", -np.log1p(-said), -np.log(said))):
        high = (1 - share) * right.mean() + share * wrong.mean()
        assert (found[name].value, found[name].high) == pytest.approx((right.mean(), high))
        note = f"none of {rows} rows is predicted wrong, and up to {100 * share:.2g}% of all may be"
        assert found[name].notes == (f"{note}: the upper bound allows for as many",)


def test_a_wrong_row_that_would_cost_infinitely_much_is_only_noted():
    truth = np.arange(40) % 2
    found = heldout.evaluate(truth, y_score=np.where(truth, 1.0, np.linspace(0, 0.1, 40)), metrics="log_loss")[
        "log_loss"
    ]
    note = "none of 40 rows is predicted wrong, and up to 7.2% of all may be"
    assert found.notes == (f"{note}: their losses would move the value outside the interval",)
    assert found.high < 0.1


def test_the_weights_of_wrong_rows_that_are_not_in_the_sample_are_those_of_the_rows():
    truth, said, weight = np.arange(30) % 2, np.linspace(0.001, 0.3, 30), np.linspace(1, 2, 30)
    scores = np.where(truth, 1 - said, said)
    found = heldout.evaluate(truth, y_score=scores, metrics="brier", sample_weight=weight)["brier"]
    share = 1 - 0.05 ** (1 / 30)
    high = (1 - share) * np.average(said**2, weights=weight) + share * np.average((1 - said) ** 2, weights=weight)
    assert found.high == pytest.approx(high)


def test_errors_of_one_sign_do_not_tell_that_there_is_no_other():
    truth = np.arange(50.0)
    said = truth - np.isin(np.arange(50), [3, 9, 20])
    found = heldout.evaluate(truth, said, metrics=["mean_error", "mae"])
    assert (found["mean_error"].method, found["mae"].method) == ("multinomial score", "Wilson")
    assert found["mean_error"].low < 0
    turned = heldout.evaluate(-truth, -said, metrics="mean_error")["mean_error"]
    assert (turned.low, turned.high) == pytest.approx((-found["mean_error"].high, -found["mean_error"].low), rel=1e-6)
