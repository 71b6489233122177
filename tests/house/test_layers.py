"""The house of rooms: a room imports only from rooms below it, with no exceptions."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_room_imports_only_from_rooms_below_it():
    # --no-cache: two test processes must not write one cache
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()", "--no-cache"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_no_import_is_excused():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    assert [contract["type"] for contract in contracts] == ["layers"]
    assert contracts[0]["exhaustive"]
    assert not {"ignore_imports", "exhaustive_ignores"} & set(contracts[0])
