"""Configurations fitted and evaluated on validation rows, and which of them is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, nan, sqrt
from typing import Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.learners import Dataset, Effort, Predictions, Said, predictions, worked
from heldout.search.candidates import Configuration
from heldout.splits import Split

RULE = "one-standard-error rule"
SAME = 9
"""Decimals in which two values must agree to be equal: the rest is rounding."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The best of some trials, and what cannot be told from it."""

    winner: Trial
    error: float
    """Standard error of the winner's value; nan where one part cannot tell it."""
    within: tuple[Trial, ...]
    """Trials at most one standard error worse than the winner, itself among them, in the order they were tried."""
    simplest: Trial
    """Of those the one of least complexity, then earliest in its lists, then of best value."""


def chosen(
    trials: Sequence[Trial],
    better: Literal["higher", "lower"],
    spread: Callable[[Predictions], float] = lambda _: nan,
) -> Choice:
    """The best trial, and by the one-standard-error rule the simplest that is as good [breiman84].

    s / sqrt(k) over the winner's values on k validation parts is its standard error; on one part it is `spread` of its
    predictions. Of equally good trials the first wins.
    """
    sign = 1 if better == "higher" else -1
    merit = np.array([sign * one.value for one in trials])
    if np.isnan(merit).all():
        fix = "take fewer folds, or another metric"
        raise DataError("no configuration has a value on any validation part", code="H312", fix=fix)
    merit = np.where(np.isnan(merit), -np.inf, merit)
    best = int(np.argmax(np.round(merit, SAME)))
    error = standard_error(trials[best], spread)
    room = error if isfinite(error) else 0.0
    within = [at for at in range(len(trials)) if merit[at] >= merit[best] - room - 10.0**-SAME]
    simplest = min(within, key=lambda at: (*trials[at].configuration.simplicity, -merit[at]))
    return Choice(
        winner=trials[best], error=error, within=tuple(trials[at] for at in within), simplest=trials[simplest]
    )


def standard_error(trial: Trial, spread: Callable[[Predictions], float]) -> float:
    """How far a trial's value may be off by chance alone."""
    known = trial.values[np.isfinite(trial.values)]
    if len(trial.values) == 1:
        return spread(trial.predictions)
    return float(known.std(ddof=1)) / sqrt(len(known)) if len(known) > 1 else nan


Fits = Callable[..., dict[str, list[Said]]]
"""Fits learners on splits; `all_rows=True` adds the fit to all rows."""
Measure = Callable[[str, Predictions], Array]
"""What a configuration's predictions are worth: the value on each part, nan where it is undefined."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """The rows that configurations are tried on, how they are fitted and how they are judged."""

    data: Dataset
    fits: Fits
    measure: Measure
    better: Literal["higher", "lower"]


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A configuration, and its values on the validation parts."""

    configuration: Configuration
    value: float
    """Mean over parts, each counting by its rows; nan where it is undefined on all of them."""
    values: Array = field(repr=False)
    predictions: Predictions = field(repr=False)

    @property
    def name(self) -> str:
        return self.configuration.name


def fits_counted(data: Dataset, effort: Effort, total: int) -> Fits:
    """Fits of several calls, reported as one piece of work of so many fits."""
    done = 0

    def fits(learners: Mapping[str, Any], splits: Sequence[Split], *, all_rows: bool = False) -> dict[str, list[Said]]:
        nonlocal done
        before, progress = done, effort.progress
        told = None if progress is None else lambda now, _: progress(before + now, total)
        found = worked(learners, data, splits, replace(effort, progress=told), all_rows=all_rows)
        done += len(learners) * (len(splits) + all_rows)
        return found

    return fits


def tried(
    configurations: Sequence[Configuration], work: Work, parts: Sequence[Sequence[Split]]
) -> list[tuple[Trial, ...]]:
    """Every configuration on several lists of validation parts: for each list, the trials in the order given."""
    every = [split for splits in parts for split in splits]
    said = work.fits({one.name: one.estimator for one in configurations}, every)
    edges = np.cumsum([0, *(len(splits) for splits in parts)])
    return [
        tuple(_trial(one, work, splits, said[one.name][first : first + len(splits)]) for one in configurations)
        for splits, first in zip(parts, edges, strict=False)
    ]


def _trial(one: Configuration, work: Work, splits: Sequence[Split], said: Sequence[Said]) -> Trial:
    told = predictions(work.data, splits, said)
    values = work.measure(one.name, told)
    rows = np.bincount(told.split, weights=told.batch.weight, minlength=len(splits))
    known = ~np.isnan(values)
    value = float(np.average(values[known], weights=rows[known])) if known.any() else float("nan")
    return Trial(configuration=one, value=value, values=values, predictions=told)
