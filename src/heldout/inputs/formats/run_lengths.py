"""Masks as run lengths, the way COCO writes them: columns first, runs of background and object in turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError


def mask_of(runs: Any, place: str) -> Array:
    """The mask of a COCO run-length code, {"size": [height, width], "counts": …}, counts as a list or as text.

    >>> mask_of({"size": [2, 3], "counts": [1, 2, 3]}, "the mask").astype(int).tolist()
    [[0, 1, 0], [1, 0, 0]]
    """
    try:
        height, width = (int(side) for side in runs["size"])
        counts = runs["counts"]
        lengths = counted(counts) if isinstance(counts, str | bytes) else np.array(counts, dtype=np.int64)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        fix = 'write {"size": [height, width], "counts": [...]}'
        raise DataError(f"{place} holds no run lengths", code="H113", fix=fix) from error
    if lengths.sum() != height * width or (lengths < 0).any():
        text = f"{place} has run lengths for {int(lengths.sum()):,} pixels, but its size is {height} x {width}"
        raise DataError(text, code="H113", fix="give the size of the image as [height, width]")
    inside = np.repeat(np.arange(len(lengths)) % 2 == 1, lengths)
    return inside.reshape(width, height).T


def counted(text: str | bytes) -> Array:
    """The run lengths in COCO's text: five bits a character, each length less the one before the last.

    >>> counted("052").tolist()
    [0, 5, 2]
    """
    codes = np.frombuffer(text.encode() if isinstance(text, str) else text, dtype=np.uint8).astype(np.int64) - 48
    last = (codes & 0x20) == 0
    if not len(codes) or not last[-1]:
        raise ValueError("the text ends within a number")
    number = np.append(0, np.cumsum(last)[:-1])
    starts = np.flatnonzero(np.append(True, last[:-1]))
    within = np.arange(len(codes)) - starts[number]
    values = np.bincount(number, weights=(codes & 0x1F) * 32.0**within).astype(np.int64)
    ends = np.flatnonzero(last)
    negative = (codes[ends] & 0x10) != 0
    values = values - np.where(negative, np.int64(1) << (5 * (within[ends] + 1)), 0)
    # from the fourth on, a number is added to the length two before: running sums of odd and of even places
    found = values.copy()
    for first in (1, 2):
        found[first::2] = np.cumsum(values[first::2])
    return found
