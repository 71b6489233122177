"""Simulated annealing as a sampler of Optuna's; imported only for a guided search, because Optuna is an extra."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

HOTTEST, COLDEST = 0.5, 0.01
"""Temperature of the first trial after those at random, and of the last."""
AT_RANDOM = 5
"""One in so many trials comes before the first step: the best of them is where it starts."""
CLOSEST, WIDEST = 0.03, 0.4
"""Standard deviation of a step, in parts of the range: the least, and what the temperature adds."""
LEAST = 0.2
"""Chance that a choice is made anew, however cold it is."""


class Annealing(optuna.samplers.BaseSampler):
    """Neighbours of the last accepted trial, closer as it cools; a worse one is accepted with chance e^(-loss / T).

    Losses are in units of the spread of the values seen. Parameters that the accepted trial does not have, being of
    another candidate, start from the best trial that had them [kirkpatrick83].
    """

    def __init__(self, *, seed: int, trials: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._random = max(1, trials // AT_RANDOM)
        self._cooling = (COLDEST / HOTTEST) ** (1 / max(trials - self._random, 1))
        self._temperature = HOTTEST
        self._present: dict[str, Any] = {}
        self._value = inf
        self._seen: list[float] = []
        self._best: dict[str, tuple[float, Any]] = {}

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:  # noqa: ARG002
        return {}

    def sample_relative(
        self,
        study: Study,  # noqa: ARG002
        trial: FrozenTrial,  # noqa: ARG002
        search_space: dict[str, BaseDistribution],  # noqa: ARG002
    ) -> dict[str, Any]:
        return {}

    def sample_independent(
        self,
        study: Study,  # noqa: ARG002
        trial: FrozenTrial,  # noqa: ARG002
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """A value near the present one; any value where there is none yet."""
        known = self._best.get(param_name, (inf, None))[1]
        here = self._present.get(param_name, known) if len(self._seen) >= self._random else None
        if isinstance(param_distribution, CategoricalDistribution):
            choices = param_distribution.choices
            moves = here is None or self._rng.random() < max(self._temperature, LEAST)
            return choices[int(self._rng.integers(len(choices)))] if moves else here
        assert isinstance(param_distribution, FloatDistribution)
        low, high = param_distribution.low, param_distribution.high
        if here is None:
            return float(self._rng.uniform(low, high))
        moved = (here - low) / (high - low) + self._rng.normal(0, CLOSEST + WIDEST * self._temperature)
        within = 1 - abs(1 - moved % 2)  # walls throw it back
        return float(low + within * (high - low))

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:  # fmt: skip
        """Accept the trial or stay with the one before; cool down."""
        if state == TrialState.COMPLETE and values:
            loss = values[0] if study.direction == StudyDirection.MINIMIZE else -values[0]
            self._seen.append(loss)
            for name, value in trial.params.items():
                self._best[name] = min((loss, value), self._best.get(name, (inf, None)), key=lambda one: one[0])
            worse = (loss - self._value) / ((float(np.std(self._seen)) or 1.0) * self._temperature)
            walks = len(self._seen) > self._random
            if worse <= 0 or (walks and self._rng.random() < exp(-worse)):
                self._present, self._value = dict(trial.params), loss
            self._temperature *= self._cooling if walks else 1.0
