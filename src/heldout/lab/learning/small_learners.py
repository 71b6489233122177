"""Small learners to look at: each takes rows and gives a rule. What has fit and predict is welcome too."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import FAULTS_OF_USER_CODE, DataError, HeldoutError, UsageError
from heldout.inputs.message_text import quoted
from heldout.lab.name_parsing import meant, spelled
from heldout.learners.by_name import learners_named
from heldout.optional_packages import needed

Rule = Callable[[Array], Array]
"""Features, one line per row, → predictions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learner:
    """A way to make a rule of rows: features (one line per row) and truth, whole numbers being classes."""

    name: str
    fit: Callable[[Array, Array], Rule]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearRule:
    """Class 1 where w·x + b > 0, class 0 elsewhere."""

    weights: tuple[float, ...]
    offset: float

    def __post_init__(self) -> None:
        for number in (*self.weights, self.offset):
            if not isfinite(number):
                text = f"the weights {self.weights} and the offset {self.offset:g} of a linear rule must be finite"
                raise UsageError(text, fix="give finite numbers, such as --linear 1,0,-1 (weights=(1, 0), offset=-1)")

    def __call__(self, X: Array) -> Array:
        return (X @ np.array(self.weights) + self.offset > 0).astype(int)


def fixed_line(slope: float = 0.0, intercept: float = 0.0) -> Learner:
    """The line slope · x + intercept, whatever the rows say: it has no variance.

    >>> fixed_line(slope=2.0).fit(np.zeros((3, 1)), np.ones(3))(np.array([[1.0]])).tolist()
    [2.0]
    """
    return Learner(
        name=spelled("fixed-line", slope=slope, intercept=intercept),
        fit=lambda X, y: lambda at: slope * at[:, 0] + intercept,
    )


def constant() -> Learner:
    """The mean of the numbers seen, or the most frequent of the classes seen.

    >>> constant().fit(np.zeros((3, 1)), np.array([1, 1, 0]))(np.zeros((2, 1))).tolist()
    [1, 1]
    """

    def fit(X: Array, y: Array) -> Rule:  # noqa: ARG001 it looks at nothing
        said = np.bincount(y).argmax() if y.dtype.kind in "iu" else y.mean()
        return lambda at: np.full(len(at), said)

    return Learner(name="constant", fit=fit)


def poly(degree: int = 1) -> Learner:
    """The polynomial of that degree with the least squared error on the rows, in the one feature x.

    >>> line = poly(degree=1).fit(np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 2.0]))
    >>> line(np.array([[3.0]])).round(6).tolist()
    [3.0]
    """
    if degree < 0:
        raise UsageError(f"degree is {degree}, but must be 0 or more", fix="such as poly:degree=3")

    def fit(X: Array, y: Array) -> Rule:
        if len(y) <= degree:
            raise UsageError(
                f"a polynomial of degree {degree} needs {degree + 1} rows, but there are {len(y)}",
                fix=f"take a degree below {len(y)}, or more rows",
            )
        x = _single(X)
        low, high = x.min(), x.max()
        basis = _legendre(low, high, degree)
        weights = np.linalg.lstsq(basis(x), y.astype(float), rcond=None)[0]
        return lambda at: basis(_single(at)) @ weights

    return Learner(name=spelled("poly", degree=degree), fit=fit)


def interpolate() -> Learner:
    """The polynomial through all points, by the barycentric formula [berrut04]: exact at the rows it has seen.

    >>> through = interpolate().fit(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 0.0, 3.0]))
    >>> through(np.array([[1.0], [3.0]])).round(9).tolist()
    [0.0, 10.0]
    """

    def fit(X: Array, y: Array) -> Rule:
        x = _single(X)
        apart = x[:, None] - x
        np.fill_diagonal(apart, 1)
        if not apart.all():
            raise UsageError(
                "two rows have the same x, and no polynomial goes through both", fix="take poly, or a fixed design"
            )
        # only ratios of these weights count: taken from logarithms, many points do not overflow
        size = -np.log(np.abs(apart)).sum(axis=1)
        weights = np.sign(apart).prod(axis=1) * np.exp(size - size.max())
        return lambda at: _barycentric(_single(at), x, y, weights)

    return Learner(name="interpolate", fit=fit)


def _barycentric(at: Array, x: Array, y: Array, weights: Array) -> Array:
    away = at[:, None] - x
    row, node = np.nonzero(away == 0)
    share = weights / np.where(away == 0, 1.0, away)
    share[row] = 0.0
    share[row, node] = 1.0  # at a point seen the value is the one seen
    return (share @ y) / share.sum(axis=1)


def knn(k: int = 1) -> Learner:
    """The mean, or for classes the vote, of the k nearest rows; k = 1 remembers every row it has seen.

    >>> knn(k=1).fit(np.array([[0.0], [1.0]]), np.array([0, 1]))(np.array([[0.2], [0.9]])).tolist()
    [0, 1]
    """
    if k < 1:
        raise UsageError(f"k is {k}, but must be 1 or more", fix="such as knn:k=1")

    def fit(X: Array, y: Array) -> Rule:
        from scipy.spatial import cKDTree

        if len(y) < k:
            raise UsageError(f"{k} nearest rows were asked for, but there are {len(y)}", fix="take a smaller k")
        tree = cKDTree(X)
        return lambda at: averaged(y[tree.query(at, k=[*range(1, k + 1)])[1]])

    return Learner(name=spelled("knn", k=k), fit=fit)


def averaged(seen: Array) -> Array:
    """The mean of each line of numbers; of each line of classes the most frequent, at a tie the one that comes first.

    >>> averaged(np.array([[2, 1, 1], [0, 2, 1]])).tolist()
    [1, 0]
    """
    if seen.dtype.kind not in "iu":
        return seen.mean(axis=1)
    votes = (seen[:, :, None] == seen[:, None, :]).sum(axis=2)
    return np.take_along_axis(seen, votes.argmax(axis=1)[:, None], axis=1)[:, 0]


def linear() -> Learner:
    """Fisher's linear discriminant of two classes, w = S⁻¹(m1 − m0), S the pooled covariance [fisher36].

    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> linear().fit(X, np.array([0, 0, 1, 1]))(np.array([[-0.1], [0.1]])).tolist()
    [0, 1]
    """

    def fit(X: Array, y: Array) -> Rule:
        if set(np.unique(y)) - {0, 1}:
            raise UsageError("the linear discriminant is for the classes 0 and 1", fix="take knn for more classes")
        groups = [X[y == c] for c in (0, 1)]
        counts = [len(group) for group in groups]
        if min(counts) == 0:  # one class only was seen: nothing else can be said
            return LinearRule(weights=(0.0,) * X.shape[1], offset=1.0 if counts[1] else -1.0)
        first, second = (group.mean(axis=0) for group in groups)
        scatter = sum((group - group.mean(axis=0)).T @ (group - group.mean(axis=0)) for group in groups)
        pooled = np.asarray(scatter) / max(len(y) - 2, 1)
        weights = np.linalg.pinv(pooled) @ (second - first)
        offset = float(np.log(counts[1] / counts[0]) - weights @ (first + second) / 2)
        return LinearRule(weights=tuple(weights.tolist()), offset=offset)

    return Learner(name="linear", fit=fit)


def tree() -> Learner:
    """Scikit-learn's decision tree of classes, grown until every leaf has one.

    >>> tree().fit(np.array([[0.0], [1.0], [5.0]]), np.array([0, 1, 0]))(np.array([[0.9], [4.0]])).tolist()
    [1, 0]
    """
    classifier = needed("sklearn.tree", "decision trees need").DecisionTreeClassifier
    return Learner(name="tree", fit=lambda X, y: _fitted(classifier(random_state=0), "tree", X, y))


LEARNERS: dict[str, Callable[..., Learner]] = {
    "constant": constant,
    "fixed-line": fixed_line,
    "interpolate": interpolate,
    "knn": knn,
    "linear": linear,
    "poly": poly,
    "tree": tree,
}
"""The learners that come with the lab, by name."""


def learner(model: Any) -> Learner:
    """A learner from its name, or from an estimator.

    Parameters
    ----------
    model : str, Learner or estimator
        A name such as "poly:degree=9" or "knn:k=1"; an import path such as
        "sklearn.tree:DecisionTreeClassifier(max_depth=3)" or "models.py:pipeline"; an object with fit and predict, of
        which a fresh copy is fitted each time; or a Learner, which is returned as it is.

    Returns
    -------
    Learner
        Its name, and a function that fits it.

    Raises
    ------
    UsageError
        If the name is not known, or the object has no fit and predict.

    Examples
    --------
    >>> learner("poly:degree=9").name
    'poly:degree=9'
    """
    if isinstance(model, Learner):
        return model
    if isinstance(model, str):
        return (
            _by_path(model)
            if is_import_path(model)
            else meant(model, LEARNERS, "learner", also=", or an import path such as sklearn.svm:SVC")
        )
    if hasattr(model, "fit") and hasattr(model, "predict") and not isinstance(model, type):
        name = type(model).__name__
        return Learner(name=name, fit=lambda X, y: _fitted(model, name, X, y))
    raise UsageError(
        f"a learner of type {type(model).__name__} has no fit and predict",
        fix=f"pass an estimator, or one of {', '.join(LEARNERS)}",
    )


def is_import_path(word: str) -> bool:
    """Whether a word is module:name or file.py:name; names of the lab have parameters after their colon.

    >>> is_import_path("models:Mine(k=3)"), is_import_path("poly:degree=3"), is_import_path("polly:degree=3")
    (True, False, False)
    """
    name, colon, rest = word.partition(":")
    return bool(colon) and ("." in name or (name not in LEARNERS and "=" not in rest.partition("(")[0]))


def _by_path(path: str) -> Learner:
    (found,) = learners_named([path]).values()
    return Learner(name=path, fit=lambda X, y: _fitted(found, path, X, y))


def _fitted(estimator: Any, name: str, X: Array, y: Array) -> Rule:
    copy, classes = deepcopy(estimator), np.unique(y) if y.dtype.kind in "iub" else None
    try:
        copy.fit(X, y)
    except HeldoutError:
        raise
    except FAULTS_OF_USER_CODE as error:
        kinds = "" if classes is None else f" of {len(classes)} class{'' if len(classes) == 1 else 'es'}"
        raise _failed(name, f"was fitted to {len(y)} rows{kinds}", error) from error
    return partial(_predicted, copy, name, classes)


def _predicted(fitted: Any, name: str, classes: Array | None, X: Array) -> Array:
    """What a learner of the user's says, checked: one class or finite number for each row."""
    try:
        said = np.asarray(fitted.predict(X))
    except HeldoutError:
        raise
    except FAULTS_OF_USER_CODE as error:
        raise _failed(name, f"predicted {len(X)} rows", error) from error
    said = said[:, 0] if said.ndim == 2 and said.shape[1] == 1 else said
    if said.shape != (len(X),):
        shape = " x ".join(map(str, said.shape)) or "one"
        fix = "predict(X) must give one prediction per row"
        raise DataError(f"{name} predicted {shape} values for {len(X)} rows", code="H314", fix=fix)
    if said.dtype.kind not in "iubf":
        wrong = np.ones(len(said), bool)
    elif classes is None:
        wrong = ~np.isfinite(said)
    else:  # of more than two classes a sample may lack one: which there are, the simulation itself must say
        wrong = (said != np.rint(said)) | ~(np.isin(said, (0, 1)) | (classes.max() > 1))
    if wrong.any():
        what = "not a finite number" if classes is None else "not a class of the simulation"
        fix = f"take a learner of {'numbers' if classes is None else 'classes'} that says one for every row"
        raise DataError(f"{name} predicted {quoted(said[wrong].tolist()[0])}, which is {what}", code="H314", fix=fix)
    return said if classes is None else said.astype(int)


def _failed(name: str, when: str, error: BaseException) -> DataError:
    reason = (str(error).splitlines() or ["no reason given"])[0].rstrip(".")[:200]
    fix = "take more rows, another simulation, or other parameters of the learner"
    return DataError(f"{name} raised {type(error).__name__} when it {when}: {reason}", code="H313", fix=fix)


def _single(X: Array) -> Array:
    if X.shape[1] != 1:
        raise UsageError(f"a polynomial takes one feature, but there are {X.shape[1]}", fix="take linear or knn")
    return X[:, 0]


def _legendre(low: float, high: float, degree: int) -> Callable[[Array], Array]:
    """Legendre's polynomials on [low, high]: columns that are nearly orthogonal, where powers of x are nearly equal."""
    width = (high - low) or 1.0
    return lambda x: np.polynomial.legendre.legvander(2 * (x - low) / width - 1, degree)
