"""Two models on the same rows, as the tests of their difference see them: who is right where, and what units move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt

import numpy as np

from heldout.batch import Array
from heldout.formulas import Metric
from heldout.intervals.long_run import LongRun, long_run
from heldout.tallies.cells import Agreement, tally_agreement
from heldout.verbs.influence import effective_number, influence_variance, squares_by_class, unit_influence
from heldout.verbs.measurement import Measurement

STILL = 1e-12
"""A unit that moves a difference by no more than this part of what units move the values does not move it."""


@dataclass(frozen=True, kw_only=True)
class Apart:
    """How far units move a difference, added up; unit by unit where rows are in memory."""

    units: int
    variance: float
    """The variance of the difference: n / (n - 1) sum (m - mean m)^2."""
    moves: bool
    """Whether any unit moves it."""
    sizes: tuple[int, int] = (0, 0)
    """Positive and negative rows, where there are two classes and each row is a unit."""
    squares: tuple[float, float] = (0.0, 0.0)
    """The sums of squares of how far they move it."""
    each: Array | None = None
    """How far each unit moves it, units in order."""
    carriers: float = inf
    """Effective number of units that carry the metric, where rows share units or have weights and are in memory."""
    long_run: LongRun | None = None
    """Where units are times: how they depend on each other."""

    @property
    def df(self) -> float:
        """Degrees of freedom of the variance."""
        return self.units - 1 if self.long_run is None else self.long_run.df

    @property
    def error(self) -> float:
        """The standard error of the difference."""
        return sqrt(self.variance)


@dataclass(frozen=True)
class Both:
    """Two models measured on the same rows, which are in memory."""

    a: Measurement
    b: Measurement

    def apart(self, metric: Metric) -> Apart | None:
        """How far units move the difference of a metric; None where the metric is not smooth."""
        label = self.a.batch.positive if metric.one_class else None
        one, other = (unit_influence(measured, metric, label) for measured in (self.a, self.b))
        if one is None or other is None:
            return None
        each, batch = one - other, self.a.batch
        by_class = batch.task == "binary" and batch.unit is None
        sizes, squares = squares_by_class(each, batch.truth == batch.positive) if by_class else ((0, 0), (0.0, 0.0))
        found = None if batch.time is None else long_run(each, batch.time.horizon)
        return Apart(
            units=len(each),
            variance=influence_variance(each) if found is None else found.variance,
            long_run=found,
            moves=bool(np.any(np.abs(each) > STILL * np.abs([one, other]).max(initial=0.0))),
            sizes=sizes,
            squares=squares,
            each=each,
            carriers=inf if batch.unit is None and batch.weight is None else effective_number(one**2 + other**2),
        )

    @cached_property
    def agreement(self) -> Agreement:
        """Who has which rows right, where every row has one label and both models say one."""
        return tally_agreement(self.a.batch, self.b.batch)

    @property
    def differ(self) -> bool:
        """Whether the models say different things of any row."""
        return not np.array_equal(self.a.batch.prediction, self.b.batch.prediction)  # type: ignore[arg-type]

    def notes(self, metric: Metric) -> tuple[str, ...]:  # noqa: ARG002
        """What else is to be said about the difference of a metric."""
        return ()
