"""Comma, semicolon and tab separated text: read fast as text, and gone through slowly only to say what is wrong."""

from __future__ import annotations

import codecs
import csv
import io
from typing import Any

from heldout.errors import DataError
from heldout.inputs.wording import quoted

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks, the longer ones before the shorter ones they start with."""


def read_text(data: bytes, place: str) -> bytes:
    """The bytes as UTF-8 without a byte order mark; UTF-16 and UTF-32 are known by theirs."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            data = data[len(mark) :] if encoding == "utf-8" else decoded(data, encoding, place).encode("utf-8")
            break
    if b"\0" in data:
        decoded(data, "utf-8", place)
        raise DataError(
            f"line {_line(data, data.index(0))} of {place} holds a NUL byte: it is not plain text",
            code="H100",
            fix="export the file again as CSV in UTF-8 encoding",
        )
    start = data[:1000].lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html", b"<?xml")):
        raise DataError(
            f"{place} is a web page or XML, not a table with columns; it starts with {quoted(_shown(data[:40]))}",
            code="H100",
            fix="download the file itself, not the page that answered",
        )
    if not data.strip():
        raise DataError(
            f"{place} is empty: it holds nothing but blanks", code="H100", fix="export the predictions again"
        )
    return data


def _shown(data: bytes) -> str:
    return data.decode("utf-8", "replace").strip()


def _line(data: bytes, at: int) -> int:
    """The line, counted from 1, in which byte `at` lies."""
    before = data[:at].replace(b"\r\n", b"\n")
    return before.count(b"\n") + before.count(b"\r") + 1


def decoded(data: bytes, encoding: str, place: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DataError(
            f"line {_line(data, error.start)} of {place} cannot be decoded: "
            f"byte 0x{data[error.start]:02x} does not belong to the encoding {encoding.upper()}",
            code="H100",
            fix="save the file in UTF-8 encoding (from Latin-1: iconv -f latin1 -t utf-8), or name it as what it is",
        ) from error


def delimiter_of(header: str, tab: bool = False) -> str:
    """The separator a header line uses: the most frequent of comma, semicolon and tab outside quotes.

    >>> delimiter_of('id;y;"a,b,c,d"')
    ';'
    """
    bare = "".join(header.split('"')[::2])
    counts = {mark: bare.count(mark) for mark in (",", ";", "\t")}
    if tab and counts["\t"]:
        return "\t"
    return max(counts, key=lambda mark: counts[mark])


def read_delimited(data: bytes, place: str, *, tab: bool = False) -> tuple[tuple[str, ...], tuple[Any, ...], str]:
    """Names, columns of text, and the separator."""
    skipped = len(data) - len(data.lstrip(b"\r\n"))
    head, body = data[:skipped], data[skipped:]
    first_line = body[: min(_end(body, b"\n"), _end(body, b"\r"))]
    delimiter = delimiter_of(first_line.decode("utf-8", "replace"), tab)
    if body.count(b'"') % 2:
        _diagnosed(head + body, place, delimiter)
    try:
        return (*_fast(body, delimiter), delimiter)
    except _unread() as error:
        _diagnosed(head + body, place, delimiter)
        raise DataError(
            f"{place} cannot be read as a table: {str(error).splitlines()[0]}", code="H100", fix="export the file again"
        ) from error


def _end(data: bytes, mark: bytes) -> int:
    at = data.find(mark)
    return len(data) if at < 0 else at


def _unread() -> tuple[type[Exception], ...]:
    import pyarrow as pa

    return (pa.ArrowException, ValueError, OverflowError, KeyError)


def _fast(data: bytes, delimiter: str) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    # names of our own, so that equal names in the header stay two columns and every column stays text
    width = len(header(data, delimiter))
    numbered = [str(at) for at in range(width)]
    # a second try in one block, for a line that does not fit into the usual one
    for block in (1 << 20, min(len(data) + 1, 2**31 - 1)):
        try:
            table = arrow_csv.read_csv(
                pa.BufferReader(data),
                read_options=arrow_csv.ReadOptions(column_names=numbered, block_size=block, use_threads=True),
                parse_options=arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=b'"' in data),
                convert_options=arrow_csv.ConvertOptions(column_types=dict.fromkeys(numbered, pa.string())),
            )
            break
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error) or block > len(data):
                raise
    names = tuple(str(column[0].as_py()) for column in table.columns)
    return names, tuple(column.slice(1) for column in table.columns)


def header(data: bytes, delimiter: str) -> list[str]:
    """The names in the first line that is not empty."""
    reader = csv.reader(io.StringIO(data[: 1 << 22].decode("utf-8", "replace"), newline=""), delimiter=delimiter)
    return next((line for line in reader if line), [])


def _diagnosed(data: bytes, place: str, delimiter: str) -> None:
    """Raise what is wrong with the text, by going through it line by line; return where nothing is found."""
    text = decoded(data, "utf-8", place)
    gone_through(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), place)


def gone_through(reader: Any, place: str) -> None:
    """Raise where a line has another number of fields than the first, or a quote is not closed."""
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


def _uneven(found: int, width: int, place: str, line: int) -> DataError:
    if found < width:
        text = f"line {line} of {place} has {found} of {width} fields: {width - found} missing"
    else:
        text = f"line {line} of {place} has {found} fields where the header has {width}: {found - width} too many"
    return DataError(text, code="H100", fix="complete the line, or quote fields that hold the separator")
