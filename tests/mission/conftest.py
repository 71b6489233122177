"""The command line as a user has it, its answer read back from JSON."""

from __future__ import annotations

import csv
import json

import pytest
from click.testing import CliRunner

from heldout.cli import verbs


@pytest.fixture
def command():
    """Run `heldout evaluate` with these arguments and give what its JSON says."""

    def run(*arguments):
        result = CliRunner().invoke(verbs, ["evaluate", *map(str, arguments), "--format", "json"])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return run


@pytest.fixture
def refusal():
    """Run `heldout evaluate` where it must refuse, and give what it says."""

    def run(*arguments):
        result = CliRunner().invoke(verbs, ["evaluate", *map(str, arguments)])
        assert result.exit_code == 2
        assert result.stdout == ""
        return result.stderr

    return run


@pytest.fixture
def file(tmp_path):
    """Write columns as a CSV file and give its path."""

    def write(name="predictions.csv", **columns):
        path = tmp_path / name
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(columns)
            writer.writerows(zip(*(list(column) for column in columns.values()), strict=True))
        return path

    return write
