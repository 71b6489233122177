"""The winner of a search, the configurations within noise of it, and the simplest of those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, nan, sqrt
from typing import Literal

import numpy as np

from heldout.errors import DataError
from heldout.learners import Predictions
from heldout.search.trials import Trial

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
