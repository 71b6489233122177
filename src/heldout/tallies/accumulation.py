"""Accumulate chunks into totals, in place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from heldout import weights
from heldout.batch import Array, Batch
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.column_recipe import CodedChunk, Facts, Recipe, code_chunk
from heldout.inputs.chunked.unit_hashes import row_hashes, unit_hashes
from heldout.rows import probabilities
from heldout.tallies.grid_counts import Room, fill, filled, room
from heldout.tallies.moments import FEW, Kept, Moments, row_moments
from heldout.tallies.score_sort import parts
from heldout.tallies.totals import NAMED, RowStatistic, Totals, Unbounded, Wanted

ROWS = 1 << 10
"""Rows whose weights are made at a time; with so many draws at a time they fit into a core's cache."""
DRAWS = 1 << 8


def hashes_of(found: CodedChunk) -> Array:
    """The hash of each row of a chunk: of its group, else of its id, else of the file and the row number."""
    if found.unit is not None:
        return unit_hashes(found.unit)
    rows = np.arange(found.first, found.first + found.batch.rows) if found.rows is None else found.rows
    return row_hashes(found.place, rows)


def add_draws(sums: Array, seed: int, hashes: Array, columns: Array) -> None:
    """Add rows (columns of numbers) as they count in every resample to one line of sums per resample, in place."""
    for first in range(0, len(hashes), ROWS):
        rows = slice(first, first + ROWS)
        for start in range(0, len(sums), DRAWS):
            room = sums[start : start + DRAWS]
            counts = weights.poisson(seed, len(room), hashes[rows], start)
            room += counts.astype(float) @ columns[:, rows].T


def add_drawn_cells(sums: Array, seed: int, hashes: Array, cell: Array, weight: Array | None) -> None:
    """Add rows by cell, as they count in every resample, to one line of cells per resample, in place."""
    for first in range(0, len(hashes), ROWS):
        rows = slice(first, first + ROWS)
        order = np.argsort(cell[rows], kind="stable")
        present, starts = np.unique(cell[rows][order], return_index=True)
        for start in range(0, len(sums), DRAWS):
            room = sums[start : start + DRAWS]
            counts = weights.poisson(seed, len(room), hashes[rows][order], start).astype(float)
            counts *= 1.0 if weight is None else weight[rows][order]
            room[:, present] += np.add.reduceat(counts, starts, axis=1)


SHARED = {name: getattr(probabilities, name) for name in ("log_losses", "brier_losses", "quadratic_losses")}
"""Columns that are made together, because all look up what happened."""


@dataclass(frozen=True, kw_only=True)
class Sums:
    """The sums that are updated in place, chunk by chunk."""

    cells: Array | None
    cell_squares: Array | None
    bins: tuple[Room, ...]
    binned: Mapping[str, Room]
    drawn: Array | None
    """One line of sums per resample."""
    drawn_cells: Array | None


def totals_of(chunks: Iterable[Chunk], recipe: Recipe, wanted: Wanted) -> Totals:
    """The totals of all chunks."""
    sums = _empty(recipe, wanted)
    facts, rows, weight, lightest, heaviest = Facts(), 0, 0.0, inf, -inf
    losses, unbounded = _no_rows(recipe, wanted), dict[str, Unbounded]()
    for chunk in chunks:
        found = code_chunk(chunk, recipe)
        facts = facts + found.facts
        rows += found.batch.rows
        if wanted.draws:
            _draw(sums, found, recipe, wanted)
        heavy = found.batch.weight
        weight += found.batch.rows if heavy is None else float(heavy.sum())
        if heavy is not None:
            lightest, heaviest = float(heavy.min(initial=lightest)), float(heavy.max(initial=heaviest))
        _add(sums, found.batch, recipe, wanted)
        for at, part in _parts(found.batch):
            if losses is None:
                break
            columns = made(part, wanted.columns or {})
            added = _moments(losses, columns, part, found.place, found.first + at)
            losses = losses + added
            if not np.isfinite(added.total).all():
                _name(unbounded, columns, found, at)
            for name, where in sums.binned.items():
                fill(where, columns[name], None, part.weight)
    return Totals(
        facts=facts,
        rows=rows,
        weight=weight,
        lightest=lightest,
        heaviest=heaviest,
        cells=sums.cells,
        cell_squares=sums.cell_squares,
        bins=tuple(filled(one) for one in sums.bins) if wanted.bins else None,
        moments=losses,
        binned={name: filled(one) for name, one in sums.binned.items()},
        unbounded=unbounded,
        drawn=None if sums.drawn is None else dict(zip(_names(wanted), sums.drawn.T, strict=True)),
        drawn_cells=sums.drawn_cells,
        named=recipe.group is not None or recipe.id is not None,
    )


def made(batch: Batch, columns: Mapping[str, RowStatistic]) -> dict[str, Array]:
    """The named columns of a batch."""
    shared = [name for name, function in columns.items() if SHARED.get(name) is function]
    found = probabilities.losses(batch, shared) if shared else {}
    rest = {name: function for name, function in columns.items() if name not in found and name != "rows"}
    return found | {name: np.asarray(function(batch), dtype=np.float64) for name, function in rest.items()}


def _empty(recipe: Recipe, wanted: Wanted) -> Sums:
    heavy, classes = recipe.weight is not None, len(recipe.labels)
    return Sums(
        cells=np.zeros((classes, classes), dtype=float if heavy else np.int64) if wanted.cells else None,
        cell_squares=np.zeros((classes, classes)) if wanted.cells and heavy else None,
        bins=tuple(room(2, weighted=heavy) for _ in range(_rankings(recipe))) if wanted.bins else (),
        binned={name: room(1, weighted=heavy) for name in wanted.binned},
        drawn=np.zeros((wanted.draws, len(_names(wanted)))) if wanted.draws and wanted.columns is not None else None,
        drawn_cells=np.zeros((wanted.draws, classes, classes))
        if wanted.draws and wanted.cells and recipe.group
        else None,
    )


def _rankings(recipe: Recipe) -> int:
    return 1 if recipe.task == "binary" else len(recipe.labels)


def _no_rows(recipe: Recipe, wanted: Wanted) -> Moments | None:
    if wanted.columns is None:
        return None
    nothing = row_moments(_names(wanted), {}, None if recipe.weight is None else np.zeros(0))
    return replace(nothing, kept=())


def _names(wanted: Wanted) -> list[str]:
    return [*sorted(set(wanted.columns or {}) - {"rows"}), "rows"]


def _parts(batch: Batch) -> Iterator[tuple[int, Batch]]:
    """Consecutive rows that fit into a core's cache, and how many come before."""
    for where in parts(batch.rows):
        yield where.start, batch.part(where)


def _add(sums: Sums, part: Batch, recipe: Recipe, wanted: Wanted) -> None:
    if sums.cells is not None:
        assert part.prediction is not None
        _count(sums.cells, sums.cell_squares, part)
    if not wanted.bins:
        return
    assert part.score is not None
    if part.score.ndim == 1:
        fill(sums.bins[0], part.score, part.truth == recipe.positive, part.weight)
        return
    for label, where in enumerate(sums.bins):
        fill(where, part.score[:, label], part.truth == label, part.weight)


def _count(cells: Array, squares: Array | None, part: Batch) -> None:
    """Rows by truth and prediction."""
    truth, prediction = part.truth, part.prediction
    assert prediction is not None
    classes = len(cells)
    if classes == 2 and squares is None:
        for where in parts(part.rows):
            one, two = truth[where], prediction[where]
            actual, said, both = (np.count_nonzero(some) for some in (one, two, one & two))
            cells += [[len(one) - actual - said + both, said - both], [actual - both, both]]
        return
    place = truth.astype(np.int64) * classes + prediction
    if squares is None:
        np.add.at(cells.reshape(-1), place, 1)
        return
    assert part.weight is not None
    np.add.at(cells.reshape(-1), place, part.weight)
    with np.errstate(over="ignore"):  # weights that large are refused when all are known
        np.add.at(squares.reshape(-1), place, part.weight**2)


def _draw(sums: Sums, found: CodedChunk, recipe: Recipe, wanted: Wanted) -> None:
    """The same sums in resamples of units."""
    batch, hashes = found.batch, hashes_of(found)
    for where in parts(batch.rows):
        part = batch.part(where)
        if sums.drawn is not None:
            columns = {**made(part, wanted.columns or {}), "rows": np.ones(part.rows)}
            added = np.stack([columns[name] for name in _names(wanted)])
            add_draws(sums.drawn, wanted.seed, hashes[where], added if part.weight is None else added * part.weight)
        if sums.drawn_cells is not None:
            assert part.prediction is not None
            cell = part.truth.astype(np.int64) * len(recipe.labels) + part.prediction
            add_drawn_cells(sums.drawn_cells.reshape(wanted.draws, -1), wanted.seed, hashes[where], cell, part.weight)


def _moments(so_far: Moments, columns: Mapping[str, Array], part: Batch, place: str, first: int) -> Moments:
    names = so_far.names
    found = row_moments(names, columns or {"rows": np.ones(part.rows)}, part.weight)
    if so_far.kept is None or so_far.units + part.rows > FEW:
        return found
    heavy = np.ones(part.rows) if part.weight is None else part.weight
    with np.errstate(invalid="ignore"):  # an infinite loss that weighs nothing is told by its total
        added = {name: columns.get(name, 1.0) * heavy for name in names}
    return replace(found, kept=(Kept(place=place, first=first, added=added),))


def _name(unbounded: dict[str, Unbounded], columns: Mapping[str, Array], found: CodedChunk, at: int) -> None:
    """Note the rows of each column that are not finite."""
    for name, column in columns.items():
        rows = np.flatnonzero(~np.isfinite(column))
        if len(rows):
            numbers = rows[:NAMED] + at
            numbers = numbers + found.first if found.rows is None else found.rows[numbers]
            first = tuple((found.place, int(number) + 1) for number in numbers)
            some = Unbounded(count=len(rows), first=first)
            unbounded[name] = unbounded[name] + some if name in unbounded else some
