"""Data that `lab outside` draws: distributions other than those of the lab's own simulations, and uglier.

A generator of one model gives the arguments of `heldout.evaluate`, one of two equally good models those of
`heldout.compare`. Their parameters are facts of the population, so that true values follow in closed form or from one
large draw.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import exp, log, sqrt
from typing import Any

import numpy as np

from heldout.batch import Array

Rng = np.random.Generator
Given = dict[str, Any]
Draw = Callable[[Rng, int], Given]


def decided(prevalence: float, recall: float, fpr: float) -> Draw:
    """Labels of two classes, and decisions with these rates."""

    def draw(rng: Rng, n: int) -> Given:
        truth = (rng.random(n) < prevalence).astype(int)
        said = (rng.random(n) < np.where(truth == 1, recall, fpr)).astype(int)
        return {"y_true": truth, "y_pred": said}

    return draw


def scored(prevalence: float, shift: float, *, spread: float = 1.0, step: float = 0.0) -> Draw:
    """Normal scores, those of positives moved by `shift` and of another spread; rounded to `step` where it is given."""

    def draw(rng: Rng, n: int) -> Given:
        truth = (rng.random(n) < prevalence).astype(int)
        score = rng.normal(shift * truth, np.where(truth == 1, spread, 1.0))
        return {"y_true": truth, "y_score": np.round(score / step) * step if step else score}

    return draw


def tied(prevalence: float, gap: float, step: float = 0.05) -> Draw:
    """Probabilities of two beta laws, rounded: few distinct scores, in which many rows share the best one."""

    def draw(rng: Rng, n: int) -> Given:
        truth = (rng.random(n) < prevalence).astype(int)
        score = rng.beta(1.2 + gap * truth, 1.2 + gap * (1 - truth))
        return {"y_true": truth, "y_score": np.round(score / step) * step}

    return draw


def chances(noise: float, slope: float = 1.0, prevalence: float = 0.3) -> Draw:
    """Probabilities whose logits are those of the truth times `slope`, plus noise; 1 and 0 are calibrated."""

    def draw(rng: Rng, n: int) -> Given:
        logit = log(prevalence / (1 - prevalence)) + 1.6 * rng.standard_t(5, n)
        truth = (rng.random(n) < _chance(logit)).astype(int)
        return {"y_true": truth, "y_proba": _chance(slope * logit + noise * rng.normal(size=n))}

    return draw


def _chance(logit: Array) -> Array:
    return 1 / (1 + np.exp(-np.clip(logit, -30, 30)))


def separable(rng: Rng, n: int) -> Given:
    """Probabilities that have every positive above every negative: no slope of calibration exists."""
    truth = np.arange(n) % 2
    return {"y_true": truth, "y_proba": np.where(truth == 1, rng.uniform(0.6, 0.9, n), rng.uniform(0.1, 0.4, n))}


def weighted_by_difficulty(rng: Rng, n: int) -> Given:
    """Rows of which 2% are hard, each standing for nine: half of the hard ones and 3% of the others are wrong."""
    hard = rng.random(n) < 0.02
    truth = (rng.random(n) < 0.4).astype(int)
    wrong = rng.random(n) < np.where(hard, 0.5, 0.03)
    return {"y_true": truth, "y_pred": np.where(wrong, 1 - truth, truth), "sample_weight": np.where(hard, 9.0, 1.0)}


DIFFICULT = 1 - (0.98 * 0.03 + 0.02 * 9 * 0.5) / (0.98 + 0.02 * 9)
"""The weighted accuracy of `weighted_by_difficulty`."""


def weighted_at_random(rng: Rng, n: int) -> Given:
    """Decisions with lognormal weights that have nothing to do with the errors."""
    return {**decided(0.3, 0.8, 0.15)(rng, n), "sample_weight": rng.lognormal(0, 0.8, n)}


def signed_lognormal(rng: Rng, n: int) -> Given:
    """Numbers with errors of lognormal size and either sign: mae exp(1/2), rmse e."""
    truth = rng.normal(50, 5, n)
    return {"y_true": truth, "y_pred": truth + rng.choice([-1.0, 1.0], n) * rng.lognormal(0, 1, n)}


def multiplied(rng: Rng, n: int) -> Given:
    """Amounts over several orders of magnitude, predicted with an error that grows with them."""
    truth = rng.lognormal(2, 0.8, n)
    return {"y_true": truth, "y_pred": truth * rng.lognormal(0, 0.45, n)}


def zero_inflated(rng: Rng, n: int) -> Given:
    """Demand that is 0 in seven of ten rows, and gamma else; the prediction shrinks it to the mean."""
    truth = np.where(rng.random(n) < 0.7, 0.0, rng.gamma(1.5, 4.0, n))
    return {"y_true": truth, "y_pred": 0.5 * truth + 0.9 + 0.3 * rng.exponential(size=n)}


TWELVE = np.arange(1.0, 13) ** -1.3
TWELVE /= TWELVE.sum()


def twelve_classes(rng: Rng, n: int) -> Given:
    """Twelve classes of which the rarest has 1.6% of the rows; rare ones are harder."""
    truth = rng.choice(12, n, p=TWELVE)
    logits = rng.gumbel(size=(n, 12)) + np.log(TWELVE) * 0.5
    logits[np.arange(n), truth] += 3.4 - 0.08 * truth
    scores = np.exp(logits - logits.max(axis=1, keepdims=True))
    scores /= scores.sum(axis=1, keepdims=True)
    return {"y_true": truth, "y_proba": scores, "labels": list(range(12))}


RARE_LABELS = np.array([0.4, 0.25, 0.12, 0.08, 0.05])


def rare_labels(rng: Rng, n: int) -> Given:
    """Five labels per row, of which the rarest is on one row in twenty, found by decisions that share a difficulty."""
    truth = (rng.random((n, 5)) < RARE_LABELS).astype(int)
    hard = rng.normal(size=(n, 1))
    latent = rng.normal(size=(n, 5)) + 0.6 * hard + 1.9 * truth
    return {"y_true": truth, "y_pred": (latent > 1.3).astype(int)}


def sizes(rng: Rng, groups: int, largest: int = 50) -> Array:
    """Rows per cluster, from 1 to `largest`, most of them few."""
    return np.floor(np.exp(rng.uniform(0, log(largest + 1), groups))).astype(int).clip(1, largest)


def clustered(icc: float, *, largest: int = 50, shift: float = 1.6) -> Draw:
    """Scores and decisions in n clusters of unequal sizes, whose noise is shared by the intraclass correlation."""

    def draw(rng: Rng, n: int) -> Given:
        group = np.repeat(np.arange(n), sizes(rng, n, largest))
        truth = (rng.random(len(group)) < rng.beta(1.5, 3.0, n)[group]).astype(int)
        noise = sqrt(icc) * rng.normal(size=n)[group] + sqrt(1 - icc) * rng.normal(size=len(group))
        score = shift * truth + noise
        return {"y_true": truth, "y_pred": (score > 0.8).astype(int), "y_score": score, "groups": group}

    return draw


def clustered_numbers(icc: float) -> Draw:
    """Numbers in n clusters of unequal sizes, with errors of mean square 1."""

    def draw(rng: Rng, n: int) -> Given:
        group = np.repeat(np.arange(n), sizes(rng, n))
        error = sqrt(icc) * rng.normal(size=n)[group] + sqrt(1 - icc) * rng.normal(size=len(group))
        truth = rng.normal(0, 3, len(group))
        return {"y_true": truth, "y_pred": truth + error, "groups": group}

    return draw


# Two models that are equally good.


def two_samples(first: int, prevalence: float, area: float) -> Draw:
    """Independent samples of two models with the same area under the ROC curve: `first` rows and n rows."""
    from scipy.special import ndtri

    shift = sqrt(2) * float(ndtri(area))

    def draw(rng: Rng, n: int) -> Given:
        models = {}
        for name, rows in (("old", first), ("new", n)):
            one = scored(prevalence, shift)(rng, rows)
            models[name] = (one["y_true"], one["y_score"])
        return {"y_true": None, "models": models, "paired": False}

    return draw


def two_shares(first: int, accuracy: float) -> Draw:
    """Independent samples of two models with the same accuracy."""

    def draw(rng: Rng, n: int) -> Given:
        models = {}
        for name, rows in (("old", first), ("new", n)):
            truth = np.arange(rows) % 2
            models[name] = (truth, np.where(rng.random(rows) < accuracy, truth, 1 - truth))
        return {"y_true": None, "models": models, "paired": False}

    return draw


def nearly_identical(loss: float, *, gain: float = 0.0, accuracy: float = 0.9) -> Draw:
    """A new model that says what the old one says, but loses and gains right rows at these rates."""

    def draw(rng: Rng, n: int) -> Given:
        truth = np.arange(n) % 2
        kind = rng.choice(4, n, p=[accuracy - loss, loss, gain, 1 - accuracy - gain])
        old, new = np.isin(kind, (0, 1)), np.isin(kind, (0, 2))
        return {"y_true": truth, "models": {n: np.where(r, truth, 1 - truth) for n, r in (("old", old), ("new", new))}}

    return draw


def few_negative_clusters(k: int, *, size: int = 5) -> Draw:
    """Clusters of which k only have negatives; decisions of two equal models that are alike within a cluster."""

    def draw(rng: Rng, n: int) -> Given:
        group = np.repeat(np.arange(n), size)
        truth = np.where((group < k) & (np.arange(len(group)) % size >= 2), 0, 1)
        models = {name: _alike(rng, truth, group, n) for name in ("old", "new")}
        return {"y_true": truth, "models": models, "groups": group}

    return draw


def _alike(rng: Rng, truth: Array, group: Array, groups: int) -> Array:
    noise = 0.7 * rng.normal(size=groups)[group] + 0.7 * rng.normal(size=len(group))
    return np.where(noise > 0.55, 1 - truth, truth)


def few_negative_rows(k: int) -> Draw:
    """Weighted rows of which k are negative; two equal models."""

    def draw(rng: Rng, n: int) -> Given:
        truth = np.ones(n, dtype=int)
        truth[:k] = 0
        models = {name: np.where(rng.random(n) < 0.3, 1 - truth, truth) for name in ("old", "new")}
        return {"y_true": truth, "models": models, "sample_weight": rng.lognormal(0, 0.7, n)}

    return draw


def operating_points(prevalence: float, old: tuple[float, float], new: tuple[float, float]) -> Draw:
    """Two models with these (recall, false positive rate), in one of which a metric is the same for both."""

    def draw(rng: Rng, n: int) -> Given:
        truth = (rng.random(n) < prevalence).astype(int)
        models = {
            name: (rng.random(n) < np.where(truth == 1, recall, fpr)).astype(int)
            for name, (recall, fpr) in (("old", old), ("new", new))
        }
        return {"y_true": truth, "models": models}

    return draw


def same_mae(rng: Rng, n: int) -> Given:
    """Errors of lognormal size, and normal ones with the same mean size."""
    truth = rng.normal(50, 5, n)
    skewed = rng.choice([-1.0, 1.0], n) * rng.lognormal(0, 1, n)
    return {
        "y_true": truth,
        "models": {"old": truth + skewed, "new": truth + exp(0.5) * sqrt(np.pi / 2) * rng.normal(size=n)},
    }


def same_rmse(rng: Rng, n: int) -> Given:
    """Errors of lognormal size, and normal ones with the same mean square."""
    truth = rng.normal(50, 5, n)
    skewed = rng.choice([-1.0, 1.0], n) * rng.lognormal(0, 1, n)
    return {"y_true": truth, "models": {"old": truth + skewed, "new": truth + exp(1) * rng.normal(size=n)}}


def same_log_loss(rng: Rng, n: int) -> Given:
    """A model that is sure and rarely wrong, and one that is less sure, with the same mean log loss."""
    truth = (rng.random(n) < 0.5).astype(int)
    models = {}
    for name, right, chance in (("old", 0.9, 0.97), ("new", 0.88, _less_sure())):
        sure = np.where(rng.random(n) < right, chance, 1 - chance)
        models[name] = np.where(truth == 1, sure, 1 - sure)
    return {"y_true": truth, "models": models}


@lru_cache
def _less_sure() -> float:
    """The probability at which the second model has the log loss of the first."""
    from scipy.optimize import brentq

    wanted = -0.9 * log(0.97) - 0.1 * log(0.03)
    return float(brentq(lambda c: -0.88 * log(c) - 0.12 * log(1 - c) - wanted, 0.89, 0.999))


def same_area(prevalence: float, area: float, spread: float) -> Draw:
    """Two scores with the same area under the ROC curve, of which the second spreads its positives more."""
    from scipy.special import ndtri

    place = float(ndtri(area))

    def draw(rng: Rng, n: int) -> Given:
        truth = (rng.random(n) < prevalence).astype(int)
        old = rng.normal(place * sqrt(2) * truth)
        new = rng.normal(place * sqrt(1 + spread**2) * truth, np.where(truth == 1, spread, 1.0))
        return {"y_true": truth, "models": {"old": old, "new": new}}

    return draw


def same_average_precision(prevalence: float, shift: float, spread: float) -> Draw:
    """Two scores with the same average precision, of which the second spreads its positives more."""

    def draw(rng: Rng, n: int) -> Given:
        truth = (rng.random(n) < prevalence).astype(int)
        other = _same_precision(prevalence, shift, spread)
        new = rng.normal(other * truth, np.where(truth == 1, spread, 1.0))
        return {"y_true": truth, "models": {"old": rng.normal(shift * truth), "new": new}}

    return draw


def average_precision(prevalence: float, shift: float, spread: float = 1.0) -> float:
    """The true average precision of normal scores: precision integrated over recall.

    >>> round(average_precision(0.5, 0.0), 6)
    0.5
    """
    from scipy.special import ndtr

    at = np.linspace(-9, shift + 9 * spread, 40_001)
    recall, fpr = ndtr((shift - at) / spread), ndtr(-at)
    found = prevalence * recall + (1 - prevalence) * fpr
    precision = np.divide(prevalence * recall, found, out=np.ones_like(found), where=found > 1e-300)
    return float(np.sum((precision[1:] + precision[:-1]) / 2 * -np.diff(recall)))


@lru_cache
def _same_precision(prevalence: float, shift: float, spread: float) -> float:
    from scipy.optimize import brentq

    wanted = average_precision(prevalence, shift)
    return float(brentq(lambda x: average_precision(prevalence, x, spread) - wanted, -2, shift + 8))


def clustered_models(size: int = 12) -> Draw:
    """Scores of two equal models in n clusters of unequal sizes, each with a noise of its own per cluster."""

    def draw(rng: Rng, n: int) -> Given:
        group = np.repeat(np.arange(n), sizes(rng, n, 2 * size))
        truth = (rng.random(len(group)) < 0.4).astype(int)
        scores = [1.5 * truth + 0.6 * rng.normal(size=n)[group] + 0.8 * rng.normal(size=len(group)) for _ in range(2)]
        return {"y_true": truth, "models": dict(zip(("old", "new"), scores, strict=True)), "groups": group}

    return draw


def decided_models(draw: Draw, cut: float) -> Draw:
    """The same models with decisions instead of scores."""

    def cut_off(rng: Rng, n: int) -> Given:
        given = draw(rng, n)
        return {**given, "models": {name: (score > cut).astype(int) for name, score in given["models"].items()}}

    return cut_off


def equal_models(accuracy: float = 0.8, models: int = 2) -> Draw:
    """Decisions of equally accurate models that share a difficulty."""
    from scipy.special import ndtri

    cut = float(ndtri(accuracy))

    def draw(rng: Rng, n: int) -> Given:
        truth, hard = np.arange(n) % 2, rng.normal(size=n)
        right = {f"m{i}": (hard + rng.normal(size=n)) / sqrt(2) < cut for i in range(models)}
        return {"y_true": truth, "models": {name: np.where(ok, truth, 1 - truth) for name, ok in right.items()}}

    return draw


def worse_numbers(margin: float) -> Draw:
    """Errors of lognormal size, and a new model whose mean absolute error is larger by exactly the margin."""

    def draw(rng: Rng, n: int) -> Given:
        truth, size = rng.normal(50, 5, n), rng.lognormal(0, 1, n)
        factor = 1 + margin / exp(0.5)
        return {"y_true": truth, "models": {"old": truth + size, "new": truth - factor * rng.lognormal(0, 1, n)}}

    return draw


# Rows in time order.


def autoregressive(rng: Rng, n: int, rho: float) -> Array:
    """A stationary AR(1) series of variance 1."""
    from scipy.signal import lfilter

    start = rng.normal()
    shocks = sqrt(1 - rho**2) * rng.normal(size=n)
    series, _ = lfilter([1.0], [1.0, -rho], shocks, zi=[rho * start])
    return np.asarray(series)


def in_time(rho: float) -> Draw:
    """Numbers with AR(1) errors, in time order: mae sqrt(2 / pi), rmse 1."""

    def draw(rng: Rng, n: int) -> Given:
        truth = 10 + np.cumsum(0.1 * rng.normal(size=n))
        return {"y_true": truth, "y_pred": truth + autoregressive(rng, n, rho)}

    return draw


def two_in_time(rho: float) -> Draw:
    """Forecasts of two equal models, each with AR(1) errors whose size is AR(1) too."""

    def draw(rng: Rng, n: int) -> Given:
        truth = 10 + np.cumsum(0.1 * rng.normal(size=n))
        models = {}
        for name in ("old", "new"):
            size = 2 + autoregressive(rng, n, rho)
            models[name] = truth + np.abs(size) * rng.choice([-1.0, 1.0], n)
        return {"y_true": truth, "models": models}

    return draw
