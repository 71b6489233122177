"""Rows in the order of their scores: one sort of integers that carry the label in their lowest bit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from heldout.batch import Array

AT_ONCE = 1 << 16
"""Rows worked on at a time: their columns fit into a core's cache."""
SMALL = 10_000
"""Below so many rows there is nothing to gain."""


def by_score(score: Array, positive: Array) -> tuple[Array, Array]:
    """Scores in rising order, and which of them are positive; of equal scores the negative ones come first.

    The bits of a float of zero or more, read as an integer, are in the order of the floats. Shifted by one they leave
    room for the label, so that one sort of integers orders both. Other scores are sorted class by class and merged.

    >>> ranked, hits = by_score(np.array([0.4, 0.1, 0.4]), np.array([True, False, False]))
    >>> ranked.tolist(), hits.tolist()
    ([0.1, 0.4, 0.4], [False, False, True])
    """
    if score.dtype not in (np.float32, np.float64):
        score = score.astype(np.float64)
    if len(score) and score.min() >= 0:
        return _packed(score, positive)
    return _merged(np.sort(score[~positive]), np.sort(score[positive]))


def order_of(score: Array) -> Array:
    """Which row stands at each place, by rising score; of equal scores the earlier row comes first.

    Sorting integers that carry the row in their lowest bits is several times faster than sorting rows by score. The
    bits that the row displaces are few: what they leave out of order is put right by a sort that likes sorted rows.

    >>> order_of(np.array([0.4, 0.1, 0.4])).tolist()
    [1, 0, 2]
    """
    if len(score) < SMALL or score.dtype != np.float64 or not score.min() >= 0:
        return np.argsort(score, kind="stable")
    bits = np.uint64(len(score).bit_length())
    packed = (score + 0.0).view(np.uint64) >> bits << bits
    packed |= np.arange(len(score), dtype=np.uint64)
    packed.sort()
    packed &= (np.uint64(1) << bits) - np.uint64(1)
    order = packed.view(np.int64)
    nearly = score[order]
    if np.all(nearly[1:] >= nearly[:-1]):
        return order
    return order[np.argsort(nearly, kind="stable")]


def _packed(score: Array, positive: Array) -> tuple[Array, Array]:
    whole = np.dtype(f"u{score.dtype.itemsize}")
    packed = (score + score.dtype.type(0)).view(whole)  # adding zero turns -0.0 into 0.0, and copies
    hits = np.empty(len(score), dtype=bool)
    for part in parts(len(score)):
        packed[part] <<= whole.type(1)
        packed[part] |= positive[part]
    packed.sort()
    for part in parts(len(score)):
        np.not_equal(packed[part] & whole.type(1), 0, out=hits[part])
        packed[part] >>= whole.type(1)
    return packed.view(score.dtype), hits


def _merged(negatives: Array, positives: Array) -> tuple[Array, Array]:
    """Two sorted columns as one; of equal scores the negative ones come first."""
    hits = np.zeros(len(negatives) + len(positives), dtype=bool)
    hits[np.searchsorted(negatives, positives, side="right") + np.arange(len(positives))] = True
    ranked = np.empty(len(hits), dtype=negatives.dtype)
    ranked[hits], ranked[~hits] = positives, negatives
    return ranked + 0.0, hits


def starts_of(ranked: Array) -> Array:
    """Where each distinct score begins.

    >>> starts_of(np.array([0.1, 0.4, 0.4, 0.9])).tolist()
    [0, 1, 3]
    """
    return np.concatenate([[0], np.flatnonzero(ranked[1:] != ranked[:-1]) + 1]) if len(ranked) else np.zeros(0, int)


def runs_of(ranked: Array, hits: Array, *, apart: bool) -> tuple[Array, Array]:
    """Positive and negative rows of each run of scores, by rising score.

    Neighbouring scores that have negatives only are one run, and so are neighbours that have positives only, unless
    these must stay `apart`: the ROC curve is the same, but precision changes from one to the next.

    >>> score, hits = np.array([0.1, 0.2, 0.3, 0.3, 0.4, 0.5]), np.array([False, False, False, True, True, True])
    >>> [part.tolist() for part in runs_of(score, hits, apart=True)]
    [[0.0, 1.0, 1.0, 1.0], [2.0, 1.0, 0.0, 0.0]]
    >>> [part.tolist() for part in runs_of(score, hits, apart=False)]
    [[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]
    """
    # as long as they could become: memory that is never written to is never taken
    found, rest = np.empty(len(ranked)), np.empty(len(ranked))
    filled = 0
    for part in _whole_scores(ranked):
        positives, rows = _runs(ranked[part], hits[part], apart)
        now = slice(filled, filled + len(rows))
        found[now] = positives
        np.subtract(rows, positives, out=rest[now])
        filled = now.stop
    return found[:filled], rest[:filled]


def _runs(ranked: Array, hits: Array, apart: bool) -> tuple[Array, Array]:
    """Positive rows, and all rows, of each run."""
    new = ranked[1:] != ranked[:-1]
    if new.all():  # no ties: every row is a score of its own
        kept = _first_of_runs(hits.view(np.uint8), apart)
        rows = _lengths(kept, len(hits))
        return rows * hits[kept], rows
    starts = np.concatenate([[0], np.flatnonzero(new) + 1])
    # of equal scores the negative ones come first: the last row tells of positives, the first of nothing else
    some, only = hits[np.append(starts[1:], len(hits)) - 1], hits[starts]
    kept = starts[_first_of_runs(some.view(np.uint8) + (some & ~only), apart)]
    reached = np.cumsum(hits.view(np.uint8), dtype=np.int32)
    return _steps(reached[np.append(kept[1:], len(hits)) - 1]), _lengths(kept, len(hits))


def _steps(reached: Array) -> Array:
    """How far each entry is above the one before it."""
    steps = np.empty(len(reached))
    steps[:1] = reached[:1]
    np.subtract(reached[1:], reached[:-1], out=steps[1:])
    return steps


def _first_of_runs(kind: Array, apart: bool) -> Array:
    """Where the kind of score changes; scores of both kinds, and positive ones kept apart, are runs of their own."""
    begins = np.empty(len(kind), dtype=bool)
    begins[:1] = True
    np.not_equal(kind[1:], kind[:-1], out=begins[1:])
    begins |= kind >= (1 if apart else 2)
    return np.flatnonzero(begins)


def _lengths(starts: Array, rows: int) -> Array:
    """How many rows lie between one start and the next."""
    lengths = np.empty(len(starts))
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1] = rows - starts[-1]
    return lengths


def _whole_scores(ranked: Array) -> Iterator[slice]:
    """Parts of the order that end between two distinct scores."""
    first = 0
    while first < len(ranked):
        last = min(first + AT_ONCE, len(ranked))
        if last < len(ranked):
            last = int(np.searchsorted(ranked, ranked[last - 1], side="right"))
        yield slice(first, last)
        first = last


def parts(rows: int) -> Iterator[slice]:
    """Consecutive parts of so many rows."""
    for first in range(0, rows, AT_ONCE):
        yield slice(first, min(first + AT_ONCE, rows))
