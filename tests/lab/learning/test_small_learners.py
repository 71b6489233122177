from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier

from heldout.errors import UsageError
from heldout.lab.learning.small_learners import (
    LEARNERS,
    averaged,
    constant,
    fixed_line,
    interpolate,
    knn,
    learner,
    linear,
    poly,
)

X = np.linspace(-1, 2, 12)[:, None]
Y = np.sin(3 * X[:, 0]) + 0.1 * np.arange(12)
AT = np.linspace(-1, 2, 7)[:, None]


def test_least_squares_is_that_of_numpy():
    for degree in (0, 1, 4):
        wanted = np.polyval(np.polyfit(X[:, 0], Y, degree), AT[:, 0])
        np.testing.assert_allclose(poly(degree).fit(X, Y)(AT), wanted, atol=1e-9)


def test_the_interpolating_polynomial_is_the_one_of_highest_degree_and_exact_where_it_was_shown():
    through = interpolate().fit(X, Y)
    assert through(X).tolist() == Y.tolist()
    np.testing.assert_allclose(through(AT), poly(11).fit(X, Y)(AT), atol=1e-8)


def test_the_interpolating_polynomial_of_many_points_does_not_overflow():
    nodes = np.cos(np.pi * np.arange(301) / 300)[:, None] * 1000
    at = np.array([[0.3], [-717.5]])
    found = interpolate().fit(nodes, nodes[:, 0] ** 2)(at)
    np.testing.assert_allclose(found, at[:, 0] ** 2, atol=1e-6)


def test_neighbours_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    features, classes = rng.standard_normal((80, 3)), rng.integers(0, 2, 80)
    at = rng.standard_normal((50, 3))
    for k in (1, 3, 7):
        theirs = KNeighborsClassifier(k).fit(features, classes).predict(at)
        assert knn(k).fit(features, classes)(at).tolist() == theirs.tolist()
    assert knn(1).fit(features, classes)(features).tolist() == classes.tolist()


def test_neighbours_of_numbers_are_averaged():
    assert knn(2).fit(np.array([[0.0], [1.0], [9.0]]), np.array([1.0, 2.0, 9.0]))(np.array([[0.4]])).tolist() == [1.5]
    assert averaged(np.array([[2, 0, 0], [1, 2, 0]])).tolist() == [0, 1]


def test_constant_and_fixed_line_do_not_look():
    assert constant().fit(X, Y)(AT).tolist() == [Y.mean()] * 7
    assert fixed_line(slope=2, intercept=1).fit(X, Y)(AT).tolist() == (2 * AT[:, 0] + 1).tolist()


def test_the_linear_discriminant_knows_what_it_has_seen():
    rng = np.random.default_rng(1)
    classes = rng.integers(0, 2, 5000)
    features = rng.standard_normal((5000, 2)) + classes[:, None] * [2, 0]
    rule = linear().fit(features, classes)
    np.testing.assert_allclose(np.array(rule.weights), [2, 0], atol=0.15)
    assert rule.offset == pytest.approx(-2, abs=0.2)
    one = linear().fit(features[classes == 1], classes[classes == 1])
    assert one(features[:5]).tolist() == [1] * 5


def test_an_estimator_is_copied_before_it_is_fitted():
    estimator = LinearRegression()
    made = learner(estimator)
    assert made.name == "LinearRegression"
    np.testing.assert_allclose(made.fit(X, Y)(AT), poly(1).fit(X, Y)(AT), atol=1e-9)
    assert not hasattr(estimator, "coef_")


def test_words():
    assert {learner(name).name.partition(":")[0] for name in LEARNERS} == set(LEARNERS)
    assert learner("fixed-line:slope=-1,intercept=0.5").name == "fixed-line:slope=-1,intercept=0.5"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            "polly:degree=2",
            (
                "no learner is named 'polly'; did you mean 'poly'?\n"
                "  Fix: choose one of constant, fixed-line, interpolate, knn, linear, poly, tree, or an "
                "import path such as sklearn.svm:SVC"
            ),
        ),
        ("poly:degre=2", "the learner poly has no parameter 'degre'; did you mean 'degree'?\n  Fix: choose of degree"),
        ("constant:k=2", "the learner constant has no parameter 'k'\n  Fix: write constant alone"),
        (
            "poly:degree=1.5",
            "learner poly:degree=1.5: degree is '1.5', which is not a whole number\n  Fix: such as 1",
        ),
        ("poly:degree=-1", "degree is -1, but must be 0 or more\n  Fix: such as poly:degree=3"),
        ("knn:k=0", "k is 0, but must be 1 or more\n  Fix: such as knn:k=1"),
        (
            3,
            (
                "a learner of type int has no fit and predict\n"
                "  Fix: pass an estimator, or one of constant, fixed-line, interpolate, knn, linear, poly, tree"
            ),
        ),
    ],
)
def test_what_is_no_learner_is_refused(given, message):
    with pytest.raises(UsageError) as caught:
        learner(given)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("word", "features", "truth", "message"),
    [
        (
            "poly:degree=3",
            np.zeros((3, 1)),
            np.zeros(3),
            "a polynomial of degree 3 needs 4 rows, but there are 3\n  Fix: take a degree below 3, or more rows",
        ),
        (
            "poly:degree=1",
            np.zeros((3, 2)),
            np.zeros(3),
            "a polynomial takes one feature, but there are 2\n  Fix: take linear or knn",
        ),
        (
            "interpolate",
            np.zeros((2, 1)),
            np.zeros(2),
            "two rows have the same x, and no polynomial goes through both\n  Fix: take poly, or a fixed design",
        ),
        (
            "knn:k=5",
            np.zeros((3, 1)),
            np.zeros(3),
            "5 nearest rows were asked for, but there are 3\n  Fix: take a smaller k",
        ),
        (
            "linear",
            np.zeros((3, 1)),
            np.array([0, 1, 2]),
            "the linear discriminant is for the classes 0 and 1\n  Fix: take knn for more classes",
        ),
    ],
)
def test_what_cannot_be_fitted_is_refused(word, features, truth, message):
    with pytest.raises(UsageError) as caught:
        learner(word).fit(features, truth)
    assert str(caught.value) == message
