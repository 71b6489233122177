"""Intervals for calibration: gaps between probability and frequency, slope and intercept."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np

from heldout.batch import Array
from heldout.estimates.question import Answer, Question
from heldout.intervals.critical_values import critical_z
from heldout.intervals.scales import plain
from heldout.tallies.reliability import Bins, Reliability


def error_value(tally: Reliability, bins: int = 15) -> float:
    """The calibration error, freed of what chance alone would show."""
    return sqrt(max(_squared(tally.binned(bins)), 0.0))


def calibration_error(asked: Question) -> Answer:
    """Normal interval for the squared error, with the term that is left where there is no error; then its root."""
    bins = asked.tally.binned()
    scale = 1 / (bins.rows * bins.rows.sum())
    covariance = _never_zero(bins)
    twice = scale[:, None] * scale * covariance
    variance = float(np.sum(twice * (4 * np.outer(bins.gaps, bins.gaps) + 2 * covariance)))
    squared, reach = _squared(bins), critical_z(asked.level) * sqrt(max(variance, 0.0))
    low, high = sqrt(max(squared - reach, 0.0)), sqrt(max(squared + reach, 0.0))
    floor = float(np.sum(np.sqrt(2 * np.diag(bins.covariance) / np.pi)) / bins.rows.sum())
    note = f"{len(bins.rows)} bins; without the correction chance alone would show about {floor:.3f}"
    return Answer(interval=(low, min(high, 1.0)), method="debiased, delta", notes=(note,))


def _never_zero(bins: Bins) -> Array:
    """The covariance of the gaps, a bin in which all or nothing happened taken as if half a row had not."""
    share = (bins.happened + 0.5) / (bins.rows + 1)
    least = np.where(np.diag(bins.covariance) > 0, 0.0, bins.rows * share * (1 - share))
    return bins.covariance + np.diag(least)


def _squared(bins: Bins) -> float:
    return float(np.sum((bins.gaps**2 - np.diag(bins.covariance)) / bins.rows) / bins.rows.sum())


def recalibration(asked: Question) -> Answer:
    """The coefficient of a logistic fit on the logit of the probability, with its sandwich error over units."""
    found = asked.tally.recalibration
    which = 1 if asked.metric.name == "calibration_slope" else 0
    if isnan(found.coefficients[which]):
        return Answer(interval=asked.metric.range, method="logistic, sandwich", notes=found.notes)
    error = sqrt(asked.widened(float(found.errors[which]) ** 2))
    ends = plain(float(found.coefficients[which]), error, asked.level)
    return Answer(interval=ends, method="logistic, sandwich", notes=found.notes)
