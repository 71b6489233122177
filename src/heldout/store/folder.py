"""A run folder: pieces as Parquet files, and an index that vouches for each by its hash."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from heldout.errors import DataError, UsageError
from heldout.file_writing import name_new
from heldout.store import records
from heldout.store.hashes import Key
from heldout.store.index import NAME, check, make, prepare, reading, writing
from heldout.store.records import Record

TEMPORARY = re.compile(r"\.[0-9a-f]+\.(?P<host>[^.]*)\.(?P<process>\d+)\.[0-9a-f]+\.part")
LONG_AGO = 24 * 3600
"""Seconds after which a temporary file of another machine is stale."""


def laid_down(folder: Path, name: str, data: bytes) -> Path:
    """Write bytes to disk under a temporary name of this process; the path, to be renamed or dropped."""
    path = folder / f".{name[:16]}.{_host()}.{os.getpid()}.{secrets.token_hex(4)}.part"
    try:
        with path.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise
    return path


def put(temporary: Path, path: Path) -> None:
    """Give a temporary file its name in one step, and have the folder on disk remember it."""
    os.replace(temporary, path)  # noqa: PTH105 the name of the guarantee
    if os.name == "posix":  # elsewhere a folder cannot be opened; its journal keeps the name
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def sweep(folder: Path) -> None:
    """Remove temporary files whose process has ended."""
    for path in folder.glob(".*.part"):
        found = TEMPORARY.fullmatch(path.name)
        if found and _abandoned(path, found["host"], int(found["process"])):
            with suppress(OSError):
                path.unlink()


def _host() -> str:
    return re.sub(r"[^0-9A-Za-z-]", "-", platform.node())[:40]


def _abandoned(path: Path, host: str, process: int) -> bool:
    if host == _host() and os.name == "posix":
        try:
            os.kill(process, 0)  # signal 0 only asks
        except ProcessLookupError:
            return True
        except OSError:
            return False
        return False
    try:
        return time.time() - path.stat().st_mtime > LONG_AGO
    except OSError:
        return False


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
            raise UsageError(f"a piece is not a table: {' '.join(str(problem).split())}", fix=fix) from None
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


PIECE_FILE = re.compile(r"pieces/(run-)?[0-9a-f]{64}\.parquet")
PIECE = "piece"
"""The column that a compacted file has besides: which piece a row belongs to."""
AT_ONCE = 500
"""Keys asked for in one query."""


class Place(NamedTuple):
    """Where a piece lies, and the hash of the file it lies in."""

    file: str
    start: int
    rows: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Pieces:
    """Pieces that were found sound, and a sentence about each file that was not."""

    tables: dict[Key, Any]
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Store:
    """A folder of finished pieces and recorded results; only its path, so that it may be sent to other processes."""

    path: Path

    def piece(self, key: Key) -> Any:
        """The finished piece of this key as an Arrow table; None where there is none, or none that can be trusted."""
        return self.pieces([key]).tables.get(key)

    def pieces(self, keys: Iterable[Key]) -> Pieces:
        """The finished pieces of these keys; a damaged file is named, and its pieces count as not finished."""
        wanted = list(dict.fromkeys(keys))
        places = _places(self.path, [key.digest for key in wanted])
        read, notes = _read(self.path, places.values())
        if notes:  # another process may just have compacted them: look where they are now
            places = _places(self.path, [key.digest for key in wanted])
            read, notes = _read(self.path, places.values())
        found = {key: places[key.digest] for key in wanted if key.digest in places}
        tables = {key: _cut(read[place.file], place) for key, place in found.items() if place.file in read}
        return Pieces(tables=tables, notes=tuple(notes))

    def keep(self, key: Key, table: Any) -> bool:
        """Write a finished piece; False where a sound one is there already, which then stays."""
        whole = as_table(table)
        if PIECE in whole.column_names:
            raise UsageError(f"a piece has a column named {PIECE!r}", fix="give the column another name")
        data = parquet_of(whole)
        name, place = f"pieces/{key.digest}.parquet", hashlib.sha256(data).hexdigest()
        temporary = _laid(self.path, key.digest, data)
        try:
            with writing(self.path) as index:
                old = _places_in(index, [key.digest]).get(key.digest)
                if old is not None and _sound(self.path, old):
                    return False
                put(temporary, self.path / name)
                line = (key.digest, key.data, key.learner, key.split, key.seed, name, 0, whole.num_rows, place)
                index.execute("INSERT OR REPLACE INTO pieces VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", line)
        finally:
            temporary.unlink(missing_ok=True)
        return True

    def compact(self, keys: Iterable[Key]) -> tuple[Path, ...]:
        """Put finished pieces into one file, sorted by key (one per kind, where their columns differ); its path.

        Row by row `piece` says which piece a row belongs to. The same pieces always give the same bytes.
        """
        wanted = sorted(set(keys), key=lambda key: key.digest)
        found = self.pieces(wanted)
        lacking = len(wanted) - len(found.tables)
        if lacking:
            fix = "finish them with keep, then compact"
            raise UsageError(f"{lacking} of {len(wanted)} pieces are not finished", fix=fix)
        kinds: dict[str, list[Key]] = {}
        for key in wanted:
            kinds.setdefault(str(found.tables[key].schema), []).append(key)
        paths = tuple(_compacted(self.path, same, found.tables) for _, same in sorted(kinds.items()))
        sweep(self.path / "pieces")
        return paths

    def record(
        self,
        result: Mapping[str, Any],
        *,
        name: str,
        verb: str,
        command: str = "",
        data: str | None = None,
        also: Sequence[str] = (),
        looks_budget: int | None = None,
    ) -> Record:
        """Write down a result, and that the rows of hash `data`, or of one of the hashes `also`, were looked at.

        With a budget, rows that were looked at so often already are refused, and nothing is written.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with writing(self.path) as index:
            spent = 0 if data is None else records.count(index, records.known_rows(index, (data, *also)))
            if looks_budget is not None and spent >= looks_budget:
                raise _spent(self.path, spent, looks_budget)
            id = records.added(
                index, result, time=now, name=name, verb=verb, command=command, data=data, also=also,
            )  # fmt: skip
        return self.found(id)

    def records(self) -> tuple[Record, ...]:
        """All recorded results, the oldest first."""
        with reading(self.path) as index:
            return records.listed(index)

    def found(self, id: str) -> Record:
        """The recorded result whose id begins like this, or the newest one whose name this is."""
        found = records.named(self.records(), id)
        if found.is_damaged:
            fix = f"remove it with heldout runs {self.path} delete {found.id}; the look at its rows stays counted"
            raise DataError(f"the record {found.id} in {self.path} is damaged", code="H100", fix=fix)
        return found

    def delete(self, id: str) -> Record:
        """Remove a recorded result, also a damaged one, and return it; the look that it was stays counted.

        A name that several have is refused: what is removed does not come back.
        """
        found = records.named(self.records(), id, newest=False)
        with writing(self.path) as index:
            index.execute("DELETE FROM records WHERE id = ?", (found.id,))
        return found

    def looks(self, data: str) -> int:
        """How often the rows of this hash were looked at."""
        with reading(self.path) as index:
            return records.count(index, data)


def open_store(path: str | Path, *, make: bool = True) -> Store:
    """The store in a folder, which is made where it is missing; with make=False a missing one is refused."""
    folder = Path(path)
    if not make and not (folder / NAME).is_file():
        fix = "name a folder that --save or --run has written to"
        raise UsageError(f"no runs are recorded in {folder}", fix=fix)
    try:
        (folder / "pieces").mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise _unwritten(folder, problem) from None
    if not (folder / NAME).exists():
        _first_index(folder)
    prepare(folder)
    check(folder)
    return Store(folder)


def _first_index(folder: Path) -> None:
    """Make an index under another name and name it when it is whole: one without tables is then a damaged one."""
    temporary = _laid(folder, "1dec", b"")
    try:
        make(temporary)
        name_new(temporary, folder / NAME)
    except FileExistsError:  # another process was faster
        pass
    except OSError as problem:
        raise _unwritten(folder, problem) from None
    finally:
        temporary.unlink(missing_ok=True)


def _spent(folder: Path, spent: int, budget: int) -> UsageError:
    times, looks = "once" if spent == 1 else f"{spent} times", "1 look" if budget == 1 else f"{budget} looks"
    return UsageError(
        f"the budget of {looks} is spent: these rows were looked at {times}, as recorded in {folder}",
        fix="collect new test rows; for rows that are added one by one use --sequential (sequential=True)",
    )


def _unwritten(folder: Path, problem: OSError) -> UsageError:
    fix = "choose a folder that may be written and has room; finished pieces are kept"
    return UsageError(f"the store {folder} cannot be written: {problem.strerror or problem}", fix=fix)


def _laid(folder: Path, name: str, data: bytes) -> Path:
    try:
        return laid_down(folder / "pieces", name, data)
    except OSError as problem:
        raise _unwritten(folder, problem) from None


def _places(folder: Path, digests: list[str]) -> dict[str, Place]:
    with reading(folder) as index:
        return _places_in(index, digests)


def _places_in(index: Any, digests: list[str]) -> dict[str, Place]:
    """Where the index says that pieces lie."""
    found: dict[str, Place] = {}
    for i in range(0, len(digests), AT_ONCE):
        asked = digests[i : i + AT_ONCE]
        marks = ", ".join("?" * len(asked))
        query = f"SELECT digest, file, start, rows, sha256 FROM pieces WHERE digest IN ({marks})"  # noqa: S608 marks only
        found |= {digest: Place(*rest) for digest, *rest in index.execute(query, asked) if _is_place(*rest)}
    return found


def _is_place(file: Any, start: Any, rows: Any, sha256: Any) -> bool:
    """Whether a line of the index is one that was written; another could name any file of the machine."""
    counts = isinstance(start, int) and isinstance(rows, int) and min(start, rows) >= 0
    return counts and isinstance(sha256, str) and isinstance(file, str) and PIECE_FILE.fullmatch(file) is not None


def _read(folder: Path, places: Iterable[Place]) -> tuple[dict[str, Any], list[str]]:
    """Every file once, by its name, where its bytes are those that were written; a sentence about each other one."""
    import pyarrow as pa

    tables, notes = {}, []
    for file, sha256 in dict.fromkeys((place.file, place.sha256) for place in places):
        try:
            data = (folder / file).read_bytes()
        except OSError as problem:
            notes.append(f"{folder / file} cannot be read ({problem.strerror}); its pieces are computed again")
            continue
        if hashlib.sha256(data).hexdigest() != sha256:
            notes.append(f"{folder / file} is damaged: it is not what was written; its pieces are computed again")
            continue
        try:
            tables[file] = table_of(data)
        except (pa.ArrowException, OSError, ValueError):
            notes.append(f"{folder / file} is damaged: it holds no table; its pieces are computed again")
    return tables, notes


def _sound(folder: Path, place: Place) -> bool:
    with suppress(OSError):
        return hashlib.sha256((folder / place.file).read_bytes()).hexdigest() == place.sha256
    return False


def _cut(table: Any, place: Place) -> Any:
    """The rows of one piece, without the column that only says so."""
    part = table.slice(place.start, place.rows)
    return part.drop_columns([PIECE]) if PIECE in part.column_names else part


def _compacted(folder: Path, keys: list[Key], tables: Mapping[Key, Any]) -> Path:
    """One file of pieces with the same columns, which the index then points to; what it replaces is removed."""
    import numpy as np
    import pyarrow as pa

    digests, rows = [key.digest for key in keys], [tables[key].num_rows for key in keys]
    which = pa.DictionaryArray.from_arrays(pa.array(np.repeat(np.arange(len(keys)), rows)), pa.array(digests))
    joined = pa.concat_tables([tables[key] for key in keys])
    data = parquet_of(as_table(joined.add_column(0, PIECE, which.cast(pa.string()))))
    name, sha256 = hashlib.sha256("\n".join(digests).encode()).hexdigest(), hashlib.sha256(data).hexdigest()
    file = f"pieces/run-{name}.parquet"
    temporary = _laid(folder, name, data)
    starts = np.cumsum([0, *rows[:-1]]).tolist()
    try:
        with writing(folder) as index:
            old = {place.file for place in _places_in(index, digests).values()} - {file}
            put(temporary, folder / file)
            lines = [(file, start, n, sha256, one) for start, n, one in zip(starts, rows, digests, strict=True)]
            index.executemany("UPDATE pieces SET file = ?, start = ?, rows = ?, sha256 = ? WHERE digest = ?", lines)
            used = {one for (one,) in index.execute("SELECT DISTINCT file FROM pieces")}
    finally:
        temporary.unlink(missing_ok=True)
    loose = {f"pieces/{digest}.parquet" for digest in digests}  # also those that a killed process left behind
    for one in (old | loose) - used:
        with suppress(OSError):
            (folder / one).unlink()
    if not (folder / file).is_file():
        raise DataError(f"{folder / file} was removed while it was written", fix="run the same command again")
    return folder / file
