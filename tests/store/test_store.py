from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from heldout.errors import DataError, UsageError
from heldout.file_writing import name_new
from heldout.store import Store, fingerprint, folder as folder_module, open_store, work
from heldout.store.index import reading

PIECES = 60
WORKER = """
import sys, numpy as np
from heldout.store import open_store, work
store, count = open_store(sys.argv[1]), int(sys.argv[2])
keys = [work(data="d", learner="l", split=i, seed=0) for i in range(count)]
for i, key in enumerate(keys):
    if store.piece(key) is None:
        draw = np.random.default_rng(i)
        print("now", i, flush=True)
        if "paced" in sys.argv:
            sys.stdin.readline()
        store.keep(key, {"row": np.arange(50), "score": draw.random(50)})
print(store.compact(keys)[0].name, flush=True)
"""


def start(folder, count=PIECES, *options):
    command = [sys.executable, "-c", WORKER, str(folder), str(count), *options]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def finished(process):
    out, problem = process.communicate(timeout=60)
    assert process.returncode == 0, problem
    return out


def files(folder):
    return {path.name: path.read_bytes() for path in (Path(folder) / "pieces").iterdir()}


def key(i=0):
    return work(data="d", learner="l", split=i, seed=0)


@pytest.fixture
def store(tmp_path):
    return open_store(tmp_path / "runs")


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.slow
def test_a_run_killed_ten_times_ends_with_the_same_bytes(tmp_path):
    """Each time some pieces are begun, and the process dies a moment after the last of them was: in its writing.

    A piece is begun only when it is asked for, so that a fast disk does not finish them all before the kill.
    """
    finished(start(tmp_path / "calm"))
    draw, kept = np.random.default_rng(5), []
    for _ in range(10):
        process = start(tmp_path / "killed", PIECES, "paced")
        for _begun in range(draw.integers(2, 6)):
            process.stdout.readline()
            process.stdin.write("\n")
            process.stdin.flush()
        time.sleep(draw.uniform(0, 0.02))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        found = open_store(tmp_path / "killed").pieces([key(i) for i in range(PIECES)])
        assert found.notes == ()
        kept.append(len(found.tables))
    assert kept == sorted(kept)  # nothing that was finished is ever lost
    assert kept[0] > 0
    assert len(set(kept)) > 5  # the kills fell in the midst of the work
    assert kept[-1] < PIECES
    finished(start(tmp_path / "killed"))
    calm, killed = files(tmp_path / "calm"), files(tmp_path / "killed")
    assert list(calm) == list(killed)
    assert len(calm) == 1
    assert calm == killed


@pytest.mark.slow
def test_two_processes_at_once(tmp_path):
    finished(start(tmp_path / "calm"))
    both = [start(tmp_path / "shared") for _ in range(2)]
    assert len({finished(process).splitlines()[-1] for process in both}) == 1
    assert files(tmp_path / "shared") == files(tmp_path / "calm")


def test_the_first_write_stays(store):
    assert store.keep(key(), {"a": [1]})
    assert not store.keep(key(), {"a": [2]})
    assert store.piece(key()).to_pydict() == {"a": [1]}
    assert store.piece(key(1)) is None


@pytest.mark.parametrize("compacted", [False, True])
@pytest.mark.parametrize("spoil", [lambda data: data[:-9], lambda data: b"", lambda data: data[:9] + b"x" + data[10:]])
def test_a_damaged_file_is_named_and_computed_anew(store, spoil, compacted):
    store.keep(key(), {"a": [1, 2, 3]})
    if compacted:
        store.compact([key()])
    (path,) = (store.path / "pieces").iterdir()
    path.write_bytes(spoil(path.read_bytes()))
    found = store.pieces([key()])
    assert found.tables == {}
    assert found.notes == (f"{path} is damaged: it is not what was written; its pieces are computed again",)
    assert store.keep(key(), {"a": [1, 2, 3]})
    assert store.piece(key()).to_pydict() == {"a": [1, 2, 3]}


def test_a_removed_file_is_named(store):
    store.keep(key(), {"a": [1]})
    path = store.path / "pieces" / f"{key().digest}.parquet"
    path.unlink()
    note = f"{path} cannot be read (No such file or directory); its pieces are computed again"
    assert store.pieces([key()]).notes == (note,)


def test_a_file_the_index_does_not_vouch_for_is_not_trusted(store):
    (store.path / "pieces" / f"{key().digest}.parquet").write_bytes(b"left by a killed process")
    assert store.piece(key()) is None
    assert store.keep(key(), {"a": [1]})
    assert store.piece(key()).num_rows == 1


REPAIR = (
    "put a copy of index.sqlite in its place; without one, move it away: recorded results and looks are lost, and "
    "finished fits are computed again"
)


def test_an_emptied_index_is_damaged_and_not_a_new_one(store):
    index = store.path / "index.sqlite"
    index.write_bytes(b"")
    with pytest.raises(DataError) as caught:
        open_store(store.path)
    assert str(caught.value) == f"[H100] the index {index} is damaged: it is empty\n  Fix: {REPAIR}"


def test_a_process_that_is_slower_to_make_the_index_uses_that_of_the_other(tmp_path, monkeypatch):
    first = open_store(tmp_path / "made")
    first.keep(key(), {"a": [1]})

    def late(temporary, path):
        path.write_bytes((first.path / "index.sqlite").read_bytes())
        name_new(temporary, path)

    monkeypatch.setattr(folder_module, "name_new", late)
    second = open_store(tmp_path / "late")
    assert [path.name for path in second.path.iterdir()] == ["pieces", "index.sqlite"]
    assert list((second.path / "pieces").iterdir()) == []
    with reading(second.path) as connection:
        assert connection.execute("SELECT count(*) FROM pieces").fetchone() == (1,)


def test_a_damaged_index_is_named_and_replaced(store):
    store.keep(key(), {"a": [1]})
    index = store.path / "index.sqlite"
    index.write_bytes(b"nonsense" * 1000)
    with pytest.raises(DataError) as caught:
        open_store(store.path)
    assert str(caught.value) == (f"[H100] the index {index} is damaged: file is not a database\n  Fix: {REPAIR}")
    index.unlink()
    again = open_store(store.path)
    assert again.piece(key()) is None
    assert again.keep(key(), {"a": [1]})


def test_an_index_of_a_later_version_is_refused(store):
    import sqlite3

    with sqlite3.connect(store.path / "index.sqlite") as index:
        index.execute("PRAGMA user_version = 9")
    index.close()
    with pytest.raises(DataError) as caught:
        open_store(store.path)
    assert str(caught.value) == (
        f"{store.path / 'index.sqlite'} is an index of version 9, but this heldout reads 4\n"
        "  Fix: use the version of heldout that wrote it, or choose another folder"
    )


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "taken").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        open_store(tmp_path / "taken" / "runs")
    assert str(caught.value) == (
        f"the store {tmp_path / 'taken' / 'runs'} cannot be written: Not a directory\n"
        "  Fix: choose a folder that may be written and has room; finished pieces are kept"
    )


def test_a_missing_store_is_refused_where_it_must_exist(tmp_path):
    with pytest.raises(UsageError) as caught:
        open_store(tmp_path / "none", make=False)
    assert str(caught.value) == (
        f"no runs are recorded in {tmp_path / 'none'}\n  Fix: name a folder that --save or --run has written to"
    )
    assert not (tmp_path / "none").exists()


def test_compacting(store):
    for i in range(5):
        store.keep(key(i), {"a": np.arange(i), "b": np.full(i, float(i))})
    before = store.pieces([key(i) for i in range(5)]).tables
    (path,) = store.compact([key(i) for i in range(5)])
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    after = store.pieces([key(i) for i in range(5)]).tables
    assert before == after
    first = path.read_bytes()
    assert store.compact([key(i) for i in reversed(range(5))]) == (path,)
    assert path.read_bytes() == first


def test_pieces_of_two_kinds_are_two_files(store):
    store.keep(key(0), {"a": [1]})
    store.keep(key(1), {"a": [1], "p": [0.5]})
    assert len(store.compact([key(0), key(1)])) == 2
    assert store.piece(key(1)).column_names == ["a", "p"]


def test_unfinished_pieces_are_not_compacted(store):
    store.keep(key(0), {"a": [1]})
    with pytest.raises(UsageError) as caught:
        store.compact([key(0), key(1)])
    assert str(caught.value) == "1 of 2 pieces are not finished\n  Fix: finish them with keep, then compact"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"piece": [1]}, "a piece has a column named 'piece'\n  Fix: give the column another name"),
        ([1], "a piece is a table, but this is a list\n  Fix: give columns by name or a pyarrow Table"),
    ],
)
def test_what_is_no_piece_is_refused(store, table, said):
    with pytest.raises(UsageError) as caught:
        store.keep(key(), table)
    assert str(caught.value) == said


def test_looks_stay_when_a_record_goes(store):
    first = store.record({"schema": "x"}, name="old", verb="evaluate", data="rows")
    second = store.record({"schema": "x"}, name="new", verb="evaluate", command="heldout evaluate new.csv", data="rows")
    assert [(one.name, one.look) for one in store.records()] == [("old", 1), ("new", 2)]
    assert (second.result, second.command) == ({"schema": "x"}, "heldout evaluate new.csv")
    store.delete(first.id[:8])
    assert [one.id for one in store.records()] == [second.id]
    assert (store.looks("rows"), store.looks("other")) == (2, 0)
    with pytest.raises(UsageError) as caught:
        store.delete(first.id)
    assert str(caught.value) == f"no run is called {first.id!r}\n  Fix: heldout runs lists all"


def test_resuming_reads_a_compacted_file_once(store, monkeypatch):
    """A thousand pieces cost one file: what grows with their number is one line of the index each."""
    keys = [key(i) for i in range(30)]
    for one in keys:
        store.keep(one, {"a": [1]})
    store.compact(keys)
    read = []
    plain = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: (read.append(path), plain(path))[1])
    assert len(store.pieces(keys).tables) == 30
    assert len(read) == 1


def test_a_store_may_be_sent_to_another_process(store):
    import pickle

    assert pickle.loads(pickle.dumps(store)) == Store(store.path)


class Learner:
    def __init__(self, depth):
        self.depth = depth


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        ("1", 1),
        ([1, [2]], [[1], 2]),
        (np.zeros(4), np.zeros((2, 2))),
        (np.zeros(2, dtype="f4"), np.zeros(2)),
        (np.array(["a", None], dtype=object), np.array(["a", "b"], dtype=object)),
        (Learner(1), Learner(2)),
        (partial(max, 1), partial(max, 2)),
        (lambda x: x + 1, lambda x: x + 2),
        (np.random.default_rng(0), np.random.default_rng(1)),
        (pa.table({"a": ["ab", "c"]}), pa.table({"a": ["a", "bc"]})),
    ],
)
def test_different_things_have_different_hashes(one, other):
    assert fingerprint(one) != fingerprint(other)


def test_the_same_things_have_the_same_hash(tmp_path):
    import pandas as pd
    import polars as pl

    columns = {"a": [1, 2, 3], "b": ["x", "yy", "z"]}
    assert fingerprint(pd.DataFrame(columns)) == fingerprint(pl.DataFrame(columns)) == fingerprint(pa.table(columns))
    assert fingerprint(pa.table(columns).slice(1)) == fingerprint(pl.DataFrame(columns)[1:])
    square = np.arange(6.0).reshape(2, 3)
    assert fingerprint(square) == fingerprint(np.asfortranarray(square)) == fingerprint(square.astype(">f8"))
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint(Learner(3)) == fingerprint(Learner(3))
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "b").write_bytes(b"1")
    assert fingerprint(tmp_path / "a") == fingerprint(tmp_path / "b")


def test_hashes_are_the_same_in_every_process():
    code = (
        "from sklearn.tree import DecisionTreeClassifier as T; from heldout.store import fingerprint as f\n"
        "print(f(T(max_depth=3)), f({'a', 'b', 'c'}), f({'x': (1, None)}))"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]


def test_what_has_no_hash_is_named():
    held: list[object] = []
    held.append(held)
    with pytest.raises(UsageError) as caught:
        fingerprint(held)
    assert str(caught.value) == (
        "a list refers to itself and has no hash\n  Fix: give parameters that do not hold the object itself"
    )
