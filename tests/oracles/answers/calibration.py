"""Probabilities against what happened."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

import heldout
from tests.oracles.answers.asking import Answers, chances
from tests.oracles.reader import Case

VAL_PROB = {
    "Dxy": "gini",
    "C (ROC)": "roc_auc",
    "Brier": "brier",
    "Intercept": "calibration_intercept",
    "Slope": "calibration_slope",
}
EQUAL = {"uniform": "width", "quantile": "mass"}
NORMS = {"l1": 1.0, "l2": 2.0, "max": inf}


def curve(found: heldout.Evaluation, bins: int, equal: str) -> dict[str, np.ndarray]:
    """Mean probability, share that happened and rows of each bin that is not empty."""
    return dict(found.curve("calibration", bins=bins, equal=equal).points)


def gaps(found: heldout.Evaluation, bins: int, equal: str) -> np.ndarray:
    made = curve(found, bins, equal)
    return np.abs(made["happened"] - made["chance"])


def gap(found: heldout.Evaluation, bins: int, equal: str, norm: float) -> float:
    """Distance of probability and frequency over the bins of the calibration curve, not corrected for chance."""
    apart = gaps(found, bins, equal)
    if norm == inf:
        return float(apart.max())
    return float(np.average(apart**norm, weights=curve(found, bins, equal)["rows"]) ** (1 / norm))


def reliability(case: Case, kind: str, bins: str) -> list[np.ndarray]:
    made = curve(chances(case), int(bins), EQUAL[kind])
    return [made["happened"], made["chance"]]


def plug_in(case: Case, norm: str, bins: str) -> float:
    return gap(chances(case), int(bins), "width", NORMS[norm])


def val_prob(case: Case) -> dict[str, Any]:
    """Its probabilities were kept 1e-15 from 0 and 1, which makes ties of some: so are ours."""
    found = chances(case, 1e-15)
    return {entry: found[metric] for entry, metric in VAL_PROB.items()}


CALIBRATION: Answers = {
    r"val\.prob": val_prob,
    r"(uniform|quantile)(\d+)": reliability,
    r"(l1|l2|max)_(\d+)bins": plug_in,
    "uc_l2_debiased": lambda case: chances(case)["rms_calibration_error_debiased"],
    "uc_(l1|l2)_plugin": lambda case, norm: gap(chances(case), 15, "mass", NORMS[norm]),
    r"netcal_ece(\d+)": lambda case, bins: gap(chances(case), int(bins), "width", 1),
    r"netcal_mce(\d+)": lambda case, bins: gap(chances(case), int(bins), "width", inf),
    r"netcal_ace(\d+)": lambda case, bins: gaps(chances(case), int(bins), "width").mean(),
}
