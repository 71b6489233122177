"""compare and gate on chunked tables: messages, refusals, and what the result says about the reading."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator
from pyarrow import csv

import heldout
from heldout.errors import DataError, UsageError
from heldout.inputs.chunked.aligned_tables import SAME_ORDER
from heldout.inputs.chunked.chunked_table import open_chunks
from heldout.report.schema import schema
from heldout.verbs.chunked.model_tables import ChunkedModels, ChunkOptions, open_models
from heldout.verbs.chunked.table_source import WORKING, ChunkedInput

ROWS = 600


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, ROWS)
    old = np.clip(0.5 * truth + 0.6 * rng.random(ROWS), 0.01, 0.99)
    new = np.clip(old + rng.normal(0, 0.2, ROWS), 0.01, 0.99)
    return pa.table({"id": np.arange(ROWS), "y": truth, "old": old, "new": new, "spare": new[::-1].copy()})


def written(table, folder, *cuts):
    """The rows in files, cut at these rows."""
    folder.mkdir(parents=True)
    for at, (first, last) in enumerate(zip([0, *cuts], [*cuts, table.num_rows], strict=True)):
        pq.write_table(table.slice(first, last - first), folder / f"{at}.parquet", row_group_size=70)
    return folder


def model(table, column):
    """The table of one model."""
    return table.select(["id", "y", column]).rename_columns(["id", "y", "score"])


def refused(*args, **options):
    with pytest.raises((DataError, UsageError)) as error:
        heldout.compare(*args, **options)
    return error.value.message, error.value.fix


@pytest.fixture
def tables(rows, tmp_path):
    """A folder for each of two models, cut at different rows."""
    return {
        "old": written(model(rows, "old"), tmp_path / "old", 200),
        "new": written(model(rows, "new"), tmp_path / "new", 1, 77, 400),
    }


def test_models_are_columns_of_one_table(rows, tmp_path):
    folder = written(rows, tmp_path / "one", 100, 333)
    columns = {"a": "old", "b": "new"}
    found = heldout.compare(folder, columns, primary="accuracy", engine="local")
    same = heldout.compare(rows, columns, primary="accuracy")
    # rows that are gone tell less of what matters for the simulated rate
    assert replace(found["accuracy"], card=None) == replace(same["accuracy"], card=None)
    assert (found.models, found.rows, found.engine, found.chunks) == (("a", "b"), ROWS, "local", 3)
    assert found.matched == "position"
    assert (found.batch_of_rows, found.batches) == (None, {})


def test_what_fits_is_read_at_once(rows, tmp_path, tables):
    folder = written(rows, tmp_path / "one", 100, 333)
    found = heldout.compare(folder, {"a": "old", "b": "new"}, primary="roc_auc")
    apart = heldout.compare(tables, primary="roc_auc")
    exact = heldout.compare(rows, {"a": "old", "b": "new"}, primary="roc_auc")
    assert (found.engine, found.chunks, apart.chunks) == ("local", 1, 1)
    assert found["roc_auc"].pvalue == apart["roc_auc"].pvalue == exact["roc_auc"].pvalue
    assert [len(source.sha256) for source in apart.sources] == [64] * 6


def test_a_wide_table_of_which_little_is_needed(rows, tmp_path):
    wide = rows
    for at in range(40):
        wide = wide.append_column(f"feature_{at}", pa.array(np.zeros(ROWS)))
    folder = written(wide, tmp_path / "one", 300)
    found = heldout.compare(folder, {"a": "old", "b": "new"}, metrics="accuracy", memory=500_000)
    assert (found.chunks, len(found.batches)) == (1, 2)


def test_the_result_says_how_it_was_read(tables):
    found = heldout.compare(tables, primary="f1", engine="local").to_dict()
    Draft202012Validator(schema("heldout.comparison/1")).validate(found)
    assert (found["engine"], found["chunks"]) == ("local", 2)
    assert found["inputs"] == [{"path": str(path), "sha256": None} for path in tables.values()]
    assert found["matched"] == {"by": "id", "rows": ROWS, "only": {"old": 0, "new": 0}}


def test_a_file_that_does_not_say_how_long_it_is(rows, tables, tmp_path):
    file = tmp_path / "new.csv"
    csv.write_csv(model(rows, "new"), file)
    folders = heldout.compare(tables, primary="brier", engine="local")
    for given in ({"old": tables["old"], "new": file}, {"new": file, "old": tables["old"]}):
        found = heldout.compare(given, primary="brier", baseline="old", engine="local")
        assert found["brier"].pvalue == pytest.approx(folders["brier"].pvalue, rel=1e-12)


def test_frozen_words_of_binning(tables):
    found = heldout.compare(tables, metrics=["roc_auc", "accuracy"], engine="local")
    off = [note for note in found["roc_auc"].notes if note.startswith("binned")]
    assert len(off) == 1
    assert off[0].startswith("binned: the exact difference lies within ±")
    assert not any(note.startswith("binned") for note in found["accuracy"].notes)
    own = [
        float(note.partition("±")[2])
        for estimates in found.estimates.values()
        for note in estimates["roc_auc"].notes
        if note.startswith("binned")
    ]
    assert float(off[0].partition("±")[2]) == pytest.approx(sum(own), rel=0.1)


def test_metrics_that_need_the_rows_are_left_out(tables):
    found = heldout.compare(tables, engine="local")
    texts = [check.text for check in found.checks if check.text.startswith("left out")]
    names = "ece, rms_calibration_error_debiased, calibration_slope, calibration_intercept"
    assert texts == [f"left out, because rows are read in chunks: {names}; to include them, {REMEDY}"]


REMEDY = "give the rows all the memory they need: --memory 1M (memory='1M') and no engine"
ALIKE = f"{SAME_ORDER}, or {REMEDY}"


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"test": "permutation"}, "the test permutation"),
        ({"test": "bootstrap"}, "the test bootstrap"),
        ({"paired": False, "metrics": "accuracy"}, "--unpaired (paired=False)"),
        ({"segments": "id"}, "segments"),
        ({"on_missing": "intersect"}, "on_missing"),
    ],
)
def test_what_needs_the_rows_is_refused(tables, options, name):
    message = f"{name} needs all rows in memory at once, and they are read in chunks"
    assert refused(tables, engine="local", **options) == (message, REMEDY)


@pytest.mark.parametrize("test", ["exact", "asymptotic", "delong", "t"])
def test_tests_by_name_that_need_no_rows(rows, tables, test):
    metrics = "roc_auc" if test == "delong" else "accuracy"
    found = heldout.compare(tables, metrics=metrics, test=test, engine="local")[metrics]
    same = heldout.compare(rows, {"old": "old", "new": "new"}, metrics=metrics, test=test)[metrics]
    assert (found.test, found.pvalue) == (same.test, pytest.approx(same.pvalue, rel=1e-3))


def test_rows_in_another_order(rows, tables, tmp_path):
    tables["new"] = written(model(rows.take(pa.array([1, 0, *range(2, ROWS)])), "new"), tmp_path / "turned", 50)
    message = "old and new have different ids: 0 in old (row 1 of 0.parquet), 1 in new (row 1 of 0.parquet)"
    assert refused(tables, engine="local") == (message, ALIKE)


def test_another_truth(rows, tables, tmp_path):
    truth = rows.column("y").to_numpy().copy()
    truth[150] = 1 - truth[150]
    other = model(rows, "new").set_column(1, "y", pa.array(truth))
    tables["new"] = written(other, tmp_path / "other", 100)
    said = [f"{value} in {name} (row {row})" for value, name, row in (
        (1 - truth[150], "old", "151 of 0.parquet"), (truth[150], "new", "51 of 1.parquet")
    )]  # fmt: skip
    message = f"old and new have different truths: {', '.join(said)}"
    fix = f"use one truth for all models, and check that the rows are the same; or {ALIKE}"
    assert refused(tables, engine="local") == (message, fix)


def test_another_number_of_rows(rows, tables, tmp_path):
    tables["new"] = written(model(rows.slice(0, 590), "new"), tmp_path / "short", 100)
    message = "the models have different numbers of rows: 600 in old, 590 in new"
    assert refused(tables, engine="local") == (message, ALIKE)


def test_weights_of_one_model_only(rows, tables, tmp_path):
    heavy = model(rows, "new").append_column("weight", pa.array(np.ones(ROWS)))
    tables["new"] = written(heavy, tmp_path / "heavy", 100)
    assert refused(tables, engine="local") == ("new has weights and old has none", ALIKE)


def test_other_weights_of_the_same_rows(rows, tmp_path):
    weights = {"old": np.ones(ROWS), "new": np.where(np.arange(ROWS) == 7, 2.0, 1.0)}
    tables = {
        name: written(model(rows, name).append_column("weight", pa.array(column)), tmp_path / name, 300)
        for name, column in weights.items()
    }
    message = "old and new have different weights: 1.0 in old (row 8 of 0.parquet), 2.0 in new (row 8 of 0.parquet)"
    assert refused(tables, engine="local") == (message, ALIKE)


def test_other_groups_of_the_same_rows(rows, tmp_path):
    groups = {"old": np.arange(ROWS) // 2, "new": np.where(np.arange(ROWS) == 9, 77, np.arange(ROWS) // 2)}
    tables = {
        name: written(model(rows, name).append_column("group", pa.array(column)), tmp_path / name, 300)
        for name, column in groups.items()
    }
    message = "old and new have different groups: 4 in old (row 10 of 0.parquet), 77 in new (row 10 of 0.parquet)"
    assert refused(tables, engine="local") == (message, ALIKE)


def test_dropped_rows(rows, tables, tmp_path):
    score = rows.column("new").to_numpy().copy()
    score[4] = np.nan
    tables["new"] = written(model(rows, "new").set_column(2, "score", pa.array(score)), tmp_path / "gap", 100)
    message = "rows of new were dropped, and without them the others cannot be matched"
    fix = "complete the values, or leave out those rows of every model"
    assert refused(tables, engine="local", on_nan="drop") == (message, fix)


def test_an_engine_for_what_is_no_file(rows):
    message = "engine is for tables that are read in chunks, and the models are not files"
    fix = "leave out engine, or write the rows into files"
    assert refused([0, 1], {"a": [0, 1], "b": [1, 1]}, engine="local") == (message, fix)
    assert refused({"a": rows, "b": rows}, engine="local") == (message, fix)


def test_one_model(tables):
    del tables["new"]
    message = "1 model was given, and a comparison needs two"
    assert refused(tables, engine="local") == (message, "name another model or file")


def test_a_label_that_one_column_never_has(tmp_path):
    truth = np.array(["a", "b"] * 50)
    said = np.where(np.arange(100) % 10 == 0, "c", truth)
    table = pa.table({"y": truth, "sure": truth, "odd": said})
    folder = written(table, tmp_path / "labels", 31)
    found = heldout.compare(folder, {"sure": "sure", "odd": "odd"}, engine="local")
    same = heldout.compare(table, {"sure": "sure", "odd": "odd"})
    assert (found["accuracy"].pvalue, found["accuracy"].test) == (same["accuracy"].pvalue, same["accuracy"].test)
    assert found.task == same.task == "multiclass"


def test_a_gate(tables):
    found = heldout.gate(tables, primary="f1", margin=0.01, baseline="new", engine="local").to_dict()
    Draft202012Validator(schema("heldout.gate/1")).validate(found)
    assert (found["verdict"], found["engine"], found["chunks"]) == ("PASS", "local", 4)


def test_what_travels_can_be_pickled(tables, monkeypatch):
    works = []
    summed = ChunkedInput.summed

    def pickled(self, work, columns=None):
        works.append(work)
        return summed(self, pickle.loads(pickle.dumps(work)), columns)

    monkeypatch.setattr(ChunkedInput, "summed", pickled)
    found = heldout.compare(tables, engine="local")
    assert len(works) == 3  # one pass over each model, and one over both
    assert found["accuracy"].test.startswith("McNemar")


def test_a_small_table_beside_a_large_one_is_read_in_chunks_too(rows, tables, tmp_path):
    small = model(rows, "new").select(["y", "score"])
    small = small.set_column(0, "y", small.column("y").cast("int8")).set_column(
        1, "score", small.column("score").cast("float32")
    )
    tables["new"] = written(small, tmp_path / "small", 300)
    sizes = [open_chunks(folder).size for folder in tables.values()]
    given = open_models(tables, None, {}, ChunkOptions(memory=WORKING * sum(sizes)))
    assert isinstance(given, ChunkedModels)
    assert [table.engine.name for table in given.models.values()] == ["local", "local"]
    given = open_models(tables, None, {}, ChunkOptions(memory=2 * WORKING * max(sizes)))
    assert not isinstance(given, ChunkedModels)


def test_whole_numbers_with_many_values_are_a_regression(tmp_path):
    truth = np.sort(np.arange(ROWS) % 57)  # the first file has few values
    table = pa.table({"y": truth, "a": truth + 0.25, "b": truth - 0.5})
    found = heldout.compare(written(table, tmp_path / "numbers", 20, 300), {"a": "a", "b": "b"}, engine="local")
    same = heldout.compare(table, {"a": "a", "b": "b"})
    assert found.task == same.task == "regression"
    assert found["rmse"].value == pytest.approx(same["rmse"].value, rel=1e-12)


def test_a_regression_is_not_compared_with_classes(tmp_path):
    truth = np.arange(ROWS) % 57
    table = pa.table({"y": truth, "a": truth + 0.25, "b": np.maximum(truth - 1, 0)})
    folder, columns = written(table, tmp_path / "mixed", 300), {"a": "a", "b": "b"}
    message, fix = refused(folder, columns, engine="local")
    assert message.startswith("the models have different tasks or classes: regression with ['y'], and multiclass with ")
    assert fix == (
        "compare predictions of the same task and classes, or state the task: --task regression (task='regression')"
    )
    assert refused(table, columns) == (message, fix)
    assert heldout.compare(folder, columns, engine="local", task="regression").task == "regression"


def facts(difference):
    """What is said of a difference besides its number, and besides what only chunks have."""
    notes = [note for note in difference.notes if not note.startswith("binned")]
    return difference.test, difference.card, difference.unlike, notes


@pytest.mark.parametrize("grouped", [False, True])
def test_tests_and_their_simulated_error_are_those_of_rows_in_memory(rows, tmp_path, grouped):
    """Scores of two digits have places of their own on the grid, so that their order is known."""
    ties = {name: np.round(rows[name].to_numpy(), 2) for name in ("old", "new")}
    table = pa.table({"y": rows["y"], **ties, "site": np.arange(ROWS) ** 2 // 7 % 41})
    options = {"groups": "site"} if grouped else {}
    pq.write_table(table, tmp_path / "all.parquet", row_group_size=70)
    models = {"old": "old", "new": "new"}
    whole = heldout.compare(table, models, **options)
    chunked = heldout.compare(str(tmp_path / "all.parquet"), models, engine="local", **options)
    resampled = {"ks", "eer", "partial_auc"}  # swapped and drawn anew in memory
    names = [one.metric for one in chunked.differences if one.metric not in resampled]
    assert {"roc_auc", "log_loss", "accuracy", "brier"} <= {*names}
    for name in names:
        assert facts(chunked[name]) == facts(whole[name]), name
        assert chunked[name].pvalue == pytest.approx(whole[name].pvalue, rel=1e-6, nan_ok=True), name


@pytest.mark.parametrize("grouped", [False, True])
def test_losses_with_long_tails_have_their_note_in_chunks(tmp_path, grouped):
    rng = np.random.default_rng(3)
    truth = rng.normal(size=300)
    table = pa.table(
        {
            "y": truth,
            "old": truth + rng.standard_t(2, 300) ** 3,
            "new": truth + rng.standard_t(2, 300) ** 3,
            "site": np.arange(300) // 3,
        }
    )
    options = {"groups": "site"} if grouped else {}
    pq.write_table(table, tmp_path / "all.parquet", row_group_size=70)
    models = {"old": "old", "new": "new"}
    whole = heldout.compare(table, models, metrics=["mae", "rmse"], **options)
    chunked = heldout.compare(str(tmp_path / "all.parquet"), models, metrics=["mae", "rmse"], engine="local", **options)
    for name in ("mae", "rmse"):
        assert "with long tails, the simulated type I error of this test is up to 32%" in whole[name].notes[0]
        assert facts(chunked[name]) == facts(whole[name])
