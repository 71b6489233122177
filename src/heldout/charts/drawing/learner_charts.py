"""Values against training size, folds, the number of folds, and the number of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from heldout.charts.drawing.marks import (
    Axis,
    Drawing,
    across,
    dashed,
    filled,
    layered,
    named_by,
    numbered,
    rows,
    stroked,
    tooltips,
)
from heldout.charts.more_data import MoreData

if TYPE_CHECKING:  # a chart of rows loads neither boxes nor learners
    from heldout.charts.detection_figures import OverlapSteps
    from heldout.charts.learner_figures import FoldChoice, FoldValues, LearningCurve

OVERLAP_HEIGHT = 260


def overlap_layers(figure: OverlapSteps) -> Drawing:
    """One line per detector over its band, a point at every threshold."""
    columns, models = figure.parts["steps"], list(figure.steps)
    many = len(models) > 1
    x = alt.X("iou:Q", **across("IoU threshold of a match", min(columns["iou"]), max(columns["iou"])))
    y = across("average precision")
    stroke, pattern, fill = stroked(len(models), legend=many), dashed(len(models), legend=many), filled(len(models))
    says = tooltips({"IoU": "iou", "AP": "value", "from": "low", "to": "high"})
    band = alt.Chart().mark_area(style="point-band")
    layers = [
        band.encode(x, alt.Y("low:Q", **y), alt.Y2("high:Q"), fill),
        alt.Chart().mark_line().encode(x, alt.Y("value:Q", **y), stroke, pattern),
        alt.Chart().mark_point(style="place", size=50).encode(x, alt.Y("value:Q", **y), fill, tooltip=says),
    ]
    data = rows(numbered(columns, "model", models))
    return layered(*layers, data=data, height=OVERLAP_HEIGHT, params=[named_by(models)])


HEIGHT = 300
WHOLE: Axis = {"format": "~s"}
"""Numbers of rows: 2k."""


def learning_layers(figure: LearningCurve) -> Drawing:
    """A line per learner over its band; thin, what it scores on its training rows."""
    learners = list(figure.learners)
    x = _rows_axis("training rows")
    y = across(figure.metric)
    says = tooltips({"training rows": "rows", "value": "value", "from": "low", "to": "high", "training": "training"})
    stroke, pattern = stroked(len(learners), legend=len(learners) > 1), dashed(len(learners), legend=len(learners) > 1)
    band = alt.Chart().mark_area(style="whole-band").encode(x, alt.Y("low:Q", **y), alt.Y2("high:Q"))
    fill, value = filled(len(learners)), alt.Y("value:Q", **y)
    dots = alt.Chart().mark_point(style="place", size=50).encode(x, value, fill, tooltip=says)
    layers = [band.encode(fill), alt.Chart().mark_line().encode(x, value, stroke, pattern), dots]
    if figure.trained:
        layers.append(alt.Chart().mark_line(style="through").encode(x, alt.Y("training:Q", **y), stroke, pattern))
    data = rows(numbered(figure.parts["curve"], "learner", learners))
    return layered(*layers, data=data, height=HEIGHT, params=[named_by(learners)])


def fold_choice_layers(figure: FoldChoice) -> Drawing:
    """The estimate by K with its interval; where truth is known, bias, spread and error."""
    columns = figure.parts["folds"]
    table = {"line": list(range(len(figure.folds))), **{name: columns[name] for name in columns if name != "folds"}}
    axis = alt.Axis(title="folds (K)", labelExpr="lines[datum.value]", labelAngle=0, grid=False)
    x = alt.X("line:O", axis=axis, scale=alt.Scale(padding=0.5))
    named = named_by(figure.names, "lines")
    if figure.known:
        kinds = ["bias", "spread", "error"]
        size = len(figure.folds)
        long = {
            "kind": [kind for kind in kinds for _ in range(size)],
            "line": table["line"] * len(kinds),
            "y": [value for kind in kinds for value in table[kind]],
        }
        y = alt.Y("y:Q", scale=alt.Scale(zero=True), axis=alt.Axis(title=f"error of the estimated {figure.metric}"))
        stroke, pattern, fill = stroked(3, legend=True), dashed(3, legend=True), filled(3)
        zero = alt.Chart(rows({"y": [0]})).mark_rule(style="zero").encode(alt.Y("y:Q"))
        line = alt.Chart(rows(numbered(long, "kind", kinds))).mark_line().encode(x, y, stroke, pattern)
        dots = alt.Chart(rows(numbered(long, "kind", kinds, "g"))).mark_point(style="place", size=50)
        dots = dots.encode(x, y, fill, tooltip=tooltips({"value": "y"}))
        words = ["bias", "spread (standard deviation)", "error (both)"]
        return layered(zero, line, dots, height=HEIGHT, params=[named, named_by(words)])
    y_ = across(figure.metric)
    says = tooltips({"value": "value", "from": "low", "to": "high"})
    data = alt.Chart(rows(table)).encode(x)
    layers = [
        data.mark_rule(style="interval").encode(alt.Y("low:Q", **y_), alt.Y2("high:Q")),
        data.mark_point(style="value", size=60).encode(alt.Y("value:Q", **y_), tooltip=says),
    ]
    if figure.truth is not None:
        truth = alt.Chart(rows({"value": [figure.truth]})).mark_rule(style="reference")
        layers.insert(0, truth.encode(alt.Y("value:Q", **y_)))
    return layered(*layers, height=HEIGHT, params=[named])


def fold_value_layers(figure: FoldValues) -> Drawing:
    """A line per learner: dots for folds, and the mean with its interval above them."""
    learners, x = list(figure.learners), across(figure.metric)
    axis = alt.Axis(title=None, labelExpr="lines[datum.value]", grid=False, ticks=False, domain=False, labelPadding=8)
    y = alt.Y("line:O", axis=axis, scale=alt.Scale(paddingInner=0.1, paddingOuter=0.3))
    place = {name: at for at, name in enumerate(learners)}
    folds, means = dict(figure.parts["folds"]), dict(figure.parts["means"])
    for table in (folds, means):
        table["line"] = [place[name] for name in table.pop("learner")]
    dots = alt.Chart(rows(folds)).mark_point(style="dot", size=26, yOffset=12)
    says = tooltips({"value": "value", "repetition": "repetition", "fold": "fold"})
    mean = alt.Chart(rows(means)).encode(y)
    told = tooltips({"mean": "value", "from": "low", "to": "high"})
    layers = [
        dots.encode(y, alt.X("value:Q", **x), tooltip=says),
        mean.mark_rule(style="strong-thick", yOffset=-4).encode(alt.X("low:Q", **x), alt.X2("high:Q")),
        mean.mark_point(style="strong-place", size=60, yOffset=-4).encode(alt.X("value:Q", **x), tooltip=told),
    ]
    return layered(*layers, height=max(56 * len(learners), 70), params=[named_by(learners, "lines")])


def more_data_layers(figure: MoreData) -> Drawing:
    """The interval as a funnel over the number of units, and where one stands."""
    columns = figure.parts["widths"]
    what = figure.metric if figure.pair is None else f"difference of {figure.metric}"
    x, y = _rows_axis(f"{figure.unit}s", "units", figure.sizes), across(what)
    band = alt.Chart().mark_area(style=["whole-band", "first"])
    now = alt.Chart(rows({"units": [figure.units]})).mark_rule(style="reference").encode(x)
    layers = [
        band.encode(x, alt.Y("low:Q", **y), alt.Y2("high:Q")),
        alt.Chart().mark_line(style="edge").encode(x, alt.Y("low:Q", **y)),
        alt.Chart().mark_line(style="edge").encode(x, alt.Y("high:Q", **y)),
        alt.Chart().mark_line(style="edge", strokeWidth=2).encode(x, alt.Y("value:Q", **y)),
    ]
    drawn = [layered(*layers, data=rows(columns)), now]
    if figure.pair is not None:
        drawn.insert(0, alt.Chart(rows({"low": [0]})).mark_rule(style="zero").encode(alt.Y("low:Q", **y)))
    if figure.needed and figure.needed <= figure.sizes[-1]:
        settled = alt.Chart(rows({"units": [figure.needed]})).mark_rule(style="settled")
        drawn.append(settled.encode(x))
    return layered(*drawn, height=260)


def _rows_axis(title: str, field: str = "rows", sizes: Any = None) -> Any:
    """Numbers of rows on a log scale."""
    limits: Axis = {} if sizes is None else {"domain": [int(sizes[0]), int(sizes[-1])]}
    axis = alt.Axis(title=f"{title} (log scale)", **WHOLE)
    return alt.X(f"{field}:Q", scale=alt.Scale(type="log", nice=False, **limits), axis=axis)
