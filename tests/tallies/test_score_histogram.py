from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from heldout.formulas import METRICS
from heldout.intervals.means import quantile
from heldout.tallies.from_batch import tally_ordered
from heldout.tallies.grid_counts import filled_by
from heldout.tallies.moments import Kept, moments
from heldout.tallies.score_histogram import Binned, BinnedNumbers
from heldout.tallies.scores import tally_scores
from heldout.tallies.units import tally_units

RNG = np.random.default_rng(7)
SCORE = np.round(RNG.random(300), 2)
HITS = RNG.random(300) < SCORE
WEIGHT = RNG.choice([0.5, 1.0, 3.0], 300)


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "ks", "eer", "partial_auc", "gain@10%"])
def test_the_variance_is_that_of_the_rows(name, weight):
    binned = Binned(filled=filled_by(SCORE, HITS, 2, weight))
    rows = tally_scores(SCORE, HITS, weight)
    slopes = METRICS[name].slopes(rows.positives, rows.negatives)
    assert binned.variance(slopes) == pytest.approx(rows.variance(slopes))
    assert binned.lines @ binned.influence(slopes) ** 2 == pytest.approx(np.sum(rows.influence(slopes) ** 2))
    for power in ("sums", "squares"):
        for part, total in getattr(rows, power).items():
            np.testing.assert_allclose(getattr(binned, power)[part], total)
    assert (binned.units, binned.rows, binned.weighted, binned.clustered) == (300, 300, weight is not None, False)


def test_a_class_of_one_row_has_no_variance():
    binned = Binned(filled=filled_by(np.array([0.1, 0.2, 0.3]), np.array([False, False, True]), 2))
    assert np.isnan(binned.variance({"positives": np.ones(3), "negatives": np.ones(3)}))


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_draws_keep_both_classes_and_the_spread(weight):
    binned = Binned(filled=filled_by(SCORE, HITS, 2, weight))
    area = METRICS["roc_auc"]
    blocks = [block() for block in binned.drawn(600, 0)]
    drawn = np.concatenate([area(sums) for sums in blocks])
    assert len(drawn) == 600
    spread = np.sqrt(binned.variance(area.slopes(binned.sums["positives"], binned.sums["negatives"])))
    assert drawn.std() == pytest.approx(spread, rel=0.12)
    for sums in blocks:
        np.testing.assert_allclose(sums["positives"].sum(axis=1).mean(), binned.sums["positives"].sum(), rtol=0.05)


def test_units_of_another_walk():
    """Where rows share units, another walk tells how far each of them moves a formula with the gradient it knows."""
    moves = np.array([-3.0, 1.0, 2.0])
    moved = replace(moments(tally_units({"area": moves})), kept=(Kept(place="", first=0, added={"area": moves}),))
    binned = Binned(
        filled=filled_by(SCORE, HITS, 2), moved=lambda gradient: (moved, "area") if gradient else None, shared_by=3
    )
    assert (binned.clustered, binned.units, binned.rows) == (True, 3, 300)
    known = {"positives": np.array([4.0])}
    assert binned.variance(known) == 3 / 2 * (moves @ moves)
    assert (binned.influence(known).tolist(), binned.lines.tolist()) == (moves.tolist(), [1.0, 1.0, 1.0])
    assert np.isnan(binned.variance({}))
    assert np.isnan(binned.influence({})).all()


def test_places_are_called_by_their_least_score():
    binned = Binned(filled=filled_by(np.array([0.25, 0.5, 0.75]), np.array([False, True, True]), 2))
    np.testing.assert_allclose(binned.values, [0.25, 0.5, 0.75], atol=1e-4)
    assert np.all(binned.values <= [0.25, 0.5, 0.75])


@given(st.lists(st.one_of(st.floats(0, 1e6), st.sampled_from([0.0, 1.0, 2.5])), min_size=1, max_size=40), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_median_lies_within_its_bound_and_the_largest_is_exact(numbers, weighted):
    values = np.array(numbers)
    weight = 0.5 + np.arange(len(values)) % 3 if weighted else None
    binned, exact = BinnedNumbers(filled=filled_by(values, None, 1, weight)), tally_ordered(values, weight)
    median = float(METRICS["median_absolute_error"](exact.sums))
    low, high = binned.median_between()
    assert low * (1 - 1e-12) <= median <= high * (1 + 1e-12)
    assert low * (1 - 1e-12) <= float(METRICS["median_absolute_error"](binned.sums)) <= high * (1 + 1e-12)
    assert float(METRICS["max_error"](binned.sums)) == values.max()
    assert binned.units == len(values)


def test_ranks_are_those_of_all_rows():
    values = np.sort(RNG.lognormal(size=500))
    binned = BinnedNumbers(filled=filled_by(values))
    assert len(binned.values) == 500
    np.testing.assert_allclose([binned.values[rank] for rank in range(500)], values, rtol=2e-4)
    (low, high), chance = quantile(binned.values, 0.5, 0.95)
    (exact_low, exact_high), exact_chance = quantile(values, 0.5, 0.95)
    assert (low, high) == pytest.approx((exact_low, exact_high), rel=2e-4)
    assert chance == exact_chance


def test_draws_of_numbers_spread_as_draws_of_rows():
    values = RNG.lognormal(size=200)
    binned = BinnedNumbers(filled=filled_by(values, None, 1, np.ones(200)))
    median = METRICS["median_absolute_error"]
    drawn = np.concatenate([median(block()) for block in binned.drawn(500, 1)])
    rows = np.concatenate([median(block()) for block in tally_ordered(values).drawn(500, 1)])
    assert drawn.std() == pytest.approx(rows.std(), rel=0.15)


@pytest.mark.parametrize("most", [50, 1000])
def test_shares_for_a_look_at_the_tail_keep_the_sum(most):
    values = RNG.pareto(1.2, 400)
    evenly = BinnedNumbers(filled=filled_by(values)).evenly(most)
    assert len(evenly) == min(most, 400)
    assert np.all(np.diff(evenly) >= -1e-12)
    share = 400 / len(evenly)
    assert evenly.sum() * share == pytest.approx(values.sum(), rel=2e-3)
    top = len(evenly) // 10
    assert evenly[-top:].sum() * share == pytest.approx(np.sort(values)[-40:].sum(), rel=2e-3)


def test_infinite_and_least_numbers_are_kept_as_they_are():
    binned = BinnedNumbers(filled=filled_by(np.array([5e-324, np.inf, np.inf])))
    assert binned.median_between()[1] == np.inf
    assert float(METRICS["max_error"](binned.sums)) == np.inf
    assert BinnedNumbers(filled=filled_by(np.array([5e-324]))).median_between() == (5e-324, 5e-324)
