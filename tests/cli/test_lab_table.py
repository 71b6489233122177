"""heldout lab table, as a user has it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from heldout.cli import verbs
from heldout.report.schema import schema

WEATHER = """sky,wind,class,p,model
sunny,weak,play,0.30,play
sunny,weak,stay,0.05,play
sunny,strong,play,0.15,stay
sunny,strong,stay,0.10,stay
rainy,weak,play,0.08,stay
rainy,weak,stay,0.12,stay
rainy,strong,play,0.02,stay
rainy,strong,stay,0.18,stay
"""
WIDE = """x;no;yes
1;30;10
2;20;40
"""
SCREEN = """\
weather.csv   4 points, 2 classes   probabilities
columns  attributes=sky, wind  class=class  p=p  classifiers=model

p(x, c)
sky    wind      p(x)    play    stay
p(c)           1.0000  0.5500  0.4500
rainy  strong  0.2000  0.0200  0.1800
rainy  weak    0.2000  0.0800  0.1200
sunny  strong  0.2500  0.1500  0.1000
sunny  weak    0.3500  0.3000  0.0500

p(c|x)
sky    wind    Bayes  under noise    play    stay
rainy  strong  stay   stay         0.1000  0.9000
rainy  weak    stay   stay         0.4000  0.6000
sunny  strong  play   play         0.6000  0.4000
sunny  weak    play   play         0.8571  0.1429

p(x|c)
sky    wind      play    stay
rainy  strong  0.0364  0.4000
rainy  weak    0.1455  0.2667
sunny  strong  0.2727  0.2222
sunny  weak    0.5455  0.1111

classifier   true error  above Bayes  under noise
Bayes            0.2500       0.0000       0.3000
always play      0.4500       0.2000       0.4600
model            0.3000       0.0500       0.3400

BAYES  No classifier errs less than 0.25 here (Bayes error).
       Judged by noisy labels, none less than 0.3.
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run `heldout lab table` on a text; what it prints."""
    monkeypatch.chdir(tmp_path)

    def call(text, *arguments, code=0, name="weather.csv"):
        Path(name).write_text(text, encoding="utf-8")
        result = CliRunner().invoke(verbs, ["lab", "table", name, *map(str, arguments)])
        assert result.exit_code == code, result.output
        return result.stdout if code == 0 else result.stderr

    return call


@pytest.fixture
def facts(run):
    """The same, read back from JSON and held against the schema."""

    def call(text, *arguments):
        found = json.loads(run(text, *arguments, "--format", "json"))
        Draft202012Validator(schema("heldout.table/1")).validate(found)
        return found

    return call


def errors(found):
    return {one["name"]: round(one["true_error"], 12) for one in found["classifiers"]}


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(schema("heldout.table/1"))


def test_the_screen(run):
    assert run(WEATHER, "--classifier", "model", "--noise", 0.1) == SCREEN


def test_the_json(facts):
    found = facts(WEATHER, "--classifier", "model")
    assert found["bayes_error"] == pytest.approx(0.25)
    assert errors(found) == {"Bayes": 0.25, "always play": 0.45, "model": 0.3}
    assert found["classes"] == ["play", "stay"]
    assert found["class_marginal"] == pytest.approx([0.55, 0.45])
    first = found["points"][0]
    assert (first["x"], first["bayes"]) == (["rainy", "strong"], "stay")
    assert first["class_given_x"] == pytest.approx([0.1, 0.9])
    assert found["noise"] is None


def test_a_wide_table_of_counts_with_semicolons(facts):
    found = facts(WIDE)
    assert (found["kind"], found["rows"], found["classes"]) == ("counts", 100, ["no", "yes"])
    assert [one["joint"] for one in found["points"]] == [[0.3, 0.1], [0.2, 0.4]]
    assert errors(found) == {"Bayes": 0.3, "always no": 0.5}
    assert found["notes"] == [
        (
            "the table was counted from 100 rows and is taken for the truth here: its Bayes error is too low for rows "
            "not seen; heldout evaluate gives an interval for a classifier"
        )
    ]


def test_a_wide_table_with_a_class_that_is_called_c(facts):
    assert facts("x,c,d\n1,3,1\n2,2,4\n", "--wide")["classes"] == ["c", "d"]


def test_rows_are_counted(facts):
    found = facts("colour,class\nred,1\nred,0\ngreen,0\nred,1\n")
    assert (found["kind"], found["rows"], found["classes"]) == ("rows", 4, [0, 1])
    assert [(one["x"], one["joint"]) for one in found["points"]] == [(["green"], [0.25, 0]), (["red"], [0.25, 0.5])]


def test_attributes_that_are_left_out_are_summed_over(facts):
    found = facts(WEATHER, "--attribute", "sky")
    assert found["attributes"] == ["sky"]
    assert [one["joint"] for one in found["points"]] == [pytest.approx([0.1, 0.3]), pytest.approx([0.45, 0.15])]


def test_points_that_never_come_are_left_out(facts, run):
    text = "a,b,class,p\n1,1,no,0.5\n2,2,yes,0.5\n"
    found = facts(text)
    assert ([one["x"] for one in found["points"]], found["points_left_out"]) == ([[1, 1], [2, 2]], 2)
    assert "note 2 points without probability left out\n" in run(text)
    listed = facts(text + "1,2,no,0\n")
    assert listed["points"][1]["class_given_x"] == [None, None]
    assert listed["points"][1]["bayes"] is None


def test_naive_bayes_beside_the_table(facts, run):
    xor = "a,b,class,count\n0,0,no,10\n0,1,yes,10\n1,0,yes,10\n1,1,no,10\n"
    found = facts(xor, "--naive-bayes")
    assert [one["naive_x_given_class"] for one in found["points"]] == [[0.25, 0.25]] * 4
    assert errors(found) == {"Bayes": 0.0, "always no": 0.5, "naive Bayes": 0.5}
    assert "p(x|c), attributes independent\n" in run(xor, "--naive-bayes")


def test_smoothing(facts):
    found = facts("x,class,count\n1,no,2\n2,no,1\n2,yes,1\n", "--smoothing", 1)
    assert [one["joint"] for one in found["points"]] == [[0.375, 0.125], [0.25, 0.25]]


def test_noise_from_a_file(facts, tmp_path):
    (tmp_path / "noise.csv").write_text(",stay,play\nplay,0.2,0.8\nstay,1,0\n", encoding="utf-8")
    found = facts(WEATHER, "--noise", "noise.csv")
    assert found["noise"]["matrix"] == [[0.8, 0.2], [0.0, 1.0]]
    assert found["noise"]["class_marginal"] == pytest.approx([0.44, 0.56])
    assert found["noise"]["bayes"] == ["stay", "stay", "stay", "play"]


def test_rounded_probabilities_are_told(facts):
    found = facts("x,class,p\n1,a,0.3333\n1,b,0.3333\n2,a,0.3333\n")
    assert found["notes"] == ["the probabilities add up to 0.9999 and were divided by that"]
    assert found["class_marginal"] == pytest.approx([2 / 3, 1 / 3])


def test_many_points_are_cut_on_the_screen_only(run):
    text = "x,class\n" + "".join(f"{i},yes\n{i},no\n" for i in range(50))
    assert run(text).count("30 more points: see --format md, csv or json\n") == 3
    assert "more points" not in run(text, "--format", "md")


def test_csv_has_a_line_per_point_and_class(run):
    rows = list(csv.DictReader(io.StringIO(run(WEATHER, "--attribute", "sky", "--format", "csv"))))
    assert [(row["sky"], row["class"], row["bayes"]) for row in rows[:2]] == [
        ("rainy", "play", "stay"),
        ("rainy", "stay", "stay"),
    ]
    assert float(rows[1]["p_class_given_x"]) == pytest.approx(0.75)


@pytest.mark.parametrize("form", ["md", "latex", "html"])
def test_other_formats_escape_what_came_from_outside(run, form):
    shown = run("x,class,p\n<b>,a|b,0.5\n_x_,c&d,0.5\n", "--format", form)
    assert {"md": "a\\|b", "latex": "c\\&d", "html": "&lt;b&gt;"}[form] in shown
    assert "<b>," not in shown


def test_into_a_file(run, tmp_path):
    assert run(WEATHER, "--output", "out.txt") == ""
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").startswith("weather.csv   4 points")


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (
            "x,class,p\n1,a,0.5\n2,b,0.4\n",
            [],
            (
                "error[H306] weather.csv: the probabilities add up to 0.9, and a joint table adds up to 1\n"
                "  Fix: give p(x, c) of every point with every class (not p(c|x)), or whole counts\n  See: "
                "heldout explain H306\n"
            ),
        ),
        (
            "x,class,p\n1,a,1.5\n2,b,-0.5\n",
            [],
            (
                "error[H306] weather.csv: p is -0.5 in row 2, which is neither a probability nor a count\n"
                "  Fix: write a number from 0 up in every row\n  See: heldout explain H306\n"
            ),
        ),
        (
            "x,class,p\n1,a,\n",
            [],
            (
                "error[H306] weather.csv: p is missing or infinite in row 1, which is neither a probability "
                "nor a count\n  Fix: write a number from 0 up in every row\n  See: heldout explain H306\n"
            ),
        ),
        (
            "x,class,p\n1,a,half\n",
            [],
            (
                "error[H108] weather.csv: p is 'half' in row 1, which is not a number\n"
                "  Fix: write p in plain decimal notation, such as 0.25 or 1e-3\n  See: heldout explain H108\n"
            ),
        ),
        (
            "x,class,p\n,a,0.5\n2,b,0.5\n",
            [],
            (
                "error[H305] weather.csv: x is missing in row 1\n  Fix: write a value in every row\n  See: heldout "
                "explain H305\n"
            ),
        ),
        (
            "x,x,class\n1,2,a\n",
            [],
            (
                "error[H106] weather.csv has the column 'x' twice\n  Fix: rename or remove one of the two\n  See: "
                "heldout explain H106\n"
            ),
        ),
        (
            "x,class,p\n",
            [],
            (
                "error[H112] weather.csv has no rows\n  Fix: write at least one row below the "
                "header\n  See: heldout explain H112\n"
            ),
        ),
        (
            "x,p\n1,0.5\n2,0.5\n",
            [],
            (
                "error[H106] weather.csv has no column for the class: its columns are x, p; "
                "looked for class, c, label, y, target\n"
                "  Fix: name it with --class, or give a wide table with one column per class\n  See: heldout "
                "explain H106\n"
            ),
        ),
        (
            "class,p\na,1\n",
            [],
            (
                "error[H106] weather.csv has no column for an attribute: class, p\n"
                "  Fix: write columns for the attributes, a column `class` and a column `p` or `count`\n  See: "
                "heldout explain H106\n"
            ),
        ),
        (
            "x,a,a\n1,2,3\n",
            [],
            "error[H106] weather.csv has the class 'a' twice\n  Fix: name each once\n  See: heldout explain H106\n",
        ),
        (
            WEATHER,
            ["--wide", "--class", "class"],
            "error: --wide and --class exclude each other\n  Fix: a wide table has one column per class\n",
        ),
        (
            WEATHER,
            ["--smoothing", "1"],
            "error: --smoothing adds rows to counts, but the table holds probabilities\n  Fix: give counts\n",
        ),
        (
            WEATHER,
            ["--noise", "some"],
            (
                "error: --noise is 'some', which is neither a number nor a file\n"
                "  Fix: give a probability such as 0.1, or a file with the classes in its header and first column\n"
            ),
        ),
        (
            "x,class,p,m\n1,a,0.5,a\n1,b,0.5,b\n",
            ["--classifier", "m"],
            (
                "error[H107] weather.csv: m says both 'a' and 'b' of x=1\n"
                "  Fix: a classifier says one class of each point\n  See: heldout explain H107\n"
            ),
        ),
        (
            "x,class,p,m\n1,a,0.5,z\n1,b,0.5,z\n",
            ["--classifier", "m"],
            (
                "error[H107] weather.csv: m says 'z', not among the classes 'a', 'b'\n"
                "  Fix: spell the classes as in the table\n  See: heldout explain H107\n"
            ),
        ),
        (
            "a,b,class,count,m\n1,1,x,5,x\n2,2,y,5,y\n",
            ["--classifier", "m", "--smoothing", "1"],
            (
                "error[H107] weather.csv: m says nothing of a=1, b=2, which can come\n"
                "  Fix: give a row for every point, or leave out --smoothing\n  See: heldout explain H107\n"
            ),
        ),
    ],
)
def test_messages(run, text, arguments, message):
    assert run(text, *arguments, code=2) == message


def test_the_input_is_not_written_over(run):
    assert run(WEATHER, "--output", "weather.csv", code=2) == (
        "error: --output weather.csv is an input and would be overwritten\n  Fix: choose another file\n"
    )


@pytest.mark.parametrize(
    ("text", "seen"), [("", "is empty (0 bytes)"), (" \n\n", "is empty: it contains nothing but blanks")]
)
def test_an_empty_file(run, text, seen):
    assert run(text, code=2) == (
        f"error[H100] weather.csv {seen}\n  Fix: write a header and at least one row\n  See: heldout explain H100\n"
    )
