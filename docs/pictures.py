"""The pictures of "Measured error rates": small multiples of a rate against n, as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from textwrap import wrap
from typing import Any

import altair as alt
import vl_convert

from docs.goals import GOAL, SIZE, SLACK
from docs.rates import UNMEASURED, Cards, cards
from heldout.cards.lookup import LEVEL, Card
from heldout.formulas import METRICS

READS = {
    "labels": ("labels",),
    "order": ("scores", "columns"),
    "probabilities": ("losses", "reliability"),
    "numbers": ("numbers", "ordered"),
}
"""What metrics of one picture read."""
PEERS = (
    ("coin:p=0.99", "accuracy"),
    ("labels:prevalence=0.05", "recall"),
    ("labels:prevalence=0.05", "f1"),
    ("binormal:auc=0.97", "roc_auc"),
)
"""Worlds and metrics in which packages are set side by side."""
PACKAGES = {
    "heldout": ("#0072b2", 6, [1, 0]),
    "confidenceinterval": ("#e69f00", 2, [1, 0]),
    "by hand": ("#cc79a7", 2, [4, 4]),
    "statsmodels": ("#d55e00", 2, [1, 0]),
    "pycm": ("#000000", 2, [5, 5]),
    "scipy": ("#009e73", 2, [1, 0]),
}
"""Colour, width and dashes, in the order in which lines are drawn. The colours are told apart by people who see no red
or no green; ours is broad and some are dashed, so that lines which lie upon each other are seen."""
NAMED = {"by hand": "DeLong, normal (as pROC)", "scipy": "scipy (BCa bootstrap)"}
DARK, PALE, BAND, GREY = "#0072b2", "#8ec1e0", "#e4e4e4", "#8a8a8a"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What all panels of a picture have in common."""

    low: float
    high: float
    band: tuple[float, float]
    level: float
    ticks: tuple[float, ...]
    columns: int = 4
    width: int = 144
    height: int = 80


COVERAGE = Frame(low=80, high=100, band=(100 * GOAL[0], 100 * GOAL[1]), level=100 * LEVEL, ticks=(80, 85, 90, 95, 100))
SIZES = Frame(low=0, high=12, band=(0, 100 * SIZE), level=100 * (1 - LEVEL), ticks=(0, 5, 10))
BESIDE = Frame(
    low=0,
    high=100,
    band=COVERAGE.band,
    level=COVERAGE.level,
    ticks=(0, 25, 50, 75, 95),
    columns=2,
    width=300,
    height=170,
)


def pages(stored: Mapping[str, Any], peers: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """File name to Markdown that shows pictures, and file name to the SVG of each."""
    coverage = pictures(cards(stored, "intervals"), "coverage", COVERAGE, "Coverage of the default interval")
    sizes = pictures(cards(stored, "tests"), "sizes", SIZES, "Type I error of the default test")
    beside = {"peers-coverage": side_by_side(peers)}
    shown = {"picture-coverage": coverage, "picture-sizes": sizes, "picture-peers": beside}
    return (
        {name: "\n".join(starmap(image, made.items())) or UNMEASURED for name, made in shown.items()},
        {name: svg for made in shown.values() for name, (svg, _) in made.items()},
    )


def image(name: str, made: tuple[str, str]) -> str:
    return f"![{made[1]}](_generated/{name}.svg)\n"


def pictures(found: Cards, stem: str, frame: Frame, what: str) -> dict[str, tuple[str, str]]:
    """A picture and its text per kind of metric that was measured."""
    made = {}
    for kind, reads in READS.items():
        chosen = {
            name: named["auto"] for name, named in found.items() if METRICS[name].reads in reads and "auto" in named
        }
        if chosen:
            text = f"{what} against n, metrics of {kind}: {', '.join(chosen)}. The tables have the numbers."
            made[f"{stem}-{kind}"] = small_multiples(alike(chosen), frame), text
    return made


def alike(chosen: Mapping[str, Sequence[Card]]) -> dict[str, Sequence[Card]]:
    """Metrics with the same rates share a panel."""
    panels: dict[tuple[tuple[str, int, float], ...], list[str]] = {}
    for name, given in chosen.items():
        panels.setdefault(tuple((one.world, one.n, one.rate) for one in given), []).append(name)
    return {", ".join(names): chosen[names[0]] for names in panels.values()}


def small_multiples(panels: Mapping[str, Sequence[Card]], frame: Frame) -> str:
    """A panel per metric: the worlds as pale lines, their mean as a dark one with its Monte-Carlo error."""
    points = [
        {"panel": titled(names, frame), "n": one.n, "rate": 100 * one.rate, "line": one.world, "error": 100 * one.error}
        for names, given in panels.items()
        for one in given
    ]
    each = alt.Chart().mark_line(color=PALE, strokeWidth=1, clip=True).encode(*axes(frame), alt.Detail("line:N"))
    means = (
        alt.Chart()
        .transform_calculate(square="datum.error * datum.error")
        .transform_aggregate(rate="mean(rate)", squares="sum(square)", worlds="count()", groupby=["panel", "n"])
        .transform_calculate(reach=f"{SLACK} * sqrt(datum.squares) / datum.worlds")
        .transform_calculate(least="datum.rate - datum.reach", most="datum.rate + datum.reach")
    )
    x, y = axes(frame)
    bars = means.mark_rule(color=DARK, clip=True).encode(x, alt.Y("least:Q", **up(frame)), alt.Y2("most:Q"))
    line = means.mark_line(color=DARK, strokeWidth=2, clip=True, point={"color": DARK, "size": 14, "clip": True})
    key = "dark: mean over simulations, bars: two Monte-Carlo errors · pale: each simulation · "
    return drawn(points, [each, bars, line.encode(x, y)], frame, key)


def side_by_side(peers: Mapping[str, Any]) -> tuple[str, str]:
    """Coverage of our defaults and of those of other packages, in a few worlds."""
    points = [
        {"panel": titled(f"{one['metric']} in {one['world']}", BESIDE), "n": one["n"], "rate": 100 * one["rate"]}
        | {"line": NAMED.get(one["package"], one["package"])}
        for world in PEERS
        for one in peers["lines"]
        if (one["question"], one["world"], one["metric"]) == ("interval", *world) and one["rate"] is not None
    ]
    where = "; ".join(f"{metric} in {world}" for world, metric in PEERS)
    packages = ", ".join(dict.fromkeys(one["line"] for one in points))
    text = f"Coverage against n of the intervals of {packages}: {where}. The table has the numbers."
    return drawn(points, by_package(), BESIDE, ""), text


def by_package() -> list[Any]:
    """One line per package."""
    names = [NAMED.get(name, name) for name in PACKAGES]
    scale = alt.Scale(domain=names, range=[colour for colour, _, _ in PACKAGES.values()])
    legend = alt.Legend(title=None, orient="top", symbolType="stroke", symbolStrokeWidth=3, columns=6, labelLimit=0)
    colour = alt.Color("line:N", scale=scale, legend=legend)
    return [
        alt.Chart()
        .transform_filter(alt.FieldEqualPredicate(field="line", equal=name))
        .mark_line(clip=True, strokeWidth=width, strokeDash=dashes)
        .encode(*axes(BESIDE), colour)
        for name, (_, width, dashes) in zip(names, PACKAGES.values(), strict=True)
    ]


def titled(words: str, frame: Frame) -> str:
    """The words in lines that fit above a panel."""
    return "\n".join(wrap(words, int(frame.width / 4.6), break_long_words=False, break_on_hyphens=False))


def axes(frame: Frame) -> tuple[Any, Any]:
    """Rows on a log scale, a rate in percent."""
    across = alt.Axis(values=[10, 100, 1000], title=None, grid=False, domain=False, format="d")
    return alt.X("n:Q", scale=alt.Scale(type="log", domain=[9, 2200], nice=False), axis=across), alt.Y(
        "rate:Q", **up(frame)
    )


def up(frame: Frame) -> dict[str, Any]:
    """The scale and the axis of a rate, the same in every layer."""
    axis = alt.Axis(
        values=list(frame.ticks),
        title=None,
        grid=False,
        domain=False,
        labelOverlap=False,
        labelExpr="datum.value + '%'",
    )
    return {"scale": alt.Scale(domain=[frame.low, frame.high], nice=False, zero=False), "axis": axis}


def drawn(points: Sequence[Mapping[str, Any]], layers: Sequence[Any], frame: Frame, key: str) -> str:
    """The panels in lines, each with the band of the goal and the nominal level behind its lines, as SVG on white."""
    once = alt.Chart().transform_aggregate(points="count()", groupby=["panel"])
    band = once.mark_rect(color=BAND).encode(y=alt.YDatum(frame.band[0], **up(frame)), y2=alt.Y2Datum(frame.band[1]))
    level = once.mark_rule(color=GREY, strokeDash=[3, 2]).encode(y=alt.YDatum(frame.level, **up(frame)))
    words = f"{key}grey: {frame.band[0]:g} to {frame.band[1]:g}% · dashed: {frame.level:g}% · across: n, on a log scale"
    header = alt.Header(
        title=None,
        labelExpr="split(datum.label, '\\n')",
        labelFontSize=9,
        labelFontWeight="bold",
        labelAnchor="start",
        labelPadding=3,
    )
    order = list(dict.fromkeys(one["panel"] for one in points))
    panels = (
        alt.layer(band, level, *layers, data=alt.Data(values=list(points)))
        .properties(width=frame.width, height=frame.height)
        .facet(facet=alt.Facet("panel:N", header=header, sort=order), columns=frame.columns, spacing=12)
        .properties(title=alt.TitleParams(words, fontSize=11, fontWeight="normal", anchor="start", offset=12))
        .configure(background="white")
        .configure_view(stroke="#bbbbbb")
    )
    svg: str = vl_convert.vegalite_to_svg(panels.to_json())
    return svg
