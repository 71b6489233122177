from __future__ import annotations

import numpy as np
import pytest

from heldout.batch import Batch
from heldout.rows import labels, numbers as regression, probabilities

MARKS = Batch(
    task="multilabel",
    truth=np.array([[1, 0], [1, 1], [0, 0]]),
    prediction=np.array([[1, 1], [0, 1], [0, 0]]),
    labels=("a", "b"),
)
TWO = Batch(task="binary", truth=np.array([1, 0, 1]), score=np.array([0.9, 0.2, 0.0]), labels=(0, 1), positive=1)
FIRST_POSITIVE = Batch(task="binary", truth=np.array([1, 0]), score=np.array([0.9, 0.2]), labels=(0, 1), positive=0)
THREE = Batch(
    task="multiclass", truth=np.array([0, 2]), score=np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]), labels=(0, 1, 2)
)
NUMBERS = Batch(task="regression", truth=np.array([2.0, -4.0]), prediction=np.array([1.0, -2.0]), labels=("y",))


def test_marks():
    assert labels.tp(MARKS).tolist() == [[1, 0], [0, 1], [0, 0]]
    assert labels.fp(MARKS).tolist() == [[0, 1], [0, 0], [0, 0]]
    assert labels.fn(MARKS).tolist() == [[0, 0], [1, 0], [0, 0]]
    assert labels.tn(MARKS).tolist() == [[0, 0], [0, 0], [1, 1]]
    assert labels.exact_matches(MARKS).tolist() == [0, 0, 1]
    assert labels.wrong_marks(MARKS).tolist() == [0.5, 0.5, 0]


def test_probabilities_of_two_classes():
    assert probabilities.chance_of_truth(TWO) == pytest.approx([0.9, 0.8, 0.0])
    assert probabilities.chance_of_truth(FIRST_POSITIVE) == pytest.approx([0.1, 0.2])
    assert probabilities.log_losses(TWO) == pytest.approx([-np.log(0.9), -np.log(0.8), np.inf])
    assert probabilities.brier_losses(TWO) == pytest.approx([0.01, 0.04, 1])
    assert probabilities.quadratic_losses(TWO) == pytest.approx([0.02, 0.08, 2])
    assert probabilities.confirmed(TWO).tolist() == [True, False, True]


def test_probabilities_of_several_classes():
    assert probabilities.chance_of_truth(THREE) == pytest.approx([0.2, 0.8])
    assert probabilities.quadratic_losses(THREE) == pytest.approx([0.64 + 0.25 + 0.09, 0.01 + 0.01 + 0.04])
    assert probabilities.confidence(THREE) == pytest.approx([0.5, 0.8])
    assert probabilities.confirmed(THREE).tolist() == [False, True]


def test_a_certain_right_answer_costs_nothing():
    sure = Batch(task="binary", truth=np.array([1]), score=np.array([1.0]), labels=(0, 1), positive=1)
    assert str(probabilities.log_losses(sure)[0]) == "0.0"  # not -0.0


def test_numbers():
    assert regression.errors(NUMBERS).tolist() == [1, -2]
    assert regression.absolute_errors(NUMBERS).tolist() == [1, 2]
    assert regression.squared_errors(NUMBERS).tolist() == [1, 4]
    assert regression.relative_errors(NUMBERS).tolist() == [0.5, 0.5]
    assert regression.squared_relative_errors(NUMBERS).tolist() == [0.25, 0.25]
    assert regression.absolute_targets(NUMBERS).tolist() == [2, 4]
    assert regression.targets(NUMBERS).tolist() == [3, -3]
    assert regression.squared_targets(NUMBERS).tolist() == [9, 9]
    assert regression.pinball(NUMBERS, 0.9) == pytest.approx([0.9, 0.2])


def test_large_offsets_do_not_cost_digits():
    near = np.array([1.0, 2.0, 3.0, 4.0])
    far = Batch(task="regression", truth=near + 1e9, prediction=near + 1e9, labels=("y",))
    assert regression.squared_targets(far).tolist() == [2.25, 0.25, 0.25, 2.25]
