"""The whole way: a file in, a table out."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from heldout.cli import verbs
from heldout.report.schema import schema
from heldout.verbs.demo import clinic_csv, clinic_truth, demo, repeated


def run(*arguments):
    return CliRunner().invoke(verbs, [*map(str, arguments)])


def evaluated(*arguments):
    """The JSON of an evaluation, checked against its schema."""
    result = run("evaluate", *arguments, "--format", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    Draft202012Validator(schema(found["schema"])).validate(found)
    return found


@pytest.fixture
def clinic_file(tmp_path):
    path = tmp_path / "clinic.csv"
    path.write_text(clinic_csv(rows=600), encoding="utf-8")
    return path


@pytest.fixture
def animals(tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 300)
    said = np.where(rng.random(300) < 0.8, truth, rng.integers(0, 3, 300))
    names = np.array(["<b>cat</b>", "d\u00f6g", "=owl"])
    path = tmp_path / "animals.csv"
    lines = [f"{a},{b}" for a, b in zip(names[truth], names[said], strict=True)]
    path.write_text("\n".join(["label,prediction", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def lengths(tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.normal(50, 10, 100)
    path = tmp_path / "lengths.csv"
    lines = [f"{a:.3f},{b:.3f}" for a, b in zip(truth, truth + rng.normal(0, 5, 100), strict=True)]
    path.write_text("\n".join(["y,yhat", *lines]) + "\n", encoding="utf-8")
    return path


def test_twelve_wrong_of_forty():
    assert run("evaluate", "--wrong", 12, "--of", 40).stdout == (
        "40 rows   task: binary\n"
        "\n"
        "metric      value  95% CI          counts  method  coverage*\n"
        "error_rate  0.300  [0.181, 0.454]  12/40   Wilson      93.3%\n"
        "accuracy    0.700  [0.546, 0.819]  28/40   Wilson      93.3%\n"
        "* simulated coverage in similar data (nominal 95%)\n"
    )
    normal = run("evaluate", "--wrong", 12, "--of", 40, "--method", "normal").stdout
    assert "error_rate  0.300  [0.158, 0.442]  12/40   normal " in normal


def test_binary_json(clinic_file):
    found = evaluated(clinic_file, "--group", "patient_id", "--segment", "site", "--threshold", 0.2)
    assert (found["rows"], found["units"], found["threshold"], found["positive"]) == (600, 300, 0.2, 1)
    shown = found["segments"]["site"]["shown"]
    assert list(shown) == ["east", "north", "south", "west"]
    assert found["segments"]["site"]["folded"]["segments"] == 1  # fewer than ten positives in the west
    assert [one["segment"] for one in found["segments"]["site"]["small"]] == ["west"]
    assert set(shown["west"]["estimates"]) < set(shown["east"]["estimates"])
    assert "accuracy" in shown["west"]["estimates"]
    area = found["estimates"]["roc_auc"]
    assert area["low"] <= clinic_truth()["roc_auc"] <= area["high"]
    assert sum(map(sum, found["confusion"]["counts"])) == 600


def test_options_reach_the_library(clinic_file):
    narrow = evaluated(clinic_file, "--level", 0.5, "--metric", "roc_auc,accuracy", "--threshold", 0.2, "--seed", 3)
    assert list(narrow["estimates"]) == ["roc_auc", "accuracy"]
    assert (narrow["level"], narrow["seed"]) == (0.5, 3)
    assert narrow["estimates"]["accuracy"]["level"] == 0.5
    bound = evaluated(clinic_file, "--side", "lower", "--metric", "accuracy", "--threshold", 0.2)
    assert bound["estimates"]["accuracy"]["high"] == 1.0


def test_multiclass_json(animals):
    found = evaluated(animals)
    assert list(found["classes"]) == ["<b>cat</b>", "=owl", "d\u00f6g"]
    assert found["task"] == "multiclass"


def test_regression_json(lengths):
    assert {"mae", "rmse", "r2"} <= set(evaluated(lengths)["estimates"])


@pytest.mark.parametrize("form", ["text", "md", "latex", "csv"])
@pytest.mark.parametrize("file", ["clinic_file", "animals", "lengths"])
def test_every_format_of_real_results(form, file, request):
    result = run("evaluate", request.getfixturevalue(file), "--format", form)
    assert (result.exit_code, result.stderr) == (0, "")
    if form == "text":
        assert max(map(len, result.stdout.splitlines())) <= 80
    if form == "csv" and file == "animals":
        assert ",'=owl," in result.stdout
    if form == "md" and file == "animals":
        assert "<b>" not in result.stdout


def test_confusion_file(tmp_path):
    path = tmp_path / "matrix.csv"
    path.write_text(",no,yes\nno,3,1\nyes,2,6\n")
    found = evaluated("--confusion", path)
    assert found["confusion"] == {"labels": ["no", "yes"], "counts": [[3, 1], [2, 6]]}
    assert found["estimates"]["precision"]["count"] == [6, 7]


def test_a_misspelt_metric(clinic_file):
    result = run("evaluate", clinic_file, "--metric", "acuracy")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: no metric is named 'acuracy'; did you mean 'accuracy'?\n")


def test_a_missing_file(tmp_path):
    result = run("evaluate", tmp_path / "no.csv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error[H100] ")
    assert "no.csv" in result.stderr


def test_the_head_keeps_the_positives_and_the_threshold_is_not_spoken_of_without_labels(tmp_path):
    (tmp_path / "clinic.csv").write_text(clinic_csv(), encoding="utf-8")
    result = run("evaluate", tmp_path / "clinic.csv", "--metric", "roc_auc")
    assert result.stdout == (
        "clinic.csv   2,000 rows, 299 positive (14.9%)   task: binary\n"
        "columns  truth=y_true  score=y_prob  id=id  positive=1  threshold=0.5\n"
        "\n"
        "metric   value  95% CI          method         coverage*  dummy\n"
        "roc_auc  0.826  [0.800, 0.850]  DeLong, logit        95%  0.500\n"
        "dummy: always predicts 0; probabilities: the share of positives\n"
        "* simulated coverage in similar data (nominal 95%, Monte-Carlo error up to 0.5\n"
        "  points)\n"
        "\n"
        "note H114  patient_id has 1,001 values in 2,000 rows, and no groups were given:\n"
        "     if rows of one patient_id are not independent, pass --group patient_id\n"
    )
    labelled = run("evaluate", tmp_path / "clinic.csv", "--metric", "roc_auc,recall")
    assert (
        "\nnote H111  rows with y_prob of 0.5 or more are predicted positive; --threshold\n"
        "     sets another threshold\n"
    ) in labelled.stdout


def test_a_gate_on_scores_does_not_speak_of_a_threshold(tmp_path):
    files = (tmp_path / "champion.csv", tmp_path / "challenger.csv")
    for path in files:
        path.write_text(clinic_csv(model=path.stem), encoding="utf-8")
    areas = run("gate", *files, "--primary", "roc_auc", "--margin", 0.01, "--group", "patient_id")
    assert areas.stdout == (
        "PASS  roc_auc +0.029 against the baseline, one-sided 95% lower bound +0.018 >\n"
        "      -0.01 (DeLong, paired, clustered, 1,001 clusters)\n"
        "\n"
        "note H111  2,000 rows matched by id\n"
    )
    labels = run("gate", *files, "--primary", "accuracy", "--margin", 0.05)
    assert "note H111  rows with y_prob of 0.5 or more are predicted positive;" in labels.stdout


def test_segments_say_where_the_other_metrics_are(tmp_path):
    (tmp_path / "clinic.csv").write_text(clinic_csv(), encoding="utf-8")
    shown = run("evaluate", tmp_path / "clinic.csv", "--segment", "site").stdout
    assert shown.count("12 more metrics by subgroup: see --format md, csv or json\n") == 1
    assert "by subgroup: " not in run("evaluate", tmp_path / "clinic.csv", "--segment", "site", "--metric", "f1").stdout


def test_demo(tmp_path):
    result = run("demo", "--output", tmp_path / "new", "--repeat", 3)
    assert (result.exit_code, result.stderr) == (0, "")
    assert (tmp_path / "new" / "challenger.csv").read_text(encoding="utf-8") == clinic_csv()
    assert (tmp_path / "new" / "champion.csv").read_text(encoding="utf-8") == clinic_csv(model="champion")
    assert (
        "\nTRUTH  The data are simulated, so the truth is known: roc_auc 0.8210,\n"
        "       calibration_slope 0.8000, accuracy 0.8264, recall 0.5646, specificity\n"
        "       0.8723. All 5 intervals contain it.\n"
    ) in result.stdout
    assert (
        "\nTRUTH  The data are simulated, so the true differences are known: roc_auc\n"
        "       +0.0291, accuracy +0.0102, recall +0.0550, specificity +0.0024. All 4\n"
        "       intervals contain them.\n"
    ) in result.stdout
    page = tmp_path / "new" / "challenger.html"
    assert result.stdout.endswith(f"\nREPORT  {page}\n        open it in a browser, and move the threshold\n")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    lines = result.stdout.splitlines()[:-3]
    assert lines[-6] == "       In 3 more simulated data sets, how often the intervals contain the truth:"
    assert [line.split()[0] for line in lines[-5:]] == list(clinic_truth())
    assert all(line.split()[1].endswith("/3") for line in lines[-5:])


def test_demo_writes_only_where_it_may(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("demo", "--output", tmp_path / "file")
    assert result.exit_code == 2
    assert result.stderr == (
        f"error: --output {tmp_path / 'file'} is a file, and a folder is needed\n  Fix: name a folder\n"
    )


def test_demo_in_python(tmp_path):
    shown = demo(tmp_path, rows=300, random_state=1)
    assert shown.held == dict.fromkeys(clinic_truth(), True)
    assert shown.comparison.verdict in ("BETTER", "UNDECIDED")
    assert " All 5 intervals contain it.\n" in str(shown)
    assert str(shown).endswith("intervals contain them.")


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """Thirty small files: of 95% intervals at most five miss (chance of more under 0.95: 0.003 per metric)."""
    for held in repeated(range(30), rows=600):
        assert held.files == 30
        assert held.held >= 25, str(held)
