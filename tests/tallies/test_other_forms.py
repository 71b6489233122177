from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.formulas.ranking import roc_auc, roc_auc_slopes
from heldout.tallies.class_counts import ClassCounts
from heldout.tallies.moments import moments
from heldout.tallies.score_columns import ScoreColumns
from heldout.tallies.sorted_numbers import tally_ordered
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
    drawn = tally.drawn(3, 0)[0]()
    assert drawn["mass"].shape == (3, 3)


def test_class_counts_are_drawn_class_by_class():
    tally = ClassCounts(np.array([[10.0, 5, 5, 20], [3, 1, 2, 4]]))
    assert tally.units == 50
    drawn = tally.drawn(20, 0)[0]()
    assert np.all(sum(drawn.values()) == [40, 10])


def test_contests_of_score_columns():
    truth, score = rng.integers(0, 3, 60), np.round(rng.random((60, 3)), 1)
    even = ScoreColumns(truth=truth, score=score)
    weighed = ScoreColumns(truth=truth, score=score, weight=np.ones(60))
    for kind, count in (("areas_one_vs_rest", 3), ("areas_one_vs_one", 6)):
        fast, slow = (tally.contests(kind, roc_auc, roc_auc_slopes) for tally in (even, weighed))
        assert len(fast.areas) == count
        np.testing.assert_allclose(fast.areas, slow.areas, rtol=1e-12)
        np.testing.assert_allclose(fast.moved, slow.moved, rtol=1e-9, atol=1e-15)
    assert even.sizes.sum() == 60


def test_many_rows_are_looked_at_in_part(monkeypatch):
    truth, score = rng.integers(0, 3, 900), rng.random((900, 3))
    whole = ScoreColumns(truth=truth, score=score).contests("areas_one_vs_rest", roc_auc, roc_auc_slopes)
    monkeypatch.setattr("heldout.tallies.score_columns.MANY", 300)
    some = ScoreColumns(truth=truth, score=score).contests("areas_one_vs_rest", roc_auc, roc_auc_slopes)
    np.testing.assert_array_equal(some.areas, whole.areas)
    np.testing.assert_array_equal(some.moved, whole.moved[::3])
    assert np.sum(some.moved**2) / some.share == pytest.approx(np.sum(whole.moved**2), rel=0.3)
    chances = score / score.sum(axis=1, keepdims=True)
    told = heldout.evaluate(truth, y_proba=chances, metrics="roc_auc_ovr")["roc_auc_ovr"]
    assert told.notes == ("the width is estimated from an evenly spread 33.3% of the rows",)
