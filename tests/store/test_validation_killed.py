"""A validation that is killed again and again ends like one that was left alone: the same bytes, the same numbers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from heldout.store import open_store

FITS = 2 * (30 + 1)
WORKER = """
import json, sys, time
import numpy as np
import heldout
from sklearn.naive_bayes import GaussianNB

class Slow(GaussianNB):
    __module__ = "worker"

    def fit(self, X, y):
        time.sleep(0.01)
        return super().fit(X, y)

rng = np.random.default_rng(1)
X = rng.normal(size=(90, 3))
y = np.where(X[:, 0] + rng.normal(size=90) > 0, "yes", "no")
learners = {"nb": Slow(), "smooth": GaussianNB(var_smoothing=0.1)}
print("ready", flush=True)
found = heldout.validate(learners, X, y, run=sys.argv[1], progress=lambda done, of: print(done, of, flush=True))
print(json.dumps(found.to_dict()), flush=True)
"""


def start(folder):
    command = [sys.executable, "-c", WORKER, str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process):
    out, problem = process.communicate(timeout=120)
    assert process.returncode == 0, problem
    return out.splitlines()


def files(folder):
    return {path.name: path.read_bytes() for path in (Path(folder) / "pieces").iterdir()}


def kept(folder):
    """How many fits the index vouches for."""
    import sqlite3

    index = sqlite3.connect(open_store(folder).path / "index.sqlite")
    try:
        return index.execute("SELECT count(*) FROM pieces").fetchone()[0]
    finally:
        index.close()


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.slow
def test_a_validation_killed_ten_times_ends_with_the_same_bytes_and_numbers(tmp_path):
    calm = finished(start(tmp_path / "calm"))
    assert calm[-2] == f"{FITS} {FITS}"
    draw, after = np.random.default_rng(6), []
    for _ in range(10):
        process = start(tmp_path / "killed")
        assert process.stdout.readline() == "ready\n"
        for _begun in range(draw.integers(1, 6)):
            process.stdout.readline()
        time.sleep(draw.uniform(0, 0.03))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        after.append(kept(tmp_path / "killed"))
    assert after == sorted(after)  # what was finished stays
    assert after[0] > 0
    assert after[-1] < FITS  # the kills fell in the midst of the work
    last = finished(start(tmp_path / "killed"))
    assert last[1] == f"{after[-1] + 1} {FITS}"
    assert last[-1] == calm[-1]
    assert files(tmp_path / "killed") == files(tmp_path / "calm")
    assert finished(start(tmp_path / "killed")) == ["ready", calm[-1]]  # once more: nothing is fitted
