"""Weights of every kind, zero included: all functions give the values of scikit-learn, or refuse where it refuses."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn import metrics as peers

from heldout import Estimate, HeldoutError, metrics
from tests.metrics import calls
from tests.metrics.test_values import flat

RNG = np.random.default_rng(11)
WEIGHTED = [
    (name, rows, options) for name, rows, options in calls.calls() if options.get("sample_weight") is calls.WEIGHT
]
KINDS = {
    "equal fractions": lambda truth: np.full(calls.ROWS, 0.25),
    "equal whole numbers": lambda truth: np.full(calls.ROWS, 2),
    "some zeros": lambda truth: RNG.integers(0, 3, calls.ROWS),
    "zeros and ones": lambda truth: RNG.integers(0, 2, calls.ROWS).astype(float),
    "a class of weight zero": lambda truth: calls.WEIGHT * ~_first_class(truth),
}
DIFFERENT = ("balanced_accuracy_score", "d2_log_loss_score")
"""Undefined with a note, or minus infinity, of one class that has weight; scikit-learn divides by rounding errors."""


def _first_class(truth):
    column = truth[:, 0] if truth.ndim == 2 else truth
    return column < np.median(column) if column.dtype.kind == "f" else column == column[0]


def answer(module, name, rows, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return flat(getattr(module, name)(*rows, **options))


@pytest.mark.parametrize("kind", KINDS)
def test_weights_count_as_in_scikit_learn(kind):
    for at in RNG.choice(len(WEIGHTED), len(WEIGHTED) // 3, replace=False):
        name, rows, options = WEIGHTED[at]
        changed = {**options, "sample_weight": KINDS[kind](np.asarray(rows[0]))}
        told = f"{name} {options} with {kind}"
        try:
            theirs = answer(peers, name, rows, changed)
        except ValueError:
            with pytest.raises(HeldoutError):
                answer(metrics, name, rows, changed)
            continue
        ours = answer(metrics, name, rows, changed)
        assert len(ours) == len(theirs), told
        if name in DIFFERENT and kind == "a class of weight zero" and not np.isfinite(ours).all():
            continue
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12, err_msg=told)
        for one in ours:
            if isinstance(one, Estimate):
                assert np.isnan(one.value) or one.low <= one.value <= one.high, (told, one)


def test_the_correlation_of_one_class_with_weights_is_undefined():
    found = metrics.matthews_corrcoef([0, 0, 0, 1], [0, 1, 0, 1], sample_weight=[0.1, 0.7, 0.2, 0])
    assert (found.value, found.notes[-1]) == (0.0, "mcc is 0/0 on these rows: 0 is put in its place")
