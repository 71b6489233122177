"""Leakage: rows or groups on both sides of a split, columns that give the target away, columns scaled over all rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.inputs.checks.train_overlap import equal_by_chance, rows_numbered
from heldout.inputs.columns.column_values import Column
from heldout.inputs.columns.number_parsing import numbers_or_none
from heldout.inputs.formats.frames import table
from heldout.inputs.message_text import listed, names_listed, rows_named
from heldout.inputs.reading import Check

Pairs = Sequence[tuple[Array, Array]]
"""Training rows and test rows of each split, as positions."""
NEARLY_ALL = 0.999
"""AUC or squared rank correlation from which a column alone predicts the target."""
FEWEST = 20
"""With fewer rows than this a perfect column may be chance."""
FEWEST_OF_A_CLASS = 5
ASK = "is it known when the prediction is made?"
SCALED = "scaled before the rows were split; scale inside the folds"


def feature_columns(X: Any) -> list[Column]:
    """The columns of a frame, a dict, a file or a two-dimensional array, whose columns are called x0, x1 ...

    >>> [one.name for one in feature_columns(np.zeros((3, 2)))]
    ['x0', 'x1']
    """
    if isinstance(X, np.ndarray) and X.ndim == 2 and not X.dtype.names:
        X = {f"x{at}": X[:, at] for at in range(X.shape[1])}
    rows = table(X)
    return [rows.column(at) for at in range(len(rows.names))]


def copied_across(columns: Sequence[Column], pairs: Pairs) -> tuple[Check, ...]:
    """Test rows whose features are equal to those of a training row (H201).

    >>> X = np.array([[1.0, 2], [3, 4], [1, 2]])
    >>> copied_across(feature_columns(X), [(np.array([0, 1]), np.array([2]))])[0].text
    '1 of 3 rows is tested while a copy is in the training rows: row 3, equal in x0, x1'
    """
    if len(columns) < 2:
        return ()
    coded = [np.unique(one.values, return_inverse=True)[1] for one in columns]
    codes = rows_numbered(coded)
    names = names_listed([one.name for one in columns])
    if equal_by_chance(coded, codes, 0.6):
        return (Check(code="H201", text=f"{names} do not identify rows, so duplicated rows are not checked"),)
    copied = _across(codes, pairs)
    if not len(copied):
        return ()
    verb = "is" if len(copied) == 1 else "are"
    which = f"{rows_named(copied + 1)}, equal in {names}"
    return (
        Check(
            code="H201",
            text=f"{len(copied):,} of {len(codes):,} rows {verb} tested while a copy is in the training rows: {which}",
        ),
    )


def groups_across(groups: Any, pairs: Pairs, name: str = "group") -> tuple[Check, ...]:
    """Groups with rows on both sides of a split (H202).

    >>> groups_across(["a", "a", "b"], [(np.array([0, 2]), np.array([1]))])[0].text
    "group is on both sides of a split: 1 of 2 ('a')"
    """
    values, codes = np.unique(np.asarray(groups), return_inverse=True)
    shared = values[np.unique(codes[_across(codes, pairs)])]
    if not len(shared):
        return ()
    text = f"{name} is on both sides of a split: {len(shared):,} of {len(values):,} ({listed(shared.tolist())})"
    return (Check(code="H202", text=text),)


def _across(codes: Array, pairs: Pairs) -> Array:
    """Rows that some split tests while it trains on a row of the same code."""
    on_both_sides = np.zeros(len(codes), bool)
    for train, test in pairs:
        trained_on = np.bincount(codes[train], minlength=int(codes.max()) + 1) > 0
        on_both_sides[test] |= trained_on[codes[test]]
    return np.flatnonzero(on_both_sides)


def giveaways(columns: Sequence[Column], y: Any, *, task: str) -> tuple[Check, ...]:
    """Columns that alone predict the target: an AUC or a squared rank correlation of 0.999 or more (H206).

    >>> known = np.arange(40.0)
    >>> giveaways(feature_columns({"paid_on": known}), known > 20, task="binary")[0].text
    'paid_on alone predicts the target (AUC 1.000): is it known when the prediction is made?'
    """
    truth = np.asarray(y)
    if len(truth) < FEWEST or task not in ("binary", "multiclass", "regression"):
        return ()
    kinds, codes, counts = np.unique(truth, return_inverse=True, return_counts=True)
    if task != "regression" and (len(kinds) < 2 or counts.min() < FEWEST_OF_A_CLASS):
        return ()
    checks = []
    for column in columns:
        values = numbers_or_none(column)
        if task == "regression":
            strength = 0.0 if values is None else _squared_correlation(values, truth.astype(float))
            measure = "squared rank correlation"
        elif values is not None and len(kinds) == 2:
            strength, measure = _area(values, codes), "AUC"
        else:
            strength, measure = _accuracy(column, codes), "accuracy"
        if strength >= NEARLY_ALL:
            text = f"{column.name} alone predicts the target ({measure} {strength:.3f}): {ASK}"
            checks.append(Check(code="H206", text=text))
    return tuple(checks)


def _ranks(values: Array) -> Array:
    """Ranks from 1; ties have their mean rank, and missing values rank last."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[codes])


def _area(values: Array, codes: Array) -> float:
    positives = int(codes.sum())
    negatives = len(codes) - positives
    above = _ranks(values)[codes == 1].sum() - positives * (positives + 1) / 2
    area = float(above / (positives * negatives))
    return max(area, 1 - area)


def _squared_correlation(values: Array, truth: Array) -> float:
    ours, theirs = _ranks(values), _ranks(truth)
    if ours.min() == ours.max() or theirs.min() == theirs.max():
        return 0.0
    return float(np.corrcoef(ours, theirs)[0, 1] ** 2)


def _accuracy(column: Column, codes: Array) -> float:
    """Share of rows whose class is the most frequent one among the other rows of the same value; 0 for an id."""
    values = np.unique(column.values, return_inverse=True)[1]
    table_ = np.zeros((int(values.max()) + 1, int(codes.max()) + 1))
    np.add.at(table_, (values, codes), 1)
    others = table_[values]
    others[np.arange(len(codes)), codes] -= 1
    best = others.max(axis=1)
    return float(np.mean((others[np.arange(len(codes)), codes] == best) & (best > 0)))


def standardised(columns: Sequence[Column]) -> tuple[Check, ...]:
    """Columns with mean 0 and variance 1 over all rows, to a hundredth of the standard error (H207).

    >>> x = np.arange(50.0)
    >>> standardised(feature_columns({"age": (x - x.mean()) / x.std(), "bmi": x}))[0].text
    'age has mean 0 and variance 1 over all rows: scaled before the rows were split; scale inside the folds'
    """
    names = []
    for column in columns:
        values = None if column.words is not None or column.values.dtype.kind != "f" else column.values.astype(float)
        if values is None or len(values) < FEWEST or not np.isfinite(values).all():
            continue
        reach = 0.01 / np.sqrt(len(values))
        near = min(abs(values.var(ddof=ddof) - 1) for ddof in (0, 1))
        if abs(values.mean()) < reach and near < reach:
            names.append(column.name)
    if not names:
        return ()
    verb = "has" if len(names) == 1 else "have"
    text = f"{names_listed(names)} {verb} mean 0 and variance 1 over all rows: {SCALED}"
    return (Check(code="H207", text=text),)
