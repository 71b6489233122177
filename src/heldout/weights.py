"""How often each unit counts, one line per draw: resampling is weighing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from heldout.batch import Array

Block = Callable[[], Array]
"""Some lines of weights, made when called. Blocks have seeds of their own: the order of calls changes nothing."""

CELLS_AT_ONCE = 500_000
"""How many weights are made at a time: 4 MB."""
DRAWN_ROW_BY_ROW = 8
"""Up to so many units per line it is faster to draw units and count them than to draw the counts."""


def bootstrap(counts: Array, draws: int, seed: Sequence[int], lines: int | None = None) -> list[Block]:
    """Draws of as many units as there are, with replacement, in blocks of lines.

    `counts` tells how many units are alike: drawing cells is drawing rows. Counts that sum to n give weights that do.
    `lines` is the number of lines in a block; without it, what memory allows.

    >>> (block,) = bootstrap(np.array([3, 1]), 5, [0])
    >>> block().shape, block().sum(axis=1).tolist()
    ((5, 2), [4, 4, 4, 4, 4])
    """
    total = int(counts.sum())
    row_by_row = total <= DRAWN_ROW_BY_ROW * len(counts)
    size = lines or lines_at_once(max(total, len(counts)) if row_by_row else len(counts))
    owner = np.repeat(np.arange(len(counts)), counts.astype(np.int64)) if row_by_row else None

    def block(number: int) -> Block:
        rows = min(size, draws - number * size)

        def made() -> Array:
            rng = np.random.default_rng([*seed, number])
            if owner is None:
                return rng.multinomial(total, counts / counts.sum(), size=rows)
            return _counted(owner, len(counts), rows, rng)

        return made

    return [block(number) for number in range(-(-draws // size))]


def _counted(owner: Array, columns: int, rows: int, rng: np.random.Generator) -> Array:
    """Draw units and count them by line."""
    drawn = rng.integers(0, len(owner), size=(rows, len(owner)), dtype=np.int32)  # half the random bits of int64
    found = np.empty((rows, columns), dtype=np.int64)
    each = np.array_equal(owner, np.arange(columns))  # every unit is a column of its own: nothing to look up
    for at, line in enumerate(drawn):
        found[at] = np.bincount(line if each else owner[line], minlength=columns)
    return found


def lines_at_once(columns: int) -> int:
    """How many lines of so many columns are made at a time."""
    return max(1, CELLS_AT_ONCE // max(columns, 1))
