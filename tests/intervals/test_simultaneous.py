from __future__ import annotations

import numpy as np
import pytest

from heldout.intervals import simultaneous
from heldout.intervals.scales import critical_z
from heldout.intervals.simultaneous import bonferroni, sidak, sup_t, sup_t_of


def test_levels_of_each() -> None:
    assert bonferroni(0.95, 10) == pytest.approx(0.995)
    assert sidak(0.95, 10) == pytest.approx(0.95**0.1)
    assert bonferroni(0.95, 1) == sidak(0.95, 1) == pytest.approx(0.95)
    assert bonferroni(0.95, 0) == sidak(0.95, 0) == pytest.approx(0.95)
    assert 0.95 < sidak(0.95, 20) < bonferroni(0.95, 20) < 1


def critical(influence: np.ndarray, level: float = 0.95, draws: int = 4000) -> float:
    return sup_t(influence, level, draws=draws, rng=np.random.default_rng(1))


def test_independent_points_need_sidaks_level() -> None:
    independent = np.linalg.qr(np.random.default_rng(2).normal(size=(60, 11)))[0]
    independent = np.linalg.qr(independent - independent.mean(axis=0))[0]
    for level in (0.8, 0.95):
        assert critical(independent, level) == pytest.approx(critical_z(sidak(level, 11)), abs=0.08)


def test_points_that_move_together_need_the_level_of_one() -> None:
    column = np.random.default_rng(2).normal(size=(50, 1))
    assert critical(column @ np.array([[1.0, 2.0, -0.1, 1e6]])) == pytest.approx(critical_z(0.95), abs=0.07)


def test_a_running_sum_lies_between() -> None:
    steps = np.random.default_rng(3).normal(size=(400, 40))
    assert critical_z(0.95) + 0.3 < critical(np.cumsum(steps, axis=1)) < critical_z(sidak(0.95, 40)) - 0.1


def test_never_below_the_value_for_one_point() -> None:
    column = np.random.default_rng(2).normal(size=(50, 1))
    assert min(sup_t(column, 0.95, draws=19, rng=np.random.default_rng(s)) for s in range(20)) == critical_z(0.95)


@pytest.mark.parametrize(
    "influence", [np.zeros((0, 3)), np.zeros((5, 0)), np.full((5, 3), 0.1), np.full((5, 3), np.nan)]
)
def test_where_nothing_moves_one_point_decides(influence: np.ndarray) -> None:
    assert critical(influence, draws=99) == critical_z(0.95)


def test_points_nobody_moves_change_nothing() -> None:
    moving = np.random.default_rng(4).normal(size=(30, 4))
    still = np.column_stack([moving, np.zeros(30), np.full(30, np.nan)])
    assert critical(still) == critical(moving)


def test_influence_is_centred_and_its_scale_does_not_matter() -> None:
    moving = np.random.default_rng(4).normal(size=(30, 4))
    assert critical(1e-9 * moving + [0.0, 1.0, -1.0, 0.0]) == pytest.approx(critical(moving), rel=1e-6)
    tiny = np.column_stack([moving, 1e-14 * moving[:, 0]])  # a point that moves little moves nevertheless
    assert critical(tiny) == pytest.approx(critical(moving), abs=0.1)
    assert critical(np.column_stack([moving[:, 0], np.full(30, 1e6)])) == critical(moving[:, :1])


def test_as_many_samples_are_drawn_as_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The percentile of 39 samples at 95% is their third largest, of 38 it lies between two."""
    covariance = np.eye(2)
    drawn = np.abs(np.random.default_rng(1).standard_normal((39, 2))).max(axis=1)
    want = np.quantile(drawn, 0.95, method="weibull")
    assert want > critical_z(0.95)
    for numbers in (1000, 20):
        monkeypatch.setattr(simultaneous, "NUMBERS_AT_ONCE", numbers)
        assert sup_t_of(covariance, 0.95, draws=39, rng=np.random.default_rng(1)) == pytest.approx(want)


def test_points_without_variance_are_left_out_of_a_covariance() -> None:
    inner = np.array([[2.0, 0.5], [0.5, 1.0]])
    outer = np.zeros((4, 4))
    outer[np.ix_([0, 2], [0, 2])] = inner
    outer[3, 3] = np.inf
    alone, beside = (sup_t_of(one, 0.95, draws=500, rng=np.random.default_rng(1)) for one in (inner, outer))
    assert alone == beside


def test_chunks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    influence = np.random.default_rng(4).normal(size=(30, 4))
    whole = critical(influence)
    monkeypatch.setattr(simultaneous, "NUMBERS_AT_ONCE", 30 * 64)
    assert critical(influence) == pytest.approx(whole, rel=1e-12)


@pytest.mark.simulation
def test_the_band_holds_the_whole_curve() -> None:
    """Means of ten correlated columns: all inside their band as often as promised."""
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        values = np.cumsum(rng.normal(size=(100, 10)), axis=1)
        errors = values.std(axis=0, ddof=1) / 10
        reach = sup_t(values - values.mean(axis=0), 0.9, draws=300, rng=rng)
        held += bool(np.all(np.abs(values.mean(axis=0)) <= reach * errors))
    assert 0.85 < held / 300 < 0.95  # Monte-Carlo error 0.017


def test_points_that_only_rounding_moves_are_left_out_on_any_scale():
    curve = np.random.default_rng(1).normal(size=(200, 6))
    want = sup_t(curve, 0.95, draws=500, rng=np.random.default_rng(2))
    still = np.full((200, 1), 3.0)
    still[::2] = np.nextafter(3.0, 4.0)
    found = sup_t(np.hstack([curve, still]), 0.95, draws=500, rng=np.random.default_rng(2))
    assert found == want
    assert sup_t(1e-15 * curve, 0.95, draws=500, rng=np.random.default_rng(2)) == pytest.approx(want, rel=1e-9)
