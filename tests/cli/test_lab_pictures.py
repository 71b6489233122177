"""Each figure of a course on evaluation is drawn by one command."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from heldout.cli import verbs

FILES = {
    "table.csv": "x,class,p\na,no,0.15\na,yes,0.1\nb,no,0.2\nb,yes,0.05\nc,no,0.1\nc,yes,0.15\nd,no,0.2\nd,yes,0.05\n",
    "grid.csv": "x,y,in\n3,3,yes\n5,4,yes\n1,1,no\n7,3,no\n4,6,no\n2,7,no\n8,8,no\n6,2,\n",
    "scores.csv": "y_true,y_score\n1,.9\n1,.8\n0,.7\n1,.6\n1,.6\n0,.55\n1,.54\n0,.53\n0,.4\n1,.3\n0,.2\n0,.1\n",
}
SPACE = ("lab", "version-space", "grid.csv", "--target", "in", "--space", "rectangles")
FEW = ("--repeats", "20")
DRAWN = {
    "joint": ("lab", "table", "table.csv"),
    "class_given_x": ("lab", "table", "table.csv"),
    "x_given_class": ("lab", "table", "table.csv"),
    "bayes_regions": ("lab", "world", "gaussian:distance=2,spread=2"),
    "errors": ("lab", "estimation-bias", "--learner", "poly", "--world", "sine", "--sweep", "degree=0,3,5", *FEW),
    "parts": ("lab", "bias-variance", "--learner", "poly", "--world", "sine", "--sweep", "degree=0,3,5", *FEW),
    "bias_variance": ("lab", "bias-variance", "--learner", "knn:k=1", "--world", "gaussian", *FEW),
    "predictions": ("lab", "bias-variance", "--learner", "poly:degree=3", "--world", "sine", *FEW),
    "critical_region": ("test", "binomial", "15", "--of", "20", "--against", "0.8"),
    "power": ("plan", "difference", "accuracy", ".85", "--gain", ".02", "--disagree", ".08"),
    "instance_space": (*SPACE, "--concept", "x=3..6,y=2..4"),
    "remaining": SPACE,
    "overfitting": ("lab", "overfitting", "table.csv", "--n", "8"),
    "verdicts": ("lab", "compare", "linear", "knn:k=1", "--n", "40", "--test", "mcnemar@10", *FEW),
    "rates": ("lab", "size", "mcnemar", "exact", "--world", "pair-coin:p=0.8", "--n", "50"),
    "estimates": ("lab", "true-error", "--world", "gaussian", "--learner", "linear"),
    "roc_steps": ("evaluate", "scores.csv"),
    "roc": ("evaluate", "scores.csv"),
    "precision_recall": ("evaluate", "scores.csv"),
    "calibration": ("evaluate", "scores.csv"),
    "lift": ("evaluate", "scores.csv"),
    "gain": ("evaluate", "scores.csv"),
    "cost": ("evaluate", "scores.csv"),
    "confusion": ("evaluate", "scores.csv"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.mark.parametrize("name", DRAWN)
def test_one_command_draws_it(folder, name):
    found = run(*DRAWN[name], "-q", "--chart", f"{name}={name}.svg")
    assert (found.exit_code, found.output) == (0, "")
    picture = (folder / f"{name}.svg").read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    assert picture.count("<path") > 5


@pytest.mark.parametrize("name", ["joint", "bayes_regions", "parts", "instance_space", "overfitting", "verdicts"])
def test_the_report_has_it(folder, name):
    """Once missing: there was no picture in the lab, and its reports had none."""
    assert run(*DRAWN[name], "-q", "--report", "page.html").exit_code == 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert f'data-figure="{name}"' in page
    assert "<h2>Charts</h2>" in page or ">Charts<" in page


def test_points_are_undecided_where_consistent_hypotheses_differ(folder):
    assert run(*DRAWN["instance_space"], "-q", "--chart", "instance_space=points.csv").exit_code == 0
    lines = (folder / "points.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "x,y,says,votes"
    said = {tuple(line.split(",")[:2]): line.split(",")[2] for line in lines[1:]}
    assert (said["4", "3"], said["8", "8"], said["6", "2"]) == ("yes", "no", "undecided")


@pytest.mark.parametrize(
    ("concept", "note"),
    [
        ("x=3..6,y=2..4", "the concept is one of the 16 consistent hypotheses"),
        ("x=1..2", "a row contradicts the concept: its label is wrong, or the concept is another one"),
    ],
)
def test_the_concept_is_looked_for_among_what_is_left(concept, note):
    assert note in " ".join(run(*SPACE, "--concept", concept).stdout.split())


@pytest.mark.parametrize(
    ("concept", "message"),
    [
        ("x", "--concept 'x' is not ATTRIBUTE=VALUE"),
        ("z=1", "--concept: there is no attribute 'z'"),
        ("x=99", "--concept: x has no value '99'"),
        ("x=5..3", "--concept: 5..3 ends before it begins"),
    ],
)
def test_a_concept_that_is_none(concept, message):
    found = run(*SPACE, "--concept", concept)
    assert (found.exit_code, found.stderr.partition("\n")[0]) == (2, f"error: {message}")


def test_more_than_two_attributes_have_no_picture_and_say_why(folder):
    (folder / "wide.csv").write_text("a,b,c,y\n1,1,1,no\n2,2,2,yes\n", encoding="utf-8")
    found = run("lab", "version-space", "wide.csv", "--target", "y", "--space", "conjunctions", "-q",
                "--chart", "instance_space.svg")  # fmt: skip
    assert found.exit_code == 2
    assert found.stderr.startswith("error: the instance_space chart shows one or two attributes")
    assert "--attribute A,B" in found.stderr
