from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

import heldout
from heldout.cli import verbs
from heldout.report.schema import schema
from tests.report.comparisons import champions


def run(*arguments):
    return CliRunner().invoke(verbs, ["compare", *map(str, arguments)])


def refused(*arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


@pytest.fixture
def seen(monkeypatch):
    """What the command line asked of `heldout.compare`, which only records it."""
    calls = []

    def compare(*arguments, **options):
        calls.append((arguments, options))
        return SimpleNamespace(to_dict=champions)

    monkeypatch.setattr(heldout, "compare", compare, raising=False)
    return calls


@pytest.fixture
def files(tmp_path):
    """Three models on the same 300 rows: the second is better than the first, the third has other rows."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 300)
    shared = rng.normal(size=300)
    paths = []
    for name, strength in (("old", 0.5), ("new", 2.5), ("other", 1.0)):
        score = 1 / (1 + np.exp(-strength * (truth - 0.5) - shared - rng.normal(size=300) / 2))
        ids = np.arange(300) + (10 if name == "other" else 0)
        lines = [f"{i},{t},{s:.6f}" for i, t, s in zip(ids, truth, score, strict=True)]
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("\n".join(["id,y_true,y_score", *lines]) + "\n", encoding="utf-8")
    return paths


def test_models_are_named_after_their_files(seen):
    result = run("runs/champion.csv", "challenger.csv")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("2,000 rows matched by id (0 only in champion, 36 only in challenger)\n")
    assert seen == [(({"champion": "runs/champion.csv", "challenger": "challenger.csv"},), {})]


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (["a.csv", "a.parquet"], ["a.csv", "a.parquet"]),
        (["old/a.csv", "new/a.csv"], ["old/a", "new/a"]),
        (["a.csv", "./a.csv", "b.csv"], ["a (1)", "a (2)", "b"]),
        (["a/preds.csv", "b/preds.csv", "c.csv"], ["a/preds", "b/preds", "c"]),
        (["a.csv.xz", "a.csv", "c.csv.gz"], ["a.csv.xz", "a.csv", "c"]),
    ],
)
def test_names_are_made_unique(seen, given, names):
    run(*given)
    assert list(seen[0][0][0].items()) == list(zip(names, given, strict=True))


def test_every_option_arrives_under_its_name(seen):
    run(
        *("a.csv", "b.csv", "--primary", "roc_auc", "--metric", "f1, mcc", "--baseline", "b", "--margin", "0.01"),
        *("--truth", "t", "--pred", "p", "--score", "s", "--prob-prefix", "p_", "--id", "i", "--group", "g"),
        *(
            "--weight",
            "w",
            "--positive",
            "yes",
            "--threshold",
            "0.2",
            "--level",
            "0.9",
            "--seed",
            "7",
            "--n-resamples",
            "500",
        ),
        *("--on-missing", "intersect", "--on-nan", "drop", "--link", "logit", "--task", "binary", "--labels", "no,yes"),
    )
    assert seen[0][1] == {
        "primary": "roc_auc",
        "metrics": ["f1", "mcc"],
        "baseline": "b",
        "margin": 0.01,
        "truth": "t",
        "y_pred": "p",
        "y_score": "s",
        "prob_prefix": "p_",
        "id": "i",
        "groups": "g",
        "sample_weight": "w",
        "pos_label": "yes",
        "threshold": 0.2,
        "confidence_level": 0.9,
        "random_state": 7,
        "n_resamples": 500,
        "on_missing": "intersect",
        "on_nan": "drop",
        "link": "logit",
        "task": "binary",
        "labels": ["no", "yes"],
    }


def test_a_margin_per_metric(seen):
    run("a.csv", "b.csv", "--margin", "roc_auc=0.01", "--margin", "f1 = 0.02")
    assert seen[0][1] == {"margin": {"roc_auc": 0.01, "f1": 0.02}}


def test_a_margin_is_of_a_metric_that_is_compared(files):
    asked = (*files[:2], "--metric", "AUC,accuracy", "--margin", "AUC=0.9", "--margin", "Accuracy=0.9")
    found = json.loads(run(*asked, "--format", "json").stdout)
    assert [(one["metric"], one["margin"], one["verdict"]) for one in found["differences"]] == [
        ("roc_auc", 0.9, "EQUIVALENT"), ("accuracy", 0.9, "EQUIVALENT"),
    ]  # fmt: skip
    assert refused(*files[:2], "--metric", "AUC,accuracy", "--margin", "f1=0.1") == (
        "error: the margin of f1 has no effect: f1 is not compared\n  Fix: choose one of roc_auc, accuracy\n"
    )


@pytest.mark.parametrize("given", ["x", "-0.1", "roc_auc=x", "nan", "inf"])
def test_what_is_no_margin(given):
    assert refused("a.csv", "b.csv", "--margin", given) == (
        f"error: --margin is {given!r}, which is not a margin\n"
        "  Fix: give a number of zero or more, such as 0.01 or roc_auc=0.01\n"
    )


def test_a_metric_has_one_margin(files):
    """The verdict would depend on the order of the options."""
    for asked in (("compare", *files[:2], "--metric", "AUC"), ("text", "truth.txt", "a.txt", "b.txt")):
        found = CliRunner().invoke(verbs, [*map(str, asked), "--margin", "roc_auc=0.00001", "--margin", " roc_auc=0.5"])
        message = "error: --margin names roc_auc twice\n  Fix: give one margin for roc_auc\n"
        assert (found.exit_code, found.stderr) == (2, message)
    assert refused(*files[:2], "--metric", "AUC", "--margin", "AUC=0.00001", "--margin", "roc_auc=0.5") == (
        "error: roc_auc has 2 margins: AUC, roc_auc\n  Fix: give one margin for roc_auc\n"
    )


def test_a_margin_that_names_no_metric():
    assert refused("a.csv", "b.csv", "--margin", "f1=0.1", "--margin", "0.01") == (
        "error: --margin 0.01 names no metric\n  Fix: give each margin as METRIC=VALUE\n"
    )


def test_too_few_files():
    assert refused("a.csv") == (
        "error: 1 file was given, and a comparison needs two\n  Fix: for example heldout compare old.csv new.csv, "
        "or name columns of one file: --model NAME=COLUMN\n"
    )


def test_an_input_is_not_written_over(files):
    assert refused(*files[:2], "--output", files[1]) == (
        f"error: --output {files[1]} is an input and would be overwritten\n  Fix: choose another file\n"
    )


def test_the_whole_way(files):
    result = run(*files[:2], "--primary", "roc_auc", "--metric", "log_loss,f1,accuracy", "--format", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    Draft202012Validator(schema(found["schema"])).validate(found)
    assert (found["verdict"], found["baseline"], found["models"]) == ("BETTER", "old", ["old", "new"])
    assert [source["path"] for source in found["inputs"]] == [str(path) for path in files[:2]]


@pytest.mark.parametrize("form", ["text", "md", "latex", "csv"])
def test_every_format_is_drawn(files, form):
    result = run(*files[:2], "--primary", "roc_auc", "--metric", "accuracy", "--format", form)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "BETTER" in result.stdout


def test_a_file_against_itself_is_no_difference(files):
    result = run(files[0], files[0], "--primary", "roc_auc", "--metric", "accuracy")
    assert (result.exit_code, result.stderr) == (0, "")
    reach = 1.959964**2 / (300 + 1.959964**2)  # no row of 300 differs
    assert f"~  [-{reach:.3f}, +{reach:.3f}]" in result.stdout
    assert "UNDECIDED" in result.stdout


def test_ids_that_do_not_match(files):
    assert refused(files[0], files[2]).startswith("error[H101] ids do not match: 300 in old, 300 in other (20 without")


def test_a_baseline_that_is_not_there(files):
    assert refused(*files[:2], "--baseline", "ol") == (
        "error: no model is named 'ol'; did you mean 'old'?\n  Fix: the models are old, new\n"
    )


def test_samples_of_their_own(seen):
    run("a.csv", "b.csv", "--unpaired", "--test", "z")
    assert seen[0][1] == {"paired": False, "test": "z"}


def test_the_whole_way_of_samples_of_their_own(files):
    result = run(files[0], files[2], "--unpaired", "--primary", "roc_auc", "--metric", "accuracy", "--format", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    Draft202012Validator(schema(found["schema"])).validate(found)
    assert (found["paired"], found["matched"]["by"], found["rows"]) == (False, None, 600)
    assert [one["test"] for one in found["differences"]] == ["MOVER", "Newcombe"]


@pytest.mark.parametrize("form", ["text", "md", "latex"])
def test_every_format_says_that_rows_are_not_matched(files, form):
    result = run(files[0], files[2], "--unpaired", "--metric", "accuracy", "--format", form)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "rows are not matched: two independent samples" in " ".join(result.stdout.split())


def test_a_test_by_name(files):
    result = run(*files[:2], "--metric", "accuracy", "--test", "exact", "--format", "json")
    assert json.loads(result.stdout)["differences"][0]["test"].startswith("McNemar exact, ")
    assert refused(*files[:2], "--metric", "accuracy", "--test", "delong") == (
        "error: the test delong suits roc_auc and gini, but not accuracy\n"
        "  Fix: choose a metric it suits, or leave out the test\n"
    )


def written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_bad_files_are_refused_with_a_sentence(tmp_path):
    lines = "".join(f"{i},{i % 2},0.{i % 7}1\n" for i in range(20))
    good = written(tmp_path, "good.csv", "id,y_true,y_score\n" + lines)
    twice = written(tmp_path, "twice.csv", "id,y_true,y_score\n" + lines + "3,1,0.5\n")
    assert refused(good, twice) == (
        "error[H105] twice.csv: 1 id occurs more than once (at most 2 times): id '3' is in rows 4, 21, "
        "and these are not independent\n"
        "  Fix: --group id for cluster-robust intervals, or remove the duplicates\n  See: heldout "
        "explain H105\n"
    )
    gap = written(tmp_path, "gap.csv", "id,y_true,y_score\n" + lines.replace("7,1,0.01", "7,1,nan"))
    assert refused(good, gap) == (
        "error[H305] gap.csv: y_score is missing in row 8. Rows are never dropped silently\n"
        "  Fix: complete the values, or drop these rows with --on-nan drop\n  See: heldout "
        "explain H305\n"
    )
    truth = written(tmp_path, "truth.csv", "id,y_true,y_score\n" + lines.replace("7,1,", "7,0,", 1))
    assert refused(good, truth) == (
        "error[H101] good and truth have different truths in 1 row (first: id 7, 1 and 0)\n"
        "  Fix: use one truth for all models, and check that the rows are the same\n  See: heldout explain H101\n"
    )
    folds = [written(tmp_path, name, "split,accuracy\n0,0.81\n1,0.79\n") for name in ("a.csv", "b.csv")]
    assert refused(*folds) == (
        "error[H301] a.csv looks like scores of folds (it has a column 'split'), not predictions: "
        "folds share training rows, so a t-test over them is not valid\n"
        "  Fix: pass out-of-fold predictions: one line for each row, with its truth; or for a corrected test of the "
        "scores heldout compare --fold-scores a.txt b.txt --n-train 1800 --n-test 200 "
        "(heldout.compare_fold_scores)\n  See: heldout explain H301\n"
    )
    plain = [written(tmp_path, name, "0.81\n0.79\n0.80\n") for name in ("a.txt", "b.txt")]
    assert refused(*plain).startswith("error[H301] a.txt looks like scores of folds (3 numbers per model), not ")


def test_one_class(tmp_path):
    paths = [
        written(tmp_path, f"{name}.csv", "y_true,y_pred\n" + "1,1\n" * right + "1,0\n" * (30 - right))
        for name, right in (("old", 20), ("new", 28))
    ]
    result = run(*paths, "--positive", "1", "--primary", "accuracy")
    assert result.exit_code == 0
    assert "note H104" in result.stdout
    assert refused(*paths, "--positive", "1", "--primary", "specificity") == (
        "error[H104] the primary metric specificity is undefined for old: the truth has one class (30 x 1)\n"
        "  Fix: add rows of the other class, or choose a metric such as accuracy\n  See: heldout explain H104\n"
    )


def test_models_that_are_columns(seen):
    assert run("p.parquet", "--model", "old=score_old", "--model", "new").exit_code == 0
    assert run("a.parquet", "b.parquet", "--model", "old=x", "--model", "new=y", "--memory", "4G").exit_code == 0
    assert seen == [
        (("p.parquet", {"old": "score_old", "new": "new"}), {}),
        ((["a.parquet", "b.parquet"], {"old": "x", "new": "y"}), {"memory": "4G"}),
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["p.csv", "--model", "old="], "--model old= names no column\n  Fix: give each model as NAME=COLUMN\n"),
        (["p.csv", "--model", "=x"], "--model =x names no column\n  Fix: give each model as NAME=COLUMN\n"),
        (
            ["p.csv", "--model", "a=x", "--model", "a=y"],
            "--model names a twice\n  Fix: give every model a name of its own\n",
        ),
        (
            ["--model", "a=x"],
            "no file was given\n  Fix: for example heldout compare preds.parquet --model old --model new\n",
        ),
    ],
)
def test_columns_that_cannot_be(given, said):
    assert refused(*given) == f"error: {said}"


def test_folders_and_patterns_are_models(seen):
    assert run("runs/old", "runs/new/*.parquet", "--engine", "dask", "--engine-address", "tcp://h:1").exit_code == 0
    models = {"old": "runs/old", "new": "runs/new/*.parquet"}
    assert seen == [((models,), {"engine": "dask", "engine_address": "tcp://h:1"})]


@pytest.mark.parametrize("options", [(), ("--engine", "local")])
def test_files_of_scores_beside_a_file_of_labels(tmp_path, options):
    """In memory and in chunks: all models are judged together by a metric that they share."""
    truth = np.arange(80) % 2
    scores = np.clip(0.3 * truth + 0.7 * np.random.default_rng(0).random(80), 0, 1)
    columns = {"a": ("y_score", scores), "b": ("y_score", scores**2), "c": ("y_pred", (scores > 0.5).astype(int))}
    for name, (role, values) in columns.items():
        lines = [f"{at},{true},{value}" for at, (true, value) in enumerate(zip(truth, values, strict=True))]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"id,y_true,{role}", *lines]) + "\n")
    found = run(*(tmp_path / f"{name}.csv" for name in columns), "--json", *options)
    assert found.exit_code == 0, found.stderr
    assert json.loads(found.stdout)["best_of_many"]["metric"] == "accuracy"


@pytest.mark.parametrize("blank", ["", ","])
def test_a_blank_list_of_metrics(tmp_path, blank):
    (tmp_path / "a.csv").write_text("y_true,y_pred\n" + "0,0\n1,1\n" * 10)
    said = f"error: --metrics is {blank!r}, which names nothing\n  Fix: name one, or leave out --metrics\n"
    assert refused(tmp_path / "a.csv", tmp_path / "a.csv", "-m", blank) == said
    assert refused("--fold-scores", tmp_path / "a.csv", tmp_path / "a.csv", "-m", blank) == said


@pytest.mark.parametrize(
    "options",
    [
        ("a.csv", "b.csv", "--unpaired", "--segment", "y_true"),
        ("a.csv", "--unpaired", "--model", "y_score", "--model", "y_true"),
        ("a.csv", "b.csv", "--unpaired", "--on-missing", "intersect"),
        ("a.csv", "b.csv", "--unpaired", "--engine", "local"),
        ("a.csv", "b.csv", "--unpaired", "--sequential"),
    ],
    ids=lambda given: given[-2],
)
def test_unpaired_is_refused_in_the_words_of_the_command_line(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        lines = [f"{at % 2},{0.3 + 0.4 * (at % 2) + 0.01 * (at % 7)}" for at in range(40)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["y_true,y_score", *lines]) + "\n", encoding="utf-8")
    found = CliRunner().invoke(verbs, ["compare", *options])
    assert found.exit_code == 2, found.output
    named = [word for word in ("--unpaired", "--segment", "--on-missing") if word in found.stderr]
    assert named
    for python, flag in (("paired=False", "--unpaired"), ("segments=", "--segment"), ("on_missing=", "--on-missing")):
        assert python not in found.stderr or flag in found.stderr  # the option stands before the argument
