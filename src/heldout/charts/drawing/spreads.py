"""Histograms of scores."""

from __future__ import annotations

import altair as alt

from heldout.charts.drawing.marks import (
    Axis,
    Drawing,
    across,
    filled,
    layered,
    named_by,
    numbered,
    rows,
    stroked,
    tooltips,
)
from heldout.charts.score_spread import ScoreSpread


def score_layers(figure: ScoreSpread) -> Drawing:
    """One histogram per class, over each other."""
    classes = list(figure.shares)
    low, high = float(figure.edges[0]), float(figure.edges[-1])
    x = across("score", low, high)
    y: Axis = {"scale": alt.Scale(zero=True), "axis": alt.Axis(title="share of the class", format="~%")}
    data = rows(numbered(figure.parts["spread"], "class", classes))
    says = tooltips({"from": "left", "to": "right", "share of the class": "share"})
    bars = alt.Chart().mark_rect(style="histogram").encode(alt.X("left:Q", **x), alt.X2("right:Q"))
    step = alt.Chart().mark_line(interpolate="step-after", strokeWidth=1.6)
    layers = [
        bars.encode(alt.Y("share:Q", **y), alt.Y2Datum(0), filled(len(classes)), tooltip=says),
        step.encode(alt.X("left:Q", **x), alt.Y("share:Q", **y), stroked(len(classes), legend=True)),
    ]
    drawn = [layered(*layers, data=data)]
    if figure.threshold is not None and low <= figure.threshold <= high:
        line = alt.Chart(rows({"left": [figure.threshold]})).mark_rule(style="reference")
        drawn.append(line.encode(alt.X("left:Q", **x)))
    return layered(*drawn, height=240, params=[named_by(classes)])
