"""The index of a store: transactions are kept whole or not at all, and what SQLite says becomes a sentence."""

from __future__ import annotations

import sqlite3

import pytest

from heldout.errors import DataError, UsageError
from heldout.store import index
from heldout.store.index import NAME, VERSION, check, make, prepare, reading, writing


@pytest.fixture
def folder(tmp_path):
    make(tmp_path / NAME)
    return tmp_path


def looks(folder):
    with reading(folder) as connection:
        return connection.execute("SELECT data, look FROM looks ORDER BY look").fetchall()


def test_a_transaction_is_kept_whole(folder):
    with writing(folder) as connection:
        connection.execute("INSERT INTO looks VALUES ('rows', 1, 'a')")
        connection.execute("INSERT INTO looks VALUES ('rows', 2, 'b')")
    assert looks(folder) == [("rows", 1), ("rows", 2)]


def test_or_not_at_all(folder):
    def interrupted():
        with writing(folder) as connection:
            connection.execute("INSERT INTO looks VALUES ('rows', 1, 'a')")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert looks(folder) == []


def test_a_full_disk_is_named_and_what_was_kept_stays(folder):
    def too_much():
        with writing(folder) as connection:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages}")  # SQLite then does as on a disk without room
            connection.execute("INSERT INTO looks VALUES ('rows', 2, ?)", ("b" * 100_000,))

    with writing(folder) as connection:
        connection.execute("INSERT INTO looks VALUES ('rows', 1, 'a')")
    with pytest.raises(UsageError) as refused:
        too_much()
    assert str(refused.value) == (
        f"the store {folder} cannot be written: database or disk is full\n"
        "  Fix: make room on the disk and run the same command again: finished pieces are kept"
    )
    assert looks(folder) == [("rows", 1)]
    check(folder)


def test_tables_are_made_once(folder):
    with writing(folder) as connection:
        connection.execute("INSERT INTO looks VALUES ('rows', 1, 'a')")
    prepare(folder)
    assert looks(folder) == [("rows", 1)]
    check(folder)


def test_an_index_of_another_version_is_refused(folder):
    with reading(folder) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(DataError, match=f"is an index of version {VERSION + 1}, but this heldout reads {VERSION}"):
        check(folder)


def test_a_damaged_index_is_named(folder):
    path = folder / NAME
    path.write_bytes(b"no database" * 500)
    with pytest.raises(DataError) as refused:
        check(folder)
    assert str(refused.value).startswith(f"[H100] the index {path} is damaged: ")


def test_another_process_that_writes_is_waited_for_and_then_told(folder, monkeypatch):
    monkeypatch.setattr(index, "PATIENCE", 0.05)
    other = sqlite3.connect(folder / NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(UsageError, match="has been held by another process for 0 seconds"), writing(folder):
        pass
    other.execute("ROLLBACK")
    other.close()
    with writing(folder) as connection:
        connection.execute("INSERT INTO looks VALUES ('rows', 1, 'a')")
    assert looks(folder) == [("rows", 1)]


def test_a_folder_that_is_not_there_cannot_be_written(tmp_path):
    with pytest.raises(UsageError, match="cannot be written: unable to open database file"):
        prepare(tmp_path / "nowhere")
