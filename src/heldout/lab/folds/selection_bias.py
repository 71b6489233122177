"""The best of many configurations: what it says of itself, and what honest estimates say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.intervals.after_selection import bootstrap_corrected, tibshirani
from heldout.lab.folds.test_rows import averages, folds, moments
from heldout.lab.learning.bias_variance_result import Measured
from heldout.lab.rates.repetition import monte_carlo_error, repeated
from heldout.verbs.parameters import documented
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.plot import Plot

FOLDS = 10
LEVEL = 0.95
ESTIMATES = ("apparent", "tibshirani", "nested", "bootstrap_corrected")
"""The winner's own figure, Tibshirani's, choosing on the other folds, and BBC-CV."""
A, B = 9.0, 6.0
"""True accuracies are Beta(9, 6), as in the design of those who proposed BBC-CV [tsamardinos18]."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class SelectionBias(Result):
    """By how much estimates of the winner's accuracy are too high."""

    kind = "selection-bias"

    n: int
    configurations: int
    null: bool
    """Whether no configuration is better than a coin; else true accuracies are Beta(9, 6)."""
    folds: int
    n_resamples: int
    level: float
    repeats: int
    seed: int
    truth: Measured
    """The winner's true accuracy."""
    biases: dict[str, Measured]
    """By estimate, estimated less true accuracy: above zero it is optimistic."""
    coverage: Measured
    """How often the interval of BBC-CV held the winner's true accuracy."""

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        names = ("n", "configurations", "null", "folds", "n_resamples", "level", "repeats", "seed")
        return {
            **{name: getattr(self, name) for name in names},
            "truth": self.truth.to_dict(),
            "biases": {name: bias.to_dict() for name, bias in self.biases.items()},
            "coverage": self.coverage.to_dict(),
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """How far each estimate of the winner is from the truth."""
        from heldout.charts.plot import Plot
        from heldout.lab.bias_charts import selection_bias_figure

        return Plot(views={"estimates": lambda: selection_bias_figure(d)})


@documented(repeats=1000)
def selection_bias(
    n: int = 100,
    configurations: int = 50,
    *,
    null: bool = False,
    n_resamples: int = 500,
    repeats: int = 1000,
    random_state: int = 0,
    n_jobs: int = 1,
    into: str | Path | None = None,
) -> SelectionBias:
    """Bias of estimates of the best configuration's accuracy, after it was selected.

    Out-of-fold losses of configurations are independent coins with the true accuracies. `nested` chooses on nine folds
    and judges on the tenth, as nested cross-validation does.

    Parameters
    ----------
    n : int, default 100
        Number of rows of each data set, 20 or more.
    configurations : int, default 50
        Number of configurations that are compared, 2 or more.
    null : bool, default False
        Whether all configurations are equally good, at chance level.
    n_resamples : int, default 500
        Number of bootstrap resamples of the corrected estimate.
    <repeats>
    <simulation_seed>
    <processes>
    <into>

    Returns
    -------
    SelectionBias
        The true accuracy of the winner, and the bias (estimated - true) of each estimate with its Monte-Carlo
        error.

    Raises
    ------
    UsageError
        If there are too few rows, configurations or resamples.

    References
    ----------
    I. Tsamardinos, E. Greasidou, G. Borboudakis (2018). Bootstrapping the out-of-sample predictions for efficient
    and accurate cross-validation. Machine Learning 107(12), 1895–1922. [tsamardinos18]

    Examples
    --------
    >>> result = selection_bias(40, 50, n_resamples=100, repeats=40)
    >>> result.biases["apparent"].value > 0.05 > result.biases["bootstrap_corrected"].value
    True
    """
    if n < 2 * FOLDS or configurations < 2:
        fix = f"give {2 * FOLDS} rows and 2 configurations or more"
        raise UsageError(f"{n} rows and {configurations} configurations leave nothing to choose", fix=fix)
    if n_resamples < 2:
        raise UsageError(f"n_resamples is {n_resamples}, too few for an interval", fix="take 500 or more")
    job = Winners(n, configurations, null, n_resamples)
    truth, *biases, held = averages(repeated(job, repeats, seed=random_state, jobs=n_jobs, into=into), repeats)
    return SelectionBias(
        n=n,
        configurations=configurations,
        null=null,
        folds=FOLDS,
        n_resamples=n_resamples,
        level=LEVEL,
        repeats=repeats,
        seed=random_state,
        truth=truth,
        biases=dict(zip(ESTIMATES, biases, strict=True)),
        coverage=Measured(value=held.value, error=monte_carlo_error(held.value, repeats)),
    )


@dataclass(frozen=True)
class Winners:
    """The job behind `selection_bias`."""

    n: int
    configurations: int
    null: bool
    draws: int

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        return moments(np.array([self._one(rng) for _ in range(repeats)]))

    def _one(self, rng: np.random.Generator) -> list[float]:
        """The winner's true accuracy, the biases of the estimates, and whether the interval covered it."""
        right = np.full(self.configurations, 0.5) if self.null else rng.beta(A, B, self.configurations)
        losses = (rng.random((self.n, self.configurations)) > right).astype(float)
        place = folds(self.n, FOLDS, 1, rng)[0]
        found = bootstrap_corrected(losses, LEVEL, draws=self.draws, seed=int(rng.integers(2**31)))
        truth = 1 - float(right[found.chosen])
        said = (found.apparent, tibshirani(losses, place).value, chosen_elsewhere(losses, place), found.value)
        return [1 - truth, *(truth - one for one in said), float(found.low <= truth <= found.high)]


def chosen_elsewhere(losses: Array, place: Array) -> float:
    """The mean loss of every fold under the configuration that is best on the other folds.

    >>> chosen_elsewhere(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0, 1]))
    1.0
    """
    sums = np.zeros((place.max() + 1, losses.shape[1]))
    np.add.at(sums, place, losses)
    best = (sums.sum(axis=0) - sums).argmin(axis=1)
    return float(sums[np.arange(len(sums)), best].sum() / len(losses))
