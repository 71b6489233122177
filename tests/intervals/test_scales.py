from __future__ import annotations

from collections.abc import Callable
from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from heldout.errors import UsageError
from heldout.intervals import Interval
from heldout.intervals.scales import (
    checked_level,
    critical_z,
    difference_of_roots,
    fisher_z,
    on_log,
    on_log_one_minus,
    on_logit,
    plain,
)

SCALES: dict[Callable[[float, float, float], Interval], tuple[float, float]] = {
    plain: (-inf, inf),
    on_logit: (0.0, 1.0),
    on_log: (0.0, inf),
    fisher_z: (-1.0, 1.0),
    on_log_one_minus: (-inf, 1.0),
}


def test_worked_numbers() -> None:
    assert plain(0.30 - 0.20, 0.06083, 0.95) == pytest.approx((-0.0192, 0.2192), abs=5e-5)  # Mitchell's difference
    assert on_logit(0.68, 0.127017, 0.95) == pytest.approx((0.4036, 0.8696), abs=5e-5)  # Fawcett's area
    assert fisher_z(0.745023, 0.079616, 0.95) == pytest.approx((0.5448, 0.8649), abs=5e-5)  # MCC of 18, 3, 6, 73
    assert plain(0.8, 0.0653, 0.95) == pytest.approx((0.6720, 0.9280), abs=5e-5)
    assert on_log(2.0, 0.5, 0.95) == pytest.approx((1.22525, 3.26464), abs=5e-5)  # 2 exp(-+ 1.96 / 4)
    assert on_log_one_minus(0.5, 0.1, 0.95) == pytest.approx((0.26004, 0.66214), abs=5e-5)  # 1 - 0.5 exp(+- 1.96 / 5)


@pytest.mark.parametrize("scale", SCALES)
def test_at_the_edge_and_without_an_error_there_is_no_interval(scale: Callable[..., Interval]) -> None:
    inner = 0.5
    cases = [(inner, 0.0), (inner, -1.0), (inner, nan), (inner, inf), (nan, 0.1)]
    cases += [(end, 0.1) for end in SCALES[scale]]
    cases += [(end + step, 0.1) for end, step in zip(SCALES[scale], (-0.1, 0.1), strict=True)]
    for value, error in cases:
        assert all(map(isnan, scale(value, error, 0.95))), (value, error)


@pytest.mark.parametrize("scale", SCALES)
@settings(deadline=None)
@given(value=st.floats(0.001, 0.999), error=st.floats(1e-9, 100), level=st.sampled_from([0.5, 0.95, 0.9999]))
def test_the_interval_holds_the_value_and_keeps_the_range(
    scale: Callable[..., Interval], value: float, error: float, level: float
) -> None:
    low, high = scale(value, error, level)
    assert SCALES[scale][0] <= low <= value + 1e-12
    assert value - 1e-12 <= high <= SCALES[scale][1]


@pytest.mark.parametrize("scale", SCALES)
def test_small_errors_give_the_plain_interval(scale: Callable[..., Interval]) -> None:
    assert scale(0.4, 1e-6, 0.95) == pytest.approx(plain(0.4, 1e-6, 0.95), abs=1e-10)


def test_logit_is_its_own_mirror() -> None:
    low, high = on_logit(0.93, 0.04, 0.95)
    assert on_logit(0.07, 0.04, 0.95) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@pytest.mark.parametrize(
    ("level", "said"),
    [
        (0.0, "the level is 0, but must lie between 0 and 1"),
        (1.0, "the level is 1, but must lie between 0 and 1"),
        (1.5, "the level is 1.5, but must lie between 0 and 1"),
        (95, "the level is 95, but must lie between 0 and 1"),
        (1e-300, "the level is 1e-300, too near 0 for an interval"),
        (np.float64(1 - 1e-15), "the level is 0.999999999999999, too near 1 for an interval"),
    ],
)
def test_a_level_without_quantiles_is_refused(level, said):
    with pytest.raises(UsageError) as problem:
        checked_level(level)
    assert str(problem.value) == f"{said}\n  Fix: for 95% write 0.95"


def test_levels_near_the_ends_have_quantiles():
    for level in (1e-9, 1 - 1e-12):
        checked_level(level)
        assert 0 < critical_z(level) < inf


@pytest.mark.parametrize(
    ("roots", "own", "squares", "ends"),
    [
        # the end beyond the value is that of the delta method, the end towards 0 is drawn there
        ((2.0, 1.0), (0.5, 1.5), (1.2, 4.8), (4 / 9, 1.5)),
        ((1.0, 2.0), (-1.5, -0.5), (-4.8, -1.2), (-1.5, -4 / 9)),
        # standard errors that grow with the difference: the delta method's is the wider end
        ((2.0, 1.0), (0.5, 1.5), (2.4, 3.6), (0.5, 1.0 * 1.2 / 0.7)),
        # a difference that may be 0, and that only the squares bound on the other side
        ((1.0, 0.0), (0.5, 1.5), (-0.49, 4.5), (-0.7, 1.5)),
        ((1.0, 0.0), (0.5, 1.5), (-0.25, 1.5), (-0.5, 1.5)),
        ((0.0, 1.0), (-1.5, -0.5), (-1.5, 0.25), (-1.5, 0.5)),
        # roots that are as good as equal
        ((1.0, 1.0), (-0.5, 0.5), (-3.0, 3.0), (-0.5, 0.5)),
        ((1.0, 1.0 - 0.9e-6), (-0.5, 0.5), (-3.0, 3.0), (-0.5, 0.5)),
    ],
)
def test_a_difference_of_roots_by_hand(roots, own, squares, ends):
    assert difference_of_roots(*roots, own, squares) == pytest.approx(ends)


def test_a_difference_of_roots_is_that_of_fieller_where_one_model_is_exact():
    """The standard error of A - d sqrt(A) is that of A, times 1 - d / (2 sqrt(A))."""
    low, high = difference_of_roots(1.0, 0.0, (0.8, 1.2), (0.6, 1.4))  # a standard error of 0.2, taken twice
    assert (1 - low) / (0.2 * (1 - low / 2)) == pytest.approx(2)
    assert high == 1.2


def test_equal_roots_have_the_same_end_as_their_squares():
    """The interval leaves 0 out exactly where that of the squares does."""
    low, high = difference_of_roots(2.0, 1.0, (0.1, 1.9), (0.0, 6.0))
    assert (low, high) == (0.0, 1.9)
    above, below = (difference_of_roots(2.0, 1.0, (0.1, 1.9), (end, 6.0))[0] for end in (1e-9, -1e-9))
    assert above > 0 > below
