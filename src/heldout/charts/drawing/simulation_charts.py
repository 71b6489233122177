"""Simulations: lines over a number, rates beside what they should be, verdicts as stacked bars."""

from __future__ import annotations

from math import isfinite
from typing import Any

import altair as alt

from heldout.charts.drawing.marks import (
    Axis,
    Drawing,
    across,
    broken,
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
from heldout.charts.simulation_figures import RateForest, SimulatedLines, Verdicts

HEIGHT = 340
GREY = 6
"""The place of grey among the colours of the theme."""
STEP = 30
"""Pixels of a line of a forest."""


def simulated_line_layers(figure: SimulatedLines) -> Drawing:
    """One line per name over its band, with dashed lines for what is known."""
    names, columns = list(figure.lines), figure.parts["lines"]
    scale: Axis = {"type": "log"} if figure.log else {}
    ticks: Axis = {"tickMinStep": 1, "format": ",d"} if figure.counts else {}
    sideways = alt.Scale(zero=False, nice=False, padding=8, **scale)
    x = alt.X("x:Q", scale=sideways, axis=alt.Axis(title=figure.x, **ticks))
    y = _upright(figure)
    stroke, pattern = stroked(len(names), legend=len(names) > 1), dashed(len(names), legend=len(names) > 1)
    layers: list[Any] = []
    for value in figure.level.values():
        rule = alt.Chart(rows({"value": [value]})).mark_rule(style="reference")
        layers.append(rule.encode(alt.Y("value:Q", **y)))
    layers += [alt.Chart(rows({"x": [v]})).mark_rule(style="reference").encode(x) for v in figure.at.values()]
    banded = [at for at, low in enumerate(columns["low"]) if isfinite(low)]
    if banded:
        band = {key: [column[at] for at in banded] for key, column in columns.items() if key != "value"}
        area = alt.Chart(rows(numbered(band, "line", names, "g"))).mark_area(style="point-band", clip=True)
        layers.append(area.encode(x, alt.Y("low:Q", **y), alt.Y2("high:Q"), filled(len(names))))
    drawn = {key: columns[key] for key in ("line", "x", "value")}
    line = alt.Chart(rows(numbered(drawn, "line", names, "m"))).mark_line(clip=True)
    layers.append(line.encode(x, alt.Y("value:Q", **y), stroke, pattern))
    if figure.dots:
        says = tooltips({figure.x: "x", figure.y: "value", "from": "low", "to": "high"})
        dot = alt.Chart(rows(numbered(columns, "line", names, "g"))).mark_point(style="place", size=50)
        layers.append(dot.encode(x, alt.Y("value:Q", **y), filled(len(names)), tooltip=says))
    return layered(*layers, height=HEIGHT, params=[named_by(names)])


def _upright(figure: SimulatedLines) -> Axis:
    """The axis of values; on a log scale only as far down as there are values, whatever a band does."""
    if figure.share:
        return share(figure.y, upright=True)
    if figure.counts:
        return {"scale": alt.Scale(zero=True), "axis": alt.Axis(title=figure.y, tickMinStep=1, format=",d")}
    if not figure.log_y:
        return across(figure.y, upright=True)
    values = figure.parts["lines"]["value"]
    scale = alt.Scale(type="log", domain=[min(values) / 1.3, max(values) * 1.5], nice=False, clamp=True)
    return {"scale": scale, "axis": alt.Axis(title=broken(f"{figure.y} (log scale)", 80))}


def rate_layers(figure: RateForest) -> Drawing:
    """A line per number: its error, and a mark where it should be."""
    columns = figure.parts["rates"]
    seen = [one for name in ("low", "high", "wanted") for one in columns[name] if one is not None]
    # one exact rate alone spans nothing: the axis then shows all shares
    known: Axis = {"domain": [min(0, *seen), max(1, *seen)]} if seen and min(seen) == max(seen) else {}
    x: Axis = {"scale": alt.Scale(zero=False, nice=True, **known), "axis": alt.Axis(title=broken(figure.x))}
    axis = alt.Axis(
        title=None,
        labelExpr="lines[datum.value]",
        grid=False,
        ticks=False,
        domain=False,
        labelPadding=8,
        labelLimit=440,
    )
    y = alt.Y("line:O", axis=axis, scale=alt.Scale(paddingInner=0.1, paddingOuter=0.3))
    table = {"line": list(range(len(figure.rates))), **{name: columns[name] for name in ("value", "low", "high")}}
    drawn = alt.Chart(rows(table)).encode(y)
    says = tooltips({"value": "value", "from": "low", "to": "high"})
    layers = [
        drawn.mark_rule(style="interval").encode(alt.X("low:Q", **x), alt.X2("high:Q")),
        drawn.mark_point(style="value", size=50).encode(alt.X("value:Q", **x), tooltip=says),
    ]
    wanted = [(at, one.wanted) for at, one in enumerate(figure.rates) if one.wanted is not None]
    if wanted:
        marks = {"line": [at for at, _ in wanted], "wanted": [value for _, value in wanted]}
        tick = alt.Chart(rows(marks)).mark_tick(style="constant", thickness=2, size=18)
        layers.insert(0, tick.encode(y, alt.X("wanted:Q", **x)))
    return layered(*layers, height=max(STEP * len(figure.rates), 60), params=[named_by(columns["name"], "lines")])


def verdict_layers(figure: Verdicts) -> Drawing:
    """A bar per test, in it the share of each verdict."""
    tests, words = list(figure.shares), list(figure.outcomes)
    bars, outcomes, each = figure.parts[figure.view].values()
    ends: dict[str, list[float]] = {"left": [], "right": []}
    for shares in figure.shares.values():
        reached = 0.0
        for one in shares:
            ends["left"].append(reached)
            reached += one
            ends["right"].append(reached)
    place = {test: at for at, test in enumerate(tests)}
    # the last verdict, that nothing is significant, is grey
    colours = [*range(len(words) - 1), GREY] if figure.view == "verdicts" else list(range(len(words)))
    named = [words[colours.index(at)] if at in colours else "" for at in range(GREY + 1)]
    table = {
        "line": [place[test] for test in bars],
        "m": [colours[words.index(word)] for word in outcomes],
        **ends,
        "share": each,
        "middle": [(a + b) / 2 for a, b in zip(ends["left"], ends["right"], strict=True)],
        "text": [f"{one:.0%}" if one >= 0.06 else "" for one in each],
    }
    axis = alt.Axis(
        title=None,
        labelExpr="lines[datum.value]",
        grid=False,
        ticks=False,
        domain=False,
        labelPadding=8,
        labelLimit=330,
    )
    y = alt.Y("line:O", axis=axis, scale=alt.Scale(paddingInner=0.25, paddingOuter=0.2))
    x = share(figure.x, format="~%")
    legend = alt.Legend(title=None, orient="top", columns=1, direction="vertical", symbolType="square",
                        labelExpr="names[datum.value]", values=colours)  # fmt: skip
    fill = alt.Fill("m:N", scale=alt.Scale(domain=list(range(GREY + 1)), range="category"), legend=legend)
    data = rows(table)
    says = tooltips({"share": "share"})
    layers = [
        alt.Chart().mark_bar(style="verdict").encode(y, alt.X("left:Q", **x), alt.X2("right:Q"), fill, tooltip=says),
        alt.Chart().mark_text(style="on-strong").encode(y, alt.X("middle:Q", **x), alt.Text("text:N")),
    ]
    params = [named_by(named), named_by(tests, "lines")]
    return layered(*layers, data=data, height=34 * len(tests), params=params)
