from __future__ import annotations

import numpy as np
import pytest

from heldout.boxes.overlapping_pairs import falling


def plainly(label, score):
    return np.lexsort((np.arange(len(score)), -score, label))


@pytest.mark.parametrize("seed", range(4))
def test_labels_then_falling_scores_then_positions(seed):
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 5, 300).astype(np.int32)
    score = rng.random(300).round(seed + 1)  # with one digit nearly all are ties
    assert falling(label, score).tolist() == plainly(label, score).tolist()


def test_scores_that_differ_in_the_last_bit_only():
    """Beside a label of 20 bits and far larger scores there is no room for all bits of a score."""
    rng = np.random.default_rng(7)
    near = 0.5 + np.spacing(0.5) * rng.integers(0, 4, 200)
    score = np.concatenate([near, -near, [1e300, -1e300, 1e-300, np.inf, -np.inf]])
    label = np.where(np.arange(len(score)) % 3, 0, 2**20)
    assert falling(label, score).tolist() == plainly(label, score).tolist()


def test_zero_has_no_sign():
    score = np.array([-0.0, 0.0, -0.0, -1e-310])
    assert falling(np.zeros(4, dtype=int), score).tolist() == [0, 1, 2, 3]


def test_nothing_to_sort():
    assert falling(np.zeros(0, dtype=int), np.zeros(0)).tolist() == []
