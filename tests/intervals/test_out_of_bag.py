from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from scipy import stats

from heldout.errors import HeldoutError
from heldout.intervals.out_of_bag import dot632, dot632_plus, no_information_loss, no_information_rate, out_of_bag
from heldout.intervals.over_splits import OverSplits

RNG = np.random.default_rng
LOSSES = RNG(1).exponential(size=60)


def one_nearest(x, y, of):
    """Predictions for rows `of` by the nearest of rows x."""
    return y[np.argmin(((of[:, None] - x) ** 2).sum(axis=2), axis=1)]


def test_a_memoriser_of_coin_flips():
    """Training error 0, out of bag .5, .632 = .316, and .632+ near the truth of .5."""
    seen = []
    for seed in range(20):
        rng = RNG(seed)
        x, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
        drawn = rng.multinomial(60, np.full(60, 1 / 60), size=25)
        losses = np.array([one_nearest(x[n > 0], y[n > 0], x) != y for n in drawn], float)
        e0, full = out_of_bag(losses, drawn, 0.95), one_nearest(x, y, x)
        assert np.mean(full != y) == 0
        gamma = no_information_rate(y, full)
        seen.append((e0.value, dot632(e0, 0.0).value, dot632_plus(e0, 0.0, gamma).value))
    e0_mean, plain, plus = np.mean(seen, axis=0)
    assert e0_mean == pytest.approx(0.5, abs=0.05)
    assert plain == pytest.approx(0.316, abs=0.03)
    assert plus == pytest.approx(0.473, abs=0.04)


def test_the_share_of_distinct_rows_is_632():
    drawn = RNG(0).multinomial(200, np.full(200, 1 / 200), size=500)
    assert np.mean(drawn > 0) == pytest.approx(0.632, abs=0.005)


def test_without_relation_to_the_models_the_out_of_bag_error_is_that_of_a_mean():
    drawn = RNG(0).multinomial(60, np.full(60, 1 / 60), size=2000)
    found = out_of_bag(np.tile(LOSSES, (2000, 1)), drawn, 0.95)
    assert found.value == pytest.approx(LOSSES.mean())
    assert found.error == pytest.approx(LOSSES.std() / sqrt(60), rel=0.1)


def test_no_information():
    y, h = RNG(5).integers(0, 3, 40), RNG(6).integers(0, 3, 40)
    assert no_information_rate(y, h) == pytest.approx(no_information_loss(y[:, None] != h))


def test_error_is_the_delta_method_by_loops():
    """Efron and Tibshirani 1997, equations 17 and 40: the influence of every row, sample by sample."""
    rng = RNG(3)
    n, samples = 9, 40
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=samples)
    losses = rng.exponential(size=(samples, n)) + np.arange(n)
    out = drawn == 0
    means = [np.mean([losses[b, i] for b in range(samples) if out[b, i]]) for i in range(n)]
    e0 = np.mean(means)
    q = [sum(losses[b, i] for i in range(n) if out[b, i]) / n for b in range(samples)]
    influence = []
    for i in range(n):
        moved = sum((drawn[b, i] - drawn[:, i].mean()) * q[b] for b in range(samples)) / out[:, i].sum()
        influence.append((2 + 1 / (n - 1)) * (means[i] - e0) / n + moved)
    found = out_of_bag(losses, drawn, 0.9)
    assert (found.value, found.error) == pytest.approx((e0, sqrt(sum(one**2 for one in influence))))
    reach = stats.norm.ppf(0.95) * found.error
    assert (found.low, found.high) == pytest.approx((e0 - reach, e0 + reach))
    assert (found.level, found.method, found.notes) == (0.9, "out of bag (e0)", ())


def test_a_row_that_every_sample_drew_is_not_judged_and_one_that_one_sample_left_out_is():
    drawn = np.array([[1, 0, 2, 0], [2, 1, 0, 1], [1, 1, 0, 2]])
    losses = np.array([[9.0, 0.2, 9.0, 0.4], [9.0, 9.0, 0.6, 9.0], [9.0, 9.0, 0.8, 9.0]])
    found = out_of_bag(losses, drawn, 0.95)
    assert found.value == pytest.approx((0.2 + 0.7 + 0.4) / 3)
    assert found.notes == ("1 of 4 rows were in every sample and are not judged",)


def test_no_variance_has_no_interval():
    found = out_of_bag(np.full((3, 3), 0.5), np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]]), 0.95)
    assert (found.value, found.notes) == (0.5, ("no interval: there is no variance",))
    assert np.isnan([found.low, found.high, found.error]).all()


E0 = OverSplits(value=0.4, low=0.3, high=0.5, level=0.9, error=0.06, target="this model", method="e0", notes=("so",))


def test_the_632_estimates_have_the_relative_error_of_e0():
    found = dot632(E0, 0.1)
    value = 0.368 * 0.1 + 0.632 * 0.4
    reach = stats.norm.ppf(0.95) * 0.06 * value / 0.4
    assert (found.value, found.error) == pytest.approx((value, 0.06 * value / 0.4))
    assert (found.low, found.high) == pytest.approx((value - reach, value + reach))
    assert (found.method, found.target, found.level, found.notes) == (".632", "this model", 0.9, ("so",))
    nothing = dot632(replace(E0, value=0.0, error=0.0), 0.1)
    assert (nothing.value, np.isnan(nothing.error)) == (pytest.approx(0.0368), True)


@pytest.mark.parametrize(
    ("training", "gamma", "rate"),
    # R = (e0 - training) / (gamma - training), held between 0 and 1
    [(0.1, 0.5, 0.75), (0.1, 0.4, 1.0), (0.1, 0.3, 1.0), (0.4, 0.5, 0.0), (0.45, 0.5, 0.0), (0.0, 0.8, 0.5)],
)
def test_632_plus_weighs_by_the_rate_of_overfitting(training, gamma, rate):
    found = dot632_plus(E0, training, gamma)
    weight = 0.632 / (1 - 0.368 * rate)
    assert found.value == pytest.approx((1 - weight) * training + weight * min(0.4, gamma))
    assert found.method == ".632+"


def test_no_information_of_classes_that_only_one_side_has():
    assert no_information_rate(["b", "b"], ["a", "b"]) == 0.5
    assert no_information_rate(["a", "b", "c"], ["a", "a", "a"]) == pytest.approx(2 / 3)
    assert no_information_rate(["a", "a"], ["b", "b"]) == 1.0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: no_information_rate(["a", "b"], ["a"]),
            "[H112] 2 truths have 1 predictions\n  Fix: give one prediction for every truth",
        ),
        (
            lambda: no_information_rate([], []),
            "[H112] 0 truths have 0 predictions\n  Fix: give one prediction for every truth",
        ),
        (
            lambda: no_information_rate([["a"]], [["a"]]),
            "[H112] 1 truths have 1 predictions\n  Fix: give one prediction for every truth",
        ),
        (
            lambda: out_of_bag([[0.1], [0.2]], [[0], [1]], 0.95),
            ("[H112] losses and drawn are 2 x 1 and 2 x 1\n"
            "  Fix: give both with a line per bootstrap sample and a column per row, of which there are at least two"),
        ),
        (
            lambda: out_of_bag([[0.1, 0.2]], [[0, 1, 1]], 0.95),
            ("[H112] losses and drawn are 1 x 2 and 1 x 3\n"
            "  Fix: give both with a line per bootstrap sample and a column per row, of which there are at least two"),
        ),
        (
            lambda: out_of_bag(0.1, 1, 0.95),
            ("[H112] losses and drawn are one number and one number\n"
            "  Fix: give both with a line per bootstrap sample and a column per row, of which there are at least two"),
        ),
        (
            lambda: out_of_bag([[0.1, np.nan]], [[2, 0]], 0.95),
            ("[H305] the loss of row 2 out of sample 1 is nan\n"
            "  Fix: give the loss of every row under every model that did not draw it"),
        ),
        (
            lambda: out_of_bag([[0.1, 0.2]], [[1, 1]], 0.95),
            ("[H310] every row is in each of the 1 samples, so that none is left to judge\n"
            "  Fix: draw rows with replacement"),
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_refused(call, said):
    with pytest.raises(HeldoutError) as refused:
        call()
    assert str(refused.value) == said


def test_an_error_that_is_as_large_in_training_and_without_information_is_itself():
    e0 = OverSplits(value=0.5, low=0.4, high=0.6, level=0.95, error=0.05, target="this learner", method="e0")
    assert dot632_plus(e0, 0.5, 0.5).value == 0.5
