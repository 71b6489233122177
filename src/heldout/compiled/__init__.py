"""Loops in C with the same bits as the NumPy code beside their callers, where the package was built with a compiler.

Without the library, or with the environment variable HELDOUT_COMPILED=0, the NumPy code runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

SOURCE = Path(__file__).with_name("kernels.c")
LIBRARY = SOURCE.with_suffix(".library")
FEWEST_ROWS = 10_000
"""Below so many rows there is nothing to gain, and the library is not loaded."""
Kernel = Callable[..., int]


def kernel(name: str, rows: int = FEWEST_ROWS) -> Kernel | None:
    """A function of the library, which takes arrays without gaps and numbers; None where NumPy is to be used."""
    library = _library() if rows >= FEWEST_ROWS else None
    return None if library is None else _function(library, name)


@cache
def _library() -> Any:
    if os.environ.get("HELDOUT_COMPILED") == "0" or not LIBRARY.exists():
        return None
    from ctypes import CDLL  # only here: small data does without it

    try:
        library = CDLL(str(LIBRARY))
        # one that was made from another version of the source has functions with other parameters
        return library if _function(library, "checksum")() == crc32(SOURCE.read_bytes()) else None
    except (OSError, AttributeError):  # made for another system, or not ours
        return None


def _function(library: Any, name: str) -> Kernel:
    from ctypes import c_double, c_int64, c_void_p

    function = library[name]  # one of its own: the types of others stay as they are
    function.restype = c_int64

    def passed(argument: Any) -> Any:
        if isinstance(argument, np.ndarray):
            assert argument.flags.c_contiguous
            return c_void_p(argument.ctypes.data)
        if isinstance(argument, float):
            return c_double(argument)
        return argument if argument is None else c_int64(argument)

    def call(*arguments: Any) -> int:
        return int(function(*map(passed, arguments)))

    return call
