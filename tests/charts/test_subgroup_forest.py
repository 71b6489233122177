"""Segments and classes."""

from __future__ import annotations

from heldout.charts.subgroup_forest import class_forest, difference_segments, segment_forest


def test_segments_have_the_intervals_that_hold_together(evaluation):
    d = evaluation.to_dict()
    figure = segment_forest(d, metric="recall")
    shown = d["segments"]["site"]["shown"]
    assert list(figure.shown) == list(shown)
    assert figure.shown["north"]["low"] == shown["north"]["estimates"]["recall"]["low"]
    assert figure.shown["north"]["rows"] == shown["north"]["rows"]
    assert figure.overall["value"] == d["estimates"]["recall"]["value"]
    assert figure.pvalue == d["segments"]["site"]["heterogeneity"]["recall"]["pvalue_adjusted"]
    assert figure.title == "recall by site"


def test_differences_by_segment(comparison):
    d = comparison.to_dict()
    figure = difference_segments(d)
    table = d["segments"]["site"][0]
    assert figure.pair == (table["model"], table["baseline"])
    assert figure.shown["south"]["high"] == table["shown"]["south"]["differences"]["roc_auc"]["high"]


def test_class_by_class(multiclass):
    figure = class_forest(multiclass.to_dict(), "precision")
    assert figure.kind == "classes"
    assert figure.shown["a"]["value"] == multiclass.classes["a"]["precision"].value
    assert figure.caption == "95% intervals that hold for each alone."
