"""Rows in the order of their scores: sorted once, ties grouped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from heldout import weights
from heldout.batch import Array
from heldout.tallies import Sums, joined

KEPT_AT_MOST = 10_000_000
"""How many sums of draws are kept for the next metric."""


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Sums of weights of positive and of negative rows at each distinct score, in rising order."""

    values: Array
    """The distinct scores, rising."""
    positives: Array
    negatives: Array
    place: Array | None = None
    """Of each row: which distinct score it has. Kept, with the next three, where rows have weights or share units."""
    positive: Array | None = None
    weight: Array | None = None
    unit: Array | None = None
    units: int = 0

    def __add__(self, other: Scores) -> Scores:
        """Both parts; their units are different units."""
        values = np.union1d(self.values, other.values)
        here, there = np.searchsorted(values, self.values), np.searchsorted(values, other.values)

        def total(own: Array, others: Array) -> Array:
            sums = np.zeros(len(values))
            sums[here] = own
            sums[there] += others
            return sums

        return Scores(
            values=values,
            positives=total(self.positives, other.positives),
            negatives=total(self.negatives, other.negatives),
            place=None
            if self.place is None or other.place is None
            else np.concatenate([here[self.place], there[other.place]]),
            positive=joined(self.positive, other.positive),
            weight=joined(self.weight, other.weight),
            unit=joined(self.unit, other.unit, self.units),
            units=self.units + other.units,
        )

    @property
    def clustered(self) -> bool:
        return self.unit is not None

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    @property
    def sums(self) -> Sums:
        return {"positives": self.positives, "negatives": self.negatives}

    @property
    def squares(self) -> Sums:
        if self.weight is None or self.place is None or self.positive is None:
            return self.sums
        heavy = self.weight**2
        size = len(self.values)
        return {
            "positives": np.bincount(self.place, weights=heavy * self.positive, minlength=size),
            "negatives": np.bincount(self.place, weights=heavy * ~self.positive, minlength=size),
        }

    @property
    def lines(self) -> Array:
        if self.place is None:
            return np.concatenate([self.positives, self.negatives])
        return np.ones(self.units)

    def influence(self, gradient: Sums) -> Array:
        """How far one row of each line moves the value.

        Lines are the positive, then the negative rows at each score; rows or units where rows have weights or units.
        """
        if self.place is None or self.positive is None:
            return np.concatenate([gradient["positives"], gradient["negatives"]])
        moved = np.where(self.positive, gradient["positives"][self.place], gradient["negatives"][self.place])
        if self.weight is not None:
            moved = moved * self.weight
        return moved if self.unit is None else np.bincount(self.unit, weights=moved, minlength=self.units)

    def variance(self, gradient: Sums) -> float:
        """Sum of squared influence, each class (or the units) freed of the bias of having estimated its mean."""
        squared = self.lines * self.influence(gradient) ** 2
        if self.clustered:
            n = self.units
            return float(n / (n - 1) * squared.sum()) if n > 1 else float("nan")
        if self.positive is None:
            parts = squared[: len(self.values)].sum(), squared[len(self.values) :].sum()
            sizes = float(self.positives.sum()), float(self.negatives.sum())
        else:
            parts = squared[self.positive].sum(), squared[~self.positive].sum()
            sizes = float(np.count_nonzero(self.positive)), float(np.count_nonzero(~self.positive))
        if min(sizes) < 2:
            return float("nan")
        return float(sum(part * size / (size - 1) for part, size in zip(parts, sizes, strict=True)))

    def drawn(self, draws: int, seed: int) -> Iterator[Sums]:
        """Draws within each class, so that no draw lacks one; whole units where rows share units.

        All metrics of a tally see the same draws. They are kept where they are small, so that they are drawn once.
        """
        if draws * len(self.values) > KEPT_AT_MOST:
            yield from self._drawn_anew(draws, seed)
            return
        if (draws, seed) not in self._kept:
            self._kept[draws, seed] = list(self._drawn_anew(draws, seed))
        yield from self._kept[draws, seed]

    @cached_property
    def _kept(self) -> dict[tuple[int, int], list[Sums]]:
        return {}

    def _drawn_anew(self, draws: int, seed: int) -> Iterator[Sums]:
        rng = np.random.default_rng(seed)
        if self.place is None:
            size = weights.lines_at_once(2 * max(len(self.values), self.units))
            pairs = zip(
                weights.bootstrap(self.positives, draws, rng, size),
                weights.bootstrap(self.negatives, draws, rng, size),
                strict=True,
            )
            for more, less in pairs:
                yield {"positives": more, "negatives": less}
        elif self.unit is not None:
            for block in weights.bootstrap(np.ones(self.units), draws, rng):
                yield self._at(block[:, self.unit])
        else:
            for block in self._class_blocks(draws, rng):
                yield self._at(block)

    def _class_blocks(self, draws: int, rng: np.random.Generator) -> Iterator[Array]:
        assert self.positive is not None
        for block in weights.bootstrap(np.ones(len(self.positive)), draws, rng):
            for chosen in (self.positive, ~self.positive):
                parts = weights.bootstrap(np.ones(int(np.count_nonzero(chosen))), len(block), rng)
                block[:, chosen] = np.concatenate(list(parts))
            yield block

    def _at(self, block: Array) -> Sums:
        """The sums at each score if each row counted block[d] times, for every draw d."""
        assert self.place is not None
        assert self.positive is not None
        mass = block if self.weight is None else block * self.weight
        order = np.argsort(self.place, kind="stable")
        starts = np.searchsorted(self.place[order], np.arange(len(self.values)))
        ordered, is_positive = mass[:, order].astype(float), self.positive[order]
        return {
            "positives": np.add.reduceat(ordered * is_positive, starts, axis=1),
            "negatives": np.add.reduceat(ordered * ~is_positive, starts, axis=1),
        }


def tally_scores(score: Array, positive: Array, weight: Array | None = None, unit: Array | None = None) -> Scores:
    """Order rows by score and add up positive and negative rows at each distinct score.

    >>> tally = tally_scores(np.array([0.1, 0.4, 0.4]), np.array([False, True, False]))
    >>> tally.values.tolist(), tally.positives.tolist(), tally.negatives.tolist()
    ([0.1, 0.4], [0.0, 1.0], [1.0, 1.0])
    """
    positive = positive.astype(bool, copy=False)
    order = np.argsort(score, kind="stable")
    ranked = score[order]
    first = np.empty(len(ranked), dtype=bool)
    first[:1] = True
    np.not_equal(ranked[1:], ranked[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    mass = np.ones(len(score)) if weight is None else weight.astype(float, copy=False)[order]
    hits = positive[order]
    above = np.add.reduceat(mass * hits, starts)
    below = np.add.reduceat(mass * ~hits, starts)
    place = None
    if weight is not None or unit is not None:
        place = np.empty(len(score), dtype=np.int64)
        place[order] = np.cumsum(first) - 1
    return Scores(
        values=ranked[starts],
        positives=above,
        negatives=below,
        place=place,
        positive=positive if place is not None else None,
        weight=weight,
        unit=unit,
        units=len(score) if unit is None else int(unit.max()) + 1,
    )
