from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from heldout.boxes import run_lengths
from heldout.boxes.run_lengths import FINE, Masks, _walked, area, edges_of_lengths, polygon_edges, united


def dense(edges, height, width):
    """The pixels of a mask, written out."""
    turns = np.bincount(edges, minlength=height * width + 1)[: height * width]
    return (np.cumsum(turns) % 2 == 1).reshape(width, height).T


def polygon_mask(corners, height, width):
    """The pixels inside a polygon, every pixel asked: how many crossings lie above it."""
    fine = np.trunc(FINE * np.asarray(corners, dtype=float).reshape(-1, 2) + 0.5).astype(np.int64)
    x, y = _walked(fine)
    crossed = np.flatnonzero(x[1:] != x[:-1])
    before, after = crossed, crossed + 1
    column = (np.where(x[after] < x[before], x[after], x[after] - 1) + 0.5) / FINE - 0.5
    row = np.ceil(np.clip((np.minimum(y[after], y[before]) + 0.5) / FINE - 0.5, 0, height))
    inside = (column == np.floor(column)) & (column >= 0) & (column <= width - 1)
    turns = np.bincount((column[inside] * height + row[inside]).astype(np.int64), minlength=height * width + 1)
    return (np.cumsum(turns[: height * width]) % 2 == 1).reshape(width, height).T


SIZE = st.tuples(st.integers(1, 12), st.integers(1, 12))
POLYGON = st.lists(st.tuples(*[st.floats(-20, 30)] * 2), min_size=3, max_size=9).map(
    lambda points: [part for point in points for part in point]
)


@given(SIZE, POLYGON)
def test_polygons_have_the_pixels_that_they_have_written_out(size, corners):
    edges = polygon_edges(np.array(corners), *size)
    assert np.array_equal(dense(edges, *size), polygon_mask(corners, *size))
    assert area(edges) == polygon_mask(corners, *size).sum()


@given(SIZE, st.lists(POLYGON, min_size=1, max_size=4))
def test_a_union_has_the_pixels_of_all(size, polygons):
    edges = united([polygon_edges(np.array(one), *size) for one in polygons])
    wanted = np.logical_or.reduce([polygon_mask(one, *size) for one in polygons])
    assert np.array_equal(dense(edges, *size), wanted)
    assert (np.diff(edges) > 0).all()


MASK = st.integers(0, 2**24 - 1)


def pixels(number, height, width):
    bits = np.unpackbits(np.frombuffer(number.to_bytes(16, "little"), dtype=np.uint8))
    return np.resize(bits, height * width).astype(bool).reshape(width, height).T


def lengths_of(mask):
    """Run lengths down the columns, the first one outside."""
    flat = np.concatenate([[False], mask.T.ravel(), [not mask.T.ravel()[-1]]])
    changes = np.flatnonzero(flat[1:] != flat[:-1])
    return np.diff(np.append(0, changes))


@settings(max_examples=60)
@given(SIZE, st.lists(MASK, max_size=6), st.lists(MASK, max_size=6), st.integers(1, 30))
def test_pairs_share_the_pixels_that_they_share_written_out(size, first, second, at_once):
    ours, theirs = ([pixels(one, *size) for one in numbers] for numbers in (first, second))
    one, other = (
        Masks([edges_of_lengths(lengths_of(mask)) for mask in masks], np.full(len(masks), size[0] * size[1]))
        for masks in (ours, theirs)
    )
    assert one.areas.tolist() == [mask.sum() for mask in ours]
    pairs = np.array([(i, j) for i in range(len(ours)) for j in range(len(theirs))], dtype=int).reshape(-1, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_lengths, "AT_ONCE", at_once)  # pairs in several parts
        shared = one.shared(other, pairs[:, 0], pairs[:, 1])
    assert shared.tolist() == [(ours[i] & theirs[j]).sum() for i, j in pairs]


def test_empty_runs_are_none():
    assert edges_of_lengths(np.array([0, 4])).tolist() == [0, 4]
    assert edges_of_lengths(np.array([4])).tolist() == []
    assert edges_of_lengths(np.array([0, 2, 0, 2])).tolist() == [0, 4]


def test_memory_goes_by_runs_and_not_by_pixels():
    """Two hundred rectangles in an image of 12 megapixels, intersected pair by pair; written out, they are 2.4 GB."""
    height, width, count = 3000, 4000, 200
    rng = np.random.default_rng(0)
    left, top = rng.integers(0, width - 500, count), rng.integers(0, height - 500, count)
    corners = [np.array([x, y, x + 400, y, x + 400, y + 300, x, y + 300]) for x, y in zip(left, top, strict=True)]
    tracemalloc.start()
    masks = Masks([polygon_edges(one, height, width) for one in corners], np.full(count, height * width))
    mine, theirs = np.repeat(np.arange(count), count), np.tile(np.arange(count), count)
    shared = masks.shared(masks, mine, theirs).reshape(count, count)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    wide = np.maximum(400 - np.abs(left[:, None] - left), 0)
    assert np.array_equal(shared, wide * np.maximum(300 - np.abs(top[:, None] - top), 0))
    assert peak < 250e6
