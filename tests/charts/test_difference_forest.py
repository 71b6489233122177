"""Differences of two models."""

from __future__ import annotations

import pytest

from heldout.charts.difference_forest import difference_forest, pair_forest
from heldout.errors import UsageError


def test_differences_start_with_the_metric_that_decides(comparison):
    d = comparison.to_dict()
    figure = difference_forest(d)
    first = figure.data.iloc[0]
    assert (first["metric"], first["margin"]) == ("roc_auc", 0.01)
    assert (first["value"], first["low"]) == (comparison["roc_auc"].value, comparison["roc_auc"].low)
    assert figure.margins
    assert set(figure.data["metric"]) == {one["metric"] for one in d["differences"] if one["printed"]}


def test_words_of_differences():
    one = {
        "metric": "recall",
        "model": "new",
        "baseline": "old",
        "value": 0.1,
        "low": 0.02,
        "high": 0.18,
        "verdict": "BETTER",
    }
    figure = difference_forest({"differences": [one | {"printed": True}], "level": 0.9, "primary": "recall"})
    assert figure.title == "new minus old"
    assert figure.alt == "new minus old, with 90% intervals. recall 0.100 [0.020, 0.180], BETTER."
    assert figure.caption == (
        "Line: 90% interval of the difference. Filled: decided; hollow, marked ~: undecided. recall decides."
    )


def test_no_difference_to_draw():
    with pytest.raises(UsageError) as caught:
        difference_forest({"differences": [], "level": 0.95})
    assert (
        str(caught.value) == "there is no difference to draw: none of the metrics has a test here\n"
        "  Fix: name metrics that are tested, or leave out the chart"
    )


def test_pairs_of_learners_are_named(ranking):
    figure = pair_forest(ranking.to_dict())
    assert figure.title == "Differences"
    assert figure.names == [f"{pair.a} − {pair.b}" for pair in ranking.pairs]
    assert list(figure.data["value"]) == [pair.value for pair in ranking.pairs]
