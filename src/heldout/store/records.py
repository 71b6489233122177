"""Results that were recorded: what was found, when, by which command, and on which rows."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heldout.errors import UsageError

HASHED = "records.id, time, name, verb, command, options, result"
COLUMNS = f"{HASHED}, sha256, data, look"
JOINED = "records LEFT JOIN looks ON looks.id = records.id"
NO_OPTIONS = "{}"
"""The content of a column that was never used; the hashes of older records include it."""
ID = re.compile("[0-9a-f]{12}")


@dataclass(frozen=True, kw_only=True)
class Record:
    """One recorded result."""

    id: str
    time: str
    """When, in UTC, as 2026-03-02T10:14:05+00:00."""
    name: str
    verb: str
    command: str
    result: dict[str, Any]
    """The result's own JSON."""
    data: str | None
    """Hash of the rows that were looked at; None where there were none."""
    look: int | None
    """Which look at these rows it was, from 1."""
    is_damaged: bool = False
    """Whether it is not what was recorded; then its result is empty."""

    def __repr__(self) -> str:
        look = "" if self.look is None else f", look {self.look} at these rows"
        return f"{self.id}: {self.verb} {self.name!r}, {self.time}{look}\n[Record: .result has the recorded JSON]"


def added(
    connection: sqlite3.Connection,
    result: Mapping[str, Any],
    *,
    time: str,
    name: str,
    verb: str,
    command: str,
    data: str | None,
    also: Sequence[str] = (),
) -> str:
    """Write a record and the look that it was, inside the caller's transaction; its id.

    `also` has further hashes by which the same rows may be recognised.
    """
    said = json.dumps(result, ensure_ascii=False, allow_nan=False)
    id = secrets.token_hex(6)  # never used again: the looks of a deleted record keep theirs
    words = tuple(map(as_stored, (id, time, name, verb, command, NO_OPTIONS, said)))
    connection.execute(
        "INSERT INTO records (id, time, name, verb, command, options, result, sha256) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (*words, _sha256(words)),
    )
    if data is not None:
        known = known_rows(connection, (data, *also))
        connection.execute("INSERT INTO looks VALUES (?, ?, ?)", (known, count(connection, known) + 1, id))
        lines = [(key, known) for key in (data, *also)]
        connection.executemany("INSERT OR IGNORE INTO test_sets VALUES (?, ?)", lines)
    return id


def known_rows(connection: sqlite3.Connection, keys: Sequence[str]) -> str:
    """The name of a test set in the ledger: that under which one of its hashes is known, or the first of them."""
    for key in keys:
        found = connection.execute("SELECT data FROM test_sets WHERE key = ?", (key,)).fetchone()
        if found is not None or count(connection, key):  # looks of older stores have no line among test sets
            return str(found[0]) if found is not None else key
    return keys[0]


def count(connection: sqlite3.Connection, data: str) -> int:
    """How often the rows of this hash were looked at."""
    (found,) = connection.execute("SELECT count(*) FROM looks WHERE data = ?", (data,)).fetchone()
    return int(found)


def listed(connection: sqlite3.Connection) -> tuple[Record, ...]:
    """All records, the oldest first."""
    found = connection.execute(f"SELECT {COLUMNS} FROM {JOINED} ORDER BY number")  # noqa: S608 our own names
    return tuple(_record(line) for line in found)


def _record(line: tuple[Any, ...]) -> Record:
    *words, sha256, data, look = line
    id, time, name, verb, command, _, result = words
    is_sound = all(isinstance(word, str) for word in words) and sha256 == _sha256(words) and bool(ID.fullmatch(id))
    said = _object(result) if is_sound else None
    counted = (data is None and look is None) or (
        isinstance(data, str) and data.isascii() and isinstance(look, int) and look > 0
    )
    is_sound = said is not None and counted
    return Record(
        id=str(id),
        time=str(time),
        name=str(name),
        verb=str(verb),
        command=str(command),
        result=said or {} if is_sound else {},
        data=data if counted else None,
        look=look if counted else None,
        is_damaged=not is_sound,
    )


def as_stored(text: str) -> str:
    """The text with what is not valid Unicode as an escape, which JSON reads as what it was."""
    return text.encode("utf-8", "backslashreplace").decode()


def _sha256(words: Sequence[str]) -> str:
    """The hash of what a record says; the look is counted elsewhere."""
    return hashlib.sha256(json.dumps(list(words)).encode()).hexdigest()


def add_missing_hashes(connection: sqlite3.Connection) -> None:
    """Give the records of a version that wrote no hashes theirs, inside the caller's transaction."""
    found = connection.execute(f"SELECT {HASHED} FROM records WHERE sha256 IS NULL").fetchall()  # noqa: S608 our own names
    hashes = [(_sha256(words), words[0]) for words in found if all(isinstance(word, str) for word in words)]
    connection.executemany("UPDATE records SET sha256 = ? WHERE id = ?", hashes)


def _object(text: str) -> dict[str, Any] | None:
    """A JSON object; None where the text is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def named(found: tuple[Record, ...], given: str, *, newest: bool = True) -> Record:
    """The newest record whose name this is, or else the one whose id begins like this; a name may look like an id.

    With newest=False a name that several records have is refused.
    """
    called = [one for one in found if one.name == as_stored(given)]
    like = called or [one for one in found if given and one.id.startswith(given)]
    if len(like) == 1 or (called and newest):
        return like[-1]
    if not like:
        raise UsageError(f"no run is called {given!r}", fix="heldout runs lists all")
    ids = ", ".join(one.id for one in like[:5])
    fix = "name the run to delete by its id" if called else "give more of the id"
    raise UsageError(f"{given!r} could be {len(like)} runs: {ids}", fix=fix)
