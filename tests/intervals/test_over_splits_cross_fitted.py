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


def by_trying_every_threshold(scores, positive, fp, fn):
    """The highest of the scores and infinity at which the rows cost least."""
    tried = sorted({*scores, np.inf}, reverse=True)
    costs = [fn * np.sum(positive & (scores < t)) + fp * np.sum(~positive & (scores >= t)) for t in tried]
    return tried[int(np.argmin(costs))]


@pytest.mark.parametrize("seed", range(6))
def test_thresholds_beside_a_search(seed):
    rng = RNG(seed)
    scores, folds = rng.integers(0, 6, 30).astype(float), np.array(list("abc" * 10))  # with ties
    y = rng.random(30) < 0.4
    found = cross_fitted(scores, y, folds, fp=1.0, fn=2.0)
    want = [by_trying_every_threshold(scores[folds != k], y[folds != k], 1.0, 2.0) for k in "abc"]
    assert found.thresholds.tolist() == want
    assert found.threshold == by_trying_every_threshold(scores, y, 1.0, 2.0)
    own = np.array([dict(zip("abc", want, strict=True))[fold] for fold in folds])
    assert found.costs.tolist() == np.where(y, 2.0 * (scores < own), 1.0 * (scores >= own)).tolist()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: cross_fitted([0.1, 0.2], [True, False], [0, 1], fp=1, fn=float("inf")),
            "fn is inf, which is not a positive cost\n  Fix: give a positive number",
        ),
        (
            lambda: cross_fitted([0.1, 0.2], [1, 0], [0, 1], fp=1, fn=1),
            ("[H112] 2 scores have 2 marks of being positive, of type int64\n"
            "  Fix: mark every row True or False"),
        ),
        (
            lambda: cross_fitted([0.1, 0.2], [True], [0, 1], fp=1, fn=1),
            "[H112] 2 scores have 1 marks of being positive, of type bool\n  Fix: mark every row True or False",
        ),
        (
            lambda: cross_fitted([0.1, np.inf], [True, False], [0, 1], fp=1, fn=1),
            ("[H305] number 2 of the scores is inf, which is missing or infinite\n"
            "  Fix: remove it, and say why it was removed"),
        ),
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


@pytest.mark.parametrize("price", [1e-100, 1e100])
def test_costs_from_one_googolth_to_a_googol(price):
    scores, positive = [0.1, 0.4, 0.6, 0.9], [False, True, False, True]
    found = cross_fitted(scores, positive, [0, 1, 0, 1], fp=price, fn=price)
    assert set(found.costs) <= {0.0, price}


@pytest.mark.parametrize(("price", "words"), [(0.9e-100, "9e-101"), (1.1e100, "1.1e+100")])
def test_costs_whose_square_is_lost(price, words):
    for name in ("fp", "fn"):
        costs = {"fp": 1.0, "fn": 1.0, name: price}
        with pytest.raises(HeldoutError) as refused:
            cross_fitted([0.1, 0.4], [False, True], [0, 1], **costs)
        assert str(refused.value) == (
            f"{name} is {words}, whose square is lost in rounding\n  Fix: give it in another unit"
        )
