from __future__ import annotations

from functools import cache
from inspect import signature
from math import inf, isnan, log, nan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binom

from heldout.intervals.scales import critical_z
from heldout.intervals.shares import (
    ALIASES,
    SHARES,
    ShareInterval,
    _at_least,
    _at_most,
    blaker,
    clopper_pearson,
    likelihood_ratio,
    logit,
    midp,
    normal,
    wilson,
)

UNBOUNDED = {"normal", "agresti_coull"}
LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99, 0.9999]


def near(got: tuple[float, float], low: float, high: float, within: float = 5e-5) -> bool:
    return abs(got[0] - low) <= within and abs(got[1] - high) <= within


# Worked numbers


@pytest.mark.parametrize(
    ("name", "successes", "trials", "low", "high"),
    [
        # Mitchell, 12 wrong of 40
        ("normal", 12, 40, 0.1580, 0.4420),
        ("wilson", 12, 40, 0.1807, 0.4543),
        ("clopper_pearson", 12, 40, 0.1656, 0.4653),
        ("jeffreys", 12, 40, 0.1756, 0.4522),
        # Newcombe 1998
        ("normal", 81, 263, 0.2522, 0.3638),
        ("wilson", 81, 263, 0.2553, 0.3662),
        ("clopper_pearson", 81, 263, 0.2527, 0.3676),
        ("wilson", 15, 148, 0.0624, 0.1605),
        ("clopper_pearson", 15, 148, 0.0578, 0.1617),
        ("wilson", 0, 20, 0.0, 0.1611),
        ("clopper_pearson", 0, 20, 0.0, 0.1684),
        ("jeffreys", 0, 20, 0.0, 0.1166),
        ("wilson", 1, 29, 0.0061, 0.1718),
        ("clopper_pearson", 1, 29, 0.0009, 0.1776),
        # R's prop.test(correct = TRUE), binom and exactci
        ("wilson_cc", 12, 40, 0.170859, 0.467113),
        ("midp", 12, 40, 0.173784, 0.454215),
        ("logit", 12, 40, 0.178939, 0.457342),
        ("agresti_coull", 12, 40, 0.179728, 0.455321),
        ("likelihood_ratio", 12, 40, 0.173477, 0.451387),
    ],
)
def test_worked_numbers_at_95(name: str, successes: float, trials: float, low: float, high: float) -> None:
    assert near(SHARES[name](successes, trials, 0.95), low, high)


def test_newcombe_normal_lower_end_is_negative() -> None:
    assert abs(normal(1, 29, 0.95)[0] - -0.0319) < 5e-5


def test_mitchell_half_widths() -> None:
    for level, half in ((0.95, 0.1420), (0.68, 0.0721)):  # his table rounds z at 68% to 1.00, which gives 0.0725
        low, high = normal(12, 40, level)
        assert abs((high - low) / 2 - half) < 5e-5


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(750, 1000, 0.7321, 0.7671), (75, 100, 0.6908, 0.8011), (7.5, 10, 0.5486, 0.8810)],
)
def test_witten_frank_wilson_at_z_128(successes: float, trials: float, low: float, high: float) -> None:
    level = 2 * 0.899727432 - 1  # the book rounds z to 1.28
    assert abs(critical_z(level) - 1.28) < 1e-8
    assert near(wilson(successes, trials, level), low, high)


def test_wilson_cc_leaves_the_middle_alone() -> None:
    assert SHARES["wilson_cc"](5, 10, 0.95) == pytest.approx(wilson(5, 10, 0.95), abs=1e-15)


@pytest.mark.parametrize(
    ("successes", "trials", "level", "low", "high"),
    [(12, 40, 0.90, 0.1854, 0.4367), (12, 40, 0.95, 0.1672, 0.4616), (12, 40, 0.99, 0.1420, 0.5131)],
)
def test_blaker_as_exactci(successes: int, trials: int, level: float, low: float, high: float) -> None:
    assert near(blaker(successes, trials, level), low, high, within=2e-4)  # exactci steps by 1e-4


# Measured coverage, by enumeration


@cache
def ends(name: str, trials: int) -> np.ndarray:
    return np.array([SHARES[name](successes, trials, 0.95) for successes in range(trials + 1)])


def covers(name: str, trials: int, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Chance that the interval holds the share, and its expected width, for each share."""
    chances = binom.pmf(np.arange(trials + 1), trials, shares[:, None])
    low, high = ends(name, trials).T
    inside = (low <= shares[:, None]) & (shares[:, None] <= high)
    return (chances * inside).sum(axis=1), chances @ (np.minimum(high, 1) - np.maximum(low, 0))


@pytest.mark.parametrize(
    ("trials", "share", "coverage"),
    [
        (17, 0.5, 0.951),
        (18, 0.5, 0.904),
        (19, 0.5, 0.936),
        (20, 0.5, 0.959),
        (25, 0.5, 0.957),
        (30, 0.5, 0.957),
        (35, 0.5, 0.959),
        (40, 0.5, 0.919),
        (50, 0.5, 0.935),
        (100, 0.5, 0.943),
        (7, 0.2, 0.757),
        (16, 0.2, 0.852),
        (30, 0.2, 0.946),
        (98, 0.2, 0.928),
        (591, 0.005, 0.945),
        (592, 0.005, 0.792),
        (953, 0.005, 0.948),
        (954, 0.005, 0.852),
        (1278, 0.005, 0.948),
        (1279, 0.005, 0.875),
    ],
)
def test_lucky_and_unlucky_sizes_of_the_normal_interval(trials: int, share: float, coverage: float) -> None:
    assert abs(covers("normal", trials, np.array([share]))[0][0] - coverage) < 5.1e-4


@pytest.mark.parametrize(
    ("trials", "share", "wald", "score", "exact"),
    [
        (30, 0.05, 0.782, 0.939, 0.984),
        (50, 0.01, 0.395, 0.911, 0.986),
        (100, 0.05, 0.877, 0.966, 0.983),
        (100, 0.3, 0.950, 0.937, 0.963),
    ],
)
def test_coverage_cells(trials: int, share: float, wald: float, score: float, exact: float) -> None:
    for name, coverage in (("normal", wald), ("wilson", score), ("clopper_pearson", exact)):
        assert abs(covers(name, trials, np.array([share]))[0][0] - coverage) < 5.1e-4


MEASURED = {
    10: {
        "normal": (0.770, 0.010, 0.404),
        "wilson": (0.954, 0.842, 0.436),
        "clopper_pearson": (0.984, 0.961, 0.509),
        "jeffreys": (0.953, 0.868, 0.433),
        "agresti_coull": (0.964, 0.925, 0.457),
    },
    30: {
        "normal": (0.876, 0.030, 0.267),
        "wilson": (0.953, 0.860, 0.271),
        "clopper_pearson": (0.973, 0.954, 0.299),
        "jeffreys": (0.951, 0.889, 0.269),
        "agresti_coull": (0.960, 0.934, 0.279),
    },
    50: {
        "normal": (0.902, 0.049, 0.211),
        "wilson": (0.952, 0.861, 0.213),
        "clopper_pearson": (0.969, 0.953, 0.231),
        "jeffreys": (0.950, 0.884, 0.212),
        "agresti_coull": (0.958, 0.935, 0.218),
    },
    100: {
        "normal": (0.923, 0.095, 0.152),
        "wilson": (0.951, 0.905, 0.152),
        "clopper_pearson": (0.964, 0.950, 0.162),
        "jeffreys": (0.950, 0.881, 0.152),
        "agresti_coull": (0.956, 0.939, 0.154),
    },
}
"""Mean and smallest coverage over shares 0.001 to 0.999, and mean width, by trials and method."""


@pytest.mark.parametrize(("trials", "name"), [(trials, name) for trials, row in MEASURED.items() for name in row])
def test_mean_and_smallest_coverage(trials: int, name: str) -> None:
    coverage, width = covers(name, trials, np.arange(1, 1000) / 1000)
    got = (coverage.mean(), coverage.min(), width.mean())
    assert got == pytest.approx(MEASURED[trials][name], abs=5.1e-4)


@pytest.mark.parametrize("name", ["clopper_pearson", "blaker"])
@pytest.mark.parametrize("trials", [1, 2, 7, 20])
def test_exact_intervals_never_cover_less_than_their_level(name: str, trials: int) -> None:
    assert covers(name, trials, np.linspace(0.0005, 0.9995, 2000))[0].min() >= 0.95 - 1e-12


# Ends of the range


@pytest.mark.parametrize("name", SHARES)
def test_without_trials_every_share_is_possible(name: str) -> None:
    assert SHARES[name](0, 0, 0.95) == (0.0, 1.0)


@pytest.mark.parametrize("name", SHARES)
def test_an_undefined_share_has_no_interval(name: str) -> None:
    assert all(map(isnan, SHARES[name](nan, 10, 0.95)))
    assert all(map(isnan, SHARES[name](1, nan, 0.95)))


@pytest.mark.parametrize("name", sorted(SHARES.keys() - UNBOUNDED))
@pytest.mark.parametrize("trials", [0.4, 1, 2, 3.7, 20, 10**7])
@pytest.mark.parametrize("level", LEVELS)
def test_no_success_and_no_failure_reach_the_end(name: str, trials: float, level: float) -> None:
    low, high = SHARES[name](0, trials, level)
    assert low == 0.0 < high < 1.0
    low, high = SHARES[name](trials, trials, level)
    assert 0.0 < low < 1.0 == high


def test_normal_collapses_where_the_share_is_0_or_1() -> None:
    assert normal(0, 20, 0.95) == (0.0, 0.0)
    assert normal(20, 20, 0.95) == (1.0, 1.0)


def test_one_row() -> None:
    assert near(wilson(1, 1, 0.95), 0.2065, 1.0)
    assert near(clopper_pearson(1, 1, 0.95), 0.025, 1.0)
    assert near(blaker(0, 1, 0.95), 0.0, 0.95)
    assert near(midp(0, 1, 0.95), 0.0, 0.95)


def test_logit_at_the_ends_is_exact() -> None:
    assert SHARES["logit"](0, 20, 0.95) == clopper_pearson(0, 20, 0.95)
    assert SHARES["logit"](20, 20, 0.95) == clopper_pearson(20, 20, 0.95)


def test_counts_past_the_end_by_rounding_are_at_the_end() -> None:
    assert wilson(20.000000000000004, 20, 0.95) == wilson(20, 20, 0.95)
    assert wilson(-1e-18, 20, 0.95) == wilson(0, 20, 0.95)


@pytest.mark.parametrize("name", sorted(SHARES.keys() - UNBOUNDED))
@pytest.mark.parametrize("successes", [1e-24, 1e-9, 1 - 1e-16])
def test_a_trace_of_a_row_is_answered(name: str, successes: float) -> None:
    low, high = SHARES[name](successes, 1, 0.95)
    assert 0.0 <= low <= successes <= high <= 1.0


# Laws

counts = st.one_of(
    st.integers(1, 10**7).flatmap(lambda n: st.tuples(st.integers(0, n).map(float), st.just(float(n)))),
    st.integers(1, 30).flatmap(lambda n: st.tuples(st.integers(0, n).map(float), st.just(float(n)))),
    st.tuples(st.integers(0, 1000), st.floats(0.5, 1e4)).map(lambda pair: (pair[0] / 1000 * pair[1], pair[1])),
)
levels = st.sampled_from(LEVELS)
names = st.sampled_from(sorted(SHARES))


@settings(deadline=None)
@given(name=names, count=counts, level=levels)
def test_the_share_lies_inside(name: str, count: tuple[float, float], level: float) -> None:
    successes, trials = count
    low, high = SHARES[name](successes, trials, level)
    assert type(low) is type(high) is float
    assert low - 1e-12 <= successes / trials <= high + 1e-12
    if name not in UNBOUNDED:
        assert 0.0 <= low < high <= 1.0


@settings(deadline=None)
@given(name=names, count=counts)
def test_a_higher_level_is_wider(name: str, count: tuple[float, float]) -> None:
    low, high = np.clip([SHARES[name](*count, level) for level in LEVELS], 0, 1).T
    assert np.all(np.diff(low) <= 1e-12)
    assert np.all(np.diff(high) >= -1e-12)


@settings(deadline=None)
@given(name=names, count=counts, level=levels)
def test_failures_are_the_mirror_of_successes(name: str, count: tuple[float, float], level: float) -> None:
    successes, trials = count
    low, high = SHARES[name](successes, trials, level)
    assert SHARES[name](trials - successes, trials, level) == pytest.approx((1 - high, 1 - low), abs=1e-8)


@settings(deadline=None)
@given(count=counts, level=levels)
def test_blaker_and_midp_lie_within_clopper_pearson(count: tuple[float, float], level: float) -> None:
    low, high = clopper_pearson(*count, level)
    for interval in (blaker, midp):
        inner = interval(*count, level)
        assert low - 1e-12 <= inner[0] <= inner[1] <= high + 1e-12


@settings(deadline=None)
@given(count=counts, level=levels)
def test_agresti_coull_holds_wilson(count: tuple[float, float], level: float) -> None:
    low, high = SHARES["agresti_coull"](*count, level)
    inner = wilson(*count, level)
    assert low <= inner[0] + 1e-12
    assert inner[1] - 1e-12 <= high


# Definitions


def acceptability(successes: int, trials: int, share: float) -> float:
    """Blaker's function, from its definition: the chance of counts whose smaller tail is no larger."""
    chances = binom.pmf(np.arange(trials + 1), trials, share)
    tails = np.minimum(np.cumsum(chances), np.cumsum(chances[::-1])[::-1])
    return float(chances[tails <= tails[successes] * (1 + 1e-12)].sum())


@pytest.mark.parametrize("trials", [1, 2, 5, 13, 20])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_blaker_runs_from_the_first_to_the_last_share_accepted(trials: int, level: float) -> None:
    for successes in range(trials + 1):
        low, high = blaker(successes, trials, level)
        outer = clopper_pearson(successes, trials, level)
        for end, out, step in ((low, outer[0], 1e-9), (high, outer[1], -1e-9)):
            if end not in (0.0, 1.0):
                assert acceptability(successes, trials, end + step) >= 1 - level - 1e-7
                beyond = np.linspace(end - step, out, 15)[1:]
                assert all(acceptability(successes, trials, share) < 1 - level + 1e-7 for share in beyond)


@pytest.mark.parametrize(("successes", "trials"), [(1, 30), (12, 40), (950, 1000), (3, 10**6), (5 * 10**6, 10**7)])
def test_tails_and_deviance_at_the_ends(successes: int, trials: int) -> None:
    low, high = clopper_pearson(successes, trials, 0.95)
    assert binom.sf(successes - 1, trials, low) == pytest.approx(0.025, rel=1e-6)
    assert binom.cdf(successes, trials, high) == pytest.approx(0.025, rel=1e-6)
    low, high = midp(successes, trials, 0.95)
    half = binom.pmf(successes, trials, [low, high]) / 2
    assert binom.sf(successes, trials, low) + half[0] == pytest.approx(0.025, rel=1e-6)
    assert binom.cdf(successes - 1, trials, high) + half[1] == pytest.approx(0.025, rel=1e-6)
    share = successes / trials
    for end in likelihood_ratio(successes, trials, 0.95):
        deviance = 2 * (successes * log(share / end) + (trials - successes) * log((1 - share) / (1 - end)))
        assert deviance == pytest.approx(critical_z(0.95) ** 2, rel=1e-6)


def test_small_shares_of_many_rows_keep_their_digits() -> None:
    low, high = wilson(1, 10**7, 0.95)
    z = critical_z(0.95) ** 2  # in the limit of a Poisson count of one
    assert low * 10**7 == pytest.approx(1 + z / 2 - (z + z**2 / 4) ** 0.5, rel=1e-6)
    assert high * 10**7 == pytest.approx(1 + z / 2 + (z + z**2 / 4) ** 0.5, rel=1e-6)


def test_fractional_counts_lie_between_whole_ones() -> None:
    for name, interval in SHARES.items():
        lows, highs = np.array([interval(successes, 40, 0.95) for successes in (12, 12.5, 13)]).T
        assert lows[0] < lows[1] < lows[2], name
        assert highs[0] < highs[1] < highs[2], name


def test_aliases_lead_to_methods() -> None:
    assert set(ALIASES.values()) <= SHARES.keys()
    assert not ALIASES.keys() & SHARES.keys()
    assert ALIASES["wald"] == "normal"
    assert ALIASES["exact"] == ALIASES["beta"] == "clopper_pearson"


def test_critical_value_of_no_degrees_of_freedom() -> None:
    from heldout.intervals.scales import critical_t

    assert critical_t(0.95, 0) == inf
    assert critical_t(0.95, 1e9) == pytest.approx(critical_z(0.95), abs=1e-6)


@pytest.mark.parametrize("level", [0.8, 0.99])
def test_mid_p_and_logit_at_other_levels(level):
    tail = (1 - level) / 2
    for x, n in ((3, 11), (1, 4), (10, 11)):
        low, high = midp(x, n, level)
        # P(X > x) + P(X = x) / 2 is the tail at the low end, and P(X < x) + P(X = x) / 2 at the high end
        assert binom.sf(x, n, low) + binom.pmf(x, n, low) / 2 == pytest.approx(tail)
        assert binom.cdf(x - 1, n, high) + binom.pmf(x, n, high) / 2 == pytest.approx(tail)
    assert logit(0, 9, level) == clopper_pearson(0, 9, level)
    assert logit(9, 9, level) == clopper_pearson(9, 9, level)


def test_mid_p_without_a_success_or_a_failure():
    for n in (1, 5):
        low, high = midp(0, n, 0.9)
        assert (low, (1 - high) ** n / 2) == (0.0, pytest.approx(0.05))
        assert midp(n, n, 0.9) == pytest.approx((1 - high, 1.0))


def test_tails_of_counts_that_cannot_occur():
    assert (_at_least(0, 5, 0.3), _at_least(-1, 5, 0.3), _at_least(6, 5, 0.3), _at_least(7, 5, 0.3)) == (1, 1, 0, 0)
    assert (_at_most(5, 5, 0.3), _at_most(6, 5, 0.3), _at_most(-1, 5, 0.3), _at_most(-2, 5, 0.3)) == (1, 1, 0, 0)
    for count in range(1, 5):
        assert _at_least(count, 5, 0.3) == pytest.approx(binom.sf(count - 1, 5, 0.3))
        assert _at_most(count, 5, 0.3) == pytest.approx(binom.cdf(count, 5, 0.3))


def test_the_level_that_signatures_show_is_the_one_that_is_used():
    for interval in SHARES.values():
        assert signature(interval).parameters["confidence_level"].default == 0.95
        assert interval(3, 20) == interval(3, 20, 0.95)
    assert signature(ShareInterval.__call__).parameters["confidence_level"].default == 0.95


def test_names_that_other_tools_give():
    """R's binom and exact, scipy and statsmodels."""
    assert ALIASES == {
        "score": "wilson", "exact": "clopper_pearson", "beta": "clopper_pearson", "mid_p": "midp",
        "lrt": "likelihood_ratio", "wald": "normal", "asymptotic": "normal",
    }  # fmt: skip
