"""Totals over any parts in any order are the totals over all rows, and answer what the rows in memory answer."""

from __future__ import annotations

import pickle
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from heldout.batch import Batch
from heldout.estimates.interval_choice import estimate
from heldout.formulas import METRICS
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.column_recipe import Recipe
from heldout.rows import probabilities
from heldout.tallies import from_batch as batches, moments
from heldout.tallies.moments import Moments
from heldout.tallies.totals import Adding, Totals, Wanted
from heldout.tallies.units import Units
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

LOSSES = {"log_losses": probabilities.log_losses, "brier_losses": probabilities.brier_losses}
ROWS = 400


def binary(seed=0, rows=ROWS, weighted=False):
    rng = np.random.default_rng(seed)
    score = np.round(rng.beta(1, 2, rows), 3)
    columns = {"y": (rng.random(rows) < score).astype(np.int64), "p": score, "id": np.arange(rows)}
    if weighted:
        columns["w"] = rng.choice([0.0, 0.5, 1.0, 4.0], rows)
    return columns


def recipe_of(columns, **more):
    return Recipe(
        task="binary", truth="y", score="p", labels=(0, 1), positive=1, threshold=0.5, probabilities=True,
        truths=((0, 0), (1, 1)), weight="w" if "w" in columns else None, **more,
    )  # fmt: skip


def pieces_of(columns, cuts=(), place="preds.parquet"):
    ends = [0, *sorted(cuts), len(next(iter(columns.values())))]
    table = pa.table(columns).combine_chunks()
    return [
        Chunk(batch=table.slice(first, last - first).to_batches()[0], place=place, first=first)
        for first, last in pairwise(ends)
        if last > first
    ]


def weighing(columns):
    """The rows that weigh something: others are left out where rows are read."""
    return {name: column[columns["w"] > 0] for name, column in columns.items()} if "w" in columns else columns


def batch_of(columns):
    columns = weighing(columns)
    return Batch(
        task="binary", truth=columns["y"], prediction=(columns["p"] >= 0.5).astype(np.int64), score=columns["p"],
        labels=(0, 1), positive=1, probabilities=True, weight=columns.get("w"),
    )  # fmt: skip


EVERYTHING = Wanted(cells=True, bins=True, columns=LOSSES, binned=("brier_losses",), draws=6, seed=3)


def totals_of(columns, cuts=(), order=None, wanted=EVERYTHING, **more):
    work = Adding(recipe=recipe_of(columns, **more), wanted=wanted)
    found = [work([chunk]) for chunk in pieces_of(columns, cuts)]
    return reduce(add, [found[at] for at in (order or range(len(found)))])


@given(st.lists(st.integers(0, ROWS), max_size=6), st.randoms(use_true_random=False), st.booleans(), st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_totals_do_not_depend_on_the_parts(cuts, random, weighted, seed):
    columns = binary(seed, weighted=weighted)
    work = Adding(recipe=recipe_of(columns), wanted=EVERYTHING)
    whole = work(pieces_of(columns))
    parts = [work([chunk]) for chunk in pieces_of(columns, cuts)]
    random.shuffle(parts)
    found = reduce(add, parts)
    same(found, whole, exact=not weighted)


def same(found: Totals, whole: Totals, *, exact: bool) -> None:
    alike = np.testing.assert_array_equal if exact else np.testing.assert_allclose
    assert found.rows == whole.rows
    alike(found.cells, whole.cells)
    for one, two in zip((*found.bins, *found.binned.values()), (*whole.bins, *whole.binned.values()), strict=True):
        np.testing.assert_array_equal(one.place, two.place)
        np.testing.assert_array_equal(one.rows, two.rows)
        alike(one.mass, two.mass)
        assert (one.least, one.largest) == (two.least, two.largest)
    np.testing.assert_allclose(found.moments.total, whole.moments.total, rtol=1e-12)
    np.testing.assert_allclose(found.moments.products, whole.moments.products, rtol=1e-12)
    for name, drawn in whole.drawn.items():
        np.testing.assert_allclose(found.drawn[name], drawn, rtol=1e-12)
    kept, all_kept = found.moments.unit_by_unit(), whole.moments.unit_by_unit()
    for name, column in all_kept.added.items():
        np.testing.assert_array_equal(kept.added[name], column)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["accuracy", "f1", "mcc", "roc_auc", "average_precision", "ks", "log_loss", "brier"])
def test_estimates_are_those_of_the_rows(name, weighted):
    """Scores of three decimals have places of their own: nothing is lost."""
    columns = binary(1, rows=6000, weighted=weighted)
    found = totals_of(columns, [100, 2500], wanted=Wanted(cells=True, bins=True, columns=LOSSES)).evened()
    metric = METRICS[name]
    tally = {"labels": found.label_cells, "scores": found.ranking, "losses": found.row_sums}[metric.reads]()
    streamed = estimate(metric, tally, label=1 if metric.one_class else None)
    exact = Measurement(batch_of(columns), Settings()).one(metric)
    close = {"abs": 0.003} if name == "ks" else {"rel": 1e-9}  # paths of its error are drawn at other thresholds
    assert streamed.value == pytest.approx(exact.value, rel=1e-9)
    assert (streamed.low, streamed.high) == pytest.approx((exact.low, exact.high), **close)
    assert (streamed.method, streamed.units) == (exact.method, exact.units)


def test_many_rows_are_moments(monkeypatch):
    monkeypatch.setattr(moments, "FEW", 100)
    monkeypatch.setattr("heldout.tallies.accumulation.FEW", 100)
    columns = binary(2)
    found = totals_of(columns, [90, 180], wanted=Wanted(columns=LOSSES, binned=("brier_losses",)))
    tally = found.row_sums()
    assert isinstance(tally, Moments)
    exact = batches.row_sums(batch_of(columns), {name: row(batch_of(columns)) for name, row in LOSSES.items()})
    assert tally.sums["log_losses"] == pytest.approx(exact.sums["log_losses"], rel=1e-12)
    assert tally.sample["brier_losses"].sum() == pytest.approx(exact.sums["brier_losses"], rel=1e-3)
    few = totals_of({name: column[:80] for name, column in columns.items()}, [20], wanted=Wanted(columns=LOSSES))
    assert isinstance(few.row_sums(), Units)


def test_totals_travel():
    columns = binary(3, weighted=True)
    found = totals_of(columns, [200])
    same(pickle.loads(pickle.dumps(found)), found, exact=True)
    work = Adding(recipe=recipe_of(columns), wanted=EVERYTHING)
    assert pickle.loads(pickle.dumps(work)) == work


def test_what_is_not_wanted_is_not_there():
    found = totals_of(binary(), wanted=Wanted(cells=True))
    assert (found.bins, found.moments, found.drawn, dict(found.binned)) == (None, None, None, {})
    assert totals_of(binary(), wanted=Wanted(bins=True)).cells is None


def test_weights_of_mean_one():
    columns = binary(4, weighted=True)
    even = totals_of(columns).evened()
    weight = weighing(columns)["w"]
    heavy = weight / weight.mean()
    assert even.weight == pytest.approx(even.rows)
    assert even.cells.sum() == pytest.approx(heavy.sum())
    assert even.cell_squares.sum() == pytest.approx((heavy**2).sum())
    assert even.bins[0].mass.sum() == pytest.approx(heavy.sum())
    assert even.moments.squares["rows"] == pytest.approx((heavy**2).sum())
    plain = totals_of(binary(4))
    assert plain.evened() is plain


@pytest.mark.parametrize("weight", [1.0, 0.1, 7.0])
def test_equal_weights_are_counts(weight):
    columns = binary(4)
    plain, even = totals_of(columns), totals_of(columns | {"w": np.full(len(columns["y"]), weight)}).evened()
    assert not even.weighted
    assert even.cells.dtype == plain.cells.dtype
    assert np.array_equal(even.cells, plain.cells)
    assert even.cell_squares is None
    assert even.bins[0].squares is None
    assert np.array_equal(even.bins[0].mass, plain.bins[0].mass)
    assert not even.moments.weighted
    assert even.moments.squares == pytest.approx(plain.moments.squares, rel=1e-12)


def test_infinite_losses_are_counted_and_the_first_are_named():
    columns = {"y": np.array([1, 0, 1, 1, 0, 1, 1, 1, 1]), "p": np.array([0.0, 1.0, 0.5, 0.0, 0.1, 0.0, 0.0, 0.0, 0.9])}
    found = totals_of(columns, [3, 5], order=[2, 0, 1], wanted=Wanted(columns=LOSSES))
    lost = found.unbounded["log_losses"]
    assert lost.count == 6
    assert lost.first == tuple(("preds.parquet", row) for row in (1, 2, 4, 6, 7))
    assert "brier_losses" not in found.unbounded
    brier = estimate(METRICS["brier"], found.row_sums())
    assert np.isfinite([brier.value, brier.low, brier.high]).all()


def test_rows_are_named_as_in_the_file_where_some_were_dropped():
    columns = {"y": np.array([1, 0, 1]), "p": np.array([np.nan, 0.5, 0.0])}
    found = totals_of(columns, wanted=Wanted(columns=LOSSES), on_nan="drop")
    assert found.unbounded["log_losses"].first == (("preds.parquet", 3),)
    assert (found.rows, found.facts.dropped) == (2, 1)


def test_several_classes_are_ranked_each_against_the_rest():
    rng = np.random.default_rng(5)
    chances = np.round(rng.dirichlet(np.ones(3), 300), 3)
    chances[:, 2] = 1 - chances[:, 0] - chances[:, 1]
    columns = {"y": rng.integers(0, 3, 300)} | {f"p{k}": chances[:, k] for k in range(3)}
    recipe = Recipe(
        task="multiclass", truth="y", class_scores=("p0", "p1", "p2"), labels=(0, 1, 2), probabilities=True,
        truths=((0, 0), (1, 1), (2, 2)),
    )  # fmt: skip
    work = Adding(recipe=recipe, wanted=Wanted(cells=True, bins=True))
    found = reduce(add, [work([chunk]) for chunk in pieces_of(columns, [70, 200])])
    assert found.cells.tolist() == np.histogram2d(columns["y"], chances.argmax(axis=1), bins=3)[0].tolist()
    for label in range(3):
        tally = found.ranking(label)
        low, high = METRICS["roc_auc"].within(tally.positives, tally.negatives)
        exact = batches.tally_scores(chances[:, label], columns["y"] == label)
        assert low - 1e-12 <= float(METRICS["roc_auc"](exact.sums)) <= high + 1e-12


def test_an_infinite_loss_does_not_spoil_the_others(monkeypatch):
    """Nor where only moments are left of the rows."""
    monkeypatch.setattr("heldout.tallies.accumulation.FEW", 2)
    columns = {"y": np.array([1, 0, 1, 1] * 30), "p": np.array([0.0, 0.5, 0.5, 0.9] * 30)}
    tally = totals_of(columns, wanted=Wanted(columns=LOSSES)).row_sums()
    assert isinstance(tally, Moments)
    brier, log = (estimate(METRICS[name], tally) for name in ("brier", "log_loss"))
    losses = (columns["y"] - columns["p"]) ** 2
    assert brier.high - brier.value == pytest.approx(1.98 * losses.std(ddof=1) / np.sqrt(120), rel=1e-3)
    assert log.value == np.inf
