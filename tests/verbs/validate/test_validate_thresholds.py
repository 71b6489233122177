from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.verbs.settings import settings
from heldout.verbs.validate.validate import learner_threshold


def rows(n=160):
    rng = np.random.default_rng(0)
    y = (np.arange(n) % 4 == 0).astype(int)
    return np.column_stack([rng.normal(1.5 * y), rng.normal(size=n)]), y


def test_folds_are_those_of_the_cross_validation():
    X, y = rows()
    told = heldout.validate(GaussianNB(), X, y, cv=5, metrics="roc_auc").learners["GaussianNB"].predictions
    found = learner_threshold(told, settings(), (1, 5))
    alone = heldout.choose_threshold(told.batch.truth, told.batch.score, fp=1, fn=5, folds=told.split)
    assert (found.drawn, len(found.thresholds)) == (False, 5)
    assert found.cost.value == pytest.approx(alone.cost.value)
    assert found.thresholds == alone.thresholds


def test_rows_that_were_tested_several_times_are_units():
    X, y = rows()
    told = heldout.validate(GaussianNB(), X, y, cv="2x4", metrics="roc_auc").learners["GaussianNB"].predictions
    found = learner_threshold(told, settings(), (1, 5))
    assert (found.drawn, found.rows, found.units) == (True, 320, 160)
