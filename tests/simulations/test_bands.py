"""How often a band holds the whole curve, and a point of it, in worlds where the curve is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from heldout.curves import curve
from heldout.lab.worlds import one_model
from heldout.lab.worlds.score_worlds import apart

pytestmark = pytest.mark.simulation


def measured(name, world, rows, true, *, repeats, inside=(0.0, 1.0)):
    """Shares of the repetitions in which all points, and of all points at which the pointwise band, hold the curve."""
    rng, place = np.random.default_rng(1), one_model(world)
    together, alone = 0, []
    for at in range(repeats):
        band = curve(name, place.draw(rows, rng), seed=at).band
        kept = (band["x"] >= inside[0]) & (band["x"] <= inside[1])
        held = {ends: _holds(band, true, kept, *ends) for ends in (("band_low", "band_high"), ("low", "high"))}
        together += bool(np.all(held["band_low", "band_high"]))
        alone.append(np.mean(held["low", "high"]))
    print(f"{name}: together {together / repeats:.3f}, pointwise {np.mean(alone):.3f}, of {repeats}")
    return together / repeats, float(np.mean(alone))


def _holds(band, true, kept, low, high):
    truth = true(band["x"][kept])
    return (band[low][kept] <= truth + 1e-9) & (truth <= band[high][kept] + 1e-9)


def sweep(area, prevalence):
    """Thresholds, recall, FPR of two normal classes; the share called and the precision there."""
    shift = apart(area)
    at = np.linspace(9 + shift, -9, 8001)
    recall, alarms = ndtr(shift - at), ndtr(-at)
    called = prevalence * recall + (1 - prevalence) * alarms
    return recall, called, prevalence * recall / called


@pytest.mark.parametrize(("rows", "prevalence", "area"), [(200, 0.5, 0.85), (500, 0.1, 0.9)])
def test_roc(rows, prevalence, area):
    world = f"binormal:auc={area},prevalence={prevalence},fixed=1"
    together, alone = measured(
        "roc", world, rows, lambda x: ndtr(apart(area) + ndtri(x)), repeats=60, inside=(0.02, 0.98)
    )
    assert together >= 0.66  # 0.81 in 300 draws, less three Monte Carlo errors of 60
    assert 0.92 <= alone <= 0.985


@pytest.mark.parametrize(("rows", "prevalence"), [(200, 0.5), (500, 0.1)])
def test_gain(rows, prevalence):
    recall, called, _ = sweep(0.85, prevalence)
    world = f"binormal:auc=0.85,prevalence={prevalence}"
    together, alone = measured(
        "gain", world, rows, lambda x: np.interp(x, called, recall), repeats=60, inside=(0.02, 0.98)
    )
    assert together >= 0.8
    assert 0.92 <= alone <= 0.985


@pytest.mark.parametrize(("rows", "prevalence"), [(200, 0.5), (500, 0.1)])
def test_precision_recall(rows, prevalence):
    recall, _, precision = sweep(0.85, prevalence)
    world = f"binormal:auc=0.85,prevalence={prevalence}"
    true = lambda x: np.interp(x, recall, precision)  # noqa: E731 a curve
    together, alone = measured("precision_recall", world, rows, true, repeats=60, inside=(0.05, 0.95))
    assert together >= 0.8
    assert 0.92 <= alone <= 0.985


@pytest.mark.parametrize("rows", [100, 1000])
def test_calibration(rows):
    together, alone = measured("calibration", "probabilities", rows, lambda x: x, repeats=150)
    assert 0.9 <= together <= 0.99
    assert 0.93 <= alone <= 0.98
