"""Rows by the place of their score on the grid: what their order says, in memory that does not grow with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from heldout import weights
from heldout.batch import Array
from heldout.tallies import Drawn, Sums
from heldout.tallies.grid import edges
from heldout.tallies.grid_counts import Filled
from heldout.tallies.moments import SAMPLED, Moments
from heldout.weights import Block

NAMES = ("negatives", "positives")


@dataclass(frozen=True, kw_only=True)
class Binned:
    """Negative and positive rows at each filled place, by rising score; scores at one place count as equal."""

    filled: Filled
    """Two kinds of rows: negative, positive."""
    moved: Callable[[Sums], tuple[Moments, str] | None] | None = None
    """Where rows share units: the column of how far each moves a formula with this gradient, from another walk."""
    shared_by: int | None = None
    """How many units share the rows; None: every row is one."""
    effective: Mapping[str, float] = field(default_factory=dict)
    """How many units of equal size the rows, the `positives` and the `negatives` are worth, where rows share units."""

    def worth(self, names: Sequence[str] = (), label: int | None = None) -> float:  # noqa: ARG002 two classes only
        """How many units of equal size the positive or negative rows are worth; all rows, without names."""
        return self.effective.get(names[0] if len(names) == 1 else "rows", float(self.units))

    @property
    def clustered(self) -> bool:
        return self.shared_by is not None

    @property
    def weighted(self) -> bool:
        return self.filled.squares is not None

    @property
    def rows(self) -> int:
        return int(self.filled.rows.sum())

    @property
    def units(self) -> int:
        return self.rows if self.shared_by is None else self.shared_by

    @cached_property
    def sums(self) -> Sums:
        return dict(zip(NAMES, self.filled.mass.astype(float), strict=True))

    @cached_property
    def squares(self) -> Sums:
        if self.filled.squares is None:
            return self.sums
        return dict(zip(NAMES, self.filled.squares, strict=True))

    @property
    def positives(self) -> Array:
        """Counts, as whole numbers, or weights, as others: what the bounds on the value are found from."""
        return self.filled.mass[1]

    @property
    def negatives(self) -> Array:
        return self.filled.mass[0]

    @property
    def row_by_row(self) -> bool:
        """Whether rows at one place may differ, so that their curves would need each of them."""
        return self.clustered or self.weighted

    @cached_property
    def positives_below(self) -> Array:
        """Weights of the positive rows below each place, and of all at the end."""
        return np.concatenate([[0.0], np.cumsum(self.sums["positives"])])

    @cached_property
    def negatives_below(self) -> Array:
        """Weights of the negative rows below each place, and of all at the end."""
        return np.concatenate([[0.0], np.cumsum(self.sums["negatives"])])

    @cached_property
    def values(self) -> Array:
        """The least score of each place."""
        return np.maximum(edges(self.filled.place)[0], self.filled.least)

    @cached_property
    def _alike(self) -> dict[str, tuple[Array, Array]]:
        """How many rows of what equal weight have the sums and squares of each place."""
        found = {}
        for name in NAMES:
            total, heavy = self.sums[name], self.squares[name]
            each = np.divide(heavy, total, out=np.ones_like(total), where=total > 0)
            found[name] = (total / each, each)
        return found

    @property
    def lines(self) -> Array:
        if self.clustered:
            return np.ones(self.units)
        return np.concatenate([self._alike[name][0] for name in ("positives", "negatives")])

    def influence(self, gradient: Sums) -> Array:
        """How far one row of each line moves the value: the positive, then the negative rows of each place.

        Where rows share units, how far each unit does; only if they are so few that each is kept.
        """
        if self.moved is not None:
            found = self.moved(gradient)
            units = None if found is None else found[0].unit_by_unit()
            return np.full(self.units, np.nan) if found is None or units is None else units.column(found[1])
        return np.concatenate([gradient[name] * self._alike[name][1] for name in ("positives", "negatives")])

    def variance(self, gradient: Sums) -> float:
        """Sum of squared influence, each class corrected for the bias of having estimated its mean."""
        if self.moved is not None:
            found = self.moved(gradient)
            return float("nan") if found is None else found[0].variance({found[1]: np.ones(())})
        sizes = dict(zip(NAMES, self.filled.rows.tolist(), strict=True))
        if min(sizes.values()) < 2:
            return float("nan")
        squared = {
            name: float(np.einsum("i,i,i", self.squares[name], gradient[name], gradient[name])) for name in NAMES
        }
        return sum(squared[name] * size / (size - 1) for name, size in sizes.items())

    def drawn(self, draws: int, seed: int) -> list[Drawn]:
        """Draws within each class, so that no draw lacks one."""
        (found, more), (rest, less) = self._alike["positives"], self._alike["negatives"]
        size = weights.lines_at_once(2 * max(len(found), self.rows))

        def both(up: Block, down: Block) -> Drawn:
            return lambda: {"positives": up() * more, "negatives": down() * less}

        positives = weights.bootstrap(found, draws, [seed, 1], size)
        return [both(*pair) for pair in zip(positives, weights.bootstrap(rest, draws, [seed, 0], size), strict=True)]


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """Numbers by rank, as a sorted column of all rows would give them."""

    value: Array
    reached: Array
    """How many rows there are up to each value."""

    def __len__(self) -> int:
        return int(self.reached[-1]) if len(self.reached) else 0

    def __getitem__(self, rank: int) -> float:
        return float(self.value[np.searchsorted(self.reached, rank, side="right")])


@dataclass(frozen=True, kw_only=True)
class BinnedNumbers:
    """Numbers by their place on the grid, for medians and extremes; the largest is kept as it is."""

    filled: Filled
    """One kind of rows."""

    clustered = False

    @property
    def weighted(self) -> bool:
        return self.filled.squares is not None

    @property
    def units(self) -> int:
        return int(self.filled.rows.sum())

    rows = units

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """Between which numbers those at each place lie."""
        least, largest = edges(self.filled.place)
        return np.maximum(least, self.filled.least), np.minimum(largest, self.filled.largest)

    @property
    def mass(self) -> Array:
        return self.filled.mass[0].astype(float)

    @cached_property
    def sums(self) -> Sums:
        """The middle of every place, and the largest number by itself."""
        return self._with_largest(self.mass)

    @cached_property
    def values(self) -> Ranked:
        """The numbers of all rows in rising order."""
        return Ranked(value=self.sums["ordered"], reached=np.cumsum(self.sums["mass"]))

    def median_between(self) -> tuple[float, float]:
        """Between which numbers the median lies: the ends of the places at which half of the rows is reached.

        >>> from heldout.tallies.grid_counts import filled_by
        >>> low, high = BinnedNumbers(filled=filled_by(np.array([1.0, 2.0, 4.0, 8.0]))).median_between()
        >>> bool(low <= 3 <= high), f"{high - low:.0e}"
        (True, '7e-04')
        """
        reached = np.cumsum(self.mass)
        half = float(reached[-1]) / 2
        lower = int(np.argmax(reached >= half * (1 - 1e-12)))
        upper = int(np.argmax(reached > half * (1 + 1e-12)))
        low, high = (float(_between(end[lower], end[upper])) for end in self.ends)
        return low, high

    def evenly(self, most: int = SAMPLED) -> Array:
        """The means of so many equal shares of the rows (or of all that weighs), rising: for a look at the tail."""
        value, mass = self.sums["ordered"], self.sums["mass"]
        reached, added = np.cumsum(mass), np.cumsum(mass * value)
        count = min(self.units, most)
        cuts = np.linspace(0, reached[-1], count + 1)
        until = np.interp(cuts, np.concatenate([[0.0], reached]), np.concatenate([[0.0], added]))
        return np.diff(until) / (reached[-1] / count)

    def drawn(self, draws: int, seed: int) -> list[Drawn]:
        """Resamples of rows with replacement."""
        heavy = self.mass if self.filled.squares is None else self.filled.squares[0]
        each = heavy / self.mass
        blocks = weights.bootstrap(self.mass / each, draws, [seed])

        def made(block: Block) -> Drawn:
            return lambda: self._with_largest(block() * each)

        return [made(block) for block in blocks]

    def _with_largest(self, mass: Array) -> Sums:
        """One row (or half of what weighs) of the last place is the largest number; its other rows come before it."""
        least, largest = self.ends
        last = mass[..., -1:]
        alone = last / 2 if self.weighted else np.minimum(last, 1.0)
        return {
            "ordered": np.append(_between(least, largest), self.filled.largest),
            "mass": np.concatenate([mass[..., :-1], last - alone, alone], axis=-1),
        }


def _between(low: Array, high: Array) -> Array:
    """Half way from one number to another, which may be infinite, or so small that half of it is nothing."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(high), low + (high - low) / 2, high)
