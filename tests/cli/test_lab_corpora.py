from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from heldout.cli import verbs
from heldout.report.schema import schema


def run(*arguments):
    return CliRunner().invoke(verbs, ["lab", *map(str, arguments)])


@pytest.mark.parametrize("world", ["segments:length=10", "pixels:classes=3"])
def test_json_keeps_to_its_schema_and_text_is_shown(world):
    given = ["corpus-rates", "--world", world, "--n", 8, "--repeats", 5, "--n-resamples", 30]
    answer = json.loads(run(*given, "--format", "json").stdout)
    Draft202012Validator(schema("heldout.corpus-rates/1")).validate(answer)
    shown = run(*given)
    assert shown.exit_code == 0
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert "level 0.95, 5" in shown.stdout
    assert next(line.split()[0] for line in shown.stdout.splitlines() if "method" in line) == "interval"


def test_all_worlds_of_the_cards_and_the_cards(tmp_path, monkeypatch):
    monkeypatch.setattr("heldout.lab.corpora.corpus_cards.SETTINGS", {"pixels:classes=2,present=1": (5, 6)})
    answer = json.loads(run("corpus-rates", "--repeats", 3, "--format", "json").stdout)
    assert sorted({one["n"] for one in answer["results"]}) == [5, 6]
    path, kept = tmp_path / "cards.json", tmp_path / "blocks.jsonl"
    result = run("corpus-cards", "--into", kept, "--output", path, "--repeats", 3)
    assert (result.exit_code, result.stdout) == (0, f"16 cards in 1 simulations, written to {path}\n")
    assert json.loads(path.read_text(encoding="utf-8"))["schema"] == "heldout.corpus-cards/1"
    assert len(kept.read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["corpus-rates", "--world", "segments"],
            "error: --n is missing\n  Fix: write, for instance, --world segments:quality=0.8 --n 50\n",
        ),
        (
            ["corpus-rates", "--n", 9],
            "error: --world is missing\n  Fix: write, for instance, --world segments:quality=0.8 --n 50\n",
        ),
        (
            ["corpus-cards"],
            "error: --into is missing\n  Fix: name a file for finished blocks, such as --into corpus.jsonl\n",
        ),
    ],
)
def test_messages(arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", message)
