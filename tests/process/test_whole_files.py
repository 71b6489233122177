"""A disk that is full in the middle of a file leaves the old file, or the whole new one."""

from __future__ import annotations

import os
import resource

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
MOST = 100
"""Bytes that a file may have: fewer than any of these outputs."""
OLD = "old\n"


def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, MOST))


VALIDATE = ("validate", "learner.py:Majority", "--data", "rows.csv", "--target", "y", "--cv", "3")
GATE = ("gate", "old.csv", "new.csv", "--primary", "roc_auc", "--margin", "0.01")


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "old.csv", "-o", "file.txt"),
        ("evaluate", "old.csv", "--report", "file.html"),
        ("compare", "old.csv", "new.csv", "--chart", "roc.svg"),
        (*VALIDATE, "--model", "model.joblib"),
        (*VALIDATE, "--keep-predictions", "rows.parquet"),
        (*GATE, "--junit", "file.xml"),
    ],
    ids=lambda command: command[-2],
)
def test_a_file_that_does_not_fit_leaves_the_old_one(folder, run, helpers, command):
    name = command[-1]
    (folder / name).write_text(OLD, encoding="utf-8")
    message = (
        f"error: {name} cannot be written: File too large\n  Fix: free space on the disk, or write to another place\n"
    )
    assert run(*command, "-q", preexec_fn=limit) == (2, "", message)
    assert (folder / name).read_text(encoding="utf-8") == OLD
    assert helpers.left_in(folder) == []


def test_a_store_that_does_not_fit_is_named_and_stays_sound(folder, run):
    assert run("evaluate", "old.csv", "-q", "--save", "first")[0] == 0
    before = (folder / ".heldout" / "index.sqlite").stat().st_size

    def no_more():
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, before))

    code, _, err = run("evaluate", "old.csv", "-q", "--save", "second", preexec_fn=no_more)
    assert code == 2
    assert "error: the store .heldout cannot be written: " in err
    code, out, _ = run("runs", "-f", "csv")
    assert (code, [line.split(",")[2] for line in out.splitlines()]) == (0, ["name", "first"])
