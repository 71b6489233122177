from __future__ import annotations

import numpy as np
import pytest

from heldout.tallies.units import tally_units

rng = np.random.default_rng(0)
LOSSES = rng.gamma(2, 1, 40)
MEAN = {"losses": 1 / 40, "rows": -LOSSES.mean() / 40}


def test_units_give_the_variance_of_a_mean():
    tally = tally_units({"losses": LOSSES, "rows": np.ones(40)})
    assert tally.variance(MEAN) == pytest.approx(LOSSES.var(ddof=1) / 40)
    assert (tally.units, tally.clustered, tally.weighted) == (40, False, False)


def test_units_add_up_their_rows():
    unit, weight = np.arange(40) // 4, rng.random(40)
    tally = tally_units({"losses": LOSSES}, weight, unit)
    assert tally.units == 10
    assert tally.added["losses"] == pytest.approx((weight * LOSSES).reshape(10, 4).sum(axis=1))
    assert tally.squares["losses"] == pytest.approx(np.sum(weight**2 * LOSSES))


def test_several_columns_stay_apart():
    tally = tally_units({"errors": np.stack([LOSSES, 2 * LOSSES], axis=1)}, unit=np.arange(40) // 4)
    assert tally.added["errors"].shape == (10, 2)
    assert tally.sums["errors"] == pytest.approx([LOSSES.sum(), 2 * LOSSES.sum()])
    assert tally.influence({"errors": np.array([1.0, -0.5])}) == pytest.approx(np.zeros(10))
