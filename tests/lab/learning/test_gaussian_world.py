from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.special import ndtr

from heldout.errors import UsageError
from heldout.lab.learning.gaussian_world import Gaussians, bayes_error, error_of, gaussian, linear_error
from heldout.lab.learning.repeated_fits import learnable
from heldout.lab.learning.small_learners import LinearRule, knn


def test_the_closed_form_is_the_integral():
    for prevalence in (0.5, 0.1):
        closed = bayes_error(gaussian(distance=1.5, dimensions=1, prevalence=prevalence))
        # a hair of difference in the spread takes the other way
        found, off = bayes_error(gaussian(distance=1.5, dimensions=1, prevalence=prevalence, spread=1 + 1e-12))
        assert closed[1] == 0
        assert off < 1e-9
        assert found == pytest.approx(closed[0], abs=1e-9)


def test_two_dimensions_and_three_classes():
    # three classes in a line: the borders lie in the middles, and the middle class errs on both sides
    found, off = bayes_error(gaussian(distance=2, classes=3, prevalence=1 / 3))
    assert off < 1e-4
    assert found == pytest.approx(4 / 3 * float(ndtr(-1)), abs=max(off, 1e-6))


def test_many_dimensions_are_drawn():
    found, off = bayes_error(gaussian(distance=2, dimensions=6, classes=3, prevalence=1 / 3))
    assert 0 < off < 0.002
    assert found == pytest.approx(4 / 3 * float(ndtr(-1)), abs=off)


def test_the_distance_is_mahalanobis():
    covariance = ((4.0, 1.0), (1.0, 1.0))
    world = Gaussians(name="slanted", means=((0.0, 0.0), (1.0, 2.0)), covariances=(covariance,) * 2, priors=(0.5, 0.5))
    apart = np.array([1.0, 2.0])
    delta = sqrt(apart @ np.linalg.inv(np.array(covariance)) @ apart)
    assert bayes_error(world) == (pytest.approx(float(ndtr(-delta / 2))), 0.0)
    X, y = world.sample(60_000, np.random.default_rng(0))
    assert (world.bayes(X) != y).mean() == pytest.approx(bayes_error(world)[0], abs=0.006)
    np.testing.assert_allclose(np.cov(X[y == 1].T), covariance, atol=0.1)


def test_the_error_of_a_linear_rule_is_what_rows_show():
    world = gaussian(distance=1.5, dimensions=3, prevalence=0.3, spread=1.7)
    rule = LinearRule(weights=(1.0, -0.5, 0.2), offset=-0.4)
    X, y = world.sample(200_000, np.random.default_rng(3))
    assert linear_error(world, rule) == pytest.approx((rule(X) != y).mean(), abs=0.004)


@pytest.mark.parametrize(("offset", "error"), [(1.0, 0.7), (0.0, 0.3), (-1.0, 0.3)])
def test_a_rule_that_looks_at_nothing(offset, error):
    world = gaussian(prevalence=0.3)
    assert linear_error(world, LinearRule(weights=(0.0, 0.0), offset=offset)) == pytest.approx(error)


def test_the_error_of_any_rule_is_averaged_over_points():
    world = gaussian(distance=2)
    X, y = world.sample(50, np.random.default_rng(4))
    rule = knn(1).fit(X, y)
    seen = world.sample(40_000, np.random.default_rng(5))
    found, off = error_of(world, rule, np.random.default_rng(6), points=20_000)
    assert found == pytest.approx((rule(seen[0]) != seen[1]).mean(), abs=off + 3 * 0.0023)


def test_worlds_draw_the_best_rule():
    world = gaussian(distance=2, prevalence=0.2)
    rows = world.draw(50_000, np.random.default_rng(7))
    assert rows.positive == 1
    assert (rows.truth == rows.prediction).mean() == pytest.approx(world.truth("accuracy"), abs=0.006)
    assert ((rows.score > 0.5) == rows.prediction).all()
    three = gaussian(classes=3).draw(10, np.random.default_rng(7))
    assert (three.task, three.score.shape) == ("multiclass", (10, 3))
    assert world.truth("error_rate") + world.truth("accuracy") == 1


def test_the_name_is_the_word():
    for word in ("gaussian:distance=2", "gaussian:distance=1,dimensions=3,classes=4,prevalence=0.1,spread=2"):
        assert learnable(word).name == word


def test_messages():
    with pytest.raises(UsageError) as caught:
        gaussian(prevalence=1)
    assert str(caught.value) == (
        "prevalence of the world 'gaussian' is 1, but must be between 0 and 1\n"
        "  Fix: give prevalence another value, or leave it out; heldout lab world lists the parameters"
    )
    with pytest.raises(UsageError) as caught:
        gaussian().truth("f1")
    assert str(caught.value) == (
        "the true f1 of the world gaussian:distance=2 is not known\n  Fix: choose one of accuracy, error_rate"
    )
