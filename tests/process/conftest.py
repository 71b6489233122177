"""The real program in a process of its own, with files in a folder of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

LEARNER = """
import hashlib, os, time
from pathlib import Path


class Majority:
    def __init__(self, seconds=0.0, native=False):
        self.seconds, self.native = seconds, native

    def get_params(self, deep=True):
        return {"seconds": self.seconds, "native": self.native}

    def set_params(self, **given):
        self.__dict__.update(given)
        return self

    def fit(self, X, y):
        with Path("begun").open("a") as begun:
            begun.write(f"{os.getpid()}\\n")
        if self.native:
            hashlib.pbkdf2_hmac("sha256", b"a", b"b", 2_000_000_000)
        time.sleep(self.seconds)
        self.classes_ = sorted(set(y))
        return self

    def predict(self, X):
        return [self.classes_[-1]] * len(X)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Predictions of two models, rows to learn from, and a learner; the working folder."""
    pairs = [f"{i},{i % 2},{(i % 2) * 0.3 + (i * 7 % 11) / 16}" for i in range(80)]
    worse = [f"{i},{i % 2},{(i * 5 % 13) / 13}" for i in range(80)]
    for name, lines in (("old", pairs), ("new", worse)):
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,y_true,y_score", *lines]) + "\n", encoding="utf-8")
    rows = [f"{i % 7},{i % 5},{int(i % 7 > 3)}" for i in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,y", *rows]) + "\n", encoding="utf-8")
    (tmp_path / "learner.py").write_text(LEARNER, encoding="utf-8")
    (tmp_path / "temporary").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def unmeasured(monkeypatch):
    """Under `make coverage`: the program writes no file of covered lines, for which a full disk has no room either."""
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)


@pytest.fixture
def start(folder):
    """Start the program; what is still running at the end of the test is killed."""
    running = []

    def begin(*arguments, python=(), env=None, wrapper=(), **options):
        command = [*wrapper, sys.executable, *python, "-m", "heldout", *map(str, arguments)]
        known = os.environ | {"TMPDIR": str(folder / "temporary")} | (env or {})
        given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True, **options}
        environment = {name: value for name, value in known.items() if value is not None}
        # tests that run under nohup would hand down that SIGHUP is ignored
        before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
        try:
            process = subprocess.Popen(command, text=True, encoding="utf-8", env=environment, **given)
        finally:
            signal.signal(signal.SIGHUP, before)
        running.append(process)
        return process

    yield begin
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def run(start):
    """Run the program to its end; its exit code, output and messages."""

    def whole(*arguments, **options):
        process = start(*arguments, **options)
        out, err = process.communicate(timeout=120)
        return process.returncode, out or "", err or ""

    return whole


def begun(folder: Path, processes: int = 1) -> None:
    """Wait until so many processes have begun a fit."""
    place = folder / "begun"
    wait_for(lambda: place.exists() and len(set(place.read_text().split())) >= processes)


def wait_for(there, seconds: float = 60) -> None:
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def alive(session: int) -> list[str]:
    """The processes of a session that are still there; one in brackets has given its memory back, and is ending."""
    listed = subprocess.run(["ps", "-eo", "sid=,pid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    lines = [line.split(None, 3) for line in listed.splitlines()]
    return [line[3] for line in lines if int(line[0]) == session and line[2][0] != "Z" and line[3][0] != "["]


def left_in(folder: Path) -> list[str]:
    """Temporary files beside outputs, and those of the system's folder for them."""
    return sorted(path.name for path in [*folder.rglob("*.part"), *(folder / "temporary").rglob("*")])


@pytest.fixture
def helpers():
    """Functions that several files of tests use; tests are no package."""
    from types import SimpleNamespace

    return SimpleNamespace(begun=begun, wait_for=wait_for, alive=alive, left_in=left_in)
