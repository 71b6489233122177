"""A joint table from data: by counting, and naively, as if attributes were independent within a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError, UsageError
from heldout.lab.concepts.domains import Domain, domain
from heldout.lab.concepts.joint_table import JointTable

Rows = tuple[Array, Array]
"""The position of each row's point, and of its class."""


def counted(rows: Rows, where: Domain, classes: Sequence[Label], weight: Array | None = None) -> Array:
    """How often each point came with each class: points × classes.

    >>> from heldout.lab.concepts.domains import line_domain
    >>> counted((np.array([0, 0, 1]), np.array([0, 1, 1])), line_domain(2), "ab").tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    point, label = rows
    cells = np.bincount(point * len(classes) + label, weights=weight, minlength=where.points * len(classes))
    return cells.astype(float).reshape(where.points, len(classes))


def counting_estimate(counts: Any, where: Domain, classes: Sequence[Label], *, smoothing: float = 0.0) -> JointTable:
    """The share of each cell among all rows: p̂(x, c) = (n_xc + s) / (n + s·cells), s = 1 being Laplace's.

    >>> from heldout.lab.concepts.domains import line_domain
    >>> counting_estimate([[2, 0], [1, 1]], line_domain(2), "ab").p.tolist()
    [[0.5, 0.0], [0.25, 0.25]]
    >>> counting_estimate([[2, 0], [1, 1]], line_domain(2), "ab", smoothing=1).p.tolist()
    [[0.375, 0.125], [0.25, 0.25]]
    """
    seen = _checked(counts, where, classes, smoothing)
    return JointTable(p=(seen + smoothing) / (seen + smoothing).sum(), domain=where, classes=tuple(classes))


def naive_bayes_estimate(counts: Any, where: Domain, classes: Sequence[Label], *, smoothing: float = 0.0) -> JointTable:
    """The product of what each attribute says alone: p̂(x, c) = p̂(c) Π_j p̂(x_j|c), p̂(c) = n_c / n.

    p̂(x_j|c) = (n_jc + s) / (n_c + s·values of j), s = 1 being Laplace's. A class without rows has no share.

    >>> two = domain({"a": [0, 1], "b": [0, 1]})
    >>> naive_bayes_estimate([[1, 0], [1, 0], [1, 0], [1, 4]], two, ["no", "yes"]).p.tolist()
    [[0.125, 0.0], [0.125, 0.0], [0.125, 0.0], [0.125, 0.5]]
    """
    seen = _checked(counts, where, classes, smoothing)
    of_class = seen.sum(axis=0)
    product = of_class / seen.sum()
    for one in attribute_conditionals(seen, where, smoothing):
        product = product * one
    return JointTable(p=product.reshape(-1, len(classes)), domain=where, classes=tuple(classes))


def attribute_conditionals(counts: Any, where: Domain, smoothing: float = 0.0) -> tuple[Array, ...]:
    """The chance of an attribute's value in each class, p̂(x_j|c), shaped so that their product is p̂(x|c).

    >>> two = domain({"a": [0, 1], "b": [0, 1]})
    >>> [one.ravel().tolist() for one in attribute_conditionals([[3], [1], [0], [0]], two)]
    [[1.0, 0.0], [0.75, 0.25]]
    """
    seen = np.asarray(counts, dtype=float)
    grid = seen.reshape(*where.shape, seen.shape[1])
    axes = range(len(where.shape))
    found = []
    for j, size in enumerate(where.shape):
        alone = grid.sum(axis=tuple(axis for axis in axes if axis != j), keepdims=True) + smoothing
        of_class = seen.sum(axis=0) + smoothing * size
        found.append(alone / np.where(of_class > 0, of_class, 1))  # a class without rows: 0, and its share is 0 too
    return tuple(found)


def estimated_table(
    columns: Mapping[str, Sequence[Label]],
    truth: Sequence[Label],
    *,
    naive_bayes: bool = False,
    smoothing: float = 0.0,
) -> JointTable:
    """Estimate a joint table from data, over every combination of its values.

    Parameters
    ----------
    columns : mapping of str to sequence of labels
        Attribute → its value in each row.
    truth : sequence of labels
        The class of each row.
    naive_bayes : bool, default False
        Whether attributes are taken to be independent within a class; otherwise combinations are counted.
    smoothing : float, default 0.0
        Number of rows added to each count; 1 is Laplace's.

    Returns
    -------
    JointTable
        The estimated table; values and classes in sorted order.

    Raises
    ------
    DataError
        If columns differ in length, or there is no row.
    UsageError
        If smoothing is negative or infinite.

    Examples
    --------
    >>> table = estimated_table({"colour": ["red", "green", "red", "red"]}, ["yes", "no", "no", "yes"])
    >>> table.classes, table.p.tolist()
    (('no', 'yes'), [[0.25, 0.0], [0.25, 0.5]])
    """
    rows, where, classes = sampled(columns, truth)
    estimate = naive_bayes_estimate if naive_bayes else counting_estimate
    return estimate(counted(rows, where, classes), where, classes, smoothing=smoothing)


def _checked(counts: Any, where: Domain, classes: Sequence[Label], smoothing: float) -> Array:
    seen = np.asarray(counts, dtype=float)
    if seen.shape != (where.points, len(classes)):
        shape = " × ".join(map(str, seen.shape))
        raise DataError(
            f"the counts have the shape {shape} for {where.points} points and {len(classes)} classes",
            code="H110",
            fix="give one line per point and one column per class",
        )
    if not (np.isfinite(seen) & (seen >= 0)).all() or not seen.sum():
        wrong = "every count is zero" if not seen.any() else "a count is negative or missing"
        raise DataError(f"the counts cannot be shares: {wrong}", code="H110", fix="count at least one row")
    if not 0 <= smoothing < np.inf:
        raise UsageError(
            f"smoothing is {smoothing:g}, and it is a number of rows added to each count",
            fix="give 0 for none, or 1 for Laplace's",
        )
    return seen


def sampled(columns: Mapping[str, Sequence[Label]], truth: Sequence[Label]) -> tuple[Rows, Domain, tuple[Label, ...]]:
    """Data as rows on the domain that its own values make, with the domain and the classes, both in sort order.

    >>> rows, where, classes = sampled({"colour": ["red", "green", "red"]}, ["yes", "no", "no"])
    >>> rows[0].tolist(), rows[1].tolist(), where.values, classes
    ([1, 0, 1], [1, 0, 0], (('green', 'red'),), ('no', 'yes'))
    """
    uneven = next((name for name, values in columns.items() if len(values) != len(truth)), None)
    if uneven is not None or not len(truth):
        wrong = f"{uneven} has {len(columns[uneven])} rows and the truth {len(truth)}" if uneven else "there is no row"
        raise DataError(wrong, code="H112", fix="give one value per row")
    coded = {name: np.unique(np.asarray(values), return_inverse=True) for name, values in columns.items()}
    where = domain({name: known.tolist() for name, (known, _) in coded.items()})
    point = np.ravel_multi_index(tuple(codes for _, codes in coded.values()), where.shape)
    classes, label = np.unique(np.asarray(truth), return_inverse=True)
    return (point, label), where, tuple(classes.tolist())
