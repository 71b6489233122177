"""Intervals one below the other: metrics, differences, segments."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import altair as alt

from heldout.charts.axis_scales import scaled
from heldout.charts.difference_forest import DifferenceForest
from heldout.charts.drawing.marks import (
    Axis,
    Drawing,
    broken,
    filled,
    layered,
    named_by,
    numbered,
    rows,
    stroked,
    tooltips,
)
from heldout.charts.metric_forest import MetricForest
from heldout.charts.subgroup_forest import MOST, SegmentForest
from heldout.estimates.rounding import number, spec

WIDTH = 440
"""Pixels of a panel where several stand one below the other."""
STEP = 38
"""Pixels of a line."""
SIGNED: Axis = {"format": "+~g", "labelExpr": "datum.value == 0 ? '0' : datum.label"}
"""Numbers of an axis of differences."""


def forest_panels(figure: MetricForest) -> Drawing:
    """A panel per scale, in it a line per metric and, on it, an interval per model."""
    columns, models = figure.parts["metrics"], list(figure.estimates)
    places = {metric: at for at, metric in enumerate(figure.metrics)}
    many = len(models) > 1
    table = {
        **numbered(columns, "model", models),
        "line": [places[metric] for metric in columns["metric"]],
        "text": _values(columns),
    }
    del table["method"], table["metric"]
    panels = []
    for scale, chosen in scaled(figure.metrics).items():
        data = rows(_where(table, [at in chosen for at in table["line"]]))
        panels.append(_metric_panel(data, scale, len(chosen), models, constant=bool(figure.constant)))
    names = list(figure.metrics)
    return _stacked(panels, [named_by(names, "lines"), *([named_by(models)] if many else [])])


def _metric_panel(data: Any, scale: str, lines: int, models: Sequence[str], *, constant: bool) -> Drawing:
    many = len(models) > 1
    x: Axis = {"scale": alt.Scale(zero=False, nice=True), "axis": alt.Axis(title=_axis(scale))}
    y = _lines_axis()
    spread: Axis = {"yOffset": alt.YOffset("m:O", scale=alt.Scale(domain=list(range(len(models)))))} if many else {}
    stroke: Axis = {"stroke": stroked(len(models), legend=True)} if many else {}
    fill: Axis = {"fill": filled(len(models))} if many else {}
    says = tooltips({"value": "value", "from": "low", "to": "high", "dummy model": "constant"})
    drawn = alt.Chart().encode(y, **spread)
    layers = [
        drawn.mark_rule(style="interval").encode(alt.X("low:Q", **x), alt.X2("high:Q"), **stroke),
        drawn.mark_point(style="place" if many else "value", size=55).encode(
            alt.X("value:Q", **x), tooltip=says, **fill
        ),
    ]
    if constant:
        tick = alt.Chart().mark_tick(style="constant", thickness=2, size=16)
        layers.insert(0, tick.encode(y, alt.X("constant:Q", **x)))
    if not many:
        layers.append(drawn.mark_text(style="label", dy=-11).encode(alt.X("value:Q", **x), alt.Text("text:N")))
    step = STEP if not many else max(STEP, 15 * len(models))
    return layered(*layers, data=data, height=lines * step)


def difference_panels(figure: DifferenceForest) -> Drawing:
    """A panel per scale, in it a line per difference: interval, margin, zero, and what may be said."""
    columns = dict(figure.parts["differences"])
    decided = [verdict in ("BETTER", "WORSE", "EQUIVALENT") for verdict in columns["verdict"]]
    table = {
        "line": list(range(len(decided))),
        **{name: columns[name] for name in ("value", "low", "high")},
        "less": [-m for m in columns["margin"]],
        "more": columns["margin"],
        "sure": decided,
        "text": _verdicts(columns),
    }
    pairs = figure.subject == "pair"
    groups = {"score": table["line"]} if pairs else scaled(columns["metric"])
    panels = [
        _difference_panel(_where(table, [at in chosen for at in table["line"]]), scale, figure)
        for scale, chosen in groups.items()
    ]
    return _stacked(panels, [named_by(figure.names, "lines")])


def _difference_panel(table: dict[str, Any], scale: str, figure: DifferenceForest) -> Drawing:
    x: Axis = {"scale": alt.Scale(zero=True, nice=True), "axis": alt.Axis(title=_axis(scale, "difference"), **SIGNED)}
    says = tooltips({"difference": "value", "from": "low", "to": "high"})
    drawn, value = alt.Chart().encode(_lines_axis()), alt.X("value:Q", **x)
    layers = [
        alt.Chart(rows({"zero": [0]})).mark_rule(style="zero").encode(alt.X("zero:Q", **x)),
        drawn.mark_rule(style="interval").encode(alt.X("low:Q", **x), alt.X2("high:Q")),
        drawn.mark_text(style="label", dy=-12).encode(value, alt.Text("text:N")),
    ]
    if any(table["sure"]):
        sure = drawn.transform_filter("datum.sure").mark_point(style="value", size=55)
        layers.append(sure.encode(value, tooltip=says))
    if not all(table["sure"]):
        unsure = drawn.transform_filter("!datum.sure").encode(value)
        layers.append(unsure.mark_point(style="ground", size=55))
        layers.append(unsure.mark_point(style="hollow", size=55, filled=False).encode(tooltip=says))
    if figure.margins:
        layers.insert(0, drawn.mark_rect(style="margin").encode(alt.X("less:Q", **x), alt.X2("more:Q")))
    return layered(*layers, data=rows(table), height=len(table["line"]) * (STEP + 4))


def segment_layers(figure: SegmentForest) -> Drawing:
    """A line per segment, beside the value of all rows."""
    columns = figure.parts["segments"]
    largest = sorted(range(len(columns["segment"])), key=lambda at: -(columns["rows"][at] or 0))[:MOST]
    kept = sorted(largest)
    columns = {name: [column[at] for at in kept] for name, column in columns.items()}
    names = [
        segment if rows_ is None else f"{segment} (n {rows_:,.0f})"
        for segment, rows_ in zip(columns["segment"], columns["rows"], strict=True)
    ]
    x: Axis = {
        "scale": alt.Scale(zero=figure.pair is not None, nice=True),
        "axis": alt.Axis(title=broken(_segment_axis(figure)), **({} if figure.pair is None else SIGNED)),
    }
    y = _lines_axis()
    table = {"line": list(range(len(names))), **{name: columns[name] for name in ("value", "low", "high", "rows")}}
    table["text"] = _values(columns) if figure.pair is None else _excluding_zero(columns)
    says = tooltips({"value": "value", "from": "low", "to": "high", "rows": "rows"})
    drawn = alt.Chart(rows(table)).encode(y)
    layers = [
        drawn.mark_rule(style="interval").encode(alt.X("low:Q", **x), alt.X2("high:Q")),
        drawn.mark_point(style="value", size=55).encode(alt.X("value:Q", **x), tooltip=says),
        drawn.mark_text(style="label", dy=-11).encode(alt.X("value:Q", **x), alt.Text("text:N")),
    ]
    if figure.overall is not None and figure.overall["value"] is not None:
        whole = alt.Chart(rows({"value": [figure.overall["value"]]})).mark_rule(style="reference")
        layers.insert(0, whole.encode(alt.X("value:Q", **x)))
    if figure.pair is not None:
        layers.insert(0, alt.Chart(rows({"value": [0]})).mark_rule(style="zero").encode(alt.X("value:Q", **x)))
    height = len(names) * (STEP if len(names) <= 20 else 26)
    return layered(*layers, height=height, params=[named_by(names, "lines")])


def _lines_axis() -> Any:
    """Lines from the top down, called by their names."""
    axis = alt.Axis(title=None, labelExpr="lines[datum.value]", grid=False, ticks=False, domain=False, labelPadding=8)
    return alt.Y("line:O", axis=axis, scale=alt.Scale(paddingInner=0.1, paddingOuter=0.3))


def _stacked(panels: list[Drawing], params: list[Drawing]) -> Drawing:
    """One panel follows the width of its container; several stand one below the other."""
    if len(panels) == 1:
        return {**panels[0], "params": params}
    views = [{**panel, "width": WIDTH} for panel in panels]
    return {"vconcat": views, "spacing": 18, "resolve": {"scale": {"x": "independent"}}, "params": params}


def _where(table: dict[str, Any], chosen: Sequence[bool]) -> dict[str, Any]:
    return {name: [value for value, one in zip(column, chosen, strict=True) if one] for name, column in table.items()}


def _axis(scale: str, what: str = "value") -> str:
    known = {
        "share": what,
        "percent": f"{what}, in points of 100",
        "unit of the target": f"{what}, in the unit of the target",
    }
    return known.get(scale, f"{what} ({scale})")


def _segment_axis(figure: SegmentForest) -> str:
    if figure.pair is None:
        return figure.metric
    return f"difference of {figure.metric}, {figure.pair[0]} minus {figure.pair[1]}"


def _values(columns: Any) -> list[str]:
    """Values with the digits of their intervals."""
    lines = zip(columns["value"], columns["low"], columns["high"], strict=True)
    return [number(value, spec(value, low, high)) for value, low, high in lines]


def _excluding_zero(columns: Any) -> list[str]:
    """Differences whose interval excludes zero; `~` for the others."""
    lines = zip(columns["value"], columns["low"], columns["high"], strict=True)
    return ["~" if low <= 0 <= high else _signed(value, low, high) for value, low, high in lines]


def _verdicts(columns: Any) -> list[str]:
    """The difference and the verdict; `~` where it is undecided."""
    lines = zip(columns["value"], columns["low"], columns["high"], columns["verdict"], strict=True)
    return [
        "~" if verdict == "UNDECIDED" else f"{_signed(value, low, high)} {verdict}"
        for value, low, high, verdict in lines
    ]


def _signed(value: float, low: float, high: float) -> str:
    text = number(value, spec(value, low, high))
    return f"+{text}" if value > 0 and isfinite(value) else text
