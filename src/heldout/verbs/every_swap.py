"""Two models' labels on the same rows of two classes: every way of swapping what they said, counted instead of drawn.

Swapping changes nothing but how many of the rows on which the models differ the first one has right, in either class:
two binomial numbers. So each metric of labels has an exact test that needs no draw, and for accuracy it is McNemar's.
"""

from __future__ import annotations

import numpy as np

from heldout.batch import Array
from heldout.formulas import Metric
from heldout.verbs.both import Both

MOST = 100_000
"""So many tables are counted at most; with more, what units move the difference tells the same."""


def is_countable(metric: Metric, both: Both) -> bool:
    """Whether the swaps of two models can be counted: two classes, each row by itself, not too many ways to differ."""
    batch = both.a.batch
    plain = batch.unit is None and batch.weight is None and batch.task == "binary" and metric.reads == "labels"
    if not plain or batch.prediction is None or both.b.batch.prediction is None:
        return False
    _, first, second, _ = both.agreement.table.T
    more = first + second
    return int((more[0] + 1) * (more[1] + 1)) <= MOST


def every_swap(metric: Metric, both: Both) -> float:
    """Mid-p of no difference: P(|D| > |d|) + P(|D| = |d|) / 2 over all swaps; undefined D count as larger."""
    positive = both.a.batch.positive
    assert positive is not None
    sides = [both.agreement.side(positive, is_positive=is_positive).tolist() for is_positive in (True, False)]
    (alike, ours, theirs, _), (alike0, ours0, theirs0, _) = sides
    differ, differ0 = ours + theirs, ours0 + theirs0
    x, y = np.meshgrid(np.arange(differ + 1), np.arange(differ0 + 1), indexing="ij")
    chance = _coins(differ)[:, None] * _coins(differ0)[None, :]
    sizes = sum(sides[0]), sum(sides[1])
    one = _values(metric, alike + x, alike0 + y, *sizes)
    other = _values(metric, alike + differ - x, alike0 + differ0 - y, *sizes)
    with np.errstate(invalid="ignore"):  # infinite less infinite is undefined
        apart = np.abs(one - other)
        seen = apart[ours, ours0]
        equal = np.abs(apart - seen) <= 1e-12
    return min(float(chance[~(apart < seen) & ~equal].sum() + chance[equal].sum() / 2), 1.0)


def _coins(count: int) -> Array:
    """The chance of each number of heads among so many coins."""
    from scipy.special import gammaln

    heads = np.arange(count + 1)
    found: Array = np.exp(gammaln(count + 1) - gammaln(heads + 1) - gammaln(count - heads + 1) - count * np.log(2))
    return found


def _values(metric: Metric, tp: Array, tn: Array, positives: int, negatives: int) -> Array:
    """The metric on every table with so many right answers in either class."""
    fn, fp = positives - tp, negatives - tn
    if metric.one_class:
        return metric({"tp": tp, "fp": fp, "fn": fn, "tn": tn})
    pairs = {"tp": (tn, tp), "fp": (fn, fp), "fn": (fp, fn), "tn": (tp, tn)}
    return metric({name: np.stack(pair, axis=-1) for name, pair in pairs.items()})
