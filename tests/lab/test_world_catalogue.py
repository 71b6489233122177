"""Worlds as plain values, by their names."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.lab.world_catalogue import all_worlds, one_world
from heldout.lab.worlds.registry import FAMILIES


def test_worlds_as_plain_values():
    names = [one["name"] for one in all_worlds().worlds]
    to_learn_from = ["flat", "sine", "slope", "square", "step", "gaussian", "twins", "noise"]
    assert names == [*FAMILIES, "any of these", "pair-", *to_learn_from]
    assert all(one["about"] for one in all_worlds().worlds)
    found = one_world("pair-coin:p=0.8,gain=0.05")
    assert found.worlds[0]["parameters"] == {"p": "0.8", "gain": "0.05"}
    assert found.values["error_rate"] == pytest.approx(-0.05)


def test_the_bayes_error_of_twins_is_that_of_both_blocks():
    """Simulated: no rule of one block (0.159 for the second) is as good as the best rule of both."""
    found = heldout.lab.twins(gain=0.5)
    X, y = found.sample(100_000, np.random.default_rng(0))
    steps = np.repeat([1.5, 2.0], 5) / np.sqrt(5)
    simulated = np.mean(((X - steps / 2) @ steps > 0) != y)
    said = one_world("twins:gain=0.5").bayes_error
    assert said == pytest.approx(simulated, abs=4 * np.sqrt(0.1 * 0.9 / 100_000))
    assert heldout.lab.bayes_error(found) == said


def test_the_bayes_error_of_gaussian_classes_is_public():
    assert heldout.lab.bayes_error(heldout.lab.gaussian(distance=2.0)) == pytest.approx(0.158655, abs=1e-6)
    assert heldout.lab.bayes_error(heldout.lab.joint_table([[0.3, 0.1], [0.2, 0.4]])) == pytest.approx(0.3)
