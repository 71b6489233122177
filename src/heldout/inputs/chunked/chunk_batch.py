"""A chunk to a batch: convert its columns, find missing and new values, and code the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import DataError
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.column_recipe import CodedChunk, Facts, Recipe, pick_rows
from heldout.inputs.chunked.label_codes import (
    LabelCodes,
    first_of_each,
    is_text,
    label_codes,
    missing_names,
    plain_array,
)
from heldout.inputs.columns.assembly import check_weights, gap_error, gap_texts, segment
from heldout.inputs.columns.class_batch import highest_score
from heldout.inputs.columns.column_values import ArrowArray, Column, from_arrow, in_memory
from heldout.inputs.columns.number_parsing import numbers as parsed_numbers, with_decimal_comma
from heldout.inputs.columns.role_columns import Origin
from heldout.inputs.columns.score_checks import (
    ROUNDING,
    between,
    clipped,
    in_range,
    logistic,
    softmax_rows,
    sum_to_one,
)
from heldout.inputs.columns.target_batch import LARGEST, WHOLE, check_squares, check_steps
from heldout.inputs.message_text import rows_where

Bounds = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class ColumnArrays:
    """The columns of a chunk, by name."""

    labels: Mapping[str, LabelCodes] = field(default_factory=dict)
    numbers: Mapping[str, Array] = field(default_factory=dict)
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    """Column of numbers → smallest and largest one."""
    names: Mapping[str, ArrowArray] = field(default_factory=dict)
    """Units and segments."""

    def missing(self, recipe: Recipe) -> dict[str, tuple[Array, Array]]:
        """Column → where it is missing, and where it is infinite; columns without such rows are left out."""
        gaps = {}
        for name, codes in self.labels.items():
            if codes.gaps is not None:
                gaps[name] = (codes.gaps, np.zeros(len(codes.gaps), bool))
        for name, values in self.numbers.items():
            if not np.isfinite(self.bounds[name]).all():
                gaps[name] = (np.isnan(values), np.isinf(values))
        for unit in (recipe.group, recipe.id):
            absent = missing_names(self.names[unit]) if unit is not None and unit in self.names else None
            if unit is not None and absent is not None:
                gaps[unit] = (absent, np.zeros(len(absent), bool))
        return gaps

    def take(self, keep: Array) -> ColumnArrays:
        """The rows where `keep` is true."""
        import pyarrow as pa

        kept = {name: values[keep] for name, values in self.numbers.items()}
        return ColumnArrays(
            labels={name: _kept_codes(codes, keep) for name, codes in self.labels.items()},
            numbers=kept,
            bounds={name: smallest_and_largest(values) for name, values in kept.items()},
            names={name: values.filter(pa.array(keep)) for name, values in self.names.items()},
        )


def _kept_codes(codes: LabelCodes, keep: Array) -> LabelCodes:
    # `new` keeps all rows: a new value counts even in a row that is dropped
    unsettled = None if codes.unsettled is None else codes.unsettled[keep]
    return LabelCodes(codes=codes.codes[keep], new=codes.new, unsettled=unsettled)


def smallest_and_largest(values: Array) -> Bounds:
    """Smallest and largest number; nan if a number is missing, (inf, -inf) if there are no rows."""
    return (float(values.min()), float(values.max())) if len(values) else (np.inf, -np.inf)


def column_arrays(chunk: Chunk, recipe: Recipe) -> ColumnArrays:
    """Convert the columns of a chunk that the recipe uses."""
    batch = chunk.batch
    numeric = dict.fromkeys(name for name in (*recipe.class_scores, *recipe.unused, recipe.weight) if name is not None)
    labels: dict[str, LabelCodes] = {}
    if recipe.task == "regression":
        numeric |= dict.fromkeys((recipe.truth, str(recipe.prediction)))
    else:
        labels[recipe.truth] = label_codes(batch.column(recipe.truth), recipe.truths)
        if recipe.prediction is not None:
            labels[recipe.prediction] = label_codes(batch.column(recipe.prediction), recipe.predictions)
    numbers = {name: _floats(chunk, name) for name in numeric}
    if recipe.score is not None:
        numbers[recipe.score] = _floats(chunk, recipe.score, single=True)
    beside = (recipe.group, recipe.id, *recipe.segments)
    names = {name: batch.column(name) for name in beside if name is not None and name in batch.schema.names}
    bounds = {name: smallest_and_largest(values) if len(values) else (0.0, 0.0) for name, values in numbers.items()}
    return ColumnArrays(labels=labels, numbers=numbers, bounds=bounds, names=names)


def _floats(chunk: Chunk, name: str, *, single: bool = False) -> Array:
    """A column as floats, nan where a value is missing; a `single` precision score stays as it is."""
    import pyarrow as pa
    import pyarrow.types as kinds

    values = plain_array(chunk.batch.column(name))
    if is_text(values):
        return _parsed_text(chunk, name, values)
    if not (kinds.is_floating(values.type) or kinds.is_integer(values.type)):
        raise DataError(
            f"{chunk.place}: {name} holds {values.type} values, and one label or number per row is needed",
            code="H107",
            fix=f"write {name} as one plain value per row",
        )
    precision = pa.float32() if single and kinds.is_float32(values.type) else pa.float64()
    if values.type != precision:
        values = values.cast(precision, safe=False)
    return in_memory(values) if not values.null_count else values.to_numpy(zero_copy_only=False)


def _parsed_text(chunk: Chunk, name: str, values: ArrowArray) -> Array:
    """Text as numbers: by Arrow if it can parse all of it, else by the slower parser, which names the row."""
    import pyarrow as pa

    if not pa.types.is_dictionary(values.type) and not values.null_count:
        try:
            numbers = in_memory(values.cast(pa.float64()))
            if np.isfinite(numbers).all():
                return numbers
        except pa.ArrowInvalid:
            pass
    column = replace(from_arrow(name, values), first=chunk.first)
    try:
        return parsed_numbers(with_decimal_comma(column) if chunk.decimal_comma else column)
    except DataError as error:
        raise DataError(f"{chunk.place}: {error.message}", code=error.code, fix=error.fix) from error


def coded_arrays(
    chunk: Chunk, recipe: Recipe, arrays: ColumnArrays, gaps: Mapping[str, tuple[Array, Array]], keep: Array | None
) -> CodedChunk:
    """The batch of the rows that are kept, and the facts of the chunk."""
    kept_rows = None if keep is None else rows_where(keep) + chunk.first
    origin = Origin(kind="file", place=chunk.place, first=chunk.first, rows=kept_rows)
    if gaps and recipe.on_nan == "error":
        texts = [text for name, masks in gaps.items() for text in gap_texts(name, *masks, chunk.first)]
        raise gap_error(origin, texts)
    if recipe.weight is not None and arrays.bounds[recipe.weight][0] < 0:
        check_weights(origin, Column(name=recipe.weight, values=arrays.numbers[recipe.weight]), all_rows=False)
    new = _new_labels(chunk, arrays, keep)
    if recipe.task == "regression":
        batch = _regression(origin, recipe, arrays)
    else:
        batch, outside = _classes(origin, recipe, arrays)
        new = [*new, *(outside if keep is None else np.flatnonzero(keep)[outside].tolist())]
    unit = recipe.group if recipe.group is not None else recipe.id
    absent = [missing | infinite for missing, infinite in gaps.values()]
    dropped = int(np.count_nonzero(np.logical_or.reduce(absent))) if absent else 0
    facts = Facts(
        rows=chunk.batch.num_rows,
        dropped=dropped,
        weightless=chunk.batch.num_rows - batch.rows - dropped,
        bounds={name: bounds for name, bounds in arrays.bounds.items() if batch.rows},
        new_rows=tuple(pick_rows(chunk, new)) if new else None,
        gaps={name: (int(missing.sum()), int(infinite.sum())) for name, (missing, infinite) in gaps.items()},
        decisions=recipe.score is None or _only_zero_and_one(arrays.numbers[recipe.score]),
    )
    return CodedChunk(
        batch=replace(
            batch,
            weight=None if recipe.weight is None else arrays.numbers[recipe.weight],
            segments={name: segment(from_arrow(name, arrays.names[name])) for name in recipe.segments},
        ),
        facts=facts,
        unit=None if unit is None or unit not in arrays.names else _unit_names(arrays.names[unit]),
        place=chunk.place,
        first=chunk.first,
        rows=None if keep is None else np.flatnonzero(keep) + chunk.first,
    )


def _new_labels(chunk: Chunk, arrays: ColumnArrays, keep: Array | None) -> list[int]:
    """Rows of the chunk: the first of each value that the sample lacks."""
    rows: list[int] = []
    for name, codes in arrays.labels.items():
        if codes.new is not None:
            rows += first_of_each(chunk.batch.column(name), codes.new).tolist()
        if codes.unsettled is not None and codes.unsettled.any():
            where = codes.unsettled
            if keep is not None:
                where = np.zeros(len(keep), bool)
                where[np.flatnonzero(keep)[codes.unsettled]] = True
            rows += first_of_each(chunk.batch.column(name), where).tolist()
    return rows


def _only_zero_and_one(score: Array) -> bool:
    """Whether every score is 0 or 1; the first rows nearly always show that it is not so."""
    return all(bool(((some == 0) | (some == 1)).all()) for some in (score[:64], score))


def _unit_names(values: ArrowArray) -> ArrowArray:
    """Names of units in one type, whatever their width in the file; they are compared and hashed, never shown."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    values = plain_array(values)
    if is_text(values):
        return values.cast(pa.large_string())
    if kinds.is_uint64(values.type):  # the same 64 bits: numbers of 2^63 and more have no int64
        return values.view(pa.int64())
    if kinds.is_floating(values.type):
        return pc.add(values.cast(pa.float64()), 0.0)  # -0.0 is zero
    return values.cast(pa.int64())


def _regression(origin: Origin, recipe: Recipe, arrays: ColumnArrays) -> Batch:
    for name in (recipe.truth, str(recipe.prediction)):
        low, high = arrays.bounds[name]
        if max(-low, high) > LARGEST:
            check_squares(origin, Column(name=name, values=arrays.numbers[name]))
    names = (recipe.truth, str(recipe.prediction))
    if max(max(-low, high) for low, high in (arrays.bounds[name] for name in names)) > WHOLE:
        truth, prediction = (Column(name=name, values=arrays.numbers[name]) for name in names)
        check_steps(origin, truth, prediction)
    return Batch(
        task="regression",
        truth=arrays.numbers[recipe.truth],
        prediction=arrays.numbers[str(recipe.prediction)],
        labels=recipe.labels,
        origin=recipe.origin,
    )


def _classes(origin: Origin, recipe: Recipe, arrays: ColumnArrays) -> tuple[Batch, list[int]]:
    """The batch of labels, and rows whose scores are outside [0, 1] though those of the sample are not."""
    prediction = None if recipe.prediction is None else arrays.labels[recipe.prediction].codes
    batch = Batch(
        task=recipe.task,
        truth=arrays.labels[recipe.truth].codes,
        prediction=prediction,
        labels=recipe.labels,
        positive=recipe.positive,
        probabilities=recipe.probabilities,
        clip=recipe.clip,
    )
    outside: list[int] = []
    if recipe.class_scores:
        score = _matrix(origin, recipe, arrays)
        if recipe.task == "binary" and recipe.positive is not None:
            score = score[:, recipe.positive]
    elif recipe.score is not None:
        score, outside = _score(origin, recipe, arrays)
    else:
        return batch, []
    if prediction is None and recipe.task == "multiclass":
        prediction = highest_score(score)
    elif prediction is None and recipe.threshold is not None:
        called = score >= recipe.threshold if recipe.positive == 1 else score < recipe.threshold
        prediction = called.view(np.uint8)
    return replace(batch, score=score, prediction=prediction), outside


def _matrix(origin: Origin, recipe: Recipe, arrays: ColumnArrays) -> Array:
    matrix = np.stack([arrays.numbers[name] for name in recipe.class_scores]).T  # each column whole in memory
    if recipe.link == "logit":
        return softmax_rows(matrix)
    for name in recipe.class_scores:
        if not between(*arrays.bounds[name]) and len(matrix):
            in_range(origin, [Column(name=each, values=arrays.numbers[each]) for each in recipe.class_scores])
    return sum_to_one(origin, clipped(matrix), recipe.class_scores)


def _score(origin: Origin, recipe: Recipe, arrays: ColumnArrays) -> tuple[Array, list[int]]:
    """One score per row, and up to two rows outside [0, 1] where the sample lies inside."""
    name = str(recipe.score)
    values, (low, high) = arrays.numbers[name], arrays.bounds[name]
    outside: list[int] = []
    if recipe.link == "logit":
        values = logistic(values)
    elif recipe.probabilities and not between(low, high) and len(values):
        # beside a prediction the score may turn out to be unused: a later chunk may have a third class
        if recipe.must_be_probability and recipe.prediction is None:
            in_range(origin, [Column(name=name, values=values)])
        outside = [int(at) for at in {values.argmin(), values.argmax()} if not -ROUNDING <= values[at] <= 1 + ROUNDING]
    elif recipe.probabilities and (low < 0 or high > 1):
        values = clipped(values)
    return (1 - values if recipe.of_negative else values), outside
