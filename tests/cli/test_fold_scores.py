from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from heldout.cli import verbs


@pytest.fixture
def files(tmp_path):
    (tmp_path / "tree.txt").write_text("0.81\n0.84\n0.79\n0.80\n0.83\n", encoding="utf-8")
    (tmp_path / "forest.txt").write_text("0.83\n0.86\n0.80\n0.83\n0.84\n", encoding="utf-8")
    lines = [
        "fold,learner,error_rate",
        *(f"{fold},{x},0.{fold + 1}{fold * (x == 'a'):d}" for fold in range(4) for x in "ab"),
    ]
    (tmp_path / "long.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def ran(files, *arguments):
    paths = [str(files / one) if (files / one).exists() else one for one in arguments]
    return CliRunner().invoke(verbs, ["compare", "--fold-scores", *paths])


def test_two_files(files):
    told = ran(files, "tree.txt", "forest.txt", "--n-train", "1800", "--n-test", "200", "--format", "json")
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert (found["schema"], found["verdict"], found["splits"]) == ("heldout.fold-comparison/1", "BETTER", 5)
    assert [(d["model"], d["baseline"]) for d in found["differences"]] == [("forest", "tree")]
    assert [one["path"].rpartition("tree")[2] for one in found["inputs"][:1]] == [".txt"]


def test_options_reach_python(files):
    told = ran(
        files, "tree.txt", "forest.txt", "--test", "kfold_t", "--level", "0.9", "--baseline", "forest",
        "--lower-is-better", "--margin", "0.001", "--format", "json",
    )  # fmt: skip
    (found,) = json.loads(told.stdout)["differences"]
    assert (found["test"], found["level"], found["baseline"]) == ("k-fold paired t (approximate)", 0.9, "forest")
    assert (found["better"], found["margin"], found["verdict"]) == ("lower", 0.001, "BETTER")


def test_one_file_with_both(files):
    told = ran(files, "long.csv", "--n-train", "30", "--n-test", "10", "--rope", "0.001", "--format", "json")
    found = json.loads(told.stdout)
    assert list(found["models"]) == ["a", "b"]
    assert [(d["metric"], d["better"]) for d in found["differences"]] == [("error_rate", "lower")]


def test_saved_as_a_run(files):
    told = ran(files, "tree.txt", "forest.txt", "--test", "kfold_t", "--save", "first", "--run", str(files / "store"))
    assert told.exit_code == 0, told.output
    listed = CliRunner().invoke(verbs, ["runs", str(files / "store")])
    assert "first" in listed.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            (),
            (
                "error: 0 files were given, and --fold-scores takes two, or one with both learners\n"
                "  Fix: for example heldout compare --fold-scores a.txt b.txt --n-train 1800 --n-test 200\n"
            ),
        ),
        (
            ("tree.txt", "forest.txt", "--group", "patient"),
            (
                "error: --group has no effect with --fold-scores: the files hold scores, not predictions\n"
                "  Fix: leave out --group\n"
            ),
        ),
        (
            ("tree.txt", "forest.txt", "--unpaired"),
            (
                "error: --unpaired has no effect with --fold-scores: the files hold scores, not predictions\n"
                "  Fix: leave out --unpaired\n"
            ),
        ),
        (
            ("tree.txt", "forest.txt", "--margin", "accuracy=0.1"),
            "error: --margin names a metric, and fold scores are of one\n  Fix: give the number alone\n",
        ),
        (
            ("tree.txt", "forest.txt", "--metric", "a,b"),
            "error: --metric names several, and one column of scores is compared\n  Fix: name one\n",
        ),
    ],
)
def test_what_is_refused(files, arguments, said):
    told = ran(files, *arguments)
    assert (told.exit_code, told.stdout, told.stderr) == (2, "", said)


def test_sizes_of_splits_have_no_effect_on_predictions(files):
    paths = [str(files / name) for name in ("tree.txt", "forest.txt")]
    told = CliRunner().invoke(verbs, ["compare", *paths, "--n-train", "80"])
    assert told.exit_code == 2
    assert told.stderr == (
        "error: --n-train has no effect on predictions\n  Fix: add --fold-scores if the files hold scores\n"
    )
