"""What one pass over chunks has to add up for the metrics that were asked for."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.batch import Batch
from heldout.errors import UsageError
from heldout.formulas import METRICS, metric
from heldout.tallies.moments import moments
from heldout.tallies.units import tally_units
from heldout.verbs.chunked.needed_sums import (
    behind,
    column_name,
    metrics_from_sums,
    needed_sums,
    needs_rows,
    row_statistics,
    sums_of_metric,
)
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings, settings

SCORES = Batch(
    task="binary", truth=np.array([0, 1]), prediction=np.array([0, 1]), score=np.array([0.2, 0.8]), probabilities=True,
    labels=(0, 1), positive=1,
)  # fmt: skip
NUMBERS = Batch(task="regression", truth=np.array([1.0, 2.0]), prediction=np.array([1.0, 3.0]), labels=("y",))


def named(*names):
    return [metric(name) for name in names]


def test_only_what_the_metrics_need_is_added_up():
    labels = needed_sums(named("accuracy", "f1"), SCORES, Settings(metrics=tuple(named("accuracy"))))
    assert (labels.cells, labels.bins, labels.columns) == (True, False, None)
    ranked = needed_sums(named("roc_auc"), SCORES, Settings(metrics=tuple(named("roc_auc"))))
    assert ranked.bins
    losses = needed_sums(named("log_loss"), SCORES, Settings(metrics=tuple(named("log_loss"))))
    assert set(losses.columns) == {"log_losses"}


def test_a_root_needs_what_it_is_the_root_of_and_its_tail():
    sums = needed_sums(named("rmse"), NUMBERS, Settings(metrics=tuple(named("rmse"))))
    assert set(sums.columns) == {"squared_errors", "targets", "squared_targets"}
    assert sums.binned == ("squared_errors",)
    assert behind(METRICS["rmse"]) is METRICS["mse"]
    assert behind(METRICS["mae"]) is METRICS["mae"]


def test_a_median_needs_errors_by_size():
    sums = needed_sums(named("median_absolute_error"), NUMBERS, Settings())
    assert "absolute_errors" in sums.binned


def test_resamples_are_made_in_the_pass_only_for_methods_that_resample():
    asked = settings(metrics="mae", method="percentile", n_resamples=300)
    assert needed_sums(named("mae"), NUMBERS, asked).draws == 300
    assert needed_sums(named("mae"), NUMBERS, settings(metrics="mae", n_resamples=300)).draws == 0


@pytest.mark.parametrize(
    ("name", "grouped", "rows"),
    [
        ("rms_calibration_error_debiased", False, True),
        ("roc_auc_ovr", False, True),
        ("roc_auc", False, False),
        ("median_absolute_error", False, False),
        ("median_absolute_error", True, True),
    ],
)
def test_metrics_that_need_every_row_at_once(name, grouped, rows):
    assert needs_rows(METRICS[name], grouped=grouped) is rows


def test_one_that_was_asked_for_by_name_is_refused_and_otherwise_left_out():
    every = metrics_from_sums(Measurement(SCORES, Settings()), grouped=False, fix="")
    assert "roc_auc" in {metric_.name for metric_ in every}
    assert "rms_calibration_error_debiased" not in {metric_.name for metric_ in every}
    with pytest.raises(UsageError, match="rms_calibration_error_debiased needs all rows in memory at once"):
        metrics_from_sums(
            Measurement(SCORES, settings(metrics="rms_calibration_error_debiased")), grouped=False, fix="give memory"
        )


def test_the_sums_of_one_metric_are_picked_from_those_of_all():
    columns = {"squared_errors": np.array([1.0, 4.0]), "absolute_errors": np.array([1.0, 2.0]), "rows": np.ones(2)}
    units = tally_units(columns)
    for tally in (units, moments(units)):
        mae = sums_of_metric(tally, METRICS["mae"])
        assert {name: float(part) for name, part in mae.sums.items()} == {"absolute_errors": 3.0, "rows": 2.0}
        gradient = {"absolute_errors": 0.5, "rows": -0.75}
        assert mae.variance(gradient) == pytest.approx(units.variance(gradient))


def test_a_metric_of_ones_own_has_columns_of_its_own():
    assert column_name(METRICS["mae"], "absolute_errors") == "absolute_errors"
    assert set(row_statistics(named("mae"), NUMBERS, Settings())) == {"absolute_errors", "targets", "squared_targets"}
