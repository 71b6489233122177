"""Parquet and Arrow files: how they begin, their table, and how much memory it takes."""

from __future__ import annotations

from typing import Any

from heldout.errors import DataError
from heldout.inputs.formats.arrow_memory import parsed
from heldout.inputs.limits import MEMORY, check_memory, check_names

TEXT = 16
"""Bytes that a text takes in memory, about."""
ArrowSchema = Any
"""A `pyarrow.Schema`; pyarrow ships no types."""


def column_bytes(schema: ArrowSchema, rows: int) -> dict[str, int]:
    """Bytes that this many rows of each column take in memory, roughly.

    >>> import pyarrow as pa
    >>> column_bytes(pa.schema([("score", pa.float64()), ("name", pa.string())]), 10)
    {'score': 80, 'name': 160}
    """
    return {str(field.name): rows * _width(field.type) for field in schema}


def _width(kind: ArrowSchema) -> int:
    try:
        return max(1, int(kind.bit_width) // 8)
    except ValueError:
        return TEXT


def binary_table(data: bytes, place: str, known: str) -> Any:
    """Parse the Arrow table in a binary file, and validate its buffers."""
    import pyarrow as pa

    try:
        table = parsed(_parquet, data, place=place) if known == "parquet" else _arrow(data, place)
        check_names(table.column_names, place)
        table.validate(full=True)
    except DataError:
        raise
    except MemoryError as error:
        raise out_of_memory(place) from error
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        cut = known == "parquet" and data.startswith(b"PAR1") and not data.endswith(b"PAR1")
        raise broken_file(place, known, error, cut=cut) from error
    return table


def binary_schema(data: bytes) -> ArrowSchema | None:
    """The schema of a Parquet or Arrow file that was read before, with its metadata; None of another file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if data.startswith(b"PAR1"):
        return pq.read_schema(pa.BufferReader(data))
    if data.startswith(b"ARROW1"):
        return pa.ipc.open_file(pa.BufferReader(data)).schema
    return pa.ipc.open_stream(pa.BufferReader(data)).schema if data.startswith(b"\xff\xff\xff\xff") else None


def out_of_memory(place: str) -> DataError:
    """The error for a file whose rows, or whose damaged sizes, ask for more memory than there is."""
    return DataError(f"{place} needs more memory than there is, or is damaged", code="H115", fix=MEMORY.fix)


def broken_file(place: str, known: str, error: Exception, *, cut: bool = False) -> DataError:
    """The error for a file that is not of the format it claims, is truncated, or has text that is not UTF-8."""
    if "UTF8" in str(error) or isinstance(error, UnicodeDecodeError):
        text = f"{place} holds text that is not UTF-8"
        return DataError(text, code="H100", fix="export it again with text in UTF-8 encoding")
    wrong = f"is truncated: the end marker of a {known} file is missing" if cut else f"is not a valid {known} file"
    again = f"export it as {known} again, or give the file the suffix of its format"
    return DataError(f"{place} {wrong}", code="H100", fix="copy or export the file again" if cut else again)


def _parquet(source: Any, place: str) -> Any:
    import pyarrow.parquet as pq

    with pq.ParquetFile(source) as file:
        check_memory(sum(column_bytes(file.schema_arrow, file.metadata.num_rows).values()), place)
        return file.read()


def _arrow(data: bytes, place: str) -> Any:
    import pyarrow as pa

    source = pa.BufferReader(data)
    if data.startswith(b"ARROW1"):
        return pa.ipc.open_file(source).read_all()
    check_stream_end(source, place)
    source.seek(0)
    return pa.ipc.open_stream(source).read_all()


def check_stream_end(source: Any, place: str) -> None:
    """Raise if a stream does not end with its marker: Arrow takes one that was cut between two batches for whole."""
    import pyarrow as pa

    messages = pa.ipc.MessageReader.open_stream(source)
    end = source.tell()
    for _ in messages:
        end = source.tell()
    if source.tell() == end:
        text = f"{place} is truncated: the end marker of its Arrow stream is missing"
        raise DataError(text, code="H100", fix="copy or export the file again, and close its writer")
    if source.read(1):
        text = f"{place} goes on after the end marker of its Arrow stream, and what follows would not be read"
        raise DataError(text, code="H100", fix="write one stream to a file, and name several files")
