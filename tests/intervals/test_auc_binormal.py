from __future__ import annotations

from math import asin, pi

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal

from heldout.intervals.auc import binormal_covariance, binormal_variance, orthant_covariance


@pytest.mark.parametrize(("h", "k", "r"), [(0.5, 1.2, 0.3), (-1.0, 2.0, -0.8), (1.3, 1.3, 0.99), (0.0, 0.7, 0.0)])
def test_the_orthant_as_scipy_has_it(h, k, r):
    want = multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf([h, k]) - ndtr(h) * ndtr(k)
    assert orthant_covariance(h, k, r) == pytest.approx(want, abs=1e-7)


def test_the_orthant_at_zero_is_an_angle():
    assert orthant_covariance(0, 0, 0.9) == pytest.approx(asin(0.9) / (2 * pi))


def test_variance_is_covariance_with_itself():
    assert binormal_covariance(0.83, 0.83, 12, 30, 1.0) == pytest.approx(binormal_variance(0.83, 12, 30))


def test_areas_of_normal_scores_vary_as_said():
    rng = np.random.default_rng(1)
    areas, r, m, k = np.array([0.75, 0.9]), 0.6, 8, 15
    first = rng.normal(size=(20_000, m + k))
    second = r * first + np.sqrt(1 - r**2) * rng.normal(size=first.shape)
    found = []
    for scores, shift in zip((first, second), np.sqrt(2) * ndtri(areas), strict=True):
        found.append(np.mean(scores[:, :m, None] + shift > scores[:, None, m:], axis=(1, 2)))
    seen = np.cov(found)
    assert np.mean(found, axis=1) == pytest.approx(areas, abs=2e-3)
    assert seen[0, 0] == pytest.approx(binormal_variance(0.75, m, k), rel=0.04)
    assert seen[1, 1] == pytest.approx(binormal_variance(0.9, m, k), rel=0.04)
    assert seen[0, 1] == pytest.approx(binormal_covariance(*areas, m, k, r), rel=0.04)
