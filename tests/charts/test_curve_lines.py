"""Curves of one and of several models."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve, roc_curve

from heldout.charts.curve_lines import curve_lines
from heldout.curves import roc
from heldout.errors import UsageError

TRUTH, SCORE = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]


def test_the_roc_curve_is_that_of_scikit_learn(binary, evaluation):
    truth, score, *_ = binary
    points = evaluation.plot.figure("roc").curves["model"].points
    fpr, tpr, _ = roc_curve(truth, score, drop_intermediate=False)
    np.testing.assert_allclose(np.interp(fpr, points["fpr"], points["tpr"]).max(), tpr.max())
    kept = np.isin(np.round(fpr * 1e9), np.round(points["fpr"] * 1e9))
    assert kept.sum() > 100
    assert set(zip(points["fpr"].round(9), points["tpr"].round(9), strict=True)) <= set(
        zip(fpr.round(9), tpr.round(9), strict=True)
    )


def test_points_of_precision_and_recall_are_those_of_scikit_learn(binary, evaluation):
    truth, score, *_ = binary
    points = evaluation.plot.figure("precision_recall").curves["model"].points
    precision, recall, _ = precision_recall_curve(truth, score)
    theirs = set(zip(recall.round(9), precision.round(9), strict=True))
    assert set(zip(points["recall"].round(9), points["precision"].round(9), strict=True)) <= theirs


def test_the_dot_is_where_the_threshold_in_use_puts_the_model(evaluation):
    figures = evaluation.plot.figures()
    fpr, recall, precision = (evaluation[name].value for name in ("fpr", "recall", "precision"))
    assert figures["roc"].operating["model"] == pytest.approx((0.5, fpr, recall), abs=1e-12)
    assert figures["precision_recall"].operating["model"] == pytest.approx((0.5, recall, precision), abs=1e-12)


def test_a_threshold_above_all_scores_is_at_the_start():
    figure = curve_lines("roc", {"model": roc(TRUTH, SCORE)}, thresholds={"model": 2.0})
    assert figure.operating["model"] == (2.0, 0.0, 0.0)


def test_bands_hold_the_curve_and_the_wider_holds_the_narrower(figures):
    band = figures["roc, evaluation"].parts["band"]
    assert np.all(band["band_low"] <= band["low"])
    assert np.all(band["low"] <= band["y"])
    assert np.all(band["y"] <= band["high"])
    assert np.all(band["high"] <= band["band_high"])


def test_words_come_from_the_numbers():
    area = {"value": 0.75, "low": 0.3, "high": 0.95}
    figure = curve_lines("roc", {"tree": roc(TRUTH, SCORE)}, areas={"tree": area}, thresholds={"tree": 0.5})
    assert figure.title == "ROC curve"
    assert figure.alt == (
        "ROC curve: recall against false positive rate. tree: area 0.750 [0.300, 0.950]. "
        "tree: recall 0.50 at false positive rate 0.1, 0.50 at 0.2, 1.00 at 0.5."
    )
    assert figure.caption == (
        "Band: 95% for the whole curve at once, inner band: 95% at each place alone. Dashed: guessing. "
        "Dot: the threshold 0.5."
    )


def test_several_models_are_told_apart_by_name():
    both = {"old": roc(TRUTH, SCORE), "new": roc(TRUTH, [0.1, 0.2, 0.7, 0.8])}
    figure = curve_lines("roc", both, areas={"new": {"value": 1.0, "low": 0.6, "high": 1.0}})
    assert figure.names == {"old": "old", "new": "new: area 1.000 [0.600, 1.000]"}
    assert figure.caption == "Band: 95% for the whole curve at once. Dashed: guessing."
    assert set(figure.parts["points"]["model"]) == {"old", "new"}


def test_bands_of_many_models_are_in_the_table_only():
    many = {f"m{at}": roc(TRUTH, SCORE) for at in range(5)}
    figure = curve_lines("roc", many)
    assert not figure.banded
    assert figure.caption == ("Bands of so many curves would overlap: they are in the table only. Dashed: guessing.")
    assert len(figure.parts["band"]["x"]) == 5 * 101


def test_frames_of_every_kind(figures):
    figure = figures["roc, comparison"]
    assert list(figure.data.columns) == ["model", "threshold", "x", "y"]
    assert figure.to_frame("band", "polars").columns[:4] == ["model", "x", "y", "low"]
    assert figure.to_frame("points", "pyarrow").num_rows == len(figure.data)


def test_a_part_that_is_not_there():
    with pytest.raises(UsageError) as caught:
        curve_lines("roc", {"model": roc(TRUTH, SCORE)}).to_frame("bend")
    assert str(caught.value) == (
        "the roc chart has no part 'bend'; did you mean 'band'?\n  Fix: choose one of points, band"
    )


def test_a_curve_that_is_not_there():
    with pytest.raises(UsageError) as caught:
        curve_lines("rok", {})
    assert str(caught.value) == (
        "no chart of curves is named 'rok'; did you mean 'roc'?\n"
        "  Fix: choose one of roc, precision_recall, gain, lift, cost"
    )
