"""Tables that are read in chunks: files too large for memory, or many files, as ranges of rows read one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heldout.errors import DataError
from heldout.inputs.limits import check_names
from heldout.inputs.message_text import names_listed

CHUNK_ROWS = 1 << 17
"""A chunk has at most this many rows."""
FILE_CHUNK_ROWS = 1 << 21
"""A file chunk has about this many rows, where the file says how many it has."""
RecordBatch = Any
"""A `pyarrow.RecordBatch`; pyarrow ships no types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChunk:
    """A range of rows in a file, the unit of work: some row groups of the file, or all of it."""

    path: str
    groups: tuple[int, ...] | None = None
    """Which row groups (Parquet) or record batches (Arrow); None: the whole file."""
    first: int = 0
    """Number of rows of the file that come before."""
    rows: int | None = None
    """Number of rows, if the file says so without being read."""
    folder: tuple[tuple[str, str | None], ...] = ()
    """Columns whose value the folder names, as in `country=de/`."""
    form: str = "parquet"
    """Format: parquet, arrow (a file), stream (of Arrow) or delimited (CSV)."""
    place: str = ""
    """Name of the file in messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSchema:
    """The columns of a file, from its footer or header."""

    place: str
    columns: tuple[tuple[str, str], ...]
    """Name and Arrow type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkedTable:
    """A table in one or more files, which is read in chunks."""

    place: str
    """Name of the table in messages."""
    names: tuple[str, ...]
    """Columns, including those of folder names."""
    file_chunks: tuple[FileChunk, ...]
    rows: int | None
    """Number of rows, if all files say so without being read."""
    size: int
    """Bytes of all columns in memory, roughly; `bytes_of` gives those of some columns."""
    paths: tuple[str, ...]
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Column → its bytes in memory, roughly."""
    schemas: tuple[FileSchema, ...] = ()
    """The different schemas of the files, each with the first file that has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Consecutive rows of a file, in memory, as Arrow columns."""

    batch: RecordBatch
    """The requested columns."""
    place: str
    """Name of the file in messages."""
    first: int
    """Number of rows of the file that come before."""
    decimal_comma: bool = False
    """Whether numbers may be written with a comma (files separated by semicolons)."""


def open_chunks(source: Any) -> ChunkedTable:
    """Open a file, a folder (with `key=value` folders in it), a glob pattern or a list of files.

    Reads footers and headers only. A file that is truncated, missing or of another format is an error here; a file that
    lacks a column, or has another type there, is an error of `check_columns`, once the columns are known.
    """
    from concurrent.futures import ThreadPoolExecutor

    from heldout.inputs.chunked.file_listing import list_files
    from heldout.inputs.chunked.file_opening import open_file

    files = list_files(source)
    with ThreadPoolExecutor(max_workers=8) as pool:
        opened = list(pool.map(open_file, files.files))
    chunks = tuple(chunk for file in opened for chunk in file.chunks)
    sizes: dict[str, int] = {}
    for file in opened:
        for name, size in file.sizes.items():
            sizes[name] = sizes.get(name, 0) + size
    counts = [chunk.rows for chunk in chunks]
    rows = None if None in counts else sum(count for count in counts if count is not None)
    places = [Path(file.path).resolve() for file in files.files]
    if len(set(places)) < len(places):
        name = next(place.name for place in places if places.count(place) > 1)
        raise DataError(f"{name} was given twice: its rows would count twice", code="H112", fix="give each file once")
    if rows == 0:
        raise DataError(f"{files.place} has no rows", code="H112", fix="export the predictions again")
    schemas = {file.schema.columns: file.schema for file in reversed(opened)}
    return ChunkedTable(
        place=files.place,
        names=_names(files.place, [file.schema for file in opened]),
        file_chunks=chunks,
        rows=rows,
        size=sum(sizes.values()),
        paths=tuple(str(file.path) for file in files.files),
        sizes=sizes,
        schemas=tuple(reversed(schemas.values())),
    )


def _names(place: str, schemas: Sequence[FileSchema]) -> tuple[str, ...]:
    """The columns of all files; a name that one file has twice stays twice, so that using it is an error."""
    names: list[str] = []
    times: Counter[str] = Counter()
    for columns in dict.fromkeys(schema.columns for schema in schemas):
        own: Counter[str] = Counter()
        for name, _ in columns:
            own[name] += 1
            if own[name] > times[name]:
                names.append(name)
                times[name] += 1
    check_names(names, place)
    if not names:
        raise DataError(f"{place} has no columns", code="H106", fix="export the predictions again")
    return tuple(names)


def read_chunks(file_chunk: FileChunk, columns: Sequence[str], rows: int = CHUNK_ROWS) -> Iterator[Chunk]:
    """Read the rows of a file chunk, at most so many at a time, in the order of the file."""
    from heldout.inputs.chunked.file_opening import READERS

    yield from READERS[file_chunk.form](file_chunk, columns, rows)


def bytes_of(source: ChunkedTable, columns: Sequence[str]) -> int:
    """Bytes that some columns take in memory, roughly."""
    return sum(source.sizes.get(name, 0) for name in dict.fromkeys(columns))


def check_columns(source: ChunkedTable, columns: Sequence[str], exact: Sequence[str] = ()) -> None:
    """Raise if a file lacks one of the columns, or has another type of value there.

    Whole numbers in one file and fractions in another are fine, except in `exact` columns, which hold names such as
    groups.
    """
    for name in columns:
        having = [(schema.place, dict(schema.columns).get(name)) for schema in source.schemas]
        first, known = next(((place, kind) for place, kind in having if kind is not None), (source.place, None))
        for place, kind in having:
            if kind is None:
                own = next(schema for schema in source.schemas if schema.place == place)
                raise DataError(
                    f"{place} has no column {name!r}, which {first} has; its columns are "
                    f"{names_listed([known for known, _ in own.columns])}",
                    code="H106",
                    fix="export that file again, or leave it out",
                )
            if known is not None and _type_family(kind, exact=name in exact) != _type_family(
                known, exact=name in exact
            ):
                raise DataError(
                    f"{place} holds {name!r} as {kind}, and {first} as {known}",
                    code="H107",
                    fix=f"export that file again with {name} as {known}, or leave it out",
                )


def same_in_all_files(source: ChunkedTable, name: str) -> bool:
    """Whether every file has the column once, with one type of value."""
    types = [[kind for known, kind in schema.columns if known == name] for schema in source.schemas]
    return all(len(own) == 1 for own in types) and len({_type_family(own[0], exact=False) for own in types}) == 1


def _type_family(kind: str, *, exact: bool) -> str:
    """What kind of value an Arrow type holds, whatever its width and encoding.

    >>> _type_family("int32", exact=True) == _type_family("uint8", exact=True), _type_family("int64", exact=True)
    (True, 'whole')
    """
    if kind.startswith("dictionary<values="):
        kind = kind.removeprefix("dictionary<values=").split(",")[0]
    if kind.startswith(("int", "uint")):
        return "whole" if exact else "number"
    if kind.startswith(("float", "double", "halffloat", "decimal")):
        return "fraction" if exact else "number"
    if kind.startswith(("string", "large_string", "utf8")):
        return "text"
    return "time" if kind.startswith(("timestamp", "date", "time")) else kind
