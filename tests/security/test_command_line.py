"""What the program prints itself, in any format and on any error, steers neither a terminal nor a build server."""

from __future__ import annotations

import re
import shutil

import pytest
from click.testing import CliRunner

from heldout.cli import verbs
from heldout.report import FORMATS

BUILD_COMMANDS = re.compile(r"^\s*::", re.MULTILINE)
OLD_COMMANDS = re.compile(r"##(\[|vso\[)")
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
LABEL = "::error::pwned"


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.mark.parametrize("form", FORMATS)
def test_no_line_of_a_result_is_a_command(folder, form):
    for command in (("evaluate", "old.jsonl", "--by", "segment"), ("compare", "old.jsonl", "new.jsonl", "--id", "id")):
        found = run(*command, "--format", form)
        assert found.exit_code == 0, found.stderr
        assert BUILD_COMMANDS.search(found.stdout) is None
        assert BUILD_COMMANDS.search(found.stderr) is None
        assert OLD_COMMANDS.search(found.stdout) is None
        if form != "csv":  # where labels are data; on a terminal they are escaped
            assert CONTROLS.search(found.stdout) is None


@pytest.mark.parametrize("name", [LABEL, f"a\n{LABEL}", "a\x1b[31m", "##[error]x"])
def test_names_that_are_typed_and_not_found(folder, name):
    for command in (
        ("evaluate", name), ("evaluate", "old.jsonl", "--truth", name), ("evaluate", "old.jsonl", "-o", f"{name}/x"),
        ("explain", name), (name,), ("evaluate", f"--{name}"), ("plan", "interval", "roc_auc", name, name),
        ("evaluate", "old.jsonl", "-m", name), ("evaluate", "old.jsonl", "--seed", name),
        ("validate", name, "--data", "old.jsonl", "--target", "y_true"), ("runs", name),
    ):  # fmt: skip
        found = run(*command)
        assert found.exit_code == 2
        for text in (found.stdout, found.stderr):
            assert BUILD_COMMANDS.search(text) is None
            assert OLD_COMMANDS.search(text) is None
            assert CONTROLS.search(text) is None


@pytest.mark.parametrize("name", [f"a\n{LABEL}.txt", "a\x1b[31m.txt"])
def test_names_of_files_that_are_written(folder, name):
    found = run("evaluate", "old.jsonl", "-o", name)
    assert found.exit_code == 0
    assert found.stderr.count("\n") == 1
    assert CONTROLS.search(found.stderr) is None


def test_files_that_are_named_like_commands(folder):
    shutil.copy("old.jsonl", f"{LABEL}.jsonl")
    found = run("evaluate", f"{LABEL}.jsonl", "--save", LABEL)
    assert found.exit_code == 0
    assert BUILD_COMMANDS.search(found.stdout + found.stderr) is None
    assert BUILD_COMMANDS.search(run("runs").stdout) is None


def test_formulas_in_csv_are_escaped_unless_they_are_to_be_kept(folder):
    labels = ("=1+1", "b", "c")
    rows = ["y_true,y_pred", *[f"{labels[i % 3]},{labels[i % 3]}" for i in range(30)]]
    (folder / "p.csv").write_text("\n".join(rows), encoding="utf-8")
    command = ("evaluate", "p.csv", "--format", "csv")
    assert "'=1+1" in run(*command).stdout
    kept = run(*command, "--keep-formulas").stdout
    assert "=1+1" in kept
    assert "'=1+1" not in kept
    assert run("evaluate", "p.csv", "--keep-formulas").stderr == (
        "error: --keep-formulas has no effect: no CSV is written\n"
        "  Fix: add --format csv, or leave out --keep-formulas\n"
    )
