"""The power of the rows that a time grows with."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import growth as module
from benchmarks.growth import exponent, growth
from benchmarks.task import Task


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_exponent_is_found(power):
    rows = [10**4, 10**5, 10**6, 10**7]
    assert exponent(rows, [3e-6 * size**power for size in rows]) == pytest.approx(power, abs=1e-12)


def test_the_exponent_is_that_of_a_line_through_all_points():
    rows, seconds = [10, 100, 1000], [0.1, 0.4, 9.0]
    assert exponent(rows, seconds) == pytest.approx(np.polyfit(np.log(rows), np.log(seconds), 1)[0])


def test_one_size_has_no_exponent():
    assert exponent([10**4], [0.1]) is None


def test_a_size_that_would_take_too_long_is_left_out(monkeypatch):
    monkeypatch.setattr(module, "TOO_LONG", 0.0)
    task = Task(name="a", title="A", rows=100, data=lambda rows: {"x": np.ones(rows)}, ours=len, peers=())
    found = growth(task, sizes=[10, 100, 1000], budget=1, rounds=2)
    assert (found.rows, found.left_out, found.exponent) == ((10,), (100, 1000), None)


def test_all_sizes_are_timed_otherwise():
    sizes = []
    task = Task(
        name="a",
        title="A",
        rows=100,
        data=lambda rows: {"x": rows},
        ours=lambda data: sizes.append(data["x"]),
        peers=(),
    )
    found = growth(task, sizes=[10, 100, 1000], budget=1, rounds=2)
    assert found.rows == (10, 100, 1000)
    assert found.left_out == ()
    assert sizes == [1000, 10, 10, 100, 100, 1000, 1000]  # first the run that only loads
