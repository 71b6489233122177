"""Open files for reading in chunks: the schema from footer or header, then the rows, some at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from heldout.errors import DataError
from heldout.inputs.chunked.chunked_table import (
    CHUNK_ROWS,
    FILE_CHUNK_ROWS,
    Chunk,
    FileChunk,
    FileSchema,
    RecordBatch,
)
from heldout.inputs.chunked.file_listing import File
from heldout.inputs.columns.column_values import ArrowArray
from heldout.inputs.formats.arrow_files import (
    TEXT,
    ArrowSchema,
    broken_file,
    check_stream_end,
    column_bytes,
    out_of_memory,
)
from heldout.inputs.formats.compression import ending
from heldout.inputs.formats.files import FORMATS, empty_file
from heldout.inputs.message_text import names_listed

BUFFER = 1 << 20
"""Bytes of a column that are read at a time: a row group may be larger than memory."""
ParquetMetadata = Any
"""A `pyarrow.parquet.FileMetaData`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedFile:
    """The chunks of a file, its schema, and the bytes that each column takes in memory."""

    chunks: tuple[FileChunk, ...]
    schema: FileSchema
    sizes: Mapping[str, int]


def open_file(file: File) -> OpenedFile:
    """Open a file without reading its rows."""
    with naming_file(str(file.path), file.place, "table"), file.path.open("rb") as start:
        head = start.read(8)
    if not head:
        raise empty_file(file.place)
    for form, (magic, suffixes) in FORMATS.items():
        if any(head.startswith(mark) for mark in magic) or ending(file.path) in suffixes:
            return _open_parquet(file) if form == "parquet" else _open_arrow(file, head)
    from heldout.inputs.chunked.delimited_chunks import open_delimited

    return open_delimited(file)


@contextmanager
def naming_file(path: str, place: str, form: str) -> Iterator[None]:
    """Turn whatever goes wrong while a file is read into an error that names the file."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError as error:
        raise DataError(
            f"{place} no longer exists: {path}", code="H100", fix="do not move or delete files while they are read"
        ) from error
    except MemoryError as error:
        raise out_of_memory(place) from error
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        if isinstance(error, DataError):
            raise
        if isinstance(error, PermissionError):
            raise DataError(
                f"{path!r} cannot be read: {error.strerror}", code="H100", fix="name a readable file"
            ) from error
        raise broken_file(place, form, error, cut=form == "parquet" and _cut_off(path)) from error


def _cut_off(path: str) -> bool:
    """Whether a Parquet file lacks its end marker."""
    with Path(path).open("rb") as file:
        start = file.read(4)
        file.seek(max(0, file.seek(0, 2) - 4))
        return start == b"PAR1" and file.read(4) != b"PAR1"


def file_schema(file: File, schema: ArrowSchema) -> FileSchema:
    """Names and types of the columns, including those of folder names."""
    own = tuple((str(field.name), str(field.type)) for field in schema)
    known = {name for name, _ in own}
    return FileSchema(
        place=file.place, columns=(*own, *((key, "string") for key, _ in file.folder if key not in known))
    )


def _sizes(schema: ArrowSchema, rows: int, file: File) -> dict[str, int]:
    """Bytes that this many rows of each column take in memory, those of folder names included."""
    return column_bytes(schema, rows) | {key: rows * TEXT for key, _ in file.folder}


def _open_parquet(file: File) -> OpenedFile:
    import pyarrow.parquet as pq

    path = str(file.path)
    with naming_file(path, file.place, "parquet"), pq.ParquetFile(path) as footer:
        schema = footer.schema_arrow
        counts = [footer.metadata.row_group(at).num_rows for at in range(footer.num_row_groups)]
        chunks = _grouped(FileChunk(path=path, folder=file.folder, form="parquet", place=file.place), counts)
        return OpenedFile(chunks=chunks, schema=file_schema(file, schema), sizes=_sizes(schema, sum(counts), file))


def _open_arrow(file: File, head: bytes) -> OpenedFile:
    import pyarrow as pa

    path = str(file.path)
    is_file = head.startswith(b"ARROW1")
    opener = pa.ipc.open_file if is_file else pa.ipc.open_stream
    chunk = FileChunk(path=path, folder=file.folder, form="arrow" if is_file else "stream", place=file.place)
    with naming_file(path, file.place, "arrow"), pa.memory_map(path) as mapped:
        if not is_file:
            check_stream_end(mapped, file.place)
            mapped.seek(0)
        schema = opener(mapped).schema
        mapped.seek(0)
        batches = opener(mapped, options=pa.ipc.IpcReadOptions(included_fields=[0]))
        some = (batches.get_batch(at) for at in range(batches.num_record_batches)) if is_file else iter(batches)
        counts = [batch.num_rows for batch in some]
        return OpenedFile(
            chunks=_grouped(chunk, counts) if is_file else (replace(chunk, rows=sum(counts)),),
            schema=file_schema(file, schema),
            sizes=_sizes(schema, sum(counts), file),
        )


def _grouped(file: FileChunk, counts: Sequence[int]) -> tuple[FileChunk, ...]:
    """Neighbouring row groups, of which `counts` are the rows, as file chunks of about FILE_CHUNK_ROWS rows."""
    chunks: list[FileChunk] = []
    groups: list[int] = []
    first = rows = 0
    for at, count in enumerate(counts):
        if groups and rows + count > FILE_CHUNK_ROWS:
            chunks.append(replace(file, groups=tuple(groups), first=first, rows=rows))
            groups, first, rows = [], first + rows, 0
        groups.append(at)
        rows += count
    return (*chunks, replace(file, groups=tuple(groups), first=first, rows=rows))


def columns_in_file(file_chunk: FileChunk, names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Those of the columns that lie in the file itself; raise unless its folders name the others."""
    folder = {key for key, _ in file_chunk.folder}
    for name in columns:
        if name not in names and name not in folder:
            raise DataError(
                f"{file_chunk.place} has no column {name!r}; its columns are {names_listed(names)}",
                code="H106",
                fix="export that file again, or leave it out",
            )
    return [name for name in dict.fromkeys(columns) if name in names]


def as_chunk(
    file_chunk: FileChunk, batch: RecordBatch, columns: Sequence[str], first: int, *, decimal_comma: bool = False
) -> Chunk:
    """The rows with the requested columns, in that order."""
    import pyarrow as pa

    named = dict(file_chunk.folder)
    arrays = [
        batch.column(name) if name in batch.schema.names else _repeated(named[name], batch.num_rows)
        for name in dict.fromkeys(columns)
    ]
    rows = pa.RecordBatch.from_arrays(arrays, names=list(dict.fromkeys(columns)))
    return Chunk(batch=rows, place=file_chunk.place, first=first, decimal_comma=decimal_comma)


def _repeated(value: str | None, rows: int) -> ArrowArray:
    import numpy as np
    import pyarrow as pa

    if value is None:
        return pa.nulls(rows, pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([value]))


def _parquet_chunks(file_chunk: FileChunk, columns: Sequence[str], most: int) -> Iterator[Chunk]:
    import pyarrow.parquet as pq

    with naming_file(file_chunk.path, file_chunk.place, "parquet"):
        with pq.ParquetFile(file_chunk.path) as footer:
            about, schema = footer.metadata, footer.schema_arrow
        names = columns_in_file(file_chunk, schema.names, columns)
        groups = range(about.num_row_groups) if file_chunk.groups is None else file_chunk.groups
        first = file_chunk.first
        if not names:  # folder names give every column
            for at in groups:
                yield from _without_columns(file_chunk, columns, first, about.row_group(at).num_rows)
                first += about.row_group(at).num_rows
            return
        with pq.ParquetFile(
            file_chunk.path,
            metadata=about,
            read_dictionary=_dictionary_columns(about, schema, names, groups),
            pre_buffer=False,
            buffer_size=BUFFER,
            page_checksum_verification=True,
        ) as file:
            for batch in file.iter_batches(most, row_groups=list(groups), columns=names, use_threads=False):
                batch.validate(full=True)
                yield as_chunk(file_chunk, batch, columns, first)
                first += batch.num_rows


def _dictionary_columns(
    about: ParquetMetadata, schema: ArrowSchema, names: Sequence[str], groups: Sequence[int]
) -> list[str]:
    """Columns of text that the file stores with a short dictionary; read as dictionaries they are many times faster.

    A row of such a column takes less than three bytes.
    """
    import pyarrow.types as kinds

    if not groups:
        return []
    group = about.row_group(groups[0])
    chunks = {chunk.path_in_schema: chunk for chunk in map(group.column, range(group.num_columns))}
    return [
        name
        for name in names
        if kinds.is_string(schema.field(name).type)
        and name in chunks
        and chunks[name].total_uncompressed_size < 3 * group.num_rows
    ]


def _without_columns(file_chunk: FileChunk, columns: Sequence[str], first: int, rows: int) -> Iterator[Chunk]:
    import pyarrow as pa

    for start in range(0, rows, CHUNK_ROWS):
        count = min(CHUNK_ROWS, rows - start)
        batch = pa.RecordBatch.from_arrays([pa.nulls(count)], names=[""])
        yield as_chunk(file_chunk, batch, columns, first + start)


def _arrow_chunks(file_chunk: FileChunk, columns: Sequence[str], most: int) -> Iterator[Chunk]:
    import pyarrow as pa

    with naming_file(file_chunk.path, file_chunk.place, "arrow"), pa.memory_map(file_chunk.path) as mapped:
        stream = file_chunk.form == "stream"
        opener = pa.ipc.open_stream if stream else pa.ipc.open_file
        schema = opener(mapped).schema
        mapped.seek(0)
        names = columns_in_file(file_chunk, schema.names, columns)
        fields = [schema.get_field_index(name) for name in names] or [0]
        source = opener(mapped, options=pa.ipc.IpcReadOptions(included_fields=fields))
        groups = file_chunk.groups or ()
        batches = iter(source) if stream else (source.get_batch(at) for at in groups)
        first = file_chunk.first
        for batch in batches:
            batch.validate(full=True)
            for start in range(0, batch.num_rows, most):
                rows = batch.slice(start, most)
                yield as_chunk(file_chunk, rows, columns, first + start)
            first += batch.num_rows


def _delimited_chunks(file_chunk: FileChunk, columns: Sequence[str], most: int) -> Iterator[Chunk]:
    from heldout.inputs.chunked.delimited_chunks import delimited_chunks

    yield from delimited_chunks(file_chunk, columns, most)


READERS: dict[str, Callable[[FileChunk, Sequence[str], int], Iterator[Chunk]]] = {
    "parquet": _parquet_chunks,
    "arrow": _arrow_chunks,
    "stream": _arrow_chunks,
    "delimited": _delimited_chunks,
}
"""Format → the function that reads the rows of a file chunk."""
