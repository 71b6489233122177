"""How good could anyone be? Bounds on the Bayes error, the error of the best rule there is, from rows with classes.

From above: no rule errs less than the best one, so that the error of any rule on rows it has not seen, with its exact
interval, bounds the Bayes error at every sample size. From below: with ever more rows the nearest neighbour errs less
than twice as often as the best rule [cover67], which says nothing certain about a finite number of them. Where rows
have the same features, two labels of one point are seen, and the same inequality holds at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError, UsageError
from heldout.estimates import Estimate
from heldout.inputs.formats.files import Source
from heldout.intervals.scales import checked_level
from heldout.intervals.shares import clopper_pearson
from heldout.lab.learning.small_learners import averaged
from heldout.lab.learning.training_rows import LARGEST, Rows, rows_to_learn
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.plot import Plot

FEWEST = 20
"""Rows below which nothing is said."""
NEIGHBOURS = (1, 3, 5, 9, 15, 25, 41)
"""How many neighbours may vote: chosen on the training rows alone."""
FEW_DIMENSIONS = 5
"""Beyond this many dimensions the nearest row is too far away for the lower bound."""
METHOD = "Clopper-Pearson"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """What rows with the same features say about the noise in their labels."""

    points: int
    """Feature values that occur more than once."""
    rows: int
    """Rows that have one of them."""
    lost: int
    """Rows that any rule gets wrong here, since it says one thing at one point."""
    floor: Estimate
    """The least error on rows like these that any rule can have."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Ceiling(Result):
    """Bounds on the error of the best rule there is."""

    kind = "ceiling"

    rows: int
    train: int
    test: int
    labels: tuple[Label, ...]
    features: tuple[str, ...]
    dimensions: int
    level: float
    seed: int
    neighbours: int
    """How many vote in the rule that gives the upper bound."""
    upper: Estimate
    """The error of that rule on rows not seen: its high end is an upper bound for the Bayes error."""
    nearest: Estimate
    """The same for the one nearest neighbour."""
    lower: Estimate
    """Cover and Hart's bound from below: asymptotic."""
    repeats: Repeats | None
    notes: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()

    @property
    def trustworthy(self) -> bool:
        """Whether there are few enough dimensions for the lower bound to be looked at."""
        return self.dimensions <= FEW_DIMENSIONS

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        again = self.repeats
        return {
            "rows": self.rows,
            "train": self.train,
            "test": self.test,
            "labels": list(self.labels),
            "features": list(self.features),
            "dimensions": self.dimensions,
            "level": self.level,
            "seed": self.seed,
            "neighbours": self.neighbours,
            "upper": _facts(self.upper),
            "nearest": _facts(self.nearest),
            "lower": {**_facts(self.lower), "asymptotic": True, "trustworthy": self.trustworthy},
            "repeats": None
            if again is None
            else {"points": again.points, "rows": again.rows, "lost": again.lost, "floor": _facts(again.floor)},
            "notes": list(self.notes),
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """The bounds with their intervals."""
        from heldout.charts.plot import Plot
        from heldout.lab.bias_charts import ceiling_figure

        return Plot(views={"estimates": lambda: ceiling_figure(d)})


def ceiling(
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    drop: Sequence[str] = (),
    test_size: float = 0.5,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> Ceiling:
    """Bounds on the Bayes error, the error of the best possible classifier, from data.

    Features are divided by their interquartile range, texts of few values become 0/1 columns. Rows are split at
    random; k is chosen by leaving one out among the training rows. Rows must be independent: copies of one patient or
    document on both sides make the upper bound too low.

    Parameters
    ----------
    X : array-like, frame or path
        Features; or a table with the target among its columns.
    y : array-like, optional
        Class of each row of X.
    target : str, optional
        Column of the class, where X is a table.
    drop : sequence of str, default ()
        Columns that are not features.
    test_size : float, default 0.5
        Share of the rows that are tested.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.
    random_state : int, default 0
        Seed of the split.

    Returns
    -------
    Ceiling
        `upper`: the error of a k-nearest-neighbour classifier on rows not seen, an upper bound. `lower`: Cover and
        Hart's lower bound, valid for very many rows only.

    Raises
    ------
    DataError
        If there are fewer than 20 rows, or none to test.
    UsageError
        If the confidence level is out of range.

    References
    ----------
    T. M. Cover, P. E. Hart (1967). Nearest neighbor pattern classification. IEEE Transactions on Information Theory
    13(1), 21–27. [cover67]

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 2000)
    >>> bounds = ceiling(rng.standard_normal((2000, 2)) + 2 * y[:, None] * [1, 0], y)  # the Bayes error is .1587
    >>> bounds.upper, bounds.lower
    (0.160 [0.138, 0.184], 0.134 [0.117, 0.153])
    """
    checked_level(confidence_level, "confidence_level")
    if not 0 < test_size < 1:
        raise UsageError(f"test_size is {test_size:g}, but must lie between 0 and 1", fix="for a half write 0.5")
    rows = rows_to_learn(X, y, target=target, drop=drop, kind="classes")
    count, test = len(rows.truth), round(len(rows.truth) * test_size)
    if count < FEWEST or not 1 <= test <= count - 2:
        fix = f"collect {FEWEST} or more" if count < FEWEST else "give a test_size between 0 and 1, such as 0.5"
        raise DataError(f"{count} rows with {test} of them for testing bound nothing", code="H310", fix=fix)
    level, rng = float(confidence_level), np.random.default_rng(random_state)
    order = rng.permutation(count)
    neighbours, wrong, wrong_nearest = _tested(rows, order[test:], order[:test])
    nearest = _share(wrong_nearest, test, level, "the nearest neighbour")
    return Ceiling(
        rows=count,
        train=count - test,
        test=test,
        labels=rows.labels,
        features=rows.names,
        dimensions=rows.dimensions,
        level=level,
        seed=int(random_state),
        neighbours=neighbours,
        upper=_share(wrong, test, level, "this rule, and no less than the best rule there is"),
        nearest=nearest,
        lower=_inverted(nearest, len(rows.labels), "the best rule there is, as rows become many"),
        repeats=_repeats(rows, level, rng),
        notes=(*rows.notes, *_warnings(rows.dimensions)),
        sources=rows.sources,
    )


def cover_hart(error: float, classes: int) -> float:
    """The least Bayes error that a nearest neighbour's error allows: m (1 − √(1 − e / m)), m = (C − 1) / C [cover67].

    It inverts e ≤ r (2 − r / m), the most that the nearest of infinitely many rows errs where the best rule errs by r.

    >>> round(cover_hart(0.25, 2), 4), round(cover_hart(0.5, 2), 4)
    (0.1464, 0.5)
    """
    most = (classes - 1) / classes
    return most * (1 - sqrt(max(1 - error / most, 0.0)))


def _tested(rows: Rows, train: Array, test: Array) -> tuple[int, int, int]:
    """How many neighbours vote, and how many of the test rows they, and the nearest alone, get wrong."""
    from scipy.spatial import cKDTree

    X = rows.X / _scale(rows.X[train])
    tree, truth = cKDTree(X[train]), rows.truth[train]
    allowed = [k for k in NEIGHBOURS if k < len(train)]
    most = list(range(1, max(allowed) + 2))
    others = truth[_others(tree.query(X[train], k=most)[1])]
    left_out = [int((averaged(others[:, :k]) != truth).sum()) for k in allowed]
    k = allowed[int(np.argmin(left_out))]
    near = truth[tree.query(X[test], k=most[:-1])[1]]
    wrong = [int((averaged(near[:, :size]) != rows.truth[test]).sum()) for size in (k, 1)]
    return k, wrong[0], wrong[1]


def _others(near: Array) -> Array:
    """The neighbours of each row without the row itself; where it is not among them (many rows alike), but for one.

    >>> _others(np.array([[0, 1], [0, 1], [0, 1]])).tolist()
    [[1], [0], [0]]
    """
    itself = near == np.arange(len(near))[:, None]
    itself[~itself.any(axis=1), -1] = True
    return near[~itself].reshape(len(near), -1)


def _scale(X: Array) -> Array:
    """What each feature is divided by: its interquartile range; its standard deviation where half the rows agree."""
    low, high = np.quantile(X, [0.25, 0.75], axis=0)
    spread = np.where(high > low, high - low, X.std(axis=0))
    return np.where(spread > LARGEST**-0.5, spread, 1.0)  # what is smaller may be rounding, and others would overflow


def _share(wrong: int, of: int, level: float, target: str) -> Estimate:
    low, high = clopper_pearson(wrong, of, level)
    return Estimate(
        wrong / of, low=low, high=high, level=level, method=METHOD, units=of, better="lower", target=target,
        count=(wrong, of), name="error_rate",
    )  # fmt: skip


def _inverted(error: Estimate, classes: int, target: str) -> Estimate:
    """Cover and Hart's bound, its interval from the ends of the error's."""
    value, low, high = (cover_hart(end, classes) for end in (error.value, error.low, error.high))
    return Estimate(
        value, low=low, high=high, level=error.level, method=f"Cover-Hart from {error.method}", units=error.units,
        better="lower", target=target, name="error_rate",
    )  # fmt: skip


def _repeats(rows: Rows, level: float, rng: np.random.Generator) -> Repeats | None:
    """The floor from pairs of rows with the same features: r of disagreeing pairs of n, inverted as for neighbours.

    Each row is in one pair at most, so that pairs are independent. Two labels of a point differ with the chance
    1 − Σ p², which is at most r (2 − r / m), a concave function of the error r there: the floor holds at every number
    of rows.
    """
    _, point, counts = np.unique(rows.X, axis=0, return_inverse=True, return_counts=True)
    point = point.reshape(-1)
    again = counts[point] > 1
    if not again.any():
        return None
    table = np.zeros((len(counts), len(rows.labels)), int)
    np.add.at(table, (point, rows.truth), 1)
    shuffled = rng.permutation(len(point))
    order = shuffled[np.argsort(point[shuffled], kind="stable")]
    start = np.cumsum(counts) - counts
    place = np.arange(len(order)) - start[point[order]]
    first = np.flatnonzero((place % 2 == 0) & (place + 1 < counts[point[order]]))
    differ = int((rows.truth[order[first]] != rows.truth[order[first + 1]]).sum())
    pairs = _share(differ, len(first), level, "pairs of rows with the same features")
    return Repeats(
        points=int((counts > 1).sum()),
        rows=int(again.sum()),
        lost=int((counts - table.max(axis=1))[counts > 1].sum()),
        floor=_inverted(pairs, len(rows.labels), "the best rule there is, on rows like those that repeat"),
    )


def _warnings(dimensions: int) -> tuple[str, ...]:
    asymptotic = "the lower bound is asymptotic: with few rows the nearest neighbour is far, and it can lie too high"
    if dimensions <= FEW_DIMENSIONS:
        return (asymptotic,)
    return (f"{dimensions} dimensions are more than {FEW_DIMENSIONS}: do not rely on the lower bound", asymptotic)


def _facts(one: Estimate) -> dict[str, Any]:
    known = one.to_dict()
    return {key: known[key] for key in ("value", "low", "high", "level", "method", "target", "units", "count")}
