"""Answers by area: for every entry an area may ask for, how heldout is asked for it."""

from __future__ import annotations

from tests.oracles.answers import (
    bootstrap,
    calibration,
    classical,
    comparisons,
    costs,
    labels,
    learners,
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
    "bayes-signed-rank": learners.PROBABLE,
    "binomial-test": classical.BINOMIAL,
    "bootstrap-ci": bootstrap.BOOTSTRAP,
    "calibration": calibration.CALIBRATION,
    "chi2": classical.CHI_SQUARE,
    "confusion": labels.CONFUSION,
    "confusion-ci": labels.CONFUSION_INTERVALS,
    "cost": costs.COST,
    "curves": sweeps.CURVES,
    "interval-forecast": regression.FORECAST,
    "labels": labels.LABELS,
    "labels-weighted": labels.LABELS,
    "likelihood-ratio": classical.RATIO,
    "many-learners": learners.LEARNERS,
    "many-models": comparisons.MODELS,
    "mcnemar": comparisons.DISCORDANT,
    "multi-output": regression.SEVERAL,
    "multiclass-auc": probabilities.MULTICLASS,
    "multiclass-labels": labels.MULTICLASS,
    "multiclass-probability": probabilities.MULTICLASS,
    "multinomial-ci": shares.MULTINOMIAL,
    "neyman-pearson": classical.CERTIFIED,
    "p-adjust": comparisons.ADJUSTED,
    "paired-loss": comparisons.LOSSES,
    "paired-proportion-diff": comparisons.PAIRED,
    "permutation": comparisons.PERMUTATION,
    "pr": sweeps.PRECISION_RECALL,
    "probability": probabilities.PROBABILITY,
    "probability-weighted": probabilities.PROBABILITY,
    "proper-scores": probabilities.PROBABILITY,
    "proportion-ci": shares.PROPORTION,
    "regression": regression.REGRESSION,
    "regression-ci": regression.INTERVALS,
    "roc": operating.ROC,
    "threshold-sweep": sweeps.SWEEP,
    "two-learners-many-sets": learners.PAIRS,
    "two-proportions": comparisons.UNPAIRED,
    "weka-evaluation": weka.WEKA,
}
