"""The true error of what a user has: positions over a table, a function of points, a linear rule, a fitted object."""

from __future__ import annotations

import numpy as np
import pytest

from heldout import lab
from heldout.errors import UsageError


def test_a_table_gives_one_number_per_classifier():
    table = lab.joint_table([[0.3, 0.1], [0.2, 0.4]])
    assert lab.true_error(table, [[0, 1], [1, 0]]) == pytest.approx([0.3, 0.7])


def test_a_fitted_object_is_judged_by_its_predictions():
    from sklearn.linear_model import LogisticRegression

    world = lab.gaussian(distance=2.0)
    X, y = world.sample(2000, np.random.default_rng(0))
    found = lab.true_error(world, LogisticRegression().fit(X, y), points=50_000)
    assert found.value == pytest.approx(0.1587, abs=0.004)


def test_three_classes_are_averaged_over_points():
    world = lab.gaussian(distance=2.0, classes=3, dimensions=1)
    found = lab.true_error(world, world.bayes)
    assert abs(found.value - world.truth("error_rate")) < 4 * found.error


@pytest.mark.parametrize(
    ("world", "classifier", "message"),
    [
        (lab.gaussian(), lambda X: X[:, 0], "the classifier predicts something else than a class for each point"),
        (lab.gaussian(), [0, 1], "a classifier of type list predicts nothing"),
        (lab.gaussian(), lab.LinearRule(weights=(1.0,), offset=0.0), "the rule has 1 weights"),
        ("gaussian", [0, 1], "the true error in a world of type str is not known"),
    ],
)
def test_what_is_no_classifier(world, classifier, message):
    with pytest.raises(UsageError, match=message):
        lab.true_error(world, classifier)
