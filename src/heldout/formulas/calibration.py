"""Formulas on probabilities against what happened."""

from __future__ import annotations

import numpy as np

from heldout.batch import Array


def calibration_error(bin_rows: Array, bin_gaps: Array, bin_noise: Array) -> Array:
    """Root mean squared gap between probability and frequency over bins, less what chance alone would show [kumar19].

    `bin_gaps` holds sums of (happened - probability), `bin_noise` the variance of these sums.
    """
    squared = ((bin_gaps**2 - bin_noise) / bin_rows).sum(axis=-1) / bin_rows.sum(axis=-1)
    return np.sqrt(np.maximum(squared, 0))


def calibration_slope(coefficients: Array) -> Array:
    """Slope of what happened on the logit of the probability: 1 is calibrated, below 1 too extreme [cox58]."""
    return coefficients[..., 1]


def calibration_intercept(coefficients: Array) -> Array:
    """Intercept of what happened on the logit of the probability: 0 is calibrated, above 0 too low [cox58]."""
    return coefficients[..., 0]
