"""Expected cost over operating conditions."""

from __future__ import annotations

import numpy as np

from heldout.curves.bands import GRID, Curve, banded, class_covariance
from heldout.formulas.ranking import roc_points
from heldout.tallies.scores import Scores


def cost_curve(tally: Scores, *, level: float, seed: int) -> Curve:
    """The least normalised expected cost over thresholds: (1 - TPR) x + FPR (1 - x) [drummond06].

    x = p C_FN / (p C_FN + (1 - p) C_FP) is the operating condition: prevalence and costs in one number. The curve is
    the lower envelope of one straight line per threshold.
    """
    fpr, tpr = roc_points(tally.positives, tally.negatives)
    x = np.linspace(0, 1, GRID)
    best = np.array([int(np.argmin((1 - tpr) * at + fpr * (1 - at))) for at in x])
    y = (1 - tpr[best]) * x + fpr[best] * (1 - x)
    places = len(tally.values) - best
    covariance = class_covariance(tally, places, -x, 1 - x)
    smaller = float(min(tally.positives.sum(), tally.negatives.sum()))
    thresholds = np.concatenate([[np.inf], tally.values[::-1]])[best]
    return Curve(
        name="cost",
        x="probability_cost",
        y="expected_cost",
        points={"threshold": thresholds, "probability_cost": x, "expected_cost": y},
        band=banded(x, y, covariance, level=level, seed=seed, at_edge=max(smaller, 1.0)),
        level=level,
        method="influence, sup-t",
        notes=("the threshold of each point was chosen on the same rows, so the cost looks lower than it is",),
    )
