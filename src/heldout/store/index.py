"""The index of a store: one SQLite file, whose transactions are also the locks between processes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from heldout.errors import DataError, UsageError
from heldout.store.records import add_missing_hashes

NAME = "index.sqlite"
VERSION = 4
PATIENCE = 60.0
"""Seconds to wait for another process that is writing."""
TABLES = (
    """CREATE TABLE pieces (
        digest TEXT PRIMARY KEY, data TEXT NOT NULL, learner TEXT NOT NULL, split TEXT NOT NULL, seed TEXT NOT NULL,
        file TEXT NOT NULL, start INTEGER NOT NULL, rows INTEGER NOT NULL, sha256 TEXT NOT NULL)""",
    "CREATE INDEX pieces_by_file ON pieces (file)",
    """CREATE TABLE records (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, time TEXT NOT NULL, name TEXT NOT NULL,
        verb TEXT NOT NULL, command TEXT NOT NULL, options TEXT NOT NULL, result TEXT NOT NULL)""",
    "CREATE TABLE looks (data TEXT NOT NULL, look INTEGER NOT NULL, id TEXT NOT NULL, PRIMARY KEY (data, look))",
    "CREATE INDEX looks_by_id ON looks (id)",
)
"""Looks stay when a record goes: rows that were looked at cannot be unseen."""
SINCE_2 = ("CREATE TABLE test_sets (key TEXT PRIMARY KEY, data TEXT NOT NULL)",)
"""Test sets by every hash they are recognised by; stores of version 1 get this table when they are next opened."""
SINCE_3 = ("ALTER TABLE records ADD COLUMN sha256 TEXT",)
"""The hash of a record, by which a damaged one is known."""
STEPS = (TABLES, SINCE_2, SINCE_3, ())
"""What leads from each version to the next; to version 4, hashes of the records that earlier versions wrote."""


@contextmanager
def reading(folder: Path) -> Iterator[sqlite3.Connection]:
    """A connection to the index for as long as the block runs."""
    path = folder / NAME
    with _told(path), closing(sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        connection.text_factory = _text
        yield connection


@contextmanager
def writing(folder: Path) -> Iterator[sqlite3.Connection]:
    """A transaction that no other process writes beside: all of it is kept, or nothing."""
    with reading(folder) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            if connection.in_transaction:  # on a full disk SQLite has rolled back by itself
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def make(path: Path) -> None:
    """Make the tables in a new file."""
    with _told(path), closing(sqlite3.connect(path)) as connection, connection:
        _bring_up(connection, 0)


def prepare(folder: Path) -> None:
    """Bring an index of an earlier version to this one; one without tables has lost what it held."""
    with reading(folder) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        version = _version(connection)
        if version == VERSION:
            return
        if version == 0:
            raise _damaged(folder / NAME, "it is empty")
    with writing(folder) as connection:
        version = _version(connection)  # asked again: another process may have been faster
        if version < VERSION:
            _bring_up(connection, version)


def _bring_up(connection: sqlite3.Connection, version: int) -> None:
    for statement in (one for step in STEPS[version:] for one in step):
        connection.execute(statement)
    add_missing_hashes(connection)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def check(folder: Path) -> None:
    """Refuse an index that is damaged or of another version."""
    path = folder / NAME
    with reading(folder) as connection:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise _damaged(path, found)
        version = _version(connection)
    if version != VERSION:
        fix = "use the version of heldout that wrote it, or choose another folder"
        raise DataError(f"{path} is an index of version {version}, but this heldout reads {VERSION}", fix=fix)


def _text(stored: bytes) -> str:
    """A stored text; one that is damaged stays readable, so that it does not hide the others."""
    return stored.decode("utf-8", "replace")


def _version(connection: sqlite3.Connection) -> int:
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    return int(found)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what SQLite says into a sentence and a remedy."""
    try:
        yield
    except sqlite3.OperationalError as problem:
        raise _refused(path, str(problem)) from None
    except (sqlite3.DatabaseError, UnicodeDecodeError) as problem:  # names of columns are decoded by Python
        raise _damaged(path, str(problem)) from None


def _refused(path: Path, reason: str) -> UsageError | DataError:
    if "locked" in reason:
        fix = "wait for the other process to end, and try again"
        return UsageError(f"{path} has been held by another process for {PATIENCE:.0f} seconds", fix=fix)
    if "readonly" in reason or "unable to open" in reason:
        fix = "choose a folder that may be written"
        return UsageError(f"the store {path.parent} cannot be written: {reason}", fix=fix)
    if "full" in reason or "disk I/O" in reason:
        fix = "make room on the disk and run the same command again: finished pieces are kept"
        return UsageError(f"the store {path.parent} cannot be written: {reason}", fix=fix)
    return _damaged(path, reason)


def _damaged(path: Path, reason: str) -> DataError:
    said = " ".join(reason.split())[:200]
    fix = (
        f"put a copy of {path.name} in its place; without one, move it away: "
        "recorded results and looks are lost, and finished fits are computed again"
    )
    return DataError(f"the index {path} is damaged: {said}", code="H100", fix=fix)
