"""Sums in draws of units whose weights come from a hash: no unit is drawn twice, wherever its rows lie."""

from __future__ import annotations

import numpy as np

from heldout import weights
from heldout.batch import Array
from heldout.inputs.parts.recipes import Coded
from heldout.inputs.parts.unit_hashes import row_hashes, unit_hashes

ROWS = 1 << 10
"""Rows whose weights are made at a time; with so many draws at a time they fit into a core's cache."""
DRAWS = 1 << 8


def hashes_of(found: Coded) -> Array:
    """A word for each row of a piece: of its group, else of its id, else of the file and its row in it."""
    if found.unit is not None:
        return unit_hashes(found.unit)
    rows = np.arange(found.first, found.first + found.batch.rows) if found.rows is None else found.rows
    return row_hashes(found.place, rows)


def add_draws(sums: Array, seed: int, hashes: Array, columns: Array) -> None:
    """Add rows (columns of numbers) as they count in every draw to one line of sums per draw, in place."""
    for first in range(0, len(hashes), ROWS):
        rows = slice(first, first + ROWS)
        for start in range(0, len(sums), DRAWS):
            room = sums[start : start + DRAWS]
            counts = weights.poisson(seed, len(room), hashes[rows], start)
            room += counts.astype(float) @ columns[:, rows].T


def add_drawn_cells(sums: Array, seed: int, hashes: Array, cell: Array, weight: Array | None) -> None:
    """Add rows by cell, as they count in every draw, to one line of cells per draw, in place."""
    for first in range(0, len(hashes), ROWS):
        rows = slice(first, first + ROWS)
        order = np.argsort(cell[rows], kind="stable")
        present, starts = np.unique(cell[rows][order], return_index=True)
        for start in range(0, len(sums), DRAWS):
            room = sums[start : start + DRAWS]
            counts = weights.poisson(seed, len(room), hashes[rows][order], start).astype(float)
            counts *= 1.0 if weight is None else weight[rows][order]
            room[:, present] += np.add.reduceat(counts, starts, axis=1)
