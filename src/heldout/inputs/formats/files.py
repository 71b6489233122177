"""Files to tables: the format is found by the first bytes and the suffix; CSV values stay text until they are used."""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
import zlib
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import numpy as np

from heldout.errors import DataError
from heldout.inputs.columns.column_values import Column, column
from heldout.inputs.columns.number_parsing import with_decimal_comma
from heldout.inputs.formats.delimited_text import decoded, read_delimited, read_text


def read_json_lines(data: bytes, place: str) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Names and columns of a file with one JSON object per line."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    try:
        block = min(max(1 << 20, len(data) + 1), 2**31 - 1)
        table = arrow_json.read_json(
            pa.BufferReader(data), read_options=arrow_json.ReadOptions(block_size=block, use_threads=True)
        )
        table.validate(full=True)
        if not _guessed(table) and not _repeated(data, table):
            return tuple(table.column_names), tuple(table.columns)
    except (pa.ArrowException, ValueError, OverflowError):
        pass
    return _slow(data, place)


def _guessed(table: Any) -> bool:
    """Whether Arrow changed what was written: text that looks like a date, whole numbers beyond 64 bits."""
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    dated = any(kinds.is_temporal(field.type) for field in table.schema)
    sizes = (pc.max(pc.abs(column)).as_py() for column in table.columns if kinds.is_float64(column.type))
    return dated or any(size is not None and 2**63 <= size < 1e25 for size in sizes)


def _repeated(data: bytes, table: Any) -> bool:
    """Whether a name is written more often than there are rows: perhaps twice in a row, of which Arrow takes one."""
    return any(data.count(json.dumps(name).encode()) > table.num_rows for name in table.column_names)


def _slow(data: bytes, place: str) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Line by line: for what Arrow refuses, and to say which line is wrong."""
    lines = []
    for number, line in enumerate(decoded(data, "utf-8", place).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_pairs)
        except _WrittenTwice as twice:
            raise DataError(
                f"line {number} of {place} has {twice.args[0]!r} twice",
                code="H106",
                fix="write every name once in a row",
            ) from None
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"line {number} of {place} is not JSON: {str(error).splitlines()[0]}",
                code="H100",
                fix='write one object per line, such as {"y": "yes", "p": 0.7}',
            ) from error
        if not isinstance(row, dict):
            raise DataError(
                f"line {number} of {place} holds a JSON {type(row).__name__}, not an object with column names",
                code="H100",
                fix='write one object per line, such as {"y": "yes", "p": 0.7}',
            )
        lines.append(row)
    names = tuple(dict.fromkeys(name for line in lines for name in line))
    return names, tuple([line.get(name) for line in lines] for name in names)


class _WrittenTwice(Exception):  # noqa: N818 it never leaves this module
    """A name that is twice in a JSON object."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object; the standard reader would keep the last of two values under one name."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _WrittenTwice(name)
        found[name] = value
    return found


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

    def column(self, at: int, name: str | None = None) -> Column:
        """Convert the column at a position; `name` replaces its name in messages."""
        called = self.names[at] if name is None else name
        if self.raw[at] is None:
            return Column(name=called, values=np.zeros(0))
        values = column(called, self.raw[at])
        values = replace(values, first=self.first) if self.first else values
        return with_decimal_comma(values) if self.decimal_comma and values.words is not None else values


def read_file(path: str | Path) -> Table:
    """Read the table in a file; `-` is standard input."""
    shown, data = file_bytes(path)
    source = Source(path=shown, sha256=hashlib.sha256(data).hexdigest())
    place = "standard input" if shown == "-" else Path(shown).name
    names, raw, decimal_comma = table_in(data, place)
    return Table(place=place, names=names, raw=raw, sources=(source,), decimal_comma=decimal_comma)


def read_bytes(path: str | Path) -> tuple[Source, str, bytes]:
    """The source of a file, its name in messages, and its bytes, unzipped; raise if it has none."""
    shown, data = file_bytes(path)
    source = Source(path=shown, sha256=hashlib.sha256(data).hexdigest())
    place = "standard input" if shown == "-" else Path(shown).name
    contents = unzipped(data, place)
    if not contents:
        raise empty_file(place)
    return source, place, contents


def source_of(path: str | Path) -> Source:
    """A file's path and the SHA-256 of its bytes."""
    shown, data = file_bytes(path)
    return Source(path=shown, sha256=hashlib.sha256(data).hexdigest())


def hashed_source(path: str) -> Source:
    """A file's path and the SHA-256 of its bytes, hashed without reading all of them into memory."""
    with Path(path).open("rb") as file:
        return Source(path=path, sha256=hashlib.file_digest(file, "sha256").hexdigest())


def file_bytes(path: str | Path) -> tuple[str, bytes]:
    """The path as text, and the bytes of the file; `-` is standard input."""
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
    data = unzipped(data, place)
    if not data:
        raise empty_file(place)
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
        return (*read_json_lines(text, place), False)
    names, raw, delimiter = read_delimited(text, place, tab=suffix in (".tsv", ".tab"))
    return names, raw, delimiter == ";"


FORMATS: dict[str, tuple[tuple[bytes, ...], tuple[str, ...]]] = {
    "parquet": ((b"PAR1",), (".parquet", ".pq")),
    "arrow": ((b"ARROW1", b"\xff\xff\xff\xff"), (".arrow", ".arrows", ".ipc", ".feather")),
}
"""Binary formats: their first bytes, and the suffixes of their files."""


def empty_file(place: str) -> DataError:
    """The error for a file without bytes."""
    return DataError(f"{place} is empty (0 bytes)", code="H100", fix="export the predictions again")


def unzipped(data: bytes, place: str) -> bytes:
    """The bytes without gzip compression, if they have any."""
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except EOFError as error:
        raise DataError(
            f"{place} is truncated: the gzip stream has no end marker", code="H100", fix="copy the file again"
        ) from error
    except (OSError, zlib.error) as error:
        raise DataError(f"{place} is not a valid gzip file: {error}", code="H100", fix="copy the file again") from error


def _parsed(data: bytes, place: str, known: str) -> Any:
    """Parse the Arrow table in a binary file, and validate its buffers."""
    import pyarrow as pa

    try:
        table = _parquet(data) if known == "parquet" else _arrow(data)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError, MemoryError) as error:
        cut = known == "parquet" and data.startswith(b"PAR1") and not data.endswith(b"PAR1")
        raise broken_file(place, known, cut=cut) from error
    return table


def broken_file(place: str, known: str, *, cut: bool = False) -> DataError:
    """The error for a file that is not of the format it claims, or is truncated."""
    wrong = f"is truncated: the end marker of a {known} file is missing" if cut else f"is not a valid {known} file"
    again = f"export it as {known} again, or give the file the suffix of its format"
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
