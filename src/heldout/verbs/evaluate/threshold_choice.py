"""`choose_threshold`: the cheapest threshold, and what deciding by it really costs, on rows that did not choose it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from heldout.batch import Array, Batch, Label
from heldout.errors import DataError, UsageError
from heldout.estimates import Estimate
from heldout.formulas import METRICS
from heldout.inputs import from_arrays
from heldout.inputs.message_text import quoted
from heldout.intervals.over_splits import cross_fitted
from heldout.tallies.from_batch import units_in_order
from heldout.verbs.compare.paired_difference import difference
from heldout.verbs.judgement import Difference, judge
from heldout.verbs.measurement import Measurement
from heldout.verbs.parameters import documented
from heldout.verbs.result import Result
from heldout.verbs.settings import Settings, settings

FOLDS = 10
"""Random folds unless folds are given."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ChosenThreshold(Result):
    """The threshold that all rows choose, and the cost of choosing so, from folds that did not choose their own."""

    kind = "threshold-choice"

    threshold: float
    """Of least mean cost on all rows; scores at or above it are positive. Infinite: no row is predicted positive."""
    fp: float
    fn: float
    cost: Estimate
    """Mean cost of a row at the threshold that the other folds chose: honest."""
    apparent: float
    """Mean cost of a row at the threshold, on the rows that chose it: optimistic."""
    thresholds: tuple[float, ...]
    """The one that is chosen without each fold."""
    at: float
    """fp / (fp + fn): the best threshold for calibrated probabilities, which needs no choosing."""
    calibrated: Estimate | None
    """Mean cost of a row at it; None where scores are not probabilities."""
    difference: Difference | None
    """The honest cost less that at `at`, on the same rows."""
    rows: int
    units: int
    positives: int
    positive: Label | None
    level: float
    seed: int
    drawn: bool
    """Whether the folds were drawn at random here."""

    @property
    def optimism(self) -> float:
        """How much cheaper the threshold looks on the rows that chose it."""
        return self.cost.value - self.apparent

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary; an infinite threshold is null."""
        names = ("fp", "fn", "apparent", "optimism", "at", "rows", "units", "positives", "positive")
        return {
            "threshold": _plain(self.threshold),
            "thresholds": [_plain(one) for one in self.thresholds],
            "drawn": self.drawn,
            **{name: getattr(self, name) for name in (*names, "level", "seed")},
            "cost": self.cost.to_dict(),
            "calibrated": None if self.calibrated is None else self.calibrated.to_dict(),
            "difference": None if self.difference is None else self.difference.to_dict(),
        }


@documented()
def choose_threshold(
    y_true: Any,
    y_score: Any,
    *,
    fp: float,
    fn: float,
    folds: Any = None,
    groups: Any = None,
    pos_label: Label | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> ChosenThreshold:
    """Choose the threshold of least mean cost, and estimate its cost on rows that did not choose it.

    A threshold is fitted to the rows that choose it, and looks cheaper on them than it is. So each fold is decided by
    the threshold that the others choose. Where scores are calibrated probabilities, fp / (fp + fn) needs no choosing:
    its cost on the same rows stands beside.

    Parameters
    ----------
    y_true : array-like
        True labels of two classes.
    y_score : array-like
        Scores of the positive class.
    fp : float
        Cost of a false positive.
    fn : float
        Cost of a false negative.
    folds : array-like or int, optional
        The fold of each row, such as those of out-of-fold scores, or a number of random folds (default: 10).
    groups : array-like, optional
        Clusters: rows of one group share a fold.
    <pos_label>
    <confidence_level>
    <seed>

    Returns
    -------
    ChosenThreshold
        The threshold, its cost on rows that did not choose it, and the optimism of its cost on those that did.

    Raises
    ------
    UsageError
        `fp` or `fn` is not positive.
    DataError
        The data are wrong, or a class is missing.

    See Also
    --------
    evaluate, heldout.stats.threshold_at

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(200) % 10 == 0
    >>> found = choose_threshold(y.astype(int), rng.normal(1.5 * y), fp=1, fn=10)
    >>> found.cost, round(found.apparent, 3), round(found.optimism, 3)
    (0.575 [0.377, 0.908], 0.4, 0.175)
    """
    asked = settings(confidence_level=confidence_level, random_state=random_state)
    reading = from_arrays(y_true, y_score=y_score, groups=groups, pos_label=pos_label)
    found = threshold_chosen(reading.batch, asked, fp=fp, fn=fn, folds=folds)
    return replace(found, checks=tuple(check for check in reading.checks if check.code == "H101"))


def threshold_chosen(batch: Batch, asked: Settings, *, fp: float, fn: float, folds: Any = None) -> ChosenThreshold:
    """The choice on checked rows; `folds` as in `choose_threshold`."""
    _choosable(batch)
    assert batch.score is not None
    positive = batch.truth == batch.positive
    drawn = folds is None or np.ndim(folds) == 0
    place = (
        _drawn(batch, FOLDS if folds is None else folds, asked.seed, given=folds is not None)
        if drawn
        else np.asarray(folds)
    )
    if not drawn:
        _whole(batch, place)
    found = cross_fitted(batch.score, positive, place, fp=fp, fn=fn)
    at = fp / (fp + fn)
    asked = replace(asked, cost=_costs(batch, fp, fn), metrics=None)
    honest = _measured(batch, (found.costs > 0) ^ positive, asked)
    beside = _measured(batch, batch.score >= at, asked) if batch.probabilities else None
    size = round(batch.rows * (1 - 1 / len(found.thresholds)))
    return ChosenThreshold(
        threshold=found.threshold, fp=float(fp), fn=float(fn), apparent=found.apparent,
        thresholds=tuple(found.thresholds.tolist()), at=at,
        cost=_estimate(honest, f"a threshold chosen from about {size:,} rows, for these scores"),
        calibrated=None if beside is None else _estimate(beside, "this model"),
        difference=None if beside is None else _difference(honest, beside, asked.level),
        rows=batch.rows, units=batch.units, positives=int(positive.sum()),
        positive=None if batch.positive is None else batch.labels[batch.positive],
        level=asked.level, seed=asked.seed, drawn=drawn,
    )  # fmt: skip


def _choosable(batch: Batch) -> None:
    """Refuse rows for which there is no threshold to choose."""
    if batch.task != "binary":
        fix = "--cost FILE (cost=…): decisions with the lowest expected cost need no threshold"
        raise UsageError(f"a threshold is chosen between two classes, not for {batch.task} data", fix=fix)
    if batch.score is None:
        raise DataError("there are no scores to choose a threshold among", code="H106", fix="give a score column")
    if batch.weight is not None:
        fix = "leave out the weights, or the choice"
        raise UsageError("the threshold is chosen by counting rows, but they have weights", fix=fix)


def _drawn(batch: Batch, folds: Any, seed: int, *, given: bool) -> Array:
    """Random folds: whole units, positives dealt out evenly; as many as the smaller class has units, at most."""
    if isinstance(folds, bool) or int(folds) != folds or folds < 2:
        raise UsageError(f"folds is {folds!r}, but must be 2 or more, or one name per row", fix="leave it out for 10")
    unit = np.arange(batch.rows) if batch.unit is None else batch.unit
    hits = np.bincount(unit, weights=batch.truth == batch.positive, minlength=batch.units)
    sizes = np.bincount(unit, minlength=batch.units)
    most = min(int(np.count_nonzero(hits)), int(np.count_nonzero(hits < sizes)))
    if most < 2 or (given and most < folds):
        what = f"{'row' if batch.unit is None else 'group'}{' has' if most == 1 else 's have'}"
        raise DataError(
            f"{most} {what} the rarer class, and {2 if most < 2 else folds} folds need one each",
            code="H310",
            fix="give more rows of it" if most < 2 else f"take {most} folds or fewer",
        )
    order = units_in_order(batch)[np.random.default_rng([seed, 47]).permutation(batch.units)]
    order = order[np.argsort(-hits[order], kind="stable")]
    place = np.empty(batch.units, int)
    place[order] = np.arange(batch.units) % min(int(folds), most)
    return place[unit]


def _whole(batch: Batch, folds: Array) -> None:
    """Refuse folds that divide a group: what it shares would choose its own threshold."""
    if folds.shape != (batch.rows,):
        raise DataError(f"{batch.rows} rows have {folds.size} folds", code="H112", fix="name the fold of every row")
    if batch.unit is None:
        return
    names, place = np.unique(folds, return_inverse=True)
    pairs = np.unique(batch.unit * len(names) + place)
    split = np.flatnonzero(np.bincount(pairs // len(names)) > 1)
    if len(split):
        where = [quoted(str(names[pair % len(names)])) for pair in pairs[pairs // len(names) == split[0]][:2]]
        raise DataError(
            f"{len(split)} of {batch.units} groups are in more than one fold (one of them in {' and '.join(where)})",
            code="H202",
            fix="make folds that keep groups whole, or leave the folds out",
        )


def _costs(batch: Batch, fp: float, fn: float) -> Array:
    """The cost of each truth (line) and decision (column)."""
    table = np.zeros((2, 2))
    hit = int(batch.positive or 0)
    table[1 - hit, hit], table[hit, 1 - hit] = fp, fn
    return table


def _measured(batch: Batch, called: Array, asked: Settings) -> Measurement:
    hit = int(batch.positive or 0)
    decided = replace(
        batch, prediction=np.where(called, hit, 1 - hit), score=None, probabilities=False, weight=None, segments={}
    )
    return Measurement(decided, asked)


def _estimate(measured: Measurement, target: str) -> Estimate:
    found = measured.one(METRICS["cost"])
    kept = {name: getattr(found, name) for name in Estimate.__slots__}
    return Estimate(found.value, **{**kept, "target": target, "printed": True})


def _difference(chosen: Measurement, fixed: Measurement, level: float) -> Difference:
    outcome = difference(METRICS["cost"], chosen, fixed)
    units = chosen.units
    judgement = judge(
        {("chosen", "cost"): outcome}, baseline="calibrated", level=level, units=units, better={"cost": "lower"},
        primary="cost",
    )  # fmt: skip
    return judgement.differences[0]


def _plain(number: float) -> float | None:
    return number if isfinite(number) else None
