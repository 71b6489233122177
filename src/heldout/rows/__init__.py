"""What one row adds to each sum: functions from a batch to a column, one entry (or one line) per row."""

from __future__ import annotations

from heldout.batch import Array, Batch

__all__ = ["prediction_of", "score_of"]


def prediction_of(batch: Batch) -> Array:
    """The predicted labels or numbers: a metric that reads them is refused earlier where there are none."""
    assert batch.prediction is not None
    return batch.prediction


def score_of(batch: Batch) -> Array:
    """The scores as floats."""
    assert batch.score is not None
    return batch.score.astype(float, copy=False)
