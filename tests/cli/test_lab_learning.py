from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from heldout.cli import verbs
from heldout.report.schema import schema

QUICK = ["--repeats", 20]


def run(*arguments):
    return CliRunner().invoke(verbs, ["lab", *map(str, arguments)])


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"{at},{at % 7},{int(at % 7 > 3)}" for at in range(40)]
    path.write_text("\n".join(["id,x,y", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("bias-variance", ["bias-variance", "--learner", "poly:degree=2", "--world", "sine", *QUICK]),
        ("estimation-bias", ["estimation-bias", *QUICK]),
        ("ceiling", ["ceiling", "--data", "ROWS", "--target", "y", "--drop", "id"]),
    ],
)
def test_json_keeps_to_its_schema_and_text_is_shown(name, arguments, rows):
    given = [rows if one == "ROWS" else one for one in arguments]
    answer = json.loads(run(*given, "--format", "json").stdout)
    assert answer["schema"] == f"heldout.{name}/1"
    Draft202012Validator(schema(answer["schema"])).validate(answer)
    shown = run(*given)
    assert shown.exit_code == 0
    assert shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80


def test_the_seed_and_the_file(tmp_path):
    words = ["bias-variance", "--learner", "constant", "--world", "sine", *QUICK, "--format", "json"]
    path = tmp_path / "parts.json"
    written = run(*words, "--seed", 3, "--output", path)
    assert (written.exit_code, written.stdout, written.stderr) == (0, "", f"wrote {path}\n")
    assert path.read_text(encoding="utf-8") == run(*words, "--seed", 3).stdout != run(*words, "--seed", 4).stdout


def test_the_data_are_not_overwritten(rows):
    before = rows.read_text(encoding="utf-8")
    result = run("ceiling", "--data", rows, "--target", "y", "--output", rows)
    assert (result.exit_code, result.stderr) == (
        2,
        f"error: --output {rows} is an input and would be overwritten\n  Fix: choose another file\n",
    )
    assert rows.read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["bias-variance", "--learner", "poly"],
            (
                "error: rows come either from a world or from data\n"
                "  Fix: name a world, or give data and its target, one of them\n"
            ),
        ),
        (
            ["bias-variance", "--learner", "oracle", "--world", "sine"],
            (
                "error: no learner is named 'oracle'\n"
                "  Fix: choose one of constant, fixed-line, interpolate, knn, linear, poly, tree, or an "
                "import path such as sklearn.svm:SVC\n"
            ),
        ),
        (
            ["ceiling", "--data", "missing-rows.csv", "--target", "y"],
            (
                "error[H100] there is no file missing-rows.csv\n  Fix: check the path and the folder it starts "
                "from\n  See: heldout explain H100\n"
            ),
        ),
    ],
)
def test_messages(arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", message)
