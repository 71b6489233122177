from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from heldout.tallies.grid import GRID, HALF, ONE, ZERO, edges, places

TRICKY = [
    *(-np.inf, -1.8e308, -3.5e38, -1.0, -1e-45, -1e-300, -0.0, 0.0, 5e-324, 1e-45, 1.2e-38, 0.25),
    *(np.nextafter(0.5, 0), 0.5, np.nextafter(0.5, 1), 0.75, np.nextafter(1.0, 0), 1.0, np.nextafter(1.0, 2)),
    *(1.5, 3.4e38, 3.5e38, 1.7e308, np.inf),
]
FLOATS = st.one_of(st.sampled_from(TRICKY), st.floats(allow_nan=False), st.floats(0, 1), st.floats(0.999, 1.001))


@given(st.lists(FLOATS, min_size=2, max_size=50))
@settings(max_examples=300, deadline=None)
def test_a_larger_number_never_has_a_lower_place(numbers):
    ordered = np.sort(np.array(numbers))
    at = places(ordered)
    assert at.dtype == np.int32
    assert np.all(np.diff(at) >= 0)
    assert at[0] >= 0
    assert at[-1] < GRID


@given(st.lists(st.one_of(st.floats(width=32, allow_nan=False), st.floats(0, 1, width=32)), min_size=1))
@settings(max_examples=300, deadline=None)
def test_a_number_has_one_place_in_32_and_in_64_bits(numbers):
    narrow = np.array(numbers, dtype=np.float32)
    assert places(narrow).tolist() == places(narrow.astype(np.float64)).tolist()


@given(st.lists(FLOATS, min_size=1, max_size=20))
@settings(max_examples=100, deadline=None)
def test_a_place_does_not_depend_on_its_neighbours(numbers):
    whole = places(np.array(numbers))
    assert [int(places(np.array([one]))[0]) for one in numbers] == whole.tolist()


@given(st.lists(FLOATS, min_size=1, max_size=20))
@settings(max_examples=100, deadline=None)
def test_edges_are_the_last_numbers_of_a_place(numbers):
    at = places(np.array(numbers))
    least, largest = edges(at)
    assert np.all((least <= numbers) & (numbers <= largest))
    assert places(least).tolist() == places(largest).tolist() == at.tolist()
    before, after = np.nextafter(least, -np.inf), np.nextafter(largest, np.inf)
    assert np.all((places(before) < at) | (before == least))
    assert np.all((places(after) > at) | (after == largest))


def test_zero_has_no_sign():
    assert places(np.array([-0.0, 0.0])).tolist() == [ZERO, ZERO]
    assert places(np.array([-0.0, 0.0, 2.0])).tolist()[:2] == [ZERO, ZERO]


def test_the_ends_of_the_grid():
    assert places(np.array([-np.inf, 0.0, 1.0, np.inf])).tolist() == [0, ZERO, ONE, GRID - 1]
    assert ONE - ZERO == 2 * HALF + 1


def test_a_half_is_apart_from_all_below_it():
    below, half = places(np.array([np.nextafter(0.5, 0), 0.5]))
    assert below < half


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_rare_events_are_told_apart_at_both_ends(end):
    """4,096 places from one power of two to the next, down to 1e-15 from either end."""
    off = np.array([1e-15, 1e-12, 1e-9, 1e-6, 1e-3])
    numbers, moved = np.abs(end - off), np.abs(end - off * 1.001)
    apart = places(numbers) != places(moved)
    assert apart[1:].all() if end else apart.all()  # one minus 1e-15 has three digits left


def test_other_kinds_of_numbers_are_taken_as_they_are():
    assert places(np.array([0, 1, 3])).tolist() == places(np.array([0.0, 1.0, 3.0])).tolist()
