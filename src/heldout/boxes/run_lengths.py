"""Masks as sorted places where they begin and end, column after column: their area, union and intersection.

A mask of a million pixels with a thousand runs is two thousand numbers; pixels are never written out. A place is
column x height + row; a mask begins at places 0, 2, 4, … and ends before places 1, 3, 5, …
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heldout.batch import Array

FINE = 5
"""Polygons are drawn on a grid so many times finer, as pycocotools draws them."""
AT_ONCE = 1 << 20
"""Runs that are intersected at a time."""


def edges_of_lengths(lengths: Array) -> Array:
    """Where the mask of run lengths begins and ends; the first run is outside.

    >>> edges_of_lengths(np.array([1, 2, 0, 1, 2])).tolist()
    [1, 4]
    """
    ends = np.cumsum(lengths)
    return _toggled(ends if len(ends) % 2 == 0 else ends[:-1])


def _toggled(places: Array) -> Array:
    """Places where a mask changes; two changes at the same place are none."""
    distinct, count = np.unique(places, return_counts=True)
    return distinct[count % 2 == 1].astype(np.int64)


def polygon_edges(corners: Array, height: int, width: int) -> Array:
    """The pixels inside a polygon (x, y, x, y, …): those whose column the outline crosses an odd number of times above.

    >>> polygon_edges(np.array([0, 0, 2, 0, 2, 2, 0, 2]), 3, 3).tolist()
    [0, 2, 3, 5]
    """
    fine = np.trunc(FINE * np.asarray(corners, dtype=float).reshape(-1, 2) + 0.5).astype(np.int64)
    x, y = _walked(fine)
    crossed = np.flatnonzero(x[1:] != x[:-1])
    before, after = crossed, crossed + 1
    # a step from one fine column to the next crosses the border between them; only middles of pixels matter
    column = (np.where(x[after] < x[before], x[after], x[after] - 1) + 0.5) / FINE - 0.5
    row = np.ceil(np.clip((np.minimum(y[after], y[before]) + 0.5) / FINE - 0.5, 0, height))
    inside = (column == np.floor(column)) & (column >= 0) & (column <= width - 1)
    edges = _toggled((column[inside] * height + row[inside]).astype(np.int64))
    edges = edges[edges < height * width]
    return edges if len(edges) % 2 == 0 else np.append(edges, height * width)


def _walked(corners: Array) -> tuple[Array, Array]:
    """All points of the fine grid along the outline, corner by corner."""
    start, end = corners, np.roll(corners, -1, axis=0)
    far = np.abs(end - start)
    flat = far[:, 0] >= far[:, 1]
    count = far.max(axis=1)
    # an edge is drawn from its lower end, whichever way it is walked
    long_start, long_end = (np.where(flat, one[:, 0], one[:, 1]) for one in (start, end))
    flip = long_start > long_end
    low, high = np.where(flip[:, None], end, start), np.where(flip[:, None], start, end)
    slope = np.where(flat, high[:, 1] - low[:, 1], high[:, 0] - low[:, 0]) / np.maximum(count, 1)
    edge = np.repeat(np.arange(len(corners)), count + 1)
    step = np.arange(len(edge)) - np.repeat(np.cumsum(count + 1) - count - 1, count + 1)
    step = np.where(flip[edge], count[edge] - step, step)
    along = step + np.where(flat, low[:, 0], low[:, 1])[edge]
    across = np.trunc(np.where(flat, low[:, 1], low[:, 0])[edge] + slope[edge] * step + 0.5).astype(np.int64)
    return np.where(flat[edge], along, across), np.where(flat[edge], across, along)


def united(masks: Sequence[Array]) -> Array:
    """Where the union of masks begins and ends.

    >>> united([np.array([0, 4]), np.array([3, 6, 8, 9])]).tolist()
    [0, 6, 8, 9]
    """
    if len(masks) == 1:
        return masks[0]
    places = np.concatenate(masks)
    change = np.concatenate([np.where(np.arange(len(one)) % 2 == 0, 1, -1) for one in masks])
    distinct, position = np.unique(places, return_inverse=True)
    covered = np.cumsum(np.bincount(position, change, len(distinct)).astype(np.int64)) > 0
    changed: Array = distinct[covered != np.append(False, covered[:-1])]
    return changed


def area(edges: Array) -> int:
    """How many pixels a mask has.

    >>> area(np.array([1, 3, 7, 8]))
    3
    """
    return int(edges[1::2].sum() - edges[::2].sum())


class Masks:
    """Masks one after the other on one axis, each in a part of its own, so that many are intersected at once."""

    def __init__(self, masks: Sequence[Array], sizes: Array) -> None:
        """Take the edges of every mask, and how many pixels the image of each has."""
        self.first = np.append(0, np.cumsum(sizes, dtype=np.int64))[:-1]
        self.count = np.array([len(one) for one in masks], dtype=np.int64)
        self.start = np.append(0, np.cumsum(self.count))
        own = np.concatenate([np.zeros(0, dtype=np.int64), *masks])
        self.edges = own + np.repeat(self.first, self.count)
        inside = self.edges[1::2] - self.edges[::2]
        self.below = np.append(0, np.cumsum(inside))
        """Pixels inside before each run."""
        self.areas = np.diff(self.below[self.start // 2])

    def edges_of(self, at: Array) -> tuple[Array, Array]:
        """The edges of some masks, each from 0 on, and which of them each edge belongs to."""
        count = self.count[at]
        which = np.repeat(np.arange(len(at)), count)
        place = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count) + self.start[at][which]
        return self.edges[place] - self.first[at][which], which

    def before(self, places: Array) -> Array:
        """How many pixels of all masks lie before each place of the axis."""
        passed = np.searchsorted(self.edges, places, side="right")
        run, within = passed // 2, passed % 2 == 1
        begun = self.edges[np.minimum(2 * run, max(len(self.edges) - 1, 0))] if len(self.edges) else places
        return self.below[run] + np.where(within, places - begun, 0)

    def shared(self, other: Masks, mine: Array, theirs: Array) -> Array:
        """How many pixels each pair of masks shares: mine before the end of their runs, less before their beginning."""
        found = np.zeros(len(mine), dtype=np.int64)
        reached = np.cumsum(other.count[theirs])
        cuts = np.searchsorted(reached, np.arange(AT_ONCE, reached.max(initial=0), AT_ONCE)) + 1
        for part in np.split(np.arange(len(mine)), cuts):
            edges, which = other.edges_of(theirs[part])
            before = self.before(edges + self.first[mine[part]][which])
            signed = np.where(
                np.arange(len(before)) % 2 == 1, before, -before
            )  # every mask has an even number of edges
            sums = np.append(0, np.cumsum(signed))
            ends = np.cumsum(other.count[theirs[part]])
            found[part] = sums[ends] - sums[ends - other.count[theirs[part]]]
        return found
