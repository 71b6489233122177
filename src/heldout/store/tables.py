"""Tables as Parquet bytes that depend on nothing but the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.errors import UsageError

GROUP = 1 << 16
"""Rows of a row group."""
SAME = {
    "compression": "zstd",
    "compression_level": 3,
    "row_group_size": GROUP,
    "version": "2.6",
    "data_page_version": "1.0",
    "use_dictionary": True,
    "write_statistics": True,
    "store_schema": True,
}
"""What is fixed, so that the same table is the same bytes."""


def as_table(given: Any) -> Any:
    """An Arrow table of columns by name; what a library hung onto it, such as its version, is left out."""
    import pyarrow as pa

    if isinstance(given, Mapping):
        try:
            given = pa.table(dict(given))
        except (pa.ArrowException, TypeError, ValueError) as problem:
            fix = "give one column of one kind per name, all of the same length"
            raise UsageError(f"a piece is no table: {' '.join(str(problem).split())}", fix=fix) from None
    if not isinstance(given, pa.Table):
        fix = "give columns by name or a pyarrow Table"
        raise UsageError(f"a piece is a table, but this is a {type(given).__name__}", fix=fix)
    bare = pa.schema([pa.field(field.name, field.type) for field in given.schema])
    return given.cast(bare).replace_schema_metadata(None).combine_chunks()


def parquet_of(table: Any) -> bytes:
    """The table as Parquet: fixed compression, row groups and order, no time, no machine.

    >>> parquet_of(as_table({"a": [1, 2]})) == parquet_of(as_table({"a": [1, 2]}))
    True
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **SAME)
    return sink.getvalue().to_pybytes()


def table_of(data: bytes) -> Any:
    """The table in Parquet bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False).replace_schema_metadata(None)
