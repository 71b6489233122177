from __future__ import annotations

import numpy as np
import pytest

from heldout.errors import HeldoutError
from heldout.intervals.after_selection import bootstrap_corrected, over_bags, tibshirani

OPTIONS = {"draws": 300, "seed": 4}
LOSSES = np.random.default_rng(1).exponential(size=60)


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


def test_selected_from_one_configuration_is_not_optimistic():
    table = LOSSES[:, None]
    found = bootstrap_corrected(table, 0.95, draws=2000, seed=0)
    assert found.value == pytest.approx(LOSSES.mean(), abs=0.02)
    assert tibshirani(table, np.arange(60) % 6).value == pytest.approx(LOSSES.mean())


def test_selection_in_blocks_is_seeded(monkeypatch):
    table = np.random.default_rng(0).random((30, 8))
    one = bootstrap_corrected(table, 0.95, draws=300, seed=1)
    monkeypatch.setattr("heldout.intervals.after_selection.NUMBERS_AT_ONCE", 300)
    other = bootstrap_corrected(table, 0.95, draws=300, seed=1)
    assert one.value == pytest.approx(other.value)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: bootstrap_corrected([0.1, 0.2], 0.95, draws=9, seed=0),
            "[H112] the losses are 2, not a table\n  Fix: give a line per row and a column per configuration",
        ),
        (
            lambda: tibshirani([[0.1, 0.2], [0.3, np.inf]], [0, 1]),
            ("[H305] the loss of row 2 under configuration 2 is inf\n"
            "  Fix: give the out-of-fold loss of every row under every configuration"),
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_refused(call, said):
    with pytest.raises(HeldoutError) as refused:
        call()
    assert str(refused.value) == said
