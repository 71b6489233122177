"""How often the default intervals hold the truth, measured in worlds where it is known. Small and seeded.

With 400 repetitions the Monte Carlo error at 95% is 0.011: a default must hold at least 91.5% there (three errors below
95%), or the bound that is stated beside it. `pytest -s` prints the figures.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from heldout.formulas import metric
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings
from tests.simulations.worlds import (
    binary_table,
    binormal_truth,
    binormal_world,
    clustered_binormal_world,
    clustered_number_world,
    clustered_table_world,
    column_world,
    costed,
    measured,
    mixed_world,
    number_world,
    probability_truth,
    probability_world,
    table_truth,
    table_world,
    weighted_table_world,
    without_units,
)

pytestmark = pytest.mark.simulation

HONEST = 0.915
ONE_CLASS = (
    "precision",
    "recall",
    "f1",
    "f0.5",
    "f2",
    "youden_j",
    "lr_positive",
    "lr_negative",
    "diagnostic_odds_ratio",
)
SHARES = ("accuracy", "balanced_accuracy", "mcc", "kappa", *ONE_CLASS)
AVERAGES = ("accuracy", "balanced_accuracy", "mcc", "kappa", "f1_macro", "precision_macro", "precision_weighted")


def held(tag, world, truths, repeats, *, at_least=HONEST, at_most=1.0, **options):
    """Measure, print, and say which metric missed its bound."""
    found = measured(world, truths, repeats, **options)
    for name, one in found.items():
        print(f"{tag:36s} {name:22s} {one}")
    missed = {name: str(one) for name, one in found.items() if not at_least <= one.coverage <= at_most}
    assert missed == {}, tag


def diagonal(right):
    """Three classes of 50, 30 and 20%, each right this often."""
    return np.array([0.5, 0.3, 0.2])[:, None] * ((1 - right) / 2 + (1.5 * right - 0.5) * np.eye(3))


@pytest.mark.parametrize(
    ("rows", "prevalence", "precision", "recall"),
    [(50, 0.2, 0.8, 0.8), (50, 0.5, 0.95, 0.95), (50, 0.5, 0.7, 0.6), (200, 0.5, 0.95, 0.95), (200, 0.05, 0.7, 0.6)],
)
def test_labels_of_two_classes(rows, prevalence, precision, recall):
    table = binary_table(prevalence, precision, recall)
    tag = f"n={rows} prevalence={prevalence} P={precision} R={recall}"
    held(tag, table_world(table, rows), table_truth(table, SHARES), 400, at_least=0.905)


@pytest.mark.parametrize(("rows", "right"), [(60, 0.8), (200, 0.95)])
def test_labels_of_three_classes(rows, right):
    table = diagonal(right)
    held(
        f"3 classes n={rows} right={right}", table_world(table, rows), table_truth(table, AVERAGES), 400, at_least=0.905
    )


def test_labels_with_weights():
    table = binary_table(0.3, 0.8, 0.8)
    truths = table_truth(table, ("accuracy", "precision", "f1", "mcc", "kappa"))
    held("weights, n=100", weighted_table_world(table, 100, 0.7), truths, 400, at_least=0.9)


@pytest.mark.parametrize(
    ("units", "size", "alike", "share"), [(20, 10, 0.3, 0.8), (40, 20, 0.2, 0.9), (10, 10, 0.3, 0.8)]
)
def test_units_of_rows_that_are_alike(units, size, alike, share):
    """Ignoring the units holds 60 to 86% only: the failure is shown beside the repair."""
    world = clustered_table_world(share, alike, units, size)
    held(f"{units} units of {size}, alike {alike}", world, {"accuracy": share}, 400, at_most=0.99)
    held("  the same as if independent", without_units(world), {"accuracy": share}, 400, at_least=0.4, at_most=0.87)


@pytest.mark.parametrize(
    ("positives", "negatives", "area"), [(10, 10, 0.9), (10, 10, 0.97), (20, 20, 0.9), (10, 90, 0.9)]
)
def test_areas(positives, negatives, area):
    truths = binormal_truth(area, positives / (positives + negatives))
    named = {name: truths[name] for name in ("roc_auc", "average_precision", "gini")}
    held(f"{positives}+{negatives} area={area}", binormal_world(area, positives, negatives), named, 500, at_least=0.925)


def test_the_percentile_interval_fails_where_the_default_does_not():
    world = binormal_world(0.97, 10, 10)
    held("10+10 area=0.97 percentile", world, {"roc_auc": 0.97}, 200, method="percentile", at_least=0.5, at_most=0.85)


@pytest.mark.parametrize(("units", "size", "alike"), [(20, 5, 0.3), (40, 5, 0.3)])
def test_areas_of_units(units, size, alike):
    held(f"{units} units of {size}", clustered_binormal_world(0.8, units, size, alike), {"roc_auc": 0.8}, 400)


@pytest.mark.parametrize("shift", [1.0, 3.0])
def test_areas_of_several_classes(shift):
    truth = float(ndtr(shift / np.sqrt(2)))
    truths = {"roc_auc_ovr": truth, "roc_auc_ovo": truth}
    held(f"3 columns n=60 shift={shift}", column_world(60, shift), truths, 300, at_least=0.905)


@pytest.mark.parametrize(("rows", "slope"), [(20, 1.0), (100, 1.0), (100, 2.0)])
def test_losses_of_probabilities(rows, slope):
    truths = probability_truth(slope=slope)
    named = {name: truths[name] for name in ("log_loss", "brier")}
    held(f"probabilities n={rows} slope={slope}", probability_world(rows, slope=slope), named, 400)


@pytest.mark.parametrize("slope", [1.0, 2.0])
def test_calibration(slope):
    truths = probability_truth(slope=slope)
    named = {name: truths[name] for name in ("calibration_slope", "calibration_intercept", "calibration_error")}
    held(f"calibration n=300 slope={slope}", probability_world(300, slope=slope), named, 400)


@pytest.mark.parametrize("rows", [20, 50])
def test_numbers(rows):
    normal = number_world(rows, lambda rng, n: rng.standard_normal(n))
    truths = {"rmse": 1.0, "mae": np.sqrt(2 / np.pi), "median_absolute_error": 0.67449, "mean_error": 0.0, "r2": 0.5}
    held(f"numbers n={rows}", normal, truths, 300, at_least=0.885)


def test_numbers_of_units():
    truths = {"rmse": 1.0, "mae": np.sqrt(2 / np.pi), "mean_error": 0.0, "r2": 0.5}
    held("numbers, 30 units of 10", clustered_number_world(30, 10, 0.5), truths, 300)


def test_squared_errors_with_heavy_tails_have_no_interval_that_holds_and_it_is_said():
    """No method tried holds here; what must work is the warning."""
    world = number_world(200, lambda rng, n: rng.standard_t(3, size=n) / np.sqrt(3))
    rng = np.random.default_rng(0)
    found = [Measurement(world(rng), Settings(draws=200)).one(metric("rmse")) for _ in range(60)]
    missed = [one for one in found if not one.low <= 1 <= one.high]
    assert len(missed) >= 4
    assert sum(any("heavy tail" in note for note in one.notes) for one in found) >= 20


@pytest.mark.parametrize(
    ("positives", "negatives", "area", "names"),
    [
        (50, 50, 0.9, ("eer",)),
        (50, 450, 0.9, ("eer", "partial_auc")),
        (600, 600, 0.9, ("eer", "partial_auc", "lift@10%", "ks")),
    ],
)
def test_thresholds(positives, negatives, area, names):
    truths = binormal_truth(area, positives / (positives + negatives))
    named = {name: truths[name] for name in names}
    world = binormal_world(area, positives, negatives)
    held(f"{positives}+{negatives} area={area}", world, named, 150, draws=250, at_least=0.9)


@pytest.mark.parametrize(("rows", "prevalence"), [(100, 0.3), (3000, 0.2)])
def test_lift_where_the_number_of_positives_is_random_too(rows, prevalence):
    truths = binormal_truth(0.9, prevalence)
    world = mixed_world(0.9, prevalence, rows)
    held(f"n={rows} prevalence={prevalence}", world, {"lift@10%": truths["lift@10%"]}, 150, draws=250, at_least=0.88)


@pytest.mark.parametrize(("rows", "error"), [(20, 0.1), (50, 0.05), (99, 0.02)])
def test_costs_that_a_few_rows_make(rows, error):
    """Some draws have none of these rows: they are the ones that tell how far off the value may be."""
    table = np.array([[1 - error, error], [error, 1 - error]]) / 2
    cost = np.array([[0.0, 1.0], [1.0, 0.0]])
    found = costed(table_world(table, rows), cost, error, 300)
    print(f"zero-one cost n={rows} error={error}: {found}")
    assert found.coverage >= 0.9
