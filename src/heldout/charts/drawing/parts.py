"""The parts of an expected loss as bars."""

from __future__ import annotations

import altair as alt

from heldout.charts.bias_variance import LossParts
from heldout.charts.drawing.marks import Drawing, across, layered, named_by, rows, tooltips


def bias_variance_layers(figure: LossParts) -> Drawing:
    """A bar per part, with two Monte-Carlo errors; decompositions one below the other."""
    columns = figure.parts["parts"]
    several = len(figure.decompositions) > 1
    names = [
        f"{name}: {part}" if several else part
        for name, part in zip(columns["decomposition"], columns["part"], strict=True)
    ]
    table = {"line": list(range(len(names))), "whole": [part == "whole" for part in columns["part"]]}
    table |= {name: columns[name] for name in ("value", "low", "high", "error")}
    axis = alt.Axis(title=None, labelExpr="lines[datum.value]", grid=False, ticks=False, domain=False, labelPadding=8)
    y, x = alt.Y("line:O", axis=axis), across(f"part of the {figure.loss} loss")
    x["scale"] = alt.Scale(zero=True)
    says = tooltips({"value": "value", "Monte-Carlo error": "error"})
    bars = alt.Chart().encode(y)
    layers = [
        bars.transform_filter("!datum.whole")
        .mark_bar(style="part", size=18)
        .encode(alt.X("value:Q", **x), tooltip=says),
        bars.transform_filter("datum.whole")
        .mark_bar(style="whole", size=18)
        .encode(alt.X("value:Q", **x), tooltip=says),
        bars.mark_rule(style="link").encode(alt.X("low:Q", **x), alt.X2("high:Q")),
    ]
    return layered(*layers, data=rows(table), height=34 * len(names), params=[named_by(names, "lines")])
