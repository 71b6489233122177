"""Sums by unit that are more than memory holds: on disk, in files by unit, so that they can be met a few at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.engines.units import UNIT, by_unit
from heldout.inputs.parts.unit_hashes import unit_hashes

SHELVES = 128
"""Units are spread over so many folders; those of one must fit into memory."""
MIXED = np.uint64(0xFF51AFD7ED558CCD)
"""An odd number that brings what low bits say into the high ones."""


def shelve(table: Any, folder: Path, number: int) -> None:
    """Write the lines of a table to files of that number, one in the folder of each shelf."""
    import pyarrow as pa

    shelf = _shelf(table.column(UNIT).combine_chunks())
    order = np.argsort(shelf, kind="stable")
    ends = np.searchsorted(shelf[order], np.arange(SHELVES + 1))
    lines = table.take(pa.array(order))
    for at in np.flatnonzero(np.diff(ends)).tolist():
        place = folder / str(at)
        place.mkdir(exist_ok=True)
        some = lines.slice(ends[at], ends[at + 1] - ends[at])
        with pa.ipc.new_file(str(place / f"{number}.arrow"), some.schema) as file:
            file.write_table(some)


def shelved(folder: Path) -> Iterator[Any]:
    """The sums by unit of one shelf after the other; every unit is on one shelf only."""
    import pyarrow as pa

    for place in sorted(folder.iterdir()):
        tables = []
        for path in sorted(place.iterdir()):
            with pa.ipc.open_file(str(path)) as file:
                tables.append(file.read_all())
        yield by_unit(pa.concat_tables(tables))


def _shelf(unit: Any) -> Array:
    with np.errstate(over="ignore"):
        mixed = unit_hashes(unit) * MIXED
    return ((mixed ^ (mixed >> np.uint64(32))) * MIXED >> np.uint64(57)).astype(np.int64)
