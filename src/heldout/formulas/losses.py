"""Formulas on the losses and costs of rows: means, and shares of a null model's loss."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from heldout.batch import Array


def ece(bin_rows: Array, bin_gaps: Array) -> Array:
    """Expected calibration error: mean over rows of |probability - frequency| of their bin of probability [naeini15].

    `bin_gaps` holds sums of (happened - probability).

    >>> float(ece(np.array([8.0, 2.0]), np.array([0.5, -0.75])))
    0.125
    """
    return np.abs(bin_gaps).sum(axis=-1) / bin_rows.sum(axis=-1)


def rms_calibration_error_debiased(bin_rows: Array, bin_gaps: Array, bin_noise: Array) -> Array:
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


def explained(definition: str) -> Callable[[Array, Array], Array]:
    """Share of a null model's loss that a model saves, 1 - loss / null loss, under a definition of its own."""

    def formula(losses: Array, null_losses: Array) -> Array:
        return 1 - losses / null_losses

    formula.__doc__ = definition
    return formula


def mean_over_rows(definition: str) -> Callable[[Array, Array], Array]:
    """Mean of a value per row over the rows that have one, under a definition of its own."""

    def formula(row_values: Array, counted_rows: Array) -> Array:
        return row_values / counted_rows

    formula.__doc__ = definition
    return formula


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


def hinge_loss(hinge_losses: Array, rows: Array) -> Array:
    """Mean hinge loss: max(0, 1 - margin), the margin being ±score, or the true class's score less the best other."""
    return hinge_losses / rows
