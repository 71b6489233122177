"""Metrics, differences and segments."""

from __future__ import annotations

import pytest

from heldout.charts.axis_scales import scaled
from heldout.charts.difference_forest import difference_forest
from heldout.charts.metric_forest import metric_forest
from heldout.charts.subgroup_forest import class_forest, difference_segments, segment_forest
from heldout.errors import UsageError


def test_the_metrics_are_the_printed_ones_with_the_constant_beside(evaluation):
    figure, d = metric_forest(evaluation.to_dict()), evaluation.to_dict()
    frame = figure.data.set_index("metric")
    printed = [name for name, one in d["estimates"].items() if one["printed"] and one["value"] is not None]
    assert list(frame.index) == printed
    for end in ("value", "low", "high"):
        assert frame.loc["roc_auc", end] == d["estimates"]["roc_auc"][end]
    assert frame.loc["roc_auc", "constant"] == 0.5
    assert figure.caption == (
        "Point: value; line: 95% interval of each metric alone. Grey tick: a constant prediction (always 0)."
    )


def test_metrics_by_name_even_where_they_are_not_printed(evaluation):
    assert metric_forest(evaluation.to_dict(), ["eer"]).metrics == ("eer",)


def test_no_metric_to_draw(evaluation):
    with pytest.raises(UsageError) as caught:
        metric_forest(evaluation.to_dict(), ["nothing"])
    assert str(caught.value) == "there is no value to draw: none of the metrics is defined here"


def test_only_metrics_of_one_scale_share_an_axis():
    assert scaled(["log_loss", "roc_auc", "rmse", "mae", "mcc", "mine"]) == {
        "share": [1, 4],
        "unit of the target": [2, 3],
        "log_loss": [0],
        "mine": [5],
    }


def test_differences_start_with_the_metric_that_decides(comparison):
    d = comparison.to_dict()
    figure = difference_forest(d)
    first = figure.data.iloc[0]
    assert (first["metric"], first["margin"]) == ("roc_auc", 0.01)
    assert (first["value"], first["low"]) == (comparison["roc_auc"].value, comparison["roc_auc"].low)
    assert figure.margins
    assert set(figure.data["metric"]) == {one["metric"] for one in d["differences"] if one["printed"]}


def test_words_of_differences():
    one = {"metric": "recall", "a": "new", "b": "old", "value": 0.1, "low": 0.02, "high": 0.18, "verdict": "BETTER"}
    figure = difference_forest({"differences": [one | {"printed": True}], "level": 0.9, "primary": "recall"})
    assert figure.title == "new less old"
    assert figure.alt == "new less old, with 90% intervals. recall 0.100 [0.020, 0.180], BETTER."
    assert figure.caption == (
        "Line: 90% interval of the difference. Filled: established; hollow, marked ~: not. recall decides."
    )


def test_no_difference_to_draw():
    with pytest.raises(UsageError) as caught:
        difference_forest({"differences": [], "level": 0.95})
    assert str(caught.value) == "there is no difference to draw: none of the metrics has a test here"


def test_segments_have_the_intervals_that_hold_together(evaluation):
    d = evaluation.to_dict()
    figure = segment_forest(d, metric="recall")
    shown = d["segments"]["site"]["shown"]
    assert list(figure.shown) == list(shown)
    assert figure.shown["north"]["low"] == shown["north"]["estimates"]["recall"]["low"]
    assert figure.shown["north"]["rows"] == shown["north"]["rows"]
    assert figure.overall["value"] == d["estimates"]["recall"]["value"]
    assert figure.p == d["segments"]["site"]["heterogeneity"]["recall"]["p_adjusted"]
    assert figure.title == "recall by site"


def test_differences_by_segment(comparison):
    d = comparison.to_dict()
    figure = difference_segments(d)
    table = d["segments"]["site"][0]
    assert figure.pair == (table["a"], table["b"])
    assert figure.shown["south"]["high"] == table["shown"]["south"]["differences"]["roc_auc"]["high"]


def test_class_by_class(multiclass):
    figure = class_forest(multiclass.to_dict(), "precision")
    assert figure.kind == "classes"
    assert figure.shown["a"]["value"] == multiclass.classes["a"]["precision"].value
    assert figure.caption == "95% intervals that hold for each alone."


def test_a_name_that_is_not_there(evaluation):
    with pytest.raises(UsageError) as caught:
        segment_forest(evaluation.to_dict(), column="sight")
    assert (
        str(caught.value) == "no column of segments is named 'sight'; did you mean 'site'?\n  Fix: choose one of site"
    )
    with pytest.raises(UsageError) as caught:
        class_forest({"classes": {}, "task": "multiclass", "level": 0.95})
    assert str(caught.value) == "there are no classes to show one by one"
