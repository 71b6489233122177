from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betaincinv

from heldout.intervals.shares import clopper_pearson
from heldout.intervals.simultaneous import _drawn, local_level, share_band


def missed(rows: int, level: float, samples: int, seed: int) -> float:
    """How often some order statistic of uniform draws leaves its interval: what the local level must keep small."""
    k = np.arange(1, rows + 1)
    tail = (1 - local_level(rows, level)) / 2
    low, high = betaincinv(k, rows + 1 - k, tail), betaincinv(k, rows + 1 - k, 1 - tail)
    drawn = np.sort(np.random.default_rng(seed).random((samples, rows)), axis=1)
    return float(np.mean(np.any((drawn < low) | (drawn > high), axis=1)))


@pytest.mark.parametrize(("rows", "level"), [(5, 0.95), (60, 0.95), (400, 0.9), (3000, 0.95)])
def test_all_order_statistics_hold_together_as_often_as_said(rows, level):
    # 1500 samples: standard error 0.006 at 0.05; beyond a thousand rows the level is extrapolated, to the safe side
    assert missed(rows, level, 1500, seed=rows) == pytest.approx(1 - level, abs=0.025)


def test_one_row_needs_no_correction():
    assert local_level(1, 0.95) == pytest.approx(0.95, abs=0.015)


def test_more_rows_need_a_higher_level():
    levels = [local_level(rows, 0.95) for rows in (1, 10, 100, 1000, 10_000, 1_000_000)]
    assert levels == sorted(levels)
    assert levels[-1] < 0.9999


def test_the_band_is_clopper_and_pearson_at_the_local_level():
    share, rows = np.array([0.0, 0.25, 1.0]), 40
    low, high = share_band(share, np.full(3, float(rows)), 0.95)
    wanted = [clopper_pearson(x * rows, rows, local_level(rows, 0.95)) for x in share]
    assert np.column_stack([low, high]) == pytest.approx(np.array(wanted))


def test_levels_are_looked_up_at_rounded_numbers_of_rows_to_the_safe_side():
    assert local_level(19, 0.9) == _drawn(19, 0.9)
    assert local_level(20, 0.9) == _drawn(20, 0.9)
    assert local_level(21, 0.9) == local_level(22, 0.9) == _drawn(22, 0.9)
    assert local_level(23, 0.9) == _drawn(25, 0.9)  # 20 times 1.1 squared is 24.2
    assert local_level(997, 0.9) == local_level(1000, 0.9) == _drawn(1000, 0.9)


def test_beyond_a_thousand_rows_the_chance_to_miss_falls_with_the_iterated_logarithm():
    for rows in (1001, 50_000):
        pace = np.log(1000) * np.log(np.log(1000)) / (np.log(rows) * np.log(np.log(rows)))
        assert 1 - local_level(rows, 0.95) == pytest.approx((1 - local_level(1000, 0.95)) * pace)


@pytest.mark.parametrize("rows", [1.0, 2.0, 7.5])
def test_the_band_of_few_or_fractional_rows(rows):
    """Less than one row right, or less than one wrong, is bounded as in Clopper and Pearson's formula."""
    share = np.array([0.0, 0.05, 0.5, 0.95, 1.0])
    low, high = share_band(share, np.full(5, rows), 0.95)
    level = local_level(max(round(rows), 1), 0.95)
    wanted = [clopper_pearson(x * rows, rows, level) for x in share]
    assert np.column_stack([low, high]) == pytest.approx(np.array(wanted))
    nothing = share_band(np.array([0.5]), np.array([0.2]), 0.95)
    assert nothing[0] == pytest.approx(clopper_pearson(0.1, 0.2, local_level(1, 0.95))[0])
