from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from heldout.cli import verbs
from heldout.report.schema import schema


def run(*arguments):
    return CliRunner().invoke(verbs, ["lab", *map(str, arguments)])


COMMANDS = {
    "split-size": ["split-size", "mcnemar", "naive_fold_t", "--learner", "linear,knn", "--n", 40],
    "split-coverage": ["split-coverage", "holdout", "naive_fold_interval", "--n", 60, "--world", "noise:features=5"],
    "selection-bias": ["selection-bias", "--n", 20, "--configurations", 5, "--n-resamples", 20, "--null"],
    "threshold-bias": ["threshold-bias", "--n", 30],
    "failures": ["failures"],
    "estimation-bias": ["estimation-bias", "--n", 20, "--folds", "2,loo", "--n-resamples", 5],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_json_keeps_to_its_schema_and_text_is_shown(name):
    given = [*COMMANDS[name], "--repeats", 20]
    answer = json.loads(run(*given, "--format", "json").stdout)
    assert answer["schema"] == f"heldout.{name}/1"
    Draft202012Validator(schema(answer["schema"])).validate(answer)
    shown = run(*given)
    assert shown.exit_code == 0
    assert max(map(len, shown.stdout.splitlines())) <= 80


def test_a_table_per_learner():
    text = run("split-size", "kfold_paired_t", "--learner", "linear,knn", "--n", 40, "--repeats", 20).stdout
    lines = text.splitlines()
    assert lines[0] == "linear in twins:features=5,distance=1.5,prevalence=0.5, n = 40; alpha 0.05, 20"
    assert lines[1] == "  samples, seed 0"
    assert lines[2].split() == ["test", "splits", "rejected", "±", "MC", "error", "refused"]
    assert [line.split()[:2] for line in lines if line.startswith("kfold")] == [["kfold_paired_t", "10"]] * 2


def test_blocks_are_kept_and_the_result_is_the_same(tmp_path):
    words = ["threshold-bias", "--n", 30, "--repeats", 20, "--format", "json"]
    kept = tmp_path / "blocks.jsonl"
    first = run(*words, "--into", kept)
    assert json.loads(kept.read_text(encoding="utf-8"))["words"]["kind"] == "Thresholds"
    assert run(*words, "--into", kept).stdout == first.stdout == run(*words).stdout
    assert len(kept.read_text(encoding="utf-8").splitlines()) == 1


def test_split_cards(tmp_path, monkeypatch):
    monkeypatch.setattr("heldout.lab.folds.split_cards.ROWS", (30,))
    monkeypatch.setattr("heldout.lab.folds.true_errors.SAMPLES", 2)
    monkeypatch.setattr(
        "heldout.lab.folds.split_cards.split_cards.__kwdefaults__",
        {"learners": ("linear",), "rows": (30,), "trees": 3, "repeats": 2, "seed": 0, "jobs": 1, "into": None},
    )
    path = tmp_path / "cards.json"
    result = run("split-cards", "--into", tmp_path / "blocks.jsonl", "--output", path, "--repeats", 2)
    assert (result.exit_code, result.stdout) == (0, f"33 cards, written to {path}\n")
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert (stored["schema"], len(stored["intervals"]), len(stored["tests"])) == ("heldout.split-cards/1", 17, 16)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["split-cards"],
            ("error: --into is missing\n  Fix: name a file for finished blocks, such as --into split-cards.jsonl\n"),
        ),
        (
            ["split-size", "--learner", "forest"],
            (
                "error: no learner is named 'forest'\n"
                "  Fix: choose one of constant, fixed-line, interpolate, knn, linear, poly, tree, or an "
                "import path such as sklearn.svm:SVC\n"
            ),
        ),
        (
            ["estimation-bias", "--folds", "x"],
            "error: x is not a number of folds for 60 rows\n  Fix: give 2 to 60, or loo\n",
        ),
    ],
)
def test_messages(arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", message)
