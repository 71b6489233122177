"""Comma, semicolon and tab separated files in parts: a file is one part, read block by block as text."""

from __future__ import annotations

import codecs
import csv
import gzip
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from heldout.errors import DataError
from heldout.inputs.chunked.chunked_table import Part, Piece
from heldout.inputs.chunked.file_listing import File
from heldout.inputs.chunked.file_opening import Opened, chosen, outlined, piece, reading
from heldout.inputs.formats.delimited import MARKS, delimiter_of, gone_through, header, read_text

HEAD = 1 << 22
"""So many bytes are looked at for the header."""
BLOCK = 1 << 23
"""So many bytes are parsed at a time; no line may be longer."""
ZIPPED = 6
"""About so many times smaller a file is when it is zipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What the first line of a file says."""

    names: tuple[str, ...]
    delimiter: str
    quotes: bool
    """Whether fields are quoted, so that they may hold line ends."""
    zipped: bool
    blank: int = 0
    """How many empty lines come before."""


def delimited(file: File) -> Opened:
    """A file of text lines as one part: how many rows it has is known when it has been read."""
    import pyarrow as pa

    path = str(file.path)
    head = _head(path, file.place)
    schema = pa.schema([(name, pa.string()) for name in head.names])
    size = file.path.stat().st_size * (ZIPPED if head.zipped else 1)
    each = size // len(head.names) + size // 8
    part = Part(path=path, folder=file.folder, form="delimited", place=file.place)
    return Opened(parts=(part,), outline=outlined(file, schema), sizes=dict.fromkeys(head.names, each))


def _head(path: str, place: str) -> Head:
    with _sound(path, place), _bytes_of(path) as (file, zipped):
        start = file.read(HEAD)
    for mark, encoding in MARKS:
        if start.startswith(mark) and encoding != "utf-8":
            raise DataError(
                f"{place} is written in {encoding.upper()}, which is not read in parts",
                code="H100",
                fix="save the file in UTF-8 encoding, or as Parquet",
            )
    whole = read_text(start, place)
    text = whole.lstrip(b"\r\n")
    before = whole[: len(whole) - len(text)].replace(b"\r\n", b"\n")
    if text.lstrip()[:1] == b"{":
        raise DataError(
            f"{place} holds JSON lines, which are not read in parts",
            code="H100",
            fix="write the rows as Parquet or CSV, or read the file as a whole (--memory, memory=)",
        )
    first = text.split(b"\n", 1)[0].split(b"\r", 1)[0].decode("utf-8", "replace")
    delimiter = delimiter_of(first, tab=place.lower().removesuffix(".gz").endswith((".tsv", ".tab")))
    return Head(
        names=tuple(header(text, delimiter)),
        delimiter=delimiter,
        quotes=b'"' in text,
        zipped=zipped,
        blank=before.count(b"\n") + before.count(b"\r"),
    )


@contextmanager
def _bytes_of(path: str) -> Iterator[tuple[IO[bytes], bool]]:
    """The bytes of a file, unzipped, and whether they were zipped."""
    with open(path, "rb") as plain:  # noqa: PTH123 - what is opened may be wrapped
        zipped = plain.read(2) == b"\x1f\x8b"
        plain.seek(0)
        if not zipped:
            yield plain, False
        else:
            with gzip.open(plain) as opened:
                yield opened, True  # type: ignore[misc]


@contextmanager
def _sound(path: str, place: str) -> Iterator[None]:
    """Whatever is wrong with the bytes of a zipped file, as an error that names it."""
    with reading(path, place, "CSV"):
        try:
            yield
        except EOFError as error:
            raise DataError(
                f"{place} is truncated: the gzip stream ends before its end mark",
                code="H100",
                fix="copy the file again",
            ) from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise DataError(
                f"{place} is not a sound gzip file: {error}", code="H100", fix="copy the file again"
            ) from error


def delimited_pieces(part: Part, columns: Sequence[str], most: int) -> Iterator[Piece]:
    """The rows of a file of text lines, some at a time; every value stays text, so that nothing is guessed."""
    import pyarrow as pa

    head = _head(part.path, part.place)
    names = chosen(part, head.names, columns)
    first = 0
    with _sound(part.path, part.place):
        try:
            with _bytes_of(part.path) as (file, _):
                for batch in _batches(file, head, [head.names.index(name) for name in names] or [0]):
                    rows = pa.RecordBatch.from_arrays(batch.columns[: len(names)] or batch.columns, names=names or [""])
                    for start in range(0, rows.num_rows, most):
                        some = rows.slice(start, most)
                        yield piece(part, some, columns, first + start, decimal_comma=head.delimiter == ";")
                    first += rows.num_rows
        except pa.ArrowException as error:
            _diagnosed(part, head)
            raise DataError(
                f"{part.place} cannot be read as a table: {str(error).splitlines()[0]}",
                code="H100",
                fix="export the file again",
            ) from error


def _batches(file: IO[bytes], head: Head, at: Sequence[int]) -> Any:
    """Some columns as text, by their position: equal names in the header stay two columns."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    numbered = [str(position) for position in range(len(head.names))]
    wanted = [str(position) for position in at]
    try:
        return arrow_csv.open_csv(
            pa.PythonFile(file, mode="r"),
            read_options=arrow_csv.ReadOptions(
                column_names=numbered, skip_rows=head.blank, skip_rows_after_names=1, block_size=BLOCK
            ),
            parse_options=arrow_csv.ParseOptions(delimiter=head.delimiter, newlines_in_values=head.quotes),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(wanted, pa.string()), include_columns=wanted
            ),
        )
    except pa.ArrowInvalid as error:
        if "Empty CSV" in str(error):
            return iter(())
        raise


def _diagnosed(part: Part, head: Head) -> None:
    """Raise what is wrong with the text, by going through it line by line; return where nothing is found."""
    with _bytes_of(part.path) as (file, _):
        decoder = codecs.getreader("utf-8")(file)
        try:
            gone_through(csv.reader(decoder, delimiter=head.delimiter, strict=True), part.place)
        except UnicodeDecodeError as error:
            raise DataError(
                f"{part.place} cannot be decoded: byte 0x{error.object[error.start]:02x} does not belong to the "
                "encoding UTF-8",
                code="H100",
                fix="save the file in UTF-8 encoding (from Latin-1: iconv -f latin1 -t utf-8)",
            ) from error
