"""What models said of rows they had not seen, as a batch like any other file of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.learners.fitting import Said
from heldout.learners.training_data import Dataset
from heldout.splits import Split


@dataclass(frozen=True, kw_only=True)
class Predictions:
    """One line per row and split that tested it: the batch, and which row and split each line is of."""

    batch: Batch
    row: Array
    split: Array
    """Which of the splits, counted from 0."""
    splits: tuple[Split, ...]

    def of(self, split: int) -> Batch:
        """What was said on one split."""
        first, last = np.searchsorted(self.split, [split, split + 1])
        return self.batch.take(np.arange(first, last))

    def columns(self, data: Dataset) -> dict[str, Any]:
        """The lines as columns under the names that `evaluate` finds by itself; `id` is the row as it was given."""
        batch = self.batch
        labels = np.array(batch.labels, dtype=object)
        told = batch.prediction
        assert told is not None
        columns: dict[str, Any] = {
            "id": self.row if data.order is None else data.order[self.row],
            "repeat": np.array([one.repeat for one in self.splits])[self.split],
            "fold": np.array([one.fold for one in self.splits])[self.split],
        }
        if batch.task == "regression" and told.ndim == 2:
            columns |= {f"y_true_{at}": batch.truth[:, at] for at in range(told.shape[1])}
            return columns | {f"y_pred_{at}": told[:, at] for at in range(told.shape[1])}
        columns["y_true"] = data.y[self.row]
        columns["y_pred"] = told if batch.task == "regression" else labels[told].astype(data.y.dtype)
        if batch.score is not None and batch.score.ndim == 1:
            columns["y_score"] = batch.score
        elif batch.score is not None:
            columns |= {f"prob_{name}": batch.score[:, at] for at, name in enumerate(batch.labels)}
        return columns


def predictions(data: Dataset, splits: Sequence[Split], said: Sequence[Said]) -> Predictions:
    """The lines of all splits, one after the other."""
    row = np.concatenate([one.test for one in splits])
    scores = [one.score for one in said]
    known = [one for one in scores if one is not None]
    batch = data.batch.take(row)
    whole = replace(
        batch,
        prediction=np.concatenate([one.prediction for one in said]),
        score=np.concatenate(known) if len(known) == len(said) else None,
        probabilities=all(one.probabilities for one in said),
        unit=_units(data, row),
    )
    split = np.repeat(np.arange(len(splits)), [len(one.test) for one in splits])
    return Predictions(batch=whole, row=row, split=split, splits=tuple(splits))


def _units(data: Dataset, row: Array) -> Array | None:
    """Lines of one group are one cluster, and lines of one row where it was tested several times."""
    unit = data.batch.unit
    if unit is None:
        again = len(np.unique(row)) < len(row)
        return np.unique(row, return_inverse=True)[1] if again else None
    return np.unique(unit[row], return_inverse=True)[1]
