"""Known worlds: row H2 of what the system must do. True error and Bayes error are known, and rows agree with them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

import heldout
from heldout.lab import Function, LinearRule, gaussian, true_error, world

ROWS = 200_000


def test_H2_gaussian_classes():
    """Two classes, means 2 apart: the best rule is wrong with chance Phi(-1)."""
    classes = gaussian(distance=2.0, dimensions=2)
    assert classes.truth("error_rate") == pytest.approx(ndtr(-1.0), abs=1e-9)
    X, y = classes.sample(ROWS, np.random.default_rng(0))
    assert np.mean(classes.bayes(X) != y) == pytest.approx(ndtr(-1.0), abs=0.003)


def test_H2_the_true_error_of_any_rule_is_known():
    """Exact for a linear rule, averaged for any other: where both are possible they agree."""
    classes, rule = gaussian(distance=2.0), LinearRule(weights=(1.0, 0.0), offset=-0.5)
    exact = true_error(classes, rule)
    assert (exact.value, exact.error) == (pytest.approx((ndtr(-0.5) + ndtr(-1.5)) / 2), 0.0)
    drawn = true_error(classes, lambda X: (X[:, 0] > 0.5).astype(int))
    assert abs(drawn.value - exact.value) < 4 * drawn.error
    assert 0 < drawn.error < 0.002


def test_H2_a_function_and_noise():
    """y = f(x) + e: whoever knows f has the mean squared error of the noise, and nobody has less."""
    sine = Function(shape="sine", noise=0.3)
    x = np.random.default_rng(0).uniform(0, 1, ROWS)
    assert np.mean((sine.observed(x, np.random.default_rng(1)) - sine.f(x)) ** 2) == pytest.approx(0.09, rel=0.02)
    assert sine.truth("mse") == pytest.approx(0.09)


@pytest.mark.parametrize(
    ("word", "metric"),
    [
        ("labels:prevalence=0.2,precision=0.7,recall=0.6", "f1"),
        ("binormal:auc=0.85,prevalence=0.1", "average_precision"),
        ("probabilities:prevalence=0.3,noise=0.5", "log_loss"),
        ("clustered-binormal:auc=0.85,size=5", "roc_auc"),
        ("numbers:own=1,noise=laplace", "mae"),
    ],
)
def test_H2_rows_agree_with_the_true_value(word, metric):
    place = world(word)
    batch = place.draw(ROWS, np.random.default_rng(0))
    said = {"y_pred": batch.prediction} if batch.score is None else {"y_score": batch.score}
    found = heldout.evaluate(batch.truth, **said, metrics=metric)
    assert float(found[metric]) == pytest.approx(place.truth(metric), rel=0.02)
