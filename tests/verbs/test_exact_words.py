"""Small numbers and words of results: what was given is what is said, and what is no number is refused."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs
from heldout.formulas import METRICS


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.fixture
def ranked(tmp_path):
    (tmp_path / "ranked.csv").write_text("correct\n1\n0\n1\n\n", encoding="utf-8")
    return tmp_path / "ranked.csv"


@pytest.mark.parametrize("form", [("-f", "md"), ("-f", "latex"), ("-v",)])
def test_ap_of_a_ranked_list_is_explained_without_overlaps(ranked, form):
    found = run("detect", "--ranked", ranked, "--truths", "3", *form)
    assert found.exit_code == 0
    assert "IoU" not in found.stdout
    assert "the sum over detections of" in found.stdout


def test_an_empty_line_of_one_column_is_a_missing_value(ranked):
    assert run("detect", "--ranked", ranked, "--truths", "3").exit_code == 0  # one at the end is none
    ranked.write_text("correct\n1\n\n0\n", encoding="utf-8")
    found = run("detect", "--ranked", ranked, "--truths", "3")
    assert (found.exit_code, "in row 2, which is neither right nor wrong" in found.stderr) == (2, True)


def test_a_level_close_to_one_is_not_called_100_percent():
    assert "99.9999999% CI" in run("evaluate", "--wrong", "1", "--of", "30", "--level", "0.999999999").stdout


@pytest.mark.parametrize(
    ("boxes", "words"),
    [
        (np.ma.array([[0, 0, 1, 1]], mask=[[0, 0, 1, 0]]), "masked cells"),
        (np.array([[1, 2, 3, 4]], dtype="M8[D]"), "not a number"),
        ([dt.date(2020, 1, 1)] * 4, "not a number"),
        ([0, 0, 1j, 1], "not a number"),
        (["0", "0", "1", "1"], "not a number"),
        (None, "not a number"),
        (3, "the shape of a single value"),
    ],
)
def test_what_is_no_box_is_refused(boxes, words):
    with pytest.raises(heldout.DataError, match=words):
        heldout.box_iou(boxes, [[0, 0, 1, 1]])


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({5, 1, 2}, "no order of counts"),
        ("512", "no order of counts"),
        (("5", "1", "2"), "not a number"),
        ((10**400, 1, 2), "beyond 1e308"),
        ((5, 1), "three or four counts"),
    ],
)
def test_what_are_no_counts_of_a_class_is_refused(counts, words):
    with pytest.raises(heldout.DataError, match=words):
        heldout.evaluate_class_counts({"a": counts, "b": (1, 2, 3)})


def test_a_metric_of_your_own_that_is_equal_does_not_make_predictions_identical():
    truth = np.arange(40) % 2
    try:
        heldout.define("always_one", lambda t, p: np.ones(len(t)))
        models = {"a": truth, "b": 1 - truth}
        found = heldout.compare(truth, models, metrics="always_one")
    finally:
        METRICS.pop("always_one", None)
    assert "identical predictions" not in " ".join(found["always_one"].notes)
    assert "is the same for both models in every row" in " ".join(found["always_one"].notes)


def test_a_metric_that_gives_nan_has_a_remedy():
    try:
        heldout.define("gap", lambda t, p: np.full(len(t), np.nan))
        with pytest.raises(heldout.DataError, match="gave nan in row 1") as caught:
            heldout.evaluate([0, 1] * 20, [0, 1] * 20, metrics="gap")
    finally:
        METRICS.pop("gap", None)
    assert caught.value.fix
