from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import heldout
from heldout.errors import DataError, UsageError
from heldout.inputs.chunked import sample_rows as sampling
from heldout.verbs.chunked import needed_sums as pass_over_chunks

ROWS = 1200


def rows(seed=0, count=ROWS):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, count)
    return pa.table({"y_true": truth, "y_score": np.round(1 / (1 + np.exp(-rng.normal(2 * truth - 1))), 4)})


def written(folder, table, files=4):
    """The rows in files that hold as many each."""
    size = -(-table.num_rows // files)
    for at in range(files):
        pq.write_table(table.slice(at * size, size), folder / f"{at}.parquet")
    return folder


@pytest.fixture
def folder(tmp_path):
    return written(tmp_path, rows())


def streamed(source, **options):
    return heldout.evaluate(source, engine="local", **options)


def told(call, *arguments, **options):
    with pytest.raises((UsageError, DataError)) as refused:
        call(*arguments, **options)
    return str(refused.value)


def texts(result):
    return [f"{check.code} {check.text}" for check in result.checks]


def test_a_folder_a_pattern_and_a_list_are_one_table(folder):
    files = sorted(folder.iterdir())
    whole = heldout.evaluate(rows())
    for source in (folder, str(folder / "*.parquet"), files, [str(file) for file in files]):
        for found in (heldout.evaluate(source), streamed(source)):
            assert found.rows == ROWS
            assert found["accuracy"].count == whole["accuracy"].count
            assert found["roc_auc"].value == pytest.approx(whole["roc_auc"].value, abs=1e-3)


def test_what_fits_into_memory_is_read_at_once(folder):
    found = heldout.evaluate(folder)
    assert found.estimates == heldout.evaluate(rows()).estimates
    said = found.to_dict()
    assert (said["engine"], said["chunks"]) == ("local", 1)
    assert [Path(source["path"]).name for source in said["inputs"]] == [f"{at}.parquet" for at in range(4)]
    assert all(len(source["sha256"]) == 64 for source in said["inputs"])


def test_what_does_not_fit_is_read_in_chunks(folder):
    said = heldout.evaluate(folder, memory=20_000).to_dict()
    assert (said["engine"], said["chunks"]) == ("local", 4)
    assert said["inputs"] == [{"path": str(folder), "sha256": None}]
    assert json.loads(json.dumps(said)) == said


def test_one_file_is_read_in_chunks_where_it_does_not_fit(tmp_path):
    file = tmp_path / "one.parquet"
    pq.write_table(rows(), file, row_group_size=300)
    assert heldout.evaluate(file).to_dict()["inputs"][0]["sha256"] is not None
    found = heldout.evaluate(file, memory="2K")
    assert found.chunked
    assert found["accuracy"].value == heldout.evaluate(file)["accuracy"].value


def test_only_the_columns_that_play_a_role_must_fit(tmp_path):
    wide = rows().append_column("text", pa.array(["x" * 1000] * ROWS))
    found = heldout.evaluate(written(tmp_path, wide), memory="200K")
    assert not found.chunked
    assert found.estimates == heldout.evaluate(rows()).estimates


def test_csv_files_are_chunks(tmp_path):
    for at in range(3):
        pyarrow.csv.write_csv(rows().slice(at * 400, 400), tmp_path / f"{at}.csv")
    found, whole = streamed(tmp_path), heldout.evaluate(rows())
    assert found.chunks == 3
    assert found["accuracy"].count == whole["accuracy"].count


def test_folders_name_columns(tmp_path):
    for at, country in enumerate(("de", "fr")):
        (tmp_path / f"country={country}").mkdir()
        pq.write_table(rows().slice(at * 600, 600), tmp_path / f"country={country}" / "a.parquet")
    found = streamed(tmp_path, segments="country")
    assert {name: part[0] for name, part in found.segments["country"].shown.items()} == {"de": 600, "fr": 600}


def test_the_chunks_do_not_matter(tmp_path):
    table = rows(3)
    found = []
    for at, (files, order) in enumerate([(1, 1), (3, 1), (7, -1)]):
        folder = tmp_path / str(at)
        folder.mkdir()
        found.append(streamed(written(folder, table.take(np.arange(ROWS)[::order]), files)).to_dict())
    for other in found[1:]:
        assert other["confusion"] == found[0]["confusion"]
        for name, e in other["estimates"].items():
            first = found[0]["estimates"][name]
            if name in ("log_loss", "log_loss_bits", "brier", "quadratic_loss"):
                assert e["value"] == pytest.approx(first["value"], rel=1e-12)
            else:
                assert e == first, name


@pytest.fixture
def small_sample(monkeypatch):
    """The sample is the first 100 rows, and 10 of the last file."""
    monkeypatch.setattr(sampling, "HEAD", 100)
    monkeypatch.setattr(sampling, "ELSEWHERE", 1)
    monkeypatch.setattr(sampling, "GLANCE", 10)


def with_cats():
    """Three classes, of which the first rows of a file show two."""
    truth = np.array([*["ant", "bee"] * 530, *["cat"] * 100, *["ant", "bee"] * 20])
    return pa.table({"y_true": truth, "y_pred": np.where(np.arange(ROWS) % 7 == 0, "ant", truth)})


@pytest.mark.usefixtures("small_sample")
def test_a_label_that_comes_late_is_a_class(tmp_path):
    table = with_cats()
    found = streamed(written(tmp_path, table))
    assert found.labels == ("ant", "bee", "cat")
    assert found.task == "multiclass"
    assert np.array_equal(found.confusion, heldout.evaluate(table).confusion)


@pytest.mark.usefixtures("small_sample")
def test_a_score_outside_the_unit_interval_comes_late(tmp_path):
    table = rows()
    score = table["y_score"].to_numpy().copy()
    score[700] = 1.5
    table = table.set_column(1, "y_score", pa.array(score))
    found = streamed(written(tmp_path, table))
    assert "accuracy" not in found.estimates
    assert found.threshold is None
    assert found["roc_auc"].value == pytest.approx(heldout.evaluate(table)["roc_auc"].value, abs=1e-3)


@pytest.mark.usefixtures("small_sample")
def test_rows_sorted_by_class_have_two(tmp_path):
    table = rows().sort_by("y_true")
    found = streamed(written(tmp_path, table))
    assert found.labels == (0, 1)
    assert np.array_equal(found.confusion, heldout.evaluate(table).confusion)


@pytest.mark.usefixtures("small_sample")
def test_values_that_never_end_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(pass_over_chunks, "MOST_PASSES", 1)
    message = told(streamed, written(tmp_path, with_cats()))
    assert message == (
        f"[H107] {tmp_path.name}: after 1 passes over all rows there still are new values\n"
        "  Fix: state what the columns hold: task=, labels=, pos_label=, threshold="
    )


def test_missing_values_are_named_or_dropped(tmp_path):
    table = rows()
    score = table["y_score"].to_numpy().copy()
    score[[5, 700]] = np.nan, np.inf
    gaps = written(tmp_path, table.set_column(1, "y_score", pa.array(score)))
    assert told(streamed, gaps) == (
        "[H305] 0.parquet: y_score is missing in row 6. Rows are never dropped silently\n"
        "  Fix: complete the values, or drop these rows with on_nan='drop'"
    )
    found = streamed(gaps, on_nan="drop")
    assert found.rows == ROWS - 2
    assert texts(found)[-2] == (
        "H305 2 of 1,200 rows were dropped: y_score is missing in 1 row; y_score is infinite (inf) in 1 row"
    )


def test_one_class_only(tmp_path):
    table = pa.table({"y_true": [1] * 90, "y_pred": [1] * 80 + [0] * 10})
    found = streamed(written(tmp_path, table))
    assert "H104 y_true has one class only (90 x 1): recall or specificity, and AUC, are undefined" in texts(found)
    assert texts(found) == texts(heldout.evaluate(table))


def test_decisions_are_no_scores(tmp_path):
    table = pa.table({"y_true": [0, 1] * 60, "y_score": [0.0, 1.0, 1.0] * 40})
    message = told(streamed, written(tmp_path, table))
    assert message == (
        f"[H102] {tmp_path.name}: y_score has only the values 0 and 1. AUC, calibration and log loss need scores, not "
        "decisions\n  Fix: export predict_proba[:, 1] as y_score, or pass y_pred='y_score' for label "
        "metrics only"
    )
    assert message == told(heldout.evaluate, tmp_path)  # read into memory


def test_scores_that_point_the_other_way(tmp_path):
    table = rows()
    table = table.set_column(1, "y_score", pa.array(1 - table["y_score"].to_numpy()))
    folder = written(tmp_path, table)
    assert told(streamed, folder) == told(heldout.evaluate, folder)  # read into memory
    assert [text for text in texts(streamed(folder, pos_label=1)) if text.startswith("H103")] == [
        text for text in texts(heldout.evaluate(table, pos_label=1)) if text.startswith("H103")
    ]


def test_no_weight_at_all(tmp_path):
    table = rows().append_column("weight", pa.array(np.zeros(ROWS)))
    assert told(streamed, written(tmp_path, table)) == (
        f"[H109] {tmp_path.name}: every weight in weight is zero\n  Fix: give at least one row a positive weight"
    )


def test_what_needs_the_rows_is_left_out_with_a_word(folder):
    assert texts(streamed(folder))[-1] == (
        "H111 left out, because rows are read in chunks: ece, rms_calibration_error_debiased, calibration_slope, "
        "calibration_intercept; "
        "to include them, give the rows all the memory they need: --memory 1M (memory='1M') and no engine"
    )
    assert texts(heldout.evaluate(folder, memory="10K"))[-1].endswith(
        "to include them, give the rows all the memory they need: --memory 1M (memory='1M')"
    )
    assert told(streamed, folder, metrics="calibration_slope") == (
        "calibration_slope needs all rows in memory at once, and they are read in chunks\n"
        "  Fix: give the rows all the memory they need: memory='1M' and no engine"
    )


@pytest.mark.parametrize("option", ["train", "folds", "choose_threshold"])
def test_options_that_need_the_rows(folder, option):
    costs = {"choose_threshold": (1, 2)}
    given = {"train": {"train": rows()}, "folds": {"folds": "y_true", **costs}, "choose_threshold": costs}[option]
    assert told(streamed, folder, **given) == (
        f"{option} needs all rows in memory at once, and they are read in chunks\n"
        "  Fix: give the rows all the memory they need: memory='1M' and no engine"
    )


def test_segments_of_groups_need_the_rows(tmp_path):
    table = rows().append_column("group", pa.array(np.arange(ROWS) // 3))
    table = table.append_column("site", pa.array(["a", "b"] * (ROWS // 2)))
    message = told(streamed, written(tmp_path, table), segments="site")
    assert message.startswith(
        "a segment column of rows that share groups needs all rows in memory at once, and they are read in chunks\n"
    )


def test_engines_and_memory_are_about_parts():
    for name in ("engine", "engine_address", "memory"):
        value = {"engine": "local", "engine_address": "there", "memory": "1G"}[name]
        assert told(heldout.evaluate, [0, 1], [0, 1], **{name: value}) == (
            f"{name} is for tables that are read in chunks, but arrays were given\n"
            f"  Fix: leave out {name}, or write the rows into files"
        )
        assert told(heldout.evaluate, {"y": [0, 1], "p": [0.1, 0.2]}, **{name: value}) == (
            f"{name} is for tables that are read in chunks, but a frame was given\n"
            f"  Fix: leave out {name}, or write the rows into files"
        )
    assert told(heldout.evaluate, "log.jsonl", log="lm-eval", engine="local") == (
        "engine is for tables that are read in chunks, but a log was given\n"
        "  Fix: leave out engine, or write the rows into files"
    )


def test_an_engine_that_is_none(folder):
    assert told(heldout.evaluate, folder, engine="sparc") == (
        "no engine is called 'sparc'; did you mean 'spark'?\n  Fix: take one of local, dask, ray, spark"
    )


def test_labels_are_no_paths():
    assert told(heldout.evaluate, ["yes", "no"]).startswith("[H106] there are no predictions")


def test_a_certified_threshold_is_exact_between_places(folder):
    found = streamed(folder, max_fpr=0.1, metrics="accuracy").operating_point
    exact = heldout.evaluate(rows(), max_fpr=0.1).operating_point
    score, truth = (rows()[name].to_numpy() for name in ("y_score", "y_true"))
    assert found.threshold >= exact.threshold
    assert found.violation == exact.violation
    assert found.recall.count[0] == np.count_nonzero((score >= found.threshold) & (truth == 1))


def test_curves_and_charts_from_places(folder):
    found, exact = streamed(folder), heldout.evaluate(rows())
    for name in ("roc", "precision_recall", "gain"):
        band, known = found.curve(name).band, exact.curve(name).band
        assert np.allclose(band["y"], known["y"], atol=0.02), name
        assert name in found.plot()
    points, truth, score = found.curve("roc").points, rows()["y_true"].to_numpy(), rows()["y_score"].to_numpy()
    at = len(points["fpr"]) // 2
    assert points["tpr"][at] == pytest.approx(np.mean(score[truth == 1] >= points["threshold"][at]))
    assert told(found.curve, "calibration") == (
        "the calibration curve needs all rows in memory at once, and they were read in chunks\n"
        "  Fix: give the rows all the memory they need: memory='1M' and no engine"
    )
    assert told(found.plot.scores) == (
        "the scores chart needs all rows in memory at once, and they were read in chunks\n"
        "  Fix: give the rows all the memory they need: memory='1M' and no engine"
    )


def test_a_page_of_rows_that_are_gone(folder, tmp_path):
    page = streamed(folder).report(tmp_path / "page.html").read_text()
    assert "binned: the exact value lies within" in page


def test_a_frozen_threshold_is_used_and_nobody_looked(folder):
    frozen = {"schema": "heldout.threshold/1", "threshold": 0.3, "positive": 1, "rows": "ab"}
    found = streamed(folder, threshold_from=frozen)
    assert found.threshold == 0.3
    assert (
        "H302 rows are read in chunks, so it is not checked whether threshold_from was chosen on these rows"
        in texts(found)
    )


def test_costs_and_constants(folder, tmp_path):
    cost = [[0, 1], [5, 0]]
    found, exact = streamed(folder, cost=cost), heldout.evaluate(rows(), cost=cost)
    for name in ("cost", "cost_minimum_risk"):
        assert found[name].value == pytest.approx(exact[name].value, rel=1e-12)
    assert found.baseline.name == exact.baseline.name
    assert found.baseline.values == pytest.approx({name: exact.baseline.values[name] for name in found.baseline.values})


def test_the_constant_beside_predicted_numbers(tmp_path):
    rng = np.random.default_rng(1)
    truth = rng.normal(40, 5, ROWS)
    table = pa.table({"y_true": truth, "y_pred": truth + rng.normal(0, 2, ROWS)})
    folder = written(tmp_path, table)
    found, exact = streamed(folder, n_resamples=100).baseline, heldout.evaluate(table, n_resamples=100).baseline
    assert found.name == exact.name == "always predicts the mean"
    assert set(found.values) == {"mse", "rmse", "r2", "mean_error"}
    for name, value in found.values.items():
        assert value == pytest.approx(exact.values[name], abs=1e-9)


def test_a_metric_of_ones_own(folder):
    def far_off(truth, score):
        return np.abs(truth - score)

    mine = heldout.define("far_off", far_off, uses="score")
    found, exact = streamed(folder, metrics=[mine]), heldout.evaluate(rows(), metrics=[mine])
    assert found["far_off"].value == pytest.approx(exact["far_off"].value, rel=1e-12)


def test_progress_is_told(folder):
    seen = []
    streamed(folder, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_duckdb_relation(folder):
    duckdb = pytest.importorskip("duckdb")
    found = heldout.evaluate(duckdb.sql(f"select * from '{folder}/*.parquet'"))
    assert found["accuracy"].count == heldout.evaluate(rows())["accuracy"].count
    assert found.to_dict()["inputs"] == []


def test_a_column_that_plays_no_role_may_be_missing(tmp_path):
    pq.write_table(rows().slice(0, 600).append_column("note", pa.array(["x"] * 600)), tmp_path / "a.parquet")
    pq.write_table(rows().slice(600), tmp_path / "b.parquet")
    exact = heldout.evaluate(rows())
    for found in (heldout.evaluate(tmp_path), streamed(tmp_path)):
        assert found["accuracy"].count == exact["accuracy"].count


def test_lines_of_json_are_read_at_once(tmp_path):
    file = tmp_path / "rows.txt"
    file.write_text("\n".join(json.dumps(line) for line in rows(count=200).to_pylist()))
    found = heldout.evaluate(file, memory="1M")
    assert (found.rows, found.chunked) == (200, False)
    for name, form in (("rows.txt", "holds JSON lines"), ("rows.jsonl", "is JSON")):
        path = str(file.rename(tmp_path / name))
        shown = name if name == "rows.txt" else path
        assert told(heldout.evaluate, path, memory="1K") == (
            f"{shown} {form}, which cannot be read in chunks, and it does not fit into memory='1K'\n"
            "  Fix: write the rows as Parquet or CSV, or give memory='1M'"
        )
        file = tmp_path / name


def test_standard_input_is_not_read_in_chunks():
    assert told(heldout.evaluate, "-", memory="1G") == (
        "memory= has no effect on standard input, which is read whole\n  Fix: write the rows to a file, or leave it out"
    )
    fix = "\n  Fix: write the rows to a file"
    assert told(heldout.evaluate, "-", engine="local") == f"standard input cannot be read in chunks{fix}"
    assert told(heldout.compare, {"a": "-", "b": "b.csv"}, engine="local").endswith(fix)


def test_a_column_of_ids_that_was_named_is_read_in_chunks(tmp_path):
    table = rows().append_column("id", pa.array([f"v{at}" for at in range(ROWS)]))
    found = streamed(written(tmp_path, table), id="id", metrics="accuracy")
    assert found.columns["id"] == "id"
    assert found["accuracy"] == heldout.evaluate(table, metrics="accuracy")["accuracy"]


def test_a_class_that_never_occurs(tmp_path):
    path = tmp_path / "positive.csv"
    path.write_text("y_true,y_score\n" + "".join(f"1,0.{at}\n" for at in range(10, 60)), encoding="utf-8")
    chunked = heldout.evaluate(path, memory="1K")
    assert chunked.chunks is not None
    whole = heldout.evaluate(path)
    for name in {*whole} & {*chunked}:
        assert chunked[name].value == pytest.approx(whole[name].value, nan_ok=True)


def test_clusters_in_chunks_have_the_intervals_of_memory_or_say_why_not(tmp_path):
    rng = np.random.default_rng(2)
    truth, patient = rng.integers(0, 2, 400), np.sort(rng.integers(0, 60, 400))
    score = (rng.normal(0, 2, 400) + truth).round(2)
    path = str(tmp_path / "rows.parquet")
    pq.write_table(pa.table({"y_true": truth, "y_score": score, "patient": patient}), path)
    whole, chunked = (heldout.evaluate(path, groups="patient", engine=engine) for engine in (None, "local"))
    for name in ("ks", "roc_auc", "average_precision"):
        ends = [[one[name].low, one[name].high] for one in (whole, chunked)]
        assert chunked[name].method == whole[name].method
        assert ends[1] == pytest.approx(ends[0], abs=0.01)
    for name in ("eer", "partial_auc"):
        assert chunked[name].notes[0] == (
            "resampling needs all rows in memory: this interval is by influence, and rough with fewer than 500 rows of "
            "a class"
        )


def test_names_of_64_bits_without_a_sign_are_clusters_in_chunks(tmp_path):
    """Hashes as ids have numbers of 2^63 and more, which have no int64."""
    table = rows()
    names = np.arange(ROWS, dtype=np.uint64) // np.uint64(4) + np.uint64(2**63 - 100)
    table = table.append_column("g", pa.array(names))
    pq.write_table(table, tmp_path / "rows.parquet")
    chunked = heldout.evaluate(tmp_path / "rows.parquet", groups="g", memory="1")
    whole = heldout.evaluate(table, groups="g")
    assert chunked.units == whole.units == ROWS // 4
    for metric in ("accuracy", "log_loss"):
        assert (chunked[metric].low, chunked[metric].high) == pytest.approx((whole[metric].low, whole[metric].high))
    identified = table.append_column("id", pa.array(np.arange(ROWS, dtype=np.uint64) + np.uint64(2**63)))
    pq.write_table(identified, tmp_path / "ids.parquet")
    options = {"metrics": "mcc", "method": "percentile", "n_resamples": 200}
    assert streamed(tmp_path / "ids.parquet", **options)["mcc"].low < whole["mcc"].value
    both = {"a": str(tmp_path / "ids.parquet"), "b": str(tmp_path / "ids.parquet")}
    assert heldout.compare(both, metrics="accuracy", engine="local")["accuracy"].value == 0


def facts(estimate):
    """What is said of an estimate besides its number: the method, its simulated coverage or what was not simulated."""
    return [estimate.to_dict()[name] for name in ("method", "card", "unlike")]


@pytest.mark.parametrize("grouped", [False, True])
def test_simulated_coverage_is_that_of_rows_in_memory(tmp_path, grouped):
    """Events, ties, skewness and the size of clusters decide which simulations are like the data."""
    table = unlike_clusters()
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=90)
    options = {"groups": "site"} if grouped else {}
    whole = heldout.evaluate(table, **options)
    chunked = streamed(tmp_path / "rows.parquet", **options)
    resampled = {"eer", "partial_auc", "ks"} if grouped else set()  # another interval, as a note says
    names = [name for name in chunked if name not in resampled]
    assert {name: facts(chunked[name]) for name in names} == {name: facts(whole[name]) for name in names}
    assert sum(whole[name].card is not None for name in names) > 5


def unlike_clusters(count=700):
    """Rows of clusters of unequal size, with tied scores and few errors."""
    rng = np.random.default_rng(5)
    truth = (rng.random(count) < 0.2).astype(int)
    score = np.clip(np.round(0.3 * rng.normal(size=count) + 0.1 + 0.8 * truth, 2), 0.01, 0.99)
    return pa.table({"y_true": truth, "y_score": score, "site": (45 * rng.random(count) ** 1.3).astype(int)})


def test_several_classes_have_the_simulated_coverage_of_rows_in_memory(tmp_path):
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 3, 600)
    said = np.where(rng.random(600) < 0.2, rng.integers(0, 3, 600), truth)
    table = pa.table({"y_true": truth, "y_pred": said, "site": rng.integers(0, 50, 600)})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=90)
    whole, chunked = heldout.evaluate(table, groups="site"), streamed(tmp_path / "rows.parquet", groups="site")
    assert {name: facts(chunked[name]) for name in chunked} == {name: facts(whole[name]) for name in whole}
    for label, estimates in whole.classes.items():
        assert {n: facts(chunked.classes[label][n]) for n in estimates} == {n: facts(estimates[n]) for n in estimates}


def test_bca_of_labels_and_losses_of_clusters_in_chunks(tmp_path):
    table = unlike_clusters()
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=90)
    options = {"groups": "site", "method": "bca", "n_resamples": 4000}
    whole, chunked = heldout.evaluate(table, **options), streamed(tmp_path / "rows.parquet", **options)
    for name in ("accuracy", "recall", "specificity", "brier"):
        one, other = chunked[name], whole[name]
        assert (one.method, one.notes) == (other.method, other.notes) == ("bootstrap BCa, 4000 resamples", ())
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.15 * (other.high - other.low))
    note = "bca needs all rows in memory, and they are read in chunks; another interval is given"
    assert chunked["roc_auc"].notes[0] == note
