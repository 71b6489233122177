"""How often each unit counts, one line per draw: resampling is weighing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from heldout.batch import Array

CELLS_AT_ONCE = 4_000_000
"""How many weights are held at a time: 32 MB."""
DRAWN_ROW_BY_ROW = 8
"""Up to so many units per line it is faster to draw units and count them than to draw the counts."""


def bootstrap(counts: Array, draws: int, rng: np.random.Generator, block: int | None = None) -> Iterator[Array]:
    """Draws of as many units as there are, with replacement, in blocks of lines.

    `counts` tells how many units are alike: drawing cells is drawing rows. Counts that sum to n give weights that do.
    `block` is the number of lines in a block; without it, what memory allows.

    >>> block = next(bootstrap(np.array([3, 1]), 5, np.random.default_rng(0)))
    >>> block.shape, block.sum(axis=1).tolist()
    ((5, 2), [4, 4, 4, 4, 4])
    """
    total = int(counts.sum())
    if total <= DRAWN_ROW_BY_ROW * len(counts):
        owner = np.repeat(np.arange(len(counts)), counts.astype(np.int64))
        for size in _blocks(draws, block or lines_at_once(max(total, len(counts)))):
            chosen = owner[rng.integers(0, total, size=(size, total))] + len(counts) * np.arange(size)[:, None]
            yield np.bincount(chosen.ravel(), minlength=size * len(counts)).reshape(size, len(counts))
        return
    chances = counts / counts.sum()
    for size in _blocks(draws, block or lines_at_once(len(counts))):
        yield rng.multinomial(total, chances, size=size)


def leave_one_out(units: int) -> Iterator[Array]:
    """Every unit missing once: the jackknife, in blocks of lines."""
    size = lines_at_once(units)
    for first in range(0, units, size):
        lines = np.arange(first, min(units, first + size))
        block = np.ones((len(lines), units))
        block[np.arange(len(lines)), lines] = 0
        yield block


def lines_at_once(columns: int) -> int:
    """How many lines of so many columns are held at a time."""
    return max(1, CELLS_AT_ONCE // max(columns, 1))


def _blocks(draws: int, size: int) -> Iterator[int]:
    for first in range(0, draws, size):
        yield min(size, draws - first)
