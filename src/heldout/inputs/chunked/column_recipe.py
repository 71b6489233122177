"""What the columns of a table in parts mean: decided once, from witness rows, and the same for every part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from heldout.batch import Array, Batch, Label, Task
from heldout.inputs.chunked.chunked_table import Piece
from heldout.inputs.chunked.label_codes import Known

KEPT = 40_000
"""No more witnesses than this travel: more labels than classes can be are refused anyway."""
ALONE = 64
"""So many witnesses of a piece keep their place, so that messages can name it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How pieces become batches."""

    task: Task
    truth: str
    prediction: str | None = None
    score: str | None = None
    chances: tuple[str, ...] = ()
    """One column of probabilities per label, in the order of `labels`."""
    weight: str | None = None
    group: str | None = None
    id: str | None = None
    segments: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()
    positive: int | None = None
    threshold: float | None = None
    """From which score on a row is predicted positive, where there is no column of predictions."""
    probabilities: bool = False
    link: str | None = None
    on_nan: str = "error"
    origin: float | None = None
    """What the targets of a regression are counted from."""
    promised: bool = False
    """Whether the name of the score promises a probability, so that another number is an error."""
    turned: bool = False
    """Whether the score is the probability of the other class."""
    truths: Known = ()
    """Values of the truth that witnesses have, and their position in `labels`."""
    predictions: Known = ()
    """The same for the prediction."""
    beside: tuple[str, ...] = ()
    """Columns of numbers that are of no use to the task, but whose rows must be complete."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What was seen in the values and may change what the columns mean; facts of two parts add up.

    >>> (Facts(rows=2, bounds={"p": (0.1, 0.2)}) + Facts(rows=3, dropped=1, bounds={"p": (0.0, 0.1)})).bounds
    {'p': (0.0, 0.2)}
    """

    rows: int = 0
    """Rows that were read, those dropped included."""
    dropped: int = 0
    """Rows left out because of a missing value."""
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Column → least and largest number, in the rows that were kept."""
    witnesses: tuple[Piece, ...] | None = None
    """Rows, as small pieces, that show what the recipe did not know: a new label, a score outside [0, 1]."""
    gaps: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Column → rows where it is missing, and rows where it is infinite."""
    decisions: bool = True
    """Whether every score is 0 or 1."""

    @property
    def kept(self) -> int:
        """Rows that count."""
        return self.rows - self.dropped

    def __add__(self, other: Facts) -> Facts:
        bounds = dict(self.bounds)
        for name, (low, high) in other.bounds.items():
            mine = bounds.get(name, (low, high))
            bounds[name] = (min(mine[0], low), max(mine[1], high))
        gaps = dict(self.gaps)
        for name, (missing, infinite) in other.gaps.items():
            before = gaps.get(name, (0, 0))
            gaps[name] = (before[0] + missing, before[1] + infinite)
        return Facts(
            rows=self.rows + other.rows,
            dropped=self.dropped + other.dropped,
            bounds=bounds,
            witnesses=_together(self.witnesses, other.witnesses),
            gaps=gaps,
            decisions=self.decisions and other.decisions,
        )


def _together(one: tuple[Piece, ...] | None, other: tuple[Piece, ...] | None) -> tuple[Piece, ...] | None:
    if one is None or other is None:
        return one if other is None else other
    return one if sum(piece.batch.num_rows for piece in one) >= KEPT else (*one, *other)


def rows_of(piece: Piece, rows: Sequence[int]) -> list[Piece]:
    """Some rows of a piece: the first ones each by itself with its place, many more all in one."""
    import pyarrow as pa

    chosen = sorted(set(rows))
    alone = [[at] for at in chosen[:ALONE]]
    # taken, not cut out: what travels is the row and not the whole piece around it
    return [
        replace(piece, batch=piece.batch.take(pa.array(some)), first=piece.first + some[0])
        for some in (*alone, chosen[ALONE:])
        if some
    ]


@dataclass(frozen=True, kw_only=True)
class Coded:
    """A piece as a batch, its units by their own names."""

    batch: Batch
    facts: Facts
    unit: Any = None
    """The group (else the id) of each row, as an Arrow array."""
    place: str = ""
    first: int = 0
    rows: Array | None = None
    """The number, counted from 0, that each row has in its file, where rows were dropped; else from `first` on."""


def coded(piece: Piece, recipe: Recipe) -> Coded:
    """The rows of a piece, coded as the recipe says.

    >>> import pyarrow as pa
    >>> rows = pa.record_batch({"y": [0, 1, 1], "p": [0.2, 0.4, 0.9]})
    >>> recipe = Recipe(task="binary", truth="y", score="p", labels=(0, 1), positive=1, threshold=0.5,
    ...     probabilities=True, truths=((0, 0), (1, 1)))
    >>> coded(Piece(batch=rows, place="preds.parquet", first=0), recipe).batch.prediction.tolist()
    [0, 0, 1]
    """
    from heldout.inputs.chunked.chunk_batch import batch_of, held

    found = held(piece, recipe)
    gaps = found.missing(recipe)
    keep = None
    if gaps:
        keep = ~np.logical_or.reduce([missing | infinite for missing, infinite in gaps.values()])
        found = found.take(keep)
    return batch_of(piece, recipe, found, gaps, keep)
