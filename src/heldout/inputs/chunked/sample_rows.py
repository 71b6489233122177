"""The few rows of a chunked table or lazy frame from which the meaning of its columns is inferred."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from typing import Any, Unpack

from heldout.errors import DataError
from heldout.inputs.checks.group_hint import GROUP_NAMES, group_hint
from heldout.inputs.checks.long_format import ID_NAMES, MODEL_NAMES, refuse_stacked_models, several_models
from heldout.inputs.chunked.chunked_table import (
    CHUNK_ROWS,
    Chunk,
    ChunkedTable,
    check_columns,
    read_chunks,
    same_in_all_files,
)
from heldout.inputs.columns.role_columns import RoleColumns, role_columns
from heldout.inputs.formats.files import Table
from heldout.inputs.formats.frames import LAZY_PLACES, LazyFrame
from heldout.inputs.read_table import column_options
from heldout.inputs.reading import Check, ReadOptions


def duckdb_chunks(frame: Any, columns: Sequence[str]) -> Iterator[Chunk]:
    """Read the rows of a DuckDB relation, some at a time."""
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in dict.fromkeys(columns))
    chosen = frame.project(quoted)
    # older versions of DuckDB have fetch_record_batch only
    stream = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_record_batch
    first = 0
    for batch in stream(CHUNK_ROWS):
        yield Chunk(batch=batch, place=LAZY_PLACES["duckdb"], first=first)
        first += batch.num_rows


def partition_chunk(rows: Any, columns: Sequence[str], place: str, first: int = 0) -> Chunk:
    """A partition of a frame (an Arrow batch or table, or a pandas frame) as a chunk."""
    import pyarrow as pa

    if not isinstance(rows, (pa.RecordBatch, pa.Table)):
        rows = pa.Table.from_pandas(rows[list(columns)], preserve_index=False)
    if isinstance(rows, pa.Table):
        rows = rows.combine_chunks()
        batches = rows.to_batches()
        rows = batches[0] if batches else pa.RecordBatch.from_pylist([], schema=rows.schema)
    return Chunk(batch=rows.select(list(columns)), place=place, first=first)


def first_rows(source: LazyFrame, columns: Sequence[str], rows: int) -> list[Chunk]:
    """The first rows of a frame."""
    names = list(dict.fromkeys(columns))
    if source.kind == "duckdb":
        chunks = list(duckdb_chunks(source.frame.limit(rows), names))
    elif source.kind == "spark":
        limited = source.frame.select(*["`" + name.replace("`", "``") + "`" for name in names]).limit(rows)
        head = limited.toArrow() if hasattr(limited, "toArrow") else limited.toPandas()
        chunks = [partition_chunk(head, names, source.place)]
    else:
        chunks = [partition_chunk(source.frame[names].head(rows, npartitions=-1), names, source.place)]
    if not any(chunk.batch.num_rows for chunk in chunks):
        raise DataError(f"{source.place} has no rows", code="H112", fix="check the query")
    return chunks


HEAD = 1 << 16
"""Rows that are read at the start of the table."""
ELSEWHERE = 16
"""Number of other file chunks, spread over the table, that are sampled."""
GLANCE = 1 << 11
"""Rows that are read from each of them."""
Checks = tuple[Check, ...]
ArrowTable = Any
"""A `pyarrow.Table`; pyarrow ships no types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRows:
    """The first rows of a table, some from elsewhere, and any that showed something new in a later pass."""

    place: str
    """Name of the table in messages."""
    names: tuple[str, ...]
    """All columns of the table."""
    chunks: tuple[Chunk, ...]
    of: float = inf
    """Number of rows of the table; infinite if it is not known before the table is read."""
    source: ChunkedTable | None = None
    """Where more rows can be found."""

    def plus(self, chunks: Sequence[Chunk]) -> SampleRows:
        """Add rows that showed something new (`Facts.new_rows`)."""
        return replace(self, chunks=(*self.chunks, *chunks))


def columns_by_name(names: Sequence[str], place: str, options: ReadOptions) -> RoleColumns:
    """The role of every column, from the header alone: the columns have names and no rows."""
    header = Table(place=place, names=tuple(names), raw=(None,) * len(names))
    return role_columns(header, **column_options(options))


def columns_needed(
    source: ChunkedTable | LazyFrame, *, with_id: bool = True, **options: Unpack[ReadOptions]
) -> tuple[str, ...]:
    """The columns that have a role under these options of `read`; raise if a file lacks one, or differs in its type.

    The id column is needed only where units are drawn by their id (`with_id`).
    """
    roles = columns_by_name(source.names, source.place, options)
    units = [column.name for column in (roles.group, roles.id if with_id else None) if column is not None]
    segments = [column.name for column in roles.segments]
    values = [*roles.truth, *roles.prediction, roles.score, *roles.classes.values(), roles.weight]
    values += [roles.time, roles.series]
    columns = tuple(dict.fromkeys((*(column.name for column in values if column is not None), *units, *segments)))
    if isinstance(source, ChunkedTable):
        check_columns(source, columns, exact=(*units, *segments))
    return columns


def load_chunks(source: ChunkedTable, columns: Sequence[str]) -> Table:
    """Load the rows of all chunks into one table for `read`; rows are numbered through the files.

    Leaves out columns that some file lacks, has twice, or has with another type; `columns_needed` has checked those
    that have a role.
    """
    import pyarrow as pa

    names = [name for name in dict.fromkeys(columns) if same_in_all_files(source, name)]
    chunks = [chunk for file_chunk in source.file_chunks for chunk in read_chunks(file_chunk, names)]
    tables = [_plain_types(pa.Table.from_batches([chunk.batch])) for chunk in chunks]
    whole = pa.concat_tables(tables, promote_options="permissive")
    return Table(
        place=source.place,
        names=tuple(whole.schema.names),
        raw=tuple(whole.columns),
        decimal_comma=any(chunk.decimal_comma for chunk in chunks),
    )


def checks_beside_roles(source: ChunkedTable | LazyFrame, columns: Sequence[str], options: ReadOptions) -> Checks:
    """What columns without a role tell: stacked models are refused and forgotten groups mentioned, as in memory.

    Of a table too large for the sample, several models are mentioned. Lazy frames are not asked a second time.
    """
    if isinstance(source, LazyFrame):
        return ()
    patterns = (GROUP_NAMES, MODEL_NAMES, ID_NAMES)
    beside = [
        name
        for name in source.names
        if name not in columns
        and any(pattern.fullmatch(text) for pattern in patterns for text in (name.strip(), name.strip().lower()))
        and same_in_all_files(source, name)
    ]
    if not beside:
        return ()
    sample = sample_rows(source, (*columns, *beside))
    rows = sample_table(sample)
    roles = role_columns(rows, **column_options(options))
    if sum(chunk.batch.num_rows for chunk in sample.chunks) < sample.of:
        return (*several_models(rows, roles), *group_hint(rows, roles))
    refuse_stacked_models(rows, roles)
    return group_hint(rows, roles)


def sample_rows(source: ChunkedTable | LazyFrame, columns: Sequence[str]) -> SampleRows:
    """Read the first rows of a table, and some from other file chunks spread over it; all rows of a small table."""
    if isinstance(source, LazyFrame):
        head = first_rows(source, columns, HEAD)
        count = sum(chunk.batch.num_rows for chunk in head)
        of = count if count < HEAD else inf
        return SampleRows(place=source.place, names=source.names, chunks=tuple(head), of=of)
    chunks: list[Chunk] = []
    rows = 0
    file_chunks = iter(source.file_chunks)
    for file_chunk in file_chunks:
        for chunk in read_chunks(file_chunk, columns, HEAD):
            chunks.append(_first(chunk, HEAD - rows))
            rows += chunks[-1].batch.num_rows
            if rows >= HEAD:
                break
        if rows >= HEAD:
            break
    else:
        if not rows:
            raise DataError(f"{source.place} has no rows", code="H112", fix="export the predictions again")
        return SampleRows(place=source.place, names=source.names, chunks=tuple(chunks), of=rows)
    left = list(file_chunks)
    spread = sorted({(len(left) - 1) * step // ELSEWHERE for step in range(ELSEWHERE + 1)}) if left else []
    chunks += [_first(chunk, GLANCE) for at in spread for chunk in islice(read_chunks(left[at], columns, GLANCE), 1)]
    return SampleRows(
        place=source.place, names=source.names, chunks=tuple(chunks), of=source.rows or inf, source=source
    )


def _first(chunk: Chunk, rows: int) -> Chunk:
    return replace(chunk, batch=chunk.batch.slice(0, rows))


def sample_table(rows: SampleRows) -> Table:
    """The sample rows as a table with all names; columns that were not read have no values."""
    import pyarrow as pa

    tables = [_plain_types(pa.Table.from_batches([chunk.batch])) for chunk in rows.chunks]
    whole = pa.concat_tables(tables, promote_options="permissive")
    read = set(whole.schema.names)
    # an id that is not needed was not read, and must not be found by its name
    names = [name for name in rows.names if name in read or name.strip().lower() != "id"]
    return Table(
        place=rows.place,
        names=tuple(names),
        raw=tuple(whole.column(name) if name in read else None for name in names),
        decimal_comma=any(chunk.decimal_comma for chunk in rows.chunks),
    )


def _plain_types(table: ArrowTable) -> ArrowTable:
    """Decode dictionaries, which differ from chunk to chunk, and convert exact decimals to floats."""
    import pyarrow as pa
    import pyarrow.types as kinds

    for at, field in enumerate(table.schema):
        if kinds.is_dictionary(field.type):
            table = table.set_column(at, field.name, table.column(at).cast(field.type.value_type))
        elif kinds.is_decimal(field.type):
            table = table.set_column(at, field.name, table.column(at).cast(pa.float64()))
    return table
