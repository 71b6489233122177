"""Calibration, with the spread of the scores below."""

from __future__ import annotations

from typing import Any

import altair as alt

from heldout.charts.calibration import CalibrationBins
from heldout.charts.drawing.marks import Drawing, filled, layered, named_by, numbered, rows, share, stroked, tooltips

LANE = 0.14
"""Height of one model's histogram, in units of the axis."""
GAP = 0.04


def calibration_layers(figure: CalibrationBins) -> Drawing:
    """Bins with intervals around the diagonal; below zero a lane of histogram per model, so that nothing is covered."""
    models, parts = list(figure.curves), figure.parts
    floor = -(GAP + LANE) * len(figure.spread)
    axis = share("share that happened", values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    axis["scale"] = alt.Scale(domain=[floor, 1], nice=False, zero=False)
    x, y = alt.X("chance:Q", **share("probability that was said")), alt.Y("happened:Q", **axis)
    named = len(models) > 1 or bool(figure.slopes)
    fill, line = filled(len(models)), stroked(len(models), legend=named)
    bins = rows(numbered(parts["bins"], "model", models))
    says = tooltips(
        {"probability said": "chance", "share that happened": "happened", "from": "low", "to": "high", "rows": "rows"}
    )
    diagonal = alt.Chart(rows({"chance": [0, 1], "happened": [0, 1]})).mark_line(style="reference").encode(x, y)
    span = alt.Chart().encode(x, line)
    layers = [
        span.mark_rule(style="fine-interval", clip=True).encode(_from("band_low", axis), alt.Y2("band_high:Q")),
        span.mark_rule(style="thick-interval", clip=True).encode(_from("low", axis), alt.Y2("high:Q")),
        alt.Chart().mark_line(style="through").encode(x, y, line),
        alt.Chart().mark_point(style="place", size=70).encode(x, y, fill, tooltip=says),
    ]
    drawn = [diagonal, layered(*layers, data=bins)]
    if figure.spread:
        drawn.append(_histogram(figure, models, axis))
    height = 360 + 62 * len(figure.spread)
    return layered(*drawn, height=height, params=[named_by(list(figure.names.values()))])


def _from(field: str, axis: dict[str, Any]) -> Any:
    return alt.Y(f"{field}:Q", **axis)


def _histogram(figure: CalibrationBins, models: list[str], axis: dict[str, Any]) -> Any:
    """Bars that stand on the floor of their lane, the highest as high as the lane."""
    columns = numbered(figure.parts["spread"], "model", models, "g")
    places = [-1 - at for at in columns["g"]]
    highest = {at: float(figure.spread[model].max()) for at, model in enumerate(models) if model in figure.spread}
    bottom = [-(GAP + LANE) * (at + 1) for at in places]
    top = [low + LANE * height / highest[at] for low, height, at in zip(bottom, columns["share"], places, strict=True)]
    kept = {**columns, "bottom": bottom, "top": top}
    says = tooltips({"from": "left", "to": "right", "share of the rows": "share"})
    return (
        alt.Chart(rows(kept))
        .mark_rect(style="histogram")
        .encode(alt.X("left:Q", **share("probability that was said")), alt.X2("right:Q"), _from("bottom", axis))
        .encode(alt.Y2("top:Q"), filled(len(models)), tooltip=says)
    )
