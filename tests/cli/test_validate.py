from __future__ import annotations

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from heldout.cli import verbs
from heldout.report.schema import schema
from heldout.store import open_store

NB = "sklearn.naive_bayes:GaussianNB"
TREE = "sklearn.tree:DecisionTreeClassifier(max_depth=2)"


def run(*arguments):
    return CliRunner().invoke(verbs, ["validate", *map(str, arguments)])


@pytest.fixture
def data(tmp_path, monkeypatch):
    """120 rows, two numbers and a word, two classes, patients of three rows, a date."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    kind = rng.integers(0, 2, 120)
    lines = [
        f"{rng.normal(c):.4f},{rng.normal(2 * c):.4f},{'ab'[at % 2]},p{at // 3},2024-{at % 12 + 1:02d}-01,{'ny'[c]}"
        for at, c in enumerate(kind)
    ]
    (tmp_path / "rows.csv").write_text(
        "\n".join(["size,weight,site,patient,day,sick", *lines]) + "\n", encoding="utf-8"
    )
    return ["--data", "rows.csv", "--target", "sick", "--positive", "y"]


FEATURES = ("--drop", "site", "--drop", "patient", "--drop", "day")


def test_one_learner_is_a_line_per_metric_with_its_target(data):
    found = run(NB, *data, *FEATURES)
    assert found.exit_code == 0, found.output
    lines = found.stdout.splitlines()
    assert lines[0] == "120 rows, 1 learner; 25 random splits (cv=shuffle:25x0.1)"
    assert lines[1] == "target: accuracy of this learner, trained on about 108 rows"
    assert lines[3] == "columns  target=sick"
    assert lines[5].split() == ["GaussianNB", "value", "95%", "CI", "training", "method", "of"]
    assert [line.split()[0] for line in lines[6:10]] == ["accuracy", "roc_auc", "log_loss", "brier"]


def test_json_is_as_its_schema_says(data):
    found = run(NB, TREE, *data, *FEATURES, "--rope", "0.02", "--margin", "0.05", "--format", "json")
    said = json.loads(found.stdout)
    Draft202012Validator(schema("heldout.validation/1")).validate(said)
    assert said["models"] == ["GaussianNB", "DecisionTreeClassifier(max_depth=2)"]
    assert said["splits"] == {"cv": "shuffle:30x0.33", "kind": "random", "fits": 30, "training_rows": 80}
    assert said["differences"][0]["test"] == "corrected resampled t"
    assert len(said["values"]["GaussianNB"]["accuracy"]) == 30
    assert sum(said["posteriors"][TREE.partition(":")[2]][side] for side in ("below", "within", "above")) == 1


def test_a_threshold_is_chosen_across_folds(data):
    found = run(NB, *data, *FEATURES, "--cv", 5, "--choose-threshold", "1:5", "--format", "json")
    said = json.loads(found.stdout)
    Draft202012Validator(schema("heldout.validation/1")).validate(said)
    chosen = said["thresholds"]["GaussianNB"]
    assert (chosen["fp"], chosen["fn"], len(chosen["thresholds"]), chosen["drawn"]) == (1, 5, 5, False)
    assert chosen["apparent"] <= chosen["cost"]["value"]
    shown = run(NB, *data, *FEATURES, "--cv", 5, "--choose-threshold", "1:5").stdout
    assert "GaussianNB: threshold of lowest cost (false positive 1, false negative 5)" in shown


def test_a_page_is_written(data, tmp_path):
    found = run(NB, TREE, *data, *FEATURES, "--cv", 5, "--report", "page.html", "-q")
    assert (found.exit_code, found.output) == (0, "")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "accuracy fold by fold" in text
    assert "DecisionTreeClassifier(max_depth=2)" in text


def test_curves_instead(data):
    found = run(NB, *data, *FEATURES, "--learning-curve", "--metric", "accuracy")
    assert found.exit_code == 0, found.output
    assert "108" in found.stdout
    found = run(NB, *data, *FEATURES, "--choose-folds", "--metric", "accuracy", "--format", "json")
    assert json.loads(found.stdout)["schema"] == "heldout.folds-choice/1"
    refused = run(NB, *data, *FEATURES, "--choose-folds", "--cv", 5)
    assert (refused.exit_code, refused.stderr) == (
        2,
        "error: --cv has no effect with --choose-folds: it makes its own splits\n  Fix: leave out --cv\n",
    )


@pytest.mark.parametrize("form", ["md", "latex", "csv"])
def test_other_formats(data, form):
    found = run(NB, TREE, *data, *FEATURES, "--cv", 5, "--format", form)
    assert found.exit_code == 0, found.output
    assert "GaussianNB" in found.stdout


def test_two_learners_get_a_verdict(data):
    found = run(NB, TREE, *data, *FEATURES, "--metric", "roc_auc")
    assert "VERDICT  DecisionTreeClassifier(max_depth=2) is WORSE than GaussianNB on" in found.stdout
    assert "minus GaussianNB" in found.stdout
    assert "corrected resampled t" in found.stdout


def test_groups_are_kept_whole_and_echoed(data):
    found = run(NB, *data, "--drop", "site", "--drop", "day", "--group", "patient", "--cv", 5)
    assert "columns  target=sick  group=patient" in found.stdout
    assert "40 clusters" in found.stdout
    assert "H202" not in found.stdout


def test_time_order_tests_later_rows(data):
    found = run(NB, *data, "--drop", "site", "--drop", "patient", "--time", "day", "--keep-predictions", "p.parquet")
    assert found.stdout.splitlines()[0] == "120 rows, 1 learner; 5 splits in time order (cv=time)"
    kept = pq.read_table("p.parquet").to_pydict()
    months = np.array(kept["id"]) % 12
    assert (np.diff(months) >= 0).all()


def test_predictions_are_a_file_that_evaluate_reads(data):
    assert run(NB, *data, *FEATURES, "--cv", 5, "--keep-predictions", "out.parquet", "-q").output == ""
    found = CliRunner().invoke(verbs, ["evaluate", "out.parquet", "--positive", "y"])
    assert found.stdout.splitlines()[0].startswith("out.parquet   120 rows")
    assert "truth=y_true  pred=y_pred  score=y_score  id=id" in found.stdout


def test_seconds_go_to_a_file_of_their_own(data, tmp_path):
    assert run(NB, *data, *FEATURES, "--cv", 5, "--timings", "seconds.csv", "-q").exit_code == 0
    lines = (tmp_path / "seconds.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "model,split,fit,predict"
    assert len(lines) == 1 + 6  # five folds and the fit to all rows


def test_a_run_is_kept_resumed_and_recorded(data):
    first = run(NB, *data, *FEATURES, "--cv", 5, "--run", "nightly", "--format", "json")
    assert first.stderr.startswith("recorded as ")
    pieces = sorted(path.name for path in open_store("nightly").path.glob("pieces/*.parquet"))
    again = run(NB, *data, *FEATURES, "--cv", 5, "--run", "nightly", "--format", "json")
    assert again.stdout == first.stdout
    assert pieces == sorted(path.name for path in open_store("nightly").path.glob("pieces/*.parquet"))
    assert again.stderr.endswith("look 2 at these rows\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [NB, "--data", "rows.csv", "--target", "sik"],
            (
                "error[H106] rows.csv has no column 'sik' for learning; did you mean 'sick'? its columns are size, "
                "weight, site, patient, day, sick\n  Fix: name one of these columns\n  See: heldout explain H106\n"
            ),
        ),
        (
            ["sklearn.naive_bayes:GausianNB", "--data", "rows.csv", "--target", "sick"],
            (
                "error: sklearn.naive_bayes has no 'GausianNB'; did you mean 'GaussianNB'?\n"
                "  Fix: check 'sklearn.naive_bayes:GausianNB'\n"
            ),
        ),
        (
            ["skleern.naive_bayes:GaussianNB", "--data", "rows.csv", "--target", "sick"],
            (
                "error: there is no module 'skleern.naive_bayes' (in 'skleern.naive_bayes:GaussianNB')\n"
                "  Fix: write an import path, as in sklearn.linear_model:LogisticRegression, sklearn.svm:SVC(C=10) or "
                "models.py:pipeline\n"
            ),
        ),
        (
            ["sklearn.svm:SVC(K=2)", "--data", "rows.csv", "--target", "sick"],
            (
                "error: 'sklearn.svm:SVC(K=2)' cannot be made: SVC.__init__() got an unexpected keyword argument 'K'\n"
                "  Fix: check the names and values of its parameters\n"
            ),
        ),
        (
            [NB, "--data", "rows.csv", "--target", "sick", "--drop", "day", "--drop", "patient"],
            (
                "error[H313] GaussianNB raised ValueError in split 1 of 25: could not convert string to float: 'a'\n"
                "  Fix: site holds text: encode it in a pipeline, or leave it out\n  See: heldout explain H313\n"
            ),
        ),
        (
            [NB, "--data", "rows.csv", "--target", "sick", *FEATURES, "--cv", "80"],
            (
                "error[H311] class 'y' has 57 rows, fewer than 80 folds (--cv 80)\n"
                "  Fix: take at most 57 folds, or merge classes\n  See: heldout explain H311\n"
            ),
        ),
        (
            [NB, TREE, "--data", "rows.csv", "--target", "sick", *FEATURES, "--test", "kfold"],
            (
                "error: no test of learners is named 'kfold'; did you mean 'kfold_t'?\n"
                "  Fix: choose one of corrected_t, kfold_t, 5x2cv_t, 5x2cv_f, naive_t; tests of two models, such as "
                "mcnemar, go with --cv holdout\n"
            ),
        ),
    ],
)
def test_what_cannot_be_done_is_one_sentence(data, arguments, message):
    found = run(*arguments)
    assert (found.exit_code, found.stderr) == (2, message)
