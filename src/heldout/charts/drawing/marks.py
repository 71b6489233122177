"""What charts share: rows of data, axes, scales, intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from json import dumps
from textwrap import wrap
from typing import Any

import altair as alt

from heldout.charts.drawing.theme import DASHES
from heldout.charts.figure import Columns, plain

Drawing = dict[str, Any]
"""A specification, or a part of one."""
LONG = 40
"""Characters of an axis title on one line."""
Axis = dict[str, Any]
"""Keywords of a channel: its scale and its axis."""


def rows(columns: Columns) -> Any:
    """Columns as the data of a chart, six digits each.

    They travel as text, which Altair does not copy at every step; `heldout.charts.drawing.spec` makes records of it.
    """
    names = list(columns)
    lines = zip(*(columns[name] for name in names), strict=True)
    text = dumps([dict(zip(names, map(_short, line), strict=True)) for line in lines])
    return alt.InlineData(values=text)


def _short(value: Any) -> Any:
    value = plain(value)
    return float(f"{value:.6g}") if isinstance(value, float) else value


def broken(title: str, most: int = LONG) -> str | list[str]:
    """A long title of an axis in lines, so that it fits a narrow screen.

    >>> broken("recall"), broken("false positive rate: share of the negatives predicted positive")
    ('recall', ['false positive rate:', 'share of the negatives predicted', 'positive'])
    """
    if len(title) <= most:
        return title
    parts = title.replace(": ", ":\n").replace(", ", ",\n").split("\n")
    return [line for part in parts for line in wrap(part, most)]


def share(title: str, *, upright: bool = False, **axis: Any) -> Axis:
    """An axis from 0 to 1."""
    return across(title, 0, 1, upright=upright, **axis)


def across(
    title: str, low: float | None = None, high: float | None = None, *, upright: bool = False, **axis: Any
) -> Axis:
    """An axis over a range, or over what the data span; one that stands upright has room for a longer title."""
    known: Axis = {} if low is None else {"domain": [low, high], "nice": False}
    words = broken(title, 2 * LONG if upright else LONG)
    return {"scale": alt.Scale(zero=False, **known), "axis": alt.Axis(title=words, **axis)}


def numbered(columns: Columns, field: str, names: Sequence[str], *keys: str) -> dict[str, Any]:
    """The columns with the place of each name instead of the name: a long name is then written once.

    Strokes, which have a legend, go by `m` from 0 up; fills, which have none, by `g` from -1 down: scales that had the
    same domain would share one legend.
    """
    place = {name: at for at, name in enumerate(names)}
    numbers = [place[name] for name in columns[field]]
    both = {"m": numbers, "g": [-1 - at for at in numbers]}
    rest = {name: column for name, column in columns.items() if name != field}
    return {**{key: both[key] for key in keys or ("m", "g")}, **rest}


def named_by(names: Sequence[str], axis: str = "names") -> Drawing:
    """What legends and axes call their numbers: names are data, so that nothing in them is ever run."""
    return {"name": axis, "value": list(names)}


def layered(*layers: Any, data: Any = None, **facts: Any) -> Drawing:
    """Marks over each other. Altair's own layers copy all that they hold at every step, which takes seconds a page."""
    made = [one if isinstance(one, dict) else _unit(one) for one in layers]
    return {"layer": made, **facts, **({} if data is None else {"data": data.to_dict(validate=False)})}


def _unit(chart: Any) -> Drawing:
    """One mark with its own data, or with none: then it has that of the layers it is among."""
    made: Drawing = chart.to_dict(validate=False, context={"top_level": False})
    del made["data"]
    return made if chart.data is alt.Undefined else {**made, "data": chart.data.to_dict(validate=False)}


def stroked(count: int, *, legend: bool = False) -> Any:
    """One colour per number for lines, with a legend above the chart."""
    scale = alt.Scale(domain=list(range(count)), range="category")
    return alt.Stroke("m:N", scale=scale, legend=_legend() if legend else None)


def dashed(count: int, *, legend: bool = False) -> Any:
    """One pattern of dashes per number."""
    ranged = [list(DASHES[at % len(DASHES)]) for at in range(count)]
    scale = alt.Scale(domain=list(range(count)), range=ranged)
    return alt.StrokeDash("m:N", scale=scale, legend=_legend() if legend else None)


def filled(count: int) -> Any:
    """The same colours for areas and points."""
    return alt.Fill("g:N", scale=alt.Scale(domain=[-1 - at for at in range(count)], range="category"), legend=None)


def _legend() -> Any:
    return alt.Legend(
        title=None, orient="top", columns=1, direction="vertical", symbolType="stroke", labelExpr="names[datum.value]"
    )


def tooltips(fields: Mapping[str, str]) -> list[Any]:
    """What a pointer shows: words to the field of a number, or to field:N of a name."""
    return [
        alt.Tooltip(field, title=words) if ":" in field else alt.Tooltip(f"{field}:Q", title=words, format=".4~g")
        for words, field in fields.items()
    ]
