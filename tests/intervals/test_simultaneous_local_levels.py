from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betaincinv

from heldout.intervals.shares import clopper_pearson
from heldout.intervals.simultaneous import local_level, share_band


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
