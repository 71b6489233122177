"""After the program has ended nothing of it is left, and its end does not depend on threads of native libraries."""

from __future__ import annotations

import json

import pytest

DEFINE = """
import atexit, heldout
from pathlib import Path

class Witness:
    def __del__(self, write=Path.write_text, place=Path("taken-down")):
        write(place, "the interpreter was taken down")

witness = Witness()
atexit.register(Path("exit-functions").write_text, "were run")
heldout.define("mine", lambda truth, prediction: truth == prediction)
"""


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "old.csv", "--report", "r.html", "--chart", "roc=r.svg", "--save"),
        ("compare", "old.csv", "new.csv", "--memory", "1K", "--group", "id"),
        ("validate", "learner.py:Majority", "--data", "rows.csv", "--target", "y", "--n-jobs", "2", "--run", "kept"),
        ("lab", "coverage", "wilson", "--world", "labels", "--metric", "f1", "--n", "30", "--repeats",
         "60", "--n-jobs", "2"),
    ],
    ids=lambda command: command[0],
)  # fmt: skip
def test_no_process_and_no_temporary_file_is_left(folder, start, helpers, command):
    process = start(*command, "-q")
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    assert helpers.alive(process.pid) == []
    assert helpers.left_in(folder) == []


def test_exit_functions_run_and_the_interpreter_is_not_taken_down(folder, run):
    (folder / "own.py").write_text(DEFINE, encoding="utf-8")
    code, out, _ = run("evaluate", "old.csv", "--define", "own.py", "--json")
    assert (code, json.loads(out)["rows"]) == (0, 80)
    assert (folder / "exit-functions").exists()
    assert not (folder / "taken-down").exists()


def test_processes_that_write_to_one_store_wait_for_each_other(start, run):
    running = [start("evaluate", "old.csv", "-q", "--save", f"run{at}") for at in range(4)]
    assert [process.wait(60) for process in running] == [0] * 4
    listed = json.loads(run("runs", "--json")[1])["runs"]
    assert sorted(one["look"] for one in listed) == [1, 2, 3, 4]


def test_two_validations_in_one_run_folder_give_the_same_result(start):
    command = ("validate", "learner.py:Majority(seconds=0.02)", "--data", "rows.csv", "--target", "y", "--json")
    running = [start(*command, "--run", "kept") for _ in range(2)]
    answers = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert answers[0][0] == answers[1][0]
    assert json.loads(answers[0][0])["rows"] == 60
