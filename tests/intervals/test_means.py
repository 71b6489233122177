from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import isnan, sqrt

import numpy as np
import pytest

from heldout.intervals import means
from heldout.intervals.means import bootstrap_t, student
from heldout.intervals.resampling import percentile
from heldout.weights import content_order

Array = np.ndarray


def test_student_on_the_corrected_t_vector() -> None:
    differences = np.array([0.02, 0.01, -0.01, 0.03, 0.02, 0.0, 0.04, 0.01, 0.02, 0.03])
    error = sqrt(differences.var(ddof=1) * (1 / 10 + 1 / 9))
    assert student(differences.mean(), error, 9, 0.95) == pytest.approx((0.001467, 0.032533), abs=5e-7)


def test_student_without_spread_or_degrees_of_freedom() -> None:
    for error, df in ((0.0, 9), (float("nan"), 9), (float("inf"), 9), (0.1, 0)):
        assert all(map(isnan, student(1.0, error, df, 0.95)))


def by_definition(numerators: Array, denominators: Array, weights: Array, level: float) -> tuple[tuple, int]:
    """Bootstrap-t with a loop over draws, as the textbook has it."""

    def value_and_error(weight: Array) -> tuple[float, float]:
        n = len(weight)
        total = (weight * denominators).sum()
        value = (weight * numerators).sum() / total
        return value, sqrt(n / (n - 1) * (weight * (numerators - value * denominators) ** 2).sum()) / total

    value, error = value_and_error(np.ones(len(numerators)))
    drawn = [value_and_error(weight) for weight in weights]
    kept = [(v - value) / e for v, e in drawn if e > 1e-9 * error]
    low, high = percentile(np.array(kept), level)
    return (value - high * error, value - low * error), len(drawn) - len(kept)


@pytest.mark.parametrize("units", [3, 5, 12])
@pytest.mark.parametrize("ratio", [False, True])
def test_bootstrap_t_by_definition(units: int, ratio: bool) -> None:
    rng = np.random.default_rng(units)
    numerators = 1e6 + rng.exponential(size=units)
    denominators = rng.uniform(1, 3, units) if ratio else np.ones(units)
    (low, high), dropped = bootstrap_t(numerators, denominators, 0.9, draws=500, rng=np.random.default_rng(1))
    weights = np.random.default_rng(1).multinomial(units, np.full(units, 1 / units), size=500)
    order = content_order(numerators - numerators.sum() / denominators.sum() * denominators, denominators)
    numerators, denominators = numerators[order], denominators[order]
    expected, missing = by_definition(numerators, denominators, weights, 0.9)
    assert (low, high) == pytest.approx(expected, rel=1e-9)
    assert dropped == missing


def test_draws_without_an_error_are_dropped_and_counted() -> None:
    values = np.array([0.1, 0.2, 0.7])
    _, dropped = bootstrap_t(values, np.ones(3), 0.95, draws=2000, rng=np.random.default_rng(1))
    same = sum(len(set(draw)) == 1 for draw in product(range(3), repeat=3)) / 27
    assert abs(dropped / 2000 - same) < 0.03


@pytest.mark.parametrize("values", [[], [0.5], [0.5, 0.5], [0.1] * 30, [1e6 + 0.1] * 7])
def test_too_few_units_or_no_spread(values: list[float]) -> None:
    interval, dropped = bootstrap_t(
        np.array(values), np.ones(len(values)), 0.95, draws=99, rng=np.random.default_rng(1)
    )
    assert all(map(isnan, interval))
    assert dropped == 99


def test_a_ratio_over_nothing() -> None:
    interval, dropped = bootstrap_t(np.arange(5.0), np.zeros(5), 0.95, draws=99, rng=np.random.default_rng(1))
    assert all(map(isnan, interval))
    assert dropped == 99


def test_two_units_have_one_draw_that_says_anything() -> None:
    interval, dropped = bootstrap_t(np.array([0.1, 0.7]), np.ones(2), 0.95, draws=999, rng=np.random.default_rng(1))
    assert all(map(isnan, interval))
    assert 400 < dropped < 600


def test_moving_and_scaling_the_values_moves_and_scales_the_interval() -> None:
    values = np.random.default_rng(3).exponential(size=15)
    (low, high), _ = bootstrap_t(values, np.ones(15), 0.95, draws=500, rng=np.random.default_rng(1))
    moved, _ = bootstrap_t(100 + 7 * values, np.ones(15), 0.95, draws=500, rng=np.random.default_rng(1))
    assert moved == pytest.approx((100 + 7 * low, 100 + 7 * high), rel=1e-9)


def test_chunks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(3).exponential(size=15)
    whole = bootstrap_t(values, np.ones(15), 0.95, draws=500, rng=np.random.default_rng(1))
    monkeypatch.setattr(means, "WEIGHTS_AT_ONCE", 15 * 64)
    parts = bootstrap_t(values, np.ones(15), 0.95, draws=500, rng=np.random.default_rng(1))
    assert parts[0] == pytest.approx(whole[0], rel=1e-12)
    assert parts[1] == whole[1]


def squared_normal(rng: np.random.Generator) -> Array:
    return rng.normal(size=20) ** 2


def brier(rng: np.random.Generator) -> Array:
    chance = rng.beta(2, 2, size=20)
    return (chance - (rng.random(20) < chance)) ** 2


@pytest.mark.simulation
@pytest.mark.parametrize(("world", "true"), [(squared_normal, 1.0), (brier, 0.2)])
def test_coverage_at_twenty_rows(world: Callable[[np.random.Generator], Array], true: float) -> None:
    rng = np.random.default_rng(20)
    held = plain = 0
    for _ in range(300):
        losses = world(rng)
        (low, high), _ = bootstrap_t(losses, np.ones(20), 0.95, draws=299, rng=rng)
        held += low <= true <= high
        low, high = student(losses.mean(), losses.std(ddof=1) / sqrt(20), 19, 0.95)
        plain += low <= true <= high
    assert 0.915 < held / 300 < 0.985  # Monte-Carlo error 0.0126
    assert held > plain - 3


def test_draws_of_few_units_are_kept_and_stay_the_same():
    values = np.random.default_rng(3).exponential(size=40)
    first = bootstrap_t(values, np.ones(40), 0.95, draws=500, rng=np.random.default_rng(1))
    assert first == bootstrap_t(values, np.ones(40), 0.95, draws=500, rng=np.random.default_rng(1))
    assert first != bootstrap_t(values, np.ones(40), 0.95, draws=500, rng=np.random.default_rng(2))
    ours, plain = np.random.default_rng(1), np.random.default_rng(1)
    for _ in range(2):  # the generator goes on as if nothing had been kept
        kept = means._counts(40, 500, ours)
        assert np.array_equal(kept, plain.multinomial(40, np.full(40, 1 / 40), size=500))
