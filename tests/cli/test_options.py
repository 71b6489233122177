"""Options as people type them: short names, any case, suggestions, and no option that is passed over in silence."""

from __future__ import annotations

import json

import click
import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import VERBS, verbs
from heldout.cli.options import HEADINGS, suggestion


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


def commands(command=verbs, path=()):
    """Every command with the words that call it."""
    yield path, command
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            yield from commands(command.get_command(ctx, name), (*path, name))


EVERY = dict(commands())
LEAVES = {path: command for path, command in EVERY.items() if not isinstance(command, click.Group)}


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_help_fits_the_screen_and_shows_examples_that_fit_too(path):
    result = run(*path, "--help")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    if path:
        _, _, examples = result.stdout.partition("\nExamples:\n")
        assert examples
        assert all(line.startswith(f"  heldout {path[0]}") for line in examples.splitlines())


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_three_or_four_examples(verb):
    assert len(EVERY[verb,].examples) in (3, 4)


@pytest.mark.parametrize("path", LEAVES, ids=" ".join)
def test_options_stand_under_headings_and_arguments_do_not(path):
    command = LEAVES[path]
    sections = run(*path, "--help").stdout.split("\n\n")[1:]
    listed = [section for section in sections if section.partition(":")[0] in HEADINGS]
    entries = [line for section in listed for line in section.splitlines()[1:] if line[2] != " "]
    assert all(line.startswith("  -") for line in entries)
    shown = {name for line in entries for name in line.split("  ")[1].replace(",", " ").split() if name[0] == "-"}
    known = [parameter for parameter in command.params if isinstance(parameter, click.Option) and not parameter.hidden]
    assert shown == {name for parameter in known for name in parameter.opts} | {"-h", "--help"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--json"], "No such option '--json'. Options of a command come after it: heldout COMMAND --json"),
        (["-m", "F1"], "No such option '-m'. Options of a command come after it: heldout COMMAND -m"),
        (["--verson"], "No such option '--verson'. Did you mean --version?"),
        (["plan", "--jso"], "No such option '--jso'. Options of a command come after it: heldout plan COMMAND --jso"),
        (["evaluate", "--jso"], "No such option '--jso'. Did you mean --json?"),
        (["evaluate", "--metrc", "f1"], "No such option '--metrc'. Did you mean --metric?"),
        (["evaluate", "--outpt", "x"], "No such option '--outpt'. Did you mean --output?"),
        (["evaluate", "--LEVEL", "0.9"], "No such option '--LEVEL'. Did you mean --level?"),
        (["evaluate", "--draws", "9"], "No such option '--draws'."),
        (["evaluate", "--scoring", "f1"], "No such option '--scoring'."),
        (["evaluate", "-x"], "No such option '-x'."),
        (["evalute"], "No such command 'evalute'. Did you mean evaluate?"),
        (["Evaluate"], "No such command 'Evaluate'. Did you mean evaluate?"),
        (["score"], "No such command 'score'."),
        (["lab", "covrage"], "No such command 'covrage'. Did you mean coverage?"),
        (["test", "binom"], "No such command 'binom'. Did you mean binomial?"),
        (["plan", "intervall"], "No such command 'intervall'. Did you mean interval?"),
        (["runs", "shw"], "No such command or folder 'shw'. Did you mean show?"),
    ],
)
def test_a_suggestion_is_useful_or_there_is_none(arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    *_, error, fix = result.stderr.splitlines()
    assert error == f"Error: {message}"
    assert fix.startswith("  Fix: heldout ")


def test_dashes_alone_make_no_two_options_alike():
    assert suggestion("--json", ["--of", "--version", "--by"]) == ""
    assert suggestion("--metrcs", ["--metric", "--metrics"]) == " Did you mean --metrics?"


@pytest.fixture
def scored(tmp_path):
    path = tmp_path / "scored.csv"
    lines = [f"{i % 2},{(i * 7 % 30) / 40 + (i % 2) / 5:.4f},{'ab'[i % 3 == 0]}" for i in range(60)]
    path.write_text("\n".join(["y_true,y_score,site", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def numbers(tmp_path):
    path = tmp_path / "numbers.csv"
    lines = [f"{i},{i + (-1) ** i * (1 + i % 3)}.5" for i in range(40)]
    path.write_text("\n".join(["y_true,y_pred", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("option", ["-m", "--metric", "--metrics"])
def test_metrics_have_their_names_in_any_case(scored, numbers, option):
    found = json.loads(run("evaluate", scored, option, "F1,AUC", "--json").stdout)
    assert list(found["estimates"]) == ["f1", "roc_auc"]
    found = json.loads(run("evaluate", numbers, option, "MAE", "--json").stdout)
    assert list(found["estimates"]) == ["mae"]


def test_metrics_have_their_names_in_any_case_in_python_too(scored, numbers):
    found = heldout.evaluate(scored, metrics="F1")
    assert list(found.estimates) == ["f1"]
    assert found["F1"] is found["f1"]
    assert list(heldout.evaluate(scored, metrics=["F1", "AUC"]).estimates) == ["f1", "roc_auc"]
    assert list(heldout.evaluate(numbers, metrics="MAE").estimates) == ["mae"]
    compared = heldout.compare({"a": str(scored), "b": str(scored)}, metrics=["AUC", "F1"], primary="Auc")
    assert (compared.primary, compared["AUC"].metric) == ("roc_auc", "roc_auc")


def test_short_and_long_names_are_the_same(scored, tmp_path):
    long = run("evaluate", scored, "--format", "json", "--level", "0.9", "--segment", "site").stdout
    assert run("evaluate", scored, "--json", "--alpha", "0.1", "--by", "site").stdout == long
    assert run("evaluate", scored, "-f", "JSON", "--alpha", "0.1", "--by", "site").stdout == long
    run("evaluate", scored, "--json", "--alpha", "0.1", "--by", "site", "-o", tmp_path / "found.json", "-q")
    assert (tmp_path / "found.json").read_text(encoding="utf-8") == long


def test_digits(scored):
    line = next(text for text in run("evaluate", scored, "--digits", 5).stdout.splitlines() if "roc_auc" in text)
    assert len(line.split()[1].partition(".")[2]) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--json", "--format", "md"), "--json and --format md exclude each other\n  Fix: give one of them\n"),
        (("--level", "0.9", "--alpha", "0.1"), "--level and --alpha exclude each other\n  Fix: give one of them\n"),
        (("-q", "-v"), "--quiet and --verbose exclude each other\n  Fix: give one of them\n"),
        (("--alpha", "5"), "--alpha is 5, but must lie between 0 and 1\n  Fix: for 5% write 0.05\n"),
        (
            ("--json", "--digits", "2"),
            "--digits has no effect with --format json, which has everything\n  Fix: leave out --digits\n",
        ),
        (
            ("-f", "csv", "-v"),
            "--verbose has no effect with --format csv, which has everything\n  Fix: leave out --verbose\n",
        ),
    ],
)
def test_what_excludes_each_other_or_has_no_effect_is_refused(scored, arguments, message):
    result = run("evaluate", scored, *arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"error: {message}")
