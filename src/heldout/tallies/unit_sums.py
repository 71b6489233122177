"""What units add whose rows may lie in several chunks: a table by unit for each, which an engine brings together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.column_recipe import CodedChunk, Recipe, code_chunk
from heldout.tallies.accumulation import made
from heldout.tallies.grid import GRID, places
from heldout.tallies.grouped_cells import cell_columns
from heldout.tallies.totals import Wanted

UNIT = "unit"
LINES = 1 << 21
"""From so many lines on, those of one unit are added up before more are taken in."""


@dataclass(frozen=True, kw_only=True)
class UnitAdding:
    """The work on chunks, which can be pickled: chunks to an Arrow table of `unit` and what each adds.

    Its columns are those of `cell_columns`, where cells are wanted (the first of them, where scores are), the columns
    wanted, and `rows`; weights included.
    """

    recipe: Recipe
    wanted: Wanted

    def __call__(self, chunks: Iterable[Chunk]) -> Any:
        return summed_by_unit(self._added(code_chunk(chunk, self.recipe)) for chunk in chunks)

    def _added(self, found: CodedChunk) -> Any:
        batch, (names, unit) = found.batch, numbered(found.unit)
        heavy = batch.weight if batch.weight is None else batch.weight.astype(float, copy=False)
        columns: dict[str, Array] = {}
        counted: list[tuple[Array, Array | None]] = []
        if self.wanted.cells or self.wanted.bins:
            counted.append((batch.truth, None))
        if self.wanted.cells:
            assert batch.prediction is not None
            counted += [(batch.prediction, None), (batch.truth, batch.truth == batch.prediction)]
        if counted:
            classes = len(self.recipe.labels)
            tables = [_by_class(unit * classes + code, (len(names), classes), heavy, some) for code, some in counted]
            columns |= dict(zip(cell_columns(classes), np.concatenate(tables, axis=1).T, strict=False))
        every = made(batch, self.wanted.columns or {}) | {"rows": np.ones(batch.rows)}
        with np.errstate(invalid="ignore"):  # an infinite loss that weighs nothing is told by its total
            added = {name: column if heavy is None else column * heavy for name, column in every.items()}
        columns |= {name: np.bincount(unit, weights=column, minlength=len(names)) for name, column in added.items()}
        return unit_table(names, columns)


@dataclass(frozen=True, kw_only=True, eq=False)
class Steps:
    """How far rows move the values of some metrics of the order of scores."""

    place: Array
    """The filled places of the grid."""
    slopes: Mapping[str, Mapping[str, Array]]
    """Metric → how far one more of the `positives`, and of the `negatives`, at each of these places moves its value."""
    label: int | None = None
    """The class that is ranked against the rest, where there are several."""

    def column(self, name: str) -> str:
        """What a metric is called among those of all classes."""
        return name if self.label is None else f"{name} {self.label}"


@dataclass(frozen=True, kw_only=True, eq=False)
class UnitMoving:
    """Chunks → an Arrow table of `unit` and how far each moves the values of metrics of the order of scores."""

    recipe: Recipe
    steps: tuple[Steps, ...]

    def __call__(self, chunks: Iterable[Chunk]) -> Any:
        tables = [_looked_up(some) for some in self.steps]
        return summed_by_unit(self._moved(code_chunk(chunk, self.recipe), tables) for chunk in chunks)

    def _moved(self, found: CodedChunk, tables: list[tuple[Array, dict[str, Array]]]) -> Any:
        batch, (names, unit) = found.batch, numbered(found.unit)
        assert batch.score is not None
        columns = {}
        for some, (at, both) in zip(self.steps, tables, strict=True):
            score = batch.score if some.label is None else batch.score[:, some.label]
            hits = (batch.truth == (batch.positive if some.label is None else some.label)).astype(np.intp)
            where = at[places(score)]
            for name, slope in both.items():
                moved = slope[hits, where]
                moved = moved if batch.weight is None else moved * batch.weight
                columns[some.column(name)] = np.bincount(unit, weights=moved, minlength=len(names))
        return unit_table(names, columns)


def _looked_up(some: Steps) -> tuple[Array, dict[str, Array]]:
    """Where each place of the grid stands among the filled ones, and the slopes there, negatives first."""
    at = np.zeros(GRID, dtype=np.int32)
    at[some.place] = np.arange(len(some.place))
    return at, {name: np.stack([slope["negatives"], slope["positives"]]) for name, slope in some.slopes.items()}


def numbered(unit: Any) -> tuple[Any, Array]:
    """The distinct units of some rows, and which of them each row has."""
    known = unit.dictionary_encode()
    return known.dictionary, known.indices.to_numpy(zero_copy_only=False).astype(np.int64)


def _by_class(place: Array, shape: tuple[int, int], weight: Array | None, some: Array | None) -> Array:
    """What weighs by unit and class, of some of the rows."""
    if some is not None:
        place, weight = place[some], None if weight is None else weight[some]
    return np.bincount(place, weights=weight, minlength=shape[0] * shape[1]).reshape(shape).astype(float)


def unit_table(names: Any, columns: Mapping[str, Array]) -> Any:
    """A line per unit with what it adds to each column."""
    import pyarrow as pa

    return pa.table({UNIT: names, **{name: np.ascontiguousarray(column) for name, column in columns.items()}})


def summed_by_unit(tables: Iterator[Any]) -> Any:
    """Tables by unit as one, with one line per unit."""
    import pyarrow as pa

    kept: list[Any] = []
    for table in tables:
        kept.append(table)
        if len(kept) > 1 and sum(len(one) for one in kept) > LINES:
            kept = [_by_unit(pa.concat_tables(kept))]
    return kept[0] if len(kept) == 1 else _by_unit(pa.concat_tables(kept))


def _by_unit(table: Any) -> Any:
    names = [name for name in table.column_names if name != UNIT]
    found = table.group_by(UNIT, use_threads=False).aggregate([(name, "sum") for name in names])
    return found.select([UNIT, *(f"{name}_sum" for name in names)]).rename_columns([UNIT, *names])
