"""How far a row moves a model's metrics, looked up by what the model says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from heldout.batch import Array, Batch
from heldout.tallies.accumulation import made
from heldout.tallies.grid import GRID, places
from heldout.tallies.totals import RowStatistic


@dataclass(frozen=True, kw_only=True, eq=False)
class Moves:
    """Slopes of metrics at their totals, as tables in which a row looks up its own; a value that can travel.

    The lines of each table are metrics. They are numbered through: those of labels, of scores, and of sums.
    """

    says: bool = False
    """Whether the model says a label of each row."""
    classes: int = 0
    cells: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """By truth and prediction: truth * classes + prediction."""
    filled: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    """The places of the grid that hold scores, rising."""
    ranks: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """By filled place: the negative rows, then the positive ones."""
    columns: Mapping[str, RowStatistic] = field(default_factory=dict)
    """What rows add to named sums."""
    sums: Array = field(default_factory=lambda: np.zeros((0, 1)))
    """By column; the last is the number of rows."""
    scale: float = 1.0
    """The mean weight of a row."""

    @property
    def metrics(self) -> int:
        """How many metrics there are."""
        return len(self.cells) + len(self.ranks) + len(self.sums)

    def standing(self) -> Array:
        """Where each place of the grid stands among the filled ones."""
        at = np.zeros(GRID if len(self.filled) else 0, dtype=np.int32)
        at[self.filled] = np.arange(len(self.filled), dtype=np.int32)
        return at

    def weights(self, batch: Batch) -> Array | None:
        """What rows weigh, one on average; None where all weigh the same."""
        return None if batch.weight is None else batch.weight / self.scale

    def of_labels(self, batch: Batch) -> Array:
        """How far each row moves the metrics of labels, its weight aside."""
        if not self.says or not len(self.cells):
            return np.zeros((len(self.cells), batch.rows))
        assert batch.prediction is not None
        return self.cells.take(batch.truth.astype(np.int64) * self.classes + batch.prediction, axis=1)

    def of_the_rest(self, batch: Batch, standing: Array) -> Array:
        """How far each row moves the metrics of scores and of sums, its weight aside."""
        return np.concatenate([self._of_scores(batch, standing), self._of_sums(batch)])

    def _of_scores(self, batch: Batch, standing: Array) -> Array:
        if not len(self.filled) or not len(self.ranks):
            return np.zeros((len(self.ranks), batch.rows))
        assert batch.score is not None
        line = standing[places(batch.score)]
        line += (batch.truth == batch.positive) * np.int32(len(self.filled))
        return self.ranks.take(line, axis=1)

    def _of_sums(self, batch: Batch) -> Array:
        if not len(self.sums):
            return np.zeros((0, batch.rows))
        columns = made(batch, self.columns)
        added = np.stack([*(columns[name] for name in self.columns), np.ones(batch.rows)])
        return np.asarray(self.sums @ added)
