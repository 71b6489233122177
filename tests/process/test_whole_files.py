"""A disk that is full in the middle of a file leaves the old file, or the whole new one."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess

import pytest

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="limits of POSIX"),
    pytest.mark.usefixtures("unmeasured"),
]
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


MOUNTING = ("unshare", "--user", "--map-root-user", "--mount")
SCRIPT = """
mount -t tmpfs -o size=512k none disk && cp -r .heldout disk/store || exit 99
cat /dev/zero >disk/rest 2>/dev/null
"$@"
code=$?
rm -r .heldout && cp -r disk/store .heldout
exit $code
"""
"""Runs a command on a small disk without room, which holds a copy of the store, and copies the store back."""


def test_a_disk_without_room_is_not_taken_for_a_damaged_store(folder, run):
    (folder / "disk").mkdir()
    allowed = shutil.which("unshare") and not subprocess.run([*MOUNTING, "true"], check=False).returncode
    if not allowed:
        pytest.skip("no disk can be mounted here")
    assert run("evaluate", "old.csv", "-q", "--save", "first")[0] == 0
    full = (*MOUNTING, "sh", "-c", SCRIPT, "sh")
    code, _, err = run("evaluate", "new.csv", "-q", "--save", "second", "--run", "disk/store", wrapper=full)
    assert code == 2
    assert err == (
        "error: the store disk/store cannot be written: database or disk is full\n"
        "  Fix: make room on the disk and run the same command again: finished pieces are kept\n"
    )
    code, out, _ = run("runs", "-f", "csv")
    assert (code, [line.split(",")[2] for line in out.splitlines()]) == (0, ["name", "first"])
