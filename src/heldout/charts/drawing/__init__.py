"""Figures as Vega-Lite specifications, written with Altair; what a user named is data, never an expression."""

from __future__ import annotations

from importlib import import_module
from json import loads
from typing import Any

from heldout.charts.drawing.theme import theme
from heldout.charts.figure import Figure
from heldout.optional_packages import needed

HOMES = {
    "roc": "line_charts:curve_layers",
    "precision_recall": "line_charts:curve_layers",
    "gain": "line_charts:curve_layers",
    "lift": "line_charts:curve_layers",
    "cost": "line_charts:curve_layers",
    "calibration": "line_charts:calibration_layers",
    "scores": "distribution_charts:score_layers",
    "confusion": "distribution_charts:confusion_layers",
    "metrics": "forest_charts:forest_panels",
    "differences": "forest_charts:difference_panels",
    "segments": "forest_charts:segment_layers",
    "sizes": "forest_charts:forest_panels",
    "by_iou": "learner_charts:overlap_layers",
    "segment_values": "distribution_charts:segment_value_layers",
    "classes": "forest_charts:segment_layers",
    "ranks": "line_charts:rank_layers",
    "predicted": "distribution_charts:predicted_layers",
    "residuals": "distribution_charts:residual_layers",
    "quantiles": "distribution_charts:quantile_layers",
    "learning_curve": "learner_charts:learning_layers",
    "fold_choice": "learner_charts:fold_choice_layers",
    "fold_bias": "learner_charts:fold_choice_layers",
    "fold_values": "learner_charts:fold_value_layers",
    "bias_variance": "distribution_charts:bias_variance_layers",
    "more_data": "learner_charts:more_data_layers",
    "rates": "simulation_charts:rate_layers",
    "estimates": "simulation_charts:rate_layers",
    "verdicts": "simulation_charts:verdict_layers",
    "shift": "simulation_charts:rate_layers",
    "holdout": "simulation_charts:rate_layers",
    "part_sizes": "simulation_charts:rate_layers",
    "part_shares": "simulation_charts:verdict_layers",
    "errors": "simulation_charts:simulated_line_layers",
    "parts": "simulation_charts:simulated_line_layers",
    "predictions": "simulation_charts:simulated_line_layers",
    "power": "simulation_charts:simulated_line_layers",
    "remaining": "simulation_charts:simulated_line_layers",
    "critical_region": "concept_charts:critical_region_layers",
    "joint": "concept_charts:probability_layers",
    "class_given_x": "concept_charts:probability_layers",
    "x_given_class": "concept_charts:probability_layers",
    "bayes_regions": "concept_charts:region_layers",
    "instance_space": "concept_charts:instance_space_layers",
    "overfitting": "concept_charts:hypothesis_layers",
    "roc_steps": "concept_charts:roc_step_layers",
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
    """A figure as a Vega-Lite specification.

    Parameters
    ----------
    figure : Figure
        The numbers of a chart, such as `result.plot.figure("roc")`.
    dark : bool, default False
        Whether colours suit a dark background.
    titled : bool, default False
        Whether title and caption are part of the chart.
    themed : bool, default True
        Whether the theme is in `config`; False leaves it to the page that embeds the chart.
    width : int or "container", default "container"
        Width in pixels; "container" is as wide as what contains it. Charts of several panels have a width of
        their own.

    Returns
    -------
    dict
        The specification.

    Examples
    --------
    >>> from heldout import evaluate
    >>> figure = evaluate([0, 1, 1, 0], [0, 1, 0, 0]).plot.figure("confusion")
    >>> spec(figure, themed=False)["config"]
    {}
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
    debug_mode = needed("altair.utils.schemapi", "charts need").debug_mode
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
