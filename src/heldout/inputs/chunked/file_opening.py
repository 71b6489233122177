"""Files opened for reading in parts: what their foot or head says, and their rows some at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heldout.errors import DataError
from heldout.inputs.chunked.chunked_table import PART, PIECE, Outline, Part, Piece
from heldout.inputs.chunked.file_listing import File
from heldout.inputs.formats.files import FORMATS, broken, empty
from heldout.inputs.wording import names_listed

BUFFER = 1 << 20
"""So many bytes of a column are read at a time: a row group may be larger than memory."""
TEXT = 16
"""About so many bytes a text takes in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The parts of a file, its columns, and what they take in memory."""

    parts: tuple[Part, ...]
    outline: Outline
    sizes: Mapping[str, int]


def opened(file: File) -> Opened:
    """What can be told about a file without reading its rows."""
    with reading(str(file.path), file.place, "table"), file.path.open("rb") as start:
        head = start.read(8)
    if not head:
        raise empty(file.place)
    suffix = [name.lower() for name in file.path.suffixes if name.lower() != ".gz"][-1:]
    for form, (magic, suffixes) in FORMATS.items():
        if any(head.startswith(mark) for mark in magic) or (suffix and suffix[0] in suffixes):
            return _parquet(file) if form == "parquet" else _arrow(file, head)
    from heldout.inputs.chunked.delimited_chunks import delimited

    return delimited(file)


@contextmanager
def reading(path: str, place: str, form: str) -> Iterator[None]:
    """Whatever goes wrong while a file is read, as an error that names it."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError as error:
        raise DataError(
            f"{place} is no longer there: {path}", code="H100", fix="leave the files alone while they are read"
        ) from error
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError, MemoryError) as error:
        if isinstance(error, DataError):
            raise
        if isinstance(error, PermissionError):
            raise DataError(
                f"{path!r} cannot be read: {error.strerror}", code="H100", fix="name a readable file"
            ) from error
        raise broken(place, form, cut=form == "parquet" and _cut_off(path)) from error


def _cut_off(path: str) -> bool:
    """Whether a Parquet file lacks the mark it ends with."""
    with Path(path).open("rb") as file:
        start = file.read(4)
        file.seek(max(0, file.seek(0, 2) - 4))
        return start == b"PAR1" and file.read(4) != b"PAR1"


def outlined(file: File, schema: Any) -> Outline:
    """Names and types of the columns, those of folders included."""
    own = tuple((str(field.name), str(field.type)) for field in schema)
    known = {name for name, _ in own}
    return Outline(place=file.place, columns=(*own, *((key, "string") for key, _ in file.folder if key not in known)))


def sized(schema: Any, rows: int, folder: Sequence[tuple[str, Any]] = ()) -> dict[str, int]:
    """Bytes that so many rows of each column take in memory, roughly."""
    sizes = {str(field.name): rows * _width(field.type) for field in schema}
    return sizes | {key: rows * TEXT for key, _ in folder}


def _width(kind: Any) -> int:
    try:
        return max(1, int(kind.bit_width) // 8)
    except ValueError:
        return TEXT


def _parquet(file: File) -> Opened:
    import pyarrow.parquet as pq

    path = str(file.path)
    with reading(path, file.place, "parquet"), pq.ParquetFile(path) as foot:
        schema = foot.schema_arrow
        counts = [foot.metadata.row_group(at).num_rows for at in range(foot.num_row_groups)]
    parts = _gathered(Part(path=path, folder=file.folder, form="parquet", place=file.place), counts)
    return Opened(parts=parts, outline=outlined(file, schema), sizes=sized(schema, sum(counts), file.folder))


def _arrow(file: File, head: bytes) -> Opened:
    import pyarrow as pa

    path = str(file.path)
    part = Part(path=path, folder=file.folder, form="stream", place=file.place)
    with reading(path, file.place, "arrow"), pa.memory_map(path) as mapped:
        if not head.startswith(b"ARROW1"):
            schema = pa.ipc.open_stream(mapped).schema
            return Opened(
                parts=(part,), outline=outlined(file, schema), sizes=_shared_out(schema, file.path.stat().st_size)
            )
        none = pa.ipc.IpcReadOptions(included_fields=[0])
        batches = pa.ipc.open_file(mapped, options=none)
        schema = pa.ipc.open_file(mapped).schema
        counts = [batches.get_batch(at).num_rows for at in range(batches.num_record_batches)]
    parts = _gathered(Part(path=path, folder=file.folder, form="arrow", place=file.place), counts)
    return Opened(parts=parts, outline=outlined(file, schema), sizes=sized(schema, sum(counts), file.folder))


def _shared_out(schema: Any, size: int) -> dict[str, int]:
    """Bytes of a file whose rows are not known, shared out by the width of its columns."""
    widths = sized(schema, 1)
    return {name: size * width // max(1, sum(widths.values())) for name, width in widths.items()}


def _gathered(file: Part, counts: Sequence[int]) -> tuple[Part, ...]:
    """Neighbouring groups of rows put together to parts of some size."""
    parts: list[Part] = []
    groups: list[int] = []
    first = rows = 0
    for at, count in enumerate(counts):
        if groups and rows + count > PART:
            parts.append(_part(file, groups, first, rows))
            groups, first, rows = [], first + rows, 0
        groups.append(at)
        rows += count
    return (*parts, _part(file, groups, first, rows))


def _part(file: Part, groups: Sequence[int], first: int, rows: int) -> Part:
    return Part(
        path=file.path,
        groups=tuple(groups),
        first=first,
        rows=rows,
        folder=file.folder,
        form=file.form,
        place=file.place,
    )


def chosen(part: Part, names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Those of the columns that lie in the file; the others must be named by its folders."""
    folder = {key for key, _ in part.folder}
    for name in columns:
        if name not in names and name not in folder:
            raise DataError(
                f"{part.place} has no column {name!r}; its columns are {names_listed(names)}",
                code="H106",
                fix="export that file again, or leave it out",
            )
    return [name for name in dict.fromkeys(columns) if name in names]


def piece(part: Part, batch: Any, columns: Sequence[str], first: int, *, decimal_comma: bool = False) -> Piece:
    """The rows with the columns asked for, in that order."""
    import pyarrow as pa

    named = dict(part.folder)
    arrays = [
        batch.column(name) if name in batch.schema.names else _repeated(named[name], batch.num_rows)
        for name in dict.fromkeys(columns)
    ]
    rows = pa.RecordBatch.from_arrays(arrays, names=list(dict.fromkeys(columns)))
    return Piece(batch=rows, place=part.place, first=first, decimal_comma=decimal_comma)


def _repeated(value: str | None, rows: int) -> Any:
    import numpy as np
    import pyarrow as pa

    if value is None:
        return pa.nulls(rows, pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([value]))


def _parquet_pieces(part: Part, columns: Sequence[str], most: int) -> Iterator[Piece]:
    import pyarrow.parquet as pq

    with reading(part.path, part.place, "parquet"):
        with pq.ParquetFile(part.path) as foot:
            about, schema = foot.metadata, foot.schema_arrow
        names = chosen(part, schema.names, columns)
        groups = range(about.num_row_groups) if part.groups is None else part.groups
        first = part.first
        if not names:  # every column comes from folder names
            for at in groups:
                yield from _unread(part, columns, first, about.row_group(at).num_rows)
                first += about.row_group(at).num_rows
            return
        with pq.ParquetFile(
            part.path,
            metadata=about,
            read_dictionary=_few_words(about, schema, names, groups),
            pre_buffer=False,
            buffer_size=BUFFER,
            page_checksum_verification=True,
        ) as file:
            for batch in file.iter_batches(most, row_groups=list(groups), columns=names, use_threads=False):
                yield piece(part, batch, columns, first)
                first += batch.num_rows


def _few_words(about: Any, schema: Any, names: Sequence[str], groups: Sequence[int]) -> list[str]:
    """Columns of text that lie in the file as positions in a short dictionary, where a row takes few bytes.

    Read as such, they are read many times faster.
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


def _unread(part: Part, columns: Sequence[str], first: int, rows: int) -> Iterator[Piece]:
    import pyarrow as pa

    for start in range(0, rows, PIECE):
        count = min(PIECE, rows - start)
        batch = pa.RecordBatch.from_arrays([pa.nulls(count)], names=[""])
        yield piece(part, batch, columns, first + start)


def _arrow_pieces(part: Part, columns: Sequence[str], most: int) -> Iterator[Piece]:
    import pyarrow as pa

    with reading(part.path, part.place, "arrow"), pa.memory_map(part.path) as mapped:
        stream = part.form == "stream"
        opener = pa.ipc.open_stream if stream else pa.ipc.open_file
        schema = opener(mapped).schema
        mapped.seek(0)
        names = chosen(part, schema.names, columns)
        fields = [schema.get_field_index(name) for name in names] or [0]
        source = opener(mapped, options=pa.ipc.IpcReadOptions(included_fields=fields))
        groups = part.groups or ()
        batches = iter(source) if stream else (source.get_batch(at) for at in groups)
        first = part.first
        for batch in batches:
            batch.validate(full=True)
            for start in range(0, batch.num_rows, most):
                rows = batch.slice(start, most)
                yield piece(part, rows, columns, first + start)
            first += batch.num_rows


def _delimited_pieces(part: Part, columns: Sequence[str], most: int) -> Iterator[Piece]:
    from heldout.inputs.chunked.delimited_chunks import delimited_pieces

    yield from delimited_pieces(part, columns, most)


READERS: dict[str, Callable[[Part, Sequence[str], int], Iterator[Piece]]] = {
    "parquet": _parquet_pieces,
    "arrow": _arrow_pieces,
    "stream": _arrow_pieces,
    "delimited": _delimited_pieces,
}
