from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from heldout.cli import verbs

TEXT = """\
40 rows   task: binary

metric      value  95% CI          counts  method
error_rate  0.300  [0.181, 0.454]  12/40   Wilson
"""


def run(*arguments):
    return CliRunner().invoke(verbs, ["evaluate", *map(str, arguments)])


def refused(*arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    return result.stderr


def test_only_what_was_given_is_passed_on(calls):
    assert run("x.csv").stdout == TEXT
    assert calls == [("evaluate", ("x.csv",), {})]


def test_every_option_arrives_under_its_name(calls):
    run(
        *("-", "--truth", "t", "--pred", "p", "--score", "s", "--prob-prefix", "p_", "--id", "i", "--group", "g"),
        *("--weight", "w", "--segment", "a,b", "--segment", "c", "--positive", "yes", "--threshold", "0.2"),
        *("--level", "0.9", "--method", "exact", "--metric", "accuracy, f1", "--metric", "mcc", "--side", "lower"),
        *(
            "--cost",
            "c.csv",
            "--seed",
            "7",
            "--n-resamples",
            "500",
            "--train",
            "t.csv",
            "--allow-overlap",
            "--on-nan",
            "drop",
        ),
        *("--link", "logit", "--task", "binary", "--labels", "no,yes"),
    )
    assert calls == [
        (
            "evaluate",
            ("-",),
            {
                "truth": "t",
                "y_pred": "p",
                "y_score": "s",
                "prob_prefix": "p_",
                "id": "i",
                "groups": "g",
                "sample_weight": "w",
                "segments": ("a,b", "c"),
                "pos_label": "yes",
                "threshold": 0.2,
                "confidence_level": 0.9,
                "method": "exact",
                "metrics": ["accuracy", "f1", "mcc"],
                "side": "lower",
                "cost": "c.csv",
                "random_state": 7,
                "n_resamples": 500,
                "train": "t.csv",
                "allow_overlap": True,
                "on_nan": "drop",
                "link": "logit",
                "task": "binary",
                "labels": ["no", "yes"],
            },
        )
    ]


def test_zero_is_given_too(calls):
    run("x.csv", "--seed", "0", "--threshold", "0")
    assert calls[0][2] == {"random_state": 0, "threshold": 0.0}


def test_counts(calls):
    assert run("--wrong", "12", "--of", "40", "--method", "normal").stdout == TEXT
    assert calls == [("evaluate_counts", (), {"wrong": 12, "of": 40, "method": "normal"})]


def test_one_source_is_needed(calls):
    fix = "\n  Fix: give a FILE of predictions, or --confusion FILE, --class-counts FILE, or --wrong K --of N\n"
    assert refused("--metric", "f1") == "error: nothing to evaluate was given" + fix
    assert refused("x.csv", "--wrong", 1) == "error: FILE and --wrong exclude each other" + fix
    assert refused("--confusion", "m.csv", "--of", 3) == "error: --confusion and --of exclude each other" + fix
    assert refused("--of", 3) == "error: --wrong and --of need each other\n  Fix: for example --wrong 12 --of 40\n"
    assert calls == []


def test_thresholds(calls):
    assert refused("x.csv", "--threshold", "best") == (
        "error[H302] --threshold best picks the threshold on the rows it is evaluated on\n"
        "  Fix: give a number that was chosen before, on other rows; "
        "heldout evaluate --choose-threshold FP:FN tells what choosing costs\n  See: heldout explain H302\n"
    )
    assert refused("x.csv", "--threshold", "half") == (
        "error: --threshold is 'half', which is not a number\n  Fix: give a number such as 0.5\n"
    )
    assert calls == []


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("text", "40 rows"),
        ("json", '{\n  "schema"'),
        ("md", "## Evaluation"),
        ("latex", "% needs"),
        ("csv", "metric,class"),
    ],
)
def test_formats(calls, form, start):
    assert run("x.csv", "--format", form).stdout.startswith(start)


def test_output_is_written_whole(calls, tmp_path):
    path = tmp_path / "result.json"
    path.write_text("old")
    result = run("x.csv", "--format", "json", "--output", path)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"wrote {path}\n")
    assert json.loads(path.read_text(encoding="utf-8"))["rows"] == 40
    assert [file.name for file in tmp_path.iterdir()] == ["result.json"]
    if os.name == "posix":
        path.with_name("other").write_text("")
        assert path.stat().st_mode == path.with_name("other").stat().st_mode


def test_nothing_is_left_where_nothing_can_be_written(calls, tmp_path):
    path = tmp_path / "missing" / "result.json"
    assert refused("x.csv", "--output", path) == (
        f"error: --output {path} cannot be written: there is no folder {path.parent}\n"
        "  Fix: choose a folder that exists and may be written\n"
    )
    (tmp_path / "folder").mkdir()
    assert "cannot be written" in refused("x.csv", "--output", tmp_path / "folder")
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]


def test_the_input_is_not_overwritten(calls, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("y_true,y_pred\n1,1\n")
    assert refused(path, "--output", path) == (
        f"error: --output {path} is an input and would be overwritten\n  Fix: choose another file\n"
    )
    assert path.read_text() == "y_true,y_pred\n1,1\n"


def test_quiet(calls, tmp_path):
    result = run("x.csv", "-q", "--output", tmp_path / "r.txt")
    assert (result.output, Path(tmp_path / "r.txt").read_text()) == ("", TEXT)
    assert run("x.csv", "--quiet").output == ""


def test_confusion(calls):
    run("--confusion", "m.csv", "--positive", "yes", "--cost", "c.csv", "--side", "two")
    assert calls == [("evaluate_confusion", ("m.csv",), {"pos_label": "yes", "cost": "c.csv", "side": "two-sided"})]


def counted(folder, *arguments):
    (folder / "counts.csv").write_text("truth,no,yes\nno,50,5\nyes,8,37\n", encoding="utf-8")
    return run("--confusion", folder / "counts.csv", *arguments)


def test_metrics_of_a_confusion_matrix_are_those_that_were_named(tmp_path):
    found = json.loads(counted(tmp_path, "-m", "F1,Kappa", "--json").stdout)
    assert {name: one["printed"] for name, one in found["estimates"].items()} == {"f1": True, "kappa": True}
    lines = counted(tmp_path, "--metric", "kappa").stdout.splitlines()
    assert lines[0] == "counts.csv   100 rows, 45 positive (45.0%)   task: binary"
    assert lines[4].split()[:2] == ["kappa", "0.736"]
    every = json.loads(counted(tmp_path, "--metric", "all,kappa", "--json").stdout)["estimates"]
    assert {"f1", "accuracy", "kappa"} < set(every)
    assert every["kappa"]["printed"]


def test_a_metric_that_counts_cannot_give_is_refused(tmp_path):
    result = counted(tmp_path, "--metric", "f1,AUC")
    assert (result.exit_code, result.stdout, result.stderr) == (
        2,
        "",
        (
            "error: roc_auc needs rows: a confusion matrix has counts of labels only\n"
            "  Fix: leave out roc_auc, or evaluate the rows\n"
        ),
    )
    (tmp_path / "three.csv").write_text("truth,a,b,c\na,5,1,0\nb,0,4,1\nc,1,1,6\n", encoding="utf-8")
    assert refused("--confusion", tmp_path / "three.csv", "--metric", "precision") == (
        "error: precision is not a metric for multiclass data: it is about one class\n"
        "  Fix: ask for precision_macro, precision_micro or precision_weighted, or see it per class\n"
    )


CLASS_COUNTS = "class,TP,FP,FN,TN\nA,1,1,1,1\nB,10,90,80,10\nC,1,1,1,1\nD,1,1,1,1\n"


def by_class(folder, text, *arguments):
    (folder / "classes.csv").write_text(text, encoding="utf-8")
    return run("--class-counts", folder / "classes.csv", *arguments)


def test_averages_of_counts_per_class_are_on_the_screen(tmp_path):
    lines = by_class(tmp_path, CLASS_COUNTS).stdout.splitlines()
    shown = {line.split()[0]: line.split()[1] for line in lines[3:12]}
    assert shown == {
        "precision_macro": "0.400", "precision_micro": "0.123", "precision_weighted": "0.125",
        "recall_macro": "0.403", "recall_micro": "0.135", "recall_weighted": "0.135",
        "f1_macro": "0.401", "f1_micro": "0.129", "f1_weighted": "0.130",
    }  # fmt: skip
    assert "precision_micro     0.123  [0.073, 0.199]  13/106  Wilson" in "\n".join(lines)


@pytest.mark.parametrize("form", ["text", "json", "csv", "md", "latex", "html"])
@pytest.mark.parametrize(
    "given",
    [("--class-counts", "class,tp,fp,fn\na,5,1,2\nb,7,2,1\n"), ("--confusion", "truth,a,b\na,5,2\nb,1,7\n")],
    ids=["classes", "confusion"],
)
def test_counts_in_every_format(tmp_path, form, given):
    option, text = given
    (tmp_path / "counts.csv").write_text(text, encoding="utf-8")
    report = tmp_path / "report.html"
    result = run(option, tmp_path / "counts.csv", "--format", form, "--report", report)
    assert (result.exit_code, result.stderr) == (0, f"wrote {report}\n")
    assert "accuracy" in result.stdout
    assert "dummy" in result.stdout or form in ("json", "csv")
    assert "more_data" in report.read_text(encoding="utf-8")


def test_counts_per_class_that_are_none_are_refused(tmp_path):
    fix = (
        "\n  Fix: write one line per class with the columns class, tp, fp, fn and, if known, tn\n"
        "  See: heldout explain H110\n"
    )
    place = "classes.csv"
    for text, why in (
        ("class,tp,fp\na,1,2\n", "has no column 'fn'; it has 'class', 'tp', 'fp'"),
        ("tp,fp,fn\n1,2,3\n", "has no column that names the classes"),
        ("class,set,tp,fp,fn\na,x,1,2,3\n", "has the columns 'class', 'set' beside the counts"),
        ("class,tp,fp,fn\na,1,2,3\na,1,2,3\n", "has the class 'a' twice"),
    ):
        result = by_class(tmp_path, text)
        assert result.exit_code == 2
        assert result.stderr.endswith(f"{place} {why}{fix}"), result.stderr
    assert by_class(tmp_path, "class,tp,fp,fn\na,1,2.5,3\nb,1,1,1\n").stderr.startswith(
        "error[H110] FP of class 'a' is 2.5, but a count is a whole number of zero or more\n"
    )


def test_a_metric_that_counts_per_class_cannot_give_is_refused_by_name(tmp_path):
    assert by_class(tmp_path, CLASS_COUNTS, "-m", "mae").stderr == (
        "error: mae needs rows: counts per class have counts of labels only\n"
        "  Fix: leave out mae, or evaluate the rows\n"
    )
    assert by_class(tmp_path, CLASS_COUNTS, "-m", "kappa").stderr == (
        "error: kappa cannot be computed from these counts: rows do not have one label each (93 false positives and 83 "
        "false negatives in all; 'B' has 190 rows, 'A' 4)\n"
        "  Fix: ask for averages such as f1_micro, or give a confusion matrix: --confusion FILE (evaluate_confusion)\n"
    )
    assert by_class(tmp_path, CLASS_COUNTS, "-m", "specificity").stderr == (
        "error: specificity is about one class, and there are 4\n  Fix: leave it out: it is shown per class\n"
    )
    one_label = "class,tp,fp,fn\na,5,1,2\nb,7,2,1\n"
    for name in ("mae", "roc_auc", "log_loss"):
        refusal = f"error: {name} needs rows: counts per class have counts of labels only\n"
        assert by_class(tmp_path, one_label, "-m", name).stderr.startswith(refusal)


def test_two_numbers_are_no_files(calls):
    assert refused(12, 40) == (
        "error: 12 and 40 are numbers, and no files have these names\n"
        "  Fix: for counts instead of rows write heldout evaluate --wrong 12 --of 40\n"
    )
    assert calls == []
    run("one", "two")
    assert calls == [("evaluate", ([Path("one"), Path("two")],), {})]


@pytest.mark.parametrize(("spelled", "name"), [("F1", "f1"), ("TPR", "recall"), ("Error_Rate", "error_rate")])
def test_metrics_are_named_in_any_case(tmp_path, spelled, name):
    assert list(json.loads(counted(tmp_path, "--metric", spelled, "--json").stdout)["estimates"]) == [name]


@pytest.mark.parametrize(("spelled", "name"), [("AUC", "roc_auc"), ("MAE", "mae")])
def test_metrics_that_need_rows_are_known_in_any_case(tmp_path, spelled, name):
    assert counted(tmp_path, "--metric", spelled).stderr.startswith(f"error: {name} needs rows: ")


def test_guaranteed_intervals_are_one_note_and_the_dummy_model_comes_first(tmp_path):
    (tmp_path / "few.csv").write_text("truth,no,yes\nno,3,1\nyes,2,6\n", encoding="utf-8")
    shown = run("--confusion", tmp_path / "few.csv").stdout
    notes = " ".join(shown[shown.index("note") :].split()).split("note ")[1:]
    assert [note.split()[0] for note in notes] == ["H309", "fewer"]
    assert notes[1].strip() == (
        "fewer than 30 rows: the guaranteed (Clopper-Pearson) interval: accuracy [0.428, 0.945], precision "
        "[0.421, 0.996], recall [0.349, 0.968] and 3 more, all in the JSON"
    )


def test_counts_have_no_columns(calls):
    assert refused("--wrong", 1, "--of", 2, "--group", "g") == (
        "error: --group has no effect with --wrong and --of: it needs rows\n  Fix: leave out --group\n"
    )
    assert refused("--confusion", "m.csv", "--on-nan", "drop") == (
        "error: --on-nan has no effect with --confusion: it needs rows\n  Fix: leave out --on-nan\n"
    )
    assert calls == []


def test_a_file_given_twice_is_refused(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y_true,y_pred\n" + "0,0\n1,1\n1,0\n" * 10)
    refused = CliRunner().invoke(verbs, ["evaluate", str(path), str(path)])
    assert refused.exit_code == 2
    assert "rows.csv was given twice: its rows would count twice" in refused.output


def test_a_number_of_bins_has_a_limit(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y_true,y_score\n" + "0,0.2\n1,0.7\n1,0.4\n" * 10)
    assert CliRunner().invoke(verbs, ["evaluate", str(path), "-m", "ece@1000000000"]).exit_code == 2
