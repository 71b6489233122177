"""What a search is worth: judged outside, or by resamples that leave rows out."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.errors import UsageError
from heldout.formulas import METRICS
from heldout.intervals.after_selection import bootstrap_corrected
from heldout.learners import Effort, dataset, designed
from heldout.search import Search, Work, candidates_named, fits_counted
from heldout.search.strategies import proposed
from heldout.search.trials import tried
from heldout.verbs.select.after_selection import DRAWS, WIDE, bias_corrected, no_bags, poolable, spread_of
from heldout.verbs.settings import Settings
from tests.search.learners import Stump, coins, planted

STUMPS = {f"column {at}": Stump(at) for at in range(6)}


def trials_of(X, y, better="higher"):
    """Every stump on five folds, judged by its share of right predictions."""
    data = dataset(X, y)
    work = Work(data=data, fits=fits_counted(data, Effort(scores=False), 0), measure=share_right, better=better)
    parts = designed(5, data, random_state=0, several=False).splits
    (found,) = tried(list(proposed(candidates_named(STUMPS), Search())), work, [parts])
    return found


def share_right(_, told):
    right = told.batch.prediction == told.batch.truth
    return np.bincount(told.split, weights=right) / np.bincount(told.split)


def test_by_draws_of_rows_it_is_bbc_of_the_out_of_fold_errors():
    trials = trials_of(*planted(rows=80, columns=6, which=3))
    wrong = np.stack([one.predictions.batch.prediction != one.predictions.batch.truth for one in trials], axis=1)
    known = bootstrap_corrected(wrong.astype(float), 0.95, draws=DRAWS, seed=0)
    one = bias_corrected(METRICS["accuracy"], trials, Settings(), 64)
    assert (one.value, one.low, one.high) == pytest.approx((1 - known.value, 1 - known.high, 1 - known.low))
    wrongly = bias_corrected(METRICS["error_rate"], trials, Settings(), 64)
    assert (wrongly.value, wrongly.low, wrongly.high) == pytest.approx((known.value, known.low, known.high))
    assert one.method == f"BBC-CV, {DRAWS:,} resamples"
    assert one.notes == (WIDE,)
    assert one.target == "this choice among 6 configurations, with models of about 64 rows"


def test_the_spread_of_one_part_is_that_of_its_interval():
    trial = trials_of(*planted(rows=80, columns=6, which=3))[3]
    found = spread_of(METRICS["accuracy"], trial.predictions, Settings())
    share = np.mean(trial.predictions.batch.prediction == trial.predictions.batch.truth)
    assert found == pytest.approx(np.sqrt(share * (1 - share) / 80), rel=0.1)


def test_the_winner_among_coins_is_not_believed():
    X, y = coins(3, rows=80, columns=6)
    found = heldout.select(STUMPS, X, y, metrics="accuracy", protocol="bbc")
    assert found.corrected.value < found.apparent
    assert found.corrected.low < 0.5 < found.corrected.high


@pytest.mark.parametrize("metric", ["f1", "balanced_accuracy", "mcc"])
def test_a_metric_that_is_no_mean_over_rows_is_drawn_from_its_sums(metric):
    X, y = planted(rows=80, columns=6, which=3)
    one = heldout.select(STUMPS, X, y, metrics=metric, protocol="bbc").corrected
    assert METRICS[metric].range[0] <= one.low <= one.value <= one.high <= METRICS[metric].range[1]
    assert one.value > 0.4


def test_nested_folds_judge_the_search_by_the_corrected_t():
    X, y = planted(rows=80, columns=6, which=3)
    one = heldout.select(STUMPS, X, y, metrics="accuracy", protocol="nested").corrected
    assert "corrected" in one.method
    assert one.target.startswith("this search on about ")


def test_rankings_of_different_folds_cannot_be_pooled():
    poolable(METRICS["accuracy"])
    with pytest.raises(UsageError) as refused:
        poolable(METRICS["roc_auc"])
    assert str(refused.value) == str(no_bags(METRICS["roc_auc"]))
    assert "roc_auc of models of different folds cannot be pooled" in str(refused.value)
