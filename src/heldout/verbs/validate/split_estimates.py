"""Values over splits → an estimate that says whose error it is: this model, these k models, or this learner.

Which of them a design can tell, and by which method:

    holdout               this model        its own interval, as `evaluate` gives it
    folds                 these k models    pooled predictions, as `evaluate`; of the order of scores: corrected t
    time order            these k models    the same with a long-run variance; of the order of scores: split by split
    leave-one-out         these n models    pooled predictions
    leave-pair-out        these models      the share of pairs in the right order, DeLong's variance
    repeats, random       this learner      corrected t
    bootstrap             this learner      out of bag, .632, .632+
    folds within folds    this learner      nested cross-validation; of what is not a mean over rows: corrected t
    halves                this learner      conservative z
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isfinite, nan, sqrt
from typing import Any, Literal

import numpy as np

from heldout.batch import Array, Batch, TimeOrder
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import facts_in_time, few_times
from heldout.formulas import Metric
from heldout.intervals.long_run import long_run
from heldout.intervals.means import student
from heldout.intervals.out_of_bag import dot632, dot632_plus, out_of_bag
from heldout.intervals.over_splits import (
    OverSplits,
    all_pairs,
    conservative_z,
    corrected_t,
    naive_fold_interval,
    nested,
    within_folds,
)
from heldout.intervals.scales import on_logit
from heldout.learners.designs import Design, turns
from heldout.verbs.validate.split_values import COMPARABLE, Learned, row_values
from heldout.verbs.validate.validation import Averaging

PAIRED_WITH = 1000
"""Rows whose truths are held against each other's predictions, to see what no information would cost."""
Told = Callable[[Metric, Learned], Estimate]


def split_estimate(metric: Metric, one: Learned, method: str = "auto") -> Estimate:
    """The metric of a learner, by the method that suits the design, or by name."""
    if method == "auto":
        return _AUTO[one.design.kind](metric, one)
    known_method(method, one.design)
    return METHODS[method][1](metric, one)


def known_method(method: str, design: Design) -> None:
    """Refuse an interval that does not exist, or not for these splits."""
    if method == "auto":
        return
    if method not in METHODS:
        raise UsageError(
            f"no interval over splits is named {method!r}{did_you_mean(method, METHODS)}",
            fix=f"choose one of {', '.join(METHODS)}",
        )
    kinds = METHODS[method][0]
    if design.kind not in kinds:
        raise UsageError(
            f"the method {method} is for {' or '.join(kinds)}, and cv={design.word!r} gives {design.kind}",
            fix="choose another method or cv",
        )


def averaging(metric: Metric, one: Learned, method: str = "auto") -> Averaging | None:
    """Whether the value is of all test rows together or a mean over splits, and what both would be."""
    kind = one.design.kind
    if kind not in POOLED and kind not in ("repeated", "random", "halves"):
        return None
    known = (values := one.values(metric))[np.isfinite(values)]
    mean = float(known.mean()) if len(known) else nan
    if kind not in POOLED or metric.reads not in COMPARABLE:
        return Averaging(used="mean_of_splits", mean_of_splits=mean)
    used: Literal["pooled", "mean_of_splits"] = "mean_of_splits" if method in OVER_VALUES else "pooled"
    return Averaging(used=used, mean_of_splits=mean, pooled=one.pooled.value(metric))


POOLED = ("folds", "time", "loo")
"""Designs that test a row at most once."""
OVER_VALUES = ("corrected_t", "naive_t")
"""Methods whose value is the mean over splits where rows could be pooled."""


def _model(metric: Metric, one: Learned) -> Estimate:
    return replaced(one.pooled.one(metric), target=f"this model, trained on {one.design.training_rows:,} rows")


def _models(metric: Metric, one: Learned) -> Estimate:
    if metric.reads not in COMPARABLE:
        return _corrected(metric, one) if one.times is None else _split_by_split(metric, one)
    return replaced(one.pooled.one(metric), target=_these(one))


def _split_by_split(metric: Metric, one: Learned) -> Estimate:
    """In the order of time: the mean over splits, with the long-run variance of what each time moves it."""
    values, moved = one.moved(metric)
    known = values[np.isfinite(values)]
    lost = len(values) - len(known)
    if lost > len(values) / 2:
        return _none(metric, one, f"undefined or infinite on {lost} of {len(values)} splits")
    notes = (f"undefined or infinite on {lost} of {len(values)} splits, which are left out",) if lost else ()
    value = float(known.mean())
    if moved is None:
        why = f"no interval: no row alone moves {metric.name}, and rows in the order of time depend on each other"
        return replaced(_none(metric, one, why), value=value)
    found = long_run(moved)
    low, high = student(value, sqrt(found.variance) if found.variance > 0 else nan, found.df, one.asked.level)
    return Estimate(
        value, low=max(low, metric.range[0]), high=min(high, metric.range[1]), level=one.asked.level,
        method="t on influence by split, HAC", units=_units(one), notes=(*notes, *few_times(found)), name=metric.name,
        better=metric.better, target=_these(one), printed=True, in_time=facts_in_time(found, TimeOrder()),
    )  # fmt: skip


def _left_out(metric: Metric, one: Learned) -> Estimate:
    if metric.reads not in COMPARABLE:
        return _none(metric, one, f"one row has no {metric.name}: take cv='lpo' or cv=10")
    return _models(metric, one)


def _pairs(metric: Metric, one: Learned) -> Estimate:
    if metric.name != "roc_auc" or one.outside.batch.score is None:
        return _none(metric, one, f"pairs tell roc_auc, and not {metric.name}: take cv='loo' or cv=10")
    if not _rows_alike(one):
        return _none(metric, one, "the interval over pairs assumes independent rows of equal weight: take cv='10x10'")
    return _area_of_pairs(metric, one)


def _area_of_pairs(metric: Metric, one: Learned) -> Estimate:
    """Share of pairs in the right order; the pairs' rows vary as DeLong's placements do."""
    batch, row = one.outside.batch, one.outside.row
    assert batch.score is not None
    score, truth = batch.score.reshape(-1, 2), batch.truth.reshape(-1, 2) == batch.positive
    sign = np.where(truth[:, 0], 1, -1)
    right = np.sign(sign * (score[:, 0] - score[:, 1])) / 2 + 0.5
    lines = row.reshape(-1, 2)
    positive, negative = (np.where(truth[:, 0] == kind, lines[:, 0], lines[:, 1]) for kind in (True, False))
    above, below = (_means(side, right) for side in (positive, negative))
    value = float(right.mean())
    error = (
        sqrt(above.var(ddof=1) / len(above) + below.var(ddof=1) / len(below)) if min(len(above), len(below)) > 1 else 0
    )
    low, high = on_logit(value, error, one.asked.level) if error > 0 and 0 < value < 1 else (nan, nan)
    return Estimate(
        value, low=low, high=high, level=one.asked.level, method="leave-pair-out, DeLong logit", units=_units(one),
        name=metric.name, better=metric.better, target=_these(one), printed=True,
    )  # fmt: skip


def _means(groups: Array, values: Array) -> Array:
    _, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    found: Array = np.bincount(place, weights=values) / sizes
    return found


def _corrected(metric: Metric, one: Learned) -> Estimate:
    values = one.values(metric)
    found = over_values(metric, one, values, lambda known: corrected_t(known, one.asked.level, ratio=one.design.ratio))
    if one.design.kind not in POOLED or metric.reads not in COMPARABLE or not isfinite(found.value):
        return found
    return _no_narrower(found, one.pooled.one(metric), metric)


def _no_narrower(found: Estimate, pooled: Estimate, metric: Metric) -> Estimate:
    """The interval over folds, or where it is narrower than that of all test rows, with the latter's reach.

    A learner's error is no better known than that of its models, and a handful of folds can agree by chance, all the
    more where their values are counts: five folds with one error each would pass for certainty.
    """
    if not (isfinite(pooled.low) and isfinite(pooled.high)):
        return found
    if found.high - found.low >= pooled.high - pooled.low:
        return found
    ends = found.value - (pooled.value - pooled.low), found.value + (pooled.high - pooled.value)
    low, high = (min(max(end, metric.range[0]), metric.range[1]) for end in ends)
    notes = [note for note in found.notes if not note.startswith("no interval")]
    why = "the folds' values vary less than such rows do by chance"
    wider = f"widened to the reach of the interval of all test rows ({pooled.method}): {why}"
    return replaced(found, low=low, high=high, notes=(*notes, wider))


def _naive(metric: Metric, one: Learned) -> Estimate:
    return over_values(metric, one, one.values(metric), lambda known: naive_fold_interval(known, one.asked.level))


def over_values(metric: Metric, one: Learned, values: Array, tell: Callable[[Array], OverSplits]) -> Estimate:
    """An interval over the values of splits; those that are undefined are left out, and it is said."""
    known = values[np.isfinite(values)]
    lost = len(values) - len(known)
    if lost > len(values) / 2:
        return _none(metric, one, f"undefined or infinite on {lost} of {len(values)} splits")
    notes = (f"undefined or infinite on {lost} of {len(values)} splits, which are left out",) if lost else ()
    return as_estimate(metric, one, tell(known), *notes)


def _bootstrap(metric: Metric, one: Learned) -> Estimate:
    """Out of bag, .632 or .632+, as the word says."""
    losses = row_values(metric, one.outside.batch, one.asked)
    inside = row_values(metric, one.inside.batch, one.asked)
    if losses is None or inside is None:
        return _none(metric, one, f"{metric.name} is not a mean over rows, which the bootstrap needs: take cv=10")
    if lost := int(np.sum(~np.isfinite(losses))):
        return _none(metric, one, _infinite(lost, len(losses)))
    if not _rows_alike(one):
        return _none(metric, one, "the bootstrap's interval assumes independent rows of equal weight: take cv='10x10'")
    # of what is lacking to the best where higher is better: accuracy and error rate then have the same interval
    turned = metric.better == "higher"
    losses, inside = (1 - losses, 1 - inside) if turned else (losses, inside)
    rows, draws = one.inside.batch.rows, len(one.outside.splits)
    drawn = np.stack([np.bincount(split.train, minlength=rows) for split in one.outside.splits])
    table = np.full((draws, rows), nan)
    table[one.outside.split, one.outside.row] = losses
    found = out_of_bag(table, drawn, one.asked.level)
    word = one.design.word.partition(":")[0]
    notes: tuple[str, ...] = ()
    if word in (".632", ".632+"):
        training = float(inside.mean())
        unrelated = no_information(metric, one.inside.batch, one)
        unrelated = 1 - unrelated if turned else unrelated
        if word == ".632":
            notes = _optimism(training, found.value, unrelated, turned=turned)
            found = dot632(found, training)
        else:
            found = dot632_plus(found, training, unrelated)
    if turned:
        found = replace(found, value=1 - found.value, low=1 - found.high, high=1 - found.low)
    return as_estimate(metric, one, found, *notes)


MEMORISED = 0.5
"""Rate of overfitting from which on .632 is said to be too optimistic: half of the way to no information."""


def _optimism(training: float, outside: float, unrelated: float, *, turned: bool) -> tuple[str, ...]:
    """A note where .632 blends in the training error of a learner that has memorised its rows [efron97]."""
    if not (outside > training and unrelated > training):
        return ()
    if (min(outside, unrelated) - training) / (unrelated - training) <= MEMORISED:
        return ()
    seen, unseen = (1 - training, 1 - outside) if turned else (training, outside)
    what = "training value" if turned else "training error"
    alone = f"rows not drawn alone give {unseen:.3f}; .632+ corrects for it"
    blend = f"36.8% of it is the {what} {seen:.3f}"
    return (f"{blend}, so it is too optimistic for a learner that memorises its rows: {alone}",)


def no_information(metric: Metric, batch: Batch, one: Learned) -> float:
    """The metric if predictions were dealt out to rows at random: every truth against every prediction."""
    some = np.unique(np.linspace(0, batch.rows - 1, min(batch.rows, PAIRED_WITH)).round().astype(int))
    truth, told = np.repeat(some, len(some)), np.tile(some, len(some))
    assert batch.prediction is not None
    crossed = Batch(
        task=batch.task, truth=batch.truth[truth], prediction=batch.prediction[told],
        score=None if batch.score is None else batch.score[told], probabilities=batch.probabilities, clip=batch.clip,
        labels=batch.labels, positive=batch.positive,
    )  # fmt: skip
    found = row_values(metric, crossed, one.asked)
    assert found is not None
    return float(found.mean())


def _nested(metric: Metric, one: Learned) -> Estimate:
    losses = one.losses(metric)
    if losses is None or not _rows_alike(one):
        found = _corrected(metric, one)
        why = "not a mean over rows" if losses is None else "rows with weights or groups"
        return replaced(found, notes=(*found.notes, f"{why}: the folds' corrected t in place of nested"))
    design = one.design
    every, turn, inner = turns(design, losses)
    if lost := int(np.sum(~np.isfinite(every))):
        return _none(metric, one, _infinite(lost, len(every)))
    told = nested(every, turn, inner, one.asked.level, folds=design.folds, rows=one.inside.batch.rows)
    return as_estimate(metric, one, told)


def _halves(metric: Metric, one: Learned) -> Estimate:
    halves = one.values_beside(metric).reshape(-1, 2, one.design.draws)
    known = np.isfinite(halves)
    if not known.any(axis=2).all():
        return _none(metric, one, "undefined on every split of a half")
    means = np.where(known, halves, 0).sum(axis=2) / known.sum(axis=2)
    return over_values(metric, one, one.values(metric), lambda values: conservative_z(values, means, one.asked.level))


def _all_pairs(metric: Metric, one: Learned) -> Estimate:
    return as_estimate(metric, one, all_pairs(_pooled_losses(metric, one), one.asked.level))


def _within(metric: Metric, one: Learned) -> Estimate:
    return as_estimate(metric, one, within_folds(_pooled_losses(metric, one), one.outside.split, one.asked.level))


def _pooled_losses(metric: Metric, one: Learned) -> Array:
    found = row_values(metric, one.outside.batch, one.asked)
    if found is None:
        raise DataError(
            f"{metric.name} is not a mean over rows, which this method needs", code="H106", fix="leave out the method"
        )
    if not _rows_alike(one):
        raise DataError(
            "rows have weights or groups, and this method assumes independent rows of equal weight",
            code="H106",
            fix="leave out the method",
        )
    return found


def _infinite(lost: int, lines: int) -> str:
    return f"infinite for {lost:,} of {lines:,} predictions"


def _rows_alike(one: Learned) -> bool:
    """Whether rows are neither weighted nor grouped."""
    return one.inside.batch.weight is None and one.inside.batch.unit is None


def _units(one: Learned) -> int:
    return one.inside.batch.units


def _these(one: Learned) -> str:
    return f"these {len(one.design.splits):,} models, trained on about {one.design.training_rows:,} rows each"


def as_estimate(metric: Metric, one: Learned, found: OverSplits, *notes: str) -> Estimate:
    """The interval as an estimate, within the metric's range."""
    low, high = (min(max(end, metric.range[0]), metric.range[1]) for end in (found.low, found.high))
    # .632 corrects for samples that hold 63% of the rows: it is about a learner of all of them
    size = f"{one.inside.batch.rows:,}" if found.method in (".632", ".632+") else f"about {one.design.training_rows:,}"
    target = {
        "this learner": f"this learner, trained on {size} rows",
        "these k models": _these(one),
    }[found.target]
    return Estimate(
        found.value, low=low if isfinite(found.low) else nan, high=high if isfinite(found.high) else nan,
        level=found.level, method=found.method, units=_units(one), notes=(*notes, *found.notes), name=metric.name,
        better=metric.better, target=target, printed=True,
    )  # fmt: skip


def _none(metric: Metric, one: Learned, why: str) -> Estimate:
    return Estimate(
        nan, low=nan, high=nan, level=one.asked.level, method="none", units=_units(one), notes=(why,),
        name=metric.name, better=metric.better, target=_these(one), printed=True,
    )  # fmt: skip


def replaced(one: Estimate, *, value: float | None = None, **facts: Any) -> Estimate:
    """The estimate with some facts replaced."""
    kept = {name: getattr(one, name) for name in Estimate.__slots__}
    return Estimate(one.value if value is None else value, **{**kept, "printed": True, "measured_as": None, **facts})


_AUTO: dict[str, Told] = {
    "holdout": _model,
    "folds": _models,
    "time": _models,
    "loo": _left_out,
    "pairs": _pairs,
    "repeated": _corrected,
    "random": _corrected,
    "bootstrap": _bootstrap,
    "nested": _nested,
    "halves": _halves,
}

MANY = ("folds", "repeated", "random", "time", "nested", "halves")
METHODS: dict[str, tuple[tuple[str, ...], Told]] = {
    "corrected_t": (MANY, _corrected),
    "pooled": (("holdout", "folds", "time", "loo"), _models),
    "all_pairs": (("folds", "loo"), _all_pairs),
    "within_folds": (("folds",), _within),
    "nested": (("nested",), _nested),
    "conservative_z": (("halves",), _halves),
    "naive_t": (MANY, _naive),
}
"""Intervals by name: the kinds of designs that they are for, and the function. `naive_t` is there to be looked at."""
