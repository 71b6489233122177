"""The columns of a piece, held as arrays by role: gaps found, new values noted, and the rest made a batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import DataError
from heldout.inputs.chunked.chunked_table import Piece
from heldout.inputs.chunked.column_recipe import Coded, Facts, Recipe, rows_of
from heldout.inputs.chunked.label_codes import Placed, first_of_each, flat, is_text, placed, stacked, unnamed
from heldout.inputs.columns.assembly import segment, weights_fit
from heldout.inputs.columns.class_batch import likeliest
from heldout.inputs.columns.column import Column, from_arrow, in_memory
from heldout.inputs.columns.number_parsing import numbers, with_decimal_comma
from heldout.inputs.columns.score_column import ROUNDING, between, clipped, in_range, logistic, shares, sum_to_one
from heldout.inputs.columns.target_batch import LARGEST, square_fits
from heldout.inputs.reading import Parts, fault
from heldout.inputs.wording import rows_named, rows_where

Bounds = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Held:
    """Columns by their names: labels as positions, numbers as they lie in memory."""

    labels: Mapping[str, Placed] = field(default_factory=dict)
    numbers: Mapping[str, Array] = field(default_factory=dict)
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    names: Mapping[str, Any] = field(default_factory=dict)
    """Units and segments, as Arrow arrays."""

    def missing(self, recipe: Recipe) -> dict[str, tuple[Array, Array]]:
        """Column → where it is missing, and where it is infinite; only columns that have such rows."""
        found = {}
        for name, codes in self.labels.items():
            if codes.gaps is not None:
                found[name] = (codes.gaps, np.zeros(len(codes.gaps), bool))
        for name, values in self.numbers.items():
            if not np.isfinite(self.bounds[name]).all():
                found[name] = (np.isnan(values), np.isinf(values))
        for unit in (recipe.group, recipe.id):
            gaps = unnamed(self.names[unit]) if unit is not None and unit in self.names else None
            if unit is not None and gaps is not None:
                found[unit] = (gaps, np.zeros(len(gaps), bool))
        return found

    def take(self, keep: Array) -> Held:
        import pyarrow as pa

        kept = {name: values[keep] for name, values in self.numbers.items()}
        return Held(
            labels={name: _kept(codes, keep) for name, codes in self.labels.items()},
            numbers=kept,
            bounds={name: ends(values) for name, values in kept.items()},
            names={name: values.filter(pa.array(keep)) for name, values in self.names.items()},
        )


def _kept(codes: Placed, keep: Array) -> Placed:
    def part(mask: Array | None) -> Array | None:
        return None if mask is None else mask[keep]

    return Placed(codes=codes.codes[keep], new=codes.new, unsettled=part(codes.unsettled))


def ends(values: Array) -> Bounds:
    """The least and the largest number; nan where a number is missing, and nothing where there are no rows."""
    return (float(values.min()), float(values.max())) if len(values) else (np.inf, -np.inf)


def held(piece: Piece, recipe: Recipe) -> Held:
    """The columns of a piece by role."""
    batch = piece.batch
    numeric = dict.fromkeys(name for name in (*recipe.chances, *recipe.beside, recipe.weight) if name is not None)
    labels: dict[str, Placed] = {}
    if recipe.task == "regression":
        numeric |= dict.fromkeys((recipe.truth, str(recipe.prediction)))
    else:
        labels[recipe.truth] = placed(batch.column(recipe.truth), recipe.truths)
        if recipe.prediction is not None:
            labels[recipe.prediction] = placed(batch.column(recipe.prediction), recipe.predictions)
    found = {name: _floats(piece, name) for name in numeric}
    if recipe.score is not None:
        found[recipe.score] = _floats(piece, recipe.score, single=True)
    beside = (recipe.group, recipe.id, *recipe.segments)
    names = {name: batch.column(name) for name in beside if name is not None and name in batch.schema.names}
    bounds = {name: ends(values) if len(values) else (0.0, 0.0) for name, values in found.items()}
    return Held(labels=labels, numbers=found, bounds=bounds, names=names)


def _floats(piece: Piece, name: str, *, single: bool = False) -> Array:
    """A column of numbers, nan where nothing was written; scores may stay in single precision."""
    import pyarrow as pa
    import pyarrow.types as kinds

    values = flat(piece.batch.column(name))
    if is_text(values):
        return _spelled(piece, name, values)
    if not (kinds.is_floating(values.type) or kinds.is_integer(values.type)):
        raise DataError(
            f"{piece.place}: {name} holds {values.type} values, and one label or number per row is needed",
            code="H107",
            fix=f"write {name} as one plain value per row",
        )
    wanted = pa.float32() if single and kinds.is_float32(values.type) else pa.float64()
    if values.type != wanted:
        values = values.cast(wanted, safe=False)
    return in_memory(values) if not values.null_count else values.to_numpy(zero_copy_only=False)


def _spelled(piece: Piece, name: str, values: Any) -> Array:
    """Text as numbers: at once where all of it is plainly written, else as the door reads it, which names the row."""
    import pyarrow as pa

    if not pa.types.is_dictionary(values.type) and not values.null_count:
        try:
            found = in_memory(values.cast(pa.float64()))
            if np.isfinite(found).all():
                return found
        except pa.ArrowInvalid:
            pass
    column = replace(from_arrow(name, values), first=piece.first)
    try:
        return numbers(with_decimal_comma(column) if piece.decimal_comma else column)
    except DataError as error:
        raise DataError(f"{piece.place}: {error.message}", code=error.code, fix=error.fix) from error


def batch_of(
    piece: Piece, recipe: Recipe, found: Held, gaps: Mapping[str, tuple[Array, Array]], keep: Array | None
) -> Coded:
    """The batch of the rows that are kept."""
    parts = _parts(piece, recipe, keep)
    if gaps and recipe.on_nan == "error":
        raise _gap_fault(parts, gaps, piece.first)
    if recipe.weight is not None and found.bounds[recipe.weight][0] < 0:
        weights_fit(replace(parts, weight=Column(name=recipe.weight, values=found.numbers[recipe.weight])), some=True)
    new = _new_labels(piece, found, keep)
    if recipe.task == "regression":
        batch = _regression(parts, recipe, found)
    else:
        batch, outside = _classes(parts, recipe, found)
        new = [*new, *_of_piece(outside, keep)]
    unit = recipe.group if recipe.group is not None else recipe.id
    facts = Facts(
        rows=piece.batch.num_rows,
        dropped=piece.batch.num_rows - batch.rows,
        bounds={name: bounds for name, bounds in found.bounds.items() if batch.rows},
        witnesses=tuple(rows_of(piece, new)) if new else None,
        gaps={name: (int(missing.sum()), int(infinite.sum())) for name, (missing, infinite) in gaps.items()},
        decisions=recipe.score is None or _decided(found.numbers[recipe.score]),
    )
    return Coded(
        batch=replace(
            batch,
            weight=None if recipe.weight is None else found.numbers[recipe.weight],
            segments={name: segment(from_arrow(name, found.names[name])) for name in recipe.segments},
        ),
        facts=facts,
        unit=None if unit is None or unit not in found.names else _unit(found.names[unit]),
        place=piece.place,
        first=piece.first,
        rows=None if keep is None else np.flatnonzero(keep) + piece.first,
    )


def _parts(piece: Piece, recipe: Recipe, keep: Array | None) -> Parts:
    """What messages about a row need: the file, and the number of the row in it."""
    rows = None if keep is None else rows_where(keep) + piece.first
    return Parts(door="table", place=piece.place, truth=(), first=piece.first, rows=rows, probability=recipe.promised)


def _gap_fault(parts: Parts, gaps: Mapping[str, tuple[Array, Array]], first: int) -> DataError:
    texts = []
    for name, (missing, infinite) in gaps.items():
        if missing.any():
            texts.append(f"{name} is missing in {rows_named(rows_where(missing) + first)}")
        if infinite.any():
            texts.append(f"{name} is infinite (inf) in {rows_named(rows_where(infinite) + first)}")
    return fault(
        parts,
        f"{'; '.join(texts[:6])}. Rows are never dropped silently",
        code="H305",
        fix="complete the values, or drop these rows with --on-nan drop",
    )


def _new_labels(piece: Piece, found: Held, keep: Array | None) -> list[int]:
    """Rows of the piece, the first for each value that no witness has."""
    rows: list[int] = []
    for name, codes in found.labels.items():
        if codes.new is not None:
            rows += first_of_each(piece.batch.column(name), codes.new).tolist()
        if codes.unsettled is not None and codes.unsettled.any():
            where = codes.unsettled
            if keep is not None:
                where = np.zeros(len(keep), bool)
                where[np.flatnonzero(keep)[codes.unsettled]] = True
            rows += first_of_each(piece.batch.column(name), where).tolist()
    return rows


def _of_piece(rows: list[int], keep: Array | None) -> list[int]:
    return rows if keep is None else np.flatnonzero(keep)[rows].tolist()


def _decided(score: Array) -> bool:
    """Whether every score is 0 or 1; the first rows nearly always tell."""
    return all(bool(((part == 0) | (part == 1)).all()) for part in (score[:64], score))


def _unit(values: Any) -> Any:
    """Names of units in one type, whatever their width in the file."""
    import pyarrow as pa
    import pyarrow.types as kinds

    values = flat(values)
    if is_text(values):
        return values.cast(pa.large_string())
    return values.cast(pa.float64() if kinds.is_floating(values.type) else pa.int64())


def _regression(parts: Parts, recipe: Recipe, found: Held) -> Batch:
    for name in (recipe.truth, str(recipe.prediction)):
        low, high = found.bounds[name]
        if max(-low, high) > LARGEST:
            square_fits(parts, Column(name=name, values=found.numbers[name]))
    return Batch(
        task="regression",
        truth=found.numbers[recipe.truth],
        prediction=found.numbers[str(recipe.prediction)],
        labels=recipe.labels,
        origin=recipe.origin,
    )


def _classes(parts: Parts, recipe: Recipe, found: Held) -> tuple[Batch, list[int]]:
    """The batch of labels, and rows whose scores are not what the witnesses made them seem."""
    prediction = None if recipe.prediction is None else found.labels[recipe.prediction].codes
    batch = Batch(
        task=recipe.task,
        truth=found.labels[recipe.truth].codes,
        prediction=prediction,
        labels=recipe.labels,
        positive=recipe.positive,
        probabilities=recipe.probabilities,
    )
    outside: list[int] = []
    if recipe.chances:
        score = _matrix(parts, recipe, found)
        if recipe.task == "binary" and recipe.positive is not None:
            score = score[:, recipe.positive]
    elif recipe.score is not None:
        score, outside = _score(parts, recipe, found)
    else:
        return batch, []
    if prediction is None and recipe.task == "multiclass":
        prediction = likeliest(score)
    elif prediction is None and recipe.threshold is not None:
        called = score >= recipe.threshold if recipe.positive == 1 else score < recipe.threshold
        prediction = called.view(np.uint8)
    return replace(batch, score=score, prediction=prediction), outside


def _matrix(parts: Parts, recipe: Recipe, found: Held) -> Array:
    matrix = stacked([found.numbers[name] for name in recipe.chances])
    if recipe.link == "logit":
        return shares(matrix)
    for name in recipe.chances:
        if not between(*found.bounds[name]) and len(matrix):
            in_range(parts, [Column(name=each, values=found.numbers[each]) for each in recipe.chances])
    return sum_to_one(parts, clipped(matrix), recipe.chances)


def _score(parts: Parts, recipe: Recipe, found: Held) -> tuple[Array, list[int]]:
    """One score a row, and a row or two that lie outside [0, 1] though the witnesses do not."""
    name = str(recipe.score)
    values, (low, high) = found.numbers[name], found.bounds[name]
    outside: list[int] = []
    if recipe.link == "logit":
        values = logistic(values)
    elif recipe.probabilities and not between(low, high) and len(values):
        if recipe.promised and recipe.prediction is None:  # else a third class, yet to come, may make it of no use
            in_range(parts, [Column(name=name, values=values)])
        outside = [int(at) for at in {values.argmin(), values.argmax()} if not -ROUNDING <= values[at] <= 1 + ROUNDING]
    elif recipe.probabilities and (low < 0 or high > 1):
        values = clipped(values)
    return (1 - values if recipe.turned else values), outside
