from __future__ import annotations

import numpy as np
import pytest

from heldout.formulas import losses as calibration, regression


def test_the_middle_of_weighted_numbers():
    assert regression.median_absolute_error(np.array([1.0, 2.0, 4.0]), np.ones(3)) == 2.0
    assert regression.median_absolute_error(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 5.0])) == 4.0
    assert regression.median_absolute_error(np.array([1.0, 2.0, 4.0]), np.array([2.0, 1.0, 1.0])) == 1.5
    drawn = regression.median_absolute_error(np.array([1.0, 2.0, 4.0]), np.array([[1, 1, 1], [0, 0, 3]]))
    assert drawn.tolist() == [2.0, 4.0]


def test_the_largest_of_those_that_count():
    assert regression.max_error(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 0.0])) == 2.0
    assert regression.max_error(np.array([1.0, 2.0, 4.0]), np.array([[1, 0, 0], [0, 0, 1]])).tolist() == [1.0, 4.0]


def test_explained_share_of_a_constant_is_undefined():
    with np.errstate(invalid="ignore", divide="ignore"):
        assert np.isnan(regression.r2(np.float64(0), np.float64(0), np.float64(0), np.float64(3)))


def test_calibration_error_is_never_below_zero():
    rows, gaps = np.array([50.0, 50.0]), np.array([5.0, -10.0])
    assert calibration.rms_calibration_error_debiased(rows, gaps, np.zeros(2)) == pytest.approx(
        np.sqrt((25 / 50 + 100 / 50) / 100)
    )
    assert calibration.rms_calibration_error_debiased(rows, gaps, np.full(2, 1e3)) == 0.0
