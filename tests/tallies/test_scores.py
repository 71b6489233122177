from __future__ import annotations

import numpy as np
import pytest

from heldout.tallies.scores import tally_scores

SCORE, POSITIVE = np.array([0.3, 0.1, 0.3, 0.9]), np.array([True, False, False, True])


def test_ties_are_one_score():
    tally = tally_scores(SCORE, POSITIVE)
    assert tally.values.tolist() == [0.1, 0.3, 0.9]
    assert (tally.positives.tolist(), tally.negatives.tolist()) == ([0, 1, 1], [1, 1, 0])
    assert (tally.units, tally.row_by_row) == (4, False)


def test_weights_and_units_keep_the_rows():
    weight, unit = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 0, 1, 1])
    tally = tally_scores(SCORE, POSITIVE, weight, unit)
    assert tally.positives.tolist() == [0, 1, 4]
    assert tally.negatives.tolist() == [2, 3, 0]
    assert tally.squares["negatives"].tolist() == [4, 9, 0]
    assert (tally.order.tolist(), tally.place.tolist()) == ([1, 0, 2, 3], [0, 1, 1, 2])
    moved = tally.influence({"positives": np.array([0.0, 1.0, 2.0]), "negatives": np.array([3.0, 4.0, 5.0])})
    assert moved.tolist() == [1 * 1 + 2 * 3, 3 * 4 + 4 * 2]


def test_a_class_of_one_row_has_no_variance():
    tally = tally_scores(np.array([0.1, 0.2, 0.3]), np.array([False, False, True]))
    assert np.isnan(tally.variance({"positives": np.ones(3), "negatives": np.ones(3)}))


@pytest.mark.parametrize("weight", [None, np.ones(60)])
def test_draws_keep_both_classes(weight):
    rng = np.random.default_rng(0)
    tally = tally_scores(rng.random(60), np.arange(60) < 2, weight)
    for drawn in (block() for block in tally.drawn(50, 0)):
        assert np.all(drawn["positives"].sum(axis=1) > 0)
        assert np.all(drawn["negatives"].sum(axis=1) > 0)


@pytest.mark.parametrize("score", [[], [0.2], [0.1, 0.4, 0.7], [0.4, 0.1, 0.4, 0.1, 0.9], [0.5, 0.5, 0.5]])
@pytest.mark.parametrize("weighted", [False, True])
def test_what_lies_below_each_score_is_summed_from_what_is_at_it(score, weighted):
    positive = np.arange(len(score)) % 2 == 1
    tally = tally_scores(np.array(score), positive, np.arange(1.0, len(score) + 1) if weighted else None)
    for below, at in ((tally.positives_below, tally.positives), (tally.negatives_below, tally.negatives)):
        assert below.tolist() == [0.0, *np.cumsum(at)]
        assert below.dtype == float
