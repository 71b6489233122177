"""Ends of intervals by table: where rows are truths and predictions and no more, one table has one answer.

A table is the number of rows of each truth (line) and prediction (column). What a closed form says of it depends on
neither the world nor the order of its rows, so that answers are kept, and all tables of few rows can be gone through.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from heldout.batch import Array
from heldout.estimates.choice import estimate
from heldout.formulas import metric as named_metric
from heldout.lab.worlds import World
from heldout.tallies.cells import cells_of_counts
from heldout.verbs.measurement import DRAWN_METHODS

KEPT = 20_000
"""Tables whose answers are kept, in each process."""
FEW_TABLES = 2000
"""Up to so many tables are all gone through: of two classes, those of up to 20 rows."""


def is_of_tables(place: World, methods: tuple[str, ...]) -> bool:
    """Whether a table is all that these methods need of the rows of a world."""
    return place.recipe.chances is not None and place.drawing.plain and not set(methods) & set(DRAWN_METHODS)


def few_tables(place: World, n: int) -> bool:
    """Whether n rows of a world of tables can be one of few tables only.

    >>> from heldout.lab.worlds import one_model
    >>> [few_tables(one_model("labels"), n) for n in (20, 21)]
    [True, False]
    """
    chances = place.recipe.chances
    if chances is None or place.drawing.fixed:
        return False
    cells = np.count_nonzero(chances)
    return comb(n + cells - 1, cells - 1) <= FEW_TABLES


def every_table(chances: Array, n: int) -> tuple[Array, Array]:
    """All tables of n rows, and how likely each is: the multinomial law of these chances.

    >>> tables, likely = every_table(np.array([[0.5, 0.0], [0.25, 0.25]]), 2)
    >>> tables[0].tolist(), likely.round(6).tolist()
    ([[0, 0], [0, 2]], [0.0625, 0.125, 0.0625, 0.25, 0.25, 0.25])
    """
    from scipy.special import gammaln

    cells = np.flatnonzero(chances)
    # n rows and the bars between cells, in any order
    bars = np.array(list(combinations(range(n + len(cells) - 1), len(cells) - 1)), dtype=int)
    ends = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, n + len(cells) - 1)))
    counts = np.diff(ends, axis=1) - 1
    ways = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1)
    likely = np.exp(ways + counts @ np.log(chances.flat[cells]))
    tables = np.zeros((len(counts), chances.size), dtype=int)
    tables[:, cells] = counts
    return tables.reshape(-1, *chances.shape), likely


def table_ends(
    table: Array, metrics: tuple[str, ...], methods: tuple[str, ...], level: float, positive: int | None
) -> Array:
    """The intervals' ends for a table, by method and metric.

    >>> table_ends(np.array([[7, 1], [0, 2]]), ("recall",), ("wilson",), 0.95, 1).round(3).tolist()
    [[[0.342, 1.0]]]
    """
    return _kept_ends(tuple(table.ravel().tolist()), metrics, methods, level, positive)


@lru_cache(maxsize=KEPT)
def _kept_ends(
    counts: tuple[int, ...], metrics: tuple[str, ...], methods: tuple[str, ...], level: float, positive: int | None
) -> Array:
    size = round(len(counts) ** 0.5)
    cells = cells_of_counts(np.array(counts).reshape(size, size))
    ends = np.empty((len(methods), len(metrics), 2))
    for j, name in enumerate(metrics):
        metric = named_metric(name)
        label = positive if metric.one_class else None
        for i, method in enumerate(methods):
            one = estimate(metric, cells, label=label, level=level, method=method)
            ends[i, j] = one.low, one.high
    return ends
