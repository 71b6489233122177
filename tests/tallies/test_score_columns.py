from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.formulas.ranking import roc_auc, roc_auc_slopes
from heldout.tallies.score_columns import ScoreColumns

rng = np.random.default_rng(0)


RANKINGS = (("areas_one_vs_rest",), "roc_auc", roc_auc, roc_auc_slopes)


def test_contests_of_score_columns():
    truth, score = rng.integers(0, 3, 60), np.round(rng.random((60, 3)), 1)
    even = ScoreColumns(truth=truth, score=score)
    weighed = ScoreColumns(truth=truth, score=score, weight=np.ones(60))
    for kind, count in (("areas_one_vs_rest", 3), ("areas_one_vs_one", 6)):
        for needs in ((kind,), (kind, "sizes")):
            fast, slow = (tally.contests(needs, "roc_auc", roc_auc, roc_auc_slopes) for tally in (even, weighed))
            assert len(fast.values) == count
            np.testing.assert_allclose(fast.values, slow.values, rtol=1e-12)
            np.testing.assert_allclose(fast.sizes, slow.sizes, rtol=1e-12)
            np.testing.assert_allclose(fast.moved, slow.moved, rtol=1e-9, atol=1e-15)
    assert even.sizes.sum() == 60


def test_many_rows_are_looked_at_in_part(monkeypatch):
    truth, score = rng.integers(0, 3, 900), rng.random((900, 3))
    whole = ScoreColumns(truth=truth, score=score).contests(*RANKINGS)
    monkeypatch.setattr("heldout.tallies.score_columns.MANY", 300)
    some = ScoreColumns(truth=truth, score=score).contests(*RANKINGS)
    np.testing.assert_array_equal(some.values, whole.values)
    np.testing.assert_array_equal(some.moved, whole.moved[::3])
    assert np.sum(some.moved**2) / some.share == pytest.approx(np.sum(whole.moved**2), rel=0.3)
    chances = score / score.sum(axis=1, keepdims=True)
    told = heldout.evaluate(truth, y_proba=chances, metrics="roc_auc_ovr")["roc_auc_ovr"]
    assert told.notes == ("the width is estimated from an evenly spread 33.3% of the rows",)
