"""What somebody sees who types a command and nothing else, and completion in real shells."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import VERBS, verbs

NEEDS_NOTHING = {"demo", "explain", "runs"}
GROUPS = {"test", "plan", "lab"}


def run(*arguments):
    return CliRunner().invoke(verbs, arguments)


def test_heldout_alone_says_what_it_is_and_how_to_begin():
    alone = run()
    assert (alone.exit_code, alone.stderr) == (0, "")
    lines = alone.stdout.splitlines()
    assert lines[0].startswith(f"heldout {heldout.__version__}: evaluate predictive models with confidence intervals")
    assert [line.split("heldout ")[1].split()[0] for line in lines if line.startswith("  ")] == [
        "demo", "evaluate", "compare", "validate",
    ]  # fmt: skip
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize("verb", sorted(set(VERBS) - NEEDS_NOTHING - GROUPS))
def test_a_verb_alone_says_what_it_does_and_gives_examples(verb):
    alone = run(verb)
    assert (alone.exit_code, alone.stdout) == (2, "")  # an empty variable in a script must not pass
    assert alone.stderr.startswith(f"error: heldout {verb} was given nothing to work on\n\n")
    assert f"All options: heldout {verb} --help" in alone.stderr
    assert "Examples:\n" in alone.stderr
    assert len(alone.stderr.splitlines()) < 15


def test_what_is_wrong_with_what_was_typed_is_still_named():
    assert run("evaluate", "--wrong", "3").stderr.startswith("error: --wrong and --of need each other")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_for_heldout(shell):
    printed = run("completion", shell)
    assert printed.exit_code == 0
    assert "_HELDOUT_COMPLETE" in printed.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_options_and_values(tmp_path):
    script = tmp_path / "completion.bash"
    script.write_text(run("completion", "bash").stdout, encoding="utf-8")

    def completed(*words):
        typed = " ".join(words)
        typing = f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}"
        code = f'source {script}; {typing}; _heldout_completion heldout; echo "${{COMPREPLY[@]}}"'
        path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
        ended = subprocess.run(
            ["bash", "-c", code], capture_output=True, text=True, check=True, env={"PATH": path}, timeout=120
        )
        return ended.stdout.split()

    assert completed("heldout", "eval") == ["evaluate"]
    assert completed("heldout", "evaluate", "--conf") == ["--confusion"]
    assert completed("heldout", "evaluate", "--format", "la") == ["latex"]
