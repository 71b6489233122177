from __future__ import annotations

import json
import re
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

import heldout
from heldout.cli import verbs
from heldout.cli.output import Place
from heldout.cli.process_end import Stopped
from heldout.errors import UsageError
from heldout.report.schema import schema

ASKED = ("--primary", "accuracy", "--margin", "0.02")


def run(*arguments):
    return CliRunner().invoke(verbs, ["gate", *map(str, arguments)])


@pytest.fixture
def files(tmp_path):
    """Predictions of which 60, 20 and again 20 others are wrong, of 400."""
    truth = np.tile([0, 1], 200)
    paths = []
    for name, wrong in (("bad", slice(0, 60)), ("good", slice(0, 20)), ("other", slice(100, 120))):
        said = truth.copy()
        said[wrong] = 1 - said[wrong]
        lines = [f"{i},{t},{s}" for i, (t, s) in enumerate(zip(truth, said, strict=True))]
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("\n".join(["id,y_true,y_pred", *lines]) + "\n", encoding="utf-8")
    return paths


@pytest.fixture
def seen(monkeypatch):
    """What the command line asked of `heldout.gate`, which only records it."""
    calls = []
    result = {"schema": "heldout.gate/1", "verdict": "PASS", "hurdles": [], "checks": []}

    def gate(*arguments, **options):
        calls.append((arguments, options))
        return SimpleNamespace(to_dict=lambda: result, verdict="PASS")

    monkeypatch.setattr(heldout, "gate", gate, raising=False)
    return calls


def test_every_option_arrives_under_its_name(seen):
    result = run(
        *("a.csv", "b.csv", "--primary", "f1", "--margin", "f1=0.02", "--alpha", "0.1", "--anchor", "c.csv"),
        *("--noise-floor", "d.csv", "e.csv", "--truth", "t", "--pred", "p", "--score", "s", "--prob-prefix", "p_"),
        *("--id", "i", "--group", "g", "--weight", "w", "--positive", "yes", "--threshold", "0.2", "--seed", "7"),
        *(
            "--n-resamples",
            "500",
            "--on-missing",
            "intersect",
            "--on-nan",
            "drop",
            "--link",
            "logit",
            "--task",
            "binary",
        ),
        *("--labels", "no,yes", "--quiet"),
    )
    assert (result.exit_code, result.output) == (0, "")
    options = {
        "primary": "f1",
        "margin": 0.02,
        "confidence_level": 0.9,
        "anchor": "c.csv",
        "noise_floor": ("d.csv", "e.csv"),
        "truth": "t",
        "y_pred": "p",
        "y_score": "s",
        "prob_prefix": "p_",
        "id": "i",
        "groups": "g",
        "sample_weight": "w",
        "pos_label": "yes",
        "threshold": 0.2,
        "random_state": 7,
        "n_resamples": 500,
        "on_missing": "intersect",
        "on_nan": "drop",
        "link": "logit",
        "task": "binary",
        "labels": ["no", "yes"],
    }
    assert seen == [(({"a": "a.csv", "b": "b.csv"},), options)]


def test_a_pass_is_exit_code_0(files):
    result = run(files[0], files[1], *ASKED)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("PASS  accuracy +0.100 against the baseline, one-sided 95% lower bound ")


def test_a_failure_is_exit_code_1(files):
    result = run(files[1], files[0], *ASKED)
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith("FAIL  accuracy -0.100 against the baseline, 90% CI ")


def test_neither_is_exit_code_3_unless_allowed(files):
    result = run(files[1], files[2], *ASKED)
    assert (result.exit_code, result.stderr) == (3, "")
    assert result.stdout.startswith("INCONCLUSIVE  accuracy 0.000 against the baseline, 90% CI ")
    assert run(files[1], files[2], *ASKED, "--allow-inconclusive").exit_code == 0


def test_bad_input_is_exit_code_2(files):
    result = run(files[0], "nowhere.csv", *ASKED)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error[H100] ")


def test_json_stays_whole_beside_annotations(files, tmp_path):
    junit = tmp_path / "gate.xml"
    result = run(files[1], files[0], *ASKED, "--format", "json", "--github", "--junit", junit, "--anchor", files[2])
    found = json.loads(result.stdout)
    Draft202012Validator(schema(found["schema"])).validate(found)
    assert [one["against"] for one in found["hurdles"]] == ["baseline", "anchor"]
    assert [line[:35] for line in result.stderr.splitlines()] == ["::error title=heldout gate FAIL::ac"] * 2
    assert ET.parse(junit).getroot().attrib["failures"] == "2"
    assert result.exit_code == 1


@pytest.mark.parametrize(
    "wrong", [("--margin", "-0.01"), ("--margin", "0.01", "--quiet", "--verbose"), ("--margin", "f1=0.01")]
)
def test_options_that_cannot_be_followed_replace_the_file_of_an_earlier_gate(files, tmp_path, wrong):
    junit = tmp_path / "gate.xml"
    junit.write_text('<testsuite failures="0"/>', encoding="utf-8")
    result = run(files[0], files[1], "--primary", "accuracy", *wrong, "--junit", junit, "--github")
    assert result.exit_code == 2
    assert ET.parse(junit).getroot().attrib["errors"] == "1"
    assert "::error title=heldout gate ERROR::" in result.stderr


def test_a_gate_that_ends_with_an_error_says_so_in_its_junit_file(files, tmp_path):
    junit = tmp_path / "gate.xml"
    junit.write_text('<testsuite failures="0"/>', encoding="utf-8")
    (tmp_path / "empty.csv").write_text("id,y_true,y_score\n", encoding="utf-8")
    result = run(files[0], tmp_path / "empty.csv", *ASKED, "--junit", junit)
    assert result.exit_code == 2
    suite = ET.parse(junit).getroot()
    assert (suite.attrib["failures"], suite.attrib["errors"]) == ("0", "1")
    (error,) = suite.iter("error")
    assert f"error[H112] {error.attrib['message']}\n" in result.stderr


EARLIER = '<testsuite failures="0"/>'


def error_in(junit):
    suite = ET.parse(junit).getroot()
    assert {name: suite.attrib[name] for name in ("tests", "failures", "errors")} == {
        "tests": "1", "failures": "0", "errors": "1",
    }  # fmt: skip
    (error,) = suite.iter("error")
    return error.attrib["message"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--margin", "0.02", "--nosuch"), "No such option '--nosuch'."),
        (("--margin", "0.02", "--alpha", "x"), "Invalid value for '--alpha': 'x' is not a valid float."),
        (("--margin", "0.02", "-o", "nowhere/x"), "--output nowhere/x cannot be written: there is no folder nowhere"),
        ((), "Missing option '--margin'."),
        (("--margin", "0.02", "--seed", "1", "--seed", "2"), "--seed was given 2 times and takes one value"),
        (("--margin", "0.02", "--define", "exits.py"), "exits.py cannot be run: SystemExit: 0"),
        (("--margin", "0.02", "--n-resamples", "1"), "1 resamples are too few for an interval"),
    ],
)
def test_whatever_is_wrong_is_in_the_junit_file(files, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exits.py").write_text("import sys\nsys.exit(0)\n", encoding="utf-8")
    junit = tmp_path / "gate.xml"
    asked = (files[0], files[1], "--primary", "accuracy", *options, "--github")
    for named in (("--junit", "gate.xml"), ("--junit=gate.xml",)):
        junit.write_text(EARLIER, encoding="utf-8")
        result = run(*asked, *named)
        assert (result.exit_code, error_in(junit)) == (2, message)
        assert f"::error title=heldout gate ERROR::{message}\n" in result.stderr


@pytest.mark.parametrize(
    ("problem", "code_and_message"),
    [
        (SystemExit(0), (2, "your code called sys.exit(0), so there is no result")),
        (RuntimeError("no\nsense"), (5, "internal error: RuntimeError: no sense")),
        (KeyboardInterrupt(), (130, "interrupted")),
        (Stopped(15), (143, "ended by SIGTERM")),
        (MemoryError("no room"), (2, "there is not enough memory: no room")),
    ],
)
def test_a_gate_that_breaks_off_says_so_in_its_junit_file(files, tmp_path, monkeypatch, problem, code_and_message):
    def breaks(*_arguments, **_options):
        assert error_in(junit) == "the gate has not finished: it is running, or it was killed"
        raise problem

    junit = tmp_path / "gate.xml"
    junit.write_text(EARLIER, encoding="utf-8")
    monkeypatch.setattr(heldout, "gate", breaks, raising=False)
    result = run(files[0], files[1], *ASKED, "--junit", junit)
    assert (result.exit_code, error_in(junit)) == code_and_message


def test_a_verdict_that_cannot_be_delivered_is_an_error(files, tmp_path, monkeypatch):
    def full(*_arguments):
        raise UsageError("x.txt cannot be written: the disk is full", fix="free space")

    monkeypatch.setattr(Place, "deliver", full)
    result = run(*files[:2], *ASKED, "--junit", tmp_path / "gate.xml")
    assert (result.exit_code, error_in(tmp_path / "gate.xml")) == (2, "x.txt cannot be written: the disk is full")


def test_help_leaves_the_junit_file(tmp_path):
    junit = tmp_path / "gate.xml"
    junit.write_text(EARLIER, encoding="utf-8")
    assert run("--help", "--junit", junit).exit_code == 0
    assert junit.read_text(encoding="utf-8") == EARLIER


@pytest.mark.parametrize("option", ["--junit", "--nosuch --junit"])
def test_an_error_overwrites_no_input(files, option):
    before = files[0].read_bytes()
    assert run(*files[:2], *ASKED, *option.split(), files[0]).exit_code == 2
    assert files[0].read_bytes() == before


def test_the_level_is_a_round_number(files):
    hurdle = json.loads(run(files[0], files[1], *ASKED, "--json").stdout)["hurdles"][0]
    assert hurdle["level"] == 0.9


@pytest.mark.parametrize("option", ["--output", "--junit"])
def test_an_input_is_not_written_over(files, option):
    result = run(*files[:2], *ASKED, option, files[0])
    assert (result.exit_code, result.stdout) == (2, "")
    assert (
        result.stderr
        == f"error: {option} {files[0]} is an input and would be overwritten\n  Fix: choose another file\n"
    )


def test_a_margin_by_another_name_of_the_metric(seen):
    run("a.csv", "b.csv", "--primary", "AUC", "--margin", "roc_auc=0.01", "--quiet")
    assert seen[0][1] == {"primary": "AUC", "margin": 0.01}


def test_one_margin_only():
    result = run("a.csv", "b.csv", "--primary", "f1", "--margin", "0.1", "--margin", "0.2")
    assert (result.exit_code, result.stderr) == (
        2,
        "error: --margin was given 2 times, but one metric decides\n  Fix: give --margin once, for f1\n",
    )


def test_a_margin_of_another_metric():
    result = run("a.csv", "b.csv", "--primary", "f1", "--margin", "mcc=0.1")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: --margin is for mcc, but f1 decides\n  Fix: give --margin for f1, or make mcc the --primary metric\n"
    )


def test_a_budget_of_looks_is_counted_and_refused_when_it_is_spent(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(9)
    frame = pd.DataFrame({"id": range(200), "y": rng.integers(0, 2, 200)})
    for name in ("old", "new"):
        wrong = rng.random(200) < 0.2
        one = frame.assign(pred=np.where(wrong, 1 - frame["y"], frame["y"]))
        one.to_csv(f"{name}.csv", index=False)
        one.sample(frac=1, random_state=1)[["pred", "id", "y"]].to_csv(f"{name}-shuffled.csv", index=False)
    command = ("old.csv", "new.csv", "--primary", "accuracy", "--margin", "0.2", "--looks-budget", "2")
    first = run(*command)
    assert first.exit_code == 0
    assert re.fullmatch(r"recorded as \w+ in \.heldout, look 1 of 2 at these rows\n", first.stderr)
    assert "note looks  look 1 of 2 at these rows, counted in .heldout" in first.stdout
    second = run("old-shuffled.csv", "new-shuffled.csv", *command[2:], "--save", "again", "--json")
    assert json.loads(second.stdout)["budget"] == {"look": 2, "of": 2, "store": ".heldout"}
    third = run(*command)
    assert (third.exit_code, third.stdout, third.stderr) == (
        2,
        "",
        (
            "error: the budget of 2 looks is spent: these rows were looked at 2 times, as recorded in .heldout\n"
            "  Fix: collect new test rows; for rows that are added one by one use --sequential\n"
        ),
    )
    elsewhere = run(*command, "--run", "elsewhere")
    assert (elsewhere.exit_code, "look 1 of 2" in elsewhere.stderr) == (0, True)
    growing = run(*command, "--sequential")
    assert growing.exit_code == 2
    assert "a budget of looks is for one test set" in growing.stderr


def test_looks_at_growing_data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(10)
    truth = rng.integers(0, 2, 400)
    for name in ("old", "new"):
        said = np.where(rng.random(400) < 0.1, 1 - truth, truth)
        pd.DataFrame({"id": range(400), "y": truth, "pred": said}).to_csv(f"{name}.csv", index=False)
    command = ("old.csv", "new.csv", "--primary", "accuracy", "--margin", "0.1")
    sequential = run(*command, "--sequential")
    assert sequential.exit_code in (0, 3)
    assert "betting confidence sequence" in sequential.stdout.replace("\n", " ").replace("  ", " ")
    planned = run(*command, "--looks", "0.5,1", "--look", "2", "--spending", "pocock", "--json")
    looks = json.loads(planned.stdout)["looks"]
    assert (looks["kind"], looks["look"], looks["of"], looks["spending"]) == ("planned", 2, 2, "pocock")
    refused = run(*command, "--sequential", "--test", "permutation")
    assert (refused.exit_code, refused.stderr.splitlines()[0]) == (
        2,
        "error: --test has no effect with sequential: its tests are confidence sequences",
    )
    wrong = run(*command, "--looks", "many", "--look", "1")
    assert wrong.stderr.splitlines()[0] == "error: --looks is 'many', which is neither a number nor a list of shares"


def test_a_look_that_lacks_rows_of_an_earlier_one_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 2, 300)
    frames = {
        name: pd.DataFrame({"id": range(300), "y": truth, "pred": np.where(rng.random(300) < 0.1, 1 - truth, truth)})
        for name in ("old", "new")
    }

    def look(rows):
        for name, frame in frames.items():
            frame.iloc[rows].to_csv(f"{name}.csv", index=False)
        return run("old.csv", "new.csv", "--primary", "accuracy", "--margin", "0.1", "--sequential", "--save")

    assert look(slice(0, 100)).exit_code in (0, 3)
    added = look(slice(199, None, -1))  # in another order, and a hundred more
    assert added.exit_code in (0, 3)
    lacking = look(slice(5, 300))
    assert (lacking.exit_code, lacking.stdout) == (2, "")
    assert re.fullmatch(
        r"error: 5 of the 100 rows of the look recorded as \w+ in .heldout are missing now, and a sequence holds only "
        r"while rows are added\n  Fix: look at all rows so far, or leave out --sequential\n",
        lacking.stderr,
    )


def test_both_models_in_one_table(tmp_path):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 400)
    lines = ["row,model,y_true,y_score"]
    for model, noise in (("old", 0.5), ("new", 0.1)):
        score = np.clip(0.3 * truth + 0.35 + noise * rng.standard_normal(400), 0, 1)
        lines += [f"{row},{model},{truth[row]},{score[row]:.3f}" for row in range(400)]
    released = [line.replace(",old,", ",") for line in lines if ",old," in line]
    (tmp_path / "anchor.csv").write_text("\n".join(["row,y_true,y_score", *released]), encoding="utf-8")
    long = tmp_path / "long.csv"
    long.write_text("\n".join(lines), encoding="utf-8")
    asked = ("--primary", "roc_auc", "--margin", "0.01", "--n-resamples", "100", "--format", "json")
    unnamed = run(long, "--model-column", "model", *asked)
    assert (unnamed.exit_code, unnamed.stdout) == (2, "")
    assert unnamed.stderr == (
        "error: which model of the column 'model' is the reference is not said, and the order of rows must not decide "
        "it\n  Fix: name it with --baseline\n"
    )
    result = run(long, "--model-column", "model", "--baseline", "old", *asked)
    assert (result.exit_code, json.loads(result.stdout)["verdict"]) == (0, "PASS")
    turned = run(long, "--model-column", "model", "--baseline", "new", *asked)
    assert (turned.exit_code, json.loads(turned.stdout)["verdict"]) == (1, "FAIL")
    anchored = run(long, "--model-column", "model", "--baseline", "old", *asked, "--anchor", tmp_path / "anchor.csv")
    assert (anchored.exit_code, [one["against"] for one in json.loads(anchored.stdout)["hurdles"]]) == (
        0,
        ["baseline", "anchor"],
    )
    frame = pd.read_csv(long)
    found = heldout.gate(frame, model_column="model", baseline="old", primary="roc_auc", margin=0.01, n_resamples=100)
    assert found.hurdles[0].value == json.loads(result.stdout)["hurdles"][0]["value"]


@pytest.mark.parametrize(
    ("files", "more", "message"),
    [
        (1, (), ("error: 1 file was given, and a gate takes two: the baseline and the candidate\n"
         "  Fix: for example heldout gate old.csv new.csv, or one table with --model-column NAME\n")),
        (2, ("--model-column", "model"), ("error: 2 files were given, and --model-column takes one table\n"
         "  Fix: name the table that has both models\n")),
        (2, ("--baseline", "old"), ("error: --baseline names a model of --model-column, and two files were given\n"
         "  Fix: leave it out: the first file is the reference model\n")),
    ],
)  # fmt: skip
def test_the_number_of_files_must_fit(files, more, message, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("y_true,y_score\n0,0.2\n1,0.7\n", encoding="utf-8")
    result = run(*[path] * files, *more, "--primary", "roc_auc", "--margin", "0.01")
    assert (result.exit_code, result.stderr) == (2, message)
