"""Calibration."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.charts.calibration import shares_in_bins


def test_the_bins_are_those_of_the_curve(evaluation):
    figure = evaluation.plot.figure("calibration")
    curve = evaluation.curve("calibration")
    np.testing.assert_array_equal(figure.parts["bins"]["happened"], curve.points["happened"])
    np.testing.assert_array_equal(figure.parts["bins"]["band_low"], curve.band["band_low"])
    assert figure.names["model"] == f"slope {evaluation['calibration_slope']}"
    assert evaluation.plot.calibration(bins=5).figure.parts["bins"]["rows"].size == 5


def test_the_histogram_counts_every_row_once(binary, evaluation):
    _, score, *_ = binary
    spread = evaluation.plot.figure("calibration").spread["model"]
    assert spread.sum() == pytest.approx(1)
    np.testing.assert_allclose(spread, np.histogram(score, bins=40, range=(0, 1))[0] / len(score))


def test_a_score_of_one_is_in_the_last_bin_and_weights_count():
    assert shares_in_bins(np.array([1.0, 0.0]), np.array([3.0, 1.0]), bins=4).tolist() == [0.25, 0, 0, 0.75]


def test_calibration_of_several_classes_is_that_of_the_chosen_class():
    rng = np.random.default_rng(0)
    chances = rng.dirichlet([1, 1, 1], 200)
    truth = np.array(["a", "b", "c"])[[rng.choice(3, p=p) for p in chances]]
    result = heldout.evaluate(truth, y_proba=chances, labels=["a", "b", "c"])
    figure = result.plot.figure("calibration")
    low = figure.parts["bins"]["chance"].min()
    assert low > 1 / 3
    assert figure.spread["model"].sum() == pytest.approx(1)
