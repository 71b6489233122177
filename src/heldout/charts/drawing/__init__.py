"""Figures as Vega-Lite specifications, written with Altair; what a user named is data, never an expression."""

from __future__ import annotations

from importlib import import_module
from json import loads
from typing import Any

from heldout.charts.drawing.theme import theme
from heldout.charts.extra import needed
from heldout.charts.figure import Figure

HOMES = {
    "roc": "lines:curve_layers",
    "precision_recall": "lines:curve_layers",
    "gain": "lines:curve_layers",
    "lift": "lines:curve_layers",
    "cost": "lines:curve_layers",
    "calibration": "reliability:calibration_layers",
    "scores": "spreads:score_layers",
    "confusion": "cells:confusion_layers",
    "metrics": "forests:forest_panels",
    "differences": "forests:difference_panels",
    "segments": "forests:segment_layers",
    "sizes": "forests:forest_panels",
    "by_iou": "images:overlap_layers",
    "segment_values": "segments:segment_value_layers",
    "classes": "forests:segment_layers",
    "ranks": "rank_lines:rank_layers",
    "predicted": "errors:predicted_layers",
    "residuals": "errors:residual_layers",
    "quantiles": "errors:quantile_layers",
    "learning_curve": "learning:learning_layers",
    "fold_choice": "learning:fold_choice_layers",
    "fold_values": "learning:fold_value_layers",
    "bias_variance": "parts:bias_variance_layers",
    "more_data": "learning:more_data_layers",
}
"""Where the function lives that draws a kind of figure."""
WIDTH = 560
"""Pixels of charts that cannot follow their container: those of several panels, and pictures in files."""
SQUARE = 400
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"


def spec(
    figure: Figure,
    *,
    dark: bool = False,
    titled: bool = False,
    themed: bool = True,
    width: int | str = "container",
) -> dict[str, Any]:
    """The figure as a Vega-Lite specification; `themed=False` leaves out the look, to be given when it is embedded.

    Charts of one panel are as wide as what contains them, unless a width is given.
    """
    made = _drawn(figure)
    panels = "vconcat" in made
    if not panels:
        made["width"] = width
    if width == "container":
        made["autosize"] = {"type": "fit-x" if not panels else "pad", "contains": "padding"}
    made["description"] = figure.alt
    if titled:
        made["title"] = {"text": figure.title, "subtitle": _lines(figure.caption)}
    made["config"] = theme(dark) if themed else {}
    return made


def _drawn(figure: Figure) -> dict[str, Any]:
    """The specification without its look. What we write is checked by the tests, not at every drawing."""
    needed("altair")
    from altair.utils.schemapi import debug_mode

    module, _, name = HOMES[figure.kind].partition(":")
    with debug_mode(False):
        made: dict[str, Any] = getattr(import_module(f"heldout.charts.drawing.{module}"), name)(figure)
    return {"$schema": SCHEMA, **_with_records(made)}


def _with_records(node: Any) -> Any:
    """The same with data as records, where it travelled as text."""
    if isinstance(node, list):
        return [_with_records(one) for one in node]
    if not isinstance(node, dict):
        return node
    return {
        key: {**one, "values": loads(one["values"])}
        if key == "data" and isinstance(one.get("values"), str)
        else _with_records(one)
        for key, one in node.items()
    }


def _lines(caption: str) -> list[str]:
    """A caption in lines that fit above a chart."""
    from textwrap import wrap

    return wrap(caption, 78, break_long_words=True)[:4]
