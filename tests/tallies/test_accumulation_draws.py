"""Weights by hash: Poisson, unlike from draw to draw, from seed to seed and unit to unit, the same in all parts."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pyarrow as pa
import pytest

from heldout.estimates.interval_choice import estimate
from heldout.formulas import METRICS
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.column_recipe import Recipe
from heldout.inputs.chunked.unit_hashes import row_hashes, unit_hashes
from heldout.rows import probabilities
from heldout.tallies.totals import Adding, Wanted
from heldout.weights import OF_65536, mixed, poisson

UNITS = unit_hashes(pa.array([f"patient {number}" for number in range(20_000)]))
LOSSES = {"brier_losses": probabilities.brier_losses}


def test_weights_have_mean_and_variance_one():
    counts = np.array(OF_65536)
    size = np.arange(len(counts))
    assert (counts.sum(), counts @ size, counts @ size**2) == (65536, 65536, 2 * 65536)
    expected = np.exp(-1) / np.cumprod([1, *size[1:]])
    assert np.max(np.abs(counts / 65536 - expected)) < 1.5 / 65536
    drawn = poisson(5, 40, UNITS).astype(float)
    error = 1 / np.sqrt(drawn.size)
    assert abs(drawn.mean() - 1) < 4 * error
    assert abs(drawn.var() - 1) < 4 * np.sqrt(3) * error
    assert np.max(np.abs(drawn.mean(axis=1) - 1)) < 5 / np.sqrt(len(UNITS))


def test_draws_and_seeds_are_not_correlated():
    """No draw of one seed looks like any draw of another, not even shifted."""
    lines = np.vstack([poisson(seed, 30, UNITS) for seed in (0, 1, 2, 1_000_000)])
    between = np.corrcoef(lines) - np.eye(len(lines))
    assert np.max(np.abs(between)) < 5 / np.sqrt(len(UNITS))


def test_units_are_not_correlated():
    lines = poisson(9, 20_000, np.concatenate([UNITS[:20], np.arange(20, dtype=np.uint64)]))
    between = np.corrcoef(lines.T) - np.eye(40)
    assert np.max(np.abs(between)) < 5 / np.sqrt(20_000)


def test_weights_depend_on_seed_draw_and_unit_only():
    whole = poisson(3, 50, UNITS[:100])
    assert whole.dtype == np.uint8
    assert np.array_equal(poisson(3, 50, UNITS[40:60]), whole[:, 40:60])
    assert np.array_equal(poisson(3, 7, UNITS[:100], first=8), whole[8:15])
    assert np.array_equal(poisson(3, 3, UNITS[:100]), whole[:3])


def test_mixing_is_one_to_one_and_changes_half_of_the_bits():
    words = np.arange(10_000, dtype=np.uint64)
    assert len(np.unique(mixed(words))) == 10_000
    turned = np.bitwise_count(mixed(words) ^ mixed(words ^ np.uint64(1 << 40)))
    assert turned.mean() == pytest.approx(32, abs=0.2)


def test_names_have_one_hash_whatever_their_width_and_company():
    names = ["", "a", "b", "ab", "ba", "patient 1", "ä", "a" * 3000]
    whole = unit_hashes(pa.array(names))
    assert len(np.unique(whole)) == len(names)
    assert whole.tolist() == unit_hashes(pa.array(names, pa.large_string())).tolist()
    assert whole.tolist() == unit_hashes(pa.array(["x", *names, "y"]).slice(1, len(names))).tolist()
    assert whole.tolist() == unit_hashes(pa.array(names).dictionary_encode()).tolist()
    assert [int(unit_hashes(pa.array([name]))[0]) for name in names] == whole.tolist()
    assert len(np.unique(UNITS)) == len(UNITS)


def test_numbers_have_one_hash_whatever_their_width():
    assert unit_hashes(pa.array([1, 2], pa.int8())).tolist() == unit_hashes(pa.array([1, 2], pa.int64())).tolist()
    assert unit_hashes(pa.array([0.5, -0.0])).tolist() == unit_hashes(pa.array([0.5, 0.0], pa.float32())).tolist()
    assert len(np.unique(unit_hashes(pa.array([1, -1, 2**40])))) == 3


def test_rows_of_two_files_are_different_units():
    rows = np.arange(1000)
    one, two = row_hashes("a.parquet", rows), row_hashes("b.parquet", rows)
    assert len(np.unique(np.concatenate([one, two]))) == 2000
    assert row_hashes("a.parquet", rows[500:]).tolist() == one[500:].tolist()


def table(rows=900, seed=0):
    rng = np.random.default_rng(seed)
    score = np.round(rng.random(rows), 3)
    weight = rng.choice([0.5, 1.0, 2.0], rows)
    names = {"id": [f"row {number}" for number in range(rows)], "who": rng.integers(0, 60, rows)}
    return pa.table({"y": (rng.random(rows) < score).astype(np.int64), "p": score, "w": weight, **names})


def totals(shuffled, sizes, draws, **more):
    recipe = Recipe(
        task="binary", truth="y", score="p", labels=(0, 1), positive=1, threshold=0.5, probabilities=True,
        truths=((0, 0), (1, 1)), **more,
    )  # fmt: skip
    work = Adding(recipe=recipe, wanted=Wanted(cells=True, columns=LOSSES, draws=draws, seed=4))
    starts = np.cumsum([0, *sizes])
    return reduce(
        add,
        [
            work([Chunk(batch=shuffled.slice(first, size).to_batches()[0], place=f"{first}.parquet", first=0)])
            for first, size in zip(starts, sizes, strict=False)
        ],
    )


@pytest.mark.parametrize("unit", ["id", "group"])
def test_draws_are_the_same_however_rows_are_spread_over_files(unit):
    rows = table()
    columns = {"id": "id"} if unit == "id" else {"group": "who"}
    whole = totals(rows, [900], 10, weight="w", **columns)
    order = np.random.default_rng(1).permutation(900)
    spread = totals(rows.take(pa.array(order)).combine_chunks(), [100, 500, 300], 10, weight="w", **columns)
    np.testing.assert_allclose(spread.drawn["brier_losses"], whole.drawn["brier_losses"], rtol=1e-12)
    assert (whole.drawn_cells is None) == (unit == "id")
    if unit == "group":
        np.testing.assert_allclose(spread.drawn_cells, whole.drawn_cells, rtol=1e-12)
    tallies = [one.row_sums() for one in (whole, spread)]
    ends = [estimate(METRICS["brier"], tally, method="percentile", draws=10) for tally in tallies]
    assert (ends[0].low, ends[0].high) == pytest.approx((ends[1].low, ends[1].high), rel=1e-12)


def test_draws_are_sums_of_rows_by_the_weight_of_their_unit():
    rows = table(300)
    found = totals(rows, [120, 180], 5, weight="w", group="who")
    times = poisson(4, 5, unit_hashes(rows.column("who").combine_chunks())) * rows.column("w").to_numpy()
    truth, score = rows.column("y").to_numpy(), rows.column("p").to_numpy()
    np.testing.assert_allclose(found.drawn["rows"], times.sum(axis=1))
    np.testing.assert_allclose(found.drawn["brier_losses"], times @ (truth - score) ** 2)
    np.testing.assert_allclose(found.drawn_cells[:, 1, 0], times @ ((truth == 1) & (score < 0.5)))


def test_draws_spread_as_the_bootstrap_does():
    rows = table(2000)
    found = totals(rows, [2000], 400, id="id")
    values = found.drawn["brier_losses"] / found.drawn["rows"]
    losses = (rows.column("y").to_numpy() - rows.column("p").to_numpy()) ** 2
    assert values.std() == pytest.approx(losses.std() / np.sqrt(2000), rel=0.15)
    assert values.mean() == pytest.approx(losses.mean(), abs=4 * values.std() / 20)


def test_without_names_units_are_rows_of_files():
    rows = table(50)
    found = totals(rows, [30, 20], 8)
    assert not found.named
    assert found.row_sums().draws is None
    assert totals(rows, [30, 20], 8, id="id").named
