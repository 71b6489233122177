"""Answers by area: for every entry an area may ask for, how heldout is asked for it."""

from __future__ import annotations

from tests.oracles.answers import (
    bootstrap,
    calibration,
    costs,
    labels,
    operating,
    probabilities,
    regression,
    shares,
    sweeps,
    weka,
)
from tests.oracles.answers.asking import Answers, answered

__all__ = ["AREAS", "answered"]

AREAS: dict[str, Answers] = {
    "agreement": labels.AGREEMENT,
    "bootstrap-ci": bootstrap.BOOTSTRAP,
    "calibration": calibration.CALIBRATION,
    "confusion": labels.CONFUSION,
    "confusion-ci": labels.CONFUSION_INTERVALS,
    "cost": costs.COST,
    "curves": sweeps.CURVES,
    "interval-forecast": regression.FORECAST,
    "labels": labels.LABELS,
    "labels-weighted": labels.LABELS,
    "multi-output": regression.SEVERAL,
    "multiclass-auc": probabilities.MULTICLASS,
    "multiclass-labels": labels.MULTICLASS,
    "multiclass-probability": probabilities.MULTICLASS,
    "multinomial-ci": shares.MULTINOMIAL,
    "pr": sweeps.PRECISION_RECALL,
    "probability": probabilities.PROBABILITY,
    "probability-weighted": probabilities.PROBABILITY,
    "proper-scores": probabilities.PROBABILITY,
    "proportion-ci": shares.PROPORTION,
    "regression": regression.REGRESSION,
    "regression-ci": regression.INTERVALS,
    "roc": operating.ROC,
    "threshold-sweep": sweeps.SWEEP,
    "weka-evaluation": weka.WEKA,
}
