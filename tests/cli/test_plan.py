from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

import heldout
from heldout.cli import verbs
from heldout.report.schema import schema


def run(*arguments):
    return CliRunner().invoke(verbs, ["plan", *map(str, arguments)])


@pytest.fixture
def pilot(tmp_path):
    paths = []
    for name, wrong in (("a", 5), ("b", 8)):
        lines = [f"{i},{i % 2},{i % 2 if i % wrong else 1 - i % 2}" for i in range(200)]
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("\n".join(["id,y_true,y_pred", *lines]) + "\n", encoding="utf-8")
    return paths


def test_interval():
    result = run("interval", "accuracy", 0.85, "--half-width", 0.02)
    assert (result.exit_code, result.stdout) == (
        0,
        (
            "n = 1,225 rows (95% CI, Wilson, half-width 0.02 at accuracy 0.85)\n"
            "worst case over [0.8, 0.9]: n = 1,535 rows\n"
            "\n"
            "note assumed  rows are independent of each other\n"
        ),
    )


def test_difference():
    result = run("difference", "accuracy", 0.85, "--gain", 0.02, "--power", 0.8, "--disagree", 0.08)
    assert (result.exit_code, result.stdout) == (
        0,
        (
            "accuracy 0.85, gain 0.02, 95% confidence (McNemar, mid-p)\n"
            "paired: n = 1,556 rows, power 80.0%\n"
            "unpaired: n = 4,722 rows per model, power 80.0%\n"
            "pairing saves 84% of the labels\n"
            "\n"
            "note assumed  rows are independent of each other\n"
            "note assumed  one model is right and the other wrong on 0.08 of the rows\n"
        ),
    )


def test_power():
    result = run("power", "accuracy", 0.85, "--gain", 0.02, "--rows", 1000)
    assert (result.exit_code, result.stdout) == (
        0,
        (
            "accuracy 0.85, gain 0.02, 95% confidence (McNemar, mid-p)\n"
            "paired: n = 1,000 rows, power 25.0%\n"
            "unpaired: n = 1,000 rows per model, power 25.1%\n"
            "\n"
            "note assumed  rows are independent of each other\n"
            "note assumed  the models err independently, so that they disagree on 0.241 of\n"
            "     the rows; models that are alike need fewer: give --disagree\n"
        ),
    )


BOUND = (
    "n = 721 rows (lower limit of the 95% CI above 0.8 with power 80.0%, at recall\n"
    "  0.9, Wilson)\n"
    "on average only: n = 410 rows, power 52.0%\n"
    "\n"
    "note assumed  rows are independent of each other\n"
    "note assumed  0.15 of all rows are positive\n"
)


@pytest.mark.parametrize("asked", [("bound", "sensitivity", "0.9"), ("sensitivity", "0.9")])
def test_bound_with_or_without_its_name(asked):
    for option in (("--lower-bound", "0.8"), ("--lower-bound=0.8",)):
        result = run(*asked, *option, "--prevalence", 0.15)
        assert (result.exit_code, result.stdout) == (0, BOUND)


def test_upper_bound():
    result = run("fpr", 0.05, "--upper-bound", 0.1)
    assert result.stdout.startswith(
        "n = 254 rows (upper limit of the 95% CI below 0.1 with power 86.2%, at fpr 0.05,\n"
    )


def test_a_metric_without_a_bound_is_told_what_is_missing():
    result = run("sensitivity", 0.9)
    assert (result.exit_code, result.stdout, result.stderr) == (
        2,
        "",
        (
            "error: --lower-bound or --upper-bound is missing for sensitivity\n  Fix: heldout plan sensitivity 0.9 "
            "--lower-bound B, or name a question: interval, bound, difference, power, looks\n"
        ),
    )
    assert run("sensitivty", 0.9).stderr.endswith(
        "Error: No such command 'sensitivty'.\n  Fix: heldout plan --help lists the commands\n"
    )


@pytest.mark.parametrize(
    ("asked", "same"),
    [
        (
            ("sensitivity", "0.9", "--lower-bound", "0.8", "--power", "0.9", "--level", "0.9"),
            lambda plan: plan.bound("recall", 0.9, lower_bound=0.8, power=0.9, confidence_level=0.9),
        ),
        (
            ("interval", "recall", "0.9", "--half-width", "0.05", "--range", "0.7,0.95", "--prevalence", "0.2"),
            lambda plan: plan.interval("recall", 0.9, half_width=0.05, range=(0.7, 0.95), prevalence=0.2),
        ),
        (
            ("interval", "mae", "--half-width", "0.05", "--sd", "2", "--level", "0.9"),
            lambda plan: plan.interval("mae", half_width=0.05, sd=2.0, confidence_level=0.9),
        ),
        (
            ("difference", "roc_auc", "0.8", "--gain", "0.03", "--prevalence", "0.2", "--correlation", "0.5"),
            lambda plan: plan.difference("roc_auc", 0.8, gain=0.03, prevalence=0.2, correlation=0.5),
        ),
        (
            ("power", "roc_auc", "0.73", "--rows", "113", "--prevalence", "0.36"),
            lambda plan: plan.power("roc_auc", 0.73, rows=113, prevalence=0.36),
        ),
    ],
)
def test_json_is_valid_and_says_what_python_says(asked, same):
    result = run(*asked, "--format", "json")
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    Draft202012Validator(schema("heldout.plan/1")).validate(said)
    assert said == same(heldout.plan).to_dict()


def test_pilot_files(pilot):
    first, second = pilot
    one = run("interval", "f1", "--half-width", 0.02, "--pilot", first, "--pred", "y_pred", "--format", "json")
    assert json.loads(one.stdout)["value"] == pytest.approx(0.8, abs=0.02)
    two = run("difference", "f1", "--gain", 0.02, "--pilot", first, "--pilot", second, "--format", "json")
    said = json.loads(two.stdout)
    Draft202012Validator(schema("heldout.plan/1")).validate(said)
    assert [design["name"] for design in said["designs"]] == ["paired"]


def test_output_goes_into_a_file_that_is_not_an_input(pilot, tmp_path):
    path = tmp_path / "plan.txt"
    result = run("interval", "accuracy", 0.85, "--half-width", 0.02, "--output", path)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"wrote {path}\n")
    assert path.read_text(encoding="utf-8").startswith("n = 1,225 rows")
    result = run("interval", "f1", "--half-width", 0.02, "--pilot", pilot[0], "--output", pilot[0])
    assert (result.exit_code, result.stderr) == (
        2,
        f"error: --output {pilot[0]} is an input and would be overwritten\n  Fix: choose another file\n",
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            ("interval", "accuracy", "0.8", "--half-width", "0.1", "--range", "0.8"),
            "error: --range is '0.8', which is not a range\n  Fix: give two numbers such as 0.8,0.9\n",
        ),
        (
            ("difference", "f1", "--gain", "0.1", "--pilot", "a.csv"),
            (
                "error: pilot files for plan difference: 1, but it takes 2\n"
                "  Fix: give --pilot FILE twice, the models in either order\n"
            ),
        ),
        (
            ("interval", "f1", "--half-width", "0.1", "--pilot", "a.csv", "--pilot", "b.csv"),
            "error: pilot files for plan interval: 2, but it takes 1\n  Fix: give --pilot FILE once\n",
        ),
        (
            ("interval", "acuracy", "0.8", "--half-width", "0.1"),
            (
                "error: no metric is named 'acuracy'; did you mean 'accuracy'?\n"
                "  Fix: heldout explain metrics lists all\n"
            ),
        ),
    ],
)
def test_mistakes_are_named(asked, said):
    result = run(*asked)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)


@pytest.mark.parametrize("question", ["interval", "bound", "difference", "power"])
def test_every_question_has_help(question):
    result = run(question, "--help")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_the_result_prints_itself():
    found = heldout.plan.interval("accuracy", 0.85, half_width=0.02)
    assert str(found) == run("interval", "accuracy", 0.85, "--half-width", 0.02).stdout
