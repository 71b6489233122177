"""Standard output and a file have the same bytes; on a terminal no label steers it."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from heldout.cli import verbs
from heldout.cli.standard_streams import put
from heldout.report import FORMATS

HOSTILE = "a\x1b[31mb"
LABELS = (HOSTILE, "c", "d")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{LABELS[i % 3]},{LABELS[i % 2]}" for i in range(42)]
    (tmp_path / "p.csv").write_text("\n".join(["y_true,y_pred", *lines]) + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_and_standard_output_have_the_same_bytes(folder, form):
    asked = ["evaluate", "p.csv", "--format", form]
    shown = CliRunner().invoke(verbs, asked)
    assert CliRunner().invoke(verbs, [*asked, "--output", "out"]).exit_code == 0
    assert shown.stdout_bytes == (folder / "out").read_bytes()


def test_csv_keeps_labels_as_they_are():
    found = CliRunner().invoke(verbs, ["evaluate", "p.csv", "--format", "csv"])
    assert HOSTILE in found.stdout


def test_on_a_terminal_labels_are_escaped(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    put(f"label,value\n{HOSTILE},1\n")
    assert capsys.readouterr().out == "label,value\na\\x1b[31mb,1\n"
