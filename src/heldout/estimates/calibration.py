"""Intervals for calibration: gaps between probability and frequency, slope and intercept."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np

from heldout.batch import Array
from heldout.estimates.question import Answer, Question
from heldout.intervals.critical import critical_z
from heldout.intervals.scales import plain
from heldout.tallies.reliability import Bins, Reliability

EDGE = 1e-15
"""Probabilities of exactly 0 or 1 have no logit; for slope and intercept they are taken this far inside."""


def error_value(tally: Reliability, bins: int = 15) -> float:
    """The calibration error, freed of what chance alone would show."""
    return sqrt(max(_squared(tally.binned(bins)), 0.0))


def calibration_error(asked: Question) -> Answer:
    """Normal interval for the squared error, with the term that is left where there is no error; then its root."""
    bins = asked.tally.binned()
    scale = 1 / (bins.rows * bins.rows.sum())
    twice = scale[:, None] * scale * bins.covariance
    variance = float(np.sum(twice * (4 * np.outer(bins.gaps, bins.gaps) + 2 * bins.covariance)))
    squared, reach = _squared(bins), critical_z(asked.level) * sqrt(max(variance, 0.0))
    low, high = sqrt(max(squared - reach, 0.0)), sqrt(max(squared + reach, 0.0))
    floor = float(np.sum(np.sqrt(2 * np.diag(bins.covariance) / np.pi)) / bins.rows.sum())
    note = f"{len(bins.rows)} bins; without the correction chance alone would show about {floor:.3f}"
    if low == high:
        return Answer(interval=(0.0, 1.0), method="debiased, delta", notes=("the bins have no spread to judge by",))
    return Answer(interval=(low, min(high, 1.0)), method="debiased, delta", notes=(note,))


def _squared(bins: Bins) -> float:
    return float(np.sum((bins.gaps**2 - np.diag(bins.covariance)) / bins.rows) / bins.rows.sum())


def recalibration(asked: Question) -> Answer:
    """The coefficient of a logistic fit on the logit of the probability, with its sandwich error over units."""
    coefficients, errors, notes = fit(asked.tally)
    which = 1 if asked.metric.name == "calibration_slope" else 0
    if isnan(coefficients[which]):
        return Answer(interval=asked.metric.range, method="logistic, sandwich", notes=notes)
    ends = plain(float(coefficients[which]), float(errors[which]), asked.level)
    return Answer(interval=ends, method="logistic, sandwich", notes=notes)


def fit(tally: Reliability) -> tuple[Array, Array, tuple[str, ...]]:
    """Intercept and slope of what happened on the logit of the probability, their errors, and notes."""
    chance = np.clip(tally.chance, EDGE, 1 - EDGE)
    outside = int(np.count_nonzero(chance != tally.chance))
    notes = (f"{outside} probabilities of exactly 0 or 1 were taken as 1e-15 from it",) if outside else ()
    undefined = np.full(2, np.nan)
    if np.ptp(tally.happened) == 0 or np.ptp(chance) == 0:
        why = "one outcome only" if np.ptp(tally.happened) == 0 else "all probabilities are equal"
        return undefined, undefined, (*notes, f"undefined: {why}")
    design = np.stack([np.ones(len(chance)), np.log(chance) - np.log1p(-chance)], axis=1)
    weight = np.ones(len(chance)) if tally.weight is None else tally.weight
    coefficients = _newton(design, tally.happened, weight)
    if coefficients is None:
        return undefined, undefined, (*notes, "undefined: the scores separate the classes, so the slope has no finite value")
    return coefficients, _sandwich(tally, design, weight, coefficients), notes


def _newton(design: Array, happened: Array, weight: Array) -> Array | None:
    """Maximum likelihood by Newton's method with halved steps; None where it runs away (separation)."""
    at = np.zeros(2)
    for _ in range(60):
        expected = _logistic(design @ at)
        slope = design.T @ (weight * (happened - expected))
        curvature = (design.T * (weight * expected * (1 - expected))) @ design
        if not np.all(np.isfinite(curvature)) or np.linalg.cond(curvature) > 1e14:
            return None
        step = np.linalg.solve(curvature, slope)
        before = _likelihood(design, happened, weight, at)
        size = 1.0
        while _likelihood(design, happened, weight, at + size * step) < before - 1e-12 * abs(before) and size > 1e-6:
            size /= 2
        at = at + size * step
        if np.max(np.abs(size * step)) < 1e-12 * max(1.0, float(np.max(np.abs(at)))):
            break
    return at if np.max(np.abs(at)) < 1e4 else None


def _sandwich(tally: Reliability, design: Array, weight: Array, at: Array) -> Array:
    expected = _logistic(design @ at)
    bread = np.linalg.inv((design.T * (weight * expected * (1 - expected))) @ design)
    moved = design * (weight * (tally.happened - expected))[:, None]
    if tally.unit is not None:
        moved = np.stack([np.bincount(tally.unit, weights=part) for part in moved.T], axis=1)
    n = len(moved)
    covariance = bread @ (moved.T @ moved) @ bread * n / max(n - 1, 1)
    return np.sqrt(np.diag(covariance))


def _likelihood(design: Array, happened: Array, weight: Array, at: Array) -> float:
    linear = design @ at
    return float(np.sum(weight * (happened * linear - np.logaddexp(0, linear))))


def _logistic(linear: Array) -> Array:
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-linear))
