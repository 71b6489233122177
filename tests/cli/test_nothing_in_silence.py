"""What has no effect is refused, and what is left out is said."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs

RNG = np.random.default_rng(1)
TRUTH = RNG.integers(0, 2, 80)
SCORE = np.clip(0.3 + 0.3 * TRUTH + RNG.normal(0, 0.2, 80), 0.01, 0.99).round(4)
OTHER = np.clip(SCORE + RNG.normal(0, 0.1, 80), 0.01, 0.99).round(4)


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, score, words in (("old", SCORE, "01"), ("new", OTHER, "01"), ("words", OTHER, ("false", "true"))):
        lines = [f"{words[a]},{b}" for a, b in zip(TRUTH, score, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["y_true,y_score", *lines]) + "\n", encoding="utf-8")
    return tmp_path


def test_on_missing_without_ids_is_refused(folder):
    for verb in (("compare",), ("gate", "--primary", "roc_auc", "--margin", "0.1")):
        found = run(verb[0], "old.csv", "new.csv", *verb[1:], "--on-missing", "intersect")
        assert found.exit_code == 2
        assert "--on-missing has no effect: the rows have no ids and are matched by position" in found.stderr


def test_a_metric_that_no_model_can_be_better_in_is_named(folder):
    found = run("compare", "old.csv", "new.csv", "-m", "prevalence,accuracy")
    assert "prevalence has no better and worse" in " ".join(found.stdout.split())
    assert "prevalence" not in run("compare", "old.csv", "new.csv").stdout


def test_a_missing_folder_of_label_maps_is_named(folder):
    np.save(folder / "a.npy", np.zeros((3, 3), int))
    found = run("masks", "a.npy", "nowhere")
    assert (found.exit_code, "there is no file or folder nowhere" in found.stderr) == (2, True)


def test_a_gate_refuses_a_metric_that_has_no_test(folder):
    found = run("gate", "old.csv", "new.csv", "--primary", "ece", "--margin", "0.05")
    assert (found.exit_code, found.stderr) == (
        2,
        (
            "error: ece cannot decide a gate: it has no paired test and no interval of a difference\n"
            "  Fix: choose another primary metric, such as brier or log_loss, which judge calibration too\n"
        ),
    )


def test_a_gate_says_once_why_a_loss_is_infinite_and_what_clips_it(folder):
    rows = "".join(f"{i},{i % 2},{0.3 + 0.4 * (i % 2)}\n" for i in range(40))
    (folder / "fine.csv").write_text(f"id,y_true,y_prob\n{rows}", encoding="utf-8")
    (folder / "sure.csv").write_text(f"id,y_true,y_prob\n{rows}".replace("\n0,0,0.3\n", "\n0,0,1\n"), encoding="utf-8")
    asked = ("--primary", "log_loss", "--margin", "0.05")
    why = (
        "log_loss is infinite for {}: id 0 gave probability 0 to the true class (1 row); probabilities are clipped "
        "only with --clip, {}."
    )
    matched = "note H111 40 rows matched by id"
    open_found = run("gate", "sure.csv", "fine.csv", *asked, "--junit", "gate.xml")
    said = f"log_loss -- against the baseline: {why.format('baseline', 'so nothing is shown')}"
    assert (open_found.exit_code, " ".join(open_found.stdout.split())) == (3, f"INCONCLUSIVE {said} {matched}")
    assert said in (folder / "gate.xml").read_text(encoding="utf-8")
    failed = run("gate", "fine.csv", "sure.csv", *asked)
    said = f"log_loss -- against the baseline: {why.format('candidate', 'which is worse by any margin')}"
    assert (failed.exit_code, " ".join(failed.stdout.split())) == (1, f"FAIL {said} {matched}")


def test_truth_values_are_zero_and_one(folder):
    mixed = run("compare", "old.csv", "words.csv", "-m", "accuracy")
    assert mixed.exit_code == 0, mixed.output
    assert "True is read as 1 and False as 0" in " ".join(mixed.stdout.split())
    plain = heldout.compare({"old": "old.csv", "new": "new.csv"}, metrics="accuracy")
    found = heldout.compare({"old": "old.csv", "new": "words.csv"}, metrics="accuracy")
    assert found["accuracy"].pvalue == plain["accuracy"].pvalue


def test_a_column_of_folds_that_is_learned_from_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i % 7},{i % 2},{i % 5 + 1}\n" for i in range(60))
    (tmp_path / "rows.csv").write_text("x,y,fold\n" + rows, encoding="utf-8")
    learned = ("validate", "sklearn.naive_bayes:GaussianNB", "--data", "rows.csv", "--target", "y")
    assert "fold is a feature of the learners" in " ".join(run(*learned, "--cv", "5").output.split())
    for how in (("--fold", "fold"), ("--cv", "5", "--drop", "fold")):
        assert "is a feature of the learners" not in run(*learned, *how).output


GATE = ("--primary", "roc_auc", "--margin", "0.1")
FIT = ("validate", "sklearn.naive_bayes:GaussianNB", "--target", "y_true")


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("evaluate", ""), "argument 1"),
        (("compare", "", "new.csv"), "argument 1"),
        (("compare", "old.csv", ""), "argument 2"),
        (("compare", "--fold-scores", "", ""), "argument 1"),
        (("gate", "old.csv", "", *GATE), "argument 2"),
        (("masks", "", "old.csv"), "argument 1"),
        (("detect", "old.csv", ""), "argument 2"),
        (("text", "", "old.csv"), "argument 1"),
        (("split", ""), "argument 1"),
        (("lab", "table", ""), "argument 1"),
        (("runs", "show", ""), "argument 1"),
        (("plan", "interval", "", "0.8"), "argument 1"),
        (("evaluate", "old.csv", "--train", ""), "--train"),
        (("evaluate", "--confusion", ""), "--confusion"),
        (("evaluate", "old.csv", "--define", ""), "--define"),
        (("gate", "old.csv", "new.csv", *GATE, "--anchor", ""), "--anchor"),
        ((*FIT, "--data", ""), "--data"),
    ],
)
def test_an_empty_argument_or_file_is_refused_by_name(folder, arguments, what):
    """A variable of the shell that is not set is empty, and an empty path would be the current folder."""
    found = run(*arguments)
    fix = f"name it, or leave out {what}"
    if not what.startswith("--"):
        fix = f"write {what}: a variable of the shell that is not set is empty"
    assert (found.exit_code, found.stderr) == (2, f"error: {what} is empty\n  Fix: {fix}\n")


@pytest.mark.parametrize(
    "call",
    [
        lambda: heldout.evaluate(""),
        lambda: heldout.evaluate("", engine="local"),
        lambda: heldout.compare({"old": "old.csv", "new": ""}),
        lambda: heldout.split(""),
        lambda: heldout.masks("", {"net": ""}),
        lambda: heldout.detect("", {"net": "old.csv"}),
        lambda: heldout.text("", {"net": "old.csv"}),
    ],
)
def test_an_empty_path_is_not_the_current_folder(folder, call):
    with pytest.raises(heldout.UsageError) as refused:
        call()
    assert str(refused.value) == "[H100] the name of a file is empty\n  Fix: name a file; . is the current folder"


@pytest.mark.parametrize(
    "setting",
    [
        ("coverage", "wilson", "--world", "coin:p=0.1"),
        ("size", "mcnemar", "--world", "pair-coin:p=0.8"),
        ("power", "mcnemar", "--world", "pair-coin:p=0.8,gain=0.1"),
    ],
)
def test_no_repetitions_are_refused_where_samples_are_enumerated(setting):
    found = run("lab", *setting, "--n", 20, "--repeats", 0)
    message = "error: the repetitions are 0, but must be one or more\n  Fix: leave out --repeats for its default\n"
    assert (found.exit_code, found.stderr) == (2, message)
