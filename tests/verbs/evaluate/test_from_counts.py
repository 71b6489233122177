from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.intervals.means import mean_of_values


def said(call):
    with pytest.raises(heldout.HeldoutError) as refused:
        call()
    return str(refused.value)


def test_counts_are_rows():
    """A confusion matrix and the rows behind it give the same label metrics."""
    counts = np.array([[40, 6, 4], [5, 30, 5], [3, 4, 23]])
    truth, said_ = (np.repeat(axis.ravel(), counts.ravel()) for axis in np.indices((3, 3)))
    rows, counted = heldout.evaluate(truth, said_, n_resamples=200), heldout.evaluate_confusion(counts, n_resamples=200)
    for name, one in counted.estimates.items():
        assert (one.value, one.low, one.high) == pytest.approx((rows[name].value, rows[name].low, rows[name].high)), (
            name
        )
    assert counted.classes.keys() == rows.classes.keys()
    for label, part in counted.classes.items():
        for name, one in part.items():
            assert one.low == pytest.approx(rows.classes[label][name].low), (label, name)


def test_cost_of_counts():
    found = heldout.evaluate_confusion([[50, 10], [5, 35]], cost=[[0, 1], [10, 0]])["cost"]
    paid = np.repeat([0, 1, 10, 0], [50, 10, 5, 35])
    assert found.value == pytest.approx(paid.mean())
    known = mean_of_values(paid.mean(), paid.var(ddof=1) / 100, 100, np.array([0.0, 1.0, 10.0]), 0.95)
    assert (found.low, found.high) == pytest.approx(known)


def test_two_counts_may_have_other_metrics():
    assert list(heldout.evaluate_counts(wrong=1, of=9, metrics="accuracy").estimates) == ["accuracy"]
    assert heldout.evaluate_counts(wrong=0, of=1)["error_rate"].high == pytest.approx(0.793450, abs=5e-6)


def test_what_cannot_be_is_refused():
    assert said(lambda: heldout.evaluate_counts(wrong=5, of=4)) == (
        "[H110] 5 wrong of 4 cannot be\n  Fix: give 0 <= wrong <= of, and of at least 1"
    )
    assert said(lambda: heldout.evaluate_counts(wrong=0, of=0)) == (
        "[H110] 0 wrong of 0 cannot be\n  Fix: give 0 <= wrong <= of, and of at least 1"
    )
    assert said(lambda: heldout.evaluate_confusion([[1, 2, 3], [1, 2, 3]])) == (
        "[H110] a confusion matrix must be square, not 2 x 3\n  Fix: give truth by row and prediction by column"
    )
    assert (
        said(lambda: heldout.evaluate_confusion([[1, -2], [1, 2]]))
        == "[H110] a count is -2, but counts are zero or more"
    )
    assert (
        said(lambda: heldout.evaluate_confusion([[1, 2], [1, 2]], labels=["a"])) == "1 labels were given for 2 classes"
    )
    assert said(lambda: heldout.evaluate_class_counts({"a": (1, 2, 3)})) == (
        "[H110] each class needs four counts of zero or more\n  Fix: give (TP, FP, FN, TN) for each class"
    )
