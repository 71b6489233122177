"""Names that are not valid Unicode, as of files with stray bytes or JSON with lone surrogates, are shown escaped."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs
from heldout.store import open_store

STRAY = "n\udcff"
SHOWN = r"n\udcff"
TRUTH = [1, 0, 1, 1] * 20
OTHER = [1, 0, 0, 1] * 20

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes")


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.fixture
def compared():
    return heldout.compare(TRUTH, {STRAY: OTHER, "other": TRUTH}, baseline="other")


@pytest.mark.parametrize("form", ["json", "csv", "text", "markdown", "latex", "html"])
def test_every_text_can_be_written(compared, form):
    text = getattr(compared, f"to_{form}")()
    assert text.encode()
    assert "udcff" in text


def test_json_reads_as_the_name_that_was_given(compared):
    assert STRAY in json.loads(compared.to_json())["models"]
    assert SHOWN in compared.to_json()
    assert json.loads(compared.to_json()) == compared.to_dict()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_take_the_names(compared, backend):
    assert compared.to_frame(backend).shape[0] == len(compared.records())


def test_a_file_is_evaluated_and_recorded_and_found_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"{a},{b}\n" for a, b in zip(TRUTH, OTHER, strict=True))
    (tmp_path / f"{STRAY}.csv").write_text(f"y_true,y_pred\n{lines}")
    found = run("evaluate", f"{STRAY}.csv", "--save", "--format", "json", "--report", f"{STRAY}.html")
    assert found.exit_code == 0
    assert json.loads(found.stdout)["inputs"][0]["path"] == f"{STRAY}.csv"
    (kept,) = open_store(".heldout").records()
    assert (kept.name, kept.is_damaged) == (SHOWN, False)
    assert open_store(".heldout").found(STRAY).id == kept.id
    assert run("evaluate", f"{STRAY}.csv").stdout.startswith(rf"{SHOWN}.csv ")
    assert rf"{SHOWN}.csv" in (tmp_path / f"{STRAY}.html").read_text(encoding="utf-8")


def test_learners_see_features_under_the_names_that_are_shown():
    pytest.importorskip("sklearn")
    from sklearn.tree import DecisionTreeClassifier

    data = {STRAY: [float(i % 7) for i in range(80)], "a": [float(i % 5) for i in range(80)], "y": TRUTH}
    assert heldout.validate(DecisionTreeClassifier(), data, "y", cv=4).rows == 80


def test_predictions_are_kept_in_such_a_file(tmp_path):
    pytest.importorskip("sklearn")
    from sklearn.tree import DecisionTreeClassifier

    learners = {name: DecisionTreeClassifier() for name in (STRAY, "other")}
    found = heldout.validate(learners, [[at % 7] for at in range(80)], TRUTH, cv=4)
    found.save_predictions(tmp_path / f"{STRAY}.parquet")
    assert set(found.predictions("pyarrow").column("model").to_pylist()) == {SHOWN, "other"}
    assert (tmp_path / f"{STRAY}.parquet").stat().st_size > 0


def test_rows_in_chunks_are_resampled(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"{a},{b / 2}\n" for a, b in zip(TRUTH, OTHER, strict=True))
    for name in ("plain", STRAY):
        (tmp_path / f"{name}.csv").write_text(f"y_true,y_score\n{lines}")
    asked = ("--metric", "average_precision", "--memory", "1KB", "--method", "percentile", "--n-resamples", "200")
    plain, found = (run("evaluate", f"{name}.csv", *asked) for name in ("plain", STRAY))
    assert (plain.exit_code, found.exit_code) == (0, 0)
    assert found.stdout.count("\n") == plain.stdout.count("\n")
