"""What a row adds to the counts behind label metrics, where each row carries several labels at once (0/1 columns)."""

from __future__ import annotations

import numpy as np

from heldout.batch import Array, Batch


def tp(batch: Batch) -> Array:
    """One where the label is there and was said to be there."""
    return batch.truth * _prediction(batch)


def fp(batch: Batch) -> Array:
    """One where the label is not there and was said to be there."""
    return (1 - batch.truth) * _prediction(batch)


def fn(batch: Batch) -> Array:
    """One where the label is there and was not said to be there."""
    return batch.truth * (1 - _prediction(batch))


def tn(batch: Batch) -> Array:
    """One where the label is not there and was not said to be there."""
    return (1 - batch.truth) * (1 - _prediction(batch))


def exact_matches(batch: Batch) -> Array:
    """One where every label of the row is right."""
    return np.all(batch.truth == _prediction(batch), axis=1).astype(float)


def wrong_marks(batch: Batch) -> Array:
    """Share of the row's labels that are wrong."""
    return np.mean(batch.truth != _prediction(batch), axis=1)


def _prediction(batch: Batch) -> Array:
    assert batch.prediction is not None
    return batch.prediction
