"""Many fits at once are the fits one by one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from heldout.errors import UsageError
from heldout.lab.folds.test_rows import bags, folds, in_turn, parted
from heldout.lab.folds.vectorised_fits import discriminants, least_squares, many_fits, model, nearest, trees
from heldout.lab.learning.gaussian_world import gaussian
from heldout.lab.learning.small_learners import knn, linear

RNG = np.random.default_rng


def sample(rows=60):
    return gaussian(distance=1.0, dimensions=3).sample(rows, RNG(1))


def of_each(fit, X, y, parts, at):
    drawn = [np.repeat(np.arange(len(X)), times) for times in parts]
    return np.array([fit(X[rows], y[rows])(at) for rows in drawn])


@pytest.mark.parametrize(("quick", "slow"), [(discriminants, linear()), (nearest, knn(k=1))])
def test_the_same_as_one_by_one(quick, slow):
    X, y = sample()
    at = RNG(2).normal(size=(40, 3))
    parts = np.concatenate([parted(in_turn(folds(60, 5, 2, RNG(3)), 5)).learned, bags(60, 10, RNG(4)).learned])
    assert (quick(X, y, parts)(at) == of_each(slow.fit, X, y, parts, at)).all()


def test_trees_are_those_of_scikit_learn():
    X, y = sample()
    parts = bags(60, 4, RNG(4)).learned
    slow = of_each(lambda X, y: DecisionTreeClassifier(random_state=0).fit(X, y).predict, X, y, parts, X)
    assert (trees(X, y, parts)(X) == slow).mean() > 0.99  # equally good cuts may fall either way by rounding


def test_planes_are_those_of_least_squares():
    X, y = RNG(0).normal(size=(30, 4)), RNG(1).normal(size=30)
    parts = parted(in_turn(folds(30, 3, 1, RNG(2)), 3)).learned
    full = np.column_stack([np.ones(30), X])
    wanted = [full @ np.linalg.lstsq(full[part > 0], y[part > 0], rcond=None)[0] for part in parts]
    assert least_squares(X, y, parts)(X) == pytest.approx(np.array(wanted))


def test_a_neighbour_is_found_however_far_away():
    """The part has none of the nearest rows."""
    X, y = np.arange(100.0)[:, None], np.arange(100) % 2
    part = np.zeros((1, 100), int)
    part[0, [90, 97]] = 1
    assert nearest(X, y, part)(np.array([[3.0], [96.0]])).tolist() == [[0, 1]]


def test_a_class_that_was_not_seen_is_not_predicted():
    X, y = sample()
    parts = np.stack([y == 0, y == 1]).astype(int)
    said = discriminants(X, y, parts)(X)
    assert (said[0] == 0).all()
    assert (said[1] == 1).all()


def test_rows_that_are_alike_have_a_discriminant_too():
    """The covariance cannot be inverted."""
    X, y = np.repeat([[0.0, 0.0], [1.0, 1.0]], 5, axis=0), np.repeat([0, 1], 5)
    assert discriminants(X + 0.0, y, np.ones((1, 10), int))(X).shape == (1, 10)


def test_any_learner():
    X, y = sample()
    parts = bags(60, 3, RNG(0)).learned
    assert (many_fits(knn(k=3))(X, y, parts)(X) == of_each(knn(k=3).fit, X, y, parts, X)).all()
    assert many_fits(linear()) is discriminants


def test_what_is_no_learner():
    with pytest.raises(UsageError) as caught:
        model("liner")
    assert str(caught.value) == (
        "no learner is named 'liner'; did you mean 'linear'?\n  Fix: choose one of constant, fixed-line, interpolate, "
        "knn, linear, poly, tree, or an import path such as sklearn.svm:SVC"
    )
