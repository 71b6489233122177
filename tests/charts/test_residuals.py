"""Errors of predicted numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import heldout
from heldout.charts.residuals import (
    ACROSS,
    POINTS,
    UP,
    binned_means,
    cloud,
    normal_bands,
    predicted_truth,
    quantile_plot,
    residual_cloud,
)
from heldout.errors import UsageError


def test_few_rows_are_points_and_many_are_counted():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 100_000))
    found = cloud(x, y).columns
    assert len(found["rows"]) <= ACROSS * UP
    assert found["rows"].sum() == 100_000
    inside = (x >= found["left"][0]) & (x < found["right"][0]) & (y >= found["bottom"][0]) & (y < found["top"][0])
    assert inside.sum() == found["rows"][0]
    few = cloud(x[:POINTS], y[:POINTS])
    assert not few.binned
    assert few.columns["x"] is not None
    np.testing.assert_array_equal(few.columns["y"], y[:POINTS])


def test_rows_that_are_all_the_same():
    found = cloud(np.zeros(5000), np.ones(5000)).columns
    assert (found["rows"].tolist(), found["left"].tolist(), found["bottom"].tolist()) == ([5000], [0.0], [1.0])


def test_the_mean_error_of_a_bin_has_students_interval():
    rng = np.random.default_rng(1)
    x, y = np.sort(rng.normal(size=60)), rng.normal(size=60)
    found = binned_means(x, y, level=0.9, bins=3)
    part = y[20:40]
    low, high = stats.t.interval(0.9, 19, part.mean(), stats.sem(part))
    assert (found["low"][1], found["high"][1]) == pytest.approx((low, high))
    assert found["rows"].tolist() == [20, 20, 20]
    assert found["band_low"][1] < low


def test_rows_of_one_unit_count_as_one_draw():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=40), rng.normal(size=40)
    alone = binned_means(x, y, level=0.95, bins=2)
    twice = binned_means(np.repeat(x, 2), np.repeat(y, 2), level=0.95, bins=2, unit=np.repeat(np.arange(40), 2))
    np.testing.assert_allclose(twice["low"], alone["low"])


def test_errors_are_truth_less_prediction(regression):
    batch = regression.batch
    figure = residual_cloud(batch)
    np.testing.assert_allclose(figure.parts["rows"]["y"], batch.truth - batch.prediction)
    total = (figure.bins["mean"] * figure.bins["rows"]).sum() / figure.bins["rows"].sum()
    assert total == pytest.approx(np.mean(batch.truth - batch.prediction))


def test_the_correlation_in_words(regression):
    figure = predicted_truth(regression.batch)
    expected = np.corrcoef(regression.batch.truth, regression.batch.prediction)[0, 1]
    assert figure.alt == f"Truth against prediction, 300 rows. Their correlation is {expected:.3f}."


def test_one_of_several_targets():
    truth = np.arange(40.0).reshape(20, 2)
    result = heldout.evaluate(truth, truth + np.array([1, 2]), task="regression")
    names = [str(label) for label in result.labels]
    assert residual_cloud(result.batch, names[1]).bins["mean"].tolist() == [-2.0] * 10
    with pytest.raises(UsageError) as caught:
        residual_cloud(result.batch, "other")
    assert str(caught.value) == f"no target is named 'other'\n  Fix: choose one of {', '.join(names)}"


def test_quantiles_are_the_sorted_standardised_errors(regression):
    batch = regression.batch
    figure = quantile_plot(batch)
    error = np.sort(batch.truth - batch.prediction)
    standard = (error - error.mean()) / error.std()
    assert figure.points["error"][0] == pytest.approx(standard[0])
    assert figure.points["error"][-1] == pytest.approx(standard[-1])
    assert figure.points["normal"][-1] == pytest.approx(stats.norm.ppf(1 - 0.5 / 300))


def test_the_band_holds_normal_samples_as_often_as_it_says():
    ranks, rng = np.arange(1, 61), np.random.default_rng(3)
    band = normal_bands(ranks, 60, level=0.9, seed=0)
    samples = np.sort(rng.normal(size=(4000, 60)), axis=1)
    whole = np.mean(np.all((samples >= band["band_low"]) & (samples <= band["band_high"]), axis=1))
    alone = np.mean((samples >= band["low"]) & (samples <= band["high"]))
    assert whole == pytest.approx(0.9, abs=0.03)
    assert alone == pytest.approx(0.9, abs=0.01)


def test_no_band_where_rows_share_units():
    rng = np.random.default_rng(4)
    truth = rng.normal(size=40)
    result = heldout.evaluate(truth, truth + rng.normal(size=40), groups=np.repeat(np.arange(20), 2))
    figure = quantile_plot(result.batch)
    assert set(figure.points) == {"normal", "error"}
    assert figure.caption == "Normal errors lie on the dashed line. There is no band, because rows are clustered."
