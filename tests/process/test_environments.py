"""Terminals, locales, interpreters and folders of every kind: the same result, or a sentence and exit code 2."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess

import pytest

from heldout.cli.address_space import LEAST

EVALUATE = ("evaluate", "old.csv")
VALIDATE = ("validate", "learner.py:Majority", "--data", "rows.csv", "--target", "y", "--cv", "3")


@pytest.fixture
def usual(run):
    """What evaluate prints where nothing is unusual."""
    code, out, err = run(*EVALUATE)
    assert (code, err) == (0, "")
    return out


@pytest.mark.parametrize(
    "unusual",
    [
        {"env": {"HOME": None, "XDG_CACHE_HOME": None, "TERM": "dumb", "COLUMNS": "40"}},
        {"env": {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "COLUMNS": "200"}},
        {"env": {"PYTHONWARNINGS": "error", "PYTHONHASHSEED": "7"}, "python": ("-O",)},
        {"python": ("-OO",)},
    ],
    ids=["no-home-dumb-40", "c-locale-200", "warnings-are-errors-O", "OO"],
)
def test_an_unusual_environment_changes_no_byte(run, usual, unusual):
    assert run(*EVALUATE, **unusual) == (0, usual, "")


@pytest.mark.parametrize("command", [VALIDATE, ("compare", "old.csv", "new.csv", "--report", "r.html")])
def test_warnings_that_are_errors_and_no_docstrings(run, command):
    code, out, err = run(*command, "--json", env={"PYTHONWARNINGS": "error"}, python=("-OO",))
    assert (code, out.count("heldout."), err) == (0, 1, "wrote r.html\n" if "--report" in command else "")


def test_without_docstrings_charts_are_refused_by_name(run):
    assert run(*EVALUATE, "--chart", "roc=roc.svg", python=("-OO",)) == (
        2, "", "error: charts need altair, which does not work under python -OO\n  Fix: run Python without -OO\n",
    )  # fmt: skip


def test_without_docstrings_nothing_is_explained(run):
    message = "error: explain reads documentation, which python -OO leaves out\n  Fix: run Python without -OO\n"
    assert run("explain", "roc_auc", python=("-OO",)) == (2, "", message)


def limited(name, most):
    def limit():
        resource.setrlimit(getattr(resource, name), (most, most))

    return {"preexec_fn": limit}


def test_too_little_address_space_is_refused_at_once(run):
    assert run(*EVALUATE, **limited("RLIMIT_AS", 300 * 2**20)) == (
        2, "",
        ("error: the address space is limited to 300 MB, and heldout needs 1,536 MB\n"
         "  Fix: raise the limit: ulimit -v 1572864\n"),
    )  # fmt: skip
    code, _, err = run(*EVALUATE, "--chart", "roc=roc.svg", **limited("RLIMIT_AS", LEAST))
    assert (code, err) == (
        2,
        ("error: charts need 64 GB of address space, which is limited to 1,536 MB\n"
         "  Fix: raise the limit: ulimit -v unlimited\n"),
    )  # fmt: skip


def test_as_much_address_space_as_is_asked_for_is_enough(run, usual):
    assert run(*EVALUATE, **limited("RLIMIT_AS", LEAST)) == (0, usual, "")


def test_more_memory_than_there_is(folder, run):
    text = "import heldout, numpy\nheldout.define('much', lambda t, p: numpy.ones((10**12, len(t))).sum(0))\n"
    (folder / "own.py").write_text(text, encoding="utf-8")
    found = run(*EVALUATE, "--define", "own.py", "-m", "much", **limited("RLIMIT_AS", LEAST))
    assert found[0] == 2
    assert found[2].startswith("error: there is not enough memory: Unable to allocate 582. TiB")


def test_few_open_files(run, usual):
    code, out, err = run(*EVALUATE, **limited("RLIMIT_NOFILE", 12))
    assert (code, out, err) == (0, usual, "")
    code, out, err = run("validate", *VALIDATE[1:], "--n-jobs", "2", **limited("RLIMIT_NOFILE", 12))
    assert (code, out) == (2, "")
    assert err.startswith("error: too many files are open: ")


def unprivileged():
    """What makes a folder read-only for this user; root needs to give up a right first."""
    if os.geteuid() != 0:
        return ()
    wrapper = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
    if shutil.which("setpriv") is None or subprocess.run([*wrapper, "true"], check=False).returncode:
        pytest.skip("root may write everywhere")
    return wrapper


@pytest.mark.parametrize("option", ["-o", "--report", "--chart", "--charts", "--run"])
def test_a_folder_that_may_not_be_written(folder, run, option):
    wrapper = unprivileged()
    (folder / "locked").mkdir()
    (folder / "locked" / "roc.svg").write_text("old", encoding="utf-8")
    (folder / "locked").chmod(0o555)
    path = "locked/made" if option in ("--charts", "--run") else "locked/roc.svg"
    code, out, err = run(*EVALUATE, option, path, wrapper=wrapper)
    assert (code, out) == (2, "")
    assert "cannot be written: Permission denied\n  Fix: choose a folder" in err
    assert (folder / "locked" / "roc.svg").read_text(encoding="utf-8") == "old"
