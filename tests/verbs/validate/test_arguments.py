"""What a verb about learners was asked, checked before anything is fitted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

from heldout.errors import HeldoutError
from heldout.verbs.settings import settings
from heldout.verbs.validate.arguments import lesson, scores_wanted, task_of

X = np.arange(24.0).reshape(12, 2)
Y = np.arange(12) % 2


def test_learners_rows_and_settings_come_together():
    found = lesson({"nb": GaussianNB()}, X, Y, metrics="f1", confidence_level=0.9, random_state=7)
    assert list(found.learners) == ["nb"]
    assert (found.data.rows, found.data.batch.task) == (12, "binary")
    assert (found.asked.level, found.asked.seed) == (0.9, 7)
    assert found.effort.random_state == 7
    assert not found.effort.scores


@pytest.mark.parametrize(
    ("metrics", "wanted"), [("accuracy", False), ("roc_auc", True), (["f1", "brier"], True), (None, True)]
)
def test_scores_are_asked_of_learners_only_where_a_metric_reads_them(metrics, wanted):
    assert scores_wanted(settings(metrics=metrics)) is wanted


def test_a_regressor_makes_numbers_of_the_target():
    assert task_of({"line": LinearRegression()}) == "regression"
    assert task_of({"nb": GaussianNB()}) is None
    assert task_of({"other": object()}) is None
    assert lesson(LinearRegression(), X, Y).data.batch.task == "regression"


class Untouched(GaussianNB):
    def fit(self, *_):
        raise AssertionError("fitted")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metrics": "rmse"}, "rmse is not a metric for binary data"),
        ({"metrics": "cost"}, "cost needs a cost matrix"),
        ({"confidence_level": 1.0}, "the level is 1, but must lie between 0 and 1"),
        ({"engine": "dsk"}, "dsk"),
    ],
)
def test_what_does_not_suit_is_refused_before_anything_is_fitted(options, said):
    with pytest.raises(HeldoutError, match=said):
        lesson(Untouched(), X, Y, **options)
