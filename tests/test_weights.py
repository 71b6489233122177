from __future__ import annotations

import numpy as np
import pytest

from heldout.weights import bootstrap, bootstrap_units, cluster_order, content_order, two_of_each


def test_a_line_without_units_is_never_drawn_although_there_are_as_many_units_as_lines():
    (block,) = bootstrap(np.array([2, 0, 1]), 400, [3])
    drawn = block()
    assert drawn[:, 1].sum() == 0
    assert (drawn.sum(axis=1) == 3).all()
    assert abs(drawn[:, 0].mean() - 2) < 0.15


def test_units_that_are_lines_of_their_own_are_drawn_alike():
    (block,) = bootstrap(np.ones(4, dtype=int), 2000, [3])
    assert np.abs(block().mean(axis=0) - 1).max() < 0.1


@pytest.mark.parametrize(("units", "draws"), [(1, 3), (301, 4000), (70_001, 15)])
def test_ready_draws_have_as_many_units_as_there_are(units, draws):
    blocks = [made() for made in bootstrap_units(units, draws, [5, 2])]
    found = np.concatenate(blocks)
    assert found.shape == (draws, units)
    assert found.dtype == np.float32
    assert (found.sum(axis=1) == units).all()
    assert (found == np.rint(found)).all()
    if units > 1:
        assert len(blocks) > 1
        assert not np.array_equal(blocks[0][0], blocks[1][0])
        assert found.var() == pytest.approx(1 - 1 / units, rel=0.02)  # counts of a multinomial
        assert np.abs(found.mean(axis=0) - 1).max() < 6 / np.sqrt(draws)


def test_ready_draws_are_drawn_as_all_others():
    (ready,), (plain,) = bootstrap_units(3, 20_000, [1]), bootstrap(np.ones(3), 20_000, [2])
    kinds, counts = np.unique(np.concatenate([ready(), plain()]), axis=0, return_inverse=True)
    shares = [np.bincount(part, minlength=len(kinds)) / 20_000 for part in np.split(counts.ravel(), 2)]
    assert len(kinds) == 10
    assert np.abs(shares[0] - shares[1]).max() < 4.5 * np.sqrt(2 * 0.25 / 20_000)


@pytest.mark.parametrize("units", [1, 7, 300])
def test_two_units_of_a_number_are_any_two(units):
    """Every number below units² once: every pair of units once."""

    class Everything:
        def integers(self, low, high, size, dtype):
            assert (low, high, size) == (0, units**2, units**2)
            return np.arange(low, high, dtype=dtype)

    first, second = np.split(two_of_each(Everything(), units, 2 * units**2), 2)
    assert len(np.unique(first * units + second)) == units**2
    assert max(first.max(), second.max()) == units - 1


@pytest.mark.parametrize("units", [65_535, 65_536, 2**31 - 1])
def test_many_units_can_all_be_drawn(units):
    drawn = two_of_each(np.random.default_rng(0), units, 40_001)
    assert len(drawn) == 40_001
    assert drawn.min() >= 0
    assert drawn.max() < units
    assert drawn.mean() == pytest.approx(units / 2, rel=0.02)
    assert drawn.max() > 0.999 * units


def test_the_order_by_content_hangs_on_content_alone():
    rng = np.random.default_rng(6)
    losses, weight = rng.integers(0, 5, 200) / 3, rng.integers(1, 4, 200) / 7
    table = np.column_stack([losses, weight])
    for scale in (1.0, 0.137):
        moved = rng.permutation(200)
        order = content_order(losses[moved], scale * weight[moved])
        assert np.array_equal(table[moved][order], table[content_order(losses, weight)])


def test_clusters_with_the_same_rows_stand_together():
    rng = np.random.default_rng(7)
    codes, unit = rng.integers(0, 3, 300), rng.integers(0, 60, 300)
    moved, names = rng.permutation(300), rng.permutation(60)

    def contents(codes, unit):
        return [sorted(codes[unit == one].tolist()) for one in cluster_order(codes, None, unit, 60)]

    assert contents(codes, unit) == contents(codes[moved], names[unit[moved]])
