"""What is known to fail must be seen to fail in the lab, and what is used instead must be seen to hold.

Figures that are drawn are compared within three Monte-Carlo errors.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

import heldout
from heldout import lab
from heldout.intervals import auc as areas
from heldout.intervals.scales import critical_z
from heldout.intervals.shares import wilson
from heldout.stats.best_of_many import winner

pytestmark = pytest.mark.simulation


def test_the_normal_interval_covers_two_times_in_five():
    normal, score, exact = lab.coverage(["normal", "wilson", "clopper_pearson"], "coin:p=0.01", 50)
    assert [round(one.coverage, 3) for one in (normal, score, exact)] == [0.395, 0.911, 0.986]
    assert {one.error for one in (normal, score, exact)} == {0.0}
    assert (normal.word, score.word) == ("too low", "too low")


def test_the_normal_interval_misses_on_one_side_only():
    (normal,) = lab.coverage("normal", "coin:p=0.01", 50)
    assert normal.below == pytest.approx(0.99**50, abs=1e-9)  # no row at all: the interval is the point 0
    assert normal.above < 1e-3


def test_delong_s_normal_interval_is_a_point_where_the_classes_part():
    place = lab.world("binormal:auc=0.97,fixed=1")
    rng = np.random.default_rng(8)
    drawn = [place.draw(20, rng) for _ in range(2000)]
    truth, score = (np.stack([getattr(one, name) for one in drawn]) for name in ("truth", "score"))
    positive, negative = (score[truth == label].reshape(2000, 10) for label in (1, 0))
    parted = positive.min(axis=1) > negative.max(axis=1)
    assert parted.mean() == pytest.approx(0.315, abs=3 * sqrt(2) * 0.0104)  # found before, of as many draws

    area, error = normal_delong(positive, negative)
    low, high = area - critical_z(0.95) * error, area + critical_z(0.95) * error
    assert (low[parted] == 1).all()
    assert (high[parted] == 1).all()
    assert np.mean((low <= 0.97) & (high >= 0.97)) == pytest.approx(0.685, abs=3 * sqrt(2) * 0.0104)


def normal_delong(positive, negative):
    """Areas and their standard errors, by lines of scores."""
    ahead = positive[:, :, None] > negative[:, None, :]
    hits, misses = ahead.mean(axis=2), ahead.mean(axis=1)
    variance = hits.var(axis=1, ddof=1) / positive.shape[1] + misses.var(axis=1, ddof=1) / negative.shape[1]
    return hits.mean(axis=1), np.sqrt(variance)


def test_ours_is_no_point_there():
    assert np.isnan(areas.delong(1.0, 0.0, 0.95)).all()
    truth, score = np.repeat([0, 1], 10), np.linspace(0.1, 0.9, 20)
    for method in ("auto", "delong"):
        found = heldout.evaluate(truth, y_score=score, metrics="roc_auc", method=method)["roc_auc"]
        assert (round(found.low, 3), found.high) == (0.8, 1.0)
    default, normal = lab.coverage(["auto", "delong"], "binormal:auc=0.97,fixed=1", 20, metrics="roc_auc", repeats=400)
    assert default.coverage > 0.93
    assert normal.coverage > 0.93  # because it is not used where the classes part


@pytest.mark.parametrize(
    ("correlation", "optimism", "holds"), [(0.0, 0.051, 0.705), (0.6, 0.041, 0.798)], ids=["independent", "alike"]
)
def test_the_best_of_twenty_models_looks_better_than_it_is(correlation, optimism, holds):
    repeats, rows, truth = 300, 200, 0.8
    pair = lab.world(f"pair-coin:p={truth},models=20,correlation={correlation}")
    rng = np.random.default_rng(14)
    values, plain_lows, estimated, bounds = [], [], [], []
    for _ in range(repeats):
        right = np.stack([one.prediction == one.truth for one in pair.draw(rows, rng).values()], axis=1)
        best = winner((right - right.mean(axis=0)) / rows, right.mean(axis=0), 0.95, draws=400, seed=0)
        values.append(best.value)
        plain_lows.append(wilson(best.value * rows, rows, 0.95)[0])
        estimated.append(best.optimism)
        bounds.append(best.bound)
    gained = np.array(values) - truth
    assert gained.mean() == pytest.approx(optimism, abs=0.0005 + 3 * gained.std() / sqrt(repeats))
    error = sqrt(holds * (1 - holds) * (1 / repeats + 1 / 2000))
    assert np.mean(np.array(plain_lows) <= truth) == pytest.approx(holds, abs=3 * error)
    # The correction takes most of it away without the truth being known, and its bound holds.
    assert 0.4 * optimism < np.mean(estimated) <= optimism
    assert np.mean(np.array(bounds) <= truth) > 0.95


def test_unpaired_tests_waste_power():
    world = "pair-coin:p=0.83,gain=0.02,correlation=0.82"
    (paired,) = lab.power("mcnemar", world, 2000)
    (unpaired,) = lab.power("unpaired", world, 2000, repeats=250)
    assert round(paired.difference, 9) == 0.02
    assert round(paired.rejected, 2) == 0.74
    assert unpaired.rejected == pytest.approx(0.41, abs=3 * unpaired.error)
