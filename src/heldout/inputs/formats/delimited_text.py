"""Comma, semicolon and tab separated text: Arrow reads it; only if that fails, each line is checked for the error."""

from __future__ import annotations

import codecs
import csv
import io
from typing import TYPE_CHECKING

from heldout.errors import DataError
from heldout.inputs.columns.column_values import ArrowArray
from heldout.inputs.formats.arrow_memory import parsed
from heldout.inputs.limits import COLUMNS, LABEL, check_names
from heldout.inputs.message_text import quoted

if TYPE_CHECKING:
    from _csv import Reader as CsvReader

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks, the longer ones before the shorter ones they start with."""


def read_text(data: bytes, place: str) -> bytes:
    """The bytes as UTF-8 without a byte order mark; UTF-16 and UTF-32 are recognised by theirs."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            data = data[len(mark) :] if encoding == "utf-8" else decoded(data, encoding, place).encode("utf-8")
            break
    if b"\0" in data:
        decoded(data, "utf-8", place)
        raise nul_byte(data, place, fix="export the file again as CSV in UTF-8 encoding")
    start = data[:1000].lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html", b"<?xml")):
        raise DataError(
            f"{place} is HTML or XML, not a table with columns; it starts with {quoted(_shown(data[:40]))}",
            code="H100",
            fix="download the file itself, not a web page",
        )
    if not data.strip():
        raise DataError(
            f"{place} is empty: it contains nothing but blanks", code="H100", fix="export the predictions again"
        )
    return data


def nul_byte(data: bytes, place: str, *, fix: str) -> DataError:
    """The error for a text file in UTF-8 with a NUL byte."""
    text = f"line {_line(data, data.index(0))} of {place} contains a NUL byte, so the file is not plain text"
    return DataError(text, code="H100", fix=fix)


def _shown(data: bytes) -> str:
    return data.decode("utf-8", "replace").strip()


def _line(data: bytes, at: int) -> int:
    """Number of the line, counted from 1, that contains byte `at`."""
    before = data[:at].replace(b"\r\n", b"\n")
    return before.count(b"\n") + before.count(b"\r") + 1


def decoded(data: bytes, encoding: str, place: str) -> str:
    """Decode the bytes of a file; raise with the line that cannot be decoded."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DataError(
            f"line {_line(data, error.start)} of {place} cannot be decoded: "
            f"byte 0x{data[error.start]:02x} is not valid in the encoding {encoding.upper()}",
            code="H100",
            fix="save the file in UTF-8 encoding (from Latin-1: iconv -f latin1 -t utf-8)",
        ) from error


def delimiter_of(header: str, tab: bool = False) -> str:
    """The delimiter of a header line: the most frequent of comma, semicolon and tab outside quotes.

    >>> delimiter_of('id;y;"a,b,c,d"')
    ';'
    """
    bare = "".join(header.split('"')[::2])
    counts = {mark: bare.count(mark) for mark in (",", ";", "\t")}
    if tab and counts["\t"]:
        return "\t"
    return max(counts, key=lambda mark: counts[mark])


def read_delimited(
    data: bytes, place: str, *, tab: bool = False
) -> tuple[tuple[str, ...], tuple[ArrowArray, ...], str]:
    """Names, columns of text, and the delimiter."""
    skipped = len(data) - len(data.lstrip(b"\r\n"))
    head, body = data[:skipped], data[skipped:]
    delimiter = delimiter_of(header_line(body), tab)
    check_header(body, delimiter, place)
    if body.count(b'"') % 2:
        _diagnose(head + body, place, delimiter)
    try:
        return (*_arrow_columns(body, delimiter), delimiter)
    except _read_errors() as error:
        _diagnose(head + body, place, delimiter)
        raise DataError(
            f"{place} cannot be read as a table: {str(error).splitlines()[0]}", code="H100", fix="export the file again"
        ) from error


def header_line(data: bytes) -> str:
    """The first line of a text."""
    end = _end_of_line(data)
    return data[:end].decode("utf-8", "replace")


def _end_of_line(data: bytes) -> int:
    ends = [at for at in (data.find(b"\n"), data.find(b"\r")) if at >= 0]
    return min(ends, default=len(data))


def check_header(data: bytes, delimiter: str, place: str) -> None:
    """Raise if the first line has more columns or longer names than the limits."""
    COLUMNS.check(data.count(delimiter.encode(), 0, _end_of_line(data)) + 1, place)
    try:
        check_names(header_names(data, delimiter), place)
    except csv.Error:  # a field that is longer than Python reads
        LABEL.check(max(map(len, header_line(data).split(delimiter))), f"the header of {place}")
        raise DataError(
            f"the header of {place} cannot be read", code="H100", fix="look for a quote that is not closed"
        ) from None


def _read_errors() -> tuple[type[Exception], ...]:
    import pyarrow as pa

    return (pa.ArrowException, ValueError, OverflowError, KeyError)


def _arrow_columns(data: bytes, delimiter: str) -> tuple[tuple[str, ...], tuple[ArrowArray, ...]]:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    # columns are numbered, so that equal names in the header stay two columns and every column stays text
    width = len(header_names(data, delimiter))
    if width == 1:  # a line of one column that holds nothing is a missing value; those around the table are none
        data = data.strip(b"\r\n")
    numbered = [str(at) for at in range(width)]
    # a second try with the file as one block, for a line that is longer than a block
    for block in (1 << 20, min(len(data) + 1, 2**31 - 1)):
        try:
            table = parsed(
                arrow_csv.read_csv,
                data,
                read_options=arrow_csv.ReadOptions(column_names=numbered, block_size=block, use_threads=True),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=delimiter, newlines_in_values=b'"' in data, ignore_empty_lines=width > 1
                ),
                convert_options=arrow_csv.ConvertOptions(column_types=dict.fromkeys(numbered, pa.string())),
            )
            break
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error) or block > len(data):
                raise
    names = tuple(str(column[0].as_py()) for column in table.columns)
    return names, tuple(column.slice(1) for column in table.columns)


def header_names(data: bytes, delimiter: str) -> list[str]:
    """The names in the first line that is not empty."""
    start = data[: max(1 << 22, _end_of_line(data))].decode("utf-8", "replace")
    reader = csv.reader(io.StringIO(start, newline=""), delimiter=delimiter)
    return next((line for line in reader if line), [])


def _diagnose(data: bytes, place: str, delimiter: str) -> None:
    """Go through the text line by line and raise what is wrong with it; return if nothing is found."""
    text = decoded(data, "utf-8", place)
    check_lines(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), place)


def check_lines(reader: CsvReader, place: str) -> None:
    """Raise if a line has another number of fields than the first, or a quote is not closed."""
    width, last = 0, 0
    try:
        for fields in reader:
            start, last = last + 1, reader.line_num
            if not fields:
                continue
            width = width or len(fields)
            if len(fields) != width:
                raise _uneven(len(fields), width, place, start if start == last else last)
    except csv.Error as error:
        if "end of data" in str(error):
            raise DataError(
                f"the quote that opens in line {last + 1} of {place} is never closed",
                code="H100",
                fix='close the quote, or write a quote inside a field twice ("")',
            ) from error
        if "field larger" in str(error):
            raise DataError(
                f"line {last + 1} of {place} holds a field of more than {csv.field_size_limit():,} characters",
                code="H100",
                fix="look for a quote that is not closed before that line",
            ) from error


def _uneven(count: int, width: int, place: str, line: int) -> DataError:
    if count < width:
        text = f"line {line} of {place} has {count} of {width} fields: {width - count} missing"
    else:
        text = f"line {line} of {place} has {count} fields where the header has {width}: {count - width} too many"
    return DataError(text, code="H100", fix="complete the line, or quote fields that contain the delimiter")
