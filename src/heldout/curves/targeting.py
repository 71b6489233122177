"""Cumulative gain and lift: what taking the rows with the highest scores yields."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from heldout.curves.bands import GRID, Curve, banded, class_covariance, grid_places
from heldout.formulas.ranking import densities_at
from heldout.tallies.scores import Scores


def gain_curve(tally: Scores, *, level: float, seed: int) -> Curve:
    """Share of the positives among the rows with the highest scores, by the share of the rows taken."""
    below = tally.positives_below + tally.negatives_below
    total, rest = tally.positives_below[-1], tally.negatives_below[-1]
    taken = 1 - below[::-1] / below[-1]
    gained = 1 - tally.positives_below[::-1] / total if total else np.full(len(taken), np.nan)
    band = {}
    if total > 0 and rest > 0:
        depth = np.linspace(0, 1, GRID)[1:]
        places = np.minimum(grid_places(taken[:0:-1], depth), len(below) - 2)
        dense_positive, dense_negative = densities_at(tally.positives_below, tally.negatives_below, places)
        mix = dense_positive * total / (dense_positive * total + dense_negative * rest)
        covariance = class_covariance(tally, places, 1 - mix, -mix * rest / total)
        if not (tally.clustered or tally.weighted):
            # drawing rows, not classes: how many positives there are is random too, and moves the cut
            share = total / (total + rest)
            above = 1 - tally.positives_below[places] / total
            alarms = 1 - tally.negatives_below[places] / rest
            moved = mix / share * (above - alarms)
            covariance = covariance + np.outer(moved, moved) * share * (1 - share) / (total + rest)
        band = banded(
            depth, np.interp(depth, taken, gained), covariance, level=level, seed=seed, at_edge=min(total, rest)
        )
    return Curve(
        name="gain",
        x="taken",
        y="gained",
        points={"threshold": np.concatenate([[np.inf], tally.values[::-1]]), "taken": taken, "gained": gained},
        band=band,
        level=level,
        method="influence, sup-t",
    )


def lift_curve(tally: Scores, *, level: float, seed: int) -> Curve:
    """How many times denser positives are among the rows with the highest scores, by the share of the rows taken."""
    gain = gain_curve(tally, level=level, seed=seed)
    taken = gain.points["taken"][1:]
    points = {
        "threshold": gain.points["threshold"][1:],
        "taken": taken,
        "lift": gain.points["gained"][1:] / taken,
    }
    band = {name: column if name == "x" else column / gain.band["x"] for name, column in gain.band.items()}
    return replace(gain, name="lift", y="lift", points=points, band=band)
