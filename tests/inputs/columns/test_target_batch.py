"""Multilabel and regression batches."""

from __future__ import annotations

import numpy as np
import pandas as pd

from heldout.inputs import from_arrays, read


def test_one_target_is_a_column():
    batch = from_arrays([1.5, 2], [1, 2.5]).batch
    assert (batch.truth.shape, batch.labels, batch.positive) == ((2,), ("y_true",), None)
    assert batch.prediction.tolist() == [1, 2.5]


def test_several_targets_are_side_by_side():
    batch = from_arrays(np.array([[1.5, 2], [3, 4]]), np.array([[1, 2], [3, 5]])).batch
    assert batch.truth.tolist() == [[1.5, 2], [3, 4]]
    assert batch.labels == ("0", "1")
    frame = pd.DataFrame({"width": [1.5, 3], "height": [2, 4]})
    assert from_arrays(frame, frame).batch.labels == ("width", "height")


def test_several_labels():
    reading = read({"y_cat": [1, 0], "y_dog": [0, 1], "p_cat": ["0.9", "0.2"], "p_dog": ["0.5", "0.4"]})
    batch = reading.batch
    assert batch.task == "multilabel"
    assert batch.labels == ("cat", "dog")
    assert batch.truth.tolist() == [[1, 0], [0, 1]]
    assert batch.score.tolist() == [[0.9, 0.5], [0.2, 0.4]]
    assert batch.prediction.tolist() == [[1, 1], [0, 0]]
    assert batch.probabilities
    assert reading.threshold == 0.5
    assert reading.columns == {"truth": "y_cat, y_dog", "prob": "p_<label>"}


def test_several_labels_with_both():
    reading = from_arrays([[1, 0], [0, 1]], [[1, 1], [0, 0]], y_proba=[[0.9, 0.2], [0.1, 0.3]])
    assert reading.batch.prediction.tolist() == [[1, 1], [0, 0]]
    assert reading.batch.score.tolist() == [[0.9, 0.2], [0.1, 0.3]]
    assert reading.threshold is None
    assert reading.columns == {"truth": "y_true", "pred": "y_pred", "prob": "y_proba"}


def test_logits_and_a_threshold_of_several_labels():
    reading = from_arrays([[1, 0], [0, 1]], y_score=[[0, 2], [-2, 1]], link="logit", threshold=0.6)
    assert reading.batch.prediction.tolist() == [[0, 1], [0, 1]]
    assert reading.batch.probabilities
    assert reading.threshold == 0.6
