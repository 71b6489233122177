"""Histograms over the segments of texts."""

from __future__ import annotations

import altair as alt

from heldout.charts.drawing.marks import Axis, Drawing, across, layered, rows, tooltips
from heldout.charts.segment_values import SegmentValues

HEIGHT = 220


def segment_value_layers(figure: SegmentValues) -> Drawing:
    """One bar per bin; of differences, a line at zero."""
    what = figure.metric if figure.pair is None else f"difference of {figure.metric}"
    low, high = float(figure.edges[0]), float(figure.edges[-1])
    x = across(f"{what} of the segment", low, high)
    y: Axis = {"scale": alt.Scale(zero=True), "axis": alt.Axis(title="segments", tickMinStep=1)}
    says = tooltips({"from": "left", "to": "right", "segments": "segments"})
    bars = alt.Chart(rows(figure.parts["spread"])).mark_rect(style="part")
    layers = [
        bars.encode(alt.X("left:Q", **x), alt.X2("right:Q"), alt.Y("segments:Q", **y), alt.Y2Datum(0), tooltip=says)
    ]
    if figure.pair is not None:
        layers.append(alt.Chart(rows({"left": [0]})).mark_rule(style="zero").encode(alt.X("left:Q", **x)))
    return layered(*layers, height=HEIGHT)
