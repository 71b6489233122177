"""Charts of what simulations measure of estimates and learners, from the dictionaries of their results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from heldout.charts.learner_figures import FoldChoice
from heldout.charts.simulation_figures import Line, Rate, RateForest, SimulatedLines, rate

Facts = Mapping[str, Any]


def _rates(*found: Rate | None) -> list[Rate]:
    return [one for one in found if one is not None]


def selection_bias_figure(d: Facts) -> RateForest:
    """How far each estimate of the winner's accuracy is from its true accuracy."""
    biases = [rate(name.replace("_", " "), one["value"], one["error"], 0.0) for name, one in d["biases"].items()]
    return RateForest(
        view="estimates",
        heading=f"Bias of estimates of the best of {d['configurations']} configurations",
        x="estimated minus true accuracy",
        rates=_rates(*biases),
        wanted="no bias",
    )


def threshold_bias_figure(d: Facts) -> RateForest:
    """The cost that a chosen threshold seems to have, and the one that it has."""
    names = {"apparent": "on the rows that chose it", "cross_fitted": "cross-fitted", "truth": "true cost"}
    costs = [rate(words, d[key]["value"], d[key]["error"], d["best"]) for key, words in names.items()]
    return RateForest(
        view="estimates",
        heading=f"Cost of a threshold chosen on {d['n']} rows",
        x="mean cost of a row",
        rates=_rates(*costs),
        wanted="the cost of the best threshold",
    )


def estimation_bias_figure(d: Facts) -> RateForest:
    """The mean of each estimate of an error beside the true error that it is for."""
    every = [
        rate(f"{one['name']}, for {one['target']}", one["mean"]["value"], one["mean"]["error"], one["truth"]["value"])
        for one in d["estimators"]
    ]
    return RateForest(
        view="estimates",
        heading=f"Estimates of the error of {d['learner']}, {d['n']} rows",
        x="mean of the estimate",
        rates=_rates(*every),
        wanted="the mean true error of the target",
    )


def folds_figure(d: Facts) -> FoldChoice:
    """Bias and spread of cross-validation against the number of folds."""
    found = sorted((one for one in d["estimators"] if one["folds"]), key=lambda one: int(one["folds"]))
    return FoldChoice(
        metric="error_rate",
        folds=np.array([one["folds"] for one in found]),
        rows=d["n"],
        bias=np.array([one["bias"]["value"] for one in found]),
        variance=np.array([one["variance"]["value"] for one in found]),
    )


def ceiling_figure(d: Facts) -> RateForest:
    """The bounds on the Bayes error with their intervals."""
    bounds = {"upper bound (nearest neighbours)": d["upper"], "lower bound (Cover and Hart)": d["lower"]}
    if d["repeats"] is not None:
        bounds["floor, where rows repeat"] = d["repeats"]["floor"]
    found = [Rate(name=name, value=one["value"], low=one["low"], high=one["high"]) for name, one in bounds.items()]
    return RateForest(
        view="estimates",
        heading="Bounds on the Bayes error",
        x="error rate",
        rates=found,
        wanted="",
        bars=f"{d['level']:.0%} confidence intervals",
    )


def predictions_figure(d: Facts) -> SimulatedLines:
    """The mean prediction at each x and how much predictions vary, beside the truth."""
    curve = {key: np.array([point[key] for point in d["curve"]]) for key in ("x", "truth", "mean", "variance")}
    return SimulatedLines(
        view="predictions",
        heading=f"Predictions of {d['learner']} in {d['world']}",
        x="x",
        y="y",
        lines={
            "mean prediction": Line(x=curve["x"], y=curve["mean"], error=np.sqrt(np.maximum(curve["variance"], 0))),
            "truth, f(x)": Line(x=curve["x"], y=curve["truth"]),
        },
        reading=f"Band: one standard deviation of predictions over {d['repeats']:,} training sets of {d['n']} rows.",
        dots=False,
    )
