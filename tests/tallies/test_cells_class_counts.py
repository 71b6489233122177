from __future__ import annotations

import numpy as np

from heldout.tallies.cells import ClassCounts


def test_class_counts_are_drawn_class_by_class():
    tally = ClassCounts(np.array([[10.0, 5, 5, 20], [3, 1, 2, 4]]))
    assert tally.units == 50
    drawn = tally.drawn(20, 0)[0]()
    assert np.all(sum(drawn.values()) == [40, 10])
