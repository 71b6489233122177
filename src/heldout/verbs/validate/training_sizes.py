"""Training parts of several sizes within one another: classes in proportion, groups whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError

SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Of the training rows, unless sizes are given."""
FEWEST = 10
"""Shares of fewer rows than this are left out, unless they were asked for."""


def training_sizes(sizes: Sequence[float] | None, rows: int, least: int) -> list[int]:
    """Sizes in rows, rising: shares up to 1 (as fractions) or whole numbers, of `rows` training rows.

    >>> training_sizes([0.5, 1.0, 30], 90, 2), training_sizes(None, 90, 2)
    ([30, 45, 90], [18, 36, 54, 72, 90])
    """
    if sizes is None:
        found = {round(share * rows) for share in SHARES}
        return sorted(size for size in found if size >= max(FEWEST, least)) or [rows]
    if not len(sizes):
        raise UsageError("there is no size to train on", fix="give shares such as 0.5, or numbers of rows")
    return sorted({_size(size, rows, least) for size in sizes})


def _size(size: float, rows: int, least: int) -> int:
    if isinstance(size, bool) or not isinstance(size, (int, float, np.integer, np.floating)):
        raise UsageError(f"{size!r} is not a size", fix="give shares such as 0.5, or numbers of rows")
    if isinstance(size, (float, np.floating)) and not 0 < size <= 1:
        raise UsageError(f"the share {size:g} is not between 0 and 1", fix="give a whole number for a number of rows")
    found = round(size * rows) if isinstance(size, (float, np.floating)) else int(size)
    if found > rows:
        raise DataError(
            f"{found:,} training rows were asked for, and a training part has {rows:,}",
            code="H311",
            fix="give a smaller number, or shares up to 1.0",
        )
    if found < least:
        what = "one row of every class needs" if least > 2 else "learning needs"
        raise DataError(
            f"a size of {size:g} is {found} training row{'' if found == 1 else 's'}, and {what} {least}",
            code="H311",
            fix="give larger sizes",
        )
    return found


def nested_parts(
    train: Array, sizes: Sequence[int], rng: np.random.Generator, *, classes: Array | None, unit: Array | None
) -> list[Array]:
    """For each size so many of the training rows, at random, each part within the next.

    Classes (one per training row) keep their proportions, and each has a row in every part. Units (one per training
    row) stay whole, so that a part has only about so many rows.

    >>> rows, rng = np.arange(100, 110), np.random.default_rng(0)
    >>> parts = nested_parts(rows, [2, 6], rng, classes=rows % 2, unit=None)
    >>> [len(part) for part in parts], set(parts[0]) <= set(parts[1]), int((parts[1] % 2).sum())
    ([2, 6], True, 3)
    """
    place = np.arange(len(train)) if unit is None else np.unique(unit, return_inverse=True)[1]
    units = int(place.max()) + 1
    rank = _dealt(classes, rng) if unit is None and classes is not None else rng.permutation(units)
    least = 1
    if classes is not None:  # a unit with each class goes first
        order = np.argsort(rank[place], kind="stable")
        first = np.unique(place[order[np.unique(classes[order], return_index=True)[1]]])
        rank[first] -= units
        least = len(first)
    order = np.argsort(rank[place], kind="stable")
    ends = np.flatnonzero(np.append(np.diff(place[order]) != 0, True)) + 1
    return [train[order[: _nearest(ends[least - 1 :], size)]] for size in sizes]


def _nearest(ends: Array, size: int) -> int:
    return int(ends[np.abs(ends - size).argmin()])


def _dealt(classes: Array, rng: np.random.Generator) -> Array:
    """The rank of each row in a random order whose beginnings all have the classes in proportion."""
    codes, counts = np.unique(classes, return_inverse=True, return_counts=True)[1:]
    rows = rng.permutation(len(codes))
    by_class = rows[np.argsort(codes[rows], kind="stable")]
    within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    key = np.empty(len(rows))
    key[by_class] = (within + np.repeat(rng.random(len(counts)), counts)) / np.repeat(counts, counts)
    rank: Array = np.argsort(np.argsort(key))
    return rank
