from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from heldout.errors import HeldoutError
from heldout.intervals.over_splits import nested

RNG = np.random.default_rng


def test_nested_bias_and_bounds():
    turn, inner = np.repeat(np.arange(5), 20), np.tile(np.arange(20) >= 4, 5)
    losses = RNG(2).exponential(size=100) + inner  # inner losses higher by one
    plain, steep = (nested(losses, turn, inner, 0.95, folds=5, rows=20, exponent=e) for e in (1.0, 1.5))
    gap = losses[inner].mean() - losses[~inner].mean()
    assert plain.value == pytest.approx(losses[inner].mean() - 1.6 * gap)
    assert steep.value == pytest.approx(losses[inner].mean() - (1 + 0.6**1.5) * gap)
    least = losses[inner].std(ddof=1) / sqrt(20)
    assert least <= plain.error == steep.error <= least * sqrt(5)


def by_loops(losses, turn, inner, folds):
    """Bates, Hastie and Tibshirani 2024, algorithm 1: the squared error before its bounds."""
    terms = []
    for one in np.unique(turn):
        inside, outside = losses[(turn == one) & inner], losses[(turn == one) & ~inner]
        terms.append((inside.mean() - outside.mean()) ** 2 - outside.var(ddof=1) / len(outside))
    return (folds - 1) / folds * np.mean(terms)


@pytest.mark.parametrize("spread", [0.0, 0.35, 3.0])
def test_nested_error_between_its_bounds(spread):
    """Held-out folds that lie apart from the others by more or less than their own rows explain."""
    rng = RNG(4)
    turn, inner = np.repeat(np.arange(8), 30), np.tile(np.arange(30) >= 6, 8)
    losses = rng.normal(1, 1, 240) + np.where(inner, 0.0, spread * rng.choice([-1, 1], 8)[turn])
    order = rng.permutation(240)
    found = nested(losses[order], turn[order], inner[order], 0.9, folds=4, rows=30)
    squared = by_loops(losses, turn, inner, 4)
    least = losses[inner].std(ddof=1) / sqrt(30)
    want = min(max(sqrt(max(squared, 0.0)), least), least * 2)
    assert (want == least, want == least * 2) == (spread == 0.0, spread == 3.0)
    assert found.error == pytest.approx(want)
    reach = stats.norm.ppf(0.95) * want
    assert (found.low, found.high) == pytest.approx((found.value - reach, found.value + reach))
    assert (found.method, found.notes, found.level) == ("nested cross-validation", (), 0.9)


def test_nested_losses_that_are_all_alike_have_no_interval():
    turn, inner = np.repeat([0, 1], 6), np.tile(np.arange(6) >= 2, 2)
    found = nested(np.full(12, 0.3), turn, inner, 0.95, folds=3, rows=6)
    assert (found.value, found.notes) == (pytest.approx(0.3), ("no interval: 12 numbers have no variance",))
    assert np.isnan([found.low, found.high, found.error]).all()
    small, large = (nested(scale * RNG(5).random(12), turn, inner, 0.95, folds=3, rows=6) for scale in (1e-13, 1e13))
    assert small.error * 1e26 == pytest.approx(large.error)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: nested(
                [0.1] * 6, [0] * 3 + [1] * 3, [True, False, False, True, True, False], 0.95, folds=2, rows=2
            ),
            "[H310] a held-out fold has one row, and so no variance within it\n  Fix: use fewer folds",
        ),
        (
            lambda: nested([0.1, 0.2], [0], [True, False], 0.95, folds=2, rows=2),
            "[H112] 2 losses have 1 turns and 2 marks of being inner\n  Fix: give both for every loss",
        ),
        (
            lambda: nested([0.1, 0.2], [0, 0], [True], 0.95, folds=2, rows=2),
            "[H112] 2 losses have 2 turns and 1 marks of being inner\n  Fix: give both for every loss",
        ),
        (
            lambda: nested([0.1, 0.2, 0.3], [0, 0, 1], [1, 0, 0], 0.95, folds=2, rows=2),
            ("turn 1 has no inner loss\n"
            "  Fix: give, of every held-out fold, its losses and those of the folds beside it"),
        ),
        (
            lambda: nested([0.1, 0.2, 0.3], [0, 0, 1], [True, False, True], 0.95, folds=2, rows=2),
            ("turn 1 has no outer loss\n"
            "  Fix: give, of every held-out fold, its losses and those of the folds beside it"),
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_refused(call, said):
    with pytest.raises(HeldoutError) as refused:
        call()
    assert str(refused.value) == said
