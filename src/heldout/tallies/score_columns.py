"""One score column per class: areas under the ROC curves of classes against the rest or against each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from heldout.batch import Array
from heldout.tallies import Sums
from heldout.tallies.scores import Scores, tally_scores


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreColumns:
    """Truth and a score column per class; weights and units as in a batch."""

    truth: Array
    score: Array
    weight: Array | None = None
    unit: Array | None = None

    @property
    def classes(self) -> int:
        return int(self.score.shape[1])

    @property
    def units(self) -> int:
        return len(self.truth) if self.unit is None else int(self.unit.max()) + 1

    @property
    def clustered(self) -> bool:
        return self.unit is not None

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    @property
    def sizes(self) -> Array:
        """How many rows each class has."""
        return np.bincount(self.truth, minlength=self.classes)

    def contests(self, kind: str) -> Iterator[tuple[Array, Scores]]:
        """The binary rankings behind a metric: which rows take part, and their order by score."""
        if kind == "areas_one_vs_rest":
            everyone = np.arange(len(self.truth))
            for k in range(self.classes):
                yield everyone, self._ranking(everyone, k)
        else:
            for k, other in permutations(range(self.classes), 2):
                part = np.flatnonzero((self.truth == k) | (self.truth == other))
                yield part, self._ranking(part, k)

    def _ranking(self, part: Array, k: int) -> Scores:
        """Kept row by row, so that what a row moves in several rankings can be added up."""
        weight = np.ones(len(part)) if self.weight is None else self.weight[part]
        return tally_scores(self.score[part, k], self.truth[part] == k, weight)

    def sums_of(self, kind: str, value: object) -> Sums:
        """The areas of all contests, by a formula on one ranking."""
        assert callable(value)
        return {kind: np.array([float(value(**ranking.sums)) for _, ranking in self.contests(kind)])}
