"""Masks as COCO's run-length codes: how many pixels outside, inside, outside and so on, column after column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.inputs.columns.number_parsing import whole_number

LONGEST = 8
"""Characters of a run length after its first: of more, the number would not fit."""


def run_lengths(runs: Any, place: str) -> tuple[Array, tuple[int, int]]:
    """The run lengths of a mask down its columns, the first one outside, and its height and width.

    >>> run_lengths({"size": [2, 3], "counts": [1, 2, 3]}, "the mask")
    (array([1, 2, 3]), (2, 3))
    """
    size = mask_size(runs)
    fix = 'write {"size": [height, width], "counts": [...]}'
    nothing = DataError(f"{place} holds no run lengths", code="H113", fix=fix)
    if size is None:
        raise nothing
    try:
        counts = runs["counts"]
        plain = isinstance(counts, str | bytes)
        given = counted(counts) if plain else np.array(counts).reshape(len(counts))
        odd = _odd_length(given)
        lengths = given if odd or given.dtype == np.int64 else np.array(counts, dtype=np.int64).reshape(len(counts))
        odd = odd or _odd_length(lengths)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise nothing from error
    if odd:
        fix = "count the pixels of every run: 0 or more, outside first"
        raise DataError(f"{place} has the run length {odd}", code="H113", fix=fix)
    (height, width), pixels = size, sum(lengths.tolist())
    if pixels != height * width:
        text = f"{place} has run lengths for {pixels:,} pixels, but its size is {height} x {width}"
        raise DataError(text, code="H113", fix="give the size of the image as [height, width]")
    return lengths, size


def mask_size(runs: Any) -> tuple[int, int] | None:
    """Height and width in run lengths; None if they are not whole numbers from zero on.

    >>> mask_size({"size": [2, 3]}), mask_size({"size": [2.5, 3]}), mask_size({"size": [-2, -3]}), mask_size([1, 2])
    ((2, 3), None, None, None)
    """
    given = runs.get("size") if isinstance(runs, Mapping) else None
    sides = [whole_number(side) for side in given] if isinstance(given, list | tuple) and len(given) == 2 else []
    known = [side for side in sides if side is not None and side >= 0]
    return (known[0], known[1]) if len(known) == 2 else None


def _odd_length(lengths: Array) -> str | None:
    """The first run length that is none, and why: one that is not whole, or a negative one."""
    if lengths.dtype.kind == "f":
        broken = lengths[(lengths != np.floor(lengths)) | ~np.isfinite(lengths)]
        if len(broken):
            return f"{broken[0].item()}, which is not a whole number"
        if lengths.max(initial=0) >= np.iinfo(np.int64).max:
            raise ValueError("a number is longer than any image")
    if lengths.dtype.kind in "if" and lengths.min(initial=0) < 0:
        return f"{int(lengths[lengths < 0][0])}, which is negative"
    return None


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
    if within.max() > LONGEST:
        raise ValueError("a number is longer than any image")
    values = np.bincount(number, weights=(codes & 0x1F) * 32.0**within).astype(np.int64)
    ends = np.flatnonzero(last)
    negative = (codes[ends] & 0x10) != 0
    values = values - np.where(negative, np.int64(1) << (5 * (within[ends] + 1)), 0)
    # from the fourth on, a number is added to the length two before: running sums of odd and of even places
    lengths = values.copy()
    for first in (1, 2):
        lengths[first::2] = np.cumsum(values[first::2])
    return lengths
