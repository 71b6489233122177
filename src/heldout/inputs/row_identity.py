"""What tells the rows of a test set apart, whatever model judged them: their ids, or all columns that are not outputs.

Hashes are made when they are asked for, which is when a result is recorded; reading takes no longer for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from heldout.batch import Array, Batch
from heldout.inputs.columns.column_names import CLASS_PREFIXES, NAMES, PREDICTION_PREFIXES, plain_name
from heldout.inputs.columns.column_values import Column
from heldout.inputs.columns.number_parsing import numbers_or_none
from heldout.inputs.columns.role_columns import RoleColumns
from heldout.inputs.formats.files import Table

MOST_CELLS = 20_000_000
"""Values of a table without ids that are kept to identify its rows; more are not."""
OUTPUTS = ("pred", "score")
"""Roles of what a model says."""


@dataclass(frozen=True, kw_only=True)
class RowIdentity:
    """Columns of a table that belong to its rows, not to a model."""

    table: Table
    role: str
    """What the columns are: the id, or features."""
    chosen: Array | None = None
    """Positions of the rows that are left, where not all of them are."""

    def take(self, chosen: Array) -> RowIdentity:
        """The rows where `chosen` is true, or at those positions."""
        places = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        return replace(self, chosen=places if self.chosen is None else self.chosen[places])

    def hashes(self) -> Array:
        """A hash of each row that does not depend on the order of columns."""
        names = ["id"] if self.role == "id" else [name.strip() for name in self.table.names]
        columns = [_mixed(_values(self.table.column(at)) ^ _of_text(name)) for at, name in enumerate(names)]
        whole: Array = np.asarray(np.sum(columns, axis=0, dtype=np.uint64))
        return whole if self.chosen is None else whole[self.chosen]


def row_identity(table: Table, columns: RoleColumns) -> RowIdentity | None:
    """What tells the rows of a table apart; None where it has nothing but truths and outputs, or is too large."""
    rows = columns.origin.rows
    chosen = None if rows is None else rows - 1 - columns.origin.first
    if columns.id is not None:
        at = table.names.index(columns.id.name)
        only = replace(table, names=(columns.id.name,), raw=(table.raw[at],))
        return RowIdentity(table=only, role="id", chosen=chosen)
    outputs = [*columns.prediction, *columns.classes.values(), *columns.truth]
    outputs += [column for column in (columns.score, columns.weight) if column is not None]
    left_out = {column.name for column in outputs} | set(columns.models)
    kept = [
        at
        for at, name in enumerate(table.names)
        if name not in left_out and table.raw[at] is not None and not _is_output(name)
    ]
    if not kept or len(kept) * len(columns.truth[0]) > MOST_CELLS:
        return None
    only = replace(table, names=tuple(table.names[at] for at in kept), raw=tuple(table.raw[at] for at in kept))
    return RowIdentity(table=only, role="features", chosen=chosen)


def _is_output(name: str) -> bool:
    """Whether a column is named like what a model says."""
    plain = plain_name(name)
    known = {one for role in OUTPUTS for one in NAMES[role]}
    return plain in known or plain.startswith(tuple(_beginnings()))


def _beginnings() -> Iterable[str]:
    return (*CLASS_PREFIXES, *PREDICTION_PREFIXES, "pred", "score", "prob", "logit")


def row_hashes(batch: Batch) -> Array | None:
    """A hash of the content of each row, its truth and identity; None where rows cannot be distinguished.

    Fewer than half of the rows being distinct, their number in each class would pass for their content.
    """
    identity: RowIdentity | None = batch.identity
    own = np.zeros(batch.rows, dtype=np.uint64) if identity is None else identity.hashes()
    hashes = _mixed(own + _truths(batch))
    return hashes if 2 * len(np.unique(hashes)) >= len(hashes) > 0 else None


def scored_rows(batch: Batch) -> dict[str, Array]:
    """Hashes of each row of two classes with a score: of its truth and score; of these and its id; of truth and id.

    Ids that only count rows belong to other rows in another file, and are told from these by the score alone.
    """
    assert batch.score is not None
    identity: RowIdentity | None = batch.identity
    truths = _truths(batch)
    pairs = _mixed(truths + _mixed(_bits(batch.score)))
    if identity is None or identity.role != "id":
        return {"score": pairs}
    ids = identity.hashes()
    named = {} if _counts_rows(identity.table.column(0)) else {"row": _mixed(truths + ids)}
    return {"score": pairs, "id": _mixed(pairs + ids), **named}


def _counts_rows(column: Column) -> bool:
    """Whether ids are the numbers of rows from 0 or 1 on, in any order, behind a text or alone: row7."""
    numbers = numbers_or_none(column)
    if numbers is None:
        words = [] if column.words is None else column.texts()
        digits = [re.search(r"[0-9]*$", text.strip()) for text in words] if len(words) == len(column) else []
        numbers = np.array([float(found[0]) if found and found[0] else -1.0 for found in digits])
    ordered = np.sort(numbers)
    return bool(len(ordered) and ordered[0] in (0, 1) and np.all(np.diff(ordered) == 1))


def _truths(batch: Batch) -> Array:
    if batch.task in ("binary", "multiclass"):
        return np.array([_of_text(str(label)) for label in batch.labels], dtype=np.uint64)[batch.truth.astype(int)]
    truth = batch.truth if batch.truth.ndim == 2 else batch.truth[:, None]
    names = batch.labels if len(batch.labels) == truth.shape[1] else range(truth.shape[1])
    columns = [_mixed(_bits(column) ^ _of_text(str(name))) for name, column in zip(names, truth.T, strict=True)]
    return np.asarray(np.sum(columns, axis=0, dtype=np.uint64))


def _values(column: Column) -> Array:
    """A hash of each value; numbers have the same one whether they were written as text or not."""
    from heldout.inputs.chunked.unit_hashes import unit_hashes

    numbers = numbers_or_none(column)
    if numbers is not None:
        return _bits(numbers)
    if column.words is None:
        return np.zeros(len(column), dtype=np.uint64)
    return np.append(unit_hashes(column.words), np.uint64(0))[column.values]


def _bits(numbers: Array) -> Array:
    """The bits of numbers; zeros of either sign, and all missing numbers, are the same."""
    plain = numbers.astype(float) + 0.0
    return np.where(np.isnan(plain), np.nan, plain).view(np.uint64)


def _of_text(text: str) -> np.uint64:
    return np.uint64(int.from_bytes(blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest(), "little"))


def _mixed(values: Array) -> Array:
    """Hashes whose bits all depend on all bits (the finaliser of splitmix64), so that sums of them do not collide."""
    mixed = values ^ (values >> np.uint64(30))
    mixed = mixed * np.uint64(0xBF58476D1CE4E5B9)
    mixed = mixed ^ (mixed >> np.uint64(27))
    mixed = mixed * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
