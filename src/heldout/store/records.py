"""Results that were recorded: what was found, when, by which command, and on which rows."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heldout.errors import UsageError

COLUMNS = "records.id, time, name, verb, command, options, result, data, look"
JOINED = "records LEFT JOIN looks ON looks.id = records.id"


@dataclass(frozen=True, kw_only=True)
class Record:
    """One recorded result."""

    id: str
    time: str
    """When, in UTC, as 2026-03-02T10:14:05+00:00."""
    name: str
    verb: str
    command: str
    options: dict[str, Any]
    result: dict[str, Any]
    """The result's own JSON."""
    data: str | None
    """Hash of the rows that were looked at; None where there were none."""
    look: int | None
    """Which look at these rows it was, from 1."""

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
    options: Mapping[str, Any],
    data: str | None,
    also: Sequence[str] = (),
) -> str:
    """Write a record and the look that it was, inside the caller's transaction; its id.

    `also` has further hashes by which the same rows may be recognised.
    """
    said = json.dumps(result, ensure_ascii=False, allow_nan=False)
    id = secrets.token_hex(6)  # never used again: the looks of a deleted record keep theirs
    words = (id, time, name, verb, command, json.dumps(dict(options), ensure_ascii=False), said)
    connection.execute(
        "INSERT INTO records (id, time, name, verb, command, options, result) VALUES (?, ?, ?, ?, ?, ?, ?)", words
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
    id, time, name, verb, command, options, result, data, look = line
    return Record(
        id=id,
        time=time,
        name=name,
        verb=verb,
        command=command,
        options=json.loads(options),
        result=json.loads(result),
        data=data,
        look=look,
    )


def named(found: tuple[Record, ...], given: str) -> Record:
    """The one record whose name this is, or else whose id begins like this; a name may look like an id."""
    like = [one for one in found if one.name == given]
    like = like or [one for one in found if given and one.id.startswith(given)]
    if len(like) == 1:
        return like[0]
    if not like:
        raise UsageError(f"no run is called {given!r}", fix="heldout runs lists all")
    ids = ", ".join(one.id for one in like[:5])
    raise UsageError(f"{given!r} could be {len(like)} runs: {ids}", fix="give more of the id")
