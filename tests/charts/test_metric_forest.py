"""Metrics of one model."""

from __future__ import annotations

import pytest

from heldout.charts.metric_forest import metric_forest
from heldout.charts.subgroup_forest import class_forest, segment_forest
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
        "Point: value; line: 95% interval of each metric alone. Grey tick: a dummy model "
        "(always predicts 0; probabilities: the share of positives)."
    )


def test_metrics_by_name_even_where_they_are_not_printed(evaluation):
    assert metric_forest(evaluation.to_dict(), ["eer"]).metrics == ("eer",)


def test_no_metric_to_draw(evaluation):
    with pytest.raises(UsageError) as caught:
        metric_forest(evaluation.to_dict(), ["nothing"])
    assert (
        str(caught.value) == "there is no value to draw: none of the metrics is defined here\n"
        "  Fix: name metrics that have a value, or leave out the chart"
    )


def test_a_name_that_is_not_there(evaluation):
    with pytest.raises(UsageError) as caught:
        segment_forest(evaluation.to_dict(), column="sight")
    assert (
        str(caught.value) == "no column of segments is named 'sight'; did you mean 'site'?\n  Fix: choose one of site"
    )
    with pytest.raises(UsageError) as caught:
        class_forest({"classes": {}, "task": "multiclass", "level": 0.95})
    assert (
        str(caught.value) == "there are no classes to show one by one\n"
        "  Fix: leave out the chart, or give predictions of several classes"
    )
