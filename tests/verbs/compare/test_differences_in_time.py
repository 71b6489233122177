"""Two and more forecasts of one series: tests that allow for times that depend on those before."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter

import heldout
from heldout.intervals.long_run import joint_long_run, long_run
from heldout.stats.forecast_tests import diebold_mariano

TIMES = 120


def forecasts(seed=0, rho=0.5):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=TIMES)
    linked = [lfilter([1.0], [1.0, -rho], rng.normal(size=TIMES)) for _ in range(3)]
    return truth, {"a": truth + linked[0], "b": truth + 1.3 * linked[1], "c": truth + 1.2 * linked[2]}


def compared(truth, models, metric="mae", **options):
    return heldout.compare(
        truth, models, time=np.arange(TIMES), metrics=[metric], primary=metric, task="regression", **options
    )


def losses(truth, models):
    return {name: np.abs(truth - said) for name, said in models.items()}


@pytest.mark.parametrize("horizon", [None, 3])
def test_the_default_is_students_t_with_the_long_run_variance(horizon):
    truth, models = forecasts()
    pair = {name: models[name] for name in "ab"}
    one = compared(truth, pair, horizon=horizon, confidence_level=0.9)["mae"]
    apart = losses(truth, pair)["b"] - losses(truth, pair)["a"]
    found = long_run(apart / TIMES, horizon)
    assert one.test == "HAC t"
    assert one.value == pytest.approx(apart.mean())
    assert (one.low, one.high) == pytest.approx(stats.t.interval(0.9, found.df, apart.mean(), np.sqrt(found.variance)))
    assert one.pvalue == pytest.approx(2 * stats.t.sf(abs(apart.mean()) / np.sqrt(found.variance), found.df))
    assert one.time is not None


@pytest.mark.parametrize("horizon", [None, 1, 4])
def test_diebold_and_mariano_by_name(horizon):
    truth, models = forecasts(seed=1)
    pair = {name: models[name] for name in "ab"}
    one = compared(truth, pair, horizon=horizon, test="diebold_mariano", confidence_level=0.9)["mae"]
    each = losses(truth, pair)
    want = diebold_mariano(each["b"] - each["a"], horizon=horizon or 1, confidence_level=0.9)
    assert (one.value, one.low, one.high, one.pvalue) == pytest.approx((want.value, want.low, want.high, want.pvalue))
    assert one.test == f"Diebold-Mariano, h={horizon or 1}"


def test_diebold_and_mariano_does_not_suit_a_metric_that_is_no_mean_of_losses():
    truth, models = forecasts(seed=2)
    pair = {name: models[name] for name in "ab"}
    options = {"time": np.arange(TIMES), "metrics": ["mae", "r2"], "task": "regression"}
    one = heldout.compare(truth, pair, test="diebold_mariano", **options)["r2"]
    assert one.test == "HAC t"
    assert "diebold_mariano does not suit it: its own test was used" in one.notes
    plain = heldout.compare(truth, pair, **options)["r2"]
    assert not any("does not suit" in note for note in plain.notes)
    assert (one.low, one.high) == (plain.low, plain.high)


def test_models_that_are_identical_say_so_and_few_times_are_named():
    truth, models = forecasts(seed=3)
    one = compared(truth, {"a": models["a"], "b": models["a"].copy()})["mae"]
    assert (one.value, one.pvalue, one.notes[0]) == (0.0, 1.0, "identical predictions")
    start = {name: models[name][:12] for name in "ab"}
    few = heldout.compare(truth[:12], start, time=np.arange(12), metrics=["mae"], task="regression")["mae"]
    assert few.notes


def test_three_forecasts_are_judged_by_their_joint_long_run_covariance():
    """With one other model the joint test is that of the pair; p-values are of t with the same degrees of freedom."""
    truth, models = forecasts(seed=4)
    found = compared(truth, models, n_resamples=20_000)
    each = losses(truth, models)
    moved = np.stack([(each[name] - each[name].mean()) / TIMES for name in "abc"], axis=1)
    covariance, df = joint_long_run(moved)
    best = found.best_of_many
    assert best.best == min(each, key=lambda name: each[name].mean())
    for at, name in ((1, "b"), (2, "c")):
        error = np.sqrt(covariance[0, 0] + covariance[at, at] - 2 * covariance[0, at])
        t = abs(each[name].mean() - each["a"].mean()) / error
        alone = 2 * stats.t.sf(t, round(df))
        assert alone - 0.02 <= best.adjusted[name] <= 2 * alone + 0.02  # between one test and Bonferroni's two
    assert best.wider > 1
