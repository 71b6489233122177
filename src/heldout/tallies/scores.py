"""Rows in the order of their scores: sorted once, ties grouped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from heldout import weights
from heldout.batch import Array
from heldout.tallies import Drawn, Sums, effective_units, joined, of_blocks
from heldout.tallies.score_sort import by_score, order_of, runs_of, starts_of
from heldout.weights import Block

KEPT_AT_MOST = 10_000_000
"""How many sums of draws are kept for the next metric."""


@dataclass(frozen=True, kw_only=True)
class Runs:
    """How many positive and negative rows each run has, by rising score; every row is a unit of its own."""

    positives: Array
    negatives: Array

    clustered = False
    weighted = False

    @property
    def sums(self) -> Sums:
        return {"positives": self.positives, "negatives": self.negatives}

    @property
    def squares(self) -> Sums:
        return self.sums

    @cached_property
    def sizes(self) -> tuple[float, float]:
        """How many rows are positive, and how many negative."""
        return float(self.positives.sum()), float(self.negatives.sum())

    @property
    def units(self) -> int:
        return round(sum(self.sizes))

    rows = units

    @property
    def lines(self) -> Array:
        return np.concatenate([self.positives, self.negatives])

    def influence(self, gradient: Sums) -> Array:
        """How far one row of each line moves the value: the positive, then the negative rows of each run."""
        return np.concatenate([gradient["positives"], gradient["negatives"]])

    def variance(self, gradient: Sums) -> float:
        """Sum of squared influence, each class corrected for the bias of having estimated its mean."""
        if min(self.sizes) < 2:
            return float("nan")
        found = [float(np.einsum("i,i,i", self.sums[name], gradient[name], gradient[name])) for name in self.sums]
        return sum(part * size / (size - 1) for part, size in zip(found, self.sizes, strict=True))

    def drawn(self, draws: int, seed: int) -> list[Drawn]:
        """Draws within each class, so that no draw lacks one.

        All metrics of a tally see the same resamples. They are kept where they are small, so that they are drawn once.
        """
        if (draws, seed) not in self._kept:
            self._kept[draws, seed] = self._blocks(draws, seed)
        return self._kept[draws, seed]

    @cached_property
    def _kept(self) -> dict[tuple[int, int], list[Drawn]]:
        return {}

    def _blocks(self, draws: int, seed: int) -> list[Drawn]:
        size = weights.lines_at_once(2 * max(len(self.positives), self.units))
        small = 2 * draws * len(self.positives) <= KEPT_AT_MOST

        def both(more: Block, less: Block) -> Drawn:
            def made() -> Sums:
                return {"positives": more(), "negatives": less()}

            return cache(made) if small else made

        positives = weights.bootstrap(self.positives, draws, [seed, 1], size)
        return [
            both(*pair)
            for pair in zip(positives, weights.bootstrap(self.negatives, draws, [seed, 0], size), strict=True)
        ]


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Scores in rising order, which of them are positive and, where rows have weights or share units, those too."""

    ranked: Array
    hits: Array
    weight: Array | None = None
    unit: Array | None = None
    units: int = 0
    order: Array | None = None
    """Which row stands at each place; kept where rows have weights or share units."""

    def __add__(self, other: Scores) -> Scores:
        """Both parts; their units are different units."""
        ranked = np.concatenate([self.ranked, other.ranked])
        hits = np.concatenate([self.hits, other.hits])
        weight, unit = joined(self.weight, other.weight), joined(self.unit, other.unit, self.units)
        return _ordered(ranked, hits, weight, unit, self.units + other.units)

    @property
    def clustered(self) -> bool:
        return self.unit is not None

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    @property
    def rows(self) -> int:
        return len(self.hits)

    @property
    def row_by_row(self) -> bool:
        """Whether rows at one score may differ, so that each is kept."""
        return self.clustered or self.weighted

    @cached_property
    def starts(self) -> Array:
        """Where each distinct score begins."""
        return starts_of(self.ranked)

    @cached_property
    def values(self) -> Array:
        """The distinct scores, rising."""
        return self.ranked[self.starts]

    @cached_property
    def positives(self) -> Array:
        """Weights of the positive rows at each distinct score."""
        return self._at_scores(self.hits, 1)

    @cached_property
    def negatives(self) -> Array:
        """Weights of the negative rows at each distinct score."""
        return self._at_scores(~self.hits, 1)

    @cached_property
    def positives_below(self) -> Array:
        """Weights of the positive rows below each distinct score, and of all at the end."""
        below = np.zeros(len(self.starts) + 1)
        if self.weight is not None:
            np.cumsum(self.positives, out=below[1:])
        elif len(self.hits):
            reached = np.cumsum(self.hits, dtype=np.int32 if len(self.hits) < 1 << 31 else np.int64)
            below[-1] = reached[-1]
            below[1:-1] = reached[:-1] if len(self.starts) == len(self.hits) else reached[self.starts[1:] - 1]
        return below

    @cached_property
    def negatives_below(self) -> Array:
        """Weights of the negative rows below each distinct score, and of all at the end."""
        if self.weight is not None:
            return np.concatenate([[0.0], np.cumsum(self.negatives)])
        return np.append(self.starts, len(self.hits)) - self.positives_below

    @cached_property
    def place(self) -> Array:
        """Of each row in order: which distinct score it has."""
        return np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.ranked)))

    @cached_property
    def sums(self) -> Sums:
        """Weights of positive and negative rows by rising score."""
        return {"positives": self.positives, "negatives": self.negatives}

    @property
    def squares(self) -> Sums:
        if self.weight is None:
            return self.sums
        return {"positives": self._at_scores(self.hits, 2), "negatives": self._at_scores(~self.hits, 2)}

    def for_metric(self, *, apart: bool) -> Scores | Runs:
        """What a metric needs: runs of rows where every row is a unit of its own, else the rows one by one."""
        if self.row_by_row:
            return self
        positives, negatives = runs_of(self.ranked, self.hits, apart=apart)
        return Runs(positives=positives, negatives=negatives)

    def worth(self, names: Sequence[str] = (), label: int | None = None) -> float:  # noqa: ARG002 two classes only
        """How many units of equal size the positive or negative rows are worth; all rows, without names."""
        if self.unit is None:
            return float(self.units)
        chosen = np.ones(len(self.hits), dtype=bool) if len(names) != 1 else self.hits == (names[0] == "positives")
        return effective_units(
            np.bincount(self.unit, chosen if self.weight is None else chosen * self.weight, self.units), self.units
        )

    @property
    def lines(self) -> Array:
        return np.ones(self.units)

    def influence(self, gradient: Sums) -> Array:
        """How far each row, or each unit, moves the value."""
        moved = np.where(self.hits, gradient["positives"][self.place], gradient["negatives"][self.place])
        if self.weight is not None:
            moved = moved * self.weight
        return moved if self.unit is None else np.bincount(self.unit, weights=moved, minlength=self.units)

    def variance(self, gradient: Sums) -> float:
        """Sum of squared influence, each class (or the units) corrected for the bias of having estimated its mean."""
        squared = self.influence(gradient) ** 2
        if self.clustered:
            n = self.units
            return float(n / (n - 1) * squared.sum()) if n > 1 else float("nan")
        parts = [squared[self.hits], squared[~self.hits]]
        if min(len(part) for part in parts) < 2:
            return float("nan")
        return float(sum(part.sum() * len(part) / (len(part) - 1) for part in parts))

    def drawn(self, draws: int, seed: int) -> list[Drawn]:
        """Draws within each class, so that no draw lacks one; whole units where rows share units."""
        if self.unit is not None:
            order = weights.cluster_order(2 * self.place + self.hits, self.weight, self.unit, self.units)
            unit = weights.places(order)[self.unit]
            return of_blocks(
                weights.bootstrap(np.ones(self.units), draws, [seed]), lambda block: self._at(block[:, unit])
            )
        size = weights.lines_at_once(len(self.hits))
        of_class = [self._in_order(chosen) for chosen in (self.hits, ~self.hits)]
        classes = [
            weights.bootstrap(np.ones(len(rows)), draws, [seed, number], size)
            for number, rows in zip((1, 0), of_class, strict=True)
        ]

        def both(more: Block, less: Block) -> Drawn:
            def made() -> Sums:
                positives, negatives = more(), less()
                block = np.empty((len(positives), len(self.hits)))
                block[:, of_class[0]], block[:, of_class[1]] = positives, negatives
                return self._at(block)

            return made

        return [both(*pair) for pair in zip(*classes, strict=True)]

    def _in_order(self, chosen: Array) -> Array:
        """Where these rows stand, in an order that hangs on their scores and weights."""
        rows = np.flatnonzero(chosen)
        weight = np.ones(len(self.hits)) if self.weight is None else self.weight
        return rows[weights.content_order(self.place[rows], weight[rows])]

    def _at(self, block: Array) -> Sums:
        """The sums at each score if each row counted block[d] times, for every resample d."""
        mass = block.astype(float) if self.weight is None else block * self.weight
        return {
            "positives": np.add.reduceat(mass * self.hits, self.starts, axis=1),
            "negatives": np.add.reduceat(mass * ~self.hits, self.starts, axis=1),
        }

    def _at_scores(self, chosen: Array, power: int) -> Array:
        if self.weight is None:
            return np.add.reduceat(chosen.view(np.uint8), self.starts, dtype=float)
        return np.add.reduceat(chosen * self.weight**power, self.starts)


def tally_scores(
    score: Array, positive: Array, weight: Array | None = None, unit: Array | None = None, *, keep_order: bool = False
) -> Scores:
    """Order rows by score; `keep_order` also keeps which row stands where.

    >>> tally = tally_scores(np.array([0.1, 0.4, 0.4]), np.array([False, True, False]))
    >>> tally.values.tolist(), tally.positives.tolist(), tally.negatives.tolist()
    ([0.1, 0.4], [0.0, 1.0], [1.0, 1.0])
    """
    units = len(score) if unit is None else int(unit.max()) + 1
    return _ordered(score, positive.astype(bool, copy=False), weight, unit, units, keep_order=keep_order)


def _ordered(
    score: Array, hits: Array, weight: Array | None, unit: Array | None, units: int, *, keep_order: bool = False
) -> Scores:
    if weight is None and unit is None and not keep_order:
        ranked, hits = by_score(score, hits)
        return Scores(ranked=ranked, hits=hits, units=units)
    order = order_of(score)
    return Scores(
        ranked=score[order],
        hits=hits[order],
        weight=None if weight is None else weight[order].astype(float, copy=False),
        unit=None if unit is None else unit[order],
        units=units,
        order=order,
    )
