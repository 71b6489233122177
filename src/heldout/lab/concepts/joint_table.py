"""A finite world: the joint table p(x, c), and everything that follows from it exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from heldout.batch import Array, Batch, Label
from heldout.errors import DataError, UsageError
from heldout.inputs.message_text import listed, quoted
from heldout.lab.concepts.domains import Domain, line_domain

CLOSE = 1e-9
"""How far a sum of probabilities may be from one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointTable:
    """The probability of each point x together with each class c: points × classes, one in all."""

    p: Array
    domain: Domain
    classes: tuple[Label, ...]

    def draw(self, rows: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Simulate independent rows.

        Parameters
        ----------
        rows : int
            Number of rows.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        (ndarray, ndarray)
            Position of each row's point, and of its class.
        """
        cells = rng.choice(self.p.size, size=rows, p=self.p.ravel() / self.p.sum())
        point, label = np.divmod(cells, len(self.classes))
        return point, label


def joint_table(
    probabilities: Any, *, classes: Sequence[Label] | None = None, domain: Domain | None = None
) -> JointTable:
    """A joint distribution p(x, c) of points and classes, as a table.

    Parameters
    ----------
    probabilities : array-like of shape (n_points, n_classes)
        The probability of each point (row) with each class (column), 1 in all.
    classes : sequence of labels, optional
        The classes (default: 0, 1, …).
    domain : Domain, optional
        The points (default: one attribute x with the values 0, 1, …).

    Returns
    -------
    JointTable
        The table, from which everything follows exactly.

    Raises
    ------
    DataError
        If the shape does not fit, a number is not a probability, or they do not add up to 1.

    Examples
    --------
    >>> table = joint_table([[0.4, 0.1], [0.1, 0.4]], classes=["no", "yes"])
    >>> round(bayes_error(table), 12)
    0.2
    """
    try:
        table = np.array(probabilities, dtype=float)
    except (TypeError, ValueError):
        table = np.zeros(0)
    if table.ndim != 2 or not table.size:
        raise DataError("a joint table has one line per point and one column per class", code="H110", fix=SHAPE)
    known = tuple(range(table.shape[1])) if classes is None else tuple(classes)
    where = line_domain(len(table)) if domain is None else domain
    _fitting(table, known, where)
    if not (np.isfinite(table) & (table >= 0)).all():
        line, column = (int(at) for at in np.argwhere(~(np.isfinite(table) & (table >= 0)))[0])
        raise DataError(
            f"p is {table[line, column]:g} at {told(where, line)} and class {quoted(known[column])}, "
            "which is not a probability",
            code="H306",
            fix="give numbers from 0 to 1",
        )
    if abs(table.sum() - 1) > CLOSE:
        raise DataError(
            f"the table adds up to {table.sum():.12g}, and a joint table adds up to 1",
            code="H306",
            fix="give the probability of every point with every class, or divide counts by their sum",
        )
    return JointTable(p=table, domain=where, classes=known)


SHAPE = "give p as a matrix such as [[0.4, 0.1], [0.1, 0.4]]"


def _fitting(table: Array, classes: tuple[Label, ...], domain: Domain) -> None:
    for what, found, wanted in (("lines", len(table), domain.points), ("columns", table.shape[1], len(classes))):
        if found != wanted:
            of = "points" if what == "lines" else "classes"
            raise DataError(
                f"the table has {found} {what} for {wanted} {of}", code="H110", fix=f"give one for each of the {of}"
            )
    if len(set(classes)) < len(classes):
        raise DataError(f"the classes {listed(classes)} are not all different", code="H107", fix="name each class once")


def told(domain: Domain, at: int) -> str:
    """A point as a message names it.

    >>> told(line_domain(3), 2)
    'x=2'
    """
    pairs = zip(domain.attributes, domain.point(at), strict=True)
    return ", ".join(f"{name}={value}" for name, value in pairs)


def x_marginal(table: JointTable) -> Array:
    """Probability of each point: p(x) = Σ_c p(x, c).

    Parameters
    ----------
    table : JointTable
        The joint distribution of points and classes.

    Returns
    -------
    ndarray of shape (n_points,)
        The probabilities.

    Examples
    --------
    >>> table = joint_table([[0.375, 0.125], [0.25, 0.25]])
    >>> x_marginal(table).tolist()
    [0.5, 0.5]
    """
    return table.p.sum(axis=1)


def class_marginal(table: JointTable) -> Array:
    """Probability of each class: p(c) = Σ_x p(x, c).

    Parameters
    ----------
    table : JointTable
        The joint distribution of points and classes.

    Returns
    -------
    ndarray of shape (n_classes,)
        The probabilities.

    Examples
    --------
    >>> table = joint_table([[0.375, 0.125], [0.25, 0.25]])
    >>> class_marginal(table).tolist()
    [0.625, 0.375]
    """
    return table.p.sum(axis=0)


def class_given_x(table: JointTable) -> Array:
    """Probability of each class at each point: p(c|x) = p(x, c) / p(x).

    Parameters
    ----------
    table : JointTable
        The joint distribution of points and classes.

    Returns
    -------
    ndarray of shape (n_points, n_classes)
        The probabilities; nan where the point has probability 0.

    Examples
    --------
    >>> class_given_x(joint_table([[0.375, 0.125], [0.0, 0.5]])).tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    return _shares(table.p, x_marginal(table)[:, None])


def x_given_class(table: JointTable) -> Array:
    """Probability of each point in each class: p(x|c) = p(x, c) / p(c).

    Parameters
    ----------
    table : JointTable
        The joint distribution of points and classes.

    Returns
    -------
    ndarray of shape (n_points, n_classes)
        The probabilities; nan where the class has probability 0.

    Examples
    --------
    >>> x_given_class(joint_table([[0.375, 0.25], [0.125, 0.25]])).tolist()
    [[0.75, 0.5], [0.25, 0.5]]
    """
    return _shares(table.p, class_marginal(table))


def _shares(p: Array, of: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0 is nan: what never comes has no shares
        return p / of


def bayes_classifier(table: JointTable) -> Array:
    """The Bayes classifier: the most likely class at each point, argmax_c p(x, c).

    Parameters
    ----------
    table : JointTable
        The joint distribution of points and classes.

    Returns
    -------
    ndarray of shape (n_points,)
        Positions of the classes; the first of several equally likely ones.

    Examples
    --------
    >>> bayes_classifier(joint_table([[0.3, 0.1], [0.2, 0.4]])).tolist()
    [0, 1]
    """
    return table.p.argmax(axis=1)


def bayes_error(table: JointTable) -> float:
    """The Bayes error, the least error of any classifier: 1 − Σ_x max_c p(x, c).

    >>> round(bayes_error(joint_table([[0.3, 0.1], [0.2, 0.4]])), 12)
    0.3
    """
    return float((x_marginal(table) - table.p.max(axis=1)).sum())


def table_error(table: JointTable, classifier: Any) -> Array:
    """True error of classifiers: Σ_{x,c} p(x, c)·[y(x) ≠ c].

    Parameters
    ----------
    table : JointTable
        The joint distribution of points and classes.
    classifier : array-like of int, of shape (n_points,) or (n_classifiers, n_points)
        The predicted class at each point, as its position; several classifiers are several rows.

    Returns
    -------
    ndarray
        The error of each classifier; a single number for one classifier.

    Raises
    ------
    UsageError
        If the classifier does not give every point a class of the table.

    Examples
    --------
    >>> table = joint_table([[0.3, 0.1], [0.2, 0.4]])
    >>> table_error(table, [[0, 0], [0, 1], [1, 0], [1, 1]]).round(12).tolist()
    [0.5, 0.3, 0.7, 0.5]
    """
    said = np.asarray(classifier)
    points, classes = table.p.shape
    if said.dtype.kind not in "biu" or said.ndim < 1 or said.shape[-1] != points:
        shape = " × ".join(map(str, said.shape)) or "a single value"
        raise UsageError(
            f"a classifier of {points} points gives each a class; this is {shape} of type {said.dtype}",
            fix=f"give {points} positions among the classes {listed(table.classes)}",
        )
    said = said.astype(np.intp)
    if said.size and not 0 <= said.min() <= said.max() < classes:
        wrong = said.min() if said.min() < 0 else said.max()
        raise UsageError(
            f"class {wrong} is not among the positions 0 to {classes - 1}",
            fix=f"give positions among the classes {listed(table.classes)}",
        )
    # point by point no difference is negative, so rounding cannot make an error negative
    return (x_marginal(table) - table.p[np.arange(points), said]).sum(axis=-1)


def with_noise(table: JointTable, noise: Any) -> JointTable:
    """The table with label noise: p′(x, c′) = Σ_c p(x, c)·noise[c, c′].

    Parameters
    ----------
    table : JointTable
        The joint distribution of points and classes.
    noise : float or array-like of shape (n_classes, n_classes)
        The chance that a label turns into one of the others, each alike; or the chance of every class (row) to be
        recorded as every other (column).

    Returns
    -------
    JointTable
        The noisy table.

    Raises
    ------
    UsageError
        If the noise is out of range or has another shape.
    DataError
        If a row of the matrix does not add up to 1.

    Examples
    --------
    >>> table = joint_table([[0.5, 0.0], [0.0, 0.5]])
    >>> round(bayes_error(with_noise(table, 0.1)), 12)
    0.1
    """
    return replace(table, p=table.p @ noise_matrix(noise, table.classes))


def noise_matrix(noise: Any, classes: Sequence[Label]) -> Array:
    """The chance of each class (line) to be written as each other one (column); every line adds up to one.

    >>> noise_matrix(0.2, ["a", "b", "c"]).tolist()
    [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    """
    matrix, k = np.asarray(noise, dtype=float), len(classes)
    if matrix.ndim == 0:
        if not 0 <= matrix <= 1 or k < 2:
            wrong = f"{matrix:g} is not a probability" if k > 1 else "one class alone cannot be mistaken"
            raise UsageError(f"label noise: {wrong}", fix="give a number from 0 to 1, and at least two classes")
        return np.where(np.eye(k, dtype=bool), 1 - matrix, matrix / max(k - 1, 1))
    if matrix.shape != (k, k):
        shape = " × ".join(map(str, matrix.shape))
        raise UsageError(
            f"the noise has the shape {shape} for {k} classes", fix=f"give {k} × {k} chances, one line per class"
        )
    fine = (np.isfinite(matrix) & (matrix >= 0)).all(axis=1) & (np.abs(matrix.sum(axis=1) - 1) <= CLOSE)
    if not fine.all():
        at = int(np.flatnonzero(~fine)[0])
        raise DataError(
            f"the noise of class {quoted(classes[at])} is {', '.join(f'{x:g}' for x in matrix[at])}, "
            "and chances are from 0 to 1 and add up to 1",
            code="H306",
            fix="give in each line the chances of a class to be written as each of the classes",
        )
    return matrix


def drawn_batch(
    table: JointTable, classifier: Any, rows: int, random_state: int | np.random.Generator | None = 0
) -> Batch:
    """Simulate rows of a table, with what a classifier predicts for them.

    Parameters
    ----------
    table : JointTable
        The joint distribution of points and classes.
    classifier : array-like of int of shape (n_points,)
        The predicted class at each point, as its position.
    rows : int
        Number of rows.
    random_state : int, numpy.random.Generator or None, default 0
        Seed of the rows; None: others in each call.

    Returns
    -------
    Batch
        Truth and predictions of the rows, as positions of classes.

    Examples
    --------
    >>> table = joint_table([[0.4, 0.1], [0.1, 0.4]])
    >>> drawn_batch(table, bayes_classifier(table), 5).prediction.tolist()
    [1, 0, 0, 0, 1]
    """
    table_error(table, classifier)  # refuses what is no classifier of this table
    point, label = table.draw(rows, np.random.default_rng(random_state))
    two = len(table.classes) == 2
    return Batch(
        task="binary" if two else "multiclass",
        truth=label,
        prediction=np.asarray(classifier).astype(np.intp)[point],
        labels=table.classes,
        positive=1 if two else None,
    )
