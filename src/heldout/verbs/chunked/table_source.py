"""How the rows of a table are read: into memory at once, or in chunks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from heldout.errors import DataError, UsageError
from heldout.inputs.formats.files import Source, Table, exists, hashed_source, is_file, is_packed
from heldout.inputs.formats.frames import LazyFrame, lazy_frame, names_several_files, table
from heldout.inputs.limits import machine_memory
from heldout.inputs.reading import ReadOptions

if TYPE_CHECKING:
    from heldout.engines import Engine, Work
    from heldout.inputs.chunked.chunked_table import Chunk, ChunkedTable
    from heldout.inputs.chunked.sample_rows import SampleRows
    from heldout.tallies.moments import Moments

Progress = Callable[[int, int], None]
"""Called with the number of file chunks that are done, and the number of all."""
Total = TypeVar("Total")

DEFAULT_LIMIT = 2 << 30
"""Bytes that rows may take in memory by default; a quarter of the machine's memory if that is less."""
WORKING = 8
"""How many times its own size a table takes while it is evaluated: codes, orders, losses."""
PACKED = 32
"""A file this many times smaller than the limit is read into memory without opening it first."""
JSON_LINES = (".json", ".jsonl", ".ndjson")
"""Suffixes of files that can only be read into memory."""
SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def memory_limit(memory: float | str | None) -> int:
    """Bytes that rows may take in memory: given as a number of bytes or as 4G, 500M, 64K, else the default.

    >>> memory_limit("4G") == 4 * 1024**3, memory_limit(500_000)
    (True, 500000)
    """
    if memory is None:
        return _default_limit()
    size = None
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([KMGT]?)(?:I?B)?\s*", memory.upper())
        size = float(match[1]) * SIZES[match[2]] if match else None
    elif isinstance(memory, int | float) and not isinstance(memory, bool) and isfinite(memory):
        size = float(memory)
    if size is None or size < 1:
        fix = "give bytes, or a number with K, M, G or T, such as 4G or 500M"
        raise UsageError(f"memory is {memory!r}, which is not an amount of memory", fix=fix)
    return int(size)


def _default_limit() -> int:
    whole = machine_memory()
    return DEFAULT_LIMIT if whole is None else min(DEFAULT_LIMIT, whole // 4)


def fits(size: float, limit: int) -> bool:
    """Whether a table of this many bytes can be evaluated within the limit."""
    return size * WORKING <= limit


def memory_text(size: float) -> str:
    """An amount of memory as `memory_limit` takes it, rounded up.

    >>> memory_text(3_000_000_000), memory_text(70_000)
    ('3G', '1M')
    """
    unit, letter = (1 << 30, "G") if size > 1 << 30 else (1 << 20, "M")
    return f"{int(-(-size // unit))}{letter}"


@dataclass(frozen=True, kw_only=True)
class InMemory:
    """A table whose rows are read into memory at once."""

    source: Any
    """A path, a frame or a dict as it was given; or several files, as a `ChunkedTable`."""
    columns: tuple[str, ...] | None = None
    """Of several files, the columns that are read."""

    def table(self) -> Table:
        """Read the rows."""
        if self.columns is None:
            return table(self.source)
        from heldout.inputs.chunked.sample_rows import load_chunks

        rows = load_chunks(self.source, self.columns)
        return replace(rows, sources=tuple(hashed_source(path) for path in self.source.paths))


@dataclass(frozen=True, kw_only=True)
class ChunkedInput:
    """A table that is read in chunks, with the engine that reads it and the rows that tell what its columns mean."""

    source: ChunkedTable | LazyFrame
    engine: Engine
    options: ReadOptions
    """Names of columns and choices, as `inputs.read` takes them."""
    columns: tuple[str, ...]
    """The columns that have a role."""
    sample: SampleRows
    sources: tuple[Source, ...]
    progress: Progress | None = None
    needed: int = 0
    """The memory limit in bytes from which on the rows, of files, are read into memory."""
    engine_named: bool = True
    """Whether the caller named the engine; otherwise the rows do not fit into memory."""

    @property
    def chunks(self) -> int:
        """Number of file chunks, or of partitions of a Dask frame."""
        if isinstance(self.source, LazyFrame):
            return int(self.source.frame.npartitions) if self.source.kind == "dask" else 1
        return len(self.source.file_chunks)

    @property
    def in_memory_fix(self) -> str:
        """The fix for what needs all rows in memory."""
        if isinstance(self.source, LazyFrame):
            return "write the rows into files, and give them as much memory as they need with --memory (memory=)"
        size = memory_text(self.needed)
        alone = " and no engine" if self.engine_named else ""
        return f"give the rows all the memory they need: --memory {size} (memory='{size}'){alone}"

    def summed(self, work: Work[Total], columns: Sequence[str] | None = None) -> Total:
        """The sum of the work on all chunks; it reads the columns that have a role, or others."""
        return self.engine.summed(self._engine_source, columns or self.columns, work, self.progress)

    def grouped(self, work: Work[Any], columns: Sequence[str] | None = None) -> Moments:
        """The sums by unit of the work on all chunks."""
        return self.engine.grouped(self._engine_source, columns or self.columns, work, self.progress)

    @property
    def _engine_source(self) -> Any:
        """What an engine takes: a chunked table, or the frame itself."""
        return self.source.frame if isinstance(self.source, LazyFrame) else self.source

    def with_rows(self, chunks: Sequence[Chunk]) -> ChunkedInput:
        """The same table with more sample rows."""
        return replace(self, sample=self.sample.plus(chunks))


def is_list_of_files(data: Any) -> bool:
    """Whether this is a list of paths, and not a list of labels.

    >>> is_list_of_files(["a.parquet", "b.parquet"]), is_list_of_files(["yes", "no"])
    (True, False)
    """
    if not isinstance(data, list | tuple) or not names_several_files(data):
        return False
    return all(isinstance(path, Path) or Path(path).suffix or exists(path) for path in data)


def open_table(
    data: Any,
    options: ReadOptions,
    *,
    engine: str | None = None,
    address: str | None = None,
    memory: float | str | None = None,
    progress: Progress | None = None,
    every_column: bool = False,
    with_id: bool = False,
    tables: int = 1,
) -> InMemory | ChunkedInput:
    """Decide whether the rows of a table are read into memory or in chunks.

    1. A frame, a dict or an Arrow table is in memory already; options about chunks are refused.
    2. A lazy frame (DuckDB, Dask, Spark) is read in chunks.
    3. With an engine (or its address) files are read in chunks.
    4. One file that is far smaller than the limit (`memory`), standard input and JSON lines are read into memory;
       standard input is refused with a limit or an engine.
    5. Other files are opened: their footers and headers tell the size. If all columns fit into memory, or the columns
       that have a role do, the rows are read into memory. If not, they are read in chunks.
    6. One file that cannot be read in chunks is read into memory, whatever its size; refused if it is more than fits
       into a limit that was given.

    The limit is shared by this number of `tables`.

    With `every_column` a table in memory has all of its columns, not only those that have a role. In chunks the id is
    read if it was named, or `with_id`.
    """
    limit = memory_limit(memory) // tables
    lazy = lazy_frame(data)
    if lazy is None and not isinstance(data, str | Path) and not is_list_of_files(data):
        _refuse_for_frames(engine=engine, engine_address=address, memory=memory)
        return InMemory(source=data)
    named = engine is not None or address is not None
    several = names_several_files(data)
    if lazy is None and str(data) == "-":
        _refuse_for_standard_input(engine=engine or address, memory=memory)
    if lazy is None and not named and not several and not _may_be_large(data, limit):
        _refuse_beyond(data, f"{data} is JSON, which cannot be read in chunks", memory, tables)
        return InMemory(source=data)
    from heldout.engines import available, engine as engine_of
    from heldout.engines.tasks import ENGINE_OF
    from heldout.inputs.chunked.chunked_table import bytes_of, open_chunks
    from heldout.inputs.chunked.delimited_chunks import NotInChunksError
    from heldout.inputs.chunked.sample_rows import columns_needed, sample_rows

    engine_name = available(engine or (None if lazy is None else ENGINE_OF[lazy.kind]), address)
    source: ChunkedTable | LazyFrame
    needed = 0
    if lazy is None:
        try:
            source = open_chunks(data)
        except DataError as problem:
            if named or several:
                raise
            if isinstance(problem, NotInChunksError):
                _refuse_beyond(data, problem.message, memory, tables)
            return InMemory(source=data)  # read into memory, it is either understood or refused with its own error
        columns = columns_needed(source, with_id=True, **options)
        if not named and fits(source.size, limit):
            return InMemory(source=source, columns=_in_every_file(source)) if several else InMemory(source=data)
        needed = source.size if every_column else bytes_of(source, columns)
        if not named and fits(needed, limit):
            return InMemory(source=source, columns=columns)
    else:
        source = lazy
    columns = columns_needed(source, with_id=with_id or options.get("id") is not None, **options)
    return ChunkedInput(
        source=source,
        engine=engine_of(engine_name, address),
        options=options,
        columns=columns,
        sample=sample_rows(source, columns),
        sources=_unhashed_sources(data),
        progress=progress,
        needed=needed * WORKING * tables,
        engine_named=named,
    )


def _may_be_large(path: str | Path, limit: int) -> bool:
    """Whether one file may need more than the limit, by its size on disk; what is packed must be opened to know."""
    if str(path) == "-" or not is_file(path) or Path(path).suffix.lower() in JSON_LINES:
        return False
    return Path(path).stat().st_size * PACKED > limit or is_packed(path)


def _in_every_file(source: ChunkedTable) -> tuple[str, ...]:
    """The columns that no file lacks: those that have a role, and others that a message may name."""
    known = [{name for name, _ in schema.columns} for schema in source.schemas]
    return tuple(dict.fromkeys(name for name in source.names if all(name in names for names in known)))


def _unhashed_sources(data: Any) -> tuple[Source, ...]:
    """The paths as they were given; files that are read in chunks are not hashed."""
    paths = data if isinstance(data, list | tuple) else [data] if isinstance(data, str | Path) else []
    return tuple(Source(path=str(path), sha256=None) for path in paths)


def _refuse_for_standard_input(*, engine: str | None, memory: float | str | None) -> None:
    """Raise if an option about chunks was given for standard input, which is read once and whole."""
    fix = "write the rows to a file"
    if engine is not None:
        raise UsageError("standard input cannot be read in chunks", fix=fix)
    if memory is not None:
        text = "--memory (memory=) has no effect on standard input, which is read whole"
        raise UsageError(text, fix=f"{fix}, or leave it out")


def _refuse_beyond(path: str | Path, why: str, memory: float | str | None, tables: int) -> None:
    """Raise if a file that cannot be read in chunks does not fit into a limit that was given."""
    size = Path(path).stat().st_size * WORKING * tables if is_file(path) else 0
    if memory is not None and size > memory_limit(memory):
        enough = memory_text(size)
        raise UsageError(
            f"{why}, and it does not fit into --memory {memory} (memory={memory!r})",
            fix=f"write the rows as Parquet or CSV, or give --memory {enough} (memory={enough!r})",
        )


def _refuse_for_frames(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            fix = f"leave out {name}, or write the rows into files"
            raise UsageError(f"{name} is for tables that are read in chunks, but a frame was given", fix=fix)
