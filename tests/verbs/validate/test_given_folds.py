"""`validate` takes folds that were made before, as `split` writes them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.model_selection import PredefinedSplit
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.cli import verbs

RNG = np.random.default_rng(3)
X = RNG.normal(size=(120, 2))
Y = (X[:, 0] + RNG.normal(size=120) > 0).astype(int)
FOLDS = np.arange(120) % 4 + 1
NB = "sklearn.naive_bayes:GaussianNB"


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{a:.6f},{b:.6f},{c}" for (a, b), c in zip(X, Y, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,y", *lines]) + "\n", encoding="utf-8")
    return tmp_path


def test_folds_are_those_of_a_predefined_split():
    found = heldout.validate(GaussianNB(), X, Y, folds=FOLDS, metrics="accuracy")
    wanted = heldout.validate(GaussianNB(), X, Y, cv=PredefinedSplit(FOLDS), metrics="accuracy")
    assert found.to_dict() == wanted.to_dict()
    assert found.split_kind == "folds"
    assert len(found.splits) == 4


def test_the_column_that_split_writes_is_read_and_is_no_feature(rows):
    assert run("split", "rows.csv", "--folds", 5, "--stratify", "y", "-q").exit_code == 0
    found = run("validate", NB, "--data", "rows-folds.csv", "--target", "y", "--fold", "fold", "--json")
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    assert (told["splits"]["kind"], told["splits"]["fits"]) == ("folds", 5)
    assert told["columns"]["fold"] == "fold"
    again = run("validate", NB, "--data", "rows-folds.csv", "--target", "y", "--drop", "fold", "--cv", 5, "--json")
    value = json.loads(again.stdout)["estimates"]["GaussianNB"]["accuracy"]["value"]
    assert told["estimates"]["GaussianNB"]["accuracy"]["value"] == pytest.approx(value, abs=0.08)


def test_a_part_named_train_is_never_tested(rows):
    assert run("split", "rows.csv", "--column", "part", "-q").exit_code == 0
    found = run("validate", NB, "--data", "rows-parts.csv", "--target", "y", "--fold", "part", "--json")
    told = json.loads(found.stdout)
    assert (told["splits"]["kind"], told["splits"]["training_rows"]) == ("holdout", 80)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"folds": FOLDS, "cv": 5}, "folds and cv exclude each other"),
        ({"folds": FOLDS, "time": np.arange(120)}, "folds and time exclude each other"),
        ({"folds": np.ones(120)}, "all rows are in the fold 1.0"),
        ({"folds": FOLDS[:100]}, "folds has 100 values, and there are 120 rows"),
        ({"folds": np.array(["train", "validation", "test"])[np.arange(120) % 3]}, "of parts beside train, one can be"),
    ],
)
def test_folds_that_make_no_sense_are_refused(given, words):
    with pytest.raises(heldout.HeldoutError, match=words):
        heldout.validate(GaussianNB(), X, Y, **given)


def test_a_clip_of_learners_without_probabilities_is_refused_before_anything_is_fitted():
    with pytest.raises(heldout.UsageError, match="clip has no effect: LinearSVC gives no probabilities"):
        heldout.validate("sklearn.svm:LinearSVC", X, Y, clip=0.01)


def test_select_clips_and_takes_metrics_of_ones_own(rows):
    (rows / "models.toml").write_text(
        '[tree]\nlearner = "sklearn.tree:DecisionTreeClassifier"\n[tree.grid]\nmax_depth = [1, 9]\n', encoding="utf-8"
    )
    (rows / "own.py").write_text(
        "import heldout\nheldout.define('missed', lambda truth, told: (truth != told) * 1.0, better='lower')\n",
        encoding="utf-8",
    )
    shared = ("select", "models.toml", "--data", "rows.csv", "--target", "y", "--json")
    plain = json.loads(run(*shared, "-m", "log_loss").stdout)
    clipped = run(*shared, "-m", "log_loss", "--clip", "0.01")
    assert clipped.exit_code == 0, clipped.output
    assert json.loads(clipped.stdout)["configurations"] != plain["configurations"]
    own = run(*shared, "--define", "own.py")
    assert own.exit_code == 0, own.output
    assert json.loads(own.stdout)["primary"] == "missed"
    refused = run(*shared, "--clip", "0.01")
    assert "clip has no effect on accuracy" in refused.stderr
