"""How much memory rows may take: what was allowed, and what they need."""

from __future__ import annotations

import os
import re
from functools import cache
from math import isfinite

from heldout.errors import UsageError

USUAL = 2 << 30
"""Bytes that rows may take where nothing was said; a quarter of the machine's memory where that is less."""
WORKING = 8
"""How many times its own size a table takes while it is evaluated: codes, orders, losses."""
PACKED = 32
"""A file so many times smaller than what is allowed is read without a look at what it holds."""
SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def allowed(memory: float | str | None) -> int:
    """Bytes that rows may take in memory: what was asked for, as a number of bytes or as 4G, 500M, 64K.

    >>> allowed("4G") == 4 * 1024**3, allowed(500_000)
    (True, 500000)
    """
    if memory is None:
        return _usual()
    found = None
    if isinstance(memory, str):
        read = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([KMGT]?)(?:I?B)?\s*", memory.upper())
        found = float(read[1]) * SIZES[read[2]] if read else None
    elif isinstance(memory, int | float) and not isinstance(memory, bool) and isfinite(memory):
        found = float(memory)
    if found is None or found < 1:
        fix = "give bytes, or a number with K, M, G or T, such as 4G or 500M"
        raise UsageError(f"memory is {memory!r}, which is no amount of memory", fix=fix)
    return int(found)


def fits(size: float, room: int) -> bool:
    """Whether a table of so many bytes can be evaluated within the room."""
    return size * WORKING <= room


def spelled(size: float) -> str:
    """An amount of memory as it is given: rounded up, so that it is enough.

    >>> spelled(3_000_000_000), spelled(70_000)
    ('3G', '1M')
    """
    unit, letter = (1 << 30, "G") if size > 1 << 30 else (1 << 20, "M")
    return f"{int(-(-size // unit))}{letter}"


@cache
def _usual() -> int:
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return USUAL
    return min(USUAL, whole // 4) if whole > 0 else USUAL
