from __future__ import annotations

import numpy as np
import pytest

from heldout.errors import HeldoutError
from heldout.intervals.over_splits import cross_fitted

RNG = np.random.default_rng


def test_a_threshold_is_chosen_by_the_other_folds():
    rng = RNG(0)
    y = rng.random(300) < 0.3
    scores, folds = rng.normal(size=300) + 1.5 * y, np.arange(300) % 5
    found = cross_fitted(scores, y, folds, fp=1, fn=4)
    inside = folds == 2
    kept = cross_fitted(np.where(inside, scores + 3, scores), y, folds, fp=1, fn=4)
    assert kept.thresholds[2] == found.thresholds[2]
    assert np.any(kept.thresholds != found.thresholds)
    every = [np.mean(np.where(y, 4.0 * (scores < t), scores >= t)) for t in [*scores, np.inf]]
    assert found.apparent == pytest.approx(min(every))
    assert found.costs.mean() >= found.apparent


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: cross_fitted([0.1, 0.2], [True, False], [0, 1], fp=0, fn=1),
            "fp is 0, which is not a positive cost\n  Fix: give a positive number",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_refused(call, said):
    with pytest.raises(HeldoutError) as refused:
        call()
    assert str(refused.value) == said
