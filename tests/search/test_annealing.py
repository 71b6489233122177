"""Simulated annealing as a sampler: neighbours of what was accepted, closer as it cools."""

from __future__ import annotations

import numpy as np
import optuna
import pytest

from heldout.search.annealing import AT_RANDOM, COLDEST, HOTTEST, Annealing
from heldout.search.strategies import quietly

TRIALS = 100


def walked(function, *, seed=1, trials=TRIALS, direction="minimize"):
    """A study after its trials, and the sampler that walked."""
    sampler = Annealing(seed=seed, trials=trials)
    with quietly(optuna):
        study = optuna.create_study(sampler=sampler, direction=direction)
        study.optimize(function, n_trials=trials)
    return study, sampler


def bowl(trial):
    return (trial.suggest_float("x", -5.0, 5.0) - 2.0) ** 2


def test_it_finds_the_bottom_of_a_bowl_and_walks_closer_and_closer():
    study, _ = walked(bowl)
    x = np.array([one.params["x"] for one in study.trials])
    assert study.best_params["x"] == pytest.approx(2.0, abs=0.15)
    assert np.abs(np.diff(x[-30:])).mean() < 0.5 * np.abs(np.diff(x[20:50])).mean()
    assert ((x >= -5) & (x <= 5)).all()


def test_higher_may_be_better():
    study, _ = walked(lambda trial: -bowl(trial), direction="maximize")
    assert study.best_params["x"] == pytest.approx(2.0, abs=0.15)


def test_it_does_not_start_to_walk_before_a_fifth_of_the_trials():
    study, _ = walked(bowl, trials=50)
    first = np.array([one.params["x"] for one in study.trials[: 50 // AT_RANDOM]])
    assert first.std() > 1.5  # anywhere in ten units


def test_it_cools_from_hottest_to_coldest():
    _, sampler = walked(bowl)
    assert sampler._temperature == pytest.approx(COLDEST, rel=0.02)
    assert Annealing(seed=0, trials=TRIALS)._temperature == HOTTEST


def test_a_worse_neighbour_is_sometimes_accepted_while_it_is_hot_and_never_far_from_the_end():
    def climbs(seed):
        accepted = []

        class Watched(Annealing):
            def after_trial(self, study, trial, state, values):
                before = self._value
                super().after_trial(study, trial, state, values)
                accepted.append(self._value > before)

        sampler = Watched(seed=seed, trials=TRIALS)
        with quietly(optuna):
            optuna.create_study(sampler=sampler).optimize(bowl, n_trials=TRIALS)
        return accepted

    every = np.array([climbs(seed) for seed in range(8)])
    assert every[:, 25:50].sum() > 0
    assert every[:, :20].sum() == 0  # before it walks only better ones are
    assert every[:, -10:].sum() <= every[:, 25:35].sum()


def test_choices_are_made_anew_now_and_then_and_otherwise_kept():
    def function(trial):
        return {"a": 0.0, "b": 1.0, "c": 2.0}[trial.suggest_categorical("kind", ["a", "b", "c"])]

    study, _ = walked(function)
    kinds = [one.params["kind"] for one in study.trials[-40:]]
    assert kinds.count("a") > 20
    assert len(set(kinds)) > 1


def test_the_same_seed_walks_the_same_way():
    first, again, other = ([one.params["x"] for one in walked(bowl, seed=seed)[0].trials] for seed in (3, 3, 4))
    assert first == again != other


def test_a_trial_that_failed_is_not_accepted():
    def function(trial):
        if trial.suggest_float("x", -5.0, 5.0) > 3:
            raise ValueError("no value there")
        return bowl(trial)

    sampler = Annealing(seed=1, trials=60)
    with quietly(optuna):
        study = optuna.create_study(sampler=sampler)
        study.optimize(function, n_trials=60, catch=(ValueError,))
    failed = [one for one in study.trials if one.state == optuna.trial.TrialState.FAIL]
    assert failed
    assert sampler._present["x"] <= 3
