"""Twins: either block tells a learner the same."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from heldout.errors import UsageError
from heldout.lab import bayes_error, gaussian, twins


def test_blocks_are_alike():
    world = twins(features=3, distance=2.0, prevalence=0.3)
    assert world.name == "twins:features=3,distance=2,prevalence=0.3"
    X, y = world.sample(200_000, np.random.default_rng(0))
    assert X.shape == (200_000, 6)
    assert y.mean() == pytest.approx(0.3, abs=0.004)
    for label in (0, 1):
        first, second = (X[y == label][:, block] for block in world.blocks)
        assert first.mean(axis=0) == pytest.approx(second.mean(axis=0), abs=0.02)
        assert np.corrcoef(first[:, 0], second[:, 0])[0, 1] == pytest.approx(0, abs=0.02)


def test_no_rule_on_a_block_beats_the_bayes_error_of_a_block():
    world = twins(features=4, distance=1.5)
    rng = np.random.default_rng(1)
    X, y = world.sample(20_000, rng)
    fresh, truth = world.sample(200_000, rng)
    errors = []
    for block in world.blocks:
        rule = LinearDiscriminantAnalysis().fit(X[:, block], y)
        errors.append(np.mean(rule.predict(fresh[:, block]) != truth))
    assert errors == pytest.approx([bayes_error(gaussian(distance=1.5))] * 2, abs=0.004)


def test_what_cannot_be_drawn():
    with pytest.raises(UsageError) as problem:
        twins(features=0)
    assert str(problem.value) == (
        "features of the world 'twins' is 0, but must be from 1 to 1,000\n"
        "  Fix: give features another value, or leave it out; heldout lab world lists the parameters"
    )


def test_a_gain_moves_the_second_block_alone():
    world = twins(gain=1.0)
    X, y = world.sample(40_000, np.random.default_rng(0))
    means = [[X[y == c][:, block].mean(axis=0) for c in (0, 1)] for block in world.blocks]
    assert [np.linalg.norm(second - first) for first, second in means] == pytest.approx([1.5, 2.5], abs=0.05)
    for block in (0, 1):
        chances = world.posterior_of(X, block)
        assert chances.sum(axis=1) == pytest.approx(1)
        sure = chances[:, 1] > 0.9
        assert y[sure].mean() == pytest.approx(chances[sure, 1].mean(), abs=0.01)
    assert twins().name == "twins:features=5,distance=1.5,prevalence=0.5"
