"""Five evaluations as they are often written with scikit-learn, beside heldout, on data whose truth is known.

`make by-hand` runs them and writes docs/measured/by-hand.json, which the README and docs/by-hand.md show. Each function
named `…_by_hand` is what people write; the one below it is the call that replaces it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm, ttest_rel
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import heldout

TARGET = Path(__file__).parents[1] / "docs" / "measured" / "by-hand.json"
Rows = dict[str, Any]
Interval = tuple[float, float]
RESAMPLES = 1000


# 1. An interval of the accuracy when the model makes few errors.
def few_errors(rng: np.random.Generator) -> Rows:
    """50 rows; the model is right on 97% of all rows."""
    truth = rng.integers(0, 2, 50)
    return {"y_true": truth, "y_pred": np.where(rng.random(50) < 0.97, truth, 1 - truth)}


def few_errors_by_hand(rows: Rows) -> Interval:
    p, n = accuracy_score(rows["y_true"], rows["y_pred"]), len(rows["y_true"])
    half = 1.96 * np.sqrt(p * (1 - p) / n)
    return p - half, p + half


def few_errors_with_heldout(rows: Rows) -> Interval:
    found = heldout.evaluate(rows["y_true"], rows["y_pred"], metrics="accuracy")["accuracy"]
    return found.low, found.high


# 2. Several rows of one patient.
def patients(rng: np.random.Generator) -> Rows:
    """50 patients with 10 visits each; the model is right on 80% of all visits, on some patients more often."""
    chance = np.repeat(rng.beta(0.8 * 2, 0.2 * 2, 50), 10)
    truth = rng.integers(0, 2, 500)
    right = rng.random(500) < chance
    return {"y_true": truth, "y_pred": np.where(right, truth, 1 - truth), "groups": np.repeat(np.arange(50), 10)}


def patients_by_hand(rows: Rows) -> Interval:
    right, rng = rows["y_true"] == rows["y_pred"], np.random.default_rng(0)
    resampled = [right[rng.integers(0, len(right), len(right))].mean() for _ in range(RESAMPLES)]
    return tuple(np.quantile(resampled, [0.025, 0.975]))


def patients_with_heldout(rows: Rows) -> Interval:
    found = heldout.evaluate(rows["y_true"], rows["y_pred"], groups=rows["groups"], metrics="accuracy")["accuracy"]
    return found.low, found.high


# 3. A bootstrap interval of an area under the ROC curve.
AREA = 0.95


def ranking(rng: np.random.Generator) -> Rows:
    """10 positive and 40 negative rows whose scores have an area of 0.95."""
    truth = np.repeat([1, 0], [10, 40])
    return {"y_true": truth, "y_score": rng.standard_normal(50) + truth * np.sqrt(2) * norm.ppf(AREA)}


def ranking_by_hand(rows: Rows) -> Interval:
    truth, score, areas, rng = rows["y_true"], rows["y_score"], [], np.random.default_rng(0)
    while len(areas) < RESAMPLES:
        chosen = rng.integers(0, len(truth), len(truth))
        if 0 < truth[chosen].sum() < len(truth):
            areas.append(roc_auc_score(truth[chosen], score[chosen]))
    return tuple(np.quantile(areas, [0.025, 0.975]))


def ranking_with_heldout(rows: Rows) -> Interval:
    found = heldout.evaluate(rows["y_true"], y_score=rows["y_score"], metrics="roc_auc")["roc_auc"]
    return found.low, found.high


# 4. Two learners that are equally good, compared by the scores of repeated cross-validation.
def learners(rng: np.random.Generator) -> Rows:
    """100 rows with two features that are equally informative; each learner sees one of them."""
    y = rng.permutation(np.repeat([0, 1], 50))
    return {"X": rng.standard_normal((100, 2)) + y[:, None], "y": y, "seed": int(rng.integers(1 << 31))}


class OneFeature(GaussianNB):
    """Naive Bayes that sees one column."""

    def __init__(self, column: int = 0) -> None:
        super().__init__()
        self.column = column

    def fit(self, X: np.ndarray, y: np.ndarray) -> OneFeature:
        return super().fit(X[:, [self.column]], y)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return super().predict(X[:, [self.column]])


def learners_by_hand(rows: Rows) -> bool:
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=rows["seed"])
    a, b = (cross_val_score(OneFeature(column), rows["X"], rows["y"], cv=folds) for column in (0, 1))
    return bool(ttest_rel(a, b).pvalue < 0.05)


def learners_with_heldout(rows: Rows) -> bool:
    both = {"a": OneFeature(0), "b": OneFeature(1)}
    found = heldout.validate(both, rows["X"], rows["y"], cv="10x10", metrics="accuracy", random_state=rows["seed"])
    return bool(found.differences[0].pvalue < 0.05)


# 5. The score of the best of many configurations.
CONFIGURATIONS = {"n_neighbors": list(range(1, 26)), "weights": ["uniform", "distance"]}


def coin_flips(rng: np.random.Generator) -> Rows:
    """60 rows whose labels are coin flips: no classifier is right more often than 50%."""
    return {"X": rng.standard_normal((60, 5)), "y": rng.permutation(np.repeat([0, 1], 30))}


def coin_flips_by_hand(rows: Rows) -> float:
    return GridSearchCV(KNeighborsClassifier(), CONFIGURATIONS, cv=5).fit(rows["X"], rows["y"]).best_score_


def coin_flips_with_heldout(rows: Rows) -> float:
    found = heldout.select({"knn": (KNeighborsClassifier(), CONFIGURATIONS)}, rows["X"], rows["y"], metrics="accuracy")
    return found.corrected.value


@dataclass(frozen=True)
class Case:
    """An evaluation done in two ways, and what counts: whether the truth is covered, a true null rejected, a value."""

    name: str
    simulate: Callable[[np.random.Generator], Rows]
    by_hand: Callable[[Rows], Any]
    with_heldout: Callable[[Rows], Any]
    counted: Callable[[Any], float]
    measures: str
    should_be: float
    repeats: int


def covers(truth: float) -> Callable[[Interval], float]:
    return lambda ends: float(ends[0] <= truth <= ends[1])


COVERAGE, REJECTED, ACCURACY = "coverage of a 95% interval", "true nulls rejected at 5%", "reported accuracy"
CASES = (
    Case("few errors", few_errors, few_errors_by_hand, few_errors_with_heldout, covers(0.97), COVERAGE, 0.95, 4000),
    Case("patients", patients, patients_by_hand, patients_with_heldout, covers(0.8), COVERAGE, 0.95, 2000),
    Case("ranking", ranking, ranking_by_hand, ranking_with_heldout, covers(AREA), COVERAGE, 0.95, 400),
    Case("learners", learners, learners_by_hand, learners_with_heldout, float, REJECTED, 0.05, 300),
    Case("coin flips", coin_flips, coin_flips_by_hand, coin_flips_with_heldout, float, ACCURACY, 0.5, 100),
)


def measured(case: Case) -> dict[str, Any]:
    """Both ways on the same simulated samples, with Monte-Carlo standard errors."""
    counted = np.zeros((case.repeats, 2))
    for at in range(case.repeats):
        rng = np.random.default_rng([at, len(case.name)])
        rows = case.simulate(rng)
        counted[at] = [case.counted(way(rows)) for way in (case.by_hand, case.with_heldout)]
    values, errors = counted.mean(axis=0), counted.std(axis=0, ddof=1) / np.sqrt(case.repeats)
    return {
        "case": case.name,
        "simulation": (case.simulate.__doc__ or "").strip(),
        "measures": case.measures,
        "should_be": case.should_be,
        "by_hand": round(float(values[0]), 4),
        "by_hand_error": round(float(errors[0]), 4),
        "heldout": round(float(values[1]), 4),
        "heldout_error": round(float(errors[1]), 4),
        "repeats": case.repeats,
    }


if __name__ == "__main__":
    results = [measured(case) for case in CASES]
    TARGET.write_text(
        json.dumps({"heldout": heldout.__version__, "results": results}, indent=1) + "\n", encoding="utf-8"
    )
