"""Which tables are read in parts: those that do not fit into memory, and those an engine is named for."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

from heldout.engines import Engine, Progress, Work, available
from heldout.engines import engine as engine_of
from heldout.engines.tasks import frame_of
from heldout.errors import DataError, UsageError
from heldout.inputs import Parted, Source, Witnesses, columns_needed, gathered, in_parts, parted, size_of, witness
from heldout.inputs.chunked.lazy_frames import relation
from heldout.tallies.moments import Moments

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


Total = TypeVar("Total")
AS_LINES = (".json", ".jsonl", ".ndjson")
"""Endings of files that are only read at once."""


@dataclass(frozen=True, kw_only=True)
class Stream:
    """A table in parts, who walks over it, and the rows from which its columns are understood."""

    source: Any
    """What the engine walks over: files in parts, or a frame."""
    engine: Engine
    options: Mapping[str, Any]
    """Names of columns and choices, as `inputs.read` takes them."""
    columns: tuple[str, ...]
    """The columns that play a role."""
    witnesses: Witnesses
    sources: tuple[Source, ...]
    progress: Progress | None = None
    tables: int = 1
    """How many tables share the memory: those of all models that are compared."""
    named: bool = True
    """Whether the engine was asked for; else it is there because rows do not fit into memory."""

    @property
    def parts(self) -> int:
        """In how many parts the rows lie, as far as that is known."""
        if isinstance(self.source, Parted):
            return len(self.source.parts)
        return int(self.source.npartitions) if frame_of(self.source) == "dask" else 1

    @property
    def remedy(self) -> str:
        """What would have all rows in memory at once."""
        if not isinstance(self.source, Parted):
            return "write the rows into files, and give them as much memory as they need with --memory (memory=)"
        size = spelled(self.tables * size_of(self.source, self.columns) * WORKING)
        alone = " and no engine" if self.named else ""
        return f"give the rows all the memory they need: --memory {size} (memory='{size}'){alone}"

    def summed(self, work: Work[Total]) -> Total:
        """The work on every part, added up."""
        return self.engine.summed(self.source, self.columns, work, self.progress)

    def grouped(self, work: Work[Any]) -> Moments:
        """The work on every part, added up by unit."""
        return self.engine.grouped(self.source, self.columns, work, self.progress)

    def beside(self, more: Any) -> Stream:
        """The same table with more witnesses."""
        return replace(self, witnesses=self.witnesses.plus(more))


def are_paths(data: Any) -> bool:
    """Whether this is a list of files: names of tables, not labels.

    >>> are_paths(["a.parquet", "b.parquet"]), are_paths(["yes", "no"])
    (True, False)
    """
    if not isinstance(data, list | tuple) or not in_parts(data):
        return False
    return all(isinstance(one, Path) or Path(one).suffix or Path(one).exists() for one in data)


def opened(
    data: Any,
    options: Mapping[str, Any],
    *,
    engine: str | None = None,
    address: str | None = None,
    memory: float | str | None = None,
    progress: Progress | None = None,
    every_column: bool = False,
    with_id: bool = False,
) -> Any:
    """A stream where the table is to be read in parts; else the table, as `inputs.read` takes it.

    With `every_column` a table that fits into memory has all of its columns, not only those that play a role; a stream
    has the column of ids where it was named, or `with_id`.
    """
    room = allowed(memory)
    walks = frame_of(data)
    if walks is None and not isinstance(data, str | Path) and not are_paths(data):
        _not_for_frames(engine=engine, engine_address=address, memory=memory)
        return data
    named = engine is not None or address is not None
    if walks is None and not named and not in_parts(data) and not _may_be_large(data, room):
        return data
    known = available(engine or walks, address)
    if walks is None:
        try:
            source = parted(data)
        except DataError:
            if named or in_parts(data):
                raise
            return data  # one file that cannot be read in parts: read at once it is understood, or named as ever
        columns = columns_needed(source, with_id=True, **options)
        if not named and fits(source.size, room):
            return data if not in_parts(data) else whole(source, _in_every_file(source))
        if not named and not every_column and fits(size_of(source, columns), room):
            return whole(source, columns)
    else:
        source = data
    about = source if walks is None else relation(data)
    columns = columns_needed(about, with_id=with_id or options.get("id") is not None, **options)
    return Stream(
        source=source,
        engine=engine_of(known, address),
        options=options,
        columns=columns,
        witnesses=witness(source, columns),
        sources=_named(data),
        progress=progress,
        named=named,
    )


def _may_be_large(path: str | Path, room: int) -> bool:
    """Whether one file may hold more than the room allows; what it holds is not looked at."""
    file = Path(path)
    if str(path) == "-" or not file.is_file() or file.suffix.lower() in AS_LINES:
        return False
    return file.stat().st_size * PACKED > room


def _in_every_file(source: Parted) -> list[str]:
    """The columns that no file lacks: those that play a role, and others that a message may speak of."""
    known = [{name for name, _ in outline.columns} for outline in source.outlines]
    return [name for name in source.names if all(name in some for some in known)]


def whole(source: Parted, columns: Sequence[str]) -> Any:
    """All rows as one table, and the files they come from."""
    table = gathered(source, tuple(dict.fromkeys(columns)))
    return replace(table, sources=tuple(hashed(path) for path in source.paths))


def hashed(path: str) -> Source:
    """A file's path and the SHA-256 of its bytes, read some at a time."""
    with Path(path).open("rb") as file:
        return Source(path=path, sha256=hashlib.file_digest(file, "sha256").hexdigest())


def _named(data: Any) -> tuple[Source, ...]:
    """The paths as they were given; nothing is hashed that is not read at once."""
    paths = data if isinstance(data, list | tuple) else [data] if isinstance(data, str | Path) else []
    return tuple(Source(path=str(path), sha256=None) for path in paths)


def _not_for_frames(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            fix = f"leave out {name}, or write the rows into files"
            raise UsageError(f"{name} is about tables that are read in parts, but a frame was given", fix=fix)
