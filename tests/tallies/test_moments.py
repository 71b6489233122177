from __future__ import annotations

import numpy as np
import pytest

from heldout.tallies.moments import moments
from heldout.tallies.units import tally_units

rng = np.random.default_rng(0)
LOSSES = rng.gamma(2, 1, 40)
MEAN = {"losses": 1 / 40, "rows": -LOSSES.mean() / 40}


def test_moments_need_no_units():
    tally = tally_units({"losses": LOSSES, "rows": np.ones(40)}, unit=np.arange(40) // 4)
    kept = moments(tally)
    assert kept.variance(MEAN) == pytest.approx(tally.variance(MEAN))
    assert kept.products.shape == (2, 2)
