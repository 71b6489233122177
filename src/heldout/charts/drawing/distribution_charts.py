"""Errors of predicted numbers."""

from __future__ import annotations

from typing import Any

import altair as alt

from heldout.charts.confusion_matrix import ConfusionMatrix
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
from heldout.charts.drawing.theme import STRONG
from heldout.charts.learner_figures import LossParts
from heldout.charts.residuals import Cloud, PredictedTruth, QuantilePlot, ResidualCloud
from heldout.charts.score_distribution import ScoreSpread
from heldout.charts.text_segment_values import SegmentValues

WORDS = 8
"""Up to so many classes a cell has room for the count and the share."""
COUNTS = 16
"""Up to so many it has room for the count."""


def confusion_layers(figure: ConfusionMatrix) -> Drawing:
    """Cells whose ground is the share of the true class, with counts and shares where there is room."""
    size = len(figure.labels)
    data = rows(
        {
            "t": [at for at in range(size) for _ in range(size)],
            "p": list(range(size)) * size,
            "rows": figure.counts.ravel(),
            "share": figure.rates.ravel(),
            "count": [_amount(count) for count in figure.counts.ravel().tolist()],
        }
    )
    named = "names[datum.value]"
    tilted = (
        {"labelAngle": -40, "labelAlign": "left"}
        if size > 4 or max(map(len, figure.labels)) > 12
        else {"labelAngle": 0}
    )
    x = alt.X("p:O", axis=alt.Axis(title="prediction", orient="top", labelExpr=named, **_quiet(), **tilted))
    y = alt.Y("t:O", axis=alt.Axis(title="truth", labelExpr=named, **_quiet()))
    ground = alt.Color("share:Q", scale=alt.Scale(domain=[0, 1]), legend=_legend())
    says = tooltips({f"{figure.unit}s": "rows", "share of the true class": "share"})
    layers = [alt.Chart().mark_rect(style="cell").encode(x, y, ground, tooltip=says)]
    if size <= COUNTS:
        layers += [layer for style in ("on-pale", "on-strong") for layer in _text(style, x, y, size)]
    height = size * (92 if size <= 3 else 56 if size <= WORDS else 30 if size <= COUNTS else 18)
    return layered(*layers, data=data, height=height, params=[named_by(figure.labels)])


def _text(style: str, x: Any, y: Any, size: int) -> list[Any]:
    """Counts, and shares below them, on cells of one brightness."""
    pale = f"datum.share === null || datum.share < {STRONG}"
    shown = alt.Chart().transform_filter(pale if style == "on-pale" else f"!({pale})").encode(x, y)
    both = size <= WORDS
    count = shown.mark_text(style=style, dy=-8 if both else 0, fontSize=15 if size <= 3 else 12, fontWeight=600)
    layers = [count.encode(alt.Text("count:N"))]
    if both:
        part = shown.mark_text(style=style, dy=9, fontSize=12 if size <= 3 else 10)
        layers.append(part.encode(alt.Text("share:Q", format=".1%")))
    return layers


def _amount(count: float) -> str:
    return f"{count:,.0f}" if count.is_integer() else f"{count:,.4g}"


def _quiet() -> dict[str, Any]:
    return {"domain": False, "ticks": False, "labelLimit": 130, "labelPadding": 6, "grid": False}


def _legend() -> Any:
    return alt.Legend(title="share of the true class", orient="bottom", format=".0%", gradientLength=180, tickCount=5)


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


SEGMENT_HEIGHT = 220


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
    return layered(*layers, height=SEGMENT_HEIGHT)


HEIGHT = 360


def predicted_layers(figure: PredictedTruth) -> Drawing:
    """The rows, and the line on which truth and prediction agree."""
    low, high = _shared(figure.cloud)
    x, y = across("prediction"), across("truth")
    line = rows({"x": [low, high], "y": [low, high]})
    diagonal = alt.Chart(line).mark_line(style="reference", clip=True).encode(alt.X("x:Q", **x), alt.Y("y:Q", **y))
    return layered(_cloud(figure.cloud, x, y), diagonal, height=HEIGHT)


def residual_layers(figure: ResidualCloud) -> Drawing:
    """The rows, zero, and the mean error in bins."""
    x, y = across("prediction"), across("error: truth minus prediction")
    at = alt.X("prediction:Q", **x)
    says = tooltips({"prediction": "prediction", "mean error": "mean", "from": "low", "to": "high", "rows": "rows"})
    bars = alt.Chart().encode(at)
    means = layered(
        bars.mark_rule(style="strong-fine").encode(alt.Y("band_low:Q", **y), alt.Y2("band_high:Q")),
        bars.mark_rule(style="strong-thick").encode(alt.Y("low:Q", **y), alt.Y2("high:Q")),
        bars.mark_point(style="strong-place", size=60).encode(alt.Y("mean:Q", **y), tooltip=says),
        data=rows(figure.bins),
    )
    zero = alt.Chart(rows({"y": [0]})).mark_rule(style="reference").encode(alt.Y("y:Q", **y))
    return layered(_cloud(figure.cloud, x, y), zero, means, height=HEIGHT)


def quantile_layers(figure: QuantilePlot) -> Drawing:
    """Errors over the bands of normal errors and the line of agreement."""
    x, y = across("quantile of a normal distribution"), across("error, in standard deviations")
    at = alt.X("normal:Q", **x)
    low, high = float(figure.points["normal"][0]), float(figure.points["normal"][-1])
    line = rows({"normal": [low, high], "error": [low, high]})
    layers = []
    if "band_low" in figure.points:
        wide = alt.Chart().mark_area(style=["whole-band", "first"])
        narrow = alt.Chart().mark_area(style=["point-band", "first"])
        layers = [
            wide.encode(at, alt.Y("band_low:Q", **y), alt.Y2("band_high:Q")),
            narrow.encode(at, alt.Y("low:Q", **y), alt.Y2("high:Q")),
        ]
    says = tooltips({"normal": "normal", "error": "error"})
    dots = alt.Chart().mark_point(style="value", size=22).encode(at, alt.Y("error:Q", **y), tooltip=says)
    diagonal = alt.Chart(line).mark_line(style="reference").encode(at, alt.Y("error:Q", **y))
    return layered(layered(*layers, dots, data=rows(figure.points)), diagonal, height=HEIGHT)


def _cloud(found: Cloud, x: dict[str, Any], y: dict[str, Any]) -> Any:
    """Dots, or cells that are the darker the more rows they hold."""
    drawn = alt.Chart(rows(found.columns))
    if not found.binned:
        return drawn.mark_point(style="dot").encode(alt.X("x:Q", **x), alt.Y("y:Q", **y))
    legend = alt.Legend(title="rows", orient="top", gradientLength=160, tickCount=4)
    scale = alt.Scale(type="log", range="heatmap", domainMin=1)
    return drawn.mark_rect(style="grid-cell").encode(
        alt.X("left:Q", **x), alt.X2("right:Q"), alt.Y("bottom:Q", **y), alt.Y2("top:Q"),
        alt.Color("rows:Q", scale=scale, legend=legend), tooltip=tooltips({"rows": "rows"}),
    )  # fmt: skip


def _shared(found: Cloud) -> tuple[float, float]:
    """The numbers that both axes have."""
    sides = (("left", "right"), ("bottom", "top")) if found.binned else (("x", "x"), ("y", "y"))
    low = max(float(min(found.columns[start])) for start, _ in sides)
    return low, max(min(float(max(found.columns[end])) for _, end in sides), low)


def bias_variance_layers(figure: LossParts) -> Drawing:
    """A bar per part, with two Monte-Carlo errors; decompositions one below the other."""
    columns = figure.parts["parts"]
    several = len(figure.decompositions) > 1
    names = [
        f"{name}: {part}" if several else part
        for name, part in zip(columns["decomposition"], columns["part"], strict=True)
    ]
    table = {"line": list(range(len(names))), "whole": [part == "expected loss" for part in columns["part"]]}
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
