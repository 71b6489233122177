"""Data on which defaults are known to miss their level: the list at the top of docs/measured-error-rates.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import ndtr
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

import heldout
from heldout.lab.worlds.score_worlds import binormal_values

Rng = np.random.Generator
Case = tuple[str, int, str, list[bool]]


def rare_harm(rng: Rng, n: int, expected: float) -> dict[str, Any]:
    """Two models alike, but for a few rows on which the new one is far off: worse by 0.1 on average."""
    truth = rng.normal(50, 5, n)
    noise = rng.standard_normal(n)
    share = expected / n
    harm = np.where(rng.random(n) < share, 0.1 / share, 0.0)
    return {"y_true": truth, "models": {"old": truth + noise, "new": truth + noise + np.sign(noise) * harm}}


def passes(given: dict[str, Any], metric: str, margin: float) -> bool:
    """Whether `gate` passes the new model against the old one."""
    return bool(heldout.gate(**given, primary=metric, margin=margin).verdict == "PASS")


def covers(found: Any, truth: float) -> bool:
    return bool(found.low <= truth <= found.high)


def gross_errors(rng: Rng, n: int) -> np.ndarray:
    """Normal errors, of which 3 in 1,000 are 40 times as large."""
    return rng.standard_normal(n) * np.where(rng.random(n) < 0.003, 40.0, 1.0)


def large_and_hard(rng: Rng, clusters: int) -> dict[str, Any]:
    """Clusters of 3 rows, of which 90% are right, and a few of 30 rows, of which 55% are."""
    large = rng.random(clusters) < 0.15
    share = np.where(large, rng.beta(2.2, 1.8, clusters), rng.beta(3.6, 0.4, clusters))
    group = np.repeat(np.arange(clusters), np.where(large, 30, 3))
    truth = rng.integers(0, 2, len(group))
    right = rng.random(len(group)) < share[group]
    return {"y_true": truth, "y_pred": np.where(right, truth, 1 - truth), "groups": group}


def in_spells(rng: Rng, n: int) -> np.ndarray:
    """Errors whose spread is 1 or 5 and changes once in 50 times."""
    calm = (np.cumsum(rng.random(n) < 0.02) + rng.integers(2)) % 2 == 0
    return np.where(calm, 1.0, 5.0) * rng.standard_normal(n)


def beta_binomial(rng: Rng, clusters: int) -> dict[str, Any]:
    """Clusters of 10 rows, in each of which both models have rates of their own; the new one is worse by 5 points."""
    group = np.repeat(np.arange(clusters), 10)
    truth = rng.integers(0, 2, len(group))
    models = {}
    for name, mean in (("old", 0.95), ("new", 0.9)):
        right = rng.random(len(group)) < rng.beta(2 * mean, 2 * (1 - mean), clusters)[group]
        models[name] = np.where(right, truth, 1 - truth)
    return {"y_true": truth, "models": models, "groups": group}


def nearly_perfect(rng: Rng, n: int) -> dict[str, Any]:
    """Calibrated probabilities, nearly all below 0.01 or above 0.99."""
    logit = rng.choice([-1.0, 1.0], n) * rng.gamma(8.0, 1.0, n)
    chance = 1 / (1 + np.exp(-logit))
    return {"y_true": (rng.random(n) < chance).astype(int), "y_proba": chance}


def apart_clusters(rng: Rng, clusters: int) -> dict[str, Any]:
    """Clusters of 1 to 50 rows, in most of which nearly all rows are right, and in some nearly none; 90% on average."""
    group = np.repeat(np.arange(clusters), rng.integers(1, 51, clusters))
    truth = rng.integers(0, 2, len(group))
    right = rng.random(len(group)) < rng.beta(0.387, 0.043, clusters)[group]
    return {"y_true": truth, "y_pred": np.where(right, truth, 1 - truth), "groups": group}


def few_positives(rng: Rng, n: int, positives: int, shifts: tuple[float, float], spread: float) -> dict[str, Any]:
    """Normal scores of two models that correlate by one half; those of positive rows lie `shifts` higher.

    In the new model they spread `spread` times as far.
    """
    truth = (np.arange(n) < positives).astype(int)
    scores = (rng.standard_normal(n) + rng.standard_normal((2, n))) / np.sqrt(2)
    scores[1, :positives] *= spread
    models = dict(zip(("old", "new"), scores + np.outer(shifts, truth), strict=True))
    return {"y_true": truth, "models": models, "pos_label": 1}


FEW_POSITIVES = (
    ("roc_auc", 150, 15, (1.8, 3.0), 3.0),
    ("roc_auc", 150, 15, (3.2, 2.6), 1.0),
    ("average_precision", 300, 15, (1.0, 0.6), 1.0),
    ("average_precision", 200, 20, (3.0, 2.3), 1.0),
    ("average_precision", 500, 50, (1.5, 1.2), 1.0),
)


def worse_by(metric: str, prevalence: float, shifts: tuple[float, float], spread: float) -> float:
    """How much more the old model has than the new one."""
    old, new = (float(ndtr(shift / np.hypot(1, wide))) for shift, wide in zip(shifts, (1.0, spread), strict=True))
    if metric == "roc_auc":
        return old - new
    assert spread == 1
    return binormal_values(old, prevalence)[metric] - binormal_values(new, prevalence)[metric]


def one_long_tail(rng: Rng, n: int) -> dict[str, Any]:
    """Errors of an old model, and those of a new one with lognormal errors on top of them."""
    truth = rng.normal(50, 5, n)
    old = np.exp(0.3 * rng.standard_normal(n))
    return {"y_true": truth, "models": {"old": truth + old, "new": truth + old + np.exp(1.5 * rng.standard_normal(n))}}


def noise(rng: Rng, n: int) -> dict[str, Any]:
    """Labels that five columns say nothing about: every learner is right in half of all rows."""
    return {"X": rng.standard_normal((n, 5)), "y": rng.permutation(np.arange(n) % 2)}


def cases(repeats: int = 500) -> Iterator[Case]:
    """What is drawn, of how many units, what is asked, and whether it happened."""
    for n, expected in ((200, 1.0), (200, 2.0), (200, 3.0)):
        rng = np.random.default_rng([n, int(expected)])
        found = [passes(rare_harm(rng, n, expected), "mae", 0.1) for _ in range(repeats)]
        yield f"harm in {expected:g} of the rows", n, "gate passes", found
    for n in (500, 2000):
        rng = np.random.default_rng(n)
        truth = float(np.sqrt(2 / np.pi) * (0.997 + 0.003 * 40))
        made = (heldout.evaluate(np.zeros(n), gross_errors(rng, n), metrics="mae") for _ in range(repeats))
        yield "3 gross errors in 1,000", n, "mae", [covers(one["mae"], truth) for one in made]
    for clusters in (25, 50):
        rng = np.random.default_rng(clusters)
        truth = (0.85 * 3 * 0.9 + 0.15 * 30 * 0.55) / (0.85 * 3 + 0.15 * 30)
        made = (heldout.evaluate(**large_and_hard(rng, clusters), metrics="accuracy") for _ in range(repeats))
        yield "large clusters that are hard", clusters, "accuracy", [covers(one["accuracy"], truth) for one in made]
    for n in (100, 300):
        rng = np.random.default_rng(n)
        truths = {"mae": 3 * np.sqrt(2 / np.pi), "rmse": np.sqrt(13.0)}
        both: dict[str, list[bool]] = {"mae": [], "rmse": []}
        for _ in range(repeats):
            error = in_spells(rng, n)
            told = heldout.evaluate(np.zeros(n), error, metrics=["mae", "rmse"], time=np.arange(n))
            for name, truth in truths.items():
                both[name].append(covers(told[name], float(truth)))
        for name, found in both.items():
            yield "errors in time whose spread comes in spells", n, name, found
    for clusters in (15, 30, 100):
        rng = np.random.default_rng(clusters)
        found = [passes(beta_binomial(rng, clusters), "accuracy", 0.05) for _ in range(repeats)]
        yield "beta-binomial clusters, worse by the margin", clusters, "gate passes", found
    rng, n = np.random.default_rng(1), 1000
    slopes = (heldout.evaluate(**nearly_perfect(rng, n), metrics="calibration_slope") for _ in range(repeats))
    found = [covers(one["calibration_slope"], 1.0) for one in slopes]
    yield "calibrated and nearly perfect", n, "calibration_slope", found
    yield from few_of_a_kind(repeats)


def few_of_a_kind(repeats: int) -> Iterator[Case]:
    """The same of few clusters, few positive rows, few rows with large errors; and of labels that are noise."""
    for clusters in (10, 15, 25):
        rng = np.random.default_rng(clusters)
        made = (heldout.evaluate(**apart_clusters(rng, clusters), metrics="accuracy") for _ in range(repeats))
        yield (
            "clusters that are right or wrong as a whole",
            clusters,
            "accuracy",
            [covers(one["accuracy"], 0.9) for one in made],
        )
    for metric, n, positives, shifts, spread in FEW_POSITIVES:
        rng, margin = np.random.default_rng([n, positives]), worse_by(metric, positives / n, shifts, spread)
        found = [passes(few_positives(rng, n, positives, shifts, spread), metric, margin) for _ in range(repeats)]
        yield f"{positives} positive rows, worse by the margin", n, f"gate passes {metric}, {shifts}", found
    for n in (50, 200):
        rng, margin = np.random.default_rng(n), float(np.exp(1.5**2 / 2))
        found = [passes(one_long_tail(rng, n), "mae", margin) for _ in range(repeats)]
        yield "a long tail, worse by the margin", n, "gate passes", found
    for name, learner in (("1-NN", KNeighborsClassifier(1)), ("LDA", LinearDiscriminantAnalysis())):
        rng = np.random.default_rng(len(name))
        made = (heldout.validate(learner, **noise(rng, 100), metrics="accuracy") for _ in range(repeats))
        found = [covers(next(iter(one.estimates.values()))["accuracy"], 0.5) for one in made]
        yield f"labels that are noise, {name}", 100, "corrected t", found
