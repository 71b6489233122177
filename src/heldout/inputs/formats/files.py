"""Files to tables: the format is found by the first bytes and the suffix; CSV values stay text until they are used."""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from heldout.errors import DataError, UsageError
from heldout.inputs.columns.column_values import Column, column
from heldout.inputs.columns.number_parsing import with_decimal_comma
from heldout.inputs.formats.compression import LONGEST, MARKS, PIECE, ending, unpacked
from heldout.inputs.formats.delimited_text import read_delimited, read_text
from heldout.inputs.limits import LINE, STREAM, check_memory

FORMATS: dict[str, tuple[tuple[bytes, ...], tuple[str, ...]]] = {
    "parquet": ((b"PAR1",), (".parquet", ".pq")),
    "arrow": ((b"ARROW1", b"\xff\xff\xff\xff"), (".arrow", ".arrows", ".ipc", ".feather")),
}
"""Binary formats: their first bytes, and the suffixes of their files."""
JSON = re.compile(rb"\s*(\{|\[\s*[{\]])")
"""How a text begins that is JSON: an object, or a list of objects, which no table begins with."""
PACKED = tuple(mark for marks in (*MARKS.values(), *(own for own, _ in FORMATS.values())) for mark in marks)
"""First bytes of files that may take many times more memory than space on the disk."""
RawColumn = Any
"""An array, series or list of any library."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file that was read, and the hash of its bytes (None if it was read in chunks)."""

    path: str
    sha256: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Named columns; the values of a column are converted when it is used."""

    place: str
    """Name of the source in messages."""
    names: tuple[str, ...]
    raw: tuple[RawColumn, ...]
    """One array, series or list per name; None for a column whose rows were not read."""
    sources: tuple[Source, ...] = ()
    decimal_comma: bool = False
    """Whether numbers may be written with a comma (files separated by semicolons)."""
    first: int = 0
    """Number of rows of the source that come before."""
    kind: Literal["frame", "file"] = "file"
    """Whether messages name Python arguments only, or options of the command line as well."""
    as_read: bytes | None = None
    """The bytes of the file, where rows are to be written as they were read: columns alone do not tell everything."""

    def column(self, at: int, name: str | None = None) -> Column:
        """Convert the column at a position; `name` replaces its name in messages."""
        called = self.names[at] if name is None else name
        if self.raw[at] is None:
            return Column(name=called, values=np.zeros(0))
        values = column(called, self.raw[at])
        values = replace(values, first=self.first) if self.first else values
        return with_decimal_comma(values) if self.decimal_comma and values.words is not None else values


def read_file(path: str | Path, *, keep_bytes: bool = False) -> Table:
    """Read the table in a file; `-` is standard input. With `keep_bytes` its rows can be written as they were read."""
    shown, data = file_bytes(path)
    source = Source(path=shown, sha256=hashlib.sha256(data).hexdigest())
    place = "standard input" if shown == "-" else Path(shown).name
    names, raw, decimal_comma = table_in(data, place)
    return Table(
        place=place,
        names=names,
        raw=raw,
        sources=(source,),
        decimal_comma=decimal_comma,
        as_read=unpacked(data, place) if keep_bytes else None,
    )


def read_bytes(path: str | Path) -> tuple[Source, str, bytes]:
    """The source of a file, its name in messages, and its bytes, unpacked; raise if it has none."""
    shown, data = file_bytes(path)
    source = Source(path=shown, sha256=hashlib.sha256(data).hexdigest())
    place = "standard input" if shown == "-" else Path(shown).name
    contents = unpacked(data, place)
    if not contents:
        raise empty_file(place)
    return source, place, contents


def source_of(path: str | Path) -> Source:
    """A file's path and the SHA-256 of its bytes."""
    shown, data = file_bytes(path)
    return Source(path=shown, sha256=hashlib.sha256(data).hexdigest())


def is_packed(path: str | Path) -> bool:
    """Whether a file may take many times more memory than space on the disk, by its first bytes."""
    try:
        with Path(path).open("rb") as file:
            start = file.read(LONGEST)
    except OSError:
        return False
    return start.startswith(PACKED)


def hashed_source(path: str) -> Source:
    """A file's path and the SHA-256 of its bytes, hashed without reading all of them into memory."""
    with Path(path).open("rb") as file:
        return Source(path=path, sha256=hashlib.file_digest(file, "sha256").hexdigest())


def file_bytes(path: str | Path) -> tuple[str, bytes]:
    """The path as text, and the bytes of the file; `-` is standard input."""
    shown = str(path)
    if shown == "-":
        return shown, _whole(sys.stdin.buffer, "standard input")
    refuse_empty_path(path)
    try:
        check_memory(Path(path).stat().st_size, shown)
        with Path(path).open("rb") as file:
            return shown, file.read() if is_file(path) else _whole(file, shown)
    except DataError:
        raise
    except FileNotFoundError as error:
        raise no_file(path) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{shown!r} cannot be read: {reason}", code="H100", fix="name a readable file") from error


def next_bytes() -> bytes:
    """What comes next on standard input, as far as it is there already; it is read again later."""
    stream = sys.stdin.buffer
    if hasattr(stream, "peek"):
        found: bytes = stream.peek(1 << 10)
        return found
    at = stream.tell()
    found = stream.read(1 << 10)
    stream.seek(at)
    return found


def _whole(stream: IO[bytes], place: str) -> bytes:
    """The bytes of a stream that does not say how many it has; a device such as /dev/zero has no end."""
    pieces, size = [], 0
    while piece := stream.read(PIECE):
        pieces.append(piece)
        size += len(piece)
        STREAM.check(size, place)
        check_memory(2 * size, place)  # the pieces, and the whole that they make
        if size > LINE.most and not _has_lines(pieces[0]):
            raise LINE.exceeded(size, place)
    return b"".join(pieces)


def _has_lines(start: bytes) -> bool:
    """Whether a stream that starts so need not be one endless line: JSON and binary formats may lack line ends."""
    other = start.startswith(PACKED) or start.lstrip()[:1] in (b"{", b"[")
    return other or b"\n" in start or b"\r" in start


def refuse_empty_path(path: str | Path) -> None:
    """Raise if a path is an empty text, as an unset variable gives it; `pathlib` would take it for this folder."""
    if not str(path):
        raise UsageError("the name of a file is empty", code="H100", fix="name a file; . is the current folder")


def is_file(path: str | Path) -> bool:
    """Whether the path names a file; one that the system refuses, as it is too long or out of reach, names nothing.

    >>> is_file("x" * 5000)
    False
    """
    try:
        return bool(str(path)) and Path(path).is_file()
    except OSError:
        return False


def is_folder(path: str | Path) -> bool:
    """Whether the path names a folder."""
    try:
        return bool(str(path)) and Path(path).is_dir()
    except OSError:
        return False


def exists(path: str | Path) -> bool:
    """Whether the path names anything."""
    try:
        return bool(str(path)) and Path(path).exists()
    except OSError:
        return False


def no_file(path: str | Path) -> DataError:
    """The error for a file that does not exist."""
    stems: dict[str, str] = {}
    for name in _neighbours(Path(path)):  # endings do not count: files of one kind share theirs
        stems.setdefault(Path(name).stem.lower(), name)
    close = get_close_matches(Path(path).stem.lower(), list(stems), n=1)
    hint = f"; did you mean {stems[close[0]]!r}?" if close else ""
    return DataError(f"there is no file {path}{hint}", code="H100", fix="check the path and the folder it starts from")


def _neighbours(path: Path) -> list[str]:
    try:
        return [entry.name for entry in path.parent.iterdir()][:1000]
    except OSError:
        return []


def table_in(data: bytes, place: str) -> tuple[tuple[str, ...], tuple[RawColumn, ...], bool]:
    """Names, arrays, and whether numbers may have decimal commas, from the bytes of a file called `place`."""
    if not data:
        raise empty_file(place)
    data = unpacked(data, place)
    if not data:
        raise empty_file(place)
    suffix = ending(place)
    for known, (magic, suffixes_known) in FORMATS.items():
        if any(data.startswith(start) for start in magic) or suffix in suffixes_known:
            from heldout.inputs.formats.arrow_files import binary_table

            table = binary_table(data, place, known)
            return tuple(str(name) for name in table.column_names), tuple(table.columns), False
    if data[:4] in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0"):
        raise DataError(
            f"{place} is a zip archive or a spreadsheet, not a table of predictions",
            code="H100",
            fix="save the sheet as CSV (UTF-8), or unpack the archive",
        )
    if data.startswith(b"\x93NUMPY"):
        raise DataError(
            f"{place} is an array of NumPy, which has no columns with names",
            code="H100",
            fix="pass the array in Python, y_score=numpy.load(file), or write a CSV file",
        )
    text = read_text(data, place)
    if suffix in (".jsonl", ".ndjson", ".json") or JSON.match(text):
        from heldout.inputs.formats.json_lines import read_json_lines

        return (*read_json_lines(text, place), False)
    names, raw, delimiter = read_delimited(text, place, tab=suffix in (".tsv", ".tab"))
    return names, raw, delimiter == ";"


def empty_file(place: str) -> DataError:
    """The error for a file without bytes."""
    return DataError(f"{place} is empty (0 bytes)", code="H100", fix="export the predictions again")
