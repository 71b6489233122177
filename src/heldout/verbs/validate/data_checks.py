"""What to know of the rows and their splits before any value is read: leaks, shifts, parts that are too small."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from heldout.errors import DataError
from heldout.inputs.checks.leakage import copied_across, feature_columns, giveaways, groups_across, standardised
from heldout.inputs.columns.column import Column
from heldout.inputs.formats.frames import table
from heldout.inputs.reading import Check
from heldout.learners import Dataset, Design
from heldout.learners.training_data import part_of, values_in
from heldout.splits import split_checks
from heldout.stats.distribution_shift import shift_checks, shifts

IN_ORDER = ("holdout", "time")
"""Designs with one division of the rows that matters; random ones are alike by construction."""


def learning_checks(data: Dataset, design: Design) -> tuple[Check, ...]:
    """Rows copied across parts, groups on both sides, columns that know the target or all rows, parts that differ."""
    given = np.arange(data.rows) if data.order is None else data.order
    pairs = [(one.train, one.test) for one in design.splits]
    columns = _columns(data.X)
    found = [*split_checks(design.splits, data.y, task=data.task), *_from_the_future(data, design)]
    if columns and (isinstance(data.X, list) or len(columns) == data.X.shape[1]):
        # rows are named as they were given, also where time has put them into another order
        as_given = columns if data.order is None else _columns(part_of(data.X, np.argsort(given)))
        found += copied_across(as_given, [(given[train], given[test]) for train, test in pairs])
    if columns:
        found += standardised(columns)
        found += giveaways(columns, data.y, task=data.task) if data.y.ndim == 1 else ()
    if data.groups is not None:
        found += groups_across(data.groups, pairs)
    if design.kind in IN_ORDER and data.groups is None and columns and data.y.ndim == 1:
        found += _shifts(data, columns, design)
    return tuple(found)


def _from_the_future(data: Dataset, design: Design) -> tuple[Check, ...]:
    """A note (H312) where rows have a time and some splits learn from later rows than they test."""
    later = 0 if data.order is None else sum(one.train.max() > one.test.min() for one in design.splits)
    if not later:
        return ()
    text = f"{later:,} of {len(design.splits):,} splits learn from rows later than some they test: take cv='time'"
    return (Check(code="H312", text=text),)


def _shifts(data: Dataset, columns: list[Column], design: Design) -> tuple[Check, ...]:
    """Whether the last training part and its test part were drawn alike, target and features."""
    target = (data.roles or {}).get("target", "y")
    values = {**{one.name: values_in(one) for one in columns}, target: data.y}
    train, test = (
        {name: column[part] for name, column in values.items()}
        for part in (design.splits[-1].train, design.splits[-1].test)
    )
    return shift_checks(shifts(train, test), target=target)


def _columns(X: Any) -> list[Column]:
    """The features as columns; none where they are no table (texts, images, sparse matrices).

    Columns of a frame that are neither numbers nor labels (lists, bytes) are left out: pipelines may make use of them.
    """
    if isinstance(X, np.ndarray | list):
        try:
            matrix = np.asarray(X)
        except ValueError:  # lists of several lengths
            return []
        return feature_columns(matrix) if matrix.ndim == 2 and matrix.dtype.kind in "biuf" else []
    found: list[Column] = []
    if hasattr(X, "columns"):
        rows = table(X)
        for at in range(len(rows.names)):
            with suppress(DataError):
                found.append(rows.column(at))
    return found
