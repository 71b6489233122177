from __future__ import annotations

import json

import joblib
import numpy as np
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from heldout.cli import verbs
from heldout.report.schema import schema

TOML = """
[nb]
learner = "sklearn.naive_bayes:GaussianNB"

[tree]
learner = "sklearn.tree:DecisionTreeClassifier"

[tree.parameters]
min_samples_leaf = 5

[tree.grid]
max_depth = [1, 3]
"""


def run(*arguments):
    return CliRunner().invoke(verbs, ["select", *map(str, arguments)])


@pytest.fixture
def given(tmp_path, monkeypatch):
    """120 rows of two classes in two columns, a patient of three rows each, and three configurations."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    kind = rng.integers(0, 2, 120)
    lines = [f"{rng.normal(c):.4f},{rng.normal(2 * c):.4f},p{at // 3},{'ny'[c]}" for at, c in enumerate(kind)]
    (tmp_path / "rows.csv").write_text("\n".join(["size,weight,patient,sick", *lines]) + "\n", encoding="utf-8")
    (tmp_path / "candidates.toml").write_text(TOML, encoding="utf-8")
    return ["candidates.toml", "--data", "rows.csv", "--target", "sick", "--positive", "y", "--group", "patient"]


FEW = ("--cv", "3", "--inner-cv", "2")


def test_the_screen_shows_own_and_corrected_score_and_three_models(given):
    found = run(*given, *FEW)
    assert found.exit_code == 0, found.output
    lines = found.stdout.splitlines()
    assert lines[0] == "winner: nb, best of 3 configurations (grid search)"
    assert lines[1] == "target: accuracy of this search on about 80 rows (corrected t)"
    assert lines[2].startswith("within noise of the winner: ")
    assert "120 rows   40 clusters   task: binary   28 fits" in lines
    words = [line.split() for line in lines]
    own, corrected = (
        next(line for line in words if line[:2] == start) for start in (["winner's", "own"], ["this", "search"])
    )
    optimism = next(line for line in words if line[:1] == ["optimism"])
    assert own[3:] == ["do", "not", "report:", "chosen", "for", "being", "high"]
    assert corrected[3].startswith("[")
    assert corrected[-6:] == ["corrected:", "nested,", "outer", "3,", "inner", "2"]
    assert float(optimism[1]) == pytest.approx(float(own[2]) - float(corrected[2]), abs=0.002)
    assert [line[-3:] for line in words if line[:1] in (["chosen"], ["evaluated"], ["fitted"])] == [
        ["not", "report", "nb"], ["this", "2", "configurations"], ["this", "model", "nb"],
    ]  # fmt: skip
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("protocol", ["nested", "bbc", "single"])
def test_json_is_as_its_schema_says(given, protocol):
    found = run(*given, "--protocol", protocol, "--inner-cv", "2", "--format", "json")
    said = json.loads(found.stdout)
    Draft202012Validator(schema("heldout.selection/1")).validate(said)
    assert said["protocol"]["name"] == protocol
    assert [one["role"] for one in said["models"]] == ["chosen", "judged", "final"]
    assert said["columns"] == {"target": "sick", "group": "patient"}
    assert said["inputs"][0]["path"] == "rows.csv"


@pytest.mark.parametrize("form", ["md", "latex", "csv"])
def test_other_forms(given, form):
    found = run(*given, "--protocol", "single", "--format", form)
    assert found.exit_code == 0, found.output
    assert "max" in found.stdout
    if form == "csv":
        head, *lines = found.stdout.splitlines()
        assert head == "configuration,candidate,accuracy,within_noise,part_1"
        assert len(lines) == 3


def test_options_reach_the_library(given, tmp_path):
    (tmp_path / "candidates.toml").write_text(
        TOML.replace("[1, 3]", "{low = 1, high = 9}"), encoding="utf-8"
    )  # fmt: skip
    found = run(
        *given, "--protocol", "single", "--test-size", "0.2", "--validation-size", "0.5", "--search", "guided",
        "--n-trials", "6", "--sampler", "annealing", "--metric", "log_loss,accuracy", "--seed", "4", "--level", "0.9",
        "--format", "json",
    )  # fmt: skip
    said = json.loads(found.stdout)
    assert said["search"]["sampler"] == "annealing"
    assert 1 <= said["search"]["configurations"] <= 6
    assert (said["protocol"]["outer"], said["protocol"]["inner"]) == ("holdout:0.2", "holdout:0.5")
    assert (said["seed"], said["level"], said["primary"]) == (4, 0.9, "log_loss")
    assert list(said["estimates"]) == ["log_loss", "accuracy"]
    assert [one["rows"] for one in said["models"]] == [48, 96, 120]


def test_the_model_of_all_rows_is_written(given, tmp_path):
    found = run(*given, "--protocol", "single", "--model", "winner.joblib", "-q")
    assert (found.exit_code, found.stdout) == (0, "")
    model = joblib.load(tmp_path / "winner.joblib")
    assert list(model.feature_names_in_) == ["size", "weight"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["candidates.toml", "rows.csv", "winner.joblib"]


def test_a_run_is_kept_recorded_and_gone_on_with(given, tmp_path):
    first = run(*given, *FEW, "--run", "kept", "--format", "json")
    again = run(*given, *FEW, "--run", "kept", "--format", "json")
    assert first.stdout == again.stdout
    assert "look 1 at these rows" in first.stderr
    assert "look 2 at these rows" in again.stderr


def test_python_files_of_candidates(given, tmp_path):
    (tmp_path / "my_choice.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\n"
        'candidates = {"nb": (GaussianNB(), {"var_smoothing": [1e-9, 1.0]})}\n',
        encoding="utf-8",
    )
    found = run("my_choice.py", *given[1:], "--protocol", "single", "--format", "json")
    assert json.loads(found.stdout)["search"]["configurations"] == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "learner",
            "lerner",
            (
                "error: candidates.toml: nb has an unknown key 'lerner'; did you mean 'learner'?\n"
                "  Fix: the keys are learner, parameters, grid, complexity\n"
            ),
        ),
        (
            "max_depth",
            "max_dept",
            (
                "error: candidates.toml: tree has no parameter 'max_dept'; did you mean 'max_depth'?\n"
                "  Fix: DecisionTreeClassifier has ccp_alpha, class_weight, criterion, max_depth, max_features, "
                "max_leaf_nodes, min_impurity_decrease, min_samples_leaf, …\n"
            ),
        ),
        (
            "[nb]",
            "[nb",
            (
                "error[H100] candidates.toml is not valid TOML: Expected ']' at the end of a table declaration "
                "(at line 2, "
                'column 4)\n  Fix: write a table per candidate: [lr], learner = "sklearn.linear_model:'
                'LogisticRegression", [lr.grid], C = [0.1, 1]\n  See: heldout explain H100\n'
            ),
        ),
    ],
)
def test_a_typo_is_one_sentence_and_exit_code_2(given, tmp_path, old, new, said):
    (tmp_path / "candidates.toml").write_text(TOML.replace(old, new), encoding="utf-8")
    found = run(*given)
    assert (found.exit_code, found.stdout, found.stderr) == (2, "", said)


def test_a_missing_target_and_an_output_over_an_input_are_refused(given):
    found = run("candidates.toml", "--data", "rows.csv", "--target", "sik")
    assert (found.exit_code, found.stderr) == (
        2,
        (
            "error[H106] rows.csv has no column 'sik' for learning; did you mean 'sick'? its columns are size, weight, "
            "patient, sick\n  Fix: name one of these columns\n  See: heldout explain H106\n"
        ),
    )
    over = run(*given, "--model", "rows.csv")
    assert (over.exit_code, over.stderr) == (
        2, "error: --model rows.csv is an input and would be overwritten\n  Fix: choose another file\n"
    )  # fmt: skip
    nowhere = run(*given, "--protocol", "single", "--model", "no/such/folder.joblib")
    assert (nowhere.exit_code, nowhere.stderr) == (
        2,
        (
            "error: --model no/such/folder.joblib cannot be written: there is no folder no/such\n"
            "  Fix: choose a folder that exists and may be written\n"
        ),
    )
