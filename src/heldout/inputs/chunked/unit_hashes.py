"""Units as 64-bit hashes of their names: the same in every chunk and process."""

from __future__ import annotations

from functools import cache, lru_cache
from hashlib import blake2b

import numpy as np

from heldout.batch import Array
from heldout.inputs.columns.column_values import ArrowArray

AT_ONCE = 1 << 14
"""Names that are hashed at a time."""
BASE = 0x9E3779B97F4A7C15
INVERSE = pow(BASE, -1, 2**64)


def unit_hashes(names: ArrowArray) -> Array:
    """The hash of each name in an Arrow array of text or numbers.

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
    blocks = [_text_hashes(text.slice(first, AT_ONCE)) for first in range(0, len(text), AT_ONCE)]
    return np.concatenate(blocks) if blocks else np.zeros(0, dtype=np.uint64)


def row_hashes(place: str, rows: Array) -> Array:
    """The hash of each row of a file, from the name of the file and the number of the row."""
    start = int.from_bytes(blake2b(place.encode(errors="surrogateescape"), digest_size=8).digest(), "little")
    return rows.astype(np.uint64) * np.uint64(BASE) + np.uint64(start)


def _text_hashes(text: ArrowArray) -> Array:
    """Polynomial hashes of many texts at once: the bytes are digits of a number to a large base, modulo 2^64.

    One cumulative sum over all bytes is cut at the names. The part that belongs to a name is divided by the power of
    the base at which the name begins; modulo 2^64 that is a multiplication by a power of the inverse of the base.
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
    """A large odd random number for each byte, so that short names do not collide."""
    return np.random.default_rng(64).integers(0, 2**63, 256, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


@lru_cache(maxsize=4)
def _powers(base: int, size: int) -> Array:
    """The first 2^size powers of a number modulo 2^64."""
    factors = np.full(1 << size, base, dtype=np.uint64)
    factors[0] = 1
    return np.multiply.accumulate(factors)
