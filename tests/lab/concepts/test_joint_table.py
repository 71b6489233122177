"""Joint tables of points and classes: their parts, errors and noise."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import heldout
from heldout.errors import HeldoutError
from heldout.lab.concepts.domains import domain, line_domain
from heldout.lab.concepts.joint_table import (
    bayes_classifier,
    bayes_error,
    class_given_x,
    class_marginal,
    drawn_batch,
    joint_table,
    noise_matrix,
    table_error,
    with_noise,
    x_given_class,
    x_marginal,
)
from heldout.lab.concepts.table_estimates import (
    counted,
    counting_estimate,
    naive_bayes_estimate,
    sampled,
)


def a_table(seed=0, points=4, classes=3):
    p = np.random.default_rng(seed).random((points, classes))
    return joint_table(p / p.sum())


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 4))
def test_everything_sums_to_one_and_bayes_rule_holds(seed, points, classes):
    world = a_table(seed, points, classes)
    assert x_marginal(world).sum() == pytest.approx(1)
    assert class_marginal(world).sum() == pytest.approx(1)
    np.testing.assert_allclose(class_given_x(world).sum(axis=1), 1)
    np.testing.assert_allclose(x_given_class(world).sum(axis=0), 1)
    rule = x_given_class(world) * class_marginal(world) / x_marginal(world)[:, None]
    np.testing.assert_allclose(class_given_x(world), rule)


def test_what_never_comes_has_no_shares():
    world = joint_table([[0.5, 0.0], [0.0, 0.0], [0.5, 0.0]])
    assert np.isnan(class_given_x(world)).tolist() == [[False, False], [True, True], [False, False]]
    assert np.isnan(x_given_class(world)[:, 1]).all()


def test_the_bayes_error_is_one_minus_the_sum_of_the_largest():
    world = a_table(1)
    assert bayes_error(world) == pytest.approx(1 - world.p.max(axis=1).sum(), abs=1e-15)
    assert bayes_error(world) == pytest.approx(float(table_error(world, bayes_classifier(world))), abs=1e-15)


def test_true_errors_are_the_sum_over_cells():
    world = a_table(2)
    for said in product(range(3), repeat=4):
        cells = sum(world.p[x, c] for x in range(4) for c in range(3) if said[x] != c)
        assert table_error(world, said) == pytest.approx(cells, abs=1e-15)


def test_rounding_makes_no_error_negative():
    for seed in range(50):
        world = a_table(seed, points=40)
        sure = joint_table(np.where(np.arange(3) == bayes_classifier(world)[:, None], x_marginal(world)[:, None], 0))
        assert float(table_error(sure, bayes_classifier(sure))) == 0 == bayes_error(sure)


def test_noise_by_a_number_is_noise_by_a_matrix():
    world = a_table(3)
    matrix = [[0.7, 0.15, 0.15], [0.15, 0.7, 0.15], [0.15, 0.15, 0.7]]
    np.testing.assert_allclose(with_noise(world, 0.3).p, with_noise(world, matrix).p)
    np.testing.assert_allclose(with_noise(world, 0).p, world.p)
    np.testing.assert_allclose(x_marginal(with_noise(world, matrix)), x_marginal(world))


def test_flipping_moves_every_error_towards_a_half():
    """Two classes: err' = e + (1 − 2e) err, so that the best stays the best up to e = 1/2 and is the worst beyond."""
    world = a_table(4, classes=2)
    for e in (0.1, 0.4, 0.8):
        noisy = with_noise(world, e)
        for said in product(range(2), repeat=4):
            expected = e + (1 - 2 * e) * table_error(world, said)
            assert table_error(noisy, said) == pytest.approx(expected, abs=1e-14)
    assert (bayes_classifier(with_noise(world, 0.4)) == bayes_classifier(world)).all()
    assert (bayes_classifier(with_noise(world, 0.8)) == 1 - bayes_classifier(world)).all()


def test_lopsided_noise_changes_the_best_classifier():
    world = joint_table([[0.2, 0.3], [0.5, 0.0]], classes=["no", "yes"])
    noisy = with_noise(world, [[1.0, 0.0], [0.5, 0.5]])
    assert bayes_classifier(world).tolist() == [1, 0]
    assert bayes_classifier(noisy).tolist() == [0, 0]


def test_draws_follow_the_table():
    world, rows = a_table(5), 200_000
    point, label = world.draw(rows, np.random.default_rng(0))
    share = counted((point, label), world.domain, world.classes) / rows
    assert np.abs(share - world.p).max() < 5 * np.sqrt(0.25 / rows)


def test_an_evaluation_of_drawn_rows_finds_the_true_error():
    world = a_table(6, classes=2)
    said = np.array([0, 1, 1, 0])
    inside = 0
    for seed in range(40):
        batch = drawn_batch(world, said, 400, np.random.default_rng(seed))
        found = heldout.evaluate(batch.truth, batch.prediction, metrics="error_rate", pos_label=1)["error_rate"]
        inside += found.low <= table_error(world, said) <= found.high
    assert 35 <= inside <= 40


def test_a_batch_of_three_classes_is_multiclass():
    world = a_table(7)
    batch = drawn_batch(world, [0, 1, 2, 0], 10, np.random.default_rng(0))
    assert (batch.task, batch.labels, batch.positive) == ("multiclass", (0, 1, 2), None)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: joint_table([0.5, 0.5]),
            (
                "[H110] a joint table has one line per point and one column per class\n"
                "  Fix: give p as a matrix such as [[0.4, 0.1], [0.1, 0.4]]"
            ),
        ),
        (
            lambda: joint_table([[0.5, 0.4]]),
            (
                "[H306] the table adds up to 0.9, and a joint table adds up to 1\n"
                "  Fix: give the probability of every point with every class, or divide counts by their sum"
            ),
        ),
        (
            lambda: joint_table([[1.5, -0.5]], classes=["no", "yes"]),
            "[H306] p is -0.5 at x=0 and class 'yes', which is not a probability\n  Fix: give numbers from 0 to 1",
        ),
        (
            lambda: joint_table([[0.5, 0.5]], classes=["a"]),
            "[H110] the table has 2 columns for 1 classes\n  Fix: give one for each of the classes",
        ),
        (
            lambda: joint_table([[0.5, 0.5]], domain=line_domain(3)),
            "[H110] the table has 1 lines for 3 points\n  Fix: give one for each of the points",
        ),
        (
            lambda: joint_table([[0.5, 0.5]], classes=["a", "a"]),
            "[H107] the classes 'a', 'a' are not all different\n  Fix: name each class once",
        ),
        (
            lambda: table_error(a_table(), [0, 1]),
            (
                "a classifier of 4 points gives each a class; this is 2 of type int64\n"
                "  Fix: give 4 positions among the classes 0, 1, 2"
            ),
        ),
        (
            lambda: table_error(a_table(), [0, 1, 2, 3]),
            "class 3 is not among the positions 0 to 2\n  Fix: give positions among the classes 0, 1, 2",
        ),
        (
            lambda: with_noise(a_table(), 1.5),
            "label noise: 1.5 is not a probability\n  Fix: give a number from 0 to 1, and at least two classes",
        ),
        (
            lambda: noise_matrix(0.5, ["a"]),
            (
                "label noise: one class alone cannot be mistaken\n"
                "  Fix: give a number from 0 to 1, and at least two classes"
            ),
        ),
        (
            lambda: noise_matrix([[1, 0]], ["a", "b"]),
            "the noise has the shape 1 × 2 for 2 classes\n  Fix: give 2 × 2 chances, one line per class",
        ),
        (
            lambda: noise_matrix([[1, 0], [0.5, 0.4]], ["a", "b"]),
            (
                "[H306] the noise of class 'b' is 0.5, 0.4, and chances are from 0 to 1 and add up to 1\n"
                "  Fix: give in each line the chances of a class to be written as each of the classes"
            ),
        ),
        (
            lambda: counting_estimate([[1]], line_domain(2), "a"),
            (
                "[H110] the counts have the shape 1 × 1 for 2 points and 1 classes\n"
                "  Fix: give one line per point and one column per class"
            ),
        ),
        (
            lambda: counting_estimate([[0], [0]], line_domain(2), "a"),
            "[H110] the counts cannot be shares: every count is zero\n  Fix: count at least one row",
        ),
        (
            lambda: counting_estimate([[1], [-1]], line_domain(2), "a"),
            "[H110] the counts cannot be shares: a count is negative or missing\n  Fix: count at least one row",
        ),
        (
            lambda: naive_bayes_estimate([[1], [1]], line_domain(2), "a", smoothing=-1),
            (
                "smoothing is -1, and it is a number of rows added to each count\n"
                "  Fix: give 0 for none, or 1 for Laplace's"
            ),
        ),
        (
            lambda: sampled({"a": [1, 2]}, [1]),
            "[H112] a has 2 rows and the truth 1\n  Fix: give one value per row",
        ),
        (lambda: sampled({"a": []}, []), "[H112] there is no row\n  Fix: give one value per row"),
        (
            lambda: domain({}),
            'a domain needs at least one attribute\n  Fix: give values such as {"colour": ["red", "green"]}',
        ),
        (lambda: domain({"a": []}), "[H107] the attribute 'a' has no value\n  Fix: give each value once"),
        (lambda: domain({"a": ["x", "x"]}), "[H107] the attribute 'a' has 'x' twice\n  Fix: give each value once"),
        (
            lambda: domain({"a": range(1000), "b": range(1000)}),
            (
                "the attributes 'a', 'b' make 1,000,000 points (1000 × 1000), and a domain has at most 100,000\n"
                "  Fix: leave out attributes, or merge values"
            ),
        ),
    ],
)
def test_messages(call, message):
    with pytest.raises(HeldoutError) as caught:
        call()
    assert str(caught.value) == message
