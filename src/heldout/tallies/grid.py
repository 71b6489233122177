"""One grid for all scores: every number has a place, whatever the data, so that counts by place add up anywhere.

The bits of a 32-bit float of zero or more, read as an integer, are in the order of the floats; shifted right they are
places of equal relative width, 4,096 from one power of two to the next. From 0.5 to 1 the same is done with 1 - s, so
that scores near one are resolved as finely as scores near zero: rare events have theirs there. Numbers below zero and
above one follow on either side.
"""

from __future__ import annotations

from threading import local

import numpy as np

from heldout.batch import Array

AT_ONCE = 1 << 17
"""Numbers worked on at a time: so many that threads seldom wait for each other between two steps."""
SHIFT = 11
"""How many bits of a 32-bit float are not looked at."""


def _bits(number: float) -> int:
    return int(np.float32(number).view(np.int32)) >> SHIFT


HALF = _bits(0.5)
ZERO = _bits(np.inf) + 1
"""The place of zero; every place before it holds numbers below zero."""
ONE = ZERO + 2 * HALF + 1
"""The place of one: half of [0, 1] counted up from zero, the other half counted down from one."""
GRID = ONE + 2 + _bits(np.inf) - _bits(1.0)
"""How many places there are."""


def places(score: Array) -> Array:
    """The place of each number on the grid: a larger number never has a lower one.

    Rounding to 32 bits keeps the order, and so does every step after it. 1 - s is exact from 0.5 to 1, so that a number
    has one place whether it is stored in 32 bits or in 64.

    >>> at = places(np.array([-3.0, 0.0, 0.2, 0.5, 0.9999, 1.0, 7.0]))
    >>> bool(np.all(np.diff(at) > 0)), at.dtype
    (True, dtype('int32'))
    """
    found = np.empty(len(score), dtype=np.int32)
    for first in range(0, len(score), AT_ONCE):
        some = score[first : first + AT_ONCE]
        found[first : first + AT_ONCE] = places_between(some, some.min(), some.max())
    return found


def places_between(score: Array, least: float, largest: float) -> Array:
    """The same of a few numbers (`AT_ONCE` at most) whose least and largest are known.

    >>> places_between(np.array([0.0, 1.0]), 0.0, 1.0).tolist() == [ZERO, ONE]
    True
    """
    if score.dtype not in (np.float32, np.float64):
        score = score.astype(np.float64)
    return _in_unit(score, signed=least == 0) if least >= 0 and largest <= 1 else _anywhere(score)


def edges(place: Array) -> tuple[Array, Array]:
    """The least and the largest number at each place that has any.

    >>> least, largest = edges(places(np.array([0.2])))
    >>> bool(least[0] <= 0.2 <= largest[0]), f"{largest[0] - least[0]:.1e}"
    (True, '3.1e-05')
    """
    at = np.asarray(place, dtype=np.int64)
    below, upper, above = at < ZERO, (at > ZERO + HALF) & (at <= ONE), at > ONE
    bits = np.select([below, upper, above], [ZERO - 1 - at, ONE - at, at - (ONE + 1) + _bits(1.0)], at - ZERO)
    first, after = _first(bits), _first(bits + 1)
    before = np.where(bits == _bits(np.inf), np.inf, np.nextafter(after, 0))
    # what is left to one is a multiple of 2^-53
    nearest, farthest = 1 - np.ceil(first * 2.0**53) / 2**53, 1 - (np.ceil(after * 2.0**53) - 1) / 2**53
    least = np.select(
        [below, upper, above], [-before, np.maximum(farthest, 0.5), np.maximum(first, np.nextafter(1, 2))], first
    )
    largest = np.select(
        [below, upper, above],
        [-np.maximum(first, np.nextafter(0, 1)), nearest, before],
        np.minimum(before, np.nextafter(0.5, 0)),
    )
    return least, largest


def _first(bits: Array) -> Array:
    """The least number of zero or more that becomes a 32-bit float with these leading bits, or more.

    It lies half way from the float before: its own last bit is zero, and so the number in the middle is rounded to it.
    """
    key = bits << SHIFT
    return (_float(np.maximum(key - 1, 0)) + _float(key)) / 2


def _float(key: Array) -> Array:
    """The 32-bit float of some bits; infinity stands one step above the largest."""
    largest = _bits(np.inf) << SHIFT
    found = np.minimum(key, largest - 1).astype(np.int32).view(np.float32).astype(np.float64)
    return np.where(key >= largest, 2.0**128, found)


_OWN = local()


def _rooms(kind: str) -> tuple[Array, Array, Array]:
    """Three columns to work in, which each thread has for good: new memory costs more than the arithmetic."""
    if not hasattr(_OWN, kind):
        setattr(_OWN, kind, (np.empty(AT_ONCE, kind), np.empty(AT_ONCE, np.float32), np.empty(AT_ONCE, np.int32)))
    rooms: tuple[Array, Array, Array] = getattr(_OWN, kind)
    return rooms


def _in_unit(score: Array, *, signed: bool = True) -> Array:
    """Places of numbers from 0 to 1; `signed`: a zero may have a sign."""
    near, small, upper = (room[: len(score)] for room in _rooms(score.dtype.str))
    np.subtract(1, score, out=near)
    np.minimum(near, score, out=near)  # the distance to the nearer end
    np.copyto(small, near, casting="same_kind")
    place = small.view(np.int32).copy()
    if signed:
        place &= np.int32(0x7FFFFFFF)
    place >>= np.int32(SHIFT)
    np.copyto(upper, score >= score.dtype.type(0.5))
    # of the upper half ONE - place, which is ONE + 1 + ~place; of the lower half ZERO + place: no branch is taken
    np.negative(upper, out=upper)
    place ^= upper
    upper *= np.int32(ZERO - ONE - 1)
    place += upper
    place += np.int32(ZERO)
    return place


def _anywhere(score: Array) -> Array:
    """Places of any numbers."""
    with np.errstate(over="ignore"):
        size = np.abs(score).astype(np.float32).view(np.int32)
    size >>= np.int32(SHIFT)
    place = _in_unit(np.minimum(np.maximum(score, 0), 1))
    above, below = score > 1, score < 0
    if above.any():
        place = np.where(above, size + np.int32(ONE + 1 - _bits(1.0)), place)
    if below.any():
        place = np.where(below, np.int32(ZERO - 1) - size, place)
    return place
