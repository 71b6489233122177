"""One score column per class: areas under the ROC curves of classes against the rest or against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from heldout.batch import Array
from heldout.tallies.scores import tally_scores

MANY = 50_000
"""With more rows than this, how far rows move the areas is looked at in about so many of them, evenly spread."""


@dataclass(frozen=True, kw_only=True)
class Contests:
    """The areas of several rankings, and how far each row moves their mean."""

    areas: Array
    moved: Array
    """Of the rows looked at, weights included."""
    share: float
    """Which share of the rows was looked at."""


@dataclass(frozen=True, kw_only=True)
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

    @cached_property
    def sizes(self) -> Array:
        """How many rows each class has."""
        return np.bincount(self.truth, minlength=self.classes)

    def contests(self, kind: str, area: Callable[..., Array], slopes: Callable[..., dict[str, Array]]) -> Contests:
        """The areas of all rankings behind a metric, and how far rows move their mean."""
        if kind not in self._held:
            held = self._weighed(kind, area, slopes) if self.weighted or self.clustered else self._even(kind)
            self._held[kind] = held
        return self._held[kind]

    @cached_property
    def _held(self) -> dict[str, Contests]:
        return {}

    def _pairs(self, kind: str) -> Iterator[tuple[int, int | None]]:
        """The class that should score high, and the class that should score low; None: all others."""
        if kind == "areas_one_vs_rest":
            yield from ((k, None) for k in range(self.classes))
        else:
            yield from permutations(range(self.classes), 2)

    def _sorted(self, of: int | None, by: int) -> Array:
        """The scores for class `by` of the rows of class `of` (None: of all others), rising."""
        return np.sort(self.score[self.truth != by if of is None else self.truth == of, by])

    def _weighed(self, kind: str, area: Callable[..., Array], slopes: Callable[..., dict[str, Array]]) -> Contests:
        """Row by row, for rows that have weights or share units."""
        areas, moved = [], np.zeros(len(self.truth))
        rows = np.arange(len(self.truth))
        for k, other in self._pairs(kind):
            part = slice(None) if other is None else np.flatnonzero((self.truth == k) | (self.truth == other))
            weight = np.ones(len(rows[part])) if self.weight is None else self.weight[part]
            order = tally_scores(self.score[part, k], self.truth[part] == k, weight)
            areas.append(float(area(**order.sums)))
            moved[rows[part][order.order]] += order.influence(slopes(**order.sums))
        return Contests(areas=np.array(areas), moved=moved / len(areas), share=1.0)

    def _even(self, kind: str) -> Contests:
        """Rows of equal weight: placements of the rows looked at among the sorted scores of the other class.

        Contests do not touch each other, and sorting lets other threads run: they are held side by side.
        """
        step = max(len(self.truth) // MANY, 1)
        score, truth = self.score[::step], self.truth[::step]

        def held(pair: tuple[int, int | None]) -> tuple[float, Array | slice, Array]:
            k, other = pair
            low, high = self._sorted(other, k), self._sorted(k, k)
            area = _area(low, high)
            seen = slice(None) if other is None else (truth == k) | (truth == other)
            return area, seen, _placements(score[seen, k], truth[seen] == k, low, high, area)

        areas, moved = [], np.zeros(len(truth))
        with ThreadPoolExecutor(1 if len(self.truth) < MANY else None) as pool:
            for area, seen, placed in pool.map(held, self._pairs(kind)):
                areas.append(area)
                moved[seen] += placed
        return Contests(areas=np.array(areas), moved=moved / len(areas), share=len(moved) / len(self.truth))


def _area(low: Array, high: Array) -> float:
    """Chance that one of `high` is above one of `low`, ties counting half; both sorted."""
    below = np.searchsorted(low, high, side="left").sum(dtype=np.int64) + np.searchsorted(low, high, side="right").sum(
        dtype=np.int64
    )
    return float(below / (2 * len(low) * len(high)))


def _placements(score: Array, positive: Array, low: Array, high: Array, area: float) -> Array:
    """DeLong's placements of some rows, centred and divided by the size of their class."""
    moved = np.empty(len(score))
    for chosen, others, own, sign in ((positive, low, len(high), 1.0), (~positive, high, len(low), -1.0)):
        mine = score[chosen]
        beaten = (np.searchsorted(others, mine, side="left") + np.searchsorted(others, mine, side="right")) / (
            2 * len(others)
        )
        placement = beaten if sign > 0 else 1 - beaten
        moved[chosen] = (placement - area) / own
    return moved
