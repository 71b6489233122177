"""Coverage of the default intervals, in simulations with known truth. Seeded; `pytest -s` prints them.

Every default is claimed to cover from 93% to 97.5% at nominal 95%; `bounds` says what 2400 repetitions of it may show.
Where a default covers less or more than that, the figure of 10,000 other repetitions stands beside the case, with its
reason, and is what the case is held to: three points less than it would be noticed too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from heldout.formulas import METRICS, metric
from heldout.lab import coverage
from heldout.lab.worlds import one_model
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings
from tests.simulations.bounds import COVERAGE_REPEATS, COVERS, at_least, at_most

pytestmark = pytest.mark.simulation

WIDEST = 0.975
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
RANKING = ("roc_auc", "average_precision", "gini")

FEW_ERRORS = "known to fall short: 1.25 wrong rows expected in each class, fewer than 5"
FEW_MISSES = "known to fall short: 4 missed positives expected, fewer than 5"
WIDER_OF_TWO = "known to be wide: the wider of the jackknife and of Hall's interval, so that skewed errors are covered"
WIDE_BY_CHOICE = "known to be wide: the only interval that holds with few positives counts these alone"
WIDE_NEAR_ZERO = "known to be wide: where there is no calibration error, the interval reaches down to 0"
FIXED_CLASSES = "known to be wide: the interval allows for a random number of positives, and here it is fixed"
KNOWN = {
    ("labels:prevalence=0.5,precision=0.95,recall=0.95", 50): {
        "balanced_accuracy": (0.9165, FEW_ERRORS),
        "youden_j": (0.9165, FEW_ERRORS),
    },
    ("labels:prevalence=0.05,precision=0.7,recall=0.6", 200): {"lr_negative": (0.924, FEW_MISSES)},
    ("numbers", 20): {"r2": (0.9824, WIDER_OF_TWO)},
    ("binormal:auc=0.9,prevalence=0.5,fixed=1", 20): {"average_precision": (0.990, WIDE_BY_CHOICE)},
    ("binormal:auc=0.97,prevalence=0.5,fixed=1", 20): {"average_precision": (0.991, WIDE_BY_CHOICE)},
    ("binormal:auc=0.9,prevalence=0.5,fixed=1", 40): {"average_precision": (0.990, WIDE_BY_CHOICE)},
    ("binormal:auc=0.9,prevalence=0.1,fixed=1", 100): {"average_precision": (0.996, WIDE_BY_CHOICE)},
    ("probabilities:slope=1.0", 300): {"rms_calibration_error_debiased": (0.9994, WIDE_NEAR_ZERO)},
    ("probabilities:slope=2.0", 300): {"rms_calibration_error_debiased": (0.9875, WIDE_NEAR_ZERO)},
    ("binormal:auc=0.9,prevalence=0.5,fixed=1", 1200): {"lift@10%": (0.9999, FIXED_CLASSES)},
}
"""(World, rows) → metric → coverage in 10,000 repetitions, and why it is not between 93% and 97.5%."""


def allowed(world, rows, name, repeats=COVERAGE_REPEATS):
    """The shares between which repetitions must show the truth to be held."""
    known, why = KNOWN.get((world, rows), {}).get(name, (None, ""))
    if known is None:
        return at_least(COVERS, repeats), at_most(WIDEST, repeats)
    assert why.startswith(("known to fall short: ", "known to be wide: "))
    return at_least(known, repeats), at_most(known, repeats)


def held(world, rows, metrics, *, draws=600):
    """Measure, print, and say which metric missed its bounds."""
    results = coverage("auto", world, rows, metrics=metrics, repeats=COVERAGE_REPEATS, n_resamples=draws)
    assert len(results) == (1 if isinstance(metrics, str) else len(metrics))
    missed = {}
    for one in results:
        low, high = allowed(world, rows, one.metric)
        print(f"{world:50s} n={rows:5d} {one.metric:22s} {one.coverage:.3f} of [{low:.3f}, {high:.3f}]")
        assert one.undefined < 0.01, one.metric
        if not low <= one.coverage <= high:
            missed[one.metric] = one.coverage
    assert missed == {}, world


@pytest.mark.parametrize(
    ("rows", "prevalence", "precision", "recall"),
    [(50, 0.2, 0.8, 0.8), (50, 0.5, 0.95, 0.95), (50, 0.5, 0.7, 0.6), (200, 0.5, 0.95, 0.95), (200, 0.05, 0.7, 0.6)],
)
def test_labels_of_two_classes(rows, prevalence, precision, recall):
    held(f"labels:prevalence={prevalence},precision={precision},recall={recall}", rows, SHARES)


@pytest.mark.parametrize(("prevalence", "rate"), [(0.5, 0.8), (0.5, 0.7), (0.3, 0.8)])
def test_labels_of_twenty_rows_by_counting_every_table(prevalence, rate):
    """No chance: all tables of 20 rows, each with its probability."""
    world = f"labels:prevalence={prevalence},precision={rate},recall={rate}"
    results = coverage("auto", world, 20, metrics=(*AVERAGES[:4], "precision", "recall", "f1"))
    assert {one.repeats for one in results} == {0}
    assert {one.metric: one.coverage for one in results if not COVERS <= one.coverage <= 0.99} == {}


@pytest.mark.parametrize(("rows", "right"), [(60, 0.8), (200, 0.95)])
def test_labels_of_three_classes(rows, right):
    held(f"classes:right={right}", rows, AVERAGES)


def test_labels_with_weights():
    world = "labels:prevalence=0.3,precision=0.8,recall=0.8,weights=0.7"
    held(world, 100, ("accuracy", "precision", "f1", "mcc", "kappa"))


@pytest.mark.parametrize(("rows", "size", "icc", "p"), [(200, 10, 0.5, 0.8), (800, 20, 0.4, 0.9), (100, 10, 0.5, 0.8)])
def test_units_of_rows_that_are_alike(rows, size, icc, p):
    """Ignoring the units covers 65 to 73% only: the failure is shown beside the repair."""
    world = f"clustered-coin:p={p},icc={icc},size={size}"
    held(world, rows, "accuracy")
    place, rng = one_model(world), np.random.default_rng(0)
    alone = [
        Measurement(replace(place.draw(rows, rng), unit=None), Settings()).one(METRICS["accuracy"]) for _ in range(400)
    ]
    share = np.mean([one.low <= p <= one.high for one in alone])
    print(f"  the same as if independent {share:.3f}")
    assert 0.55 <= share <= 0.81


@pytest.mark.parametrize(
    ("rows", "prevalence", "auc"), [(20, 0.5, 0.9), (20, 0.5, 0.97), (40, 0.5, 0.9), (100, 0.1, 0.9)]
)
def test_areas(rows, prevalence, auc):
    held(f"binormal:auc={auc},prevalence={prevalence},fixed=1", rows, RANKING)


def test_areas_where_few_rows_rank_wrong():
    """DeLong's logit interval held in 82%: 20 positives may lack the one whose score is low."""
    (one,) = coverage("auto", "binormal:auc=0.961,prevalence=0.05,spread=3", 400, metrics="roc_auc", repeats=1500)
    assert one.coverage >= 0.92


def test_the_percentile_interval_fails_where_the_default_does_not():
    """It covers 68%: its draws hardly ever leave an area of 1."""
    (one,) = coverage("percentile", "binormal:auc=0.97,fixed=1", 20, metrics="roc_auc", repeats=400, n_resamples=600)
    assert 0.6 <= one.coverage <= 0.76


@pytest.mark.parametrize("rows", [100, 200])
def test_areas_of_units(rows):
    held("clustered-binormal:auc=0.8,icc=0.3,size=5", rows, "roc_auc")


@pytest.mark.parametrize("apart", [1.0, 3.0])
def test_areas_of_several_classes(apart):
    held(f"columns:apart={apart}", 60, ("roc_auc_ovr", "roc_auc_ovo"))


@pytest.mark.parametrize(("rows", "slope"), [(20, 1.0), (100, 1.0), (100, 2.0)])
def test_losses_of_probabilities(rows, slope):
    held(f"probabilities:slope={slope}", rows, ("log_loss", "brier"))


@pytest.mark.parametrize("slope", [1.0, 2.0])
def test_calibration(slope):
    names = ("calibration_slope", "calibration_intercept", "ece", "rms_calibration_error_debiased")
    held(f"probabilities:slope={slope}", 300, names)


@pytest.mark.parametrize("rows", [20, 50])
def test_numbers(rows):
    held("numbers", rows, ("rmse", "mae", "median_absolute_error", "mean_error", "r2"), draws=400)


def test_numbers_of_units():
    held("clustered-numbers:icc=0.5,size=10", 300, ("rmse", "mae", "mean_error", "r2"), draws=400)


def test_squared_errors_with_heavy_tails_have_no_interval_that_holds_and_it_is_said():
    """Known to fall short: no method tried holds where fourth moments are infinite. What must work is the warning."""
    world, rng = one_model("numbers:noise=t3"), np.random.default_rng(0)
    estimates = [Measurement(world.draw(200, rng), Settings(draws=200)).one(metric("rmse")) for _ in range(300)]
    covered = np.mean([one.low <= 1 <= one.high for one in estimates])
    warned = np.mean([any("very skewed" in note for note in one.notes) for one in estimates])
    print(f"rmse under t3: {covered:.3f}, warned {warned:.3f}")
    assert 0.78 <= covered <= 0.93
    assert warned >= 0.8
    normal = one_model("numbers")
    quiet = [Measurement(normal.draw(200, rng), Settings(draws=200)).one(metric("rmse")) for _ in range(100)]
    assert np.mean([any("very skewed" in note for note in one.notes) for one in quiet]) < 0.1


@pytest.mark.parametrize(
    ("rows", "prevalence", "names"),
    [
        (100, 0.5, ("eer",)),
        (500, 0.1, ("eer", "partial_auc")),
        (1200, 0.5, ("eer", "partial_auc", "lift@10%", "ks")),
    ],
)
def test_thresholds(rows, prevalence, names):
    held(f"binormal:auc=0.9,prevalence={prevalence},fixed=1", rows, names, draws=400)


@pytest.mark.parametrize(("rows", "prevalence"), [(100, 0.3), (3000, 0.2)])
def test_lift_where_the_number_of_positives_is_random_too(rows, prevalence):
    held(f"binormal:auc=0.9,prevalence={prevalence}", rows, "lift@10%", draws=400)


@pytest.mark.parametrize(("rows", "error"), [(20, 0.1), (50, 0.05), (99, 0.02)])
def test_costs_that_a_few_rows_make(rows, error):
    """One wrong row costs one, so that their number is all there is to a sample: every number, with its probability."""
    settings = Settings(draws=400, cost=np.array([[0.0, 1.0], [1.0, 0.0]]))
    covered = 0.0
    for wrong, chance in enumerate(binom.pmf(np.arange(rows + 1), rows, error)):
        if chance < 1e-7:
            continue
        one = Measurement(_counted(rows, wrong), settings).one(METRICS["cost"])
        covered += chance * (one.low <= error <= one.high)
    print(f"zero-one cost n={rows} error={error}: {covered:.4f}")
    assert COVERS <= covered <= 0.995


def _counted(rows, wrong):
    """So many rows, of which some are wrong."""
    batch = one_model("labels").draw(rows, np.random.default_rng(0))
    return replace(batch, prediction=np.where(np.arange(rows) < wrong, 1 - batch.truth, batch.truth))


def test_every_known_figure_belongs_to_a_case():
    """A world that is spelled otherwise here would never be looked up."""
    assert all(metric(name) for figures in KNOWN.values() for name in figures)
    worlds = {world for world, _ in KNOWN}
    assert {one_model(world).name for world in worlds} == worlds
