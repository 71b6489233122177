from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest
from scipy import stats

from heldout.errors import HeldoutError
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
    assert found.notes[-1] == "no interval: 5 numbers have no variance"


@pytest.mark.parametrize("scale", [1e-13, 1.0, 1e13])
def test_every_interval_by_scipy(scale):
    x = scale * LOSSES
    t, z = stats.t.interval, stats.norm.interval
    n, folds = len(x), np.repeat(np.arange(6), 10)
    wanted = {
        "holdout, t": (holdout(x, 0.9), t(0.9, n - 1, x.mean(), stats.sem(x))),
        "cross-validation, all pairs": (all_pairs(x, 0.9), z(0.9, x.mean(), x.std() / sqrt(n))),
        "leave-one-out": (leave_one_out(x, 0.9), z(0.9, x.mean(), x.std() / sqrt(n))),
        "corrected t": (
            corrected_t(x, 0.9, ratio=0.25), t(0.9, n - 1, x.mean(), x.std(ddof=1) * sqrt(1 / n + 0.25)),
        ),
        "naive t over folds (not valid)": (
            naive_fold_interval(x, 0.9), t(0.9, n - 1, x.mean(), stats.sem(x)),
        ),
        "cross-validation, within folds": (
            within_folds(x, folds, 0.9),
            z(0.9, x.mean(), sqrt(np.mean([x[folds == k].var(ddof=1) for k in range(6)]) / n)),
        ),
        "conservative z": (
            conservative_z(x, [[0.1 * scale, 0.3 * scale], [0.2 * scale, 0.1 * scale]], 0.9),
            z(0.9, x.mean(), scale * sqrt((0.04 + 0.01) / 4)),
        ),
    }  # fmt: skip
    for method, (found, ends) in wanted.items():
        assert (found.low, found.high) == pytest.approx(ends), method
        assert (found.method, found.level) == (method, 0.9)
        note = ("splits share training rows, so the interval is too narrow",) if method.startswith("naive") else ()
        assert found.notes == note


def test_two_numbers_have_an_interval_and_one_has_none():
    two, one = [0.1, 0.4], [0.3]
    assert holdout(two, 0.9).low == pytest.approx(stats.t.interval(0.9, 1, 0.25, stats.sem(two))[0])
    assert corrected_t(two, 0.9, ratio=0.5).error == pytest.approx(np.std(two, ddof=1))
    assert within_folds([0.1, 0.4, 0.2, 0.6], [0, 0, 1, 1], 0.9).error == pytest.approx(sqrt((0.045 + 0.08) / 2 / 4))
    for found in (holdout(one, 0.9), corrected_t(one, 0.9, ratio=0.5), all_pairs(one, 0.9)):
        assert (found.value, found.notes) == (0.3, ("no interval: one number has no variance",))
        assert np.isnan([found.low, found.high, found.error]).all()
    rounded = holdout([0.3, 0.1 + 0.2], 0.9)
    assert rounded.notes == ("no interval: 2 numbers have no variance",)


def test_within_folds_leaves_out_what_folds_differ_by():
    folds = np.repeat(np.arange(6), 10)
    apart = LOSSES + 10 * folds
    want = sqrt(np.mean([apart[folds == k].var(ddof=1) for k in range(6)]) / 60)
    assert within_folds(apart, folds, 0.95).error == pytest.approx(want)
    assert all_pairs(apart, 0.95).error > 2 * want


def test_leave_one_out_of_a_majority_learner_is_always_wrong():
    y = np.repeat([0, 1], 25)
    majority = (y.sum() - y > 24.5).astype(int)  # of the other 49
    found = leave_one_out(majority != y, 0.95)
    assert found.value == 1.0
    assert isnan(found.low)


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
            lambda: corrected_t([0.1, 0.2], 0.95, ratio=np.inf),
            ("ratio is inf, but splits have rows on both sides\n"
            "  Fix: give test rows / training rows, 1 / (k - 1) for k folds"),
        ),
        (
            lambda: corrected_t(0.1, 0.95, ratio=1),
            "[H112] the values are one number, not one row of numbers\n  Fix: give one number per row",
        ),
        (
            lambda: conservative_z([[0.1, 0.2]], [[0.1, 0.2]], 0.95),
            "[H112] the values are 1 x 2, not one row of numbers\n  Fix: give one number per row",
        ),
        (
            lambda: conservative_z([0.1, 0.2], [[0.1, np.nan]], 0.95),
            ("the halves are 1 x 2, not lines of two numbers\n"
            "  Fix: give a line per halving with the mean of either half"),
        ),
        (
            lambda: conservative_z([0.1, 0.2], [[0.1, 0.2, 0.3]], 0.95),
            ("the halves are 1 x 3, not lines of two numbers\n"
            "  Fix: give a line per halving with the mean of either half"),
        ),
        (
            lambda: conservative_z([0.1, 0.2], np.zeros((0, 2)), 0.95),
            ("the halves are 0 x 2, not lines of two numbers\n"
            "  Fix: give a line per halving with the mean of either half"),
        ),
        (
            lambda: conservative_z([0.1, 0.2], [0.1, 0.2], 0.95),
            "the halves are 2, not lines of two numbers\n  Fix: give a line per halving with the mean of either half",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_refused(call, said):
    with pytest.raises(HeldoutError) as refused:
        call()
    assert str(refused.value) == said
