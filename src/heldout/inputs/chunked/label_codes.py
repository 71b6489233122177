"""Labels of a chunk as positions among the classes, by the values that the sample rows have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from heldout.batch import Array
from heldout.inputs.columns.column_values import ArrowArray, blank, from_arrow, in_memory
from heldout.inputs.columns.label_column import MOST_CLASSES, missing_labels

MISSING = -1
"""The code of a text that means a missing value."""
DROPPED = -2
"""The code of a value that occurs only in sample rows that lack another value."""
NEW = -3
"""The code of a value that the sample lacks."""
WIDE = 1 << 16
"""Whole numbers with a wider range than this are found by binary search, not in a lookup table."""

KnownValues = tuple[tuple[str | float, int], ...]
"""Values as the file writes them, and their position among the labels (or MISSING, DROPPED)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCodes:
    """Labels as positions, and the rows where that is not possible."""

    codes: Array
    gaps: Array | None = None
    """Where the label is missing."""
    new: Array | None = None
    """Where the value is one that the sample lacks; its code has no meaning."""
    unsettled: Array | None = None
    """Where the value is new unless its row is dropped."""


def plain_array(values: ArrowArray) -> ArrowArray:
    """An Arrow array of numbers (booleans as 0 and 1) or of text, which may be dictionary-encoded."""
    import pyarrow as pa
    import pyarrow.types as kinds

    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    kind = values.type
    if kinds.is_dictionary(kind):
        return (
            values
            if kinds.is_string(kind.value_type) or kinds.is_large_string(kind.value_type)
            else plain_array(values.dictionary_decode())
        )
    if kinds.is_boolean(kind):
        return values.cast(pa.uint8())
    if kinds.is_decimal(kind) or kinds.is_float16(kind):
        return values.cast(pa.float64())
    if kinds.is_temporal(kind) or str(kind) == "string_view":
        return values.cast(pa.large_string())
    return values


def is_text(values: ArrowArray) -> bool:
    """Whether an Arrow array holds text."""
    import pyarrow.types as kinds

    kind = values.type.value_type if kinds.is_dictionary(values.type) else values.type
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_null(kind))


def known_values(name: str, values: ArrowArray, rows: Array | None, codes: Array) -> KnownValues:
    """The values of a column in the sample rows, and their codes; `codes` are those of the `rows` that were kept.

    >>> import pyarrow as pa
    >>> known_values("y", pa.array(["1", "0", "NA"]), np.array([1, 2]), np.array([1, 0]))
    (('1', 1), ('0', 0), ('NA', -1))
    """
    values = plain_array(values)
    kept = np.arange(len(values)) if rows is None else rows - 1
    if not is_text(values):
        present = values.drop_null()
        numbers = in_memory(values.fill_null(0) if values.null_count else values)[kept]
        distinct, at = np.unique(numbers, return_index=True)
        every = np.unique(in_memory(present))
        seen = dict.fromkeys(every[np.isfinite(every)].tolist(), DROPPED)
        return tuple((seen | dict(zip(distinct.tolist(), codes[at].tolist(), strict=True))).items())
    column = from_arrow(name, values)
    distinct, at = np.unique(column.values[kept], return_index=True)
    words = column.texts()
    known: dict[str | float, int] = dict.fromkeys(words, DROPPED)
    known |= {words[word]: MISSING for word in np.unique(column.values[missing_labels(column)]).tolist() if word >= 0}
    known |= {words[word]: code for word, code in zip(distinct.tolist(), codes[at].tolist(), strict=True)}
    return tuple(known.items())


def label_codes(values: ArrowArray, known: KnownValues) -> LabelCodes:
    """The labels of an Arrow array as positions.

    >>> import pyarrow as pa
    >>> label_codes(pa.array(["no", "yes", "no"]), (("no", 0), ("yes", 1))).codes.tolist()
    [0, 1, 0]
    """
    values = plain_array(values)
    return _text_codes(values, known) if is_text(values) else _number_codes(values, known)


def _text_codes(values: ArrowArray, known: KnownValues) -> LabelCodes:
    import pyarrow as pa

    if pa.types.is_null(values.type):
        values = values.cast(pa.string())
    coded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    coded.dictionary.validate(full=True)
    code_of = dict(known)
    table = np.array([code_of.get(word, NEW) for word in coded.dictionary.to_pylist()] + [MISSING], np.int32)
    indices = coded.indices
    if indices.null_count:
        at = indices.cast(pa.int32()).fill_null(len(table) - 1)
        codes = table[in_memory(at)]
    else:
        if not (table < 0)[:-1].any():
            return LabelCodes(codes=table.astype(np.min_scalar_type(max(int(table.max()), 0)))[in_memory(indices)])
        codes = table[in_memory(indices)]
    return LabelCodes(
        codes=np.maximum(codes, 0).astype(np.min_scalar_type(max(int(table.max()), 0))),
        gaps=_if_any(codes == MISSING),
        new=_if_any(codes == NEW),
        unsettled=_if_any(codes == DROPPED),
    )


def _if_any(mask: Array) -> Array | None:
    return mask if mask.any() else None


def _either(one: Array | None, other: Array | None) -> Array | None:
    return one if other is None else (other if one is None else one | other)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberCodes:
    """The codes of known numbers, for looking them up."""

    low: int
    table: Array | None
    """The code of each whole number from `low` on; None if the range is too wide, or a number has a fraction."""
    same: bool
    """Whether every number from 0 on is its own code."""
    values: Array
    codes: Array


@lru_cache(maxsize=64)
def _codes_of_numbers(known: KnownValues) -> NumberCodes:
    pairs = sorted((value, code) for value, code in known if not isinstance(value, str))
    numbers = [value for value, _ in pairs]
    codes = _narrow(np.array([code for _, code in pairs], np.int32))
    whole = all(abs(value) < 2**53 and value == int(value) for value in numbers)
    low, high = (int(numbers[0]), int(numbers[-1])) if numbers and whole else (0, WIDE)
    table = None
    if high - low < WIDE:
        table = np.full(high - low + 1, NEW, np.int32)
        table[[int(value) - low for value in numbers]] = codes
        table = _narrow(table)
    same = table is not None and low == 0 and np.array_equal(table, np.arange(len(table)))
    return NumberCodes(low=low, table=table, same=same, values=np.array(numbers), codes=codes)


def _narrow(codes: Array) -> Array:
    """Codes in as few bytes as they need, if none is negative."""
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0)))) if (codes >= 0).all() else codes


def _number_codes(values: ArrowArray, known: KnownValues) -> LabelCodes:
    lookup = _codes_of_numbers(known)
    gaps = None
    if values.null_count:
        gaps = values.is_null().to_numpy(zero_copy_only=False)
        values = values.fill_null(0)
    numbers = in_memory(values)
    if numbers.dtype.kind == "f":
        finite = np.isfinite(numbers)
        if not finite.all():
            gaps = _either(gaps, ~finite)
            numbers = np.where(finite, numbers, 0)
    if not len(numbers):
        return LabelCodes(codes=np.zeros(0, np.uint8))
    codes, new = _searched(numbers, lookup) if lookup.table is None else _looked_up(numbers, lookup)
    if codes.dtype.kind == "u":
        return LabelCodes(codes=codes, gaps=gaps, new=_without(new, gaps))
    return LabelCodes(
        codes=np.maximum(codes, 0).astype(np.min_scalar_type(max(int(lookup.codes.max(initial=0)), 0))),
        gaps=gaps,
        new=_without(_either(new, codes == NEW), gaps),
        unsettled=_without(codes == DROPPED, gaps),
    )


def _looked_up(numbers: Array, lookup: NumberCodes) -> tuple[Array, Array | None]:
    """The code of each number by the lookup table, and where a number is outside the table or has a fraction."""
    assert lookup.table is not None
    top = lookup.low + len(lookup.table) - 1
    new, whole = None, numbers
    if not (numbers.min() >= lookup.low and numbers.max() <= top):
        new = (numbers < lookup.low) | (numbers > top)
        whole = np.where(new, numbers.dtype.type(0), numbers).astype(np.int64)
        whole[new] = lookup.low
    if numbers.dtype.kind == "f":
        whole = whole.astype(np.int64)
        new = _either(new, _if_any(whole != numbers))
    if lookup.same:
        return whole.astype(lookup.table.dtype, copy=False), new
    return lookup.table[whole if lookup.low == 0 else whole.astype(np.int64) - lookup.low], new


def _searched(numbers: Array, lookup: NumberCodes) -> tuple[Array, Array | None]:
    """The code of each number by binary search among the known numbers, and where a number is not known."""
    if not len(lookup.values):
        return np.zeros(len(numbers), np.uint8), np.ones(len(numbers), bool)
    at = np.minimum(np.searchsorted(lookup.values, numbers), len(lookup.values) - 1)
    return lookup.codes[at], _if_any(lookup.values[at] != numbers)


def _without(new: Array | None, gaps: Array | None) -> Array | None:
    if new is None or gaps is None:
        return None if new is None else _if_any(new)
    return _if_any(new & ~gaps)


def first_of_each(values: ArrowArray, where: Array) -> Array:
    """The first row of each distinct value in the rows `where`; at most one more than classes there can be."""
    import pyarrow as pa

    rows = np.flatnonzero(where)
    some = plain_array(values).take(pa.array(rows))
    coded = some if pa.types.is_dictionary(some.type) else some.dictionary_encode()
    _, first = np.unique(in_memory(coded.indices), return_index=True)
    return rows[np.sort(first)[: MOST_CLASSES + 1]]


def missing_names(values: ArrowArray) -> Array | None:
    """Where the name of a unit is missing: null, nan, or blanks only; None if nowhere."""
    values = plain_array(values)
    if is_text(values):
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_dictionary(values.type):
            return _if_any(blank(from_arrow("", values)))
        short = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(values)), 0).fill_null(True)
        return _if_any(short.to_numpy(zero_copy_only=False)) if pc.any(short).as_py() else None
    if values.type.to_pandas_dtype()(0).dtype.kind == "f":
        return _if_any(~np.isfinite(values.to_numpy(zero_copy_only=False)))
    return values.is_null().to_numpy(zero_copy_only=False) if values.null_count else None
