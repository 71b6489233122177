"""What a test gives, and p-values from intervals."""

from __future__ import annotations

from math import inf, isnan, nan

import pytest
from scipy import stats

from heldout.stats.independent_samples import newcombe, wald
from heldout.stats.outcome import Outcome, inverted, no_difference, untested, within


def test_the_p_value_of_an_interval_is_that_of_its_test():
    mean, error = 1.3, 0.7
    found = inverted(lambda level: stats.norm.interval(level, mean, error))
    assert found == pytest.approx(2 * stats.norm.sf(mean / error), rel=1e-12)


def test_an_interval_about_zero_has_a_p_value_of_one_and_one_far_off_the_least():
    assert inverted(lambda level: wald(20, 100, 20, 100, level)) == 1.0
    assert inverted(lambda level: wald(1000, 1000, 1, 1000, level), least=1e-9) == 1e-9
    assert inverted(lambda level: wald(1000, 1000, 1, 1000, level)) == 1e-15
    assert isnan(inverted(lambda level: (nan, nan)))


def test_fewer_steps_ask_for_fewer_intervals():
    asked = []

    def interval(level):
        asked.append(level)
        return newcombe(30, 100, 20, 100, level)

    want = inverted(lambda level: newcombe(30, 100, 20, 100, level))
    assert inverted(interval, steps=24) == pytest.approx(want, rel=1e-5)
    assert len(asked) == 24 + 3


def test_outcomes_are_equal_whatever_makes_their_intervals_at_other_levels():
    numbers = {"value": 1.0, "low": 0.5, "high": 1.5, "pvalue": 0.01, "level": 0.95, "statistic": 2.0, "error": 0.5}
    one, other = (Outcome(test="t", **numbers, interval_at=at) for at in (None, lambda level: (0.0, level)))
    assert one == other
    assert "interval_at" not in repr(other)
    assert (one.wider, one.df, one.notes, one.in_time, one.size) == (1.0, None, (), None, None)


def test_what_cannot_be_tested_says_why():
    found = untested(0.2, "one row")
    assert (found.value, found.test, found.notes) == (0.2, "none", ("one row",))
    assert all(map(isnan, (found.low, found.high, found.pvalue)))


@pytest.mark.parametrize("units", [1, 10, 500])
@pytest.mark.parametrize("level", [0.9, 0.99])
def test_no_difference_on_some_units_leaves_room_for_a_share_that_was_not_seen(units, level):
    """The wider of the exact bound, at which none differs with chance (1 - level) / 2, and the score bound."""
    found = no_difference("alike", units=units, span=2.0, level=level)
    z = stats.norm.ppf((1 + level) / 2)
    share = max(1 - ((1 - level) / 2) ** (1 / units), z**2 / (units + z**2))
    assert (found.low, found.high) == pytest.approx((-2 * share, 2 * share))
    assert found.interval_at is not None
    assert found.interval_at(0.5) == pytest.approx(
        tuple(side * no_difference("alike", units=units, span=2.0, level=0.5).high for side in (-1, 1))
    )
    assert (found.value, found.pvalue, found.error, found.test) == (0.0, 1.0, 0.0, "identical")


def test_no_difference_without_units_is_a_point_and_without_a_span_unknown():
    point = no_difference("alike")
    assert (point.low, point.high) == (0.0, 0.0)
    for span in (inf, 0.0, nan):
        assert isnan(no_difference("alike", units=10, span=span).high)


def test_no_difference_says_why_and_has_a_level_of_95_percent():
    found = no_difference("identical predictions", units=50)
    assert (found.notes, found.error, found.test) == (("identical predictions",), 0.0, "identical")
    assert (found.low, found.high) == no_difference("", units=50, level=0.95).interval_at(0.95)


def test_an_interval_ends_where_the_difference_of_two_shares_must():
    far = Outcome(value=0.1, low=-3.0, high=4.0, pvalue=0.5, test="t")
    assert (within(far, 0.0, 1.0).low, within(far, 0.0, 1.0).high) == (-1.0, 1.0)
    assert within(far, 0.0, inf) == far
