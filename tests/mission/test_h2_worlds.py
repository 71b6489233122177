"""Known worlds: row H2 of what the system must do. True error and Bayes error are known, and rows agree with them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from heldout.lab import gaussian, world
from heldout.lab.learning.repeated_fits import learnable
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

ROWS = 200_000


def test_H2_gaussian_classes():
    """Two classes, means 2 apart: the best rule is wrong with chance Phi(-1)."""
    classes = gaussian(distance=2.0, dimensions=2)
    assert classes.truth("error_rate") == pytest.approx(ndtr(-1.0), abs=1e-9)
    X, y = classes.sample(ROWS, np.random.default_rng(0))
    assert np.mean(classes.bayes(X) != y) == pytest.approx(ndtr(-1.0), abs=0.003)


def test_H2_a_function_and_noise():
    """y = f(x) + e: whoever knows f has the mean squared error of the noise, and nobody has less."""
    sine = learnable("sine:noise=0.3")
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
    found = Measurement(place.draw(ROWS, np.random.default_rng(0)), Settings(metrics=None))
    from heldout.formulas import metric as named

    assert found.value(named(metric)) == pytest.approx(place.truth(metric), rel=0.02)
