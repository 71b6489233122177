"""heldout lab coverage, size, power and world, as a user has them."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from heldout.cli import verbs
from heldout.lab.worlds.registry import FAMILIES
from heldout.report.schema import schema


def ran(*words):
    found = CliRunner().invoke(verbs, ["lab", *map(str, words)], standalone_mode=False)
    return found.exit_code, found.output


def asked(*words):
    code, output = ran(*words, "--format", "json")
    assert code == 0, output
    result = json.loads(output)
    Draft202012Validator(schema(result["schema"])).validate(result)
    return result


def test_the_example_of_the_promise():
    result = asked("coverage", "normal", "wilson", "clopper_pearson", "--world", "coin:p=0.01", "--n", 50)
    assert result["schema"] == "heldout.coverage/1"
    assert [one["method"] for one in result["results"]] == ["normal", "wilson", "clopper_pearson"]
    assert [round(one["coverage"], 3) for one in result["results"]] == [0.395, 0.911, 0.986]
    assert [one["error"] for one in result["results"]] == [0, 0, 0]


def test_coverage_as_text():
    code, screen = ran("coverage", "wald", "wilson", "exact", "--world", "coin:p=0.01", "--n", 50, "--window", 0.2)
    assert code == 0
    assert screen == (
        "coin:p=0.01, n = 50, level 0.95, mean over true values +-20%; every sample\n"
        "  enumerated\n"
        "\n"
        "method           metric    truth  coverage  lowest  ± MC error   width\n"
        "normal           accuracy   0.01     39.4%   33.1%       exact  0.0337  too low\n"
        "wilson           accuracy   0.01     93.3%   89.5%       exact  0.0855  ok\n"
        "clopper_pearson  accuracy   0.01     98.6%   97.8%       exact  0.0875  wide\n"
    )


def test_the_default_method_is_taken_and_repetitions_are_counted():
    result = asked("coverage", "--world", "labels", "--n", 30, "--metric", "f1,recall", "--repeats", 10, "--seed", 3)
    assert [(one["method"], one["metric"], one["repeats"]) for one in result["results"]] == [
        ("auto", "f1", 10), ("auto", "recall", 10),
    ]  # fmt: skip


def test_size_as_text():
    code, screen = ran("size", "mcnemar", "exact", "--world", "pair-coin:p=0.8", "--n", 100)
    assert code == 0
    assert screen == (
        "pair-coin:p=0.8, n = 100, alpha 0.05; every sample enumerated\n"
        "\n"
        "test     metric    difference  rejected  ± MC error  undefined  coverage\n"
        "mcnemar  accuracy           0      4.6%       exact       0.0%        --  ok\n"
        "exact    accuracy           0      2.9%       exact       0.0%        --  ok\n"
    )


def test_size_and_power_as_json():
    result = asked("size", "--world", "pair-labels:models=3", "--n", 30, "--metric", "accuracy", "--repeats", 5)
    assert (result["question"], result["models"], result["results"][0]["repeats"]) == ("size", 3, 5)
    result = asked("power", "mcnemar", "--world", "pair-coin:p=0.8,gain=0.05", "--n", 400)
    assert result["results"][0]["rejected"] == pytest.approx(0.64, abs=0.01)
    assert result["results"][0]["word"] is None


def test_blocks_are_kept_and_the_result_written(tmp_path):
    blocks, output = tmp_path / "blocks.jsonl", tmp_path / "size.json"
    words = ("size", "t", "--world", "pair-coin", "--n", 20, "--repeats", 5, "--into", blocks, "--format", "json")
    assert ran(*words, "--output", output)[0] == 0
    assert len(blocks.read_text(encoding="utf-8").splitlines()) == 1
    assert json.loads(output.read_text(encoding="utf-8"))["n"] == 20


def test_one_world():
    code, screen = ran("world", "pair-coin:p=0.8,gain=0.05")
    assert code == 0
    assert screen == (
        "pair-coin:p=0.8,gain=0.05: 2 models; the first: right with chance 0.8, row by\n"
        "  row\n"
        "parameters: p=0.8, gain=0.05\n"
        "\n"
        "metric      true value\n"
        "accuracy          0.05\n"
        "error_rate       -0.05\n"
        "recall            0.05\n"
        "\n"
        "note true values are exact to 1e-12\n"
    )
    result = asked("world", "logistic:strength=2")
    assert result["bayes_error"] == pytest.approx(0.22201, abs=2e-6)


def test_all_worlds():
    result = asked("world")
    assert result["worlds"][0]["name"] == "coin"
    code, screen = ran("world")
    assert code == 0
    assert screen.startswith("coin (p=0.9): Rows of one class that a model gets right with chance p.\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("coverage", "wilson", "--n", 50),
            "--world is missing\n  Fix: write, for instance, --world coin:p=0.01; heldout lab world lists simulations",
        ),
        (
            ("power", "--world", "pair-coin"),
            "--n is missing\n  Fix: write, for instance, --n 50; heldout lab world lists simulations",
        ),
        (
            ("world", "bnormal"),
            (
                "no world is named 'bnormal'; did you mean 'binormal'?\n"
                f"  Fix: choose one of {', '.join(FAMILIES)}, flat, sine, slope, square, step, gaussian, twins, noise; "
                "heldout lab world says what they are"
            ),
        ),
    ],
)
def test_messages(words, message):
    found = CliRunner().invoke(verbs, ["lab", *map(str, words)], standalone_mode=False)
    assert found.exit_code == 2
    assert found.stderr == f"error: {message}\n"
