"""Labels of a piece → positions, by what witness rows said about each value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.inputs.columns.column import blank, from_arrow, in_memory
from heldout.inputs.columns.label_column import MOST, missing_labels

MISSING = -1
"""The place of a spelling that means nothing was written."""
DROPPED = -2
"""The place of a spelling that occurs only in rows that lack another value."""
NEW = -3
"""The place of a value that no witness has."""
WIDE = 1 << 16
"""Whole numbers of a wider range are looked for among the known ones, not in a list of all."""

Known = tuple[tuple[str | float, int], ...]
"""Values as they are written, and their position among the labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Labels as positions, and where there are none."""

    codes: Array
    gaps: Array | None = None
    """Where nothing was written."""
    new: Array | None = None
    """Where a value stands that no witness has; its code means nothing."""
    unsettled: Array | None = None
    """Where a value stands that is new unless its row is dropped."""


def flat(values: Any) -> Any:
    """An Arrow array of numbers, truth values as 0 and 1, or text; text may be given by a dictionary."""
    import pyarrow as pa
    import pyarrow.types as kinds

    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    kind = values.type
    if kinds.is_dictionary(kind):
        return (
            values
            if kinds.is_string(kind.value_type) or kinds.is_large_string(kind.value_type)
            else flat(values.dictionary_decode())
        )
    if kinds.is_boolean(kind):
        return values.cast(pa.uint8())
    if kinds.is_decimal(kind) or kinds.is_float16(kind):
        return values.cast(pa.float64())
    if kinds.is_temporal(kind) or str(kind) == "string_view":
        return values.cast(pa.large_string())
    return values


def is_text(values: Any) -> bool:
    """Whether an Arrow array holds text."""
    import pyarrow.types as kinds

    kind = values.type.value_type if kinds.is_dictionary(values.type) else values.type
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_null(kind))


def known_values(name: str, values: Any, rows: Array | None, codes: Array) -> Known:
    """What witness rows say about the values of a column: `codes` are the positions of the `rows` that were kept.

    >>> import pyarrow as pa
    >>> known_values("y", pa.array(["1", "0", "NA"]), np.array([1, 2]), np.array([1, 0]))
    (('1', 1), ('0', 0), ('NA', -1))
    """
    values = flat(values)
    kept = np.arange(len(values)) if rows is None else rows - 1
    if not is_text(values):
        there = values.drop_null()
        numbers = in_memory(values.fill_null(0) if values.null_count else values)[kept]
        found, at = np.unique(numbers, return_index=True)
        every = np.unique(in_memory(there))
        seen = dict.fromkeys(every[np.isfinite(every)].tolist(), DROPPED)
        return tuple((seen | dict(zip(found.tolist(), codes[at].tolist(), strict=True))).items())
    column = from_arrow(name, values)
    found, at = np.unique(column.values[kept], return_index=True)
    words = column.words.to_pylist()
    said: dict[str | float, int] = dict.fromkeys(words, DROPPED)
    said |= {words[word]: MISSING for word in np.unique(column.values[missing_labels(column)]).tolist() if word >= 0}
    said |= {words[word]: code for word, code in zip(found.tolist(), codes[at].tolist(), strict=True)}
    return tuple(said.items())


def placed(values: Any, known: Known) -> Placed:
    """The labels of an Arrow array as positions.

    >>> import pyarrow as pa
    >>> placed(pa.array(["no", "yes", "no"]), (("no", 0), ("yes", 1))).codes.tolist()
    [0, 1, 0]
    """
    values = flat(values)
    return _words(values, known) if is_text(values) else _numbers(values, known)


def _words(values: Any, known: Known) -> Placed:
    import pyarrow as pa

    if pa.types.is_null(values.type):
        values = values.cast(pa.string())
    coded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    coded.dictionary.validate(full=True)
    places = dict(known)
    table = np.array([places.get(word, NEW) for word in coded.dictionary.to_pylist()] + [MISSING], np.int32)
    indices = coded.indices
    if indices.null_count:
        at = indices.cast(pa.int32()).fill_null(len(table) - 1)
        table_at = table[in_memory(at)]
    else:
        if not (table < 0)[:-1].any():
            return Placed(codes=table.astype(np.min_scalar_type(max(int(table.max()), 0)))[in_memory(indices)])
        table_at = table[in_memory(indices)]
    return Placed(
        codes=np.maximum(table_at, 0).astype(np.min_scalar_type(max(int(table.max()), 0))),
        gaps=_where(table_at == MISSING),
        new=_where(table_at == NEW),
        unsettled=_where(table_at == DROPPED),
    )


def _where(mask: Array) -> Array | None:
    return mask if mask.any() else None


def _either(one: Array | None, other: Array | None) -> Array | None:
    return one if other is None else (other if one is None else one | other)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Known numbers ready to be looked up."""

    low: int
    places: Array | None
    """For each whole number from `low` on its position, or that it has none; None: too wide, or not whole."""
    same: bool
    """Whether every number from 0 on is its own position."""
    values: Array
    codes: Array


@lru_cache(maxsize=64)
def _listing(known: Known) -> Listing:
    pairs = sorted((value, code) for value, code in known if not isinstance(value, str))
    numbers = [value for value, _ in pairs]
    codes = _narrow(np.array([code for _, code in pairs], np.int32))
    whole = all(abs(value) < 2**53 and value == int(value) for value in numbers)
    low, high = (int(numbers[0]), int(numbers[-1])) if numbers and whole else (0, WIDE)
    places = None
    if high - low < WIDE:
        places = np.full(high - low + 1, NEW, np.int32)
        places[[int(value) - low for value in numbers]] = codes
        places = _narrow(places)
    same = places is not None and low == 0 and np.array_equal(places, np.arange(len(places)))
    return Listing(low=low, places=places, same=same, values=np.array(numbers), codes=codes)


def _narrow(codes: Array) -> Array:
    """Positions in as few bytes as they need, where all are positions."""
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0)))) if (codes >= 0).all() else codes


def _numbers(values: Any, known: Known) -> Placed:
    listing = _listing(known)
    gaps = None
    if values.null_count:
        gaps = values.is_null().to_numpy(zero_copy_only=False)
        values = values.fill_null(0)
    found = in_memory(values)
    if found.dtype.kind == "f":
        finite = np.isfinite(found)
        if not finite.all():
            gaps = _either(gaps, ~finite)
            found = np.where(finite, found, 0)
    if not len(found):
        return Placed(codes=np.zeros(0, np.uint8))
    codes, new = _searched(found, listing) if listing.places is None else _looked_up(found, listing)
    if codes.dtype.kind == "u":
        return Placed(codes=codes, gaps=gaps, new=_without(new, gaps))
    return Placed(
        codes=np.maximum(codes, 0).astype(np.min_scalar_type(max(int(listing.codes.max(initial=0)), 0))),
        gaps=gaps,
        new=_without(_either(new, codes == NEW), gaps),
        unsettled=_without(codes == DROPPED, gaps),
    )


def _looked_up(found: Array, listing: Listing) -> tuple[Array, Array | None]:
    """The position of each number, and where it is beyond the list or no whole number."""
    assert listing.places is not None
    top = listing.low + len(listing.places) - 1
    new, whole = None, found
    if not (found.min() >= listing.low and found.max() <= top):
        new = (found < listing.low) | (found > top)
        whole = np.where(new, found.dtype.type(0), found).astype(np.int64)
        whole[new] = listing.low
    if found.dtype.kind == "f":
        whole = whole.astype(np.int64)
        new = _either(new, _where(whole != found))
    if listing.same:
        return whole.astype(listing.places.dtype, copy=False), new
    return listing.places[whole if listing.low == 0 else whole.astype(np.int64) - listing.low], new


def _searched(found: Array, listing: Listing) -> tuple[Array, Array | None]:
    """The same where the list would be too long, by a search among the known numbers."""
    if not len(listing.values):
        return np.zeros(len(found), np.uint8), np.ones(len(found), bool)
    at = np.minimum(np.searchsorted(listing.values, found), len(listing.values) - 1)
    return listing.codes[at], _where(listing.values[at] != found)


def _without(new: Array | None, gaps: Array | None) -> Array | None:
    if new is None or gaps is None:
        return None if new is None else _where(new)
    return _where(new & ~gaps)


def first_of_each(values: Any, where: Array) -> Array:
    """The first row of each new value, no more of them than classes there can be."""
    import pyarrow as pa

    rows = np.flatnonzero(where)
    some = flat(values).take(pa.array(rows))
    coded = some if pa.types.is_dictionary(some.type) else some.dictionary_encode()
    _, first = np.unique(in_memory(coded.indices), return_index=True)
    return rows[np.sort(first)[: MOST + 1]]


def unnamed(values: Any) -> Array | None:
    """Where the name of a unit is missing: null, nan, or blanks only."""
    values = flat(values)
    if is_text(values):
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_dictionary(values.type):
            return _where(blank(from_arrow("", values)))
        short = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(values)), 0).fill_null(True)
        return _where(short.to_numpy(zero_copy_only=False)) if pc.any(short).as_py() else None
    if values.type.to_pandas_dtype()(0).dtype.kind == "f":
        return _where(~np.isfinite(values.to_numpy(zero_copy_only=False)))
    return values.is_null().to_numpy(zero_copy_only=False) if values.null_count else None


def stacked(columns: Sequence[Array]) -> Array:
    """Columns side by side, each whole in memory."""
    return np.stack(columns).T
