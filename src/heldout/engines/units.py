"""Sums by unit: tables with a column `unit` and columns of numbers, added up where rows of a unit meet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from heldout.tallies.moments import FEW as KEPT, Kept, Moments

UNIT = "unit"
LINES = 2**16
"""How many units are multiplied at a time."""
MEET = 1 << 25
"""Tables by unit that have no more bytes together meet on one worker; others in the engine's shuffle."""
SAMPLED = 1024
"""How many units of a table are kept for a look at the tail of what they add,"""
TAILED = 32
"""where the columns are no more than these: counts of cells have no tail."""


def plain(table: Any) -> Any:
    """The table with units as whole numbers or text: types differ between chunks, and shuffles compare values.

    Numbers are of 64 bits, for the same reason.

    >>> import pyarrow as pa
    >>> coded = pa.table({"unit": pa.array(["b", "a"]).dictionary_encode(), "rows": [1, 2]})
    >>> plain(coded).schema.field("unit").type
    DataType(string)
    """
    import pyarrow as pa

    unit = table.column(UNIT)
    kind = unit.type.value_type if pa.types.is_dictionary(unit.type) else unit.type
    whole = pa.types.is_integer(kind) and kind != pa.uint64()
    wanted = pa.int64() if whole else pa.binary() if pa.types.is_binary(kind) else pa.string()
    columns = {UNIT: unit.cast(kind).cast(wanted)}
    for name in table.column_names:
        if name != UNIT:
            column = table.column(name)
            columns[name] = column.cast(pa.float64() if pa.types.is_floating(column.type) else pa.int64())
    return pa.table(columns)


def by_unit(table: Any) -> Any:
    """One line per unit: the sum of each column over its lines.

    >>> import pyarrow as pa
    >>> by_unit(pa.table({"unit": ["b", "a", "b"], "rows": [1, 2, 3]})).sort_by("unit").to_pydict()
    {'unit': ['a', 'b'], 'rows': [2, 4]}
    """
    names = [name for name in table.column_names if name != UNIT]
    found = table.group_by(UNIT).aggregate([(name, "sum") for name in names])
    return found.select([UNIT, *(f"{name}_sum" for name in names)]).rename_columns([UNIT, *names])


def unit_moments(table: Any) -> Moments:
    """Number of units, totals and products of a table with one line per unit.

    >>> import pyarrow as pa
    >>> unit_moments(pa.table({"unit": ["a", "b"], "rows": [2, 4]})).products
    array([[20.]])
    """
    names = tuple(name for name in table.column_names if name != UNIT)
    every = max(table.num_rows // SAMPLED, 1)
    some = {name: table.column(name).to_numpy()[::every].astype(float) for name in names if len(names) <= TAILED}
    total, products = np.zeros(len(names)), np.zeros((len(names), len(names)))
    for batch in table.select(list(names)).to_batches(max_chunksize=LINES):
        columns = [column.to_numpy(zero_copy_only=False) for column in batch.columns]
        matrix = np.stack(columns).astype(float, copy=False)
        with np.errstate(invalid="ignore", over="ignore"):  # an infinite loss is told by its total
            total += matrix.sum(axis=1)
            products += matrix @ matrix.T
    return Moments(names, table.num_rows, total, products, {}, clustered=True, sample=some, kept=_kept(table, names))


def met(tables: Iterable[Any]) -> Moments:
    """The moments of units that meet here: what travels to a worker."""
    import pyarrow as pa

    return unit_moments(by_unit(pa.concat_tables(tables)))


def _kept(table: Any, names: tuple[str, ...]) -> tuple[Kept, ...] | None:
    """The units themselves, as long as they are few."""
    if table.num_rows > KEPT:
        return None
    added = {name: table.column(name).to_numpy().astype(float) for name in names}
    return (Kept(place="", first=0, added=added, names=table.column(UNIT).to_numpy()),)
