"""Optuna's samplers by name: which configuration a guided search tries next."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from importlib.util import find_spec
from typing import Any

from heldout.errors import UsageError, did_you_mean

SAMPLERS = {
    "tpe": "tree-structured Parzen estimator: Bayesian",
    "nsgaii": "evolutionary: parents chosen by value, crossed and mutated",
    "cmaes": "covariance matrix adaptation: evolutionary, for ranges",
    "annealing": "simulated annealing: neighbours of the present one, worse ones accepted ever more rarely",
    "random": "every trial by itself",
}
"""Samplers by name, with what they are."""


def optuna_extra() -> Any:
    """Optuna, or an error that names the extra to install."""
    try:
        import optuna
    except ImportError as error:
        fix = "pip install 'heldout[search]', or take search='random'"
        raise UsageError("a guided search needs Optuna, which is not installed", fix=fix) from error
    return optuna


@contextmanager
def quietly(optuna: Any) -> Iterator[None]:
    """Optuna without its log lines and warnings; both are as before afterwards."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        optuna.logging.set_verbosity(before)


def sampler_named(given: Any, *, seed: int, trials: int) -> Any:
    """A fresh sampler: by name, or a copy of the one that was given."""
    optuna = optuna_extra()
    if isinstance(given, optuna.samplers.BaseSampler):
        return deepcopy(given)
    if given not in SAMPLERS:
        hint = did_you_mean(str(given), SAMPLERS)
        raise UsageError(f"no sampler is named {given!r}{hint}", fix=f"choose {', '.join(SAMPLERS)}")
    if given == "annealing":
        from heldout.search.annealing import Annealing

        return Annealing(seed=seed, trials=trials)
    if given == "nsgaii":
        # Optuna's own population of 50 would be all random in a search of 50 trials; its own crossover swaps numbers
        # and makes no new ones
        blend = optuna.samplers.nsgaii.BLXAlphaCrossover()
        return optuna.samplers.NSGAIISampler(
            seed=seed, population_size=max(4, trials // 5), crossover=blend, mutation_prob=0.3
        )
    if given == "cmaes":
        if find_spec("cmaes") is None:
            fix = "pip install 'heldout[search]', or choose another sampler"
            raise UsageError("the sampler cmaes needs the package cmaes, which is not installed", fix=fix)
        return optuna.samplers.CmaEsSampler(seed=seed, n_startup_trials=max(2, trials // 5))
    if given == "random":
        return optuna.samplers.RandomSampler(seed=seed)
    return optuna.samplers.TPESampler(seed=seed, n_startup_trials=min(10, max(2, trials // 4)))
