"""Missing and infinite values: named, and dropped only when asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from heldout.batch import Array
from heldout.inputs.columns import Column, blank
from heldout.inputs.labels import missing_labels
from heldout.inputs.reading import Check, Parts, fault, option
from heldout.inputs.wording import rows_named, rows_where


def without_gaps(parts: Parts, on_nan: str) -> tuple[Parts, tuple[Check, ...]]:
    """The parts without rows that lack a value: an error that names them, or a note of how many were dropped."""
    rows = len(parts.truth[0])
    labels = {id(column) for column in (*parts.truth, *parts.prediction)}
    found = {}
    for column in (column for column in parts.columns() if not column.gapless):
        mask = missing_labels(column) if id(column) in labels else blank(column)
        if mask.any():
            found[column.name] = (column, mask)
    if not found:
        return parts, ()
    texts = [text for name, (column, mask) in found.items() for text in _told(name, column, mask, parts.first)]
    if on_nan == "error":
        raise fault(
            parts,
            f"{'; '.join(texts[:6])}. Rows are never dropped silently",
            code="H305",
            fix=f"complete the values, or drop these rows with {option(parts, 'on_nan', 'drop')}",
        )
    gone = np.logical_or.reduce([mask for _, mask in found.values()])
    if gone.all():
        raise fault(parts, f"no row is complete: {'; '.join(texts[:6])}", code="H305", fix="complete the values")
    verb = "was" if gone.sum() == 1 else "were"
    note = f"{int(gone.sum()):,} of {rows:,} rows {verb} dropped: {'; '.join(texts[:6])}"
    kept = replace(parts.take(~gone), rows=rows_where(~gone) + parts.first)
    return kept, (Check(code="H305", text=note),)


def _told(name: str, column: Column, mask: Array, first: int) -> list[str]:
    infinite = (
        np.isinf(column.values)
        if column.words is None and column.values.dtype.kind == "f"
        else np.zeros(len(mask), bool)
    )
    texts = []
    if (mask & ~infinite).any():
        texts.append(f"{name} is missing in {rows_named(rows_where(mask & ~infinite) + first)}")
    if infinite.any():
        texts.append(f"{name} is infinite (inf) in {rows_named(rows_where(infinite) + first)}")
    return texts
