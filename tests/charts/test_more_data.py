"""What more rows would bring."""

from __future__ import annotations

import pytest

import heldout
from heldout.charts.more_data import more_data, more_data_apart
from heldout.errors import UsageError


def test_more_rows_shrink_the_arms_as_one_over_the_root(evaluation):
    figure = more_data(evaluation.to_dict(), "recall")
    now, table = evaluation["recall"], figure.parts["widths"]
    at = list(table["units"]).index(600)
    assert (table["low"][at], table["high"][at]) == pytest.approx((now.low, now.high))
    four = list(table["units"]).index(2400)
    assert table["half_width"][four] == pytest.approx((now.high - now.low) / 4)
    assert now.value - table["low"][four] == pytest.approx((now.value - now.low) / 2)


def test_more_rows_for_a_difference(comparison):
    figure = more_data_apart(comparison.to_dict())
    assert figure.metric == "roc_auc"
    assert figure.pair == (comparison["roc_auc"].model, comparison["roc_auc"].baseline)
    assert figure.needed == comparison["roc_auc"].rows_needed


def test_what_is_counted_is_what_is_sampled(evaluation, of_images_and_texts):
    units = {"detector": "image", "detectors": "image", "texts": "segment"}
    figures = {name: of_images_and_texts[name].figures()["more_data"] for name in units}
    assert {name: figure.unit for name, figure in figures.items()} == units
    assert figures["detector"].title.startswith("Confidence interval with more images: AP")
    assert more_data(evaluation.to_dict()).unit == "row"
    clusters = heldout.evaluate([0, 1] * 20, [0, 1, 1, 0] * 10, groups=[at // 4 for at in range(40)])
    assert more_data(clusters.to_dict()).caption.startswith("95% interval at other numbers of clusters")


def test_an_interval_that_is_not_there(evaluation):
    with pytest.raises(UsageError) as caught:
        more_data(evaluation.to_dict() | {"estimates": {}})
    assert (
        str(caught.value) == "there is no interval that more rows would narrow\n"
        "  Fix: leave out the chart: no metric here has an interval of rows"
    )
    with pytest.raises(UsageError, match=r"^no interval is named 'recal'; did you mean 'recall'\?"):
        more_data(evaluation.to_dict(), "recal")


def test_the_interval_of_a_share_stays_between_zero_and_one():
    estimate = {"value": 0.05, "low": 0.01, "high": 0.3, "units": 40, "printed": True}
    d = {"estimates": {"AP": estimate}, "level": 0.95, "unit": "image"}
    widths = more_data(d).parts["widths"]
    assert widths["low"].min() >= 0
    assert widths["high"].max() <= 1
