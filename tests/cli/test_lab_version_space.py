"""heldout lab version-space, as a user has it."""

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

BIKE = """sky,wind,road,ride
sunny,weak,dry,yes
sunny,strong,dry,yes
rainy,strong,wet,no
cloudy,weak,dry,
rainy,weak,wet,
sunny,weak,wet,
"""
SCREEN = """\
bike.csv   3 rows, 12 points   37 hypotheses (conjunctions)
columns  target=ride  positive=yes  attributes=sky, wind, road

row  left  ride  sky    wind    road
 --    37  --
  1     8  yes   sunny  weak    dry
  2     4  yes   sunny  strong  dry
  3     3  no    rainy  strong  wet

which                   predicts yes for
most specific           sky=sunny and road=dry
most general            sky=sunny
most general            road=dry
found first (specific)  sky=sunny and road=dry

asked  all say  say yes  search says  sky     wind  road
row 4  --           33%  no           cloudy  weak  dry
row 5  no            0%  no           rainy   weak  wet
row 6  --           33%  no           sunny   weak  wet

RESULT  3 of 37 hypotheses agree with all rows.
        Of 9 unseen points the language decides 3 (33.3%) and leaves 6 to the
        search.
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(text, *arguments, code=0, target="ride"):
        Path("bike.csv").write_text(text, encoding="utf-8")
        words = ["lab", "version-space", "bike.csv", "--target", target, *map(str, arguments)]
        result = CliRunner().invoke(verbs, words)
        assert result.exit_code == code, result.output
        return result.stdout if code == 0 else result.stderr

    return call


@pytest.fixture
def facts(run):
    def call(text, *arguments):
        found = json.loads(run(text, *arguments, "--format", "json"))
        Draft202012Validator(schema("heldout.version-space/1")).validate(found)
        return found

    return call


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(schema("heldout.version-space/1"))


def test_the_screen(run):
    assert run(BIKE, "--space", "conjunctions") == SCREEN


def test_the_json(facts):
    found = facts(BIKE, "--space", "conjunctions", "--order", "general")
    assert (found["size"], found["consistent"], found["empty"]) == (37, 3, None)
    assert [one["left"] for one in found["trace"]] == [8, 4, 3]
    assert found["search"] == {"order": "general", "hypothesis": "road=dry", "points": 6}
    assert [(one["unanimous"], one["search"]) for one in found["questions"]] == [
        (None, "yes"),
        ("no", "no"),
        (None, "no"),
    ]
    assert found["unanimous"]["coverage"] == pytest.approx(0.5)


def test_a_space_that_says_anything_predicts_nothing_unseen(facts, run):
    found = facts(BIKE, "--space", "all")
    assert found["size"] == 2**12
    assert found["consistent"] == 2**9
    assert (found["unanimous"]["unseen"], found["unanimous"]["unseen_decided"]) == (9, 0)
    assert [one["votes"] for one in found["questions"]] == [0.5] * 3
    assert "Of 9 unseen points the language decides 0 (0.0%) and leaves 9 to the\n" in run(BIKE, "--space", "all")


GRID = """x,y,inside
1,1,no
2,2,yes
3,3,yes
10,4,no
"""


def test_rectangles_order_numbers_by_size(facts, run):
    found = facts(GRID.replace("inside", "ride"), "--space", "rectangles")
    assert found["size"] == 1 + 10 * 10
    assert found["most_specific"] == ["2 <= x <= 3 and 2 <= y <= 3"]
    assert sorted(found["most_general"]) == [
        "1 <= x <= 3 and 2 <= y <= 4",
        "2 <= x <= 10 and 1 <= y <= 3",
        "2 <= x <= 3",
        "2 <= y <= 3",
    ]


def test_decimals_are_ordered_as_numbers(facts):
    found = facts("x,ride\n-0.5,no\n0.25,yes\n10,no\n9.5,yes\n", "--space", "rectangles")
    assert found["most_specific"] == ["0.25 <= x <= 9.5"]


def test_the_empty_version_space_under_noise(facts, run):
    noisy = BIKE + "sunny,weak,dry,no\n"
    found = facts(noisy, "--space", "all")
    assert found["empty"] == {"because": "contradiction", "at_row": 7, "contradicting_rows": [1, 7]}
    assert (found["consistent"], found["search"], found["fewest_wrong"]["rows"]) == (0, None, 1)
    assert found["questions"][0] == {
        "row": 4,
        "x": ["cloudy", "weak", "dry"],
        "unanimous": None,
        "votes": None,
        "search": None,
    }
    shown = run(noisy, "--space", "conjunctions")
    assert "fewest rows wrong (1)  " in shown
    assert shown.endswith(
        "RESULT  The version space is empty from row 7 on.\n"
        "        Rows 1, 7 give a point both labels: noise, which no hypothesis of any\n"
        "        space fits.\n"
    )


def test_a_language_too_narrow_is_named(facts, run):
    apart = "x,ride\n1,yes\n2,no\n3,yes\n"
    assert facts(apart, "--space", "rectangles")["empty"]["because"] == "language"
    assert run(apart, "--space", "rectangles").endswith(
        "RESULT  The version space is empty from row 3 on.\n"
        "        The language (rectangles) cannot say what the rows say: it is too\n"
        "        narrow, or labels are wrong.\n"
    )
    wide = facts(apart, "--space", "unions", "--rectangles", 2)
    assert (wide["consistent"], wide["most_general"]) == (1, ["(x=1) or (x=3)"])
    assert "Every point of the domain has a row.\n" in run(apart, "--space", "unions")


def test_the_positive_class_can_be_named(facts):
    text = "x,ride\n1,ham\n2,spam\n"
    assert facts(text, "--space", "all")["notes"] == ["spam was taken for the positive class: --positive names another"]
    found = facts(text, "--space", "conjunctions", "--positive", "ham")
    assert (found["positive"], found["negative"], found["most_specific"], found["notes"]) == (
        "ham",
        "spam",
        ["x=1"],
        [],
    )


def test_rows_of_one_class(facts):
    found = facts("x,ride\n1,yes\n2,\n", "--space", "all")
    assert (found["negative"], found["positive"], found["consistent"]) == ("not yes", "yes", 2)


def test_only_some_attributes(facts):
    assert facts(BIKE, "--space", "conjunctions", "--attribute", "sky,road")["attributes"] == ["sky", "road"]


def test_long_tables_are_cut_on_the_screen_only(run):
    text = "x,ride\n" + "".join(f"{i % 4},no\n" for i in range(40))
    assert "26 more rows: see --format md, csv or json\n" in run(text, "--space", "all")
    assert "more: see" not in run(text, "--space", "all", "--format", "md")


def test_a_long_trace_keeps_the_rows_that_strike_something_out(facts):
    text = "x,ride\n" + "".join(f"{i % 4},no\n" for i in range(1001))
    found = facts(text, "--space", "all")
    assert [(one["row"], one["left"]) for one in found["trace"]] == [(1, 8), (2, 4), (3, 2), (4, 1)]
    assert found["notes"] == ["the trace has only the rows that struck a hypothesis out"]
    assert found["rows"] == 1001


def test_csv_has_a_line_per_row(run):
    rows = list(csv.DictReader(io.StringIO(run(BIKE, "--space", "conjunctions", "--format", "csv"))))
    assert [(row["part"], row["row"], row["left"], row["label"]) for row in rows[2:5]] == [
        ("seen", "3", "3", "no"),
        ("asked", "4", "", ""),
        ("asked", "5", "", "no"),
    ]


@pytest.mark.parametrize("form", ["md", "latex", "html"])
def test_other_formats_escape_what_came_from_outside(run, form):
    shown = run("x,ride\n<b>|&,yes\n2,no\n", "--space", "conjunctions", "--format", form)
    assert {"md": "&lt;b&gt;\\|&amp;", "latex": "\\&", "html": "&lt;b&gt;|&amp;"}[form] in shown
    assert "<b>|" not in shown


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (
            "x,ride\n" + "".join(f"{i},yes\n" for i in range(24)),
            ["--space", "all"],
            (
                "error: all labelings of 24 points are 16,777,216 hypotheses, and at most 416,666 can be listed over "
                "so many points\n  Fix: use a smaller space, fewer attributes or fewer values\n"
            ),
        ),
        (
            "x,ride\n1,yes\n2,no\n3,maybe\n",
            ["--space", "all"],
            (
                "error[H104] bike.csv: ride has 3 classes ('maybe', 'no', 'yes'), and a concept has two\n"
                "  Fix: write yes and no, or 1 and 0; leave the target empty where a prediction is asked for\n  "
                "See: heldout explain H104\n"
            ),
        ),
        (
            "x,ride\n1,\n",
            ["--space", "all"],
            (
                "error[H104] bike.csv: ride has no label at all, and a concept has two\n"
                "  Fix: write yes and no, or 1 and 0; leave the target empty where a prediction is asked for\n  "
                "See: heldout explain H104\n"
            ),
        ),
        (
            "ride\nyes\n",
            ["--space", "all"],
            (
                "error[H106] bike.csv has no column beside 'ride'\n  Fix: give at least one attribute\n  See: "
                "heldout explain H106\n"
            ),
        ),
        (
            "x,rides\n1,yes\n",
            ["--space", "all"],
            (
                "error[H106] bike.csv has no column 'ride' for the target; did you mean 'rides'? its columns are "
                "x, rides\n  Fix: name one of these columns\n  See: heldout explain H106\n"
            ),
        ),
    ],
)
def test_messages(run, text, arguments, message):
    assert run(text, *arguments, code=2) == message


def test_intervals_of_text_values_say_in_which_order_they_take_them(tmp_path):
    """Once silent: large, medium, small were taken in this order."""
    path = tmp_path / "size.csv"
    path.write_text("size,buy\nsmall,yes\nmedium,no\nlarge,no\n", encoding="utf-8")
    words = ["lab", "version-space", str(path), "--target", "buy", "--json", "--space"]
    notes = {
        space: json.loads(CliRunner().invoke(verbs, [*words, space]).stdout)["notes"]
        for space in ("rectangles", "unions", "conjunctions", "all")
    }
    order = (
        "intervals of size take its values in alphabetical order ('large', 'medium', 'small'): "
        "encode them as numbers for another order"
    )
    assert notes == {"rectangles": [order], "unions": [order], "conjunctions": [], "all": []}
