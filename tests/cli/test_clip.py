"""`--clip` is the named option that limits log losses; without it a zero costs infinitely much."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs

TRUTH = np.array([0, 1] * 20)
SCORE = np.clip(0.25 + 0.5 * TRUTH + 0.24 * np.sin(np.arange(40)), 0, 1)
SCORE[1] = 0.0  # a positive row, certain to be negative


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, score in (("old", SCORE), ("new", np.clip(SCORE + 0.01, 0, 1))):
        lines = [f"{a},{b:.6f}" for a, b in zip(TRUTH, score, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["y_true,y_score", *lines]) + "\n", encoding="utf-8")
    lines = [f"{a},{b:.6f}" for a, b in zip(TRUTH, SCORE, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["y,x", *lines]) + "\n", encoding="utf-8")
    return tmp_path


def test_nothing_is_clipped_unless_asked_for_and_then_it_is_said():
    assert heldout.evaluate(TRUTH, y_score=SCORE)["log_loss"] == math.inf
    found = heldout.evaluate(TRUTH, y_score=SCORE, clip=1e-3)
    inside = np.clip(np.where(TRUTH == 1, SCORE, 1 - SCORE), 1e-3, 1 - 1e-3)
    assert found["log_loss"] == pytest.approx(-np.log(inside).mean())
    assert found["log_loss"].low < found["log_loss"] < found["log_loss"].high
    assert any("[0.001, 0.999]" in check.text for check in found.checks)
    assert found["log_loss_bits"] == pytest.approx(found["log_loss"] / math.log(2))
    for name in ("brier", "roc_auc", "accuracy"):  # only log losses are clipped
        assert found[name] == heldout.evaluate(TRUTH, y_score=SCORE)[name]


def test_several_classes_are_clipped_too():
    chances = np.tile([[1.0, 0.0, 0.0], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]], (10, 1))
    truth = np.tile([1, 1, 2], 10)
    found = heldout.evaluate(truth, y_proba=chances, labels=[0, 1, 2], clip=0.01)["log_loss"]
    assert found == pytest.approx(-np.log([0.01, 0.5, 0.7]).mean())


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "old.csv", "-m", "log_loss"),
        ("compare", "old.csv", "new.csv", "-m", "log_loss"),
        ("gate", "old.csv", "new.csv", "--primary", "log_loss", "--margin", "0.5"),
        ("validate", "sklearn.tree:DecisionTreeClassifier", "--data", "rows.csv", "--target", "y", "-m", "log_loss"),
    ],
    ids=lambda value: value[0],
)
def test_every_verb_takes_it(folder, arguments):
    found = run(*arguments, "--clip", "0.001", "--format", "json")
    assert found.exit_code in (0, 3), found.output
    assert "infinite" not in found.stdout
    said = json.loads(found.stdout)
    if arguments[0] == "evaluate":
        assert said["estimates"]["log_loss"]["value"] < 1


def test_chunks_are_clipped_as_rows_in_memory_are(folder):
    both = [
        json.loads(run("evaluate", "old.csv", "-m", "log_loss", "--clip", "0.001", "--json", *more).stdout)
        for more in ((), ("--engine", "local"))
    ]
    values = [said["estimates"]["log_loss"]["value"] for said in both]
    assert values[0] == pytest.approx(values[1])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"clip": 0.7}, "between 0 and 0.5"),
        ({"clip": 0}, "between 0 and 0.5"),
        ({"clip": 0.1, "metrics": "accuracy"}, "clip has no effect on accuracy"),
    ],
)
def test_a_clip_without_effect_or_sense_is_refused(options, words):
    with pytest.raises(heldout.UsageError, match=words):
        heldout.evaluate(TRUTH, y_score=SCORE, **options)


def test_scores_that_are_no_probabilities_and_numbers_cannot_be_clipped():
    with pytest.raises(heldout.UsageError, match="not probabilities"):
        heldout.evaluate(TRUTH, y_score=SCORE * 9 - 4, clip=0.1)
    with pytest.raises(heldout.UsageError, match="regression"):
        heldout.evaluate(SCORE, SCORE + 0.1, clip=0.1)
