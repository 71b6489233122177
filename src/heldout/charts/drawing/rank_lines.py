"""The critical-difference diagram."""

from __future__ import annotations

from typing import Any

import altair as alt

from heldout.charts.drawing.marks import Axis, Drawing, layered, rows, tooltips
from heldout.charts.ranks import RankDiagram

STEP = 26
BAR = 12
"""Pixels between bars."""


def rank_layers(figure: RankDiagram) -> Drawing:
    """Learners from the best down, each at its average rank; on top, bars over those that are not told apart."""
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
    """One bar per set of learners that are not told apart, and how far apart ranks must be."""
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
