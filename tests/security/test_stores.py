"""A run folder or store from elsewhere is data: reading it runs nothing, and touches no file outside it."""

from __future__ import annotations

import hashlib
import os
import pickle
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from heldout.store import open_store, work

KEY = work(data="d", learner="l", split=0, seed=0)
WATCHED = """
import sys

def refuse(event, arguments):
    if event in ("pickle.find_class", "os.system", "subprocess.Popen"):
        raise RuntimeError(f"{event} {arguments}")

sys.addaudithook(refuse)
from heldout.cli import main
main()
"""


class Attack:
    def __reduce__(self):
        return (os.system, ("touch pwned",))


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kept = open_store("kept")
    kept.keep(KEY, {"row": [0, 1], "prediction_0": [1, 0]})
    return kept


def point_to(file, data):
    """Have the index vouch for a file and its bytes."""
    index = sqlite3.connect("kept/index.sqlite")
    with index:
        index.execute("UPDATE pieces SET file = ?, sha256 = ?", (file, hashlib.sha256(data).hexdigest()))
    index.close()


@pytest.mark.parametrize("file", ["../victim.parquet", "{here}/victim.parquet", "pieces/../../victim.parquet"])
def test_an_index_cannot_name_files_outside_its_folder(store, tmp_path, file):
    piece = next(Path("kept/pieces").iterdir()).read_bytes()
    Path("victim.parquet").write_bytes(piece)
    point_to(file.format(here=tmp_path), piece)
    assert store.pieces([KEY]).tables == {}  # not read
    assert store.keep(KEY, {"row": [0, 1], "prediction_0": [1, 0]})
    store.compact([KEY])
    assert Path("victim.parquet").read_bytes() == piece  # not removed


@pytest.mark.parametrize("data", [pickle.dumps(Attack()), b"PAR1", b""])
def test_a_piece_that_is_no_table_is_computed_again_and_not_run(store, data):
    (piece,) = Path("kept/pieces").iterdir()
    piece.write_bytes(data)
    point_to(f"pieces/{piece.name}", data)
    found = store.pieces([KEY])
    assert found.tables == {}
    assert found.notes == (f"{piece} is damaged: it holds no table; its pieces are computed again",)
    assert not Path("pwned").exists()


def test_resuming_a_run_and_showing_records_unpickles_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    learner = (
        "class Mean:\n    def fit(self, X, y):\n        self.mean = sum(y) / len(y)\n        return self\n"
        "    def predict(self, X):\n        return [self.mean] * len(X)\n"
        "    def get_params(self, deep=True):\n        return {}\n"
    )
    Path("own.py").write_text(learner, encoding="utf-8")
    rows = [f"{i % 7},{i * 3 % 11}.5" for i in range(40)]
    Path("rows.csv").write_text("\n".join(["a,y", *rows]), encoding="utf-8")
    validate = ("validate", "own.py:Mean", "--data", "rows.csv", "--target", "y", "--cv", "4", "--run", "kept", "-q")
    again = (*validate, "--save", "again")
    for command in (validate, again, ("runs", "kept"), ("runs", "kept", "show", "again"), ("runs", "kept", "export")):
        done = subprocess.run(
            [sys.executable, "-c", WATCHED, *command], capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, done.stderr
