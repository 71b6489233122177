"""Worlds of numbers: noise of mean 0 and variance 1, and what a model misses by it."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from scipy import stats

from heldout.lab.worlds.regression_worlds import NOISES, numbers


@pytest.mark.parametrize("noise", NOISES)
def test_every_noise_has_mean_0_and_variance_1(noise):
    """By their quantiles, evenly spread; of t3 the tail beyond the grid is a hundredth of the variance."""
    z = stats.norm.ppf((np.arange(2_000_000) + 0.5) / 2_000_000)
    drawn = NOISES[noise](z)
    assert drawn.mean() == pytest.approx(0, abs=1e-4)
    assert drawn.var() == pytest.approx(1, abs=0.02 if noise == "t3" else 1e-3)
    assert (np.diff(drawn) >= 0).all()


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
    assert values["mae"] == pytest.approx(law.expect(np.abs), rel=1e-4)
    assert values["median_absolute_error"] == pytest.approx(law.ppf(0.75), rel=1e-3)
    assert values["mean_error"] == 0.0


def test_truth_and_prediction_share_the_signal():
    shared, own = np.array([[1.0, -2.0], [0.5, 0.0]]), np.array([[1.0, 1.0]])
    recipe = numbers(signal=3.0, own=0.1)
    assert recipe.truth(shared).tolist() == [3.5, -6.0]
    assert recipe.said(shared, own)["prediction"].tolist() == pytest.approx([3.1, -5.9])
