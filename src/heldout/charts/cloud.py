"""Many rows as points, or as counts in a grid of cells where points would hide each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.charts.figure import Columns

POINTS = 1500
"""So many rows are drawn one by one."""
ACROSS, UP = 60, 44
"""Cells of the grid."""


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """Rows by two numbers: points, or cells with the rows in each."""

    columns: Columns
    """x and y of each point; or left, right, bottom, top and rows of each cell that has rows."""
    binned: bool


def cloud(x: Array, y: Array) -> Cloud:
    """The rows one by one where they are few, otherwise counted in a grid over their range.

    >>> cloud(np.arange(3.0), np.arange(3.0)).binned, int(cloud(np.arange(9e3), np.arange(9e3)).columns["rows"].sum())
    (False, 9000)
    """
    if len(x) <= POINTS:
        return Cloud(columns={"x": x, "y": y}, binned=False)
    (i, across), (j, up) = _cells(x, ACROSS), _cells(y, UP)
    counts = np.bincount(i * UP + j, minlength=ACROSS * UP)
    kept = np.flatnonzero(counts)
    i, j = kept // UP, kept % UP
    edges = {"left": across[i], "right": across[i + 1], "bottom": up[j], "top": up[j + 1]}
    return Cloud(columns={**edges, "rows": counts[kept]}, binned=True)


def _cells(values: Array, count: int) -> tuple[Array, Array]:
    """Which of `count` equal cells each value is in, and their edges."""
    low, high = float(values.min()), float(values.max())
    high = high if high > low else low + 1
    place = ((values - low) * (count / (high - low))).astype(np.int64)
    return np.minimum(place, count - 1), np.linspace(low, high, count + 1)
