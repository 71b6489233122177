"""--chart writes one chart by name, --charts all of them; what cannot be written is refused with one sentence."""

from __future__ import annotations

import csv
import sys

import pytest
from click.testing import CliRunner

from heldout.cli import verbs

PNG = b"\x89PNG\r\n\x1a\n"


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [(0, 0.1), (1, 0.4), (0, 0.35), (1, 0.8), (1, 0.9), (0, 0.8)] * 8
    lines = [f"{truth},{score + at / 1000:.3f}" for at, (truth, score) in enumerate(rows)]
    (tmp_path / "scores.csv").write_text("\n".join(["y_true,y_score", *lines]) + "\n", encoding="utf-8")
    other = [f"{truth},{score / 2:.3f}" for truth, score in rows]
    (tmp_path / "other.csv").write_text("\n".join(["y_true,y_score", *other]) + "\n", encoding="utf-8")
    (tmp_path / "train.csv").write_text(
        "a,y\n" + "\n".join(f"{at},{at % 2}" for at in range(40)) + "\n", encoding="utf-8"
    )
    return tmp_path


def test_a_chart_by_name(folder):
    found = run("evaluate", "scores.csv", "--chart", "roc=curve.svg", "--chart", "lift=lift.png", "-o", "text.txt")
    assert (found.exit_code, found.stdout) == (0, "")
    assert found.stderr == "wrote text.txt\nwrote curve.svg, lift.png\n"
    assert (folder / "curve.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (folder / "lift.png").read_bytes().startswith(PNG)


def test_a_file_that_is_named_after_a_chart(folder):
    assert run("evaluate", "scores.csv", "-q", "--chart", "calibration.svg").exit_code == 0
    assert "<svg" in (folder / "calibration.svg").read_text(encoding="utf-8")


def test_a_result_with_one_chart_needs_no_name(folder):
    found = run("lab", "coverage", "wilson", "--world", "coin:p=0.1", "--n", "20", "--chart", "any.svg")
    assert found.stderr == "wrote any.svg\n"


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "scores.csv"),
        ("compare", "scores.csv", "other.csv"),
        ("validate", "sklearn.naive_bayes:GaussianNB", "--data", "train.csv", "--target", "y", "--cv", "3"),
        ("lab", "bias-variance", "--learner", "poly:degree=1", "--world", "sine", "--repeats", "20"),
    ],
)
def test_all_charts_of_a_verb(folder, command):
    found = run(*command, "--charts", "pictures", "-o", "out.txt")
    assert found.exit_code == 0, found.output
    names = sorted(path.name for path in (folder / "pictures").iterdir())
    assert names
    last = found.stderr.splitlines()[-1]
    assert last.startswith(f"wrote {len(names)} chart{'' if len(names) == 1 else 's'} to pictures: ")
    assert sorted(last.partition(": ")[2].split(", ")) == names


def test_quiet_says_nothing(folder):
    found = run("evaluate", "scores.csv", "-q", "--charts", "pictures")
    assert (found.exit_code, found.output) == (0, "")


def test_the_points_of_a_curve_as_a_table(folder):
    """Once missing: the points of the ROC curve could not be had from the command line."""
    assert run("evaluate", "scores.csv", "-q", "--chart", "roc_steps=steps.csv").exit_code == 0
    with (folder / "steps.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["threshold", "true_positives", "false_positives", "recall", "false_positive_rate"]
    assert [float(rows[0][key]) for key in ("true_positives", "false_positives")] == [0, 0]
    assert [float(rows[-1][key]) for key in ("true_positives", "false_positives")] == [24, 24]
    assert [rows[0]["threshold"], float(rows[-1]["recall"])] == ["", 1.0]


REFUSED = {
    ("--chart", "rok=curve.svg"): (
        "error: no chart is named 'rok'; did you mean 'roc'?\n"
        "  Fix: correct the name, or write every chart of the result with --charts DIR\n"
    ),
    ("--chart", "roc=curve.gif"): (
        "error: --chart roc=curve.gif is not a chart file\n"
        "  Fix: end the name of the file in one of .svg, .png, .pdf, .html, .csv\n"
    ),
    ("--chart", "=curve.svg"): (
        "error: --chart =curve.svg names no chart or no file\n  Fix: write, for instance, --chart roc=curve.svg\n"
    ),
    ("--chart", "roc=nowhere/curve.svg"): (
        "error: --chart nowhere/curve.svg cannot be written: there is no folder nowhere\n"
        "  Fix: choose a folder that exists and may be written\n"
    ),
    ("--chart", "roc=a.svg", "--chart", "lift=a.svg"): "error: --chart a.svg twice\n  Fix: choose two files\n",
    ("--chart", "roc=a.svg", "-o", "a.svg"): "error: --output and --chart are both a.svg\n  Fix: choose two files\n",
    ("--charts", "scores.csv"): (
        "error: --charts scores.csv is a file, and a folder is needed\n  Fix: name a folder\n"
    ),
    ("--chart-format", "png"): (
        "error: --chart-format has no effect without --charts\n"
        "  Fix: write --charts DIR, or end the file of --chart in .png\n"
    ),
    ("--charts", "no/where"): (
        "error: --charts no/where cannot be made: there is no folder no\n"
        "  Fix: choose a folder that exists and may be written\n"
    ),
}


@pytest.mark.parametrize("options", REFUSED, ids=" ".join)
def test_what_cannot_be_written_is_refused_before_the_work(folder, options):
    found = run("evaluate", "scores.csv", *options)
    assert found.exit_code == 2
    assert found.stdout == ""
    assert found.stderr.startswith(REFUSED[options])


def test_an_unknown_chart_lists_those_of_the_result_alone(folder):
    """Once a list of all the charts of all results."""
    (folder / "table.csv").write_text("x,class,p\na,no,0.8\nb,yes,0.2\n", encoding="utf-8")
    found = run("lab", "table", "table.csv", "--chart", "nonsense=x.svg")
    assert found.exit_code == 2
    assert found.stderr == (
        "error: this result has no chart 'nonsense'\n"
        "  Fix: choose one of joint, class_given_x, x_given_class, as in --chart joint=FILE\n"
    )


def test_every_chart_as_png(folder):
    """Once SVG alone."""
    (folder / "table.csv").write_text("x,class,p\na,no,0.8\nb,yes,0.2\n", encoding="utf-8")
    assert run("lab", "table", "table.csv", "--charts", "pictures", "--chart-format", "png").exit_code == 0
    written = sorted((folder / "pictures").iterdir())
    assert [path.name for path in written] == ["class_given_x.png", "joint.png", "x_given_class.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)


def test_an_input_is_not_overwritten(folder):
    (folder / "rows.csv").write_bytes((folder / "scores.csv").read_bytes())
    found = run("evaluate", "rows.csv", "--chart", "roc=rows.csv")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == "error: --chart rows.csv is an input and would be overwritten\n  Fix: choose another file\n"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("one.svg", "--chart one.svg does not say which chart is wanted"),
        ("classes=one.svg", "this result has no chart 'classes'"),
    ],
)
def test_a_chart_that_the_result_lacks_is_refused_with_those_it_has(folder, option, message):
    found = run("evaluate", "scores.csv", "-o", "text.txt", "--chart", option)
    assert found.exit_code == 2
    assert f"error: {message}\n  Fix: choose one of metrics, " in found.stderr
    assert found.stderr.endswith("as in --chart metrics=FILE\n")
    assert (folder / "text.txt").exists()  # the work is not lost


def test_a_chart_that_the_data_cannot_give_says_why(folder):
    found = run("evaluate", "scores.csv", "-q", "--chart", "segments=one.svg")
    assert (found.exit_code, found.stderr.partition("\n")[0]) == (2, "error: the segments chart needs segments")


def test_a_missing_extra_ends_in_one_sentence(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    found = run("evaluate", "scores.csv", "--chart", "roc=curve.svg")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == ("error: charts need altair, which is not installed\n  Fix: pip install 'heldout[charts]'\n")


def test_a_recorded_result_has_no_charts(folder):
    run("evaluate", "scores.csv", "-q", "--save", "first")
    found = run("runs", "show", "first", "--charts", "pictures")
    assert (found.exit_code, found.stderr.partition("\n")[0]) == (
        2,
        "error: --charts has no effect on a recorded result: its rows are not kept",
    )
