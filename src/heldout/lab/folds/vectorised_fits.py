"""One learner fitted to many parts of the same rows at once: lines of a matrix say how often each row is learned from.

The rules are those of `heldout.lab.learning.small_learners`, where there is one of that name; here thousands are made
from what all parts share: sums of products, or the order of neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.lab.learning.small_learners import Learner, learner
from heldout.optional_packages import needed

Said = Callable[[Array], Array]
"""Features, one line per point → what the rule of every part says: a line per part, a column per point."""
NEAR = 16
"""Neighbours looked at first; among so many there is nearly always one that a part has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A learner for many parts at once."""

    name: str
    stable: bool
    """Whether one row more or less is known to change few predictions."""
    fit: Callable[[Array, Array, Array], Said]
    """Features, truth, and lines of how often each row is learned from."""


def discriminants(X: Array, y: Array, parts: Array) -> Said:
    """Fisher's linear discriminant of the classes 0 and 1, one per part, from sums of products [fisher36].

    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0], [9.0]])
    >>> said = discriminants(X, np.array([0, 0, 1, 1, 1]), np.array([[1, 1, 1, 1, 0], [1, 1, 0, 0, 1]]))
    >>> said(np.array([[1.2]])).tolist()
    [[1], [0]]
    """
    weights = parts.astype(float)
    marks = np.stack([y == 0, y == 1]).astype(float)
    counts = weights @ marks.T
    means = np.stack([weights @ (X * mark[:, None]) for mark in marks], axis=1)
    means /= np.maximum(counts, 1)[:, :, None]
    products = (weights @ (X[:, :, None] * X[:, None, :]).reshape(len(X), -1)).reshape(-1, X.shape[1], X.shape[1])
    scatter = products - np.einsum("sc,sci,scj->sij", counts, means, means)
    apart = means[:, 1] - means[:, 0]
    slopes = _solved(scatter / np.maximum(counts.sum(axis=1) - 2, 1)[:, None, None], apart)
    with np.errstate(divide="ignore"):  # a class that was not seen is not predicted
        odds = np.log(counts[:, 1]) - np.log(counts[:, 0])
    offsets = odds - np.einsum("si,si->s", slopes, means.mean(axis=1))
    return lambda at: (slopes @ at.T + offsets[:, None] > 0).astype(int)


def _solved(matrices: Array, vectors: Array) -> Array:
    try:
        found: Array = np.linalg.solve(matrices, vectors[:, :, None])[:, :, 0]
    except np.linalg.LinAlgError:
        found = (np.linalg.pinv(matrices) @ vectors[:, :, None])[:, :, 0]
    return found


def nearest(X: Array, y: Array, parts: Array) -> Said:
    """The truth of the nearest row of each part; a row that it has seen is nearest to itself.

    >>> said = nearest(np.array([[0.0], [1.0], [5.0]]), np.array([0, 1, 0]), np.array([[1, 1, 0], [1, 0, 1]]))
    >>> said(np.array([[1.1], [4.0]])).tolist()
    [[1, 1], [0, 0]]
    """
    seen = parts > 0

    def said(at: Array) -> Array:
        away = (at**2).sum(axis=1)[:, None] - 2 * at @ X.T + (X**2).sum(axis=1)
        near = min(NEAR, len(X))
        first = np.argpartition(away, near - 1, axis=1)[:, :near]
        first = np.take_along_axis(first, np.take_along_axis(away, first, axis=1).argsort(axis=1), axis=1)
        known = seen[:, first]
        found = np.take_along_axis(first[None], known.argmax(axis=2)[:, :, None], axis=2)[:, :, 0]
        part, point = np.nonzero(~known.any(axis=2))
        found[part, point] = np.where(seen[part], away[point], np.inf).argmin(axis=1)
        return y[found]

    return said


def trees(X: Array, y: Array, parts: Array) -> Said:
    """Scikit-learn's decision tree, grown until every leaf has one class.

    >>> said = trees(np.array([[0.0], [1.0], [5.0]]), np.array([0, 1, 0]), np.array([[1, 1, 0], [1, 0, 1]]))
    >>> said(np.array([[1.1], [4.0]])).tolist()
    [[1, 1], [0, 0]]
    """
    classifier = needed("sklearn.tree", "decision trees need").DecisionTreeClassifier
    narrow = np.ascontiguousarray(X, np.float32)  # what the trees would make of it each time
    truth = np.ascontiguousarray(y, float)[:, None]
    grown = []
    for times in parts:
        rows = np.repeat(np.arange(len(X)), times)
        tree = classifier(random_state=0)
        grown.append(tree.fit(narrow[rows], truth[rows], check_input=False))

    def said(at: Array) -> Array:
        points = np.ascontiguousarray(at, np.float32)
        return np.stack([tree.predict(points, check_input=False) for tree in grown]).astype(int)

    return said


def least_squares(X: Array, y: Array, parts: Array) -> Said:
    """The line (plane) of least squares with an intercept, one per part.

    >>> said = least_squares(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 0.0]), np.array([[1, 1, 0]]))
    >>> said(np.array([[2.0]])).round(6).tolist()
    [[5.0]]
    """
    slopes = planes(X, y, parts)
    return lambda at: slopes @ _with_one(at).T


def planes(X: Array, y: Array, parts: Array) -> Array:
    """The coefficients of least squares, the intercept first, a line per part."""
    full, weights = _with_one(X), parts.astype(float)
    products = (weights @ (full[:, :, None] * full[:, None, :]).reshape(len(X), -1)).reshape(
        -1, full.shape[1], full.shape[1]
    )
    return _solved(products, weights @ (full * y[:, None]))


def _with_one(X: Array) -> Array:
    return np.column_stack([np.ones(len(X)), X])


MODELS: dict[str, Model] = {
    "linear": Model(name="linear", stable=True, fit=discriminants),
    "knn": Model(name="knn", stable=False, fit=nearest),
    "tree": Model(name="tree", stable=False, fit=trees),
}
"""Learners of two classes: the linear discriminant, the nearest neighbour, a tree."""


def many_fits(made: Learner) -> Callable[[Array, Array, Array], Said]:
    """Any learner for many parts at once: the quick way where there is one, else part by part.

    >>> from heldout.lab.learning.small_learners import constant
    >>> said = many_fits(constant())(np.zeros((3, 1)), np.array([0, 1, 1]), np.array([[1, 1, 1], [2, 1, 0]]))
    >>> said(np.zeros((2, 1))).tolist()
    [[1, 1], [0, 0]]
    """
    quick = {"linear": discriminants, "knn:k=1": nearest, "tree": trees}
    if made.name in quick:
        return quick[made.name]

    def fit(X: Array, y: Array, parts: Array) -> Said:
        rows = [np.repeat(np.arange(len(X)), times) for times in parts]
        rules = [made.fit(X[one], y[one]) for one in rows]
        return lambda at: np.stack([rule(at) for rule in rules])

    return fit


def model(name: str) -> Model:
    """The learner of that name or import path.

    >>> model("linear").stable
    True
    """
    if name in MODELS:
        return MODELS[name]
    made = learner(name)
    return Model(name=made.name, stable=False, fit=many_fits(made))
