"""The confusion matrix as a coloured table."""

from __future__ import annotations

from typing import Any

import altair as alt

from heldout.charts.confusion import ConfusionMatrix
from heldout.charts.drawing.marks import Drawing, layered, named_by, rows, tooltips
from heldout.charts.drawing.theme import STRONG

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
