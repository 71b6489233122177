"""Average precision by overlap."""

from __future__ import annotations

import altair as alt

from heldout.charts.drawing.marks import (
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
from heldout.charts.overlap_steps import OverlapSteps

HEIGHT = 260


def overlap_layers(figure: OverlapSteps) -> Drawing:
    """One line per detector over its band, a point at every threshold."""
    columns, models = figure.parts["steps"], list(figure.steps)
    many = len(models) > 1
    x = alt.X("iou:Q", **across("IoU from which on objects are found", min(columns["iou"]), max(columns["iou"])))
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
    return layered(*layers, data=data, height=HEIGHT, params=[named_by(models)])
