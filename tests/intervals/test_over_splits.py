from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest

from heldout.errors import HeldoutError
from heldout.intervals.after_selection import bootstrap_corrected, tibshirani
from heldout.intervals.cross_fitted import cross_fitted
from heldout.intervals.nested_cv import nested
from heldout.intervals.out_of_bag import dot632, dot632_plus, no_information_loss, no_information_rate, out_of_bag
from heldout.intervals.over_splits import (
    all_pairs,
    conservative_z,
    corrected_t,
    holdout,
    leave_one_out,
    naive_fold_interval,
    within_folds,
)

RNG = np.random.default_rng
LOSSES = RNG(1).exponential(size=60)


def test_every_estimate_says_whose_error_it_is():
    found = [holdout(LOSSES, 0.9), all_pairs(LOSSES, 0.9), corrected_t(LOSSES, 0.9, ratio=0.1)]
    assert [one.target for one in found] == ["this model", "these k models", "this learner"]
    assert {one.value for one in found} == {LOSSES.mean()}


@pytest.mark.parametrize(
    "call",
    [
        lambda x: holdout(x, 0.9), lambda x: all_pairs(x, 0.9), lambda x: leave_one_out(x, 0.9),
        lambda x: corrected_t(x, 0.9, ratio=0.1), lambda x: naive_fold_interval(x, 0.9),
    ],
)  # fmt: skip
def test_what_has_no_spread_has_no_interval(call):
    found = call([0.2] * 5)
    assert (found.value, isnan(found.low), isnan(found.high), isnan(found.error)) == (0.2, True, True, True)
    assert found.notes[-1] == "no interval: 5 numbers have no spread"


def test_within_folds_leaves_out_what_folds_differ_by():
    folds = np.repeat(np.arange(6), 10)
    apart = LOSSES + 10 * folds
    want = sqrt(np.mean([apart[folds == k].var(ddof=1) for k in range(6)]) / 60)
    assert within_folds(apart, folds, 0.95).error == pytest.approx(want)
    assert all_pairs(apart, 0.95).error > 2 * want


def test_nested_bias_and_bounds():
    turn, inner = np.repeat(np.arange(5), 20), np.tile(np.arange(20) >= 4, 5)
    losses = RNG(2).exponential(size=100) + inner  # inner losses higher by one
    plain, steep = (nested(losses, turn, inner, 0.95, folds=5, rows=20, exponent=e) for e in (1.0, 1.5))
    gap = losses[inner].mean() - losses[~inner].mean()
    assert plain.value == pytest.approx(losses[inner].mean() - 1.6 * gap)
    assert steep.value == pytest.approx(losses[inner].mean() - (1 + 0.6**1.5) * gap)
    least = losses[inner].std(ddof=1) / sqrt(20)
    assert least <= plain.error == steep.error <= least * sqrt(5)


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


def test_leave_one_out_of_a_majority_learner_is_always_wrong():
    y = np.repeat([0, 1], 25)
    majority = (y.sum() - y > 24.5).astype(int)  # of the other 49
    found = leave_one_out(majority != y, 0.95)
    assert found.value == 1.0
    assert isnan(found.low)


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


def test_selected_from_one_configuration_is_not_optimistic():
    table = LOSSES[:, None]
    found = bootstrap_corrected(table, 0.95, draws=2000, seed=0)
    assert found.value == pytest.approx(LOSSES.mean(), abs=0.02)
    assert tibshirani(table, np.arange(60) % 6).value == pytest.approx(LOSSES.mean())


def test_selection_in_blocks_is_seeded(monkeypatch):
    table = RNG(0).random((30, 8))
    one = bootstrap_corrected(table, 0.95, draws=300, seed=1)
    monkeypatch.setattr("heldout.intervals.after_selection.NUMBERS_AT_ONCE", 300)
    other = bootstrap_corrected(table, 0.95, draws=300, seed=1)
    assert one.value == pytest.approx(other.value)


def test_a_threshold_is_chosen_by_the_other_folds():
    rng = RNG(0)
    y = rng.random(300) < 0.3
    scores, folds = rng.normal(size=300) + 1.5 * y, np.arange(300) % 5
    found = cross_fitted(scores, y, folds, fp=1, fn=4)
    inside = folds == 2
    kept = cross_fitted(np.where(inside, scores + 3, scores), y, folds, fp=1, fn=4)
    assert kept.thresholds[2] == found.thresholds[2]
    assert np.any(kept.thresholds != found.thresholds)
    every = [np.mean(np.where(y, 4.0 * (scores < t), scores >= t)) for t in [*scores, np.inf]]
    assert found.apparent == pytest.approx(min(every))
    assert found.costs.mean() >= found.apparent


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: within_folds([0.1, 0.2, 0.3], [0, 0, 1], 0.95),
            ("[H310] fold 1 has one row, and so no variance within it\n"
            "  Fix: use all_pairs, which takes folds of any size"),
        ),
        (lambda: within_folds([0.1, 0.2], [0], 0.95), "[H112] 2 rows have 1 folds\n  Fix: name the fold of every row"),
        (
            lambda: within_folds([0.1, 0.2], [0, 0], 0.95),
            ("[H310] all 2 rows are in one fold\n"
            "  Fix: use at least two folds"),
        ),
        (lambda: holdout([], 0.95), "[H112] the losses are 0, not one row of numbers\n  Fix: give one number per row"),
        (
            lambda: holdout([0.1, np.nan], 0.95),
            ("[H305] number 2 of the losses is nan, which is missing or infinite\n"
            "  Fix: remove it, and say why it was removed"),
        ),
        (
            lambda: conservative_z([0.1, 0.2], [0.1, 0.2], 0.95),
            "the halves are 2, not lines of two numbers\n  Fix: give a line per halving with the mean of either half",
        ),
        (
            lambda: nested([0.1, 0.2, 0.3], [0, 0, 1], [True, False, True], 0.95, folds=2, rows=2),
            ("turn 1 has no outer loss\n"
            "  Fix: give, of every held-out fold, its losses and those of the folds beside it"),
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
        (
            lambda: bootstrap_corrected([0.1, 0.2], 0.95, draws=9, seed=0),
            "[H112] the losses are 2, not a table\n  Fix: give a line per row and a column per configuration",
        ),
        (
            lambda: tibshirani([[0.1, 0.2], [0.3, np.inf]], [0, 1]),
            ("[H305] the loss of row 2 under configuration 2 is inf\n"
            "  Fix: give the out-of-fold loss of every row under every configuration"),
        ),
        (
            lambda: cross_fitted([0.1, 0.2], [True, False], [0, 1], fp=0, fn=1),
            "fp is 0, which is no cost of an error\n  Fix: give a positive number",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_refused(call, said):
    with pytest.raises(HeldoutError) as refused:
        call()
    assert str(refused.value) == said
