"""Ours beside a peer: the ratio, the bar, and whether the numbers agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import benchmarks.ratios as module
from benchmarks.ratios import largest_gap, lines
from benchmarks.task import Limit, Peer, Task
from benchmarks.tasks import TASKS
from benchmarks.turns import Timing

PEER = Peer(name="them", call=lambda data: 0.5, gap=largest_gap, bar=2)
TASK = Task(name="a", title="A", rows=100, data=lambda rows: {"x": np.ones(rows)}, ours=lambda data: 0.5, peers=(PEER,))


@pytest.fixture
def line(monkeypatch):
    """The line of a task whose times are given."""

    def found(task, rows=100, **times):
        def told(calls, *, budget, rounds):
            return {
                name: Timing(seconds=times[name], spent=times[name], runs=1, answer=call())
                for name, call in calls.items()
            }

        monkeypatch.setattr(module, "take_turns", told)
        (only,) = lines(task, rows=rows, budget=1, rounds=1)
        return only

    return found


def test_the_ratio_is_their_time_over_ours(line):
    found = line(TASK, ours=0.5, them=2.0)
    assert (found.ours_s, found.peer_s, found.ratio, found.bar, found.met) == (0.5, 2.0, 4.0, 2, True)
    assert (found.gap, found.agrees, found.note) == (0.0, True, "")


def test_a_bar_that_is_missed(line):
    assert line(TASK, ours=0.5, them=0.9).met is False


def test_a_bar_says_nothing_about_fewer_rows(line):
    assert line(TASK, rows=50, ours=0.5, them=0.9).met is None


def test_a_part_of_the_work_is_multiplied(line):
    task = replace(TASK, peers=(replace(PEER, share=0.1, note="extrapolated"),))
    found = line(task, ours=0.5, them=2.0)
    assert (found.peer_s, found.ratio, found.note) == (20.0, 40.0, "extrapolated")


def test_a_wrong_number_is_told(line):
    found = line(replace(TASK, ours=lambda data: 0.75), ours=0.5, them=2.0)
    assert (found.gap, found.agrees, found.note) == (0.25, False, "differs by 2.5e-01")


def test_no_number_agrees_with_nothing(line):
    found = line(replace(TASK, ours=lambda data: np.nan), ours=0.5, them=2.0)
    assert (found.agrees, found.note) == (False, "differs by nan")


def test_an_error_of_the_peer_is_named(line):
    task = replace(TASK, peers=(replace(PEER, call=lambda data: 0.75, error="it rounds", note="with interval"),))
    found = line(task, ours=0.5, them=2.0)
    assert (found.agrees, found.note) == (True, "differs by 2.5e-01: it rounds; with interval")


def test_what_is_not_there_yet_is_said(line):
    found = line(replace(TASK, ours=None, note="not yet"), them=2.0)
    assert (found.ours_s, found.peer_s, found.ratio, found.met, found.agrees) == (None, 2.0, None, None, None)
    assert found.note == "not yet"


def test_a_peer_that_is_not_installed_is_said(line):
    def absent(data):
        raise ModuleNotFoundError("No module named 'them'", name="them")

    found = line(replace(TASK, peers=(replace(PEER, call=absent),)), ours=0.5)
    assert (found.ours_s, found.peer_s, found.ratio, found.note) == (0.5, None, None, "not installed: them")


def test_the_limit_takes_its_turn(line):
    found = line(
        replace(TASK, limit=Limit(name="reading", call=lambda data: data["x"].sum())), ours=0.5, them=2.0, limit=0.1
    )
    assert (found.limit, found.limit_s) == ("reading", 0.1)


def only_sklearn(name):
    """The task beside scikit-learn alone, which the tests' environment has."""
    task = TASKS[name]
    return replace(task, peers=tuple(peer for peer in task.peers if "scikit-learn" in peer.name))


@pytest.mark.parametrize("name", ["labels", "labels_strings", "auc", "auc_float32", "average_precision", "losses"])
def test_a_task_agrees_with_scikit_learn(name):
    task = only_sklearn(name)
    found = lines(task, rows=1000, budget=1, rounds=1)
    assert len(found) == len(task.peers) > 0
    assert [(one.agrees, one.met, one.note) for one in found] == [(True, None, peer.note) for peer in task.peers]
    assert all(one.ratio > 0 and one.limit_s > 0 for one in found)


def test_probabilities_of_classes_agree_with_scikit_learn():
    (found,) = lines(only_sklearn("auc_ovr"), rows=1000, budget=1, rounds=1)
    assert (found.agrees, found.rows) == (True, 1000)


def test_a_bootstrap_agrees_with_the_loop():
    (found,) = lines(only_sklearn("f1_bootstrap"), rows=1000, budget=1, rounds=1)
    assert (found.agrees, found.note) == (True, "extrapolated from 100 of 1,000 resamples")


def test_every_task_has_a_bar():
    assert [task.name for task in TASKS.values() if not any(peer.bar for peer in task.peers)] == []
