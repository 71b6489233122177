"""Which charts texts can give."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from heldout.charts.difference_forest import difference_forest
from heldout.charts.figure import Figure
from heldout.charts.metric_forest import metric_forest
from heldout.charts.more_data import more_data, more_data_apart
from heldout.charts.plot import Plot
from heldout.charts.text_segment_values import segment_values

if TYPE_CHECKING:
    from heldout.verbs.text.text_evaluation import TextEvaluation

Views = dict[str, Callable[..., Figure]]


def text_plot(result: TextEvaluation) -> Plot:
    """The charts of one or several systems on the same segments."""
    d, base = result.to_dict(), result.baseline
    views: Views = {"metrics": partial(metric_forest, d)}
    if any(one["low"] is not None for one in d["differences"]):
        views |= {"differences": partial(difference_forest, d), "more_data": partial(more_data_apart, d)}
    elif len(result.systems) == 1:
        whole = {**d, "estimates": d["estimates"][base]}
        views["more_data"] = partial(more_data, whole, metric=result.segment_metric)
    return Plot(views=views | _by_segment(result))


def _by_segment(result: TextEvaluation) -> Views:
    """Of one system the values of its segments; of several, the differences from the baseline, a chart for each."""
    name, values, base = result.segment_metric, result.segment_values, result.baseline
    if not values:
        return {}
    better = result.estimates[base][name].better
    if len(values) == 1:
        return {"segment_values": partial(segment_values, name, values[base], better=better)}
    others = [one for one in values if one != base]
    return {
        f"segment_values:{one}" if at else "segment_values": partial(
            segment_values, name, values[one] - values[base], better=better, pair=(one, base)
        )
        for at, one in enumerate(others)
    }
