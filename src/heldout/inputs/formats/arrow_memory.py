"""Bytes of Python objects as input of Arrow: a reader returns when none of Arrow's threads uses them any more."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from traceback import clear_frames
from typing import Any

import numpy as np

PATIENCE = 10.0
"""Seconds to wait for the threads at most; they take less than a millisecond unless the machine is busy."""


def parsed(read: Callable[..., Any], data: bytes, **options: Any) -> Any:
    r"""What a reader of Arrow makes of bytes, once none of Arrow's threads holds them any more.

    A thread that holds the last reference gives the memory back to Python. If the interpreter ends in that moment, the
    process aborts (exit code 134); so no reader returns while a thread may still do that.

    >>> from pyarrow import csv
    >>> parsed(csv.read_csv, b"a,b\n1,2\n").column_names
    ['a', 'b']
    """
    import pyarrow as pa

    lent = np.frombuffer(data, dtype=np.uint8)
    alive = weakref.ref(lent)
    source = pa.BufferReader(pa.py_buffer(lent))
    del lent
    try:
        return read(source, **options)
    except Exception as error:
        clear_frames(error.__traceback__)  # the frames of the reader hold the source too
        raise
    finally:
        del source
        end = time.monotonic() + PATIENCE
        while alive() is not None and time.monotonic() < end:
            time.sleep(0)
