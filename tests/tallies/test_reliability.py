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


def logistic(odds):
    return 1 / (1 + np.exp(-odds))


MANY_ROWS = 250_000
CHANCES = {
    "uniform": lambda: rng.random(MANY_ROWS),
    "sure": lambda: logistic(10 * rng.standard_normal(MANY_ROWS)),
    "rare": lambda: logistic(rng.standard_normal(MANY_ROWS) - 5),
    "single precision": lambda: rng.random(MANY_ROWS, dtype=np.float32),
    "ties": lambda: rng.integers(1, 500, MANY_ROWS) / 500,
    "exactly 0 and 1": lambda: np.clip(1.4 * rng.random(MANY_ROWS) - 0.2, 0, 1),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", CHANCES)
def test_points_that_stand_for_many_rows_have_the_fit_of_the_rows(name, weighted, monkeypatch):
    chance = np.sort(CHANCES[name]())
    happened = (rng.random(MANY_ROWS) < logistic(0.3 + 0.8 * np.log((chance + 1e-9) / (1 - chance + 1e-9)))) * 1.0
    weight = rng.exponential(size=MANY_ROWS) if weighted else None
    monkeypatch.setattr(reliability, "ENOUGH", 1e-9)
    few = reliability.recalibrated(chance, happened, weight, None)
    monkeypatch.setattr(reliability, "MANY", MANY_ROWS + 1)
    every = reliability.recalibrated(chance, happened, weight, None)
    assert few.coefficients == pytest.approx(every.coefficients, rel=1e-13)
    assert few.errors == pytest.approx(every.errors, rel=1e-13)


def test_two_points_have_the_moments_of_their_block():
    chance = np.sort(0.3 + 1e-4 * rng.random((20, 32)))
    happened = (rng.random(chance.shape) < 0.4).astype(float)
    weight = rng.random(chance.shape)
    points = reliability._two_points(chance, happened, weight)
    for low, high, outcome in ((*points[:2], 0), (*points[2:], 1)):
        rows = weight * (happened == outcome)
        for power in range(4):
            moments = [
                sum(part.weight * (logistic(part.logit) - 0.3) ** power for part in (low, high)),
                (rows * (chance - 0.3) ** power).sum(axis=1),
            ]
            assert moments[0] == pytest.approx(moments[1], rel=1e-9)


def test_a_slope_that_a_tenth_of_the_rows_does_not_show_is_found(monkeypatch):
    odds = 0.2 * rng.standard_normal(MANY_ROWS)
    chance = np.sort(logistic(odds))
    happened = (rng.random(MANY_ROWS) < logistic(20 * np.log(chance / (1 - chance)))).astype(float)
    monkeypatch.setattr(reliability, "_started", lambda *_: np.zeros(2))
    few = reliability.recalibrated(chance, happened, None, None)
    monkeypatch.setattr(reliability, "MANY", MANY_ROWS + 1)
    every = reliability.recalibrated(chance, happened, None, None)
    assert few.coefficients == pytest.approx(every.coefficients, rel=1e-11)
    assert every.coefficients[1] == pytest.approx(20, rel=0.02)
