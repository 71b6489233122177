"""How often a band holds the whole curve, and a point of it, in worlds where the curve is known.

Simultaneous 95% bands are known to be wide, 97 to 99%: those of ROC curves have a level per class, and those of gain
and precision-recall curves follow from them and from an interval of the prevalence. Bins of a calibration curve have
intervals that cover at least as often as they say, the more the fewer rows a bin has.
Each is held to its own figure of 600 other repetitions; bands at one point cover 95%.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from heldout.curves import curve_of_batch
from heldout.lab.worlds import one_model
from heldout.lab.worlds.score_worlds import apart
from tests.simulations.bounds import at_least, at_most

pytestmark = pytest.mark.simulation


def measured(name, world, rows, true, *, repeats, inside=(0.0, 1.0)):
    """Shares of the repetitions in which all points, and of all points at which the pointwise band, hold the curve."""
    rng, place = np.random.default_rng(1), one_model(world)
    together, alone = 0, []
    for at in range(repeats):
        band = curve_of_batch(name, place.draw(rows, rng), seed=at).band
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


@pytest.mark.parametrize(("rows", "prevalence", "area", "covers"), [(200, 0.5, 0.85, 0.985), (500, 0.1, 0.9, 0.975)])
def test_roc(rows, prevalence, area, covers):
    world = f"binormal:auc={area},prevalence={prevalence},fixed=1"
    true = lambda x: ndtr(apart(area) + ndtri(x))  # noqa: E731 a curve
    held("roc", world, rows, true, covers=covers, inside=(0.02, 0.98))


@pytest.mark.parametrize(("rows", "prevalence", "covers"), [(200, 0.5, 0.99), (500, 0.1, 0.985)])
def test_gain(rows, prevalence, covers):
    recall, called, _ = sweep(0.85, prevalence)
    world = f"binormal:auc=0.85,prevalence={prevalence}"
    held("gain", world, rows, lambda x: np.interp(x, called, recall), covers=covers, inside=(0.02, 0.98))


@pytest.mark.parametrize(("rows", "prevalence", "covers"), [(200, 0.5, 0.995), (500, 0.1, 0.995)])
def test_precision_recall(rows, prevalence, covers):
    recall, _, precision = sweep(0.85, prevalence)
    world = f"binormal:auc=0.85,prevalence={prevalence}"
    held("precision_recall", world, rows, lambda x: np.interp(x, recall, precision), covers=covers, inside=(0.05, 0.95))


@pytest.mark.parametrize(("rows", "covers"), [(100, 0.99), (1000, 0.96)])
def test_calibration(rows, covers):
    held("calibration", "probabilities", rows, lambda x: x, covers=covers, repeats=800)


def held(name, world, rows, true, *, covers, repeats=300, inside=(0.0, 1.0)):
    """Whether the band covers all points as often as it is known to, and one point in 92 to 98% of samples."""
    together, alone = measured(name, world, rows, true, repeats=repeats, inside=inside)
    assert at_least(covers, repeats) <= together <= at_most(covers, repeats)
    assert 0.92 <= alone <= 0.98
