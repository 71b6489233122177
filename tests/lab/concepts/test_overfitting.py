from __future__ import annotations

import numpy as np
import pytest

from heldout.errors import HeldoutError
from heldout.lab.concepts.domains import line_domain
from heldout.lab.concepts.hypotheses import labelings, rectangles
from heldout.lab.concepts.joint_table import bayes_error, joint_table, table_error
from heldout.lab.concepts.overfitting import overfitting_pair
from heldout.lab.concepts.version_space import wrong_rows

WORLD = joint_table([[0.16, 0.04]] * 3 + [[0.04, 0.16]] * 2)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("make", [labelings, rectangles])
def test_the_pair_is_the_worst_of_all_pairs(seed, make):
    one = make(WORLD.domain)
    point, label = WORLD.draw(6, np.random.default_rng(seed))
    sample = wrong_rows(one, point, label == 1) / 6
    true = table_error(WORLD, one.members)
    losses = [
        true[h] - true[other]
        for h in range(one.size)
        for other in range(one.size)
        if sample[h] < sample[other] and true[h] > true[other] + 1e-12
    ]
    found = overfitting_pair(WORLD, one, point, label == 1)
    assert (found is None) == (not losses)
    if found is None:  # one draw of rectangles in the twelve
        return
    assert found.loss == pytest.approx(max(losses))
    assert found.sample_errors == (sample[found.chosen], sample[found.better])
    assert found.true_errors == (pytest.approx(true[found.chosen]), pytest.approx(true[found.better]))
    assert found.sample_errors[0] < found.sample_errors[1]
    assert found.true_errors[0] > found.true_errors[1]


def test_a_chosen_hypothesis_is_judged():
    one = labelings(WORLD.domain)
    rows = [0, 1, 2, 3, 4], [False, False, True, True, True]  # row 2 is noise
    memoriser = int(wrong_rows(one, *rows).argmin())
    found = overfitting_pair(WORLD, one, *rows, chosen=memoriser)
    assert (found.chosen, found.sample_errors) == (memoriser, (0.0, 0.2))
    assert found.true_errors == (pytest.approx(0.32), pytest.approx(bayes_error(WORLD)))
    assert overfitting_pair(WORLD, one, *rows, chosen=found.better) is None


def test_nothing_overfits_where_all_are_equally_bad():
    fair = joint_table([[0.25, 0.25], [0.25, 0.25]])
    assert overfitting_pair(fair, labelings(line_domain(2)), [0, 1], [True, False]) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: overfitting_pair(joint_table([[0.5, 0.25, 0.25]]), labelings(line_domain(1)), [0], [True]),
            "the world has 3 classes\n  Fix: give a joint table of two classes",
        ),
        (
            lambda: overfitting_pair(WORLD, labelings(line_domain(2)), [0], [True]),
            "the world has 5 points and the space 2\n  Fix: make the space over the domain of the table",
        ),
        (
            lambda: overfitting_pair(WORLD, labelings(line_domain(5)), [], []),
            "[H112] there is no row\n  Fix: give at least one row",
        ),
        (
            lambda: overfitting_pair(WORLD, labelings(line_domain(5)), [0], [True], chosen=32),
            "there is no hypothesis 32 among 32\n  Fix: give a position in the space",
        ),
    ],
)
def test_messages(call, message):
    with pytest.raises(HeldoutError) as caught:
        call()
    assert str(caught.value) == message
