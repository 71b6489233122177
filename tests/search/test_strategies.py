from __future__ import annotations

import logging
import subprocess
import sys

import numpy as np
import optuna
import pytest
from scipy.stats import loguniform, norm

from heldout.errors import UsageError
from heldout.learners import Effort, dataset, designed
from heldout.search import Search, Work, candidates_named, fits_counted, searched
from heldout.search.strategies import SAMPLERS, proposed, quietly, sampler_named
from tests.search.learners import Cut, Stump, beyond, planted

CUTS = {"cut": (Cut(), {"at": {"low": -3.0, "high": 3.0}}), "turned": (Cut(turned=True), {"at": norm(0, 1)})}


def share_right(_, told):
    """The share of right predictions on each part."""
    right = told.batch.prediction == told.batch.truth
    return np.bincount(told.split, weights=right) / np.bincount(told.split)


@pytest.fixture
def work():
    """Work on rows, judged by the share of right predictions; and the parts of five folds of them."""

    def made(X, y, better="higher"):
        data = dataset(X, y)
        fits = fits_counted(data, Effort(scores=False), 0)
        return (
            Work(data=data, fits=fits, measure=share_right, better=better),
            designed(5, data, random_state=0, several=False).splits,
        )

    return made


def best(trials):
    return max(trials, key=lambda one: one.value)


def test_a_grid_is_every_combination_of_every_candidate():
    given = candidates_named({"a": Stump(), "b": (Cut(), {"at": [0, 1], "turned": [False, True]})})
    assert [one.name for one in proposed(given, Search())] == [
        "a", "b(at=0, turned=False)", "b(at=0, turned=True)", "b(at=1, turned=False)", "b(at=1, turned=True)",
    ]  # fmt: skip


def test_random_draws_are_distinct_and_the_same_for_the_same_seed():
    given = candidates_named({"a": (Stump(), {"column": list(range(9))}), "b": (Cut(), {"at": loguniform(0.01, 10)})})
    names = [[one.name for one in proposed(given, Search(kind="random", trials=30, seed=seed))] for seed in (1, 1, 2)]
    assert names[0] == names[1] != names[2]
    assert len(set(names[0])) == len(names[0]) <= 30
    assert {name[0] for name in names[0]} == {"a", "b"}


def test_more_random_draws_than_there_are_configurations_try_all_of_them():
    given = candidates_named({"a": (Stump(), {"column": [0, 1, 2]})})
    assert len(proposed(given, Search(kind="random", trials=50))) == 3


@pytest.mark.parametrize("kind", ["grid", "random", "guided"])
def test_the_planted_column_is_found(work, kind):
    job, parts = work(*planted(which=7))
    given = candidates_named({"stump": (Stump(), {"column": list(range(10))})})
    (trials,) = searched(given, Search(kind=kind, trials=40), job, [parts])
    assert best(trials).name == "stump(column=7)"
    assert best(trials).value > 0.85


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_every_sampler_finds_the_planted_number(work, sampler):
    job, parts = work(*beyond(at=0.7))
    (trials,) = searched(candidates_named(CUTS), Search(kind="guided", trials=60, sampler=sampler), job, [parts])
    found = best(trials)
    assert found.configuration.candidate == "cut"
    assert found.configuration.parameters["at"] == pytest.approx(0.7, abs=0.2)
    assert found.value > 0.95


def test_what_is_found_guides_the_search(work):
    job, parts = work(*beyond(at=0.7))
    given = candidates_named({"cut": CUTS["cut"]})

    def near(sampler):
        (trials,) = searched(given, Search(kind="guided", trials=40, sampler=sampler), job, [parts])
        late = [one.configuration.parameters["at"] for one in trials][-20:]
        return np.mean(np.abs(np.array(late) - 0.7) < 0.5)

    assert near("random") <= 0.3
    assert near("tpe") > 0.4
    assert near("annealing") > 0.4


def test_less_may_be_better(work):
    job, parts = work(*beyond(at=0.7), better="lower")
    given = candidates_named({"cut": CUTS["cut"]})
    for sampler in ("tpe", "annealing"):
        (trials,) = searched(given, Search(kind="guided", trials=40, sampler=sampler), job, [parts])
        late = [one.configuration.parameters["at"] for one in trials][-10:]
        assert np.mean(np.abs(np.array(late) - 0.7) < 0.5) <= 0.1


def test_a_guided_search_repeats_itself_and_fits_nothing_twice(work):
    X, y = planted()
    job, parts = work(X, y)
    fitted = []

    def fits(learners, splits, **options):
        fitted.extend(learners)
        return job.fits(learners, splits, **options)

    counted = Work(data=job.data, fits=fits, measure=job.measure, better="higher")
    given = candidates_named({"stump": (Stump(), {"column": [0, 7]})})
    (first,) = searched(given, Search(kind="guided", trials=12, seed=3), counted, [parts])
    assert sorted(fitted) == ["stump(column=0)", "stump(column=7)"]
    (again,) = searched(given, Search(kind="guided", trials=12, seed=3), job, [parts])
    assert [(one.name, one.value) for one in first] == [(one.name, one.value) for one in again]


def test_a_sampler_of_optunas_may_be_given(work):
    job, parts = work(*planted())
    given = candidates_named({"stump": (Stump(), {"column": list(range(10))})})
    mine = optuna.samplers.RandomSampler(seed=5)
    runs = [searched(given, Search(kind="guided", trials=6, sampler=mine), job, [parts])[0] for _ in range(2)]
    assert [one.name for one in runs[0]] == [one.name for one in runs[1]]


def test_values_that_are_undefined_do_not_end_the_search(work):
    job, parts = work(*planted())

    def measure(name, told):
        return np.full(len(told.splits), np.nan) if "column=7" in name else share_right(name, told)

    silent = Work(data=job.data, fits=job.fits, measure=measure, better="higher")
    given = candidates_named({"stump": (Stump(), {"column": [6, 7]})})
    for sampler in ("tpe", "annealing"):
        (trials,) = searched(given, Search(kind="guided", trials=8, sampler=sampler), silent, [parts])
        assert {one.name: np.isnan(one.value) for one in trials} == {"stump(column=6)": False, "stump(column=7)": True}


def test_optuna_is_quiet_meanwhile_and_as_before_afterwards(work, caplog):
    before = optuna.logging.get_verbosity()
    logging.getLogger("optuna").propagate = True
    job, parts = work(*planted())
    searched(candidates_named({"s": (Stump(), {"column": [1, 2]})}), Search(kind="guided", trials=3), job, [parts])
    logging.getLogger("optuna").propagate = False
    assert caplog.records == []
    assert optuna.logging.get_verbosity() == before
    with pytest.raises(KeyError), quietly(optuna):
        raise KeyError
    assert optuna.logging.get_verbosity() == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kind": "gird"}, "no search is named 'gird'; did you mean 'grid'?\n  Fix: choose grid, random, guided"),
        ({"trials": 0}, "n_trials is 0, but must be a whole number above 0\n  Fix: give n_trials=50"),
        ({"trials": 2.5}, "n_trials is 2.5, but must be a whole number above 0\n  Fix: give n_trials=50"),
    ],
)
def test_a_search_that_is_none_is_refused(options, said):
    with pytest.raises(UsageError) as caught:
        Search(**options)
    assert str(caught.value) == said


def test_a_grid_has_no_ranges_and_an_end():
    with pytest.raises(UsageError) as caught:
        proposed(candidates_named(CUTS), Search())
    assert str(caught.value) == (
        "at of cut is a range, and a grid needs values one by one\n"
        "  Fix: take search='random' or 'guided', or list the values"
    )
    many = candidates_named({"cut": (Cut(), {"at": list(range(101)), "turned": list(range(101))})})
    with pytest.raises(UsageError) as caught:
        proposed(many, Search())
    assert str(caught.value) == (
        "the grid has 10,201 configurations, and at most 10,000 are tried\n  Fix: take search='random', or fewer values"
    )


def test_an_unknown_sampler_and_missing_packages_are_named(monkeypatch):
    with pytest.raises(UsageError) as caught:
        sampler_named("tpee", seed=0, trials=9)
    assert str(caught.value) == (
        "no sampler is named 'tpee'; did you mean 'tpe'?\n  Fix: choose tpe, nsgaii, cmaes, annealing, random"
    )
    monkeypatch.setitem(sys.modules, "cmaes", None)
    with pytest.raises(UsageError) as caught:
        sampler_named("cmaes", seed=0, trials=9)
    assert str(caught.value) == (
        "the sampler cmaes needs the package cmaes, which is not installed\n"
        "  Fix: pip install 'heldout[search]', or choose another sampler"
    )
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(UsageError) as caught:
        sampler_named("tpe", seed=0, trials=9)
    assert str(caught.value) == (
        "a guided search needs Optuna, which is not installed\n"
        "  Fix: pip install 'heldout[search]', or take search='random'"
    )


def test_a_search_without_guidance_needs_no_optuna():
    """A fresh process, since here Optuna is loaded: the verb must load and run without the extra."""
    lines = """
import sys
sys.modules["optuna"] = None
import heldout
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier
models = {"tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]})}
print(heldout.select(models, *load_iris(return_X_y=True), cv=2, inner_cv=2, metrics="accuracy").kind)
"""
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, encoding="utf-8", check=False)
    assert (done.stdout, done.stderr) == ("selection\n", "")
