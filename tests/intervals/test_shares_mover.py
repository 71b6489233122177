from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest

from heldout.intervals.shares import mover, wilson


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((5, 56), (0, 29), -0.0381, 0.1926),
    ],
)
def test_newcombe_difference_of_independent_shares(
    first: tuple[int, int], second: tuple[int, int], low: float, high: float
) -> None:
    ends = np.array([wilson(*first, 0.95), wilson(*second, 0.95)])
    values = np.array([first[0] / first[1], second[0] / second[1]])
    assert mover(np.array([1, -1]), values, *ends.T) == pytest.approx((low, high), abs=5.1e-5)


def test_one_part_keeps_its_interval() -> None:
    assert mover(np.array([1.0]), np.array([0.3]), np.array([0.2]), np.array([0.5])) == pytest.approx((0.2, 0.5))
    assert mover(np.array([-2.0]), np.array([0.3]), np.array([0.2]), np.array([0.5])) == pytest.approx((-1.0, -0.4))


def test_halves_of_equal_parts_shrink_by_root_two() -> None:
    low, high = mover(np.full(2, 0.5), np.full(2, 0.8), np.full(2, 0.6), np.full(2, 0.9))
    assert (low, high) == pytest.approx((0.8 - 0.2 / 2**0.5, 0.8 + 0.1 / 2**0.5))


def test_an_undefined_part_leaves_the_sum_undefined() -> None:
    got = mover(np.full(2, 0.5), np.array([0.8, nan]), np.array([0.6, nan]), np.array([0.9, nan]))
    assert all(map(isnan, got))
