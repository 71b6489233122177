"""Precision against recall."""

from __future__ import annotations

import numpy as np

from heldout.curves.bands import GRID, Curve, banded, class_covariance, grid_places
from heldout.formulas.ranking import densities_at
from heldout.tallies.scores import Scores


def precision_recall_curve(tally: Scores, *, level: float, seed: int) -> Curve:
    """Precision against recall from (0, 1) on, with bands of precision at the threshold of a given recall."""
    total, rest = tally.positives_below[-1], tally.negatives_below[-1]
    found, wrong = (total - tally.positives_below)[-2::-1], (rest - tally.negatives_below)[-2::-1]
    precision = found / (found + wrong)
    recall = found / total if total else np.full(len(found), np.nan)
    band = {}
    if total > 0 and rest > 0:
        at = np.linspace(0, 1, GRID)[1:-1]  # where every positive is found hangs on the lowest one alone
        # the highest threshold that reaches the recall
        places = np.clip(grid_places(recall[::-1], at) - 1, 0, len(recall) - 1)
        places = np.where(recall[::-1][places] < at - 1e-12, np.maximum(places - 1, 0), places)
        tp, fp = found[::-1][places], wrong[::-1][places]
        at_threshold = tp / (tp + fp)
        # precision = TP / (TP + FP): how it moves with recall and with the false positive rate
        on_fpr = -tp * rest / (tp + fp) ** 2
        dense_positive, dense_negative = densities_at(tally.positives_below, tally.negatives_below, places)
        on_recall = -on_fpr * dense_negative / dense_positive
        covariance = class_covariance(tally, places, on_recall, on_fpr)
        # drawing rows, not classes: how many positives there are is random too
        share = total / (total + rest)
        mixed = at_threshold * (1 - at_threshold)
        if not (tally.clustered or tally.weighted):
            covariance = covariance + np.outer(mixed, mixed) / (share * (1 - share) * (total + rest))
        band = banded(at, at_threshold, covariance, level=level, seed=seed, at_edge=max(float(np.min(tp + fp)), 1.0))
    return Curve(
        name="precision_recall",
        x="recall",
        y="precision",
        points={
            "threshold": np.concatenate([[np.inf], tally.values[::-1]]),
            "recall": np.concatenate([[0.0], recall]),
            "precision": np.concatenate([[1.0], precision]),
        },
        band=band,
        level=level,
        method="influence, sup-t",
        notes=(f"a predictor without skill has precision {total / (total + rest):.3g} at every recall",),
    )
