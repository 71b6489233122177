from __future__ import annotations

from math import cos, inf, pi, sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter

from heldout.intervals import long_run as module
from heldout.intervals.long_run import LongRun, cosine_count, joint_long_run, long_run, season_notes


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


def test_effective_times_and_widening():
    found = LongRun(variance=0.5, df=5.0, autocorrelation=0.3, times=40, plain=0.25)
    assert (found.effective, found.widening) == (20.0, pytest.approx(sqrt(2)))
    assert LongRun(variance=0.1, df=5.0, autocorrelation=-0.3, times=40, plain=0.25).effective == 40.0
    for variance, plain in ((0.0, 0.25), (0.5, 0.0), (0.0, 0.0)):
        nothing = LongRun(variance=variance, df=5.0, autocorrelation=0.3, times=40, plain=plain)
        assert np.isnan([nothing.effective, nothing.widening]).all()


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e100])
@pytest.mark.parametrize("times", [2, 3, 4, 30])
def test_the_plain_variance_is_that_of_a_sum_of_independent_times(times, scale):
    x = scale * np.random.default_rng(times).standard_normal(times)
    found = long_run(x)
    assert found.plain == pytest.approx(scale**2 * times * np.var(x / scale, ddof=1))
    assert (found.variance > 0) == (times >= 4)
    assert times >= 4 or (np.isnan(found.variance) and found.df == times - 1)


def test_what_long_run_says_of_nothing():
    empty, alone, still = (long_run(np.array(x)) for x in ([], [2.0], [0.3, 0.1 + 0.2] * 4))
    assert (empty.df, alone.df) == (0, 0)
    assert np.isnan([empty.plain, alone.plain, empty.variance, alone.variance]).all()
    assert (still.variance, still.df) == (0.0, 7)
    assert still.plain < 1e-30
    with np.errstate(over="ignore", invalid="ignore"):
        endless = long_run(np.array([np.inf, 1.0, 2.0, 3.0, 4.0]))
    assert np.isnan([endless.variance, endless.plain]).all()
    two = long_run(np.array([0.2, 0.2]))
    assert (two.variance, two.df) == (0.0, 1)


def test_a_horizon_takes_its_own_number_of_cosines():
    x = linked(np.random.default_rng(5), 0.3, 50)
    assert (long_run(x, 6).df, cosine_count(50, 6), cosine_count(50)) == (4, 4, 5)
    assert cosine_count(47, 5) == 4  # 47 // 10, not 4.7 rounded


@pytest.mark.parametrize("horizon", [None, 3])
def test_one_column_is_the_variance_alone(horizon):
    x = linked(np.random.default_rng(6), 0.6, 90) + 40.0
    alone = long_run(x, horizon)
    for columns in (x[:, None], np.stack([x, np.full(90, 3.0)], axis=1)):
        covariance, df = joint_long_run(columns, horizon)
        assert (covariance[0, 0], df) == pytest.approx((alone.variance, alone.df))


def test_with_a_horizon_covariances_are_those_of_sums_and_differences():
    rng = np.random.default_rng(7)
    x, y = linked(rng, 0.6, 90), linked(rng, 0.2, 90)
    covariance, _ = joint_long_run(np.stack([x, y], axis=1), 3)
    assert covariance[0, 1] == pytest.approx((long_run(x + y, 3).variance - long_run(x - y, 3).variance) / 4)


def test_the_strongest_autoregression_is_removed_from_every_column():
    rng = np.random.default_rng(8)
    x, y = 1e-3 * linked(rng, 0.7, 80), linked(rng, -0.3, 80)
    covariance, df = joint_long_run(np.stack([y, x], axis=1))
    strong = long_run(x)
    assert (covariance[1, 1], df) == pytest.approx((strong.variance, strong.df))
    centred, n = y - y.mean(), 80
    rho = (n * strong.autocorrelation + 1) / (n - 3)
    left, count = centred[1:] - rho * centred[:-1], cosine_count(80)
    waves = [sqrt(2 / 79) * sum(cos(pi * j * (t + 0.5) / 79) * left[t] for t in range(79)) for j in range(1, count + 1)]
    assert covariance[0, 0] == pytest.approx(80 * sum(wave**2 for wave in waves) / count / (1 - rho) ** 2)
    fewer, df = joint_long_run(np.stack([-y[:6], y[:6]], axis=1)[:3])
    assert (np.isnan(fewer).all(), fewer.shape, df) == (True, (2, 2), 2.0)
    assert joint_long_run(np.zeros((0, 2)))[1] == 0.0
    four, _ = joint_long_run(y[:4, None])
    assert four[0, 0] == pytest.approx(long_run(y[:4]).variance)


def test_negative_autocorrelation_is_not_removed():
    y = linked(np.random.default_rng(9), -0.5, 80)
    covariance, df = joint_long_run(y[:, None])
    count = cosine_count(80)
    assert covariance[0, 0] == pytest.approx(long_run(y, 1).variance)
    assert df == pytest.approx(1 / (1 / count + 2 / 80))


def season(period, repeats, noise, seed=0):
    """A pattern of standard deviation 1, again and again, and noise."""
    rng = np.random.default_rng(seed)
    pattern = stats.zscore(rng.standard_normal(period))
    return np.tile(pattern, repeats) + noise * rng.standard_normal(period * repeats)


@pytest.mark.parametrize(("period", "repeats"), [(4, 30), (7, 40), (60, 8)])
def test_a_season_is_named_by_its_first_lag(period, repeats):
    for seed in range(5):
        x = season(period, repeats, 0.3, seed)
        (note,) = season_notes(x)
        assert note.startswith(f"a season: times {period} apart are alike (autocorrelation 0.")
        assert season_notes(100 + 1e-5 * x) == (note,)


def test_a_season_is_looked_for_up_to_a_quarter_of_the_times_and_sixty():
    for period, times, noted in ((15, 60, True), (15, 59, False), (60, 480, True), (61, 488, False)):
        notes = season_notes(season(period, 8, 0.05, seed=3)[:times])
        assert any(f"times {period} apart" in note for note in notes) == noted
    assert season_notes(season(3, 60, 0.1))[0].startswith("a season: times 6 apart")  # seasons have four times at least


def test_a_season_of_neighbouring_times_is_that_of_what_they_leave():
    x = linked(np.random.default_rng(10), 0.9, 400)
    assert season_notes(x) == ()
    (note,) = season_notes(x + 4 * season(12, 34, 0.0)[:400])
    assert note.startswith("a season: times 12 apart")


def test_a_faint_season_is_not_named():
    """The autocorrelation must be above 0.2, and above four standard errors 1 / sqrt(n)."""
    faint, strong = (season(8, 250, noise) for noise in (2.3, 1.0))
    for series, noted in ((faint, False), (strong, True)):
        assert bool(season_notes(series)) == noted
    centred = faint - faint.mean()
    assert 4 / sqrt(2000) < centred[8:] @ centred[:-8] / (centred @ centred) < 0.2
    short = season(5, 12, 1.3, seed=1)
    centred = short - short.mean()
    assert 0.2 < centred[5:] @ centred[:-5] / (centred @ centred) < 4 / sqrt(60)
    assert season_notes(short) == ()


def test_nothing_has_no_season():
    assert season_notes(np.array([])) == season_notes(np.ones(40)) == season_notes(np.arange(12.0)) == ()
    with np.errstate(invalid="ignore"):
        assert season_notes(np.append(np.inf, np.arange(40.0))) == ()


def test_chance_is_the_largest_autocorrelation_of_shuffled_times():
    left = np.random.default_rng(11).standard_exponential(33)
    left -= left.mean()
    lags = np.arange(4, 9)
    rng, largest = np.random.default_rng(0), 0.0
    for _ in range(199):
        shuffled = rng.permutation(left)
        largest = max(largest, *(shuffled[lag:] @ shuffled[:-lag] / (left @ left) for lag in lags))
    assert module._alike_by_chance(left, lags) == pytest.approx(largest)
    assert module._alike_by_chance(1e-3 * left, lags) == pytest.approx(largest)


def test_a_season_is_the_shortest_of_those_that_are_about_as_alike():
    """At 14 times apart a little more alike than at 7; where 7 are not alike at all, 14 is the season."""
    rng = np.random.default_rng(0)
    week, odd = rng.standard_normal(7), rng.standard_normal(14)
    noise = 0.3 * rng.standard_normal(280)
    both = np.tile(week, 40) + 0.1 * np.tile(odd, 20) + noise
    assert season_notes(both)[0].startswith("a season: times 7 apart are alike")
    half = np.tile(np.r_[week, -week], 20) + noise
    assert season_notes(half)[0].startswith("a season: times 14 apart are alike")


@pytest.mark.parametrize("seed", [1, 19, 21, 23])
def test_a_season_that_few_times_may_show_by_chance_is_not_named(seed):
    """60 times: an autocorrelation below 4 / sqrt(60) = 0.52, though larger than in all shuffles."""
    rng = np.random.default_rng(seed)
    terms = np.tile(rng.normal(size=7), 9)[:60] * 0.8 + rng.normal(size=60)
    assert season_notes(terms) == ()


def test_the_autocorrelation_of_a_season_by_hand():
    """Of what one autoregression leaves, centred again."""
    rng = np.random.default_rng(0)
    terms = 2 * np.tile(rng.normal(size=5), 8) + 0.3 * rng.normal(size=40) + 0.6 * np.arange(40)
    centred = terms - terms.mean()
    seen = sum(centred[1:] * centred[:-1]) / sum(centred**2)
    left = centred[1:] - min(max((40 * seen + 1) / 37, 0), 0.97) * centred[:-1]
    left -= left.mean()
    alike = {lag: sum(left[lag:] * left[:-lag]) / sum(left**2) for lag in range(4, 11)}
    assert max(alike, key=alike.get) == 5
    (note,) = season_notes(terms)
    assert f"times 5 apart are alike (autocorrelation {alike[5]:.2f})" in note


@pytest.mark.parametrize("horizon", [None, 9])
def test_the_joint_covariance_of_one_sum_is_its_variance(horizon):
    terms = linked(np.random.default_rng(5), 0.5, 90)
    covariance, df = joint_long_run(terms[:, None], horizon)
    alone = long_run(terms, horizon)
    assert (covariance[0, 0], df) == pytest.approx((alone.variance, alone.df))
    assert cosine_count(90, 9) < cosine_count(90)
    with_constant, _ = joint_long_run(np.stack([terms, np.full(90, 2.0)], axis=1), horizon)
    assert with_constant[0, 0] == pytest.approx(alone.variance)
    assert with_constant[1, 1] == pytest.approx(0.0, abs=1e-12)


def test_terms_whose_squares_overflow_have_no_season():
    weekly = np.tile(np.random.default_rng(1).normal(size=7), 20)
    assert len(season_notes(1e100 * weekly)) == 1
    with np.errstate(over="ignore"):
        assert season_notes(1e200 * weekly) == ()


def test_times_that_are_opposite_at_every_lag_have_no_season():
    assert season_notes(np.tile([1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0], 2)) == ()


def test_a_series_that_wanders_is_taken_to_be_linked_by_97_percent():
    walk = np.cumsum(np.random.default_rng(6).normal(size=400))
    centred = walk - walk.mean()
    assert (400 * sum(centred[1:] * centred[:-1]) / sum(centred**2) + 1) / 397 > 0.97
    left = centred[1:] - 0.97 * centred[:-1]
    count = cosine_count(400)
    waves = [sum(sqrt(2 / 399) * np.cos(pi * j * (np.arange(399) + 0.5) / 399) * left) for j in range(1, count + 1)]
    assert long_run(walk).variance == pytest.approx(400 * sum(wave**2 for wave in waves) / count / 0.03**2)
