from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

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


@pytest.mark.parametrize(
    ("call", "said"),
    [
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
