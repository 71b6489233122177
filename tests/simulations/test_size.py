"""How often the default tests of `compare` reject models that are equally good. Small and seeded.

With 200 repetitions the Monte Carlo error at 5% is 0.016: a test fails here where it rejects more than 6% by three such
errors. The large version is `heldout lab size --all`. `pytest -s` prints the figures.
"""

from __future__ import annotations

import pytest

from heldout.lab import power, size

pytestmark = pytest.mark.simulation

LABELS = ("accuracy", "balanced_accuracy", "mcc", "f1", "precision", "recall")


def holds(world, rows, metrics, repeats, *, test="auto", draws=400):
    """Measure, print, and say which metric is rejected too often."""
    found = size(test, world, rows, metric=metrics, repeats=repeats, draws=draws, seed=1)
    for one in found:
        print(
            f"{world:58s} n={rows:5d} {one.metric:20s} {one.rejected:.3f} +- {one.error:.3f}, held {one.coverage:.3f}"
        )
    assert {one.metric: one.rejected for one in found if one.word == "too high"} == {}, world


@pytest.mark.parametrize(("rows", "prevalence"), [(50, 0.05), (50, 0.5), (200, 0.05), (2000, 0.05)])
def test_labels(rows, prevalence):
    holds(f"pair-labels:prevalence={prevalence},precision=0.7,recall=0.7", rows, LABELS, 200)


def test_labels_of_three_classes():
    holds("pair-classes:right=0.7", 50, ("accuracy", "balanced_accuracy", "mcc", "f1_macro"), 200)


@pytest.mark.parametrize(("rows", "prevalence"), [(50, 0.2), (50, 0.5), (200, 0.05), (2000, 0.5)])
def test_areas(rows, prevalence):
    holds(f"pair-binormal:auc=0.8,prevalence={prevalence}", rows, "roc_auc", 300)


@pytest.mark.slow
def test_rankings():
    holds("pair-binormal:auc=0.8,prevalence=0.2", 50, "average_precision", 15)


@pytest.mark.parametrize(("rows", "prevalence"), [(50, 0.05), (200, 0.2), (2000, 0.5)])
def test_losses_of_probabilities(rows, prevalence):
    holds(f"pair-probabilities:noise=1,prevalence={prevalence}", rows, ("log_loss", "brier"), 150)


@pytest.mark.parametrize(("rows", "noise"), [(50, "normal"), (200, "t3")])
def test_numbers(rows, noise):
    holds(f"pair-numbers:own=1,noise={noise}", rows, ("mae", "rmse", "r2"), 100)


def test_units_of_rows_that_are_alike():
    holds("clustered-pair-labels:size=10,icc=0.5,correlation=0.2", 400, ("accuracy", "f1"), 200)


@pytest.mark.parametrize("models", [5, 20])
def test_one_wrong_rejection_among_many_models(models):
    holds(f"pair-labels:precision=0.7,recall=0.7,models={models}", 200, "accuracy", 60 if models == 5 else 30)


def test_independent_samples():
    holds("pair-coin:p=0.8", 100, "accuracy", 200, test="unpaired")
    holds("pair-binormal:auc=0.8", 100, "roc_auc", 200, test="unpaired")


def test_the_same_rows_tell_more_than_others():
    """A difference of two points on 2000 rows: the paired test finds it far more often."""
    paired, unpaired = power(["t", "unpaired"], "pair-coin:p=0.85,gain=0.02,correlation=0.7", 2000, repeats=150, seed=1)
    print(f"paired {paired.rejected:.2f}, unpaired {unpaired.rejected:.2f}")
    assert paired.rejected > unpaired.rejected + 0.15
