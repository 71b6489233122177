"""Units as words of 64 bits that depend on nothing but what they are called: the same in every part and process."""

from __future__ import annotations

from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from heldout.batch import Array

AT_ONCE = 1 << 14
"""Names worked on at a time."""
BASE = 0x9E3779B97F4A7C15
INVERSE = pow(BASE, -1, 2**64)


def unit_hashes(names: Any) -> Array:
    """A word for each name of an Arrow array of text or numbers.

    >>> import pyarrow as pa
    >>> one, two, again = unit_hashes(pa.array(["a", "b", "a"]))
    >>> bool(one == again), bool(one == two)
    (True, False)
    """
    import pyarrow as pa
    import pyarrow.types as kinds

    if kinds.is_floating(names.type):
        return (names.cast(pa.float64()).to_numpy(zero_copy_only=False) + 0.0).view(np.uint64)
    if kinds.is_integer(names.type):
        return names.cast(pa.int64()).to_numpy(zero_copy_only=False).view(np.uint64)
    text = names.cast(pa.large_string())
    parts = [_of_text(text.slice(first, AT_ONCE)) for first in range(0, len(text), AT_ONCE)]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint64)


def row_hashes(place: str, rows: Array) -> Array:
    """A word for each row of a file, by the number of the row in it."""
    start = int.from_bytes(blake2b(place.encode(), digest_size=8).digest(), "little")
    return rows.astype(np.uint64) * np.uint64(BASE) + np.uint64(start)


def _of_text(text: Any) -> Array:
    """The letters as digits of a number to a large base, modulo 2^64: sums over all letters, cut at the names.

    A letter counts by how far it stands from the first letter of all. Divided by the power of the base at which a name
    begins (which modulo 2^64 is multiplied by a power of the base's inverse) it counts from the name's own start.
    """
    offsets = np.frombuffer(text.buffers()[1], dtype=np.int64)[text.offset : text.offset + len(text) + 1]
    letters = text.buffers()[2]
    if letters is None or offsets[-1] == offsets[0]:
        return np.zeros(len(text), dtype=np.uint64)
    codes = np.frombuffer(letters, dtype=np.uint8)[offsets[0] : offsets[-1]]
    at = offsets - offsets[0]
    size = len(codes).bit_length()
    summed = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum(_digits()[codes] * _powers(BASE, size)[: len(codes)], out=summed[1:])
    own = (summed[at[1:]] - summed[at[:-1]]) * _powers(INVERSE, size)[at[:-1]]
    return own + np.diff(at).astype(np.uint64) * np.uint64(BASE)


@cache
def _digits() -> Array:
    """A large odd number for each letter, so that no two short names add up to the same."""
    return np.random.default_rng(64).integers(0, 2**63, 256, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


@lru_cache(maxsize=4)
def _powers(base: int, size: int) -> Array:
    """The powers of a number modulo 2^64, from the zeroth on, 2^size of them."""
    factors = np.full(1 << size, base, dtype=np.uint64)
    factors[0] = 1
    return np.multiply.accumulate(factors)
