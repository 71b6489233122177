"""The confusion matrix."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.charts.confusion_matrix import MOST, confusion_matrix
from heldout.errors import UsageError


def test_counts_and_shares_of_the_true_class():
    figure = confusion_matrix({"confusion": {"labels": ["no", "yes"], "counts": [[3, 1], [2, 6]]}})
    assert figure.counts.tolist() == [[3, 1], [2, 6]]
    assert figure.rates.tolist() == [[0.75, 0.25], [0.25, 0.75]]
    assert figure.alt == (
        "Confusion matrix. true no called no: 3 (75.0%); true no called yes: 1 (25.0%); "
        "true yes called no: 2 (25.0%); true yes called yes: 6 (75.0%)."
    )
    assert figure.data.to_dict("list") == {
        "truth": ["no", "no", "yes", "yes"],
        "prediction": ["no", "yes", "no", "yes"],
        "rows": [3, 1, 2, 6],
        "share": [0.75, 0.25, 0.25, 0.75],
    }


def test_a_class_without_rows_has_no_share():
    figure = confusion_matrix({"confusion": {"labels": ["a", "b"], "counts": [[3, 1], [0, 0]]}})
    assert np.isnan(figure.rates[1]).all()
    assert figure.to_dict()["parts"]["cells"]["share"] == [0.75, 0.25, None, None]


def test_many_classes_are_folded_and_no_row_is_lost():
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 3, (60, 60)) + 50 * np.eye(60, dtype=int)
    counts[7, 9] = 1000
    figure = confusion_matrix({"confusion": {"labels": list(range(60)), "counts": counts.tolist()}})
    assert figure.counts.sum() == counts.sum()
    assert (len(figure.labels), figure.labels[-1], figure.folded) == (MOST + 1, "36 others", 36)
    assert {"7", "9"} <= set(figure.labels)
    assert figure.counts[figure.labels.index("7"), figure.labels.index("9")] == 1000
    assert figure.alt.startswith("Confusion matrix of 25 classes")
    assert "7 called 9 1000 times" in figure.alt


def test_without_predicted_labels():
    with pytest.raises(UsageError) as caught:
        confusion_matrix({"confusion": None})
    assert str(caught.value) == (
        "there is no confusion matrix without predicted labels\n  Fix: give y_pred, or a threshold"
    )
