"""Curves with bands."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from heldout.charts.curve_lines import CurveLines
from heldout.charts.drawing.marks import (
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
from heldout.charts.figure import Columns
from heldout.charts.words import brief

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
