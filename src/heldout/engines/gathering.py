"""Tables by unit, put together as they come: in memory while they are few, else on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from heldout.engines.shelves import shelve, shelved
from heldout.engines.units import by_unit, plain

GATHERED = 1 << 26
"""How many bytes of tables are gathered before they are added up."""
MOST = 1 << 28
"""How many bytes sums by unit may take in memory."""


def together(tables: Iterable[Any], *, gathered: int = GATHERED, most: int = MOST) -> Iterator[Any]:
    """The sums by unit over all tables: every unit is in one of those given back, whichever it came from.

    >>> import pyarrow as pa
    >>> parts = [pa.table({"unit": ["a", "b"], "rows": [1, 2]}), pa.table({"unit": ["b", "c"], "rows": [3, 4]})]
    >>> [table.sort_by("unit").to_pydict() for table in together(parts)]
    [{'unit': ['a', 'b', 'c'], 'rows': [1, 5, 4]}]
    """
    import pyarrow as pa

    kept: list[Any] = []
    held = full = 0
    with ExitStack() as disk:
        folder = None
        for table in tables:
            kept.append(plain(table))
            if sum(one.nbytes for one in kept) <= max(2 * held, gathered):
                continue
            kept = [by_unit(pa.concat_tables(kept))]
            held = kept[0].nbytes
            if held > most:
                folder = folder or Path(disk.enter_context(TemporaryDirectory(prefix="heldout-units-")))
                shelve(kept[0], folder, full)
                kept, held, full = [], 0, full + 1
        rest = by_unit(pa.concat_tables(kept)) if kept else None
        if folder is None:
            yield from [] if rest is None else [rest]
            return
        if rest is not None:
            shelve(rest, folder, full)
        yield from shelved(folder)
