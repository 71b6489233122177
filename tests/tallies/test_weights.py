from __future__ import annotations

import numpy as np

from heldout.weights import bootstrap


def test_a_line_without_units_is_never_drawn_although_there_are_as_many_units_as_lines():
    (block,) = bootstrap(np.array([2, 0, 1]), 400, [3])
    drawn = block()
    assert drawn[:, 1].sum() == 0
    assert (drawn.sum(axis=1) == 3).all()
    assert abs(drawn[:, 0].mean() - 2) < 0.15


def test_units_that_are_lines_of_their_own_are_drawn_alike():
    (block,) = bootstrap(np.ones(4, dtype=int), 2000, [3])
    assert np.abs(block().mean(axis=0) - 1).max() < 0.1
