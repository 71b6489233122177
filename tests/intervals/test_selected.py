from __future__ import annotations

import numpy as np
import pytest

from heldout.intervals.after_selection import bootstrap_corrected, over_bags

OPTIONS = {"draws": 300, "seed": 4}


@pytest.fixture
def losses():
    return np.random.default_rng(0).random((40, 6))


def test_units_are_drawn_whole(losses):
    alone = bootstrap_corrected(losses, 0.95, **OPTIONS)
    thrice = bootstrap_corrected(np.repeat(losses, 3, axis=0), 0.95, **OPTIONS, unit=np.repeat(np.arange(40), 3))
    assert (thrice.value, thrice.low, thrice.high) == pytest.approx((alone.value, alone.low, alone.high))
    assert thrice.chosen == alone.chosen


def test_weights_are_importance(losses):
    weight = np.random.default_rng(1).random(40)
    once = bootstrap_corrected(losses, 0.95, **OPTIONS, weight=weight)
    scaled = bootstrap_corrected(losses, 0.95, **OPTIONS, weight=9 * weight)
    assert (once.value, once.low, once.high) == pytest.approx((scaled.value, scaled.low, scaled.high))
    assert once.apparent == pytest.approx(np.average(losses, axis=0, weights=weight).min())


def test_any_loss_may_be_judged(losses):
    means = bootstrap_corrected(losses, 0.95, **OPTIONS)
    roots = over_bags(lambda block: np.sqrt(block @ losses / block.sum(axis=1)[:, None]), 40, 0.95, **OPTIONS)
    assert roots.chosen == means.chosen
    assert roots.apparent == pytest.approx(np.sqrt(means.apparent))
    assert roots.value == pytest.approx(np.sqrt(means.value), rel=0.01)


def test_what_is_undefined_is_never_chosen(losses):
    def some(block):
        found = block @ losses / block.sum(axis=1)[:, None]
        found[:, 0] = np.nan
        return found

    found = over_bags(some, 40, 0.95, **OPTIONS)
    without = bootstrap_corrected(losses[:, 1:], 0.95, **OPTIONS)
    assert found.chosen == without.chosen + 1
    assert found.value == pytest.approx(without.value)
