from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from heldout.errors import HeldoutError
from heldout.intervals.out_of_bag import dot632, dot632_plus, no_information_loss, no_information_rate, out_of_bag

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


@pytest.mark.parametrize(
    ("call", "said"),
    [
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
