"""A threshold chosen by its cost on some rows: what it seems to cost, what it does cost, and what folds say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.intervals.over_splits import cross_fitted, holdout
from heldout.lab.folds.test_rows import averages, folds, moments
from heldout.lab.learning.bias_variance_result import Measured
from heldout.lab.rates.repetition import monte_carlo_error, repeated
from heldout.verbs.parameters import documented
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.plot import Plot

FOLDS = 10
LEVEL = 0.95


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ThresholdBias(Result):
    """The cost of a threshold chosen on n rows, by what is said of it."""

    kind = "threshold-bias"

    n: int
    apart: float
    """How far the scores of positive rows lie above those of the others, in standard deviations."""
    prevalence: float
    fp: float
    fn: float
    folds: int
    level: float
    repeats: int
    seed: int
    best: float
    """The cost of the best threshold there is, per row."""
    apparent: Measured
    """The least cost, on the rows that chose the threshold."""
    truth: Measured
    """The true cost of that threshold."""
    cross_fitted: Measured
    """Each fold at the threshold that the others chose."""
    coverage: Measured
    """How often the t interval of the cross-fitted costs held the true cost."""

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        names = ("n", "apart", "prevalence", "fp", "fn", "folds", "level", "repeats", "seed", "best")
        measured = ("apparent", "truth", "cross_fitted", "coverage")
        return {
            **{name: getattr(self, name) for name in names},
            **{name: getattr(self, name).to_dict() for name in measured},
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """What the threshold seems to cost, and what it costs."""
        from heldout.charts.plot import Plot
        from heldout.lab.bias_charts import threshold_bias_figure

        return Plot(views={"estimates": lambda: threshold_bias_figure(d)})


@documented(repeats=1000)
def threshold_bias(
    n: int = 200,
    *,
    apart: float = 1.5,
    prevalence: float = 0.1,
    fp: float = 1.0,
    fn: float = 10.0,
    repeats: int = 1000,
    random_state: int = 0,
    n_jobs: int = 1,
    into: str | Path | None = None,
) -> ThresholdBias:
    """Cost of a threshold chosen on n rows: apparent, true and cross-fitted, beside the least possible.

    The true cost of a threshold t is fn p Φ(t - d) + fp (1 - p) Φ(-t), least at t = d / 2 + ln((1 - p) fp / (p fn)) /
    d.

    Parameters
    ----------
    n : int, default 200
        Number of rows of each data set, 20 or more.
    apart : float, default 1.5
        How much higher the normal scores of positive rows are, in standard deviations.
    prevalence : float, default 0.1
        Share of positive rows.
    fp : float, default 1.0
        Cost of a false positive.
    fn : float, default 10.0
        Cost of a false negative.
    <repeats>
    <simulation_seed>
    <processes>
    <into>

    Returns
    -------
    ThresholdBias
        The mean costs with their Monte-Carlo errors, and the coverage of the cross-fitted interval.

    Raises
    ------
    UsageError
        If there are too few rows, or a number is out of range.

    Examples
    --------
    >>> result = threshold_bias(50, repeats=100)
    >>> round(result.best, 4), result.apparent.value < result.truth.value
    (0.4295, True)
    """
    if n < 2 * FOLDS:
        raise UsageError(
            f"n is {n}, but {FOLDS} folds need {2 * FOLDS} rows or more",
            fix=f"write n={2 * FOLDS} (--n {2 * FOLDS}) or more",
        )
    if not (apart > 0 and 0 < prevalence < 1 and fp > 0 and fn > 0):
        fix = "apart, fp and fn are above 0, prevalence between 0 and 1"
        raise UsageError(f"apart {apart:g}, prevalence {prevalence:g}, fp {fp:g}, fn {fn:g} give no costs", fix=fix)
    job = Thresholds(n, apart, prevalence, fp, fn)
    apparent, truth, fitted, held = averages(repeated(job, repeats, seed=random_state, jobs=n_jobs, into=into), repeats)
    facts: dict[str, Any] = {**asdict(job), "folds": FOLDS, "level": LEVEL, "repeats": repeats, "seed": random_state}
    return ThresholdBias(
        best=job.cost(apart / 2 + log((1 - prevalence) * fp / (prevalence * fn)) / apart),
        apparent=apparent,
        truth=truth,
        cross_fitted=fitted,
        coverage=Measured(value=held.value, error=monte_carlo_error(held.value, repeats)),
        **facts,
    )


@dataclass(frozen=True)
class Thresholds:
    """The job behind `threshold_bias`."""

    n: int
    apart: float
    prevalence: float
    fp: float
    fn: float

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        return moments(np.array([self._one(rng) for _ in range(repeats)]))

    def cost(self, threshold: float) -> float:
        """The true cost of a threshold, per row."""
        from scipy.special import ndtr

        missed, alarm = ndtr(threshold - self.apart), ndtr(-threshold)
        return float(self.fn * self.prevalence * missed + self.fp * (1 - self.prevalence) * alarm)

    def _one(self, rng: np.random.Generator) -> list[float]:
        """The apparent, the true and the cross-fitted cost, and whether the interval of the last held the second."""
        positive = rng.random(self.n) < self.prevalence
        scores = rng.standard_normal(self.n) + self.apart * positive
        found = cross_fitted(scores, positive, folds(self.n, FOLDS, 1, rng)[0], fp=self.fp, fn=self.fn)
        truth, said = self.cost(found.threshold), holdout(found.costs, LEVEL)
        return [found.apparent, truth, said.value, float(said.low <= truth <= said.high)]
