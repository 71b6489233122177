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
    monkeypatch.setattr("heldout.intervals.after_selection.NUMBERS_AT_ONCE", 30 * 7)  # seven bags at a time
    other = bootstrap_corrected(table, 0.95, draws=300, seed=1)
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))
    assert one.optimism == one.value - one.apparent
    sizes = []

    def means(block):
        sizes.append(len(block))
        return block @ table / block.sum(axis=1)[:, None]

    over_bags(means, 30, 0.95, draws=20, seed=1)
    assert sizes == [1, 7, 7, 7, 7, 6, 6]  # all rows once, then inside and out of each bag


def test_units_of_unequal_weight_are_drawn_whole(losses):
    weight, unit = np.random.default_rng(1).random(40), np.random.default_rng(2).integers(0, 9, 40)
    mass = np.array([weight[unit == one].sum() for one in range(9)])
    sums = np.array([(weight[:, None] * losses)[unit == one].sum(axis=0) for one in range(9)])
    found = bootstrap_corrected(losses, 0.95, **OPTIONS, weight=weight, unit=unit)
    again = over_bags(lambda block: (block @ sums) / (block @ mass)[:, None], 9, 0.95, **OPTIONS)
    assert (found.value, found.low, found.high) == pytest.approx((again.value, again.low, again.high))


def test_bags_by_loops(losses):
    """Of every resample, the loss out of the bag of the configuration that is best in it."""
    rng, seen = np.random.default_rng(4), []
    for counts in rng.multinomial(40, np.full(40, 1 / 40), size=300):
        best = int(np.argmin(counts @ losses))
        seen.append(losses[counts == 0, best].mean())
    found = bootstrap_corrected(losses, 0.9, **OPTIONS)
    assert found.value == pytest.approx(np.mean(seen))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(seen, [0.05, 0.95], method="weibull")))
    assert (found.level, found.method) == (0.9, "bootstrap bias corrected cross-validation")


def test_bags_that_hold_every_unit_are_left_out():
    two = np.array([[0.2], [0.4]])
    found = bootstrap_corrected(two, 0.95, draws=200, seed=0)
    assert found.value == pytest.approx(0.3, abs=0.02)  # half of the bags hold both
    none = over_bags(lambda block: np.full((len(block), 2), np.nan), 3, 0.95, draws=5, seed=0)
    assert np.isnan([none.value, none.low, none.high]).all()


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


def test_an_empty_bag_has_an_infinite_loss_and_no_warning():
    worth = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0]])
    found = over_bags(lambda block: 1 / (block @ worth), 3, 0.95, draws=200, seed=0)
    assert (found.chosen, found.apparent) == (0, 0.25)
