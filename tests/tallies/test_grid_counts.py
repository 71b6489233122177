from __future__ import annotations

import numpy as np
import pytest

from heldout.tallies.grid import GRID, ZERO, places
from heldout.tallies.grid_counts import fill, filled, filled_by, room

RNG = np.random.default_rng(2)


@pytest.mark.parametrize("weight", [None, RNG.random(30_000)])
def test_rows_are_counted_at_their_places(weight):
    numbers, kind = RNG.normal(size=30_000), RNG.random(30_000) < 0.3
    found = filled_by(numbers, kind, 2, weight)
    at, heavy = places(numbers), np.ones(30_000) if weight is None else weight
    for line, chosen in enumerate((~kind, kind)):
        dense = np.bincount(at[chosen], weights=heavy[chosen], minlength=GRID)
        np.testing.assert_allclose(found.mass[line], dense[found.place])
        assert found.rows[line] == chosen.sum()
        if weight is not None:
            dense = np.bincount(at[chosen], weights=heavy[chosen] ** 2, minlength=GRID)
            np.testing.assert_allclose(found.squares[line], dense[found.place])
    assert found.place.tolist() == np.unique(at).tolist()
    assert (found.least, found.largest) == (numbers.min(), numbers.max())
    assert (found.squares is None) == (weight is None)


def test_nothing_fills_nothing():
    nothing, one = filled(room(2, weighted=False)), filled_by(np.array([0.0]), np.array([True]), 2)
    assert (len(nothing.place), nothing.rows.tolist()) == (0, [0, 0])
    for both in (nothing + one, one + nothing):
        assert (both.place.tolist(), both.mass.tolist(), both.least) == ([ZERO], [[0], [1]], 0.0)
    assert len((nothing + nothing).place) == 0


def test_rows_of_no_weight_hold_no_place():
    found = filled_by(np.array([1.0, 9.0]), None, 1, np.array([1.0, 0.0]))
    assert (found.mass.tolist(), found.largest, found.rows.tolist()) == ([[1.0]], 1.0, [2])
    none = filled_by(np.array([1.0]), None, 1, np.array([0.0]))
    assert (len(none.place), none.rows.tolist()) == (0, [1])


def test_a_room_is_filled_again_and_again():
    where = room(1, weighted=False)
    for _ in range(3):
        fill(where, np.array([0.5, 2.0]))
    assert filled(where).mass.tolist() == [[3, 3]]


def test_weights_may_be_scaled_and_counts_may_not():
    heavy = filled_by(np.array([1.0]), None, 1, np.array([2.0])).scaled(3.0)
    assert (heavy.mass.tolist(), heavy.squares.tolist()) == ([[6.0]], [[36.0]])
    count = filled_by(np.array([1.0]))
    assert count.scaled(3.0) is count
