"""Files to tables: the format by magic bytes and suffix; every CSV value stays text, so that nothing is guessed."""

from __future__ import annotations

import gzip
import hashlib
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from heldout.errors import DataError, did_you_mean
from heldout.inputs.columns.column import Column, column
from heldout.inputs.columns.number_parsing import with_decimal_comma
from heldout.inputs.formats.delimited import read_delimited, read_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file that was read, and the hash of its bytes; None where it was read in parts."""

    path: str
    sha256: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Named columns that are turned into values only when they are asked for."""

    place: str
    """How messages call the source."""
    names: tuple[str, ...]
    raw: tuple[Any, ...]
    """One array, series or list per name."""
    sources: tuple[Source, ...] = ()
    decimal_comma: bool = False
    """Whether numbers may have been written with a comma (files separated by semicolons)."""
    first: int = 0
    """How many rows of the source come before."""

    def column(self, at: int, name: str | None = None) -> Column:
        found = column(self.names[at] if name is None else name, self.raw[at])
        found = replace(found, first=self.first) if self.first else found
        return with_decimal_comma(found) if self.decimal_comma and found.words is not None else found


def read_file(path: str | Path) -> Table:
    """The table in a file; `-` is standard input."""
    shown, data = _bytes(path)
    source = Source(path=shown, sha256=hashlib.sha256(data).hexdigest())
    place = "standard input" if shown == "-" else Path(shown).name
    names, raw, decimal_comma = table_in(data, place)
    return Table(place=place, names=names, raw=raw, sources=(source,), decimal_comma=decimal_comma)


def read_bytes(path: str | Path) -> tuple[Source, str, bytes]:
    """Where a file came from, what messages call it, and its bytes, unzipped; a file without bytes is refused."""
    shown, data = _bytes(path)
    source = Source(path=shown, sha256=hashlib.sha256(data).hexdigest())
    place = "standard input" if shown == "-" else Path(shown).name
    found = _unzipped(data, place) if data[:2] == b"\x1f\x8b" else data
    if not found:
        raise empty(place)
    return source, place, found


def source_of(path: str | Path) -> Source:
    """A file's path and the SHA-256 of its bytes."""
    shown, data = _bytes(path)
    return Source(path=shown, sha256=hashlib.sha256(data).hexdigest())


def _bytes(path: str | Path) -> tuple[str, bytes]:
    shown = str(path)
    if shown == "-":
        return shown, sys.stdin.buffer.read()
    try:
        return shown, Path(path).read_bytes()
    except FileNotFoundError as error:
        raise no_file(path) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{shown!r} cannot be read: {reason}", code="H100", fix="name a readable file") from error


def no_file(path: str | Path) -> DataError:
    """What to say where there is no such file."""
    hint = did_you_mean(Path(path).name, _neighbours(Path(path)))
    return DataError(f"there is no file {path}{hint}", code="H100", fix="check the path and the folder it starts from")


def _neighbours(path: Path) -> list[str]:
    try:
        return [entry.name for entry in path.parent.iterdir()][:1000]
    except OSError:
        return []


def table_in(data: bytes, place: str) -> tuple[tuple[str, ...], tuple[Any, ...], bool]:
    """Names, arrays, and whether decimal commas are possible, from the bytes of a file called `place`."""
    if not data:
        raise empty(place)
    if data[:2] == b"\x1f\x8b":
        data = _unzipped(data, place)
        if not data:
            raise empty(place)
    suffixes = [suffix.lower() for suffix in Path(place).suffixes if suffix.lower() != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    for known, (magic, suffixes_known) in FORMATS.items():
        if any(data.startswith(start) for start in magic) or suffix in suffixes_known:
            table = _parsed(data, place, known)
            return tuple(str(name) for name in table.column_names), tuple(table.columns), False
    if data[:4] in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0"):
        raise DataError(
            f"{place} is a zip archive or a spreadsheet, not a table of predictions",
            code="H100",
            fix="save the sheet as CSV (UTF-8), or unpack the archive",
        )
    text = read_text(data, place)
    if suffix in (".jsonl", ".ndjson", ".json") or text.lstrip()[:1] == b"{":
        from heldout.inputs.formats.jsonlines import read_json_lines

        return (*read_json_lines(text, place), False)
    names, raw, delimiter = read_delimited(text, place, tab=suffix in (".tsv", ".tab"))
    return names, raw, delimiter == ";"


FORMATS: dict[str, tuple[tuple[bytes, ...], tuple[str, ...]]] = {
    "parquet": ((b"PAR1",), (".parquet", ".pq")),
    "arrow": ((b"ARROW1", b"\xff\xff\xff\xff"), (".arrow", ".arrows", ".ipc", ".feather")),
}
"""Binary formats: how their bytes start, and how their names end."""


def empty(place: str) -> DataError:
    """What to say about a file without bytes."""
    return DataError(f"{place} is empty (0 bytes)", code="H100", fix="export the predictions again")


def _unzipped(data: bytes, place: str) -> bytes:
    try:
        return gzip.decompress(data)
    except EOFError as error:
        raise DataError(
            f"{place} is truncated: the gzip stream ends before its end mark", code="H100", fix="copy the file again"
        ) from error
    except (OSError, zlib.error) as error:
        raise DataError(f"{place} is not a sound gzip file: {error}", code="H100", fix="copy the file again") from error


def _parsed(data: bytes, place: str, known: str) -> Any:
    """The Arrow table in a binary file, its buffers checked."""
    import pyarrow as pa

    readers: dict[str, Callable[[bytes], Any]] = {"parquet": _parquet, "arrow": _arrow}
    try:
        table = readers[known](data)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError, MemoryError) as error:
        cut = known == "parquet" and data.startswith(b"PAR1") and not data.endswith(b"PAR1")
        raise broken(place, known, cut=cut) from error
    return table


def broken(place: str, known: str, *, cut: bool = False) -> DataError:
    """What to say about a file that is not of the format it claims, or is cut off."""
    wrong = f"is truncated: a {known} file ends with its own mark" if cut else f"is not a sound {known} file"
    again = f"export it as {known} again, or give it the ending of what it is"
    return DataError(f"{place} {wrong}", code="H100", fix="copy or export the file again" if cut else again)


def _parquet(data: bytes) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.read_table(pa.BufferReader(data))


def _arrow(data: bytes) -> Any:
    import pyarrow as pa

    if data.startswith(b"ARROW1"):
        return pa.ipc.open_file(pa.BufferReader(data)).read_all()
    return pa.ipc.open_stream(pa.BufferReader(data)).read_all()
