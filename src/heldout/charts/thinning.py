"""A curve of many points as one of few, with a proven bound on what that changes."""

from __future__ import annotations

import numpy as np

from heldout.batch import Array

TOLERANCE = 0.0004
"""How far, at most, a thinned curve of shares lies above or below the whole one; rounding may add 0.00001."""
COARSE = 0.25
"""Share of the tolerance spent on the first, rough pass."""
LEVELS = 60
"""So many times chords are divided; points of chords that still bend are then all kept."""


def thinned(x: Array, y: Array, tolerance: float = TOLERANCE) -> Array:
    """Positions of few points whose polyline stays within a tolerance of that of all points.

    First, blocks of neighbours in which y spans no more than a part of the tolerance are replaced by their chord:
    chord and curve both stay within that span. Of the points left, chords are divided where the curve is farthest from
    them until none is farther than the rest of the tolerance; between two corners a distance of straight lines is
    largest at an end, so that no place in between can be worse.

    Parameters
    ----------
    x : ndarray
        Positions on the x axis; they must not fall.
    y : ndarray
        Positions on the y axis.
    tolerance : float, default 0.0004
        How far the polyline may be above or below, at every x.

    Returns
    -------
    ndarray of int
        Positions of the points to keep.

    References
    ----------
    D. H. Douglas, T. K. Peucker (1973). Algorithms for the reduction of the number of points required to represent
    a digitized line or its caricature. Cartographica 10(2), 112–122. [douglas73]

    Examples
    --------
    >>> x = np.linspace(0, 1, 100_001)
    >>> kept = thinned(x, x**2, 0.01)
    >>> len(kept), bool(np.abs(np.interp(x, x[kept], x[kept] ** 2) - x**2).max() <= 0.01)
    (9, True)
    """
    if len(x) <= 2:
        return np.arange(len(x))
    rough = _even(y, COARSE * tolerance)
    return rough[_bending(x[rough], y[rough], (1 - COARSE) * tolerance)]


def _even(y: Array, span: float) -> Array:
    """Ends of the largest blocks of 2^k neighbours in which y spans at most `span`; all points where none does."""
    last = len(y) - 1
    low, high, blocks = np.minimum(y[:-1], y[1:]), np.maximum(y[:-1], y[1:]), [np.ones(last, bool)]
    while len(low) > 1:
        pairs = len(low) // 2 * 2
        low = np.minimum(low[:pairs:2], low[1:pairs:2])
        high = np.maximum(high[:pairs:2], high[1:pairs:2])
        blocks.append(high - low <= span)
    starts = np.ones(last, bool)
    for level in range(1, len(blocks)):
        # a block that is even makes its right half go on where its left half stops
        starts[(np.flatnonzero(blocks[level]) << level) + (1 << (level - 1))] = False
    return np.append(np.flatnonzero(starts), last)


def _bending(x: Array, y: Array, tolerance: float) -> Array:
    """Positions at which to divide the curve, so that no point is farther from its chord than the tolerance."""
    kept = np.array([0, len(x) - 1])
    for _ in range(LEVELS):
        distance = _from_chord(x, y, kept)
        farthest = np.maximum.reduceat(distance, kept[:-1])
        bent = farthest > tolerance
        if not bent.any():
            return kept
        # the first point of each chord that is as far from it as any
        chord = np.repeat(np.arange(len(kept) - 1), np.diff(kept))
        far = np.flatnonzero((distance[:-1] == farthest[chord]) & bent[chord])
        _, first = np.unique(chord[far], return_index=True)
        kept = np.union1d(kept, far[first])
    chord = np.repeat(np.arange(len(kept) - 1), np.diff(kept))
    bent = np.maximum.reduceat(_from_chord(x, y, kept), kept[:-1]) > tolerance
    return np.union1d(kept, np.flatnonzero(bent[chord]))


def _from_chord(x: Array, y: Array, kept: Array) -> Array:
    """How far each point is above or below the chord around it; where the chord is upright, beyond its ends."""
    length = np.diff(kept, append=kept[-1] + 1)
    start = np.repeat(kept, length)
    end = np.repeat(np.append(kept[1:], kept[-1]), length)
    run, rise = x[end] - x[start], y[end] - y[start]
    share = np.zeros(len(x))
    np.divide(x - x[start], run, out=share, where=run > 0)
    beyond = y - np.clip(y, np.minimum(y[start], y[end]), np.maximum(y[start], y[end]))
    return np.abs(np.where(run > 0, y[start] + share * rise - y, beyond))
