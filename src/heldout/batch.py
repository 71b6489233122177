"""Rows to evaluate, as columns of equal length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Label = str | int | float | bool
Task = Literal["binary", "multiclass", "multilabel", "regression"]
Backend = Literal["pandas", "polars", "pyarrow"]
"""The library whose frames are returned."""


def differing_weights(weight: Array | None) -> Array | None:
    """The weights, or None where every row weighs the same: equal weights count as none, whatever their size.

    >>> differing_weights(np.array([0.5, 0.5])) is None
    True
    """
    return None if weight is None or (weight == weight[:1]).all() else weight


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A column that divides the rows into named subsets."""

    codes: Array
    """Which name each row has, as a position in `names`."""
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOrder:
    """What is known of rows in the order of time: their units are times, and times depend on those before."""

    horizon: int | None = None
    """Steps ahead of the forecasts, whose errors depend on the `horizon` - 1 before; None: not known."""
    series: int = 1
    """Number of series that the rows come from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Rows as columns of equal length. All checks on data are made when it is read; nothing repeats them."""

    task: Task
    truth: Array
    """Class of each row as a position in `labels`; multilabel: one 0/1 column per label; regression: numbers."""
    prediction: Array | None = None
    """Same shape and coding as `truth`; None where only scores are known and no threshold applies."""
    score: Array | None = None
    """Binary: one number per row, higher means more positive. Multiclass and multilabel: one column per label."""
    probabilities: bool = False
    """Whether `score` holds probabilities."""
    clip: float = 0.0
    """Least probability that log losses count; 0: a zero is a zero, and its loss infinite."""
    labels: tuple[Label, ...] = ()
    """Classes in order (multilabel: label names; regression: target names)."""
    positive: int | None = None
    """Position of the positive class in `labels`, binary only."""
    weight: Array | None = None
    """How much each row counts; None: every row counts the same."""
    unit: Array | None = None
    """Cluster of each row, as positions 0..units-1; None: every row is drawn by itself."""
    time: TimeOrder | None = None
    """Where rows have times: `unit` is the time of each row, in order."""
    segments: Mapping[str, Segment] = field(default_factory=dict)
    numbers: Array | None = None
    """Number of each row in the input, counted from 1, where rows were left out; None: its place."""
    ids: Array | None = field(default=None, compare=False, repr=False)
    """Id of each row as text, where rows of several models were matched by it."""
    origin: Any = None
    """What targets are counted from where large offsets would cost digits; None: their mean."""
    identity: Any = field(default=None, compare=False, repr=False)
    """What identifies the rows, whatever the model (`inputs.row_identity`); None for arrays."""

    @property
    def rows(self) -> int:
        return len(self.truth)

    @property
    def units(self) -> int:
        """How many independent draws the rows are."""
        return self.rows if self.unit is None else int(self.unit.max(initial=-1)) + 1

    def row_numbers(self, places: Array) -> Array:
        """The numbers in the input, counted from 1, of the rows at these places."""
        return places + 1 if self.numbers is None else self.numbers[places]

    def named_rows(self, places: Array) -> str:
        """The rows at these places, as notes name them: by id where rows were matched by it, else by number.

        >>> Batch(task="regression", truth=np.zeros(3)).named_rows(np.array([0, 2]))
        'row 1, 3'
        >>> Batch(task="regression", truth=np.zeros(3), ids=np.array(["a", "b", "c"])).named_rows(np.array([0, 2]))
        'id a, c'
        """
        names = np.sort(self.row_numbers(places)) if self.ids is None else self.ids[places]
        return f"{'row' if self.ids is None else 'id'} {', '.join(map(str, names.tolist()))}"

    def part(self, where: slice) -> Batch:
        """Consecutive rows, without units and segments."""

        def cut(column: Array | None) -> Array | None:
            return None if column is None else column[where]

        return replace(
            self,
            truth=self.truth[where],
            prediction=cut(self.prediction),
            score=cut(self.score),
            weight=cut(self.weight),
            numbers=self.row_numbers(np.arange(*where.indices(self.rows))),
            ids=cut(self.ids),
            unit=None,
            time=None,
            segments={},
            identity=None,
        )

    def take(self, chosen: Array) -> Batch:
        """The rows where `chosen` is true (or at those positions), units numbered anew."""
        unit = self.unit
        if unit is not None:
            unit = np.unique(unit[chosen], return_inverse=True)[1]

        def part(column: Array | None) -> Array | None:
            return None if column is None else column[chosen]

        return replace(
            self,
            truth=self.truth[chosen],
            prediction=part(self.prediction),
            score=part(self.score),
            weight=part(self.weight),
            numbers=self.row_numbers(np.arange(self.rows)[chosen]),
            ids=part(self.ids),
            unit=unit,
            segments={name: Segment(codes=s.codes[chosen], names=s.names) for name, s in self.segments.items()},
            identity=None if self.identity is None else self.identity.take(chosen),
        )
