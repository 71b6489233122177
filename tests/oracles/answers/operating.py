"""The ROC curve: areas, their intervals, and what single thresholds do."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

import heldout
from tests.oracles.answers.asking import NARROW, Answers, ends, points, ranked, ranking, rows, standard_error
from tests.oracles.reader import Case

KINDS = {"": "partial_auc", "_corrected": "partial_auc_standardized"}


def partial_area(case: Case, axis: str, high: str, low: str, kind: str | None) -> heldout.Estimate:
    """Area between two specificities, or (by swapping the classes) between two sensitivities."""
    between = f"{1 - float(high):.6g}-{1 - float(low):.6g}"
    return ranked(case, f"{KINDS[kind or '']}@{between}", swapped=axis == "sens")


def variance(case: Case) -> float:
    return standard_error(ranked(case, method="delong", confidence_level=NARROW)) ** 2


def interval(case: Case, percent: str) -> list[float]:
    return ends(ranked(case, method="delong", confidence_level=float(percent) / 100))


def midway(case: Case) -> np.ndarray:
    """Thresholds by falling score, halfway to the next lower score; infinite before the first and after the last."""
    at = points(case, "sweep")["threshold"][1:]
    return np.concatenate([[inf], (at[1:] + at[:-1]) / 2, [-inf]])


def best(case: Case, merit: np.ndarray) -> dict[str, Any]:
    """What holds at the thresholds of highest merit."""
    sweep = points(case, "sweep", "recall", "specificity")
    at = np.flatnonzero(np.isclose(merit, merit.max(), rtol=1e-12, atol=1e-12))[::-1]
    told = {"threshold": midway(case), "sensitivity": sweep["recall"], "specificity": sweep["specificity"]}
    told |= {name: sweep[name] for name in ("tp", "fp", "tn", "fn")}
    return {name: column[at] if len(at) > 1 else column[at[0]] for name, column in told.items()}


def weighted_youden(case: Case, cost: float = 1.0, prevalence: float = 0.5) -> dict[str, Any]:
    """Recall + r specificity, where r weighs how often negatives occur and how dear misses are."""
    curve = points(case, "roc")
    weight = (1 - prevalence) / (cost * prevalence)
    return best(case, curve["tpr"] + weight * (1 - curve["fpr"]))


def top_left(case: Case) -> dict[str, Any]:
    curve = points(case, "roc")
    return best(case, -((1 - curve["tpr"]) ** 2 + curve["fpr"] ** 2))


def along(case: Case, at: str, wanted: str) -> list[float]:
    """Sensitivity at given specificities or the other way round, on straight lines; the best of several."""
    curve = points(case, "roc")
    sens, spec = curve["tpr"], 1 - curve["fpr"]
    rates = [float(rate) for rate in wanted.split("_")]
    if at == "spec":
        return [_upper(spec[::-1], sens[::-1], rate) for rate in rates]
    return [_upper(sens, spec, rate) for rate in rates]


def _upper(x: np.ndarray, y: np.ndarray, at: float) -> float:
    same = np.isclose(x, at, rtol=0, atol=1e-12)
    return float(y[same].max()) if same.any() else float(np.interp(at, x, y))


def hull_area(case: Case) -> float:
    hull = points(case, "convex_hull")
    return float(np.trapezoid(hull["tpr"], hull["fpr"]))


def by_fold(case: Case) -> list[float]:
    of = rows(case)
    fold, truth, score = np.array(of.text(case.params["fold"])), np.array(of.text(of.truth)), of.numbers(of.told)
    inside = [fold == name for name in dict.fromkeys(fold)]
    area = heldout.metrics.roc_auc_score
    return [area(truth[part] == of.positive, score[part], method="delong") for part in inside]


def drawn(case: Case, metric: str) -> list[float]:
    return ends(ranked(case, metric, method="percentile"))


def band(case: Case, at: str, wanted: str) -> list[float]:
    """Lower limits of the pointwise band at the rates, then the upper ones."""
    curve = ranking(case, swapped=at == "sens").curve("roc").band
    rates = [1 - float(rate) for rate in wanted.split("_")]
    return [float(np.interp(rate, curve["x"], curve[side])) for side in ("low", "high") for rate in rates]


ROC: Answers = {
    "auc|AUC|pooled_auc": ranked,
    "KS": lambda case: ranked(case, "ks"),
    "Gini": lambda case: ranked(case, "gini"),
    "AUCH": hull_area,
    "MER": lambda case: points(case, "sweep", "error_rate")["error_rate"].min(),
    "var_delong": variance,
    r"ci(\d+)_delong": interval,
    r"pauc_(spec|sens)_([\d.]+)_([\d.]+)(_corrected)?": partial_area,
    "best_youden": weighted_youden,
    r"best_youden_cost_([\d.]+)_prev_([\d.]+)": lambda case, *of: weighted_youden(case, *map(float, of)),
    "best_topleft": top_left,
    "sens_at_(spec)_([0-9._]+)": along,
    "spec_at_(sens)_([0-9._]+)": along,
    "sensitivities": lambda case: points(case, "roc")["tpr"][::-1],
    "specificities": lambda case: 1 - points(case, "roc")["fpr"][::-1],
    "thresholds": lambda case: midway(case)[::-1],
    "auc_by_fold": by_fold,
    "mean": lambda case: float(np.mean(by_fold(case))),
    "ci_auc_bootstrap": lambda case: drawn(case, "roc_auc"),
    r"ci_pauc_spec_1_([\d.]+)": lambda case, low: drawn(case, f"partial_auc@{1 - float(low):.6g}"),
    "ci_se_at_(spec)_([0-9._]+)": band,
    "ci_sp_at_(sens)_([0-9._]+)": band,
}
