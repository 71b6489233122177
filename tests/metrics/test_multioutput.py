"""Several targets: each of them, their mean, and a mean with weights."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as peer

from heldout import metrics
from heldout.errors import UsageError

RNG = np.random.default_rng(8)
TRUTH = RNG.normal(size=(70, 3)) * [1, 2, 5]
SAID = TRUTH + RNG.normal(size=(70, 3)) * [0.5, 0.2, 2]
PAIRS = [
    (metrics.mean_absolute_error, peer.mean_absolute_error),
    (metrics.mean_squared_error, peer.mean_squared_error),
    (metrics.median_absolute_error, peer.median_absolute_error),
    (metrics.r2_score, peer.r2_score),
]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize("multioutput", ["uniform_average", "raw_values", [0.2, 0.3, 0.5], [1, 0, 0]])
def test_values_are_those_of_scikit_learn(ours, theirs, multioutput):
    found = ours(TRUTH, SAID, multioutput=multioutput)
    assert np.array(found, float) == pytest.approx(theirs(TRUTH, SAID, multioutput=multioutput), abs=1e-12)
    for one in found if isinstance(found, list) else [found]:
        assert one.low < one < one.high


def test_medians_are_averaged_with_the_ends_of_their_intervals():
    each = metrics.median_absolute_error(TRUTH, SAID, multioutput="raw_values")
    mean = metrics.median_absolute_error(TRUTH, SAID, multioutput=[1, 2, 1])
    assert mean.low == pytest.approx(np.average([one.low for one in each], weights=[1, 2, 1]))
    assert mean.high == pytest.approx(np.average([one.high for one in each], weights=[1, 2, 1]))
    assert mean.method == f"mean of the targets' intervals ({each[0].method})"


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1, 2], "multioutput has 2 weights, and y_true has 3 columns"),
        ([1, -1, 0], "multioutput is [1.0, -1.0, 0.0], and weights that sum to 0 have no mean"),
    ],
)
def test_weights_that_give_no_mean(weights, said):
    with pytest.raises(UsageError) as refused:
        metrics.mean_absolute_error(TRUTH, SAID, multioutput=weights)
    assert str(refused.value).startswith(said)


def test_a_metric_of_one_target_refuses_several():
    with pytest.raises(UsageError) as refused:
        metrics.max_error(TRUTH, SAID)
    assert str(refused.value) == "max_error is for one target, and y_true has 3 columns\n  Fix: call it for each column"
