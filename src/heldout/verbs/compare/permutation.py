"""Two models on the same rows, their outputs swapped or drawn anew, unit by unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import ceil, log2
from typing import Any

import numpy as np

from heldout import weights
from heldout.batch import Array, Batch
from heldout.formulas import Metric
from heldout.intervals.scales import critical_t
from heldout.tallies import from_batch as batches
from heldout.tallies.cells import tally_cells
from heldout.tallies.scores import tally_scores
from heldout.tallies.units import Units
from heldout.verbs.compare.model_pair import Both
from heldout.verbs.measurement import Measurement

MOST = 100_000
"""So many tables are counted at most; with more, what units move the difference tells the same."""


def is_countable(metric: Metric, both: Both) -> bool:
    """Whether the swaps of two models can be counted: two classes, each row by itself, not too many ways to differ."""
    batch = both.a.batch
    plain = batch.unit is None and not both.a.weighted and batch.task == "binary" and metric.reads == "labels"
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
    one = _count_values(metric, alike + x, alike0 + y, *sizes)
    other = _count_values(metric, alike + differ - x, alike0 + differ0 - y, *sizes)
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


def _count_values(metric: Metric, tp: Array, tn: Array, positives: int, negatives: int) -> Array:
    """The metric on every table with so many right answers in either class."""
    fn, fp = positives - tp, negatives - tn
    if metric.one_class:
        return metric({"tp": tp, "fp": fp, "fn": fn, "tn": tn})
    pairs = {"tp": (tn, tp), "fp": (fn, fp), "fn": (fp, fn)}
    return metric({name: np.stack(pair, axis=-1) for name, pair in pairs.items()})


ROUNDING = 1e-13
"""Values that differ by less than this part of them are equal."""
CELLS = 1 << 20
"""Numbers that are worked on at once."""
Values = Callable[[Array], Array]
"""From how often each unit counts (a line per resample) to a metric's values."""


def swapped(metric: Metric, a: Measurement, b: Measurement, value: float, *, draws: int, seed: list[int]) -> float:
    """The share of swaps with a difference at least as large, (1 + #) / (draws + 1): the p-value of no difference.

    In each swap every unit gives the outputs of the one model to the other with chance 1/2. For a ranking these are
    ranks and not scores, so that no shift of scores changes anything. Rows of both models are put into order once; a
    swap is which of them count.
    """
    values = _values(metric, _both(metric, a, b))
    rng = np.random.default_rng(seed)
    units, place = a.batch.units, _places(metric, a, b, value)
    at_once = max(CELLS // (2 * a.batch.rows), 1)
    beyond = 0
    for done in range(0, draws, at_once):
        swap = (rng.random((min(at_once, draws - done), units)) < 0.5)[:, place]
        counts = np.concatenate([~swap, swap], axis=1).astype(float)
        with np.errstate(invalid="ignore"):
            apart = np.abs(values(counts) - values(1 - counts))
        beyond += int(np.count_nonzero(~(apart < abs(value) - 1e-12)))  # an undefined value speaks against nothing
    return (1 + beyond) / (draws + 1)


def swapped_sums(metric: Metric, a: Units, b: Units, *, draws: int, seed: list[int]) -> float:
    """The share of swaps with a difference at least as large, (1 + #) / (draws + 1) [noreen89] [riezler05].

    In each swap every unit gives what it adds under one model to the other with chance 1/2. This needs no more than
    what each unit adds, so that all swaps together are one matrix product.
    """
    seen = abs(float(metric(a.sums)) - float(metric(b.sums)))
    rng = np.random.default_rng(seed)
    first, second = a.sums, b.sums
    order = pair_order(metric, a, b)
    gap = {name: (b.added[name] - a.added[name])[order] for name in metric.needs}
    at_once, beyond = weights.lines_at_once(a.units), 0
    for done in range(0, draws, at_once):
        lines = min(at_once, draws - done)
        bits = np.unpackbits(rng.integers(0, 256, (lines, -(-a.units // 8)), dtype=np.uint8), axis=1, count=a.units)
        swap = bits.astype(float)
        moved = {name: swap @ column for name, column in gap.items()}
        one = metric({name: first[name] + part for name, part in moved.items()})
        other = metric({name: second[name] - part for name, part in moved.items()})
        beyond += int(np.count_nonzero(~(np.abs(one - other) < seen - 1e-12 * max(seen, 1.0))))
    return (1 + beyond) / (draws + 1)


def pair_order(metric: Metric, a: Units, b: Units) -> Array:
    """Positions of units in an order that hangs neither on that of the rows nor on which model is the first."""
    sign = 1.0 if float(metric(a.sums)) >= float(metric(b.sums)) else -1.0
    pairs = [[one.added[name].reshape(a.units, -1) for one in (a, b)] for name in metric.needs]
    seen = [
        [side[:, np.any((first != 0) | (second != 0), axis=0)] for side in (first, second)] for first, second in pairs
    ]
    # classes that do not occur change nothing: their columns are left out
    return weights.content_order(*(sign * (one - other) for one, other in seen), *(one + other for one, other in seen))


def too_few_swaps(units: int, level: float, what: str = "units") -> tuple[str, ...]:
    """A note where even the rarest of all swaps, all one way, cannot reject at this level.

    >>> too_few_swaps(4, 0.95)
    ('4 units: no swap is rare enough to reject (needs 6)',)
    """
    fewest = ceil(1 - log2(1 - level))
    return (f"{units} {what}: no swap is rare enough to reject (needs {fewest})",) if units < fewest else ()


def error_of_swaps(value: float, error: float, pvalue: float, df: float) -> float:
    """The standard error, raised to that with which Student's t would give the p-value of the swaps.

    Where few units carry a value, what units move it shows too little of its spread.

    >>> round(error_of_swaps(0.2, 0.05, 0.05, 20), 4)
    0.0959
    """
    # a p-value beyond 1/2 says no more than that the difference is small beside its error
    return max(error, abs(value) / critical_t(1 - min(pvalue, 0.5), df))


def _places(metric: Metric, a: Measurement, b: Measurement, value: float) -> Array:
    """Where each unit stands in an order that hangs neither on that of the rows nor on which model is the first."""
    first, second, ranked = a.batch, b.batch, metric.reads == "scores"
    swapped = value < 0
    if value == 0:  # which of them is better does not distinguish them: what they say does
        one, other = (np.sort(batches.row_keys(batch, ranked=ranked)) for batch in (first, second))
        at = int(np.argmax(one != other))
        swapped = bool(one[at] > other[at])
    pair = (second, first) if swapped else (first, second)
    return weights.places(batches.units_in_order(*pair, ranked=ranked))


def _both(metric: Metric, a: Measurement, b: Measurement) -> Measurement:
    """The rows of both models one below the other, each model's units being units of their own."""
    first, second = a.batch, b.batch
    unit = np.arange(first.rows) if first.unit is None else first.unit
    said: dict[str, Any] = {}
    if metric.reads == "scores":
        said["score"] = np.concatenate([ranks(first.score), ranks(second.score)])
    else:
        said["prediction"] = np.concatenate([first.prediction, second.prediction])
    batch = replace(
        first,
        truth=np.concatenate([first.truth, first.truth]),
        unit=np.concatenate([unit, unit + first.units]),
        weight=None if first.weight is None else np.concatenate([first.weight, first.weight]),
        **said,
    )
    return Measurement(batch, a.settings)


def ranks(score: Any) -> Array:
    """Midranks: what a ranking metric sees of scores, on a scale that two models share.

    >>> ranks(np.array([0.2, 0.9, 0.2])).tolist()
    [1.5, 3.0, 1.5]
    """
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[inverse]


def drawn(metric: Metric, a: Measurement, b: Measurement, value: float, *, draws: int, seed: list[int]) -> Array:
    """Differences in bootstrap resamples, the same for both models; undefined ones are left out."""
    one, other = (_values(metric, measured) for measured in (a, b))
    place = _places(metric, a, b, value)
    with np.errstate(invalid="ignore"):  # infinite less infinite is undefined
        found = [
            _apart(one(block), other(block))
            for block in (made()[:, place] for made in weights.bootstrap(np.ones(a.batch.units), draws, seed))
        ]
    values = np.concatenate(found)
    return values[np.isfinite(values)]


def _apart(one: Array, other: Array) -> Array:
    """Differences; those that only rounding makes are none, so that draws without a difference are tied at 0."""
    apart = one - other
    return np.where(np.abs(apart) <= ROUNDING * (np.abs(one) + np.abs(other)), 0.0, apart)


def _values(metric: Metric, measured: Measurement) -> Values:
    """The metric of one model as a function of how often each unit counts."""
    batch = measured.batch
    unit = np.arange(batch.rows) if batch.unit is None else batch.unit
    if metric.reads == "scores":
        order = tally_scores(batch.score, batch.truth == batch.positive, batch.weight, unit)  # type: ignore[arg-type]
        return lambda block: np.asarray(metric(order._at(block[:, order.unit])))  # noqa: SLF001  (the tally's own weighing)
    if metric.reads == "labels":
        cells = tally_cells(batch.truth, batch.prediction, len(batch.labels), batch.weight, unit)  # type: ignore[arg-type]
        return lambda block: np.asarray(metric(_of_class(metric, batch, cells.at(block))))
    if metric.reads == "marks":
        marks = batches.label_marks(batch)
        return lambda block: np.asarray(metric(marks.at(block)))
    sums, over = measured.row_sums(metric), measured.over_targets(metric)
    return lambda block: np.asarray(over(sums.at(block)))


def _of_class(metric: Metric, batch: Batch, sums: Mapping[str, Array]) -> Mapping[str, Array]:
    """The sums of the positive class, where the metric is about one class."""
    if not metric.one_class:
        return sums
    return {name: part[..., batch.positive] for name, part in sums.items()}
