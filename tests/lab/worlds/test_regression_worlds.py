"""Simulations of numbers: noise of mean 0 and variance 1, and what a model misses by it."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from scipy import stats

from heldout.lab.worlds.regression_worlds import NOISES, numbers


@pytest.mark.parametrize("noise", NOISES)
def test_every_noise_has_mean_0_and_variance_1(noise):
    """Integrated over the normal that it is made of; t3 has a thousandth of its variance beyond the grid."""
    z = np.linspace(-8.5, 8.5, 40_001)
    made, mass = NOISES[noise](z), stats.norm.pdf(z) * (z[1] - z[0])
    assert mass @ made == pytest.approx(0, abs=1e-6)
    assert mass @ made**2 == pytest.approx(1, abs=1e-3 if noise == "t3" else 1e-6)
    assert (np.diff(made) >= 0).all()


@pytest.mark.parametrize(
    ("noise", "law"),
    [
        ("normal", stats.norm()),
        ("laplace", stats.laplace(scale=1 / sqrt(2))),
        ("t3", stats.t(3, scale=1 / sqrt(3))),
    ],
)
def test_mean_and_median_of_the_absolute_error_are_those_of_the_law(noise, law):
    values = numbers(noise=noise).values()
    assert values["mae"] == pytest.approx(law.expect(np.abs), rel=1e-3)
    assert values["median_absolute_error"] == pytest.approx(law.ppf(0.75), rel=1e-4)


def test_laplace_in_closed_form():
    values = numbers(noise="laplace").values()
    assert values["mae"] == pytest.approx(1 / sqrt(2), rel=1e-5)
    assert values["median_absolute_error"] == pytest.approx(log(2) / sqrt(2), rel=1e-5)


def test_what_the_model_adds_of_its_own_adds_to_the_variance():
    values = numbers(signal=2.0, own=0.5).values()
    assert values["mse"] == 1.25
    assert values["rmse"] == sqrt(1.25)
    assert values["r2"] == pytest.approx(1 - 1.25 / 5)
    law = stats.norm(scale=sqrt(1.25))
    assert values["mae"] == pytest.approx(law.expect(np.abs), rel=1e-6)
    assert values["median_absolute_error"] == pytest.approx(law.ppf(0.75), rel=1e-6)
    assert values["mean_error"] == 0.0


def test_noise_that_is_mostly_nothing_leaves_the_error_of_the_model():
    """7 of 10 errors are the model's own, a normal; the others are it and an exponential on either side."""
    rng = np.random.default_rng(0)
    noise = np.where(rng.random(10**6) < 0.7, 0, rng.laplace(scale=1 / sqrt(0.6), size=10**6))
    errors = np.abs(noise + 0.5 * rng.standard_normal(10**6))
    values = numbers(noise="zeros", own=0.5).values()
    assert values["mae"] == pytest.approx(errors.mean(), abs=4 * errors.std() / 1000)
    at, step = values["median_absolute_error"], 0.05
    density = np.mean(np.abs(errors - at) < step) / (2 * step)
    assert at == pytest.approx(np.median(errors), abs=4 * 0.5 / (density * 1000))


def test_truth_and_prediction_share_the_signal():
    shared, own = np.array([[1.0, -2.0], [0.5, 0.0]]), np.array([[1.0, 1.0]])
    recipe = numbers(signal=3.0, own=0.1)
    assert recipe.truth(shared).tolist() == [3.5, -6.0]
    assert recipe.said(shared, own)["prediction"].tolist() == pytest.approx([3.1, -5.9])
