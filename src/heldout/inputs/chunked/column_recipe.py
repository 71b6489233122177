"""The recipe by which chunks become batches: inferred once, from sample rows, and the same for every chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from heldout.batch import Array, Batch, Label, Task
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.label_codes import KnownValues
from heldout.inputs.columns.column_values import ArrowArray

MOST_NEW_ROWS = 40_000
"""Number of new rows that facts keep: more labels than classes can be are refused anyway."""
ALONE = 64
"""Number of picked rows that keep their row number, so that messages can name it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How chunks become batches."""

    task: Task
    truth: str
    prediction: str | None = None
    score: str | None = None
    class_scores: tuple[str, ...] = ()
    """One column of probabilities per label, in the order of `labels`."""
    weight: str | None = None
    group: str | None = None
    id: str | None = None
    segments: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()
    positive: int | None = None
    threshold: float | None = None
    """Score from which a row is predicted positive, where there is no column of predictions."""
    probabilities: bool = False
    link: str | None = None
    clip: float = 0.0
    on_nan: str = "error"
    origin: float | None = None
    """Number that is subtracted from the targets of a regression, to keep the digits of large ones."""
    must_be_probability: bool = False
    """Whether the name of the score says that it is a probability, so that another number is an error."""
    of_negative: bool = False
    """Whether the score is the probability of the negative class."""
    truths: KnownValues = ()
    """Values of the truth in the sample, and their position in `labels`."""
    predictions: KnownValues = ()
    """Values of the prediction in the sample, and their position in `labels`."""
    unused: tuple[str, ...] = ()
    """Scores that the task has no use for, but which must not be missing."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What was seen in the values and may change the recipe; `a + b` are the facts of both.

    >>> (Facts(rows=2, bounds={"p": (0.1, 0.2)}) + Facts(rows=3, dropped=1, bounds={"p": (0.0, 0.1)})).bounds
    {'p': (0.0, 0.2)}
    """

    rows: int = 0
    """Rows that were read, including those dropped."""
    dropped: int = 0
    """Rows that were dropped because a value is missing."""
    weightless: int = 0
    """Rows that were left out because they weigh nothing."""
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Column → smallest and largest number in the rows that were kept."""
    new_rows: tuple[Chunk, ...] | None = None
    """Rows that show something the recipe does not know: a new label, or a score outside [0, 1]."""
    gaps: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Column → number of rows where it is missing, and where it is infinite."""
    decisions: bool = True
    """Whether every score is 0 or 1."""

    @property
    def kept(self) -> int:
        """Rows that were not left out."""
        return self.rows - self.dropped - self.weightless

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
            weightless=self.weightless + other.weightless,
            bounds=bounds,
            new_rows=_both(self.new_rows, other.new_rows),
            gaps=gaps,
            decisions=self.decisions and other.decisions,
        )


def _both(one: tuple[Chunk, ...] | None, other: tuple[Chunk, ...] | None) -> tuple[Chunk, ...] | None:
    if one is None or other is None:
        return one if other is None else other
    return one if sum(chunk.batch.num_rows for chunk in one) >= MOST_NEW_ROWS else (*one, *other)


def pick_rows(chunk: Chunk, rows: Sequence[int]) -> list[Chunk]:
    """Some rows of a chunk: the first ones each as a chunk with its row number, all others as one chunk."""
    import pyarrow as pa

    chosen = sorted(set(rows))
    alone = [[at] for at in chosen[:ALONE]]
    # `take` copies: a slice would keep the whole chunk alive and send it between processes
    return [
        replace(chunk, batch=chunk.batch.take(pa.array(some)), first=chunk.first + some[0])
        for some in (*alone, chosen[ALONE:])
        if some
    ]


@dataclass(frozen=True, kw_only=True)
class CodedChunk:
    """A chunk as a batch, with its units by name."""

    batch: Batch
    facts: Facts
    unit: ArrowArray | None = None
    """The group (else the id) of each row."""
    place: str = ""
    first: int = 0
    rows: Array | None = None
    """Number of each row in its file, counted from 0, where rows were dropped; else they count from `first`."""


def code_chunk(chunk: Chunk, recipe: Recipe) -> CodedChunk:
    """Code the rows of a chunk by the recipe.

    >>> import pyarrow as pa
    >>> rows = pa.record_batch({"y": [0, 1, 1], "p": [0.2, 0.4, 0.9]})
    >>> recipe = Recipe(task="binary", truth="y", score="p", labels=(0, 1), positive=1, threshold=0.5,
    ...     probabilities=True, truths=((0, 0), (1, 1)))
    >>> code_chunk(Chunk(batch=rows, place="preds.parquet", first=0), recipe).batch.prediction.tolist()
    [0, 0, 1]
    """
    from heldout.inputs.chunked.chunk_batch import coded_arrays, column_arrays

    arrays = column_arrays(chunk, recipe)
    gaps = arrays.missing(recipe)
    keep = None
    if gaps:
        keep = ~np.logical_or.reduce([missing | infinite for missing, infinite in gaps.values()])
    if recipe.weight is not None and arrays.bounds[recipe.weight][0] <= 0:  # a negative weight is an error below
        weightless = arrays.numbers[recipe.weight] == 0
        keep = ~weightless if keep is None else keep & ~weightless
    if keep is not None:
        arrays = arrays.take(keep)
    return coded_arrays(chunk, recipe, arrays, gaps, keep)
