"""Which configurations are tried: a grid, some at random, the next by what was measured so far (optuna, annealing)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from heldout.errors import UsageError, did_you_mean
from heldout.optional_packages import needed, require
from heldout.search.candidates import Candidate, Configuration, Range, configuration, rounded
from heldout.search.trials import Trial, Work, tried
from heldout.splits import Split

SAMPLERS = {
    "tpe": "tree-structured Parzen estimator: Bayesian",
    "nsgaii": "evolutionary: parents chosen by value, crossed and mutated",
    "cmaes": "covariance matrix adaptation: evolutionary, for ranges",
    "annealing": "simulated annealing: neighbours of the present one, worse ones accepted ever more rarely",
    "random": "every trial by itself",
}
"""Samplers by name, with what they are."""

GRID = "lists of settings need"


def optuna_extra() -> Any:
    """Optuna, or an error that names the extra to install."""
    return needed("optuna", "a guided search needs", "take search='random' (--search random)")


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
        from heldout.search.annealing import Annealing  # its base class is Optuna's, which is an extra

        return Annealing(seed=seed, trials=trials)
    if given == "nsgaii":
        # Optuna's own population of 50 would be all random in a search of 50 trials; its own crossover swaps numbers
        # and makes no new ones
        blend = optuna.samplers.nsgaii.BLXAlphaCrossover()
        return optuna.samplers.NSGAIISampler(
            seed=seed, population_size=max(4, trials // 5), crossover=blend, mutation_prob=0.3
        )
    if given == "cmaes":
        require("cmaes", "the sampler cmaes needs", "choose another sampler")
        return optuna.samplers.CmaEsSampler(seed=seed, n_startup_trials=max(2, trials // 5))
    if given == "random":
        return optuna.samplers.RandomSampler(seed=seed)
    return optuna.samplers.TPESampler(seed=seed, n_startup_trials=min(10, max(2, trials // 4)))


Kind = Literal["grid", "random", "guided"]
SEARCHES = ("grid", "random", "guided")
WHICH = "\0candidate"
"""Under this name a candidate stands beside its parameters: no parameter is called so."""
FLAT = ("nsgaii", "cmaes")
"""Samplers that cross or tilt whole settings, and so need the same parameters in every trial."""
EDGE = 1e-6
"""How near the end of a distribution may be tried: the end itself may be infinite."""
MOST = 10_000
"""Configurations of a grid."""


@dataclass(frozen=True, kw_only=True)
class Search:
    """How to search: by which means, how long, from which seed."""

    kind: Kind = "grid"
    trials: int = 50
    """Configurations of a random or guided search."""
    sampler: Any = "tpe"
    """Of a guided search: a name, or a sampler of Optuna's."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in SEARCHES:
            hint = did_you_mean(str(self.kind), SEARCHES)
            raise UsageError(f"no search is named {self.kind!r}{hint}", fix=f"choose {', '.join(SEARCHES)}")
        if isinstance(self.trials, bool) or not isinstance(self.trials, int) or self.trials < 1:
            raise UsageError(f"n_trials is {self.trials!r}, but must be a whole number above 0", fix="give n_trials=50")


def searched(
    candidates: Sequence[Candidate], search: Search, work: Work, parts: Sequence[Sequence[Split]]
) -> list[tuple[Trial, ...]]:
    """The trials of one search per list of validation parts; a grid or random draws are the same for all of them."""
    if search.kind == "guided":
        return [guided(candidates, search, work, splits, at) for at, splits in enumerate(parts)]
    return tried(proposed(candidates, search), work, parts)


def most(candidates: Sequence[Candidate], search: Search) -> int:
    """How many configurations a search tries at most."""
    return search.trials if search.kind == "guided" else len(proposed(candidates, search))


def proposed(candidates: Sequence[Candidate], search: Search) -> list[Configuration]:
    """The configurations of a grid, or as many as trials drawn at random; each once.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from heldout.search.candidates import candidates_named
    >>> given = candidates_named({"lr": (LogisticRegression(), {"C": [0.1, 1], "tol": [0.01, 0.1]})})
    >>> [one.name for one in proposed(given, Search())]
    ['lr(C=0.1, tol=0.01)', 'lr(C=0.1, tol=0.1)', 'lr(C=1, tol=0.01)', 'lr(C=1, tol=0.1)']
    """
    named = {one.name: one for one in candidates}
    lists = [{WHICH: [one.name], **one.space} for one in candidates]
    settings = _drawn(lists, search) if search.kind == "random" else _every(candidates, lists)
    found = [configuration(named[one[WHICH]], _rounded(one, named[one[WHICH]])) for one in settings]
    return list({one.name: one for one in found}.values())


def _every(candidates: Sequence[Candidate], lists: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    for one in candidates:
        for name, values in one.space.items():
            if not isinstance(values, tuple):
                raise UsageError(
                    f"{name} of {one.name} is a range, and a grid needs values one by one",
                    fix="take search='random' or 'guided' (--search), or list the values",
                )
    made = needed("sklearn.model_selection", GRID).ParameterGrid(list(lists))
    if len(made) > MOST:
        fix = "take search='random' (--search random), or fewer values"
        raise UsageError(f"the grid has {len(made):,} configurations, and at most {MOST:,} are tried", fix=fix)
    return list(made)


def _drawn(lists: Sequence[dict[str, Any]], search: Search) -> list[dict[str, Any]]:
    sampler = needed("sklearn.model_selection", GRID).ParameterSampler
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer configurations than trials: then all of them are tried
        return list(sampler(list(lists), search.trials, random_state=search.seed))


def _rounded(setting: dict[str, Any], candidate: Candidate) -> dict[str, Any]:
    """The setting with what was drawn from a distribution to four digits, so that its name says what it is."""
    return {name: setting[name] if isinstance(values, tuple) else short(setting[name])
            for name, values in candidate.space.items()}  # fmt: skip


def short(drawn: Any) -> Any:
    """A drawn number as a plain one, to four significant digits."""
    plain = drawn.item() if hasattr(drawn, "item") else drawn
    return rounded(plain) if isinstance(plain, float) and isfinite(plain) else plain


def guided(
    candidates: Sequence[Candidate], search: Search, work: Work, splits: Sequence[Split], number: int
) -> tuple[Trial, ...]:
    """One trial after the other, each proposed by Optuna from those before it; a repeated one is not fitted again."""
    optuna = optuna_extra()
    found: dict[str, Trial] = {}
    with quietly(optuna):
        made = sampler_named(search.sampler, seed=search.seed + 1000 * number, trials=search.trials)
        study = optuna.create_study(
            direction="maximize" if work.better == "higher" else "minimize", sampler=made
        )  # fmt: skip
    for _ in range(search.trials):
        with quietly(optuna):
            asked = study.ask()
            one = (_suggested_flat if search.sampler in FLAT else _suggested)(asked, candidates)
        if one.name not in found:
            ((found[one.name],),) = tried([one], work, [splits])
        value = found[one.name].value
        with quietly(optuna):
            if isfinite(value):
                study.tell(asked, value)
            else:
                study.tell(asked, state=optuna.trial.TrialState.FAIL)
    return tuple(found.values())


def _suggested(asked: Any, candidates: Sequence[Candidate]) -> Configuration:
    """A candidate, then its own parameters; ranges and distributions by how far along they are, from 0 to 1."""
    named = {one.name: one for one in candidates}
    chosen = named[asked.suggest_categorical("candidate", list(named)) if len(named) > 1 else next(iter(named))]
    setting = {}
    for name, values in chosen.space.items():
        key = f"{chosen.name}: {name}"
        if isinstance(values, tuple):
            setting[name] = values[asked.suggest_categorical(key, list(range(len(values))))]
        else:
            setting[name] = _along(values, asked.suggest_float(key, 0.0, 1.0))
    return configuration(chosen, setting)


def _suggested_flat(asked: Any, candidates: Sequence[Candidate]) -> Configuration:
    """The same for samplers that need one space of numbers: every parameter of every candidate, those unused idle."""
    every = {
        (one.name, name): asked.suggest_float(f"{one.name}: {name}", 0.0, 1.0)
        for one in candidates
        for name in one.space
    }
    chosen = _along(tuple(candidates), asked.suggest_float("candidate", 0.0, 1.0) if len(candidates) > 1 else 0.0)
    return configuration(
        chosen, {name: _along(values, every[chosen.name, name]) for name, values in chosen.space.items()}
    )


def _along(values: Any, share: float) -> Any:
    """What lies so far along a list, a range or a distribution: 0 is its beginning, 1 its end."""
    if isinstance(values, tuple):
        return values[min(int(share * len(values)), len(values) - 1)]
    if isinstance(values, Range):
        return values.at(share)
    return short(values.ppf(min(max(share, EDGE), 1 - EDGE)))
