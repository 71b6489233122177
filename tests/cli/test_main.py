from __future__ import annotations

import os
import subprocess
import sys
from errno import EIO, EMFILE, ENOMEM, ENOSPC, EPIPE
from pathlib import Path

import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import VERBS, verbs
from heldout.errors import DataError, UsageError


@pytest.fixture
def planted(monkeypatch):
    """Make `heldout.evaluate` raise."""

    def plant(problem):
        def evaluate(*args, **options):
            raise problem

        monkeypatch.setattr(heldout, "evaluate", evaluate, raising=False)
        return CliRunner().invoke(verbs, ["evaluate", "x.csv"])

    return plant


def run(*arguments, **options):
    command = [sys.executable, "-m", "heldout", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, **options)


def test_bad_data_is_one_message_and_exit_code_2(planted):
    result = planted(
        DataError("y_score has 17 nan (first: row 33)", code="H305", fix="fix the export or --on-nan drop")
    )
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == (
        "error[H305] y_score has 17 nan (first: row 33)\n  Fix: fix the export or --on-nan "
        "drop\n  See: heldout explain H305\n"
    )


def test_a_message_without_code(planted):
    problem = UsageError("no metric is named 'x'", fix="name another")
    assert planted(problem).stderr == "error: no metric is named 'x'\n  Fix: name another\n"


def test_a_message_cannot_steer_the_terminal(planted):
    said = planted(DataError("label 'a\x1b[31m\nb' is odd", fix="drop 'a\x1b[31m'")).stderr
    assert said == "error: label 'a\\x1b[31m\\nb' is odd\n  Fix: drop 'a\\x1b[31m'\n"


def test_an_internal_error_is_one_line_and_exit_code_5(planted, monkeypatch):
    monkeypatch.delenv("HELDOUT_DEBUG", raising=False)
    result = planted(ZeroDivisionError("division\nby zero"))
    assert result.exit_code == 5
    assert result.stdout == ""
    assert result.stderr == (
        "internal error: ZeroDivisionError: division by zero\n"
        "  This is a bug in heldout: please report it with the output of HELDOUT_DEBUG=1.\n"
    )


def test_the_traceback_is_for_those_who_ask(planted, monkeypatch):
    monkeypatch.setenv("HELDOUT_DEBUG", "1")
    assert "Traceback (most recent call last)" in planted(KeyError("tp")).stderr


@pytest.mark.parametrize(
    "problem",
    [EOFError("cut off"), BrokenPipeError(EPIPE, "Broken pipe"), RecursionError(), OSError("disk")],
)
def test_no_exception_looks_like_a_failed_gate(planted, problem):
    assert planted(problem).exit_code == (2 if isinstance(problem, BrokenPipeError) else 5)


READ = DataError("p.csv cannot be read", code="H100", fix="export it again")


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (MemoryError("64 GB"), "there is not enough memory: 64 GB"),
        (MemoryError(), "there is not enough memory: MemoryError"),
        (OSError(ENOMEM, "Cannot allocate memory"), "there is not enough memory: Cannot allocate memory"),
        (OSError(EMFILE, "Too many open files"), "too many files are open: Too many open files"),
        (
            RuntimeError("can't start new thread"),
            "no further thread or process can be started: can't start new thread",
        ),
        (
            ImportError("libx.so: failed to map segment from shared object"),
            "there is not enough memory: libx.so: failed to map segment from shared object",
        ),
        (OSError(ENOSPC, "No space left on device"), "the output cannot be written: No space left on device"),
    ],
)
def test_what_the_machine_lacks_is_named_and_exit_code_2(planted, problem, message):
    found = planted(problem)
    assert (found.exit_code, found.stderr.splitlines()[0]) == (2, f"error: {message}")
    assert found.stderr.splitlines()[1].startswith("  Fix: ")


@pytest.mark.parametrize(
    ("cause", "message"),
    [
        (MemoryError("1 GB"), "error: there is not enough memory: 1 GB\n"),
        (OSError(EIO, "Input/output error"), "error[H100] p.csv cannot be read\n"),
    ],
)
def test_a_lack_of_memory_behind_an_error_is_what_is_said_and_a_bad_disk_is_not(monkeypatch, cause, message):
    def evaluate(*args, **options):
        raise READ from cause

    monkeypatch.setattr(heldout, "evaluate", evaluate, raising=False)
    assert CliRunner().invoke(verbs, ["evaluate", "x.csv"]).stderr.startswith(message)


def test_an_interrupt_is_130(planted):
    result = planted(KeyboardInterrupt())
    assert result.exit_code == 130
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evalute"], "No such command 'evalute'."),
        (["evaluate", "--levle", "0.9"], "No such option '--levle'."),
        (["evaluate", "--format", "xml", "x.csv"], "Invalid value for '-f' / '--format': 'xml' is not one of"),
        (["evaluate", "--seed", "x", "x.csv"], "Invalid value for '--seed': 'x' is not a valid integer range."),
    ],
)
def test_usage_errors_are_2(arguments, message):
    result = CliRunner().invoke(verbs, arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_help_lists_every_verb_without_loading_it():
    result = CliRunner().invoke(verbs, ["--help"])
    assert result.exit_code == 0
    for verb, line in VERBS.items():
        assert f"  {verb:<10}  {line}\n" in result.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb):
    result = CliRunner().invoke(verbs, [verb, "--help"])
    assert result.exit_code == 0
    assert f"Usage: heldout {verb} " in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_every_verb_has_the_same_line_in_both_helps():
    for verb, line in VERBS.items():
        command = verbs.get_command(None, verb)
        assert (command.name, command.short_help) == (verb, line)


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_nothing_heavy(option):
    code = (
        "import sys, heldout.cli\n"
        f"try: heldout.cli.verbs.main([{option!r}])\n"
        "except SystemExit as stop: assert stop.code == 0\n"
        "heavy = {'numpy', 'scipy', 'pyarrow', 'narwhals', 'heldout.cli.evaluate'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_version():
    assert run("--version").stdout == f"heldout {heldout.__version__}\n"


def test_output_is_utf8_whatever_the_locale():
    code = "from heldout.cli.standard_streams import open_streams; open_streams(); print('naïve \\ud800')"
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True)
    assert done.stdout.decode("utf-8").rstrip() == "naïve \\ud800"


@pytest.mark.skipif(os.name != "posix", reason="the pipe is closed by a shell")
def test_a_reader_that_leaves_is_no_error():
    script = f'{sys.executable} -m heldout evaluate --help | head -n 1; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, cwd=Path(__file__).parent)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "0"
