"""The same input and seed give the same bytes, whatever process, number of threads or processes, or hash seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fuzz.options import commands
from tests.fuzz.running import outcome
from tests.laws.sound_calls import LEFT_OUT, calls

ROOT = Path(__file__).parents[2]
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS", "ARROW_IO_THREADS")


def child(threads: int, backwards: str = "", **environment: str) -> subprocess.Popen[str]:
    """A process that makes every call."""
    more = {**dict.fromkeys(THREADS, str(threads)), **environment}
    command = [sys.executable, "-W", "ignore", "-m", "tests.laws.sound_calls", backwards]
    return subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **more}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.slow
def test_processes_threads_hash_seeds_and_earlier_calls_change_no_byte(tmp_path):
    here = child(1, PYTHONHASHSEED="0")
    there = child(3, "backwards", PYTHONHASHSEED="1", LANG="C", TZ="Asia/Tokyo", TMPDIR=str(tmp_path))
    (first, problem), (second, other) = (one.communicate() for one in (here, there))
    assert (problem, other) == ("", "")
    expected, found = json.loads(first), json.loads(second)
    assert {name for name in expected if expected[name] != found[name]} == set()
    tried = {name.rpartition(" ")[0] for name in expected if not name.startswith("many ")}
    assert tried == {" ".join(command) for command in commands()} - set(LEFT_OUT)


def parallel() -> list[str]:
    """The calls of commands that can use several processes."""
    known = {" ".join(command): [one.name for one in made.params] for command, made in commands().items()}
    return [name for name, options in known.items() if "n_jobs" in options and name not in LEFT_OUT]


@pytest.mark.slow
@pytest.mark.parametrize("command", parallel())
def test_the_number_of_processes_changes_no_byte(command, sound):
    case = sound[f"{command} 0"]
    alone, together = (outcome(replace(case, words=(*case.words, ("--n-jobs", count)))) for count in ("1", "2"))
    assert alone.code == together.code == 0
    assert alone.out == together.out


@pytest.fixture(scope="module")
def sound():
    return {name: replace(case, forms=()) for name, case in calls()}
