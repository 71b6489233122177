from __future__ import annotations

from math import cos, inf, pi, sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter

from heldout.intervals import long_run as module
from heldout.intervals.long_run import cosine_count, joint_long_run, long_run, season_notes


def linked(rng, rho, n):
    return lfilter([1.0], [1.0, -rho], rng.standard_normal(n + 200))[200:]


def test_with_a_horizon_it_is_the_equal_weighted_cosine_estimator_by_hand():
    x = np.random.default_rng(1).standard_normal(40)
    count = cosine_count(40, 2)
    waves = [sqrt(2 / 40) * sum(cos(pi * j * (t + 0.5) / 40) * x[t] for t in range(40)) for j in range(1, count + 1)]
    found = long_run(x, 2)
    assert found.variance == pytest.approx(40 * sum(wave**2 for wave in waves) / count)
    assert found.df == count


def test_without_a_horizon_it_is_prewhitened_by_hand():
    x = linked(np.random.default_rng(2), 0.6, 60)
    centred = x - x.mean()
    seen = sum(centred[1:] * centred[:-1]) / sum(centred**2)
    rho = (60 * seen + 1) / 57
    left = centred[1:] - rho * centred[:-1]
    count = cosine_count(60)
    waves = [sqrt(2 / 59) * sum(cos(pi * j * (t + 0.5) / 59) * left[t] for t in range(59)) for j in range(1, count + 1)]
    found = long_run(x)
    assert found.autocorrelation == pytest.approx(seen)
    assert found.variance == pytest.approx(60 * sum(wave**2 for wave in waves) / count / (1 - rho) ** 2)
    assert found.df == pytest.approx(1 / (1 / count + 2 * (1 + rho) / (60 * (1 - rho))))


def test_many_times_are_transformed_to_the_same_sums(monkeypatch):
    x = linked(np.random.default_rng(3), 0.5, 5000)
    fast = long_run(x)
    monkeypatch.setattr(module, "DIRECT", inf)
    assert long_run(x).variance == pytest.approx(fast.variance, rel=1e-10)


def test_the_scale_and_the_level_of_the_terms_do_not_matter():
    x = linked(np.random.default_rng(4), 0.5, 80)
    one, other = long_run(x), long_run(-3 * x + 7)
    assert other.variance == pytest.approx(9 * one.variance)
    assert (other.df, other.effective) == pytest.approx((one.df, one.effective))


@pytest.mark.parametrize("terms", [[], [1.0], [1.0, 2.0, 3.0], [2.0] * 30, [np.inf, 1.0, 2.0, 3.0, 4.0]])
def test_terms_that_tell_nothing(terms):
    with np.errstate(invalid="ignore"):
        found = long_run(np.array(terms))
    assert not found.variance > 0
    assert np.isnan(found.effective)


def test_the_joint_covariance_is_one_and_agrees_with_each_alone():
    rng = np.random.default_rng(5)
    x = np.stack([linked(rng, 0.5, 150) for _ in range(3)], axis=1)
    x[:, 2] = x[:, 0] + x[:, 1]
    covariance, df = joint_long_run(x, 3)
    assert np.diag(covariance) == pytest.approx([long_run(column, 3).variance for column in x.T])
    assert covariance[2, 2] == pytest.approx(covariance[:2, :2].sum())
    assert df == cosine_count(150, 3)
    assert np.linalg.eigvalsh(joint_long_run(x)[0]).min() > -1e-9


REPETITIONS = 1000


def rejected(draw, horizon=None):
    """How often the t-test of a true mean of zero rejects at 5%."""
    count = 0
    for seed in range(REPETITIONS):
        x = draw(np.random.default_rng([7, seed]))
        found = long_run(x, horizon)
        count += abs(x.sum()) > stats.t.ppf(0.975, found.df) * sqrt(found.variance)
    return count


@pytest.mark.parametrize(("rho", "n"), [(0.0, 50), (0.5, 50), (0.8, 50), (0.8, 200)])
def test_the_test_of_a_mean_rejects_at_most_6_percent_of_true_nulls_under_autoregression(rho, n):
    count = rejected(lambda rng: linked(rng, rho, n))
    assert count <= stats.binom.ppf(0.999, REPETITIONS, 0.06)
    plain = sum(
        stats.ttest_1samp(linked(np.random.default_rng([7, seed]), rho, n), 0).pvalue < 0.05 for seed in range(200)
    )
    assert rho < 0.5 or plain > 30  # what taking the same rows for independent does


@pytest.mark.parametrize(("horizon", "n"), [(2, 50), (4, 100), (6, 200)])
def test_and_of_forecasts_whose_horizon_is_known(horizon, n):
    def moving(rng):
        return np.convolve(rng.standard_normal(n + horizon - 1), np.ones(horizon), mode="valid")

    assert rejected(moving, horizon) <= stats.binom.ppf(0.999, REPETITIONS, 0.06)
    assert rejected(moving) <= stats.binom.ppf(0.999, REPETITIONS, 0.06)


@pytest.mark.parametrize("seed", range(20))
def test_a_few_heavy_times_are_no_season(seed):
    """Six large losses of 300 are alike at some lag; 26 of 60 random orders had a note before chance was judged."""
    moved = np.random.default_rng(seed).permutation(np.r_[np.full(6, 30.0), np.random.default_rng(1).normal(size=294)])
    assert season_notes(moved) == ()
