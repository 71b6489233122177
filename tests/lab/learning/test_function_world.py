from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.errors import UsageError
from heldout.lab.learning.function_world import FUNCTIONS, Function
from heldout.lab.learning.repeated_fits import learnable


@pytest.mark.parametrize("shape", FUNCTIONS)
def test_metrics_of_the_best_prediction_are_the_true_ones(shape):
    world = FUNCTIONS[shape](noise=0.4, low=-0.5, high=1.5)
    rows = world.draw(40_000, np.random.default_rng(2))
    found = heldout.evaluate(rows.truth, rows.prediction, metrics=["mse", "mae", "rmse", "r2"]).estimates
    for name, one in found.items():
        assert float(one) == pytest.approx(world.truth(name), abs=0.012), name


def test_the_name_is_the_word():
    for word in ("sine:noise=0.3", "step:noise=0.25,low=-1,high=2"):
        assert learnable(word).name == word


def test_points():
    world = Function(shape="slope", low=0, high=2)
    assert world.grid(3).tolist() == [0, 1, 2]
    assert world.midpoints(4).tolist() == [0.25, 0.75, 1.25, 1.75]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: learnable("sine:noise=-1"),
            (
                "noise of the world 'sine' is -1, but must be from 0 to 1,000\n"
                "  Fix: give noise another value, or leave it out; heldout lab world lists the parameters"
            ),
        ),
        (
            lambda: learnable("sine:low=2"),
            "low 2 is not below high 1\n  Fix: leave both out for 0 and 1",
        ),
        (
            lambda: learnable("sinus"),
            (
                "no world to learn from is named 'sinus'; did you mean 'sine'?\n"
                "  Fix: choose one of flat, gaussian, sine, slope, square, step"
            ),
        ),
        (
            lambda: learnable(7),
            (
                "a world of type int has no features to learn from\n"
                "  Fix: give one of flat, gaussian, sine, slope, square, step, or a value with sample and posterior"
            ),
        ),
        (
            lambda: learnable("sine").truth("f1"),
            "the true f1 of the world sine:noise=0.3 is not known\n  Fix: choose one of mae, mse, r2, rmse",
        ),
    ],
)
def test_messages(ask, message):
    with pytest.raises(UsageError) as caught:
        ask()
    assert str(caught.value) == message
