from __future__ import annotations

import numpy as np
import pytest

from heldout.tallies import reliability
from heldout.tallies.reliability import tally_reliability

rng = np.random.default_rng(0)


def made(rows=1500, **columns):
    chance = rng.random(rows)
    return tally_reliability(chance, (rng.random(rows) < chance).astype(float), **columns)


def test_bins_have_equal_mass():
    bins = made().binned(15)
    assert bins.rows.tolist() == [100] * 15
    assert np.all(np.diff(bins.chances / bins.rows) > 0)
    assert bins.gaps == pytest.approx(bins.happened - bins.chances)


def test_bins_of_equal_width():
    bins = made().binned(10, equal="width")
    assert len(bins.rows) == 10
    assert np.all(np.abs(bins.chances / bins.rows - (np.arange(10) + 0.5) / 10) < 0.02)


def test_few_distinct_values_are_bins_of_their_own():
    tally = tally_reliability(np.repeat([0.2, 0.5, 0.7], 10), np.tile([0.0, 1.0], 15))
    bins = tally.binned(15)
    assert (bins.rows.tolist(), (bins.chances / bins.rows).tolist()) == ([10, 10, 10], pytest.approx([0.2, 0.5, 0.7]))


def test_equal_values_stay_together():
    tally = tally_reliability(np.concatenate([np.full(50, 0.5), np.linspace(0.6, 0.9, 50)]), np.zeros(100))
    assert tally.binned(4).rows.max() >= 50


def test_noise_is_binomial():
    tally = tally_reliability(
        chance=np.repeat([0.2, 0.7], 50),
        happened=np.concatenate([np.arange(50) < 15, np.arange(50) < 30]).astype(float),
    )
    noise = np.diag(tally.binned().covariance)
    assert noise == pytest.approx([50 * 0.3 * 0.7 * 50 / 49, 50 * 0.6 * 0.4 * 50 / 49])


def test_units_that_move_together_are_noisier():
    chance, happened = np.repeat([0.3, 0.6], 40), np.tile(np.repeat([0.0, 1.0], 10), 4)
    alone = tally_reliability(chance, happened).binned()
    together = tally_reliability(chance, happened, unit=np.arange(80) // 10).binned()
    assert np.all(np.diag(together.covariance) > 3 * np.diag(alone.covariance))


def test_slope_and_intercept_undo_a_known_distortion():
    odds = 1.5 * rng.standard_normal(200_000)
    happened = (rng.random(len(odds)) < 1 / (1 + np.exp(-odds))).astype(float)
    tally = tally_reliability(1 / (1 + np.exp(-(2 * odds + 1))), happened)
    assert tally.recalibration.coefficients == pytest.approx([-0.5, 0.5], abs=0.02)


@pytest.mark.parametrize(
    ("chance", "happened"),
    [
        ([0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [0, 0, 0, 1, 1, 1]),
        ([0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [1, 1, 1, 0, 0, 0]),
        ([0.1, 0.2, 0.5, 0.5, 0.8, 0.9], [0, 0, 0, 1, 1, 1]),  # a tie where they meet
        ([0.0, 1e-20, 1e-18, 0.5, 0.6, 0.7], [0, 1, 0, 1, 1, 1]),  # equal once taken from the edge
    ],
)
def test_scores_that_separate_the_classes_have_no_slope(chance, happened, monkeypatch):
    def no_search(*_args):
        raise AssertionError

    monkeypatch.setattr(reliability, "_newton", no_search)
    found = tally_reliability(np.array(chance), np.array(happened, float)).recalibration
    assert np.isnan(found.coefficients).all()
    assert found.notes[-1] == "undefined: the scores separate the classes, so the slope has no finite value"


def test_a_row_of_weight_zero_does_not_join_separated_classes():
    chance, happened = np.array([0.1, 0.2, 0.6, 0.7, 0.8]), np.array([0.0, 0.0, 1.0, 1.0, 0.0])
    apart, joined = (tally_reliability(chance, happened, np.array([1.0, 1, 1, 1, last])) for last in (0, 1))
    assert np.isnan(apart.recalibration.coefficients).all()
    assert np.isfinite(joined.recalibration.coefficients).all()


def test_classes_that_overlap_in_one_pair_of_rows_have_a_slope():
    found = tally_reliability(np.array([0.1, 0.2, 0.4, 0.3, 0.8, 0.9]), np.repeat([0.0, 1.0], 3)).recalibration
    assert np.isfinite(found.coefficients).all()
    assert found.coefficients[1] > 1
