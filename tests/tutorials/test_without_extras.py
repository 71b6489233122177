"""Without any extra, everything works that needs none, and everything else says in one sentence what to install."""

from __future__ import annotations

from pathlib import Path

from tests.tutorials.environments import run


def test_a_missing_package_is_one_sentence_with_the_command_that_installs_it(python_with, tmp_path):
    ended = run(
        [python_with("heldout"), "-I", Path(__file__).with_name("without_extras.py")], tmp_path, OMP_NUM_THREADS="1"
    )
    assert (ended.returncode, ended.stdout.strip()) == (0, ""), ended.stdout + ended.stderr
