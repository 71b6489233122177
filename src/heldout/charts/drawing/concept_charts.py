"""Probabilities and hypotheses: shaded tables, regions of classes, critical regions, instance spaces, ROC steps."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from heldout.charts.class_regions import ClassDensities, ClassRegions
from heldout.charts.concept_figures import HypothesisErrors, InstanceSpace
from heldout.charts.critical_region import CriticalRegion
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
from heldout.charts.drawing.theme import STRONG
from heldout.charts.probability_table import ProbabilityTable
from heldout.charts.roc_steps import FEW_STEPS, RocSteps, threshold_lines

HEIGHT = 340
SQUARE = 380


def probability_layers(figure: ProbabilityTable) -> Drawing:
    """Cells whose ground is the probability; of a joint table, its darkest cell is the most likely one."""
    points, classes = len(figure.points), len(figure.classes)
    p = figure.p
    inner = p[:-1, :-1] if figure.view == "joint" else p
    most = float(np.nanmax(inner)) if figure.view != "class_given_x" and np.isfinite(inner).any() else 1.0
    shade = np.clip(p / (most or 1.0), 0, 1)
    if figure.view == "joint":  # the sums are no part of the table
        shade[-1, :] = shade[:, -1] = 0.0
    marked = figure.parts["cells"]["marked"]
    table = {
        "t": [at for at in range(points) for _ in range(classes)],
        "c": list(range(classes)) * points,
        "p": p.ravel(),
        "share": shade.ravel(),
        "text": ["--" if value != value else f"{value:.3g}{' *' if star else ''}"  # noqa: PLR0124 nan
                 for value, star in zip(p.ravel().tolist(), marked, strict=True)],
    }  # fmt: skip
    quiet: dict[str, Any] = {"domain": False, "ticks": False, "labelPadding": 6, "grid": False}
    x = alt.X("c:O", axis=alt.Axis(title="class", orient="top", labelExpr="names[datum.value]", labelAngle=0, **quiet))
    y = alt.Y("t:O", axis=alt.Axis(title=figure.point, labelExpr="lines[datum.value]", labelLimit=260, **quiet))
    ground = alt.Color("share:Q", scale=alt.Scale(domain=[0, 1]), legend=None)
    pale = f"datum.share === null || datum.share < {STRONG}"
    layers = [alt.Chart().mark_rect(style="cell").encode(x, y, ground, tooltip=tooltips({"probability": "p"}))]
    for style, kept in (("on-pale", pale), ("on-strong", f"!({pale})")):
        if any((value < STRONG or value != value) == (style == "on-pale") for value in shade.ravel()):  # noqa: PLR0124
            layers.append(alt.Chart().transform_filter(kept).mark_text(style=style).encode(x, y, alt.Text("text:N")))
    height = points * (40 if points <= 8 else 24)
    params = [named_by(figure.classes), named_by(figure.points, "lines")]
    return layered(*layers, data=rows(table), height=height, params=params)


def region_layers(figure: ClassRegions | ClassDensities) -> Drawing:
    """Regions of the classes on two features; on one feature, their densities."""
    return _densities(figure) if isinstance(figure, ClassDensities) else _regions(figure)


SHADES = 20
"""Steps of certainty from 0 to 1 that differ by colour."""


def _regions(figure: ClassRegions) -> Drawing:
    half_x, half_y = (float(axis[1] - axis[0]) / 2 for axis in (figure.x, figure.y))
    columns = figure.parts["regions"]
    order = np.lexsort((columns["x1"], columns["x2"]))
    across_x, up, group, sure = (np.asarray(columns[name])[order] for name in ("x1", "x2", "class", "certainty"))
    shade = np.round(sure * SHADES) / SHADES
    # neighbours of one colour are one rectangle: a file of single cells is ten times as large
    changes = (np.diff(up) != 0) | (np.diff(group) != 0) | (np.diff(shade) != 0)
    starts, ends = np.flatnonzero(np.append(True, changes)), np.flatnonzero(np.append(changes, True))
    table = {
        "g": [-1 - int(c) for c in group[starts]],
        "left": across_x[starts] - half_x,
        "right": across_x[ends] + half_x,
        "bottom": up[starts] - half_y,
        "top": up[starts] + half_y,
        "sure": shade[starts],
    }
    x = across("first feature", float(figure.x[0] - half_x), float(figure.x[-1] + half_x))
    y = across("second feature", float(figure.y[0] - half_y), float(figure.y[-1] + half_y))
    least = 1 / figure.classes
    opacity = alt.Opacity("sure:Q", scale=alt.Scale(domain=[least, 1], range=[0.08, 0.5]), legend=None)
    cells = alt.Chart(rows(table)).mark_rect(style="grid-cell")
    layers = [
        cells.encode(
            alt.X("left:Q", **x),
            alt.X2("right:Q"),
            alt.Y("bottom:Q", **y),
            alt.Y2("top:Q"),
            filled(figure.classes),
            opacity,
        )
    ]
    names = [f"class {c}" for c in range(figure.classes)] + [f"border of {rule}" for rule in figure.borders]
    stroke = stroked(len(names), legend=True)
    rings: dict[str, list[Any]] = {"m": [], "ring": [], "at": [], "x": [], "y": []}
    for number, (name, points) in enumerate(figure.ellipses.items()):
        rings["m"] += [int(name.split()[1])] * len(points)
        rings["ring"] += [number] * len(points)
        rings["at"] += list(range(len(points)))
        rings["x"] += points[:, 0].tolist()
        rings["y"] += points[:, 1].tolist()
    ring = alt.Chart(rows(rings)).mark_line(clip=True, strokeWidth=1.4)
    layers.append(ring.encode(alt.X("x:Q", **x), alt.Y("y:Q", **y), stroke, alt.Detail("ring:N"), alt.Order("at:Q")))
    if "borders" in figure.parts:
        segments, rules = figure.parts["borders"], list(figure.borders)
        table = {key: segments[key] for key in ("x1", "x2", "to_x1", "to_x2")}
        table["m"] = [figure.classes + rules.index(rule) for rule in segments["rule"]]
        line = alt.Chart(rows(table)).mark_rule(strokeWidth=2.2, clip=True)
        layers.append(line.encode(alt.X("x1:Q", **x), alt.X2("to_x1:Q"), alt.Y("x2:Q", **y), alt.Y2("to_x2:Q"), stroke))
    return layered(*layers, height=SQUARE, params=[named_by(names)])


def _densities(figure: ClassDensities) -> Drawing:
    columns, count = figure.parts["densities"], figure.joint.shape[1]
    names = [f"class {c}" for c in range(count)]
    x = alt.X("x:Q", **across("x", float(figure.x[0]), float(figure.x[-1])))
    y: Axis = {"scale": alt.Scale(zero=True), "axis": alt.Axis(title="p(x, c)")}
    lost = alt.Chart(rows(figure.parts["lost"])).mark_area(style="region")
    line = alt.Chart(rows(numbered(columns, "class", names, "m"))).mark_line()
    layers = [
        lost.encode(x, alt.Y("p:Q", **y), alt.Y2Datum(0)),
        line.encode(x, alt.Y("p:Q", **y), stroked(count, legend=True), dashed(count, legend=True)),
    ]
    if "thresholds" in figure.parts:
        rule = alt.Chart(rows({"x": figure.parts["thresholds"]["x"]})).mark_rule(style="link")
        layers.append(rule.encode(x))
    return layered(*layers, height=HEIGHT, params=[named_by(names)])


def critical_region_layers(figure: CriticalRegion) -> Drawing:
    """The null distribution, strong where the test rejects; the alternative, shaded where it does not."""
    names = ["null hypothesis"] + (["alternative"] if figure.alternative is not None else [])
    parts = figure.parts["distribution"]
    y: Axis = {
        "scale": alt.Scale(zero=True, nice=True),
        "axis": alt.Axis(title="probability" if figure.counts else "density"),
    }
    half = 0.5 if figure.counts else float(figure.x[1] - figure.x[0]) / 2
    x = across(figure.statistic, float(figure.x[0]) - half, float(figure.x[-1]) + half)
    if figure.counts:
        x["axis"] = alt.Axis(title=figure.statistic, tickMinStep=1, format="d")
    layers: list[Any] = []
    sides = [("null", parts["null"], figure.rejected, "on-region", "off-region")]
    if figure.alternative is not None:
        sides.append(("alternative", parts["alternative"], ~figure.rejected, "beta-region", "off-alternative"))
    for _, heights, strong, style, quiet in sides:
        for kept, name in ((strong, style), (~strong, quiet)):
            if kept.any():
                layers.append(_mass(figure, np.asarray(heights, float), kept, name, (x, y)))
    if not figure.counts:
        layers += _outlines(figure, x, y, len(names))
    if figure.normal is not None:
        curve = alt.Chart(rows({"x": figure.normal[0], "p": figure.normal[1]})).mark_line(style="reference")
        layers.append(curve.encode(alt.X("x:Q", **x), alt.Y("p:Q", **y)))
    if figure.observed is not None:
        rule = alt.Chart(rows({"x": [figure.observed]})).mark_rule(style="link", strokeWidth=1.6)
        layers.append(rule.encode(alt.X("x:Q", **x)))
    return layered(*layers, height=HEIGHT)


def _mass(figure: CriticalRegion, heights: Any, kept: Any, style: str, axes: tuple[Axis, Axis]) -> Any:
    """Bars of counts, or pieces of an area, where they count."""
    x, y = axes
    if figure.counts:
        width = 0.42 if figure.alternative is None else 0.21
        shift = 0.0 if figure.alternative is None else (0.22 if "beta" in style or "alternative" in style else -0.22)
        at = figure.x[kept] + shift
        bars = rows({"left": at - width, "right": at + width, "p": heights[kept]})
        return (
            alt.Chart(bars).mark_rect(style=style)
            .encode(alt.X("left:Q", **x), alt.X2("right:Q"), alt.Y("p:Q", **y), alt.Y2Datum(0))
        )  # fmt: skip
    piece = np.cumsum(np.concatenate([[0], np.diff(kept.astype(int)) != 0]))
    table = {"x": figure.x[kept], "p": heights[kept], "piece": piece[kept].tolist()}
    area = alt.Chart(rows(table)).mark_area(style=style)
    return area.encode(alt.X("x:Q", **x), alt.Y("p:Q", **y), alt.Y2Datum(0), alt.Detail("piece:N"))


def _outlines(figure: CriticalRegion, x: Axis, y: Axis, count: int) -> list[Any]:
    heights = [figure.null, *([] if figure.alternative is None else [figure.alternative])]
    table: dict[str, list[Any]] = {"m": [], "x": [], "p": []}
    for at, curve in enumerate(heights):
        table["m"] += [at] * len(curve)
        table["x"] += figure.x.tolist()
        table["p"] += curve.tolist()
    line = alt.Chart(rows(table)).mark_line()
    return [line.encode(alt.X("x:Q", **x), alt.Y("p:Q", **y), stroked(count), dashed(count))]


def instance_space_layers(figure: InstanceSpace) -> Drawing:
    """A cell per point, dots for rows, rectangles for the borders of the version space."""
    second = len(figure.attributes) > 1
    across_, up = len(figure.values[0]), len(figure.values[1]) if second else 1
    code = np.indices(tuple(len(values) for values in figure.values)).reshape(len(figure.values), -1)
    i, j = code[0], code[1] if second else np.zeros(len(figure.agreed), int)
    says = {0: 0, -1: 1, 1: 2}
    data = rows(
        {
            "left": i - 0.5, "right": i + 0.5, "bottom": j - 0.5, "top": j + 0.5,
            "g": [-1 - says[int(one)] for one in figure.agreed], "votes": figure.votes,
        }
    )  # fmt: skip
    x, y = (
        _cell_axis(figure.attributes[0], across_, "names"),
        _cell_axis(figure.attributes[1] if second else "", up, "lines"),
    )
    legend = alt.Legend(title=None, orient="top", symbolType="square", direction="vertical",
                        labelExpr="says[-1 - datum.value]")  # fmt: skip
    fill = alt.Fill("g:N", scale=alt.Scale(domain=[-1, -2, -3], range="category"), legend=legend)
    cell = alt.Chart(data).mark_rect(style=["cell", "pale"])
    told = tooltips({"share that says yes": "votes"})
    layers = [
        cell.encode(
            alt.X("left:Q", **x), alt.X2("right:Q"), alt.Y("bottom:Q", **y), alt.Y2("top:Q"), fill, tooltip=told
        )
    ]
    layers += _boxes(figure, x, y)
    labels = list(figure.seen)
    if "seen" in figure.parts:
        points = [(labels.index(label), at) for label, several in figure.seen.items() for at in several]
        table: dict[str, list[Any]] = {key: [int(code[at]) for _, at in points] for key, code in (("x", i), ("y", j))}
        table["text"] = ["+" if labels[label] == figure.labels[1] else "−" for label, _ in points]
        dots = alt.Chart(rows(table)).encode(alt.X("x:Q", **x), alt.Y("y:Q", **y))
        layers += [
            dots.mark_point(style="row-seen", size=260),
            dots.mark_text(style="label", fontSize=17, fontWeight=600).encode(alt.Text("text:N")),
        ]
    params = [named_by(figure.values[0]), named_by(figure.values[1] if second else [""], "lines")]
    words = [figure.labels[0], "undecided", figure.labels[1]]
    params += [named_by(words, "says"), named_by([""] * GROUND + list(figure.boxes), "boxes")]
    return layered(*layers, height=SQUARE if second else 120, params=params)


GROUND = 3
"""Colours that the ground of an instance space uses."""


def _cell_axis(title: str, count: int, names: str) -> Axis:
    axis = alt.Axis(
        title=title,
        values=list(range(count)),
        tickCount=count,  # the theme asks for fewer
        labelExpr=f"{names}[datum.value]",
        labelOverlap=False,
        grid=False,
        ticks=False,
        domain=False,
    )
    return {"scale": alt.Scale(domain=[-0.5, count - 0.5], nice=False, zero=False), "axis": axis}


def _boxes(figure: InstanceSpace, x: Axis, y: Axis) -> list[Any]:
    """Outlines, each kind a little further out, so that equal ones can be distinguished."""
    if "boxes" not in figure.parts:
        return []
    table: dict[str, list[Any]] = {"m": [], "left": [], "right": [], "bottom": [], "top": []}
    for number, several in enumerate(figure.boxes.values()):
        out = 0.28 + 0.1 * number
        for a, b, c, d in several:
            for key, value in zip(table, (number, a - out, b + out, c - out, d + out), strict=True):
                table[key].append(value)
    # the first colours are those of the ground
    numbers = [GROUND + number for number in range(len(figure.boxes))]
    legend = alt.Legend(
        title=None,
        orient="top",
        symbolType="stroke",
        labelExpr="boxes[datum.value]",
        values=numbers,
        direction="vertical",
    )
    scale = alt.Scale(domain=list(range(GROUND + len(figure.boxes))), range="category")
    table["m"] = [GROUND + number for number in table["m"]]
    return [
        alt.Chart(rows(table))
        .mark_rect(style="outline", filled=False)
        .encode(
            alt.X("left:Q", **x), alt.X2("right:Q"), alt.Y("bottom:Q", **y), alt.Y2("top:Q"),
            alt.Stroke("m:N", scale=scale, legend=legend),
        )
    ]  # fmt: skip


def hypothesis_layers(figure: HypothesisErrors) -> Drawing:
    """A dot per pair of errors, the line on which they are equal, and the pair that shows overfitting."""
    highest = float(max(figure.sample.max(), figure.true.max(), 0.05))
    x, y = across("sample error", -0.02, highest + 0.04), across("true error", -0.02, highest + 0.04)
    line = alt.Chart(rows({"x": [0.0, highest], "y": [0.0, highest]})).mark_line(style="reference")
    table = {"x": figure.sample, "y": figure.true, "count": figure.count}
    size = alt.Size("count:Q", scale=alt.Scale(range=[18, 320]), legend=None)
    dots = alt.Chart(rows(table)).mark_point(style="dot")
    says = tooltips({"sample error": "x", "true error": "y", "hypotheses": "count"})
    layers = [
        line.encode(alt.X("x:Q", **x), alt.Y("y:Q", **y)),
        dots.encode(alt.X("x:Q", **x), alt.Y("y:Q", **y), size, tooltip=says),
    ]
    if figure.marked:
        pair: dict[str, list[Any]] = {"x": [], "y": [], "text": []}
        for name, (sample, true) in figure.marked.items():
            pair["x"].append(sample)
            pair["y"].append(true)
            pair["text"].append(name)
        marked = alt.Chart(rows(pair)).encode(alt.X("x:Q", **x), alt.Y("y:Q", **y))
        layers += [
            marked.mark_line(style="settled"),
            marked.mark_point(style="strong-place", size=110),
            marked.mark_text(style="label", dx=10, dy=-10, align="left", fontSize=15).encode(alt.Text("text:N")),
        ]
    return layered(*layers, height=SQUARE)


def roc_step_layers(figure: RocSteps) -> Drawing:
    """The curve with a dot per step; labels where there is room."""
    columns = figure.parts["steps"]
    x = share("false positive rate: share of the negatives predicted positive")
    y = share("recall: share of the positives found", upright=True)
    table = {"x": columns["false_positive_rate"], "y": columns["recall"], **threshold_lines(figure)}
    table |= {"at": list(range(len(table["text"])))}
    data = alt.Chart(rows(table)).encode(alt.X("x:Q", **x), alt.Y("y:Q", **y))
    diagonal = alt.Chart(rows({"x": [0, 1], "y": [0, 1]})).mark_line(style="reference")
    layers = [
        diagonal.encode(alt.X("x:Q", **x), alt.Y("y:Q", **y)),
        data.mark_line(style="edge", strokeWidth=2).encode(alt.Order("at:Q")),
        data.mark_point(style="value", size=45).encode(tooltip=tooltips({"step": "text:N"})),
    ]
    if figure.steps <= FEW_STEPS:
        words = data.mark_text(style="quiet-label", align="left", dx=8, dy=7, angle=30)
        layers.append(words.encode(alt.Text("text:N")))
    return layered(*layers, height=460)
