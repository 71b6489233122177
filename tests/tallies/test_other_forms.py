from __future__ import annotations

import numpy as np
import pytest

from heldout.tallies.class_counts import ClassCounts
from heldout.tallies.moments import moments
from heldout.tallies.ordered import tally_ordered
from heldout.tallies.score_columns import ScoreColumns
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


def test_moments_need_no_units():
    tally = tally_units({"losses": LOSSES, "rows": np.ones(40)}, unit=np.arange(40) // 4)
    kept = moments(tally)
    assert kept.variance(MEAN) == pytest.approx(tally.variance(MEAN))
    assert kept.products.shape == (2, 2)


def test_ordered_numbers():
    tally = tally_ordered(np.array([3.0, 1.0, 2.0]), np.array([5.0, 6.0, 7.0]), np.array([0, 1, 1]))
    assert (tally.values.tolist(), tally.weight.tolist(), tally.unit.tolist()) == ([1, 2, 3], [6, 7, 5], [1, 1, 0])
    assert tally.sums["mass"].tolist() == [6, 7, 5]
    (drawn,) = tally.drawn(3, 0)
    assert drawn["mass"].shape == (3, 3)


def test_class_counts_are_drawn_class_by_class():
    tally = ClassCounts(np.array([[10.0, 5, 5, 20], [3, 1, 2, 4]]))
    assert tally.units == 50
    (drawn,) = tally.drawn(20, 0)
    assert np.all(sum(drawn.values()) == [40, 10])


def test_contests_of_score_columns():
    tally = ScoreColumns(truth=np.array([0, 1, 2, 0]), score=rng.random((4, 3)))
    rest = [(len(rows), ranking.positives.sum()) for rows, ranking in tally.contests("areas_one_vs_rest")]
    pairs = [(len(rows), ranking.positives.sum()) for rows, ranking in tally.contests("areas_one_vs_one")]
    assert rest == [(4, 2), (4, 1), (4, 1)]
    assert pairs == [(3, 2), (3, 2), (3, 1), (2, 1), (3, 1), (2, 1)]
    assert tally.sizes.tolist() == [2, 1, 1]
