from __future__ import annotations

import numpy as np
import pytest

from heldout.lab.folds.test_rows import bags, drawn_among, folds, halved, in_turn, nested_folds

RNG = np.random.default_rng


def test_every_row_is_tested_once_in_every_repetition():
    tested = in_turn(folds(23, 5, 4, RNG(0)), 5)
    assert (tested.reshape(4, 5, 23).sum(axis=1) == 1).all()
    assert set(tested.sum(axis=1)) == {4, 5}


def test_halves_do_not_overlap_and_test_as_many_rows_as_all_do():
    found = halved(40, 4, 3, 5, RNG(0))
    assert found.tested.shape == (3 + 5 * 2 * 3, 40)
    assert (found.tested.sum(axis=1) == 4).all()
    assert not (found.tested & (found.learned > 0)).any()
    used = ((found.learned > 0) | found.tested)[3:].reshape(5, 2, 3, 40)
    assert (used == used[:, :, :1]).all()  # the splits of a half stay in it
    assert (used[:, 0] != used[:, 1]).all()


def test_rows_are_drawn_among_those_chosen():
    chosen = RNG(0).random((50, 30)) < 0.5
    tested = drawn_among(chosen, 5, RNG(1))
    assert (tested.sum(axis=1) == 5).all()
    assert not (tested & ~chosen).any()


def test_nested_folds_leave_out_every_fold_and_every_pair():
    found = nested_folds(20, 4, 2, RNG(0))
    assert len(found.learned) == 2 * 10
    assert found.learned.reshape(2, 10, 20).sum(axis=2).tolist() == [[15, 10, 10, 10, 15, 10, 10, 15, 10, 15]] * 2


def test_the_share_of_rows_in_a_bag():
    shares = (bags(100, 400, RNG(0)).learned[1:] > 0).mean(axis=1)
    assert shares.mean() == pytest.approx(1 - 0.99**100, abs=4 * shares.std() / 20)
