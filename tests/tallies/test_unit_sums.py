"""Units whose rows lie in several parts: what they add, and what label metrics and scores make of it."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pytest

from heldout.engines.units import by_unit, unit_moments
from heldout.estimates.interval_choice import estimate
from heldout.formulas import METRICS
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.column_recipe import Recipe
from heldout.rows import probabilities
from heldout.tallies.cells import Cells, tally_cells
from heldout.tallies.grid_counts import filled_by
from heldout.tallies.grouped_cells import GroupedCells, grouped_cells
from heldout.tallies.score_histogram import Binned
from heldout.tallies.scores import tally_scores
from heldout.tallies.totals import Wanted
from heldout.tallies.unit_sums import Steps, UnitAdding, UnitMoving

ROWS = 500
LOSSES = {"brier_losses": probabilities.brier_losses}


def table(classes=2, seed=0):
    rng = np.random.default_rng(seed)
    unit = rng.integers(0, 25, ROWS)
    lean = rng.normal(size=25)[unit]
    truth = rng.integers(0, classes, ROWS)
    prediction = np.where(rng.random(ROWS) < 1 / (1 + np.exp(-1 - lean)), truth, rng.integers(0, classes, ROWS))
    score = np.round(1 / (1 + np.exp(-lean - truth + rng.normal(size=ROWS))), 2)
    weight = rng.choice([0.5, 1.0, 2.0], ROWS)
    return pa.table({"y": truth, "said": prediction, "p": score, "w": weight, "who": [f"u{one}" for one in unit]})


def recipe(classes=2, weighted=False, scored=False):
    known = tuple((float(k), k) for k in range(classes))
    return Recipe(
        task="binary" if classes == 2 else "multiclass", truth="y", labels=tuple(range(classes)),
        prediction=None if scored else "said", score="p" if scored else None, threshold=0.5 if scored else None,
        probabilities=scored, positive=1 if classes == 2 else None, group="who", weight="w" if weighted else None,
        truths=known, predictions=known,
    )  # fmt: skip


def chunks(rows, first, last):
    middle = (first + last) // 2
    for start, stop in ((first, middle), (middle, last)):
        yield Chunk(batch=rows.slice(start, stop - start).to_batches()[0], place="a.parquet", first=start)


def brought_together(work, rows):
    """What an engine does: the work on each part, lines of a unit added up, moments over units."""
    parts = [work(chunks(rows, first, last)) for first, last in ((0, 200), (200, ROWS))]
    assert all(len(set(part.column("unit").to_pylist())) == len(part) for part in parts)
    return unit_moments(by_unit(pa.concat_tables(parts)))


def in_memory(rows, weighted):
    unit = np.unique(rows.column("who").to_pylist(), return_inverse=True)[1]
    return unit, rows.column("w").to_numpy() if weighted else None


def both(classes, weighted):
    """The tally of the rows in memory, and that of units brought together."""
    rows = table(classes)
    unit, weight = in_memory(rows, weighted)
    truth, said = rows.column("y").to_numpy(), rows.column("said").to_numpy()
    moments = brought_together(UnitAdding(recipe=recipe(classes, weighted), wanted=Wanted(cells=True)), rows)
    counts, squares = np.zeros((classes, classes)), np.zeros((classes, classes))
    heavy = np.ones(ROWS) if weight is None else weight
    np.add.at(counts, (truth, said), heavy)
    np.add.at(squares, (truth, said), heavy**2)
    return (
        tally_cells(truth, said, classes, weight, unit),
        grouped_cells(counts, squares if weighted else None, ROWS, moments),
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 4])
def test_units_of_several_parts_vary_as_units_in_memory(classes, weighted):
    exact, found = both(classes, weighted)
    rng = np.random.default_rng(1)
    same(found, exact, {name: rng.normal(size=classes) for name in ("tp", "fp", "fn", "tn")})
    slope = {name: rng.normal(size=2) for name in ("tp", "fp", "fn", "tn")}
    same(found.against_rest(1), exact.against_rest(1), slope)
    same(found.against_rest(1).smoothed(), exact.against_rest(1).smoothed(), slope)


def same(found: GroupedCells, exact: Cells, slope) -> None:
    assert found.variance(slope) == pytest.approx(exact.variance(slope))
    assert (found.units, found.weighted, found.clustered) == (exact.units, exact.weighted, True)
    np.testing.assert_allclose(found.counts, exact.counts)
    for power in ("sums", "squares"):
        for name, total in getattr(exact, power).items():
            np.testing.assert_allclose(getattr(found, power)[name], total, atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["accuracy", "precision", "f1", "f2", "mcc", "kappa", "youden_j", "lr_positive"])
def test_estimates_are_those_of_units_in_memory(name, weighted):
    exact, found = both(2, weighted)
    metric = METRICS[name]
    one, two = (estimate(metric, tally, label=1 if metric.one_class else None) for tally in (found, exact))
    assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high), rel=1e-9)
    assert (one.method, one.units, one.notes) == (two.method, two.units, two.notes)


def test_one_unit_has_no_variance():
    exact, found = both(2, False)
    alone = GroupedCells(cells=found.cells, moments=unit_moments(pa.table({"unit": ["a"], "rows": [1.0]})))
    assert exact.units == 25
    assert np.isnan(alone.variance({"tp": np.ones(2)}))


def test_columns_of_units_are_sums_of_their_rows():
    rows = table()
    found = brought_together(UnitAdding(recipe=recipe(scored=True, weighted=True), wanted=Wanted(columns=LOSSES)), rows)
    unit, weight = in_memory(rows, True)
    losses = weight * (rows.column("y").to_numpy() - rows.column("p").to_numpy()) ** 2
    added = np.bincount(unit, weights=losses)
    at = found.names.index("brier_losses")
    assert (found.units, found.clustered) == (25, True)
    assert found.total[at] == pytest.approx(losses.sum())
    assert found.products[at, at] == pytest.approx(added @ added)
    assert found.total[found.names.index("rows")] == pytest.approx(weight.sum())


@pytest.mark.parametrize("weighted", [False, True])
def test_units_move_metrics_of_scores_as_in_memory(weighted):
    rows = table()
    unit, weight = in_memory(rows, weighted)
    score, hits = rows.column("p").to_numpy(), rows.column("y").to_numpy() == 1
    exact = tally_scores(score, hits, weight, unit)
    binned = Binned(filled=filled_by(score, hits, 2, weight))
    names = ("roc_auc", "average_precision", "ks")
    slopes = {name: METRICS[name].slopes(binned.sums["positives"], binned.sums["negatives"]) for name in names}
    steps = Steps(place=binned.filled.place, slopes=slopes)
    work = UnitMoving(recipe=recipe(scored=True, weighted=weighted), steps=(steps,))
    found = brought_together(pickle.loads(pickle.dumps(work)), rows)
    for name in names:
        variance = found.variance({steps.column(name): np.ones(())})
        assert variance == pytest.approx(exact.variance(METRICS[name].slopes(exact.positives, exact.negatives)))
