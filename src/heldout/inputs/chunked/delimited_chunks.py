"""Comma, semicolon and tab separated files in chunks: a file is one file chunk, read block by block as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from heldout.errors import DataError
from heldout.inputs.chunked.chunked_table import Chunk, FileChunk, RecordBatch
from heldout.inputs.chunked.file_listing import File
from heldout.inputs.chunked.file_opening import OpenedFile, as_chunk, columns_in_file, file_schema, naming_file
from heldout.inputs.formats.compression import LONGEST, PIECE, compression_of, ending, naming, opened
from heldout.inputs.formats.delimited_text import (
    MARKS,
    check_header,
    check_lines,
    delimiter_of,
    header_line,
    header_names,
    read_text,
)
from heldout.inputs.limits import LINE, unpacked_most

BLOCK = LINE.most
"""Bytes that are parsed at a time, and that are searched for the header; no line may be longer."""
PACKED = 6
"""How many times larger a gzip file is when it is unpacked, about, where it does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line of a file."""

    names: tuple[str, ...]
    delimiter: str
    quotes: bool
    """Whether fields are quoted, so that they may contain line breaks."""
    compression: str | None
    blank: int = 0
    """Number of empty lines that come before."""


def open_delimited(file: File) -> OpenedFile:
    """Open a delimited text file as one file chunk; its number of rows is unknown until it is read."""
    import pyarrow as pa

    path = str(file.path)
    header = _read_header(path, file.place)
    schema = pa.schema([(name, pa.string()) for name in header.names])
    size = _unpacked_size(file.path, file.place, header.compression)
    each = size // len(header.names) + size // 8
    whole = FileChunk(path=path, folder=file.folder, form="delimited", place=file.place)
    sizes = dict.fromkeys(header.names, each)
    return OpenedFile(chunks=(whole,), schema=file_schema(file, schema), sizes=sizes)


def _unpacked_size(path: Path, place: str, compression: str | None) -> int:
    """Bytes of a file when it is unpacked: the last four of a gzip file say how many its last part has, about."""
    packed = path.stat().st_size
    if compression is None:
        return packed
    if compression != "gzip":  # it does not say, and may pack a thousand times: its bytes are counted
        with _naming_file(str(path), place, compression), _bytes_of(str(path), compression) as file:
            size, most = 0, unpacked_most(packed)
            while size <= most and (piece := file.read(PIECE)):
                size += len(piece)
            return size
    with path.open("rb") as file:
        file.seek(max(0, packed - 4))
        return max(PACKED * packed, int.from_bytes(file.read(4), "little"))


class NotInChunksError(DataError):
    """A file whose form can only be read whole."""


def _read_header(path: str, place: str) -> Header:
    compression = _compression(path, place)
    with _naming_file(path, place, compression), _bytes_of(path, compression) as file:
        start = file.read(BLOCK)
    for mark, encoding in MARKS:
        if start.startswith(mark) and encoding != "utf-8":
            raise NotInChunksError(
                f"{place} is encoded as {encoding.upper()}, which cannot be read in chunks",
                code="H100",
                fix="save the file in UTF-8 encoding, or as Parquet",
            )
    whole = read_text(start, place)
    text = whole.lstrip(b"\r\n")
    before = whole[: len(whole) - len(text)].replace(b"\r\n", b"\n")
    if text.lstrip()[:1] == b"{":
        raise NotInChunksError(
            f"{place} holds JSON lines, which cannot be read in chunks",
            code="H100",
            fix="write the rows as Parquet or CSV",
        )
    first = header_line(text)
    if len(first) == len(start) == BLOCK:
        LINE.check(BLOCK + 1, place)
    delimiter = delimiter_of(first, tab=ending(place) in (".tsv", ".tab"))
    check_header(text, delimiter, place)
    return Header(
        names=tuple(header_names(text, delimiter)),
        delimiter=delimiter,
        quotes=b'"' in text,
        compression=compression,
        blank=before.count(b"\n") + before.count(b"\r"),
    )


def _compression(path: str, place: str) -> str | None:
    with naming_file(path, place, "CSV"), Path(path).open("rb") as file:
        return compression_of(file.read(LONGEST))


@contextmanager
def _bytes_of(path: str, compression: str | None) -> Iterator[IO[bytes]]:
    """The unpacked bytes of a file."""
    with Path(path).open("rb") as plain:
        if compression is None:
            yield plain
        else:
            with opened(plain, compression) as file:
                yield file


@contextmanager
def _naming_file(path: str, place: str, compression: str | None) -> Iterator[None]:
    """Turn whatever is wrong with the bytes of a file into an error that names it."""
    with naming_file(path, place, "CSV"), naming(place, compression):
        yield


def delimited_chunks(file_chunk: FileChunk, columns: Sequence[str], most: int) -> Iterator[Chunk]:
    """Read the rows of a delimited text file, some at a time; all values stay text."""
    import pyarrow as pa

    header = _read_header(file_chunk.path, file_chunk.place)
    names = columns_in_file(file_chunk, header.names, columns)
    first = 0
    with _naming_file(file_chunk.path, file_chunk.place, header.compression):
        try:
            with _bytes_of(file_chunk.path, header.compression) as file:
                for batch in _batches(file, header, [header.names.index(name) for name in names] or [0]):
                    rows = pa.RecordBatch.from_arrays(batch.columns[: len(names)] or batch.columns, names=names or [""])
                    for start in range(0, rows.num_rows, most):
                        some = rows.slice(start, most)
                        yield as_chunk(file_chunk, some, columns, first + start, decimal_comma=header.delimiter == ";")
                    first += rows.num_rows
        except pa.ArrowException as error:
            _diagnose(file_chunk, header)
            if "straddl" in str(error):
                with _bytes_of(file_chunk.path, header.compression) as file:
                    LINE.check(max(map(len, file)), file_chunk.place)
            raise DataError(
                f"{file_chunk.place} cannot be read as a table: {str(error).splitlines()[0]}",
                code="H100",
                fix="export the file again",
            ) from error


def _batches(file: IO[bytes], header: Header, at: Sequence[int]) -> Iterator[RecordBatch]:
    """Read some columns as text, by position: equal names in the header stay two columns."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    numbered = [str(position) for position in range(len(header.names))]
    wanted = [str(position) for position in at]
    try:
        return arrow_csv.open_csv(
            pa.PythonFile(file, mode="r"),
            read_options=arrow_csv.ReadOptions(
                column_names=numbered, skip_rows=header.blank, skip_rows_after_names=1, block_size=BLOCK
            ),
            parse_options=arrow_csv.ParseOptions(delimiter=header.delimiter, newlines_in_values=header.quotes),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(wanted, pa.string()), include_columns=wanted
            ),
        )
    except pa.ArrowInvalid as error:
        if "Empty CSV" in str(error):
            return iter(())
        raise


def _diagnose(file_chunk: FileChunk, header: Header) -> None:
    """Go through the text line by line and raise what is wrong with it; return if nothing is found."""
    with _bytes_of(file_chunk.path, header.compression) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            check_lines(csv.reader(text, delimiter=header.delimiter, strict=True), file_chunk.place)
        except UnicodeDecodeError as error:
            raise DataError(
                f"{file_chunk.place} cannot be decoded: byte 0x{error.object[error.start]:02x} is not valid in the "
                "encoding UTF-8",
                code="H100",
                fix="save the file in UTF-8 encoding (from Latin-1: iconv -f latin1 -t utf-8)",
            ) from error
