"""Rows B1, C6 and D2 of what the system must do, as far as they ask for pictures."""

from __future__ import annotations

import json

import numpy as np
import pytest
import vl_convert

import heldout
from heldout.charts import spec

TRUTH = np.repeat([1, 0], [8, 4])
PREDICTION = np.concatenate([np.repeat([1, 0], [6, 2]), np.repeat([1, 0], [1, 3])])


def cells(node):
    """Every rectangle of a drawing: its colour, its place and its size."""
    if node.get("marktype") == "rect" and node.get("role") == "mark":
        yield from node["items"]
    for one in node.get("items", []):
        yield from cells(one)


def brightness(colour):
    red, green, blue = (int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(","))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_B1_confusion_matrix_as_a_coloured_table():
    figure = heldout.evaluate(TRUTH, PREDICTION).plot.confusion().figure
    assert figure.counts.tolist() == [[3, 1], [2, 6]]  # TN 3 FP 1, FN 2 TP 6
    assert figure.rates.tolist() == [[0.75, 0.25], [0.25, 0.75]]
    drawn = list(cells(vl_convert.vegalite_to_scenegraph(spec(figure, width=300))["scenegraph"]))
    assert len(drawn) == 4
    shade = {(round(one["y"]) > 50, round(one["x"]) > 50): brightness(one["fill"]) for one in drawn}
    assert shade[False, False] == shade[True, True] < shade[False, True] == shade[True, False]
    text = vl_convert.vegalite_to_svg(json.dumps(spec(figure, width=300)))
    assert [f">{share}<" in text for share in ("75.0%", "25.0%")] == [True, True]


def test_B1_several_classes_and_the_pairs_most_often_confused():
    truth = ["cat"] * 10 + ["dog"] * 10 + ["fox"] * 10 + ["owl"] * 10
    said = ["cat"] * 10 + ["dog"] * 4 + ["fox"] * 6 + ["fox"] * 9 + ["cat"] + ["owl"] * 10
    figure = heldout.evaluate(truth, said).plot.confusion().figure
    assert figure.labels == ("cat", "dog", "fox", "owl")
    assert figure.rates[1].tolist() == [0, 0.4, 0.6, 0]
    assert figure.alt == (
        "Confusion matrix of 4 classes (cat, dog, fox, owl). "
        "Most often confused: dog called fox 6 times; fox called cat 1 time."
    )


def test_C6_several_methods_in_one_plot():
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1], 200)
    scores = {name: rng.normal(size=400) + gain * truth for name, gain in (("a", 0.5), ("b", 1.0), ("c", 2.0))}
    found = heldout.compare(truth, scores, primary="roc_auc")
    figure = found.plot.roc().figure
    assert list(figure.curves) == ["a", "b", "c"]
    for name, curve in figure.curves.items():
        x, y = curve.points["fpr"], curve.points["tpr"]
        area = float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))
        assert area == pytest.approx(found.estimates[name]["roc_auc"].value, abs=0.0005)
    text = vl_convert.vegalite_to_svg(json.dumps(spec(figure, width=400)))
    for name in scores:
        assert f">{name}: area {found.estimates[name]['roc_auc']}<" in text
    assert set(found.plot()) >= {"precision_recall", "gain", "lift", "cost"}


def test_D2_residual_plots():
    rng = np.random.default_rng(2)
    prediction = rng.normal(10, 3, 500)
    truth = prediction + rng.normal(0, 1, 500) + 0.2 * (prediction - 10) ** 2  # a bend that the model missed
    plot = heldout.evaluate(truth, prediction).plot
    rows = plot.predicted().data
    assert np.array_equal(rows["x"], prediction)
    assert np.array_equal(rows["y"], truth)
    bins = plot.residuals().data
    assert bins["band_low"].iloc[0] > 0  # too low at both ends, and surely so
    assert bins["band_low"].iloc[-1] > 0
    assert bins["mean"].iloc[4] < bins["mean"].iloc[0]
    quantiles = plot.quantiles()
    assert quantiles.figure.outside > 0.1  # such errors are not normal
    straight = heldout.evaluate(prediction + rng.normal(0, 1, 500), prediction).plot.quantiles()
    assert straight.figure.outside == 0
