from __future__ import annotations

from inspect import signature

import numpy as np
import pytest
from sklearn import metrics as peers

from heldout.formulas import METRICS, families, losses as calibration, regression


def test_the_middle_of_weighted_numbers():
    assert regression.median_absolute_error(np.array([1.0, 2.0, 4.0]), np.ones(3)) == 2.0
    assert regression.median_absolute_error(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 5.0])) == 4.0
    assert regression.median_absolute_error(np.array([1.0, 2.0, 4.0]), np.array([2.0, 1.0, 1.0])) == 1.5
    drawn = regression.median_absolute_error(np.array([1.0, 2.0, 4.0]), np.array([[1, 1, 1], [0, 0, 3]]))
    assert drawn.tolist() == [2.0, 4.0]


def test_the_largest_of_those_that_count():
    assert regression.max_error(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 0.0])) == 2.0
    assert regression.max_error(np.array([1.0, 2.0, 4.0]), np.array([[1, 0, 0], [0, 0, 1]])).tolist() == [1.0, 4.0]


def test_explained_share_of_a_constant_is_undefined():
    with np.errstate(invalid="ignore", divide="ignore"):
        assert np.isnan(regression.r2(np.float64(0), np.float64(0), np.float64(0), np.float64(3)))


def test_calibration_error_is_never_below_zero():
    rows, gaps = np.array([50.0, 50.0]), np.array([5.0, -10.0])
    assert calibration.rms_calibration_error_debiased(rows, gaps, np.zeros(2)) == pytest.approx(
        np.sqrt((25 / 50 + 100 / 50) / 100)
    )
    assert calibration.rms_calibration_error_debiased(rows, gaps, np.full(2, 1e3)) == 0.0


TRUTH = np.random.default_rng(2).normal([5, 0, -3], [1, 3, 0.2], (40, 3))
SAID = TRUTH + np.random.default_rng(3).normal(0, 0.5, (40, 3))


def sums_of(truth, said):
    apart = truth - said
    return {
        "errors": apart.sum(axis=0), "squared_errors": (apart**2).sum(axis=0), "targets": truth.sum(axis=0),
        "squared_targets": (truth**2).sum(axis=0), "rows": np.full(truth.shape[1], float(len(truth))),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "peer"), [("r2", peers.r2_score), ("explained_variance", peers.explained_variance_score)]
)
def test_several_targets_are_averaged_as_scikit_learn_does(name, peer):
    sums, one = sums_of(TRUTH, SAID), METRICS[name]
    given = {part: sums[part] for part in one.needs}
    for weights in (None, np.array([0.2, 0.5, 0.3])):
        made = regression.over_targets(one, weights)
        want = peer(TRUTH, SAID, multioutput="uniform_average" if weights is None else weights)
        assert float(made(given)) == pytest.approx(want)
        assert (made.interval, made.via, made.joint, made.needs) == ("average", None, True, one.needs)
        assert made.definition == f"Mean over targets: {one.definition}"
    pooled = regression.pooled_explained(one)
    assert float(pooled(given)) == pytest.approx(peer(TRUTH, SAID, multioutput="variance_weighted"))
    small = [part * [0.01, *[1.0] * (TRUTH.shape[1] - 1)] for part in (TRUTH, SAID)]  # one target varies by very little
    assert float(pooled(sums_of(*small))) == pytest.approx(peer(*small, multioutput="variance_weighted"))
    assert (pooled.interval, pooled.via, pooled.joint) == ("average", None, True)
    assert pooled.definition == f"Mean over targets by their variance: {one.definition}"
    still = np.column_stack([TRUTH[:, 0], np.full(40, 2.0), 0.1 * TRUTH[:, 1]])
    known = {part: total for part, total in sums_of(still, still + 0.1).items() if part in one.needs}
    with np.errstate(divide="ignore", invalid="ignore"):
        assert float(pooled(known)) == pytest.approx(peer(still, still + 0.1, multioutput="variance_weighted"))


def test_a_root_of_a_mean_over_targets_does_not_follow_from_another_metric():
    made = regression.over_targets(METRICS["rmse"])
    assert made.via is None
    given = {part: sums_of(TRUTH, SAID)[part] for part in made.needs}
    assert float(made(given)) == pytest.approx(peers.root_mean_squared_error(TRUTH, SAID))


def test_a_constant_truth_is_explained_or_not():
    formula = regression.finite(METRICS["r2"].formula)
    exact = {"squared_errors": 0.0, "targets": 6.0, "squared_targets": 12.0, "rows": 3.0}

    def r2(**changed):
        return float(formula(**{name: np.float64(total) for name, total in (exact | changed).items()}))

    with np.errstate(divide="ignore", invalid="ignore"):
        values = [r2(squared_errors=error) for error in (0.0, 1.0)]
    assert values == [peers.r2_score([2, 2, 2], [2, 2, 2]), peers.r2_score([2, 2, 2], [2, 2, 3])] == [1.0, 0.0]
    assert r2(squared_targets=14.0, squared_errors=1.0) == 0.5
    assert (formula.__doc__, signature(formula)) == (regression.r2.__doc__, signature(regression.r2))


@pytest.mark.parametrize("formula", [regression.floored_mape, regression.pinball, regression.tweedie_deviance])
def test_means_over_rows(formula):
    first, _ = signature(formula).parameters
    assert float(formula(**{first: np.float64(6.0), "rows": np.float64(4.0)})) == 1.5


def test_slope_and_intercept_are_the_coefficients_of_the_recalibration():
    line = np.array([[0.3, 1.7], [-0.2, 0.9]])
    assert calibration.calibration_intercept(line).tolist() == [0.3, -0.2]
    assert calibration.calibration_slope(line).tolist() == [1.7, 0.9]


def test_a_floored_percentage_error_keeps_its_name():
    assert families.floored_mape().name == "mape"
