"""Formulas on the losses and costs of rows: means."""

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


def cost(costs: Array, rows: Array) -> Array:
    """Mean cost of a row under the cost matrix; with cost 1 for every error it is the error rate."""
    return costs / rows


def cost_minimum_risk(minimum_risk_costs: Array, rows: Array) -> Array:
    """Mean cost of a row if each prediction is the one of least expected cost under the model's probabilities."""
    return minimum_risk_costs / rows


def mean_loss(losses: Array, rows: Array) -> Array:
    """Mean loss of a row."""
    return losses / rows


def log_loss(log_losses: Array, rows: Array) -> Array:
    """Mean of -ln p of what happened, in nats; infinite where a row gave it probability zero."""
    return log_losses / rows


def log_loss_bits(log_losses: Array, rows: Array) -> Array:
    """Informational loss: mean of -log2 p of what happened, in bits."""
    return log_losses / rows / 0.6931471805599453


def brier(brier_losses: Array, rows: Array) -> Array:
    """Mean of (p - y)² over rows, p the probability of the positive class and y 1 or 0 [brier50]."""
    return brier_losses / rows


def quadratic_loss(quadratic_losses: Array, rows: Array) -> Array:
    """Mean over rows of the squared distance between probabilities and truth, summed over classes: at most 2."""
    return quadratic_losses / rows


def subset_accuracy(exact_matches: Array, rows: Array) -> Array:
    """Share of the rows whose labels are all right."""
    return exact_matches / rows


def hamming_loss(wrong_marks: Array, rows: Array) -> Array:
    """Share of all labels of all rows that are wrong."""
    return wrong_marks / rows
