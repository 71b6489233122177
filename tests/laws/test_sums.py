"""Merging is adding, drawing is weighing: for every form of a tally."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pytest

from heldout.tallies.cells import ClassCounts, tally_cells
from heldout.tallies.from_batch import tally_ordered
from heldout.tallies.moments import moments
from heldout.tallies.reliability import tally_reliability
from heldout.tallies.scores import tally_scores
from heldout.tallies.units import tally_units

ROWS = 90
rng = np.random.default_rng(0)
TRUTH, SAID = rng.integers(0, 3, ROWS), rng.integers(0, 3, ROWS)
SCORE, POSITIVE = rng.integers(0, 15, ROWS) / 10, rng.random(ROWS) < 0.4
NUMBERS = rng.gamma(2, 1, (2, ROWS))
WEIGHT, UNIT = rng.random(ROWS) + 0.5, np.repeat(np.arange(30), 3)
DESIGNS = {
    "rows": (None, None),
    "weights": (WEIGHT, None),
    "units": (None, UNIT),
    "weights and units": (WEIGHT, UNIT),
}
FORMS = {
    "cells": lambda at, w, u: tally_cells(TRUTH[at], SAID[at], 3, w, u),
    "units": lambda at, w, u: tally_units({"losses": NUMBERS[0][at], "rows": np.ones(len(at))}, w, u),
    "moments": lambda at, w, u: moments(tally_units({"losses": NUMBERS[0][at], "rows": np.ones(len(at))}, w, u)),
    "scores": lambda at, w, u: tally_scores(SCORE[at], POSITIVE[at], w, u),
}
GRADIENTS = {
    "cells": {"tp": np.array([0.3, -0.2, 0.1]), "fn": np.array([0.1, 0.4, -0.5]), "fp": np.array([-0.2, 0.1, 0.3])},
    "units": {"losses": 0.7, "rows": -0.4},
    "moments": {"losses": 0.7, "rows": -0.4},
}


def picked(form, design, at):
    weight, unit = DESIGNS[design]
    own = None if unit is None else np.unique(unit[at], return_inverse=True)[1]
    return FORMS[form](at, None if weight is None else weight[at], own)


def slopes(form, whole):
    if form != "scores":
        return GRADIENTS[form]
    places = np.arange(len(whole.values))
    return {"positives": np.sin(places), "negatives": np.cos(places)}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("form", FORMS)
def test_merging_is_adding(form, design):
    """Three parts that keep units whole, added in any order, are the whole."""
    whole = picked(form, design, np.arange(ROWS))
    parts = [picked(form, design, np.flatnonzero(part == UNIT % 3)) for part in range(3)]
    for merged in (reduce(add, parts), reduce(add, parts[::-1]), parts[0] + (parts[1] + parts[2])):
        assert merged.units == whole.units
        for name in whole.sums:
            np.testing.assert_allclose(merged.sums[name], whole.sums[name], rtol=1e-12, err_msg=name)
            np.testing.assert_allclose(merged.squares[name], whole.squares[name], rtol=1e-12, err_msg=name)
        gradient = slopes(form, whole)
        assert merged.variance(gradient) == pytest.approx(whole.variance(gradient), rel=1e-12)


def test_class_counts_add():
    counts = rng.integers(1, 9, (4, 4)).astype(float)
    merged = ClassCounts(counts) + ClassCounts(2 * counts)
    np.testing.assert_array_equal(merged.counts, 3 * counts)
    assert merged.units == 3 * counts.sum()


@pytest.mark.parametrize("design", DESIGNS)
def test_ordered_numbers_merge(design):
    weight, unit = DESIGNS[design]
    whole = tally_ordered(NUMBERS[0], weight, unit)
    first, rest = np.flatnonzero(UNIT < 10), np.flatnonzero(UNIT >= 10)
    parts = [
        tally_ordered(
            NUMBERS[0][at], None if weight is None else weight[at], None if unit is None else unit[at] - unit[at[0]]
        )
        for at in (first, rest)
    ]
    merged = parts[0] + parts[1]
    np.testing.assert_array_equal(merged.values, whole.values)
    np.testing.assert_allclose(merged.sums["mass"], whole.sums["mass"])
    assert merged.units == whole.units
    if unit is not None:
        np.testing.assert_array_equal(merged.unit, whole.unit)


@pytest.mark.parametrize("design", DESIGNS)
def test_reliability_merges(design):
    weight, unit = DESIGNS[design]

    def part(at, shift):
        own = None if unit is None else unit[at] - shift
        return tally_reliability(
            chance=SCORE[at] / 1.5,
            happened=POSITIVE[at].astype(float),
            weight=None if weight is None else weight[at],
            unit=own,
        )

    whole = part(np.arange(ROWS), 0)
    merged = part(np.flatnonzero(UNIT < 10), 0) + part(np.flatnonzero(UNIT >= 10), 10)
    assert merged.units == whole.units
    for name in ("rows", "chances", "happened", "covariance"):
        np.testing.assert_allclose(
            getattr(merged.binned(), name), getattr(whole.binned(), name), rtol=1e-12, atol=1e-12
        )


WEIGHED = [(form, design) for form in ("cells", "units") for design in DESIGNS if (form, design) != ("cells", "rows")]


@pytest.mark.parametrize(("form", "design"), WEIGHED)  # rows that are alike share a cell: see the next test
def test_weighing_units_is_taking_them_that_often(form, design):
    weight, unit = DESIGNS[design]
    whole = picked(form, design, np.arange(ROWS))
    times = np.random.default_rng(1).integers(0, 3, (4, ROWS if unit is None else whole.units))
    drawn = whole.at(times)
    for line, count in enumerate(times):
        rows = count if unit is None else count[UNIT]
        again = picked(form, "rows" if weight is None else "weights", np.repeat(np.arange(ROWS), rows))
        for name in drawn:
            np.testing.assert_allclose(drawn[name][line], again.sums[name], rtol=1e-12, atol=1e-12, err_msg=name)


def test_drawing_cells_is_drawing_rows():
    """The sums of a draw are those of some rows drawn with replacement: whole, and as many as there are."""
    cells = picked("cells", "rows", np.arange(ROWS))
    (block,) = cells.drawn(50, 2)
    drawn = block()
    totals = drawn["tp"] + drawn["fn"]
    assert np.all(totals.sum(axis=1) == ROWS)
    assert np.all(drawn["tp"] == np.round(drawn["tp"]))
    expected = cells.sums["tp"]
    spread = np.sqrt(expected * (1 - expected / ROWS) / 50)
    assert np.all(np.abs(drawn["tp"].mean(axis=0) - expected) < 5 * spread)


@pytest.mark.parametrize("design", DESIGNS)
def test_draws_of_scores_are_those_of_rows(design):
    """Every draw has as many rows of each class (or as many units) as there are, at scores that occur."""
    whole = picked("scores", design, np.arange(ROWS))
    for drawn in (block() for block in whole.drawn(20, 3)):
        assert drawn["positives"].shape == (20, len(whole.values))
        if design == "rows":
            assert np.all(drawn["positives"].sum(axis=1) == POSITIVE.sum())
            assert np.all(drawn["negatives"].sum(axis=1) == ROWS - POSITIVE.sum())
        for name in drawn:
            assert np.all(drawn[name][:, whole.sums[name] == 0] == 0)
            assert np.all(drawn[name] >= 0)


def test_weighed_scores_are_the_rows_that_often():
    whole = picked("scores", "weights and units", np.arange(ROWS))
    times = np.random.default_rng(4).integers(0, 3, (3, 30))
    drawn = whole._at(times[:, whole.unit])
    for line, count in enumerate(times):
        at = np.repeat(np.arange(ROWS), count[UNIT])
        for name, chosen in (("positives", POSITIVE), ("negatives", ~POSITIVE)):
            again = [WEIGHT[at][(SCORE[at] == score) & chosen[at]].sum() for score in whole.values]
            np.testing.assert_allclose(drawn[name][line], again, rtol=1e-12, atol=1e-12)
