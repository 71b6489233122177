"""How often each unit counts, one line per draw: resampling is weighing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from heldout.batch import Array

CELLS_AT_ONCE = 4_000_000
"""How many weights are held at a time: 32 MB."""


def bootstrap(counts: Array, draws: int, rng: np.random.Generator) -> Iterator[Array]:
    """Draws of as many units as there are, with replacement, in blocks of lines.

    `counts` tells how many units are alike: drawing cells is drawing rows. Counts that sum to n give weights that do.

    >>> block = next(bootstrap(np.array([3, 1]), 5, np.random.default_rng(0)))
    >>> block.shape, block.sum(axis=1).tolist()
    ((5, 2), [4, 4, 4, 4, 4])
    """
    total = int(counts.sum())
    chances = counts / counts.sum()
    for size in _blocks(draws, len(counts)):
        yield rng.multinomial(total, chances, size=size)


def leave_one_out(units: int) -> Iterator[Array]:
    """Every unit missing once: the jackknife, in blocks of lines."""
    for first in range(0, units, max(1, CELLS_AT_ONCE // max(units, 1))):
        lines = np.arange(first, min(units, first + max(1, CELLS_AT_ONCE // units)))
        block = np.ones((len(lines), units))
        block[np.arange(len(lines)), lines] = 0
        yield block


def _blocks(draws: int, columns: int) -> Iterator[int]:
    size = max(1, CELLS_AT_ONCE // max(columns, 1))
    for first in range(0, draws, size):
        yield min(size, draws - first)
