"""Worlds of probabilities: log odds are normal, and a model says something near them."""

from __future__ import annotations

from functools import lru_cache
from math import log, pi, sqrt

import numpy as np

from heldout.batch import Array
from heldout.lab.worlds.label_worlds import table_values
from heldout.lab.worlds.recipe import Recipe, between

BINS = 15
"""Of equal mass, for the debiased calibration error."""
WIDE_BINS = 10
"""Of equal width, for the expected calibration error."""


def probabilities(
    *,
    prevalence: float = 0.5,
    spread: float = 1.5,
    slope: float = 1.0,
    shift: float = 0.0,
    noise: float = 0.0,
    miss: float = 5.0,
) -> Recipe:
    """Log odds are c + spread z; a model's are slope times these, plus shift, plus its own noise.

    A false alarm costs 1, a miss costs `miss`.
    """
    between(0, 1, prevalence=prevalence)
    between(0, 50, spread=spread, slope=slope)
    between(0, 1e6, miss=miss)
    between(-1e-12, 50, noise=noise)
    between(-50, 50, shift=shift)
    centre = _centre(prevalence, spread)

    def truth(shared: Array) -> Array:
        from scipy.special import expit, ndtr

        return (ndtr(shared[0]) < expit(centre + spread * shared[1])).astype(int)

    def said(shared: Array, own: Array) -> dict[str, Array]:
        from scipy.special import expit

        score = expit(slope * (centre + spread * shared[1]) + shift + noise * own[0])
        return {"score": score, "prediction": (score >= 0.5).astype(int)}

    return Recipe(
        about=f"log odds of spread {spread:g}, {prevalence:g} positive; the model's are {slope:g} times these, "
        f"plus {shift:g}, with noise of spread {noise:g}",
        task="binary",
        shared=2,
        own=1,
        truth=truth,
        said=said,
        values=lambda: _values(centre, spread, slope, shift, noise, miss=miss),
        accuracy=1e-6,
        bayes_error=_bayes_error(centre, spread),
        cost=np.array([[0.0, 1.0], [miss, 0.0]]),
        facts={"labels": (0, 1), "positive": 1, "probabilities": True},
    )


def logistic(*, strength: float = 1.0, noise: float = 0.0) -> Recipe:
    """P(positive | z) = 1 / (1 + exp(-strength z)) with z normal; without noise, the Bayes classifier."""
    return probabilities(spread=strength, noise=noise)


def _centre(prevalence: float, spread: float) -> float:
    """The mean of the log odds at which this share is positive."""
    from scipy.optimize import brentq

    if prevalence == 0.5:
        return 0.0
    return float(brentq(lambda c: _mean(lambda odds: 1 / (1 + np.exp(-odds)), c, spread) - prevalence, -100, 100))


def _mean(function: object, centre: float, spread: float) -> float:
    at = np.linspace(-9, 9, 4001)
    density = np.exp(-(at**2) / 2) / sqrt(2 * pi)
    return float(np.trapezoid(density * function(np.clip(centre + spread * at, -700, 700)), at))  # type: ignore[operator]


def _bayes_error(centre: float, spread: float) -> float:
    """E min(p, 1 - p)."""
    return _mean(lambda odds: 1 / (1 + np.exp(np.abs(odds))), centre, spread)


@lru_cache(maxsize=256)
def _values(centre: float, spread: float, slope: float, shift: float, noise: float, *, miss: float) -> dict[str, float]:
    """Metrics by quadrature over what the model says: at each of its log odds, the chance of a positive row."""
    from scipy.special import expit, ndtri

    wide = sqrt((slope * spread) ** 2 + noise**2)
    at = np.linspace(-8.5, 8.5, 8001)
    mass = np.exp(-(at**2) / 2) / sqrt(2 * pi) * (at[1] - at[0])
    law = {"centre": centre, "spread": spread, "pull": slope * spread, "noise": noise}
    said, chance = slope * centre + shift + wide * at, _chance_given(wide * at, **law)
    model = expit(said)
    nats = float(mass @ (np.logaddexp(0, said) - chance * said))
    squared = float(mass @ (chance * (1 - model) ** 2 + (1 - chance) * model**2))
    table = _cut(said, mass, chance)
    even = ndtri((np.arange(2000 * BINS) + 0.5) / (2000 * BINS))
    start = spread * slope * spread / wide**2
    prevalence = float(mass @ chance)
    entropy = -prevalence * log(prevalence) - (1 - prevalence) * log(1 - prevalence)
    fitted = _recalibrated(said, mass, chance, [centre - start * (slope * centre + shift), start])
    return {
        "log_loss": nats,
        "log_loss_bits": nats / log(2),
        "brier": squared,
        "quadratic_loss": 2 * squared,
        "d2_log_loss": 1 - nats / entropy,
        "d2_brier": 1 - squared / (prevalence * (1 - prevalence)),
        "cost": _cost(table, miss),
        "cost_minimum_risk": _cost(_cut(said + log(miss), mass, chance), miss),
        "calibration_slope": fitted[1],
        "calibration_intercept": fitted[0],
        "ece": _mean_gap(model, mass, chance - model),
        "rms_calibration_error_debiased": _gap(
            _chance_given(wide * even, **law) - expit(slope * centre + shift + wide * even)
        ),
        **_ranking_values(mass * chance, mass * (1 - chance)),
        **table_values(table),
    }


def _chance_given(off: Array, *, centre: float, spread: float, pull: float, noise: float) -> Array:
    """P(positive) given how far the model is off its mean: E expit(c + spread z) over z with off = pull z + noise e."""
    from scipy.special import expit, roots_hermitenorm

    mean = pull * off / (pull**2 + noise**2)
    left = noise / sqrt(pull**2 + noise**2)
    nodes, weights = roots_hermitenorm(80)
    odds = centre + spread * (mean[:, None] + left * nodes)
    return np.asarray(expit(odds) @ (weights / weights.sum()))


def _cut(said: Array, mass: Array, chance: Array) -> Array:
    """The joint table of truth and prediction where log odds from 0 on are called positive.

    The cut falls inside one cell of the grid, which is shared out.
    """
    step = said[1] - said[0]
    called = np.clip(said / step + 0.5, 0, 1)
    tp, positive = float((mass * chance) @ called), float(mass @ chance)
    fp = float((mass * (1 - chance)) @ called)
    return np.array([[1 - positive - fp, fp], [positive - tp, tp]])


def _cost(table: Array, miss: float) -> float:
    """Mean cost of a row: 1 for a false alarm, `miss` for a positive row that is missed."""
    return float(table[0, 1] + miss * table[1, 0])


def _recalibrated(said: Array, mass: Array, chance: Array, start: list[float]) -> list[float]:
    """Intercept and slope of the logistic law nearest to the chances, by Newton's steps."""
    from scipy.special import expit

    found = np.array(start)
    design = np.stack([np.ones_like(said), said])
    for _ in range(50):
        fit = expit(found @ design)
        step = np.linalg.solve(design * (mass * fit * (1 - fit)) @ design.T, design @ (mass * (chance - fit)))
        found = found + step
        if np.abs(step).max() < 1e-13:
            break
    return [float(part) for part in found]


def _ranking_values(positive: Array, negative: Array) -> dict[str, float]:
    """Area and average precision from masses along rising scores."""
    below = np.cumsum(negative) - negative / 2
    hits, alarms = ((np.cumsum(part[::-1]) - part[::-1] / 2)[::-1] for part in (positive, negative))
    area = float(positive @ below / (positive.sum() * negative.sum()))
    precision = hits / (hits + alarms)
    return {"roc_auc": area, "average_precision": float(positive @ precision / positive.sum()), "gini": 2 * area - 1}


def _mean_gap(model: Array, mass: Array, gap: Array) -> float:
    """Sum over bins of equal width of the absolute gap; a cell of the grid that two bins share is split."""
    edges = np.linspace(0, 1, WIDE_BINS + 1)[1:-1]
    reached = np.concatenate([[0.0], np.cumsum(mass * gap)])
    borders = np.concatenate([[0.0], (model[1:] + model[:-1]) / 2, [1.0]])
    at_edges = np.concatenate([[0.0], np.interp(edges, borders, reached), reached[-1:]])
    return float(np.abs(np.diff(at_edges)).sum())


def _gap(gaps: Array) -> float:
    """Root mean square over bins of equal mass, each with the mean of its gaps between chance and what is said."""
    return float(np.sqrt(np.mean(gaps.reshape(BINS, -1).mean(axis=1) ** 2)))
