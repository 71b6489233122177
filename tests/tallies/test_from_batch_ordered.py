from __future__ import annotations

import numpy as np

from heldout.tallies.from_batch import tally_ordered


def test_ordered_numbers():
    tally = tally_ordered(np.array([3.0, 1.0, 2.0]), np.array([5.0, 6.0, 7.0]), np.array([0, 1, 1]))
    assert (tally.values.tolist(), tally.weight.tolist(), tally.unit.tolist()) == ([1, 2, 3], [6, 7, 5], [1, 1, 0])
    assert tally.sums["mass"].tolist() == [6, 7, 5]
    drawn = tally.drawn(3, 0)[0]()
    assert drawn["mass"].shape == (3, 3)
