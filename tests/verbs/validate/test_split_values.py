"""Values of splits at once where a metric is a mean over rows, and one after the other where it is none."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings
from heldout.verbs.validate.split_values import row_values, split_values

RNG = np.random.default_rng(17)
X = RNG.normal(size=(60, 3))
NOISE = X[:, 0] + RNG.normal(size=60)
TARGETS = {
    "binary": (GaussianNB(), (NOISE > 0).astype(int)),
    "multiclass": (GaussianNB(), np.digitize(NOISE, [-0.5, 0.5])),
    "regression": (LinearRegression(), NOISE + 5),
}
MEANS = {
    *("accuracy", "error_rate", "log_loss", "log_loss_bits", "brier", "quadratic_loss"),
    *("mae", "mse", "mape", "mspe", "mean_error"),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("task", TARGETS)
def test_every_metric_has_the_value_that_its_split_alone_has(task, weighted):
    learner, y = TARGETS[task]
    weight = RNG.uniform(0.2, 3, 60) if weighted else None
    (judged,) = heldout.validate(learner, X, y, cv="2x3", sample_weight=weight).learners.values()
    told = judged.predictions
    whole = Measurement(told.batch, Settings())
    names = [metric for metric in whole.metrics() if not metric.name.startswith("cost")]
    assert len(names) > 5
    for metric in names:
        found = split_values(metric, told, Settings())
        alone = [Measurement(told.of(at), Settings()).value(metric) for at in range(6)]
        np.testing.assert_allclose(found, alone, rtol=1e-9, err_msg=metric.name)


@pytest.mark.parametrize("task", TARGETS)
def test_only_means_are_taken_for_means(task):
    learner, y = TARGETS[task]
    batch = heldout.validate(learner, X, y, cv=3).batch_of_rows
    for metric in Measurement(batch, Settings()).metrics():
        if metric.name.startswith("cost"):
            continue
        found = row_values(metric, batch, Settings())
        assert (found is not None) == (metric.name in MEANS), metric.name
        if found is not None:
            assert found.mean() == pytest.approx(Measurement(batch, Settings()).value(metric), rel=1e-9)
