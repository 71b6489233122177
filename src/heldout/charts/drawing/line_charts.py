"""Curves with bands."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from heldout.charts.calibration import CalibrationBins
from heldout.charts.critical_difference import RankDiagram
from heldout.charts.curve_lines import CurveLines
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
    share,
    stroked,
    tooltips,
)
from heldout.charts.figure import Columns, brief

LANE = 0.14
"""Height of one model's histogram, in units of the axis."""
GAP = 0.04


def calibration_layers(figure: CalibrationBins) -> Drawing:
    """Bins with intervals around the diagonal; below zero a lane of histogram per model, so that nothing is covered."""
    models, parts = list(figure.curves), figure.parts
    floor = -(GAP + LANE) * len(figure.spread)
    axis = share("observed share of positives", values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    axis["scale"] = alt.Scale(domain=[floor, 1], nice=False, zero=False)
    x, y = alt.X("chance:Q", **share("predicted probability")), alt.Y("happened:Q", **axis)
    named = len(models) > 1 or bool(figure.slopes)
    fill, line = filled(len(models)), stroked(len(models), legend=named)
    bins = rows(numbered(parts["bins"], "model", models))
    says = tooltips(
        {
            "probability said": "chance",
            "observed share of positives": "happened",
            "from": "low",
            "to": "high",
            "rows": "rows",
        }
    )
    diagonal = alt.Chart(rows({"chance": [0, 1], "happened": [0, 1]})).mark_line(style="reference").encode(x, y)
    span = alt.Chart().encode(x, line)
    layers = [
        span.mark_rule(style="fine-interval", clip=True).encode(_from_axis("band_low", axis), alt.Y2("band_high:Q")),
        span.mark_rule(style="thick-interval", clip=True).encode(_from_axis("low", axis), alt.Y2("high:Q")),
        alt.Chart().mark_line(style="through").encode(x, y, line),
        alt.Chart().mark_point(style="place", size=70).encode(x, y, fill, tooltip=says),
    ]
    drawn = [diagonal, layered(*layers, data=bins)]
    if figure.spread:
        drawn.append(_histogram(figure, models, axis))
    height = 360 + 62 * len(figure.spread)
    return layered(*drawn, height=height, params=[named_by(list(figure.names.values()))])


def _from_axis(field: str, axis: dict[str, Any]) -> Any:
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
        .encode(alt.X("left:Q", **share("predicted probability")), alt.X2("right:Q"), _from_axis("bottom", axis))
        .encode(alt.Y2("top:Q"), filled(len(models)), tooltip=says)
    )


STEP = 26
BAR = 12
"""Pixels between bars."""


def rank_layers(figure: RankDiagram) -> Drawing:
    """Learners from the best down, each at its average rank; bars join those that do not differ significantly."""
    count = len(figure.ranks)
    top = BAR * len(figure.groups) + (30 if figure.critical_difference is not None else 12)
    height = top + STEP * count
    axis = alt.Axis(title="average rank (1 is best)", orient="top", tickMinStep=1, format="~g")
    x: Axis = {"scale": alt.Scale(domain=[1, max(count, 2)], nice=False, zero=False, padding=14), "axis": axis}
    y: Axis = {"scale": alt.Scale(domain=[height, 0], nice=False, zero=False), "axis": None}
    table = {
        "rank": list(figure.ranks.values()),
        "y": [top + STEP * (at + 0.5) for at in range(count)],
        "top": [0.0] * count,
        "text": [f"{name}  {rank:.2f}" for name, rank in figure.ranks.items()],
        "right": [rank > (1 + count) / 2 for rank in figure.ranks.values()],
    }
    data = rows(table)
    at = alt.X("rank:Q", **x)
    lines = alt.Chart(data).mark_rule(style="link", opacity=0.45).encode(at, alt.Y("top:Q", **y), alt.Y2("y:Q"))
    dots = (
        alt.Chart(data)
        .mark_point(style="value", size=60)
        .encode(at, alt.Y("y:Q", **y), tooltip=tooltips({"average rank": "rank"}))
    )
    texts = [
        alt.Chart(data)
        .transform_filter("datum.right" if right else "!datum.right")
        .mark_text(style="label", align="right" if right else "left", dx=-9 if right else 9)
        .encode(at, alt.Y("y:Q", **y), alt.Text("text:N"))
        for right in (False, True)
    ]
    return layered(lines, *_bars(figure, x, y, top), dots, *texts, height=height)


def _bars(figure: RankDiagram, x: Axis, y: Axis, top: int) -> list[Any]:
    """One bar per set of learners that do not differ significantly, and how far apart ranks must be."""
    layers = []
    if figure.groups:
        spans = [[figure.ranks[name] for name in group] for group in figure.groups]
        first = top - BAR * len(spans)
        table = {
            "from": [min(span) - 0.03 for span in spans],
            "to": [max(span) + 0.03 for span in spans],
            "y": [first + BAR * (at + 0.4) for at in range(len(spans))],
        }
        bars = alt.Chart(rows(table)).mark_rule(style="tied")
        layers.append(bars.encode(alt.X("from:Q", **x), alt.X2("to:Q"), alt.Y("y:Q", **y)))
    if figure.critical_difference is not None:
        width = min(figure.critical_difference, len(figure.ranks) - 1)
        span = {
            "from": [1.0],
            "to": [1.0 + width],
            "y": [10.0],
            "text": [f"critical difference {figure.critical_difference:.3g}"],
        }
        data = rows(span)
        layers.append(
            alt.Chart(data).mark_rule(style="settled").encode(alt.X("from:Q", **x), alt.X2("to:Q"), alt.Y("y:Q", **y))
        )
        words = alt.Chart(data).mark_text(style="quiet-label", align="left", dx=6)
        layers.append(words.encode(alt.X("to:Q", **x), alt.Y("y:Q", **y), alt.Text("text:N")))
    return layers


HEIGHT = 380


def curve_layers(figure: CurveLines) -> Drawing:
    """One line per model over its bands, the line of no skill, and where the threshold in use is."""
    x, y, parts = _x(figure), _y(figure), figure.parts
    models, named = list(figure.curves), bool(figure.areas) or len(figure.curves) > 1
    stroke, pattern = stroked(len(models), legend=named), dashed(len(models), legend=named)
    fill = filled(len(models))
    layers = _without_skill(figure, x, y)
    if figure.banded:
        layers.append(_bands(numbered(parts["band"], "model", models, "g"), x, y, fill, both=len(models) == 1))
    points = {name: column for name, column in parts["points"].items() if name != "threshold"}
    # in the order of the points: a step has several at one x
    line = alt.Chart(rows(numbered(points, "model", models, "m"))).mark_line(clip=True, order=False)
    layers.append(line.encode(x, y, stroke, pattern))
    if "detections" in parts:
        says = tooltips({"score": "threshold", brief(figure.meaning.x): "x", brief(figure.meaning.y): "y"})
        dots = alt.Chart(rows(parts["detections"])).mark_point(style="place", size=26, color="gray")
        layers.append(dots.encode(x, y, tooltip=says))
    if "operating" in parts:
        says = tooltips({"threshold": "threshold", brief(figure.meaning.x): "x", brief(figure.meaning.y): "y"})
        dot = alt.Chart(rows(numbered(parts["operating"], "model", models, "g"))).mark_point(style="place", size=90)
        layers.append(dot.encode(x, y, fill, tooltip=says))
    return layered(*layers, height=HEIGHT, params=[named_by(list(figure.names.values()))])


def _bands(columns: Columns, x: Any, y: Any, fill: Any, *, both: bool) -> Drawing:
    wide = alt.Chart().mark_area(style="whole-band", clip=True)
    layers = [wide.encode(x, _from("band_low", y), alt.Y2("band_high:Q"), fill)]
    if both:
        narrow = alt.Chart().mark_area(style="point-band", clip=True)
        layers.append(narrow.encode(x, _from("low", y), alt.Y2("high:Q"), fill))
    unused = ("y", *(() if both else ("low", "high")))
    return layered(*layers, data=rows({name: column for name, column in columns.items() if name not in unused}))


def _from(field: str, y: Any) -> Any:
    """The same axis for another column."""
    return alt.Y(f"{field}:Q", scale=y["scale"], axis=y["axis"])


def _x(figure: CurveLines) -> Any:
    return alt.X("x:Q", **share(figure.meaning.x))


def _y(figure: CurveLines) -> Any:
    if figure.curve == "lift":
        highest = max(_reach(figure), 1.2)
        return alt.Y("y:Q", **across(figure.meaning.y, 0, 1.05 * highest, upright=True))
    if figure.curve == "cost":
        return alt.Y("y:Q", **across(figure.meaning.y, 0, 0.5, upright=True))
    return alt.Y("y:Q", **share(figure.meaning.y, upright=True))


def _reach(figure: CurveLines) -> float:
    """The highest lift worth showing: beyond the first hundredth of the rows single rows decide."""
    return max(
        float(np.max(curve.points["lift"][curve.points["taken"] >= 0.01], initial=1.0))
        for curve in figure.curves.values()
    )


def _without_skill(figure: CurveLines, x: Any, y: Any) -> list[Any]:
    """What guessing gives: the diagonal, the prevalence, a lift of one, or always the cheaper answer."""
    if figure.curve == "precision_recall" and figure.prevalence is None:
        return []
    corners: dict[str, tuple[list[float], list[float | None]]] = {
        "roc": ([0, 1], [0, 1]),
        "gain": ([0, 1], [0, 1]),
        "lift": ([0, 1], [1, 1]),
        "precision_recall": ([0, 1], [figure.prevalence, figure.prevalence]),
        "cost": ([0, 0.5, 1], [0, 0.5, 0]),
    }
    data = rows(dict(zip(("x", "y"), corners[figure.curve], strict=True)))
    return [alt.Chart(data).mark_line(style="reference", clip=True).encode(x, y)]
