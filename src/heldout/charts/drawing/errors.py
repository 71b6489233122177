"""Errors of predicted numbers."""

from __future__ import annotations

from typing import Any

import altair as alt

from heldout.charts.cloud import Cloud
from heldout.charts.drawing.marks import Drawing, across, layered, rows, tooltips
from heldout.charts.quantiles import QuantilePlot
from heldout.charts.residuals import PredictedTruth, ResidualCloud

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
    x, y = across("prediction"), across("error: truth less prediction")
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
    x, y = across("what a normal distribution would give"), across("error, in standard deviations")
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
