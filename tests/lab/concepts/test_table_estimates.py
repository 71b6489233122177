"""Tables estimated from rows."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.lab.concepts.domains import domain, line_domain
from heldout.lab.concepts.joint_table import (
    bayes_classifier,
    class_given_x,
    class_marginal,
    joint_table,
    table_error,
)
from heldout.lab.concepts.table_estimates import (
    attribute_conditionals,
    counted,
    counting_estimate,
    naive_bayes_estimate,
    sampled,
)


def a_table(seed=0, points=4, classes=3):
    p = np.random.default_rng(seed).random((points, classes))
    return joint_table(p / p.sum())


def test_the_plain_estimate_nears_the_table():
    world = a_table(8)
    rows = world.draw(100_000, np.random.default_rng(1))
    found = counting_estimate(counted(rows, world.domain, world.classes), world.domain, world.classes)
    assert np.abs(found.p - world.p).max() < 0.01


def independent(seed=0):
    """A table whose attributes are independent within each class."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.dirichlet(np.ones(3), 2), rng.dirichlet(np.ones(2), 2), np.array([0.3, 0.7])
    p = np.einsum("c,ca,cb->abc", c, a, b).reshape(6, 2)
    return joint_table(p, domain=domain({"a": [1, 2, 3], "b": ["x", "y"]}))


def test_naive_bayes_is_right_where_attributes_are_independent_and_only_there():
    world = independent()
    np.testing.assert_allclose(naive_bayes_estimate(world.p, world.domain, world.classes).p, world.p)
    xor = np.array([[0.25, 0.0], [0.0, 0.25], [0.0, 0.25], [0.25, 0.0]])
    square = domain({"a": [0, 1], "b": [0, 1]})
    naive = naive_bayes_estimate(xor, square, [0, 1])
    np.testing.assert_allclose(naive.p, 0.125)
    assert float(table_error(joint_table(xor, domain=square), bayes_classifier(naive))) == 0.5


@pytest.mark.parametrize("smoothing", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("estimate", [counting_estimate, naive_bayes_estimate])
def test_estimates_sum_to_one(estimate, smoothing):
    where = domain({"a": [1, 2, 3], "b": ["x", "y"]})
    counts = np.random.default_rng(0).integers(0, 4, (6, 2))
    found = estimate(counts, where, ["no", "yes"], smoothing=smoothing)
    assert found.p.sum() == pytest.approx(1)
    assert (found.p > 0).all() == bool(smoothing or (found.p > 0).all())


def test_smoothing_is_laplaces():
    where = domain({"a": [1, 2, 3]})
    counts = [[2, 0], [1, 0], [0, 1]]
    (one,) = attribute_conditionals(counts, where, 1)
    np.testing.assert_allclose(one, [[3 / 6, 1 / 4], [2 / 6, 1 / 4], [1 / 6, 2 / 4]])
    np.testing.assert_allclose(class_marginal(naive_bayes_estimate(counts, where, "ab", smoothing=1)), [0.75, 0.25])


def test_naive_bayes_agrees_with_scikit_learn():
    from sklearn.naive_bayes import CategoricalNB

    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (200, 2)), rng.integers(0, 2, 200)
    rows, where, classes = sampled({"a": X[:, 0], "b": X[:, 1]}, y)
    mine = class_given_x(naive_bayes_estimate(counted(rows, where, classes), where, classes, smoothing=1))
    theirs = CategoricalNB(alpha=1.0).fit(X, y).predict_proba(where.codes)
    np.testing.assert_allclose(mine, theirs, rtol=1e-10)


def test_a_class_without_rows_has_no_share():
    found = naive_bayes_estimate([[2, 0], [1, 0]], line_domain(2), "ab")
    assert class_marginal(found).tolist() == [1.0, 0.0]
