"""The least of several turns, whoever else is running."""

from __future__ import annotations

import gc

from benchmarks.turns import take_turns


def counting(costs):
    """A clock that a call moves on, and calls that take these seconds in their turns; who was called in which order."""
    now, called = [0.0], []

    def call(name):
        def run():
            called.append(name)
            now[0] += costs[name][called.count(name) - 1]
            return f"{name} {called.count(name)}"

        return run

    return (lambda: now[0]), {name: call(name) for name in costs}, called


def test_the_least_time_and_the_first_answer_count():
    clock, calls, called = counting({"a": [3.0, 1.0, 2.0], "b": [5.0, 5.0, 4.0]})
    found = take_turns(calls, budget=100, rounds=3, clock=clock)
    assert called == ["a", "b"] * 3
    assert [(one.seconds, one.spent, one.runs, one.answer) for one in found.values()] == [
        (1.0, 6.0, 3, "a 1"),
        (4.0, 14.0, 3, "b 1"),
    ]


def test_who_has_spent_the_budget_drops_out_and_the_others_go_on():
    clock, calls, called = counting({"quick": [1.0] * 4, "slow": [50.0], "middle": [6.0, 6.0]})
    take_turns(calls, budget=10, rounds=4, clock=clock)
    assert called == ["quick", "slow", "middle", "quick", "middle", "quick", "quick"]


def test_nothing_is_collected_while_a_call_runs_and_collecting_goes_on_afterwards():
    found = take_turns({"a": gc.isenabled}, budget=1, rounds=1)
    assert found["a"].answer is False
    assert gc.isenabled()
