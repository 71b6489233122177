"""heldout lab outside: exit codes and messages."""

from __future__ import annotations

import json

from click.testing import CliRunner

from heldout.cli import verbs


def run(*arguments):
    return CliRunner().invoke(verbs, ["lab", "outside", *map(str, arguments)])


def test_a_missed_bound_is_exit_code_1(monkeypatch):
    from heldout.lab.rates import outside_rates

    answer = run("--only", "thresholds", "--repeats", 4, "--format", "json")
    outcomes = {one["outcome"] for one in json.loads(answer.stdout)["results"]}
    assert answer.exit_code == (1 if "missed" in outcomes else 0)
    monkeypatch.setattr(outside_rates, "ERRORS", -1e9)
    assert run("--only", "thresholds", "--repeats", 4).exit_code == 1
    monkeypatch.setattr(outside_rates, "ERRORS", 1e9)
    assert run("--only", "thresholds", "--repeats", 4).exit_code == 0


def test_an_unknown_area():
    answer = run("--only", "weight")
    assert answer.exit_code == 2
    assert "no area is named 'weight'; did you mean 'weights'?" in answer.stderr
