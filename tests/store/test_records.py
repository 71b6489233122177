"""Results that were recorded, and how often rows were looked at."""

from __future__ import annotations

import pytest

from heldout.errors import UsageError
from heldout.store.index import NAME, make, prepare, reading, writing
from heldout.store.records import added, count, listed, named

FACTS = {"time": "2026-03-02T10:14:05+00:00", "verb": "evaluate", "command": "heldout evaluate"}


@pytest.fixture
def folder(tmp_path):
    make(tmp_path / NAME)
    return tmp_path


def add(folder, name, data="rows", result=None):
    with writing(folder) as connection:
        return added(connection, result or {"value": 0.5}, name=name, data=data, **FACTS)


def every(folder):
    with reading(folder) as connection:
        return listed(connection)


def test_records_come_back_as_they_went_the_oldest_first(folder):
    ids = [add(folder, "first", result={"value": 0.1, "text": "ü"}), add(folder, "second", data=None)]
    first, second = every(folder)
    assert [first.id, second.id] == ids
    assert first.result == {"value": 0.1, "text": "ü"}
    assert (first.verb, first.command, first.time) == ("evaluate", "heldout evaluate", FACTS["time"])
    assert (second.data, second.look) == (None, None)


def test_looks_at_the_same_rows_are_counted(folder):
    for name in "abc":
        add(folder, name)
    add(folder, "d", data="others")
    assert [one.look for one in every(folder)] == [1, 2, 3, 1]
    with reading(folder) as connection:
        assert (count(connection, "rows"), count(connection, "others"), count(connection, "none")) == (3, 1, 0)


def test_a_look_stays_when_its_record_goes(folder):
    add(folder, "a")
    with writing(folder) as connection:
        connection.execute("DELETE FROM records")
    add(folder, "b")
    assert [one.look for one in every(folder)] == [2]


def test_a_result_that_is_no_json_is_not_kept(folder):
    with pytest.raises(ValueError, match="JSON"):
        add(folder, "a", result={"value": float("nan")})
    assert every(folder) == ()


def test_by_name_or_by_the_beginning_of_the_id(folder):
    ids = [add(folder, "a"), add(folder, "b")]
    records = every(folder)
    assert named(records, "b").id == ids[1]
    assert named(records, ids[0]).name == "a"
    with pytest.raises(UsageError, match=r"^no run is called ''"):
        named(records, "")
    with pytest.raises(UsageError, match=r"^no run is called 'zzz'"):
        named(records, "zzz")


def test_a_name_goes_before_an_id_that_begins_alike(folder):
    first = add(folder, "other")
    second = add(folder, first[:1])
    assert named(every(folder), first[:1]).id == second


def test_a_name_that_several_runs_have_means_the_newest(folder):
    ids = [add(folder, "same"), add(folder, "other"), add(folder, "same")]
    assert named(every(folder), "same").id == ids[2]


def test_an_id_that_several_runs_begin_with_is_ambiguous(folder):
    one, other = "a1" + "0" * 10, "a1" + "f" * 10
    for id, name in zip((one, other), ("first", "second"), strict=True):
        made = add(folder, name)
        with writing(folder) as connection:
            connection.execute("UPDATE records SET id = ? WHERE id = ?", (id, made))
    with pytest.raises(UsageError) as refused:
        named(every(folder), "a1")
    assert str(refused.value).startswith(f"'a1' could be 2 runs: {one}, {other}")


def test_a_test_set_is_known_by_any_of_its_hashes(folder):
    with writing(folder) as connection:
        for data, also in (("content", ["order"]), ("other order", ["content"]), ("order", []), ("new", ["newer"])):
            added(connection, {"value": 1}, name="a", data=data, also=also, **FACTS)
    assert [one.look for one in every(folder)] == [1, 2, 3, 1]
    assert {one.data for one in every(folder)} == {"content", "new"}


def test_looks_of_a_store_of_version_1_still_count(folder):
    with writing(folder) as connection:
        connection.execute("DROP TABLE test_sets")
        connection.execute("ALTER TABLE records DROP COLUMN sha256")
        connection.execute("INSERT INTO looks VALUES ('order', 1, 'x')")
        connection.execute("PRAGMA user_version = 1")
    prepare(folder)
    with writing(folder) as connection:
        added(connection, {"value": 1}, name="a", data="content", also=["order"], **FACTS)
    assert [one.look for one in every(folder)] == [2]


def test_a_record_without_its_hash_is_damaged(folder):
    with writing(folder) as connection:
        added(connection, {"value": 1}, name="a", data=None, **FACTS)
        connection.execute("UPDATE records SET result = '{\"value\": 2}', sha256 = NULL")
    assert [(one.is_damaged, one.result) for one in every(folder)] == [(True, {})]


@pytest.mark.parametrize("version", [2, 3])
def test_records_of_earlier_versions_get_their_hash(folder, version):
    with writing(folder) as connection:
        added(connection, {"value": 1}, name="a", data=None, **FACTS)
        connection.execute("UPDATE records SET sha256 = NULL")
        if version == 2:
            connection.execute("ALTER TABLE records DROP COLUMN sha256")
        connection.execute(f"PRAGMA user_version = {version}")
    prepare(folder)
    assert [(one.is_damaged, one.result) for one in every(folder)] == [(False, {"value": 1})]
    with writing(folder) as connection:
        connection.execute("UPDATE records SET result = '{\"value\": 2}'")
    assert [one.is_damaged for one in every(folder)] == [True]
