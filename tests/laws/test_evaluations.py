"""What holds for every metric at once, through the public door."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

import heldout
from heldout.formulas import METRICS
from tests.laws.data import WORLDS, binary, multiclass, taken

RESAMPLES = 100


def evaluated(rows, **options):
    """Every estimate by name, those of classes and targets included."""
    found = heldout.evaluate(**{"n_resamples": RESAMPLES} | rows | options)
    return found.estimates | {
        f"{label} {name}": one for label, part in found.classes.items() for name, one in part.items()
    }


def ends(one):
    return [one.value, one.low, one.high]


def same(first, second, tolerance=1e-9, *, drawn=True):
    """Equal values and intervals; `drawn=False` leaves out intervals that hang on what was drawn for which row."""
    assert first.keys() == second.keys()
    for name, one in first.items():
        size = slice(None) if drawn or "bootstrap" not in one.method else slice(1)
        np.testing.assert_allclose(
            ends(one)[size], ends(second[name])[size], rtol=tolerance, atol=tolerance, err_msg=name
        )


@pytest.mark.parametrize("task", WORLDS)
def test_the_order_of_rows_does_not_matter(task):
    rng = np.random.default_rng(1)
    rows = WORLDS[task](rng)
    same(evaluated(rows), evaluated(taken(rows, rng.permutation(60))), drawn=False)


@pytest.mark.parametrize("task", WORLDS)
def test_the_order_of_rows_does_not_matter_with_weights_and_groups(task):
    rng = np.random.default_rng(2)
    rows = WORLDS[task](rng) | {"sample_weight": rng.random(60) + 0.5, "groups": np.repeat(np.arange(20), 3)}
    same(evaluated(rows), evaluated(taken(rows, rng.permutation(60))), drawn=False)


@pytest.mark.parametrize("task", WORLDS)
def test_a_row_of_weight_two_moves_the_value_like_the_row_twice(task):
    rng = np.random.default_rng(3)
    rows = WORLDS[task](rng)
    times = rng.integers(1, 4, 60)
    heavy, repeated = (
        evaluated(rows | {"sample_weight": times}),
        evaluated(taken(rows, np.repeat(np.arange(60), times))),
    )
    for name, one in heavy.items():
        if name == "rms_calibration_error_debiased":  # its correction for chance knows how many rows there are
            continue
        assert one.value == pytest.approx(repeated[name].value, rel=1e-9, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("task", WORLDS)
@pytest.mark.parametrize("grouped", [False, True])
def test_scaling_all_weights_changes_nothing(task, grouped):
    rng = np.random.default_rng(4)
    rows = WORLDS[task](rng) | ({"groups": np.repeat(np.arange(20), 3)} if grouped else {})
    weight = rng.random(60) + 0.2
    same(evaluated(rows | {"sample_weight": weight}), evaluated(rows | {"sample_weight": 1000 * weight}))


OTHER_METHOD = {"balanced_accuracy", "recall_macro", "youden_j", "median_absolute_error"}
"""Metrics whose interval for independent rows has no form for clusters, so that groups change the method."""


CARRIED = {metric.name for metric in METRICS.values() if (METRICS[metric.via[0]] if metric.via else metric).carriers}


@pytest.mark.parametrize("task", WORLDS)
def test_groups_of_one_row_each_move_intervals_little(task):
    """Student's quantile for 400 units is 0.3% larger than the normal one, and moves an end by half of that.

    A metric that fewer than half of the units carry has the quantile, and the variance, of these, here at least 100.
    """
    carried = stats.t.ppf(0.975, 99) / stats.norm.ppf(0.975) * np.sqrt(100 / 99) - 1
    rows = WORLDS[task](np.random.default_rng(6), 400)
    plain, grouped = evaluated(rows), evaluated(rows | {"groups": np.arange(400)})
    assert plain.keys() == grouped.keys()
    for name, one in plain.items():
        other, metric = grouped[name], name.split()[-1]
        assert other.value == pytest.approx(one.value, abs=1e-9, nan_ok=True), name
        if "bootstrap" in one.method:  # draws of units in another order
            assert other.method.replace(", clustered", "") == one.method
            continue
        kept = other.method.replace(", clustered", "") == one.method
        # of rows that take few values the clusters hold sums only
        assert kept or metric in OTHER_METHOD or one.method == "multinomial score", (name, one.method, other.method)
        width = one.high - one.low
        if metric == "average_precision":  # as many rows as there are positives, whatever the groups
            assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-12), name
        elif one.method == "Wilson" and one.value in (
            0,
            1,
        ):  # all of it lies on one side, so that it grows by twice that
            quantile = stats.t.ppf(0.975, 399)
            assert other.high - other.low == pytest.approx(quantile**2 / (400 + quantile**2), rel=1e-9), name
        elif np.isfinite(width):
            share = 0.005 if kept else 0.2 if metric == "median_absolute_error" else 0.07
            share = max(share, carried if metric in CARRIED else 0.0)
            assert [other.low, other.high] == pytest.approx([one.low, one.high], abs=share * width + 1e-9), name


@pytest.mark.parametrize("task", WORLDS)
def test_the_same_seed_gives_the_same_numbers(task):
    rows = WORLDS[task](np.random.default_rng(7))
    same(evaluated(rows, random_state=3), evaluated(rows, random_state=3), tolerance=0)


def test_another_seed_gives_other_draws():
    rows = binary(np.random.default_rng(7))
    first, second = (evaluated(rows, random_state=seed) for seed in (3, 4))
    assert first["eer"].value == second["eer"].value
    assert (first["eer"].low, first["log_loss"].high) != (second["eer"].low, second["log_loss"].high)


def test_what_else_is_asked_does_not_change_a_number():
    rows = binary(np.random.default_rng(8))
    everything = evaluated(rows)
    for name in ("eer", "brier", "roc_auc"):
        assert ends(evaluated(rows, metrics=name)[name]) == ends(everything[name])


@pytest.mark.parametrize("task", WORLDS)
def test_a_higher_level_is_wider(task):
    rows = WORLDS[task](np.random.default_rng(9))
    levels = [evaluated(rows, confidence_level=level) for level in (0.5, 0.8, 0.95, 0.99)]
    for name, one in levels[0].items():
        if np.isnan(one.value):
            continue
        lows, highs = [found[name].low for found in levels], [found[name].high for found in levels]
        assert all(wide <= narrow + 1e-12 for narrow, wide in pairwise(lows)), name
        assert all(wide >= narrow - 1e-12 for narrow, wide in pairwise(highs)), name


SWAPPED = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "mcc": "mcc",
    "kappa": "kappa",
    "youden_j": "youden_j",
    "diagnostic_odds_ratio": "diagnostic_odds_ratio",
    "recall": "specificity",
    "precision": "npv",
    "fpr": "fnr",
    "roc_auc": "roc_auc",
    "gini": "gini",
    "ks": "ks",
    "eer": "eer",
    "log_loss": "log_loss",
    "brier": "brier",
    "quadratic_loss": "quadratic_loss",
    "calibration_slope": "calibration_slope",
}


def test_calling_the_other_class_positive_mirrors_the_metrics():
    rows = binary(np.random.default_rng(10))
    other = {"y_true": rows["y_true"], "y_proba": np.round(1 - rows["y_proba"], 2), "pos_label": 0, "threshold": 0.505}
    first, second = evaluated(rows | {"threshold": 0.495}), evaluated(other)
    for name, mirrored in SWAPPED.items():
        assert first[name].value == pytest.approx(second[mirrored].value, abs=1e-9), name
        if "bootstrap" not in first[name].method:
            assert ends(first[name]) == pytest.approx(ends(second[mirrored]), abs=1e-9), name


def test_names_of_classes_do_not_matter():
    rows = multiclass(np.random.default_rng(11))
    renamed = np.array(["zebra", "ant", "mule"])[rows["y_true"]]
    order = [1, 2, 0]  # ant, mule, zebra
    first, second = evaluated(rows), evaluated({"y_true": renamed, "y_proba": rows["y_proba"][:, order]})
    for name in METRICS:
        if name in first:
            assert first[name].value == pytest.approx(second[name].value, abs=1e-12), name
            if "bootstrap" not in first[name].method:
                assert ends(first[name]) == pytest.approx(ends(second[name]), abs=1e-9), name
