"""Paired totals: sums over any chunks are the sums over all rows, by definition of what a row moves."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from heldout.batch import Batch
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.column_recipe import Recipe
from heldout.tallies.cells import tally_agreement
from heldout.tallies.grid import places
from heldout.tallies.paired_totals import Models, Moves, Telling, TellingUnits

ROWS = 400
CLASSES = 3


def zero_targets(batch):
    return (batch.truth == 0).astype(float)


def said(seed: int):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, CLASSES, ROWS)
    return truth, [np.where(rng.random(ROWS) < 0.6, truth, rng.integers(0, CLASSES, ROWS)) for _ in range(3)]


def models(judge: int | None = None, **more) -> Models:
    """Three models whose label metrics have slopes drawn at random."""
    rng = np.random.default_rng(1)
    recipes = tuple(
        Recipe(task="multiclass", truth="y", prediction=f"m{at}", labels=tuple(range(CLASSES)), **more, **_known(at))
        for at in range(3)
    )
    moves = tuple(
        Moves(says=True, classes=CLASSES, cells=rng.normal(size=(2, CLASSES**2)), scale=2.0) for _ in range(3)
    )
    return Models(names=("a", "b", "c"), recipes=recipes, moves=moves, tables=(0, 0, 0), judge=judge)


def _known(at: int):
    from heldout.inputs.chunked.label_codes import known_values

    truth, outputs = said(4)
    return {
        "truths": known_values("y", pa.array(truth), None, truth),
        "predictions": known_values(f"m{at}", pa.array(outputs[at]), None, outputs[at]),
    }


def rows(weights: np.ndarray | None = None):
    truth, outputs = said(4)
    table = {"y": truth, **{f"m{at}": output for at, output in enumerate(outputs)}, "unit": np.arange(ROWS) % 37}
    return pa.table(table if weights is None else {**table, "w": weights})


def cut(table, *cuts):
    """The table as chunks."""
    edges = [0, *cuts, table.num_rows]
    parts = [(first, table.slice(first, last - first)) for first, last in pairwise(edges)]
    return [Chunk(batch=part.combine_chunks().to_batches()[0], place="t", first=first) for first, part in parts]


def by_hand(given: Models, weights: np.ndarray):
    """How far each row moves the metrics of every model."""
    truth, outputs = said(4)
    return [
        (moves.cells if moves.left_out is None else moves.left_out)[:, truth * CLASSES + output] * weights / moves.scale
        for moves, output in zip(given.moves, outputs, strict=True)
    ]


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_are_those_of_rows(weighted):
    weights = np.random.default_rng(2).random(ROWS) if weighted else np.full(ROWS, 2.0)
    given = models(judge=1, **({"weight": "w"} if weighted else {}))
    found = Telling(models=given)(cut(rows(weights if weighted else None), 1, 90, 300))
    moved = by_hand(given, weights)
    for other in (1, 2):
        apart = moved[other] - moved[0]
        assert found.powers[0][other - 1].sum(axis=1) == pytest.approx(apart.sum(axis=1))
        assert found.powers[1][other - 1].sum(axis=1) == pytest.approx((apart**2).sum(axis=1))
        assert np.all(found.largest[other - 1] >= np.abs(apart).max(axis=1) - 1e-12)
    judged = np.stack([one[1] for one in moved])
    assert found.joint == pytest.approx(judged.sum(axis=1))
    assert found.products == pytest.approx(judged @ judged.T)
    assert found.sizes.tolist() == [0, ROWS]


def test_many_classes_are_counted_by_those_that_occur(monkeypatch):
    whole = Telling(models=models())(cut(rows()))
    monkeypatch.setattr("heldout.tallies.paired_totals.COUNTED", 1)
    few = Telling(models=models())(cut(rows()))
    assert few.powers[1] == pytest.approx(whole.powers[1], rel=1e-12)
    assert few.powers == pytest.approx(whole.powers, rel=1e-9, abs=1e-12)


def test_totals_of_two_halves_add_up():
    given = Telling(models=models(judge=0))
    chunks = cut(rows(), 17, 200)
    whole, halves = given(chunks), given(chunks[:1]) + given(chunks[1:])
    for name in ("powers", "joint", "products"):
        assert getattr(halves, name) == pytest.approx(getattr(whole, name), rel=1e-12, abs=1e-12), name
    assert np.array_equal(halves.sizes, whole.sizes)
    assert np.array_equal(halves.largest, whole.largest)
    for one, same in zip(halves.agreements, whole.agreements, strict=True):
        assert np.array_equal(one.table, same.table)
    assert given([]).sizes.sum() == 0


def test_agreements_are_counts():
    truth, outputs = said(4)
    found = Telling(models=models())(cut(rows(), 5)).agreements[0]
    right = [output == truth for output in outputs]
    assert found.table.sum(axis=0).tolist() == [
        int(np.sum(right[1] & right[0])),
        int(np.sum(right[1] & ~right[0])),
        int(np.sum(~right[1] & right[0])),
        int(np.sum(~right[1] & ~right[0])),
    ]
    assert found.differ
    assert found.side(0, is_positive=True).sum() == np.sum(truth == 0)
    assert found.side(0, is_positive=False).sum() == np.sum(truth != 0)


def test_units_get_what_their_rows_move():
    given = models(judge=0, group="unit")
    table = TellingUnits(models=given)(cut(rows(), 100, 250)).sort_by("unit")
    moved = by_hand(given, np.full(ROWS, 2.0))
    unit = np.arange(ROWS) % 37
    apart = np.bincount(unit, moved[2][1] - moved[0][1])
    assert table.column("unit").to_pylist() == list(range(37))
    assert table.column("d2 1").to_numpy() == pytest.approx(apart)
    assert table.column("j1").to_numpy() == pytest.approx(np.bincount(unit, moved[1][0]))
    _, outputs = said(4)
    assert table.column("x1").to_numpy().sum() == np.sum(outputs[0] != outputs[1])


def test_a_model_without_labels_has_no_agreement():
    truth = np.array([0, 1])
    first = Batch(task="binary", truth=truth, prediction=truth, labels=(0, 1))
    assert not tally_agreement(first, first).differ


def test_moves_of_scores_and_sums():
    score = np.array([0.1, 0.7, 0.7, 0.3])
    truth = np.array([0, 1, 0, 1])
    batch = Batch(task="binary", truth=truth, score=score, labels=(0, 1), positive=1)
    filled = np.unique(places(score))
    moves = Moves(
        filled=filled,
        ranks=np.array([[1.0, 2.0, 3.0, 10.0, 20.0, 30.0]]),
        columns={"zeros": zero_targets},
        sums=np.array([[5.0, 0.5], [0.0, 1.0]]),
    )
    assert moves.metrics == 3
    assert moves.of_the_rest(batch, moves.standing()).tolist() == [
        [1.0, 30.0, 3.0, 20.0],
        [5.5, 0.5, 5.5, 0.5],
        [1.0, 1.0, 1.0, 1.0],
    ]
