"""Every file that a command is told to write: checked before the work, never two in one, through links and pipes."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from click.testing import CliRunner

from heldout.cli import verbs

LINEAR = "sklearn.linear_model:LogisticRegression"


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i % 7},{i % 5},{int(i % 7 > 3)}\n" for i in range(60))
    (tmp_path / "rows.csv").write_text("a,b,y\n" + rows, encoding="utf-8")
    pairs = "".join(f"{i % 2},{(i % 2) * 0.4 + (i % 9) / 20}\n" for i in range(60))
    for name in ("old.csv", "new.csv"):
        (tmp_path / name).write_text("y_true,y_score\n" + pairs, encoding="utf-8")
    return tmp_path


COUNTS = ("evaluate", "--wrong", "3", "--of", "30")
VALIDATE = ("validate", LINEAR, "--data", "rows.csv", "--target", "y", "--cv", "3")
GATE = ("gate", "old.csv", "new.csv", "--primary", "roc_auc", "--margin", "0.1")


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes in a folder")
@pytest.mark.parametrize("option", ["-o", "--report"])
def test_a_pipe_is_written_and_stays_a_pipe(folder, option):
    os.mkfifo("pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_text(encoding="utf-8")), daemon=True)
    reader.start()
    assert run(*COUNTS, option, "pipe").exit_code == 0
    reader.join(10)
    assert (folder / "pipe").is_fifo()
    assert "3/30" in read[0] or "<html" in read[0]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("option", ["-o", "--report", "--chart"])
def test_a_link_is_followed_and_stays_a_link(folder, option):
    (folder / "real").mkdir()
    target = folder / "real" / "target.svg"
    target.write_text("old", encoding="utf-8")
    (folder / "metrics.svg").symlink_to(target)
    found = run("evaluate", "old.csv", option, "metrics.svg")
    assert found.exit_code == 0, found.output
    assert (folder / "metrics.svg").is_symlink()
    assert target.read_text(encoding="utf-8") != "old"
    assert [path.name for path in (folder / "real").iterdir()] == ["target.svg"]


def test_a_file_keeps_its_rights(folder):
    (folder / "mine.txt").write_text("old", encoding="utf-8")
    (folder / "mine.txt").chmod(0o600)
    run(*COUNTS, "-o", "mine.txt")
    assert (folder / "mine.txt").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "arguments",
    [
        ("-o", "rows-train.csv"),
        ("--report", "rows-train.csv"),
        ("--parts", "x1=1,x2=1", "--column", "part", "-o", "rows-parts.csv"),
        ("--folds", "3", "-o", "rows-folds.csv"),
    ],
)
def test_a_part_of_a_split_is_not_overwritten_by_its_summary(folder, arguments):
    found = run("split", "rows.csv", *arguments)
    assert found.exit_code == 2
    assert "and a part are both rows-" in found.stderr
    assert list(folder.glob("rows-*")) == []


@pytest.mark.parametrize(
    ("command", "first", "second"),
    [
        (VALIDATE, "--keep-predictions", "--timings"),
        (VALIDATE, "--timings", "--model"),
        (VALIDATE, "--model", "--report"),
        (VALIDATE, "--timings", "--output"),
        (GATE, "--junit", "--output"),
        (GATE, "--junit", "--report"),
    ],
)
def test_two_outputs_are_never_one_file(folder, command, first, second):
    found = run(*command, first, "same", second, "./same")
    assert found.exit_code == 2
    assert "are both" in found.stderr
    assert {first, second} <= set(found.stderr.split())
    assert not (folder / "same").exists()


@pytest.mark.parametrize("where", ["none/x", "."])
@pytest.mark.parametrize(
    ("command", "option"),
    [
        *((VALIDATE, name) for name in ("--keep-predictions", "--timings", "--model", "--report", "-o")),
        (GATE, "--junit"),
        (("runs", "export"), "-o"),
        (("lab", "cards", "--dry-run"), "-o"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(folder, command, option, where, monkeypatch):
    import heldout

    monkeypatch.setattr(heldout, "validate", lambda *_, **__: pytest.fail("the work began"))
    found = run(*command, option, where)
    assert (found.exit_code, "cannot be written" in found.stderr) == (2, True), found.stderr


def test_a_dash_is_the_standard_output_of_o_and_refused_elsewhere(folder):
    assert run(*COUNTS, "-o", "-").stdout == run(*COUNTS).stdout
    assert run(*COUNTS, "-q", "-o", "-").stdout == run(*COUNTS).stdout
    for option in ("--report", "--charts"):
        found = run(*COUNTS, option, "-")
        assert (found.exit_code, f"{option} - is not a file" in found.stderr) == (2, True)
    assert not (folder / "-").exists()


@pytest.mark.parametrize("option", ["--into", "--column", "--charts", "--report", "-o", "--run"])
def test_an_empty_name_is_refused(folder, option):
    found = run("split", "rows.csv", option, "")
    assert (found.exit_code, "is empty" in found.stderr) == (2, True), found.output


def test_an_input_is_not_an_output(folder):
    for option in ("--keep-predictions", "--timings", "--model", "-o"):
        found = run(*VALIDATE, option, "rows.csv")
        assert (found.exit_code, "is an input and would be overwritten" in found.stderr) == (2, True)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")  # noqa: PTH110
def test_a_full_disk_is_no_fault_of_heldout(folder):
    import subprocess

    with open("/dev/full", "w") as full:  # noqa: PTH123
        found = subprocess.run(
            [sys.executable, "-m", "heldout", *COUNTS], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert found.returncode == 2
    assert found.stderr.startswith("error: the output cannot be written")


def test_an_option_that_is_not_repeatable_is_given_once(folder):
    for twice in ("--positive 0 --positive 1", "--seed 1 --seed=2", "-f json --format csv"):
        found = run("evaluate", "old.csv", *twice.split())
        assert found.exit_code == 2
        assert "was given 2 times and takes one value" in found.stderr
    assert run("evaluate", "old.csv", "-m", "accuracy", "-m", "roc_auc").exit_code == 0
