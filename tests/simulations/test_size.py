"""How often the default tests of `compare` reject models that are equally good. Seeded; `pytest -s` prints the figures.

A test at 5% is claimed to reject at most 6%, and no fewer than 2.5% unless a reason is given: `bounds` says what 600
repetitions of it may show. A size of 12% would be noticed. The intervals of the differences are claimed to cover 93%.
The large version is `heldout lab size --all`.
"""

from __future__ import annotations

import pytest

from heldout.lab import power, size
from tests.simulations.bounds import COVERS, REJECTS, SIZE_REPEATS, at_least, at_most

pytestmark = pytest.mark.simulation

LABELS = ("accuracy", "balanced_accuracy", "mcc", "f1", "precision", "recall")
LEAST = 0.025
FEW_ROWS = "2.5 positives expected: too few rows differ for any p-value below 5%"
FEW_POSITIVES = "10 positives expected: too few of them differ for most samples to reject"
TIMID = {
    **{("pair-labels:prevalence=0.05,precision=0.7,recall=0.7", 50, name): FEW_ROWS for name in LABELS},
    ("pair-labels:prevalence=0.05,precision=0.7,recall=0.7", 200, "recall"): FEW_POSITIVES,
}
"""(World, rows, metric) → why a test rejects fewer than 2.5%."""
FEW_TO_RANK = "known to fall short: the spread of a difference is hardly known from 10 positives, unlike its p-value"
SHORT = {("pair-binormal:auc=0.8,prevalence=0.2", 50, "average_precision"): (0.886, FEW_TO_RANK)}
"""(World, rows, metric) → what the interval of the difference covers, and why that is less than 93%."""


def holds(world, rows, metrics, *, test="auto", draws=400, repeats=SIZE_REPEATS):
    """Measure, print, and say which metric is rejected too often or too rarely, or whose interval misses too often."""
    results = size(test, world, rows, metrics=metrics, repeats=repeats, n_resamples=draws, random_state=1)
    assert len(results) == (1 if isinstance(metrics, str) else len(metrics))
    high, low = at_most(REJECTS, repeats), at_least(LEAST, repeats)
    wrong = {}
    for one in results:
        place = (world, rows, one.metric)
        # intervals are counted where there is one
        covers = at_least(SHORT.get(place, (COVERS,))[0], round(repeats * (1 - one.undefined)))
        print(
            f"{world:58s} n={rows:5d} {one.metric:20s} {one.rejected:.3f} of [{low:.3f}, {high:.3f}], "
            f"covered {one.coverage:.3f} of {covers:.3f}"
        )
        timid = place in TIMID
        assert not timid or one.rejected < at_most(LEAST, repeats), place
        if one.rejected > high or (one.rejected < low and not timid) or one.coverage < covers:
            wrong[one.metric] = (one.rejected, one.coverage)
    assert wrong == {}, world


@pytest.mark.parametrize(("rows", "prevalence"), [(50, 0.05), (50, 0.5), (200, 0.05), (2000, 0.05)])
def test_labels(rows, prevalence):
    holds(f"pair-labels:prevalence={prevalence},precision=0.7,recall=0.7", rows, LABELS)


def test_labels_of_three_classes():
    holds("pair-classes:right=0.7", 50, ("accuracy", "balanced_accuracy", "mcc", "f1_macro"))


@pytest.mark.parametrize(("rows", "prevalence"), [(50, 0.2), (50, 0.5), (200, 0.05), (2000, 0.5)])
def test_areas(rows, prevalence):
    holds(f"pair-binormal:auc=0.8,prevalence={prevalence}", rows, "roc_auc")


def test_areas_of_scores_that_spread_differently():
    """14% on influence alone, with 20 positives of whom one ranks wrong."""
    holds("pair-binormal:auc=0.961,prevalence=0.05,tilt=2,equal=roc_auc", 400, "roc_auc")


@pytest.mark.slow
def test_rankings():
    holds("pair-binormal:auc=0.8,prevalence=0.2", 50, "average_precision")


@pytest.mark.parametrize(("rows", "prevalence"), [(50, 0.05), (200, 0.2), (2000, 0.5)])
def test_losses_of_probabilities(rows, prevalence):
    holds(f"pair-probabilities:noise=1,prevalence={prevalence}", rows, ("log_loss", "brier"))


@pytest.mark.parametrize(("rows", "noise"), [(50, "normal"), (200, "t3")])
def test_numbers(rows, noise):
    holds(f"pair-numbers:own=1,noise={noise}", rows, ("mae", "rmse", "r2"))


def test_units_of_rows_that_are_alike():
    holds("clustered-pair-labels:size=10,icc=0.5,correlation=0.2", 400, ("accuracy", "f1"))


@pytest.mark.parametrize("models", [5, 20])
def test_one_wrong_rejection_among_many_models(models):
    holds(f"pair-labels:precision=0.7,recall=0.7,models={models}", 200, "accuracy")


def test_independent_samples():
    holds("pair-coin:p=0.8", 100, "accuracy", test="unpaired")
    holds("pair-binormal:auc=0.8", 100, "roc_auc", test="unpaired")


@pytest.mark.parametrize("rows", [20, 50, 200])
@pytest.mark.parametrize("share", [0.6, 0.8, 0.95])
def test_every_number_of_rows_on_which_two_models_disagree(rows, share):
    """No chance: all pairs of counts, each with its probability."""
    (one,) = size("auto", f"pair-coin:p={share},correlation=0.5", rows, metrics="accuracy")
    assert one.repeats == 0
    assert one.rejected <= 0.05


def test_the_same_rows_tell_more_than_others():
    """A difference of two points on 2000 rows: the paired test finds it far more often."""
    paired, unpaired = power(
        ["t", "unpaired"], "pair-coin:p=0.85,gain=0.02,correlation=0.7", 2000, repeats=300, random_state=1
    )
    print(f"paired {paired.rejected:.2f}, unpaired {unpaired.rejected:.2f}")
    assert paired.rejected > unpaired.rejected + 0.15
