"""Works for the tests of engines, in a module that workers can import too."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from sklearn.naive_bayes import GaussianNB

from heldout.inputs.chunked.chunked_table import Chunk


@dataclass(frozen=True)
class Sum:
    """Rows, a count per label and the sum of the scores."""

    rows: int
    counts: np.ndarray
    score: float

    def __add__(self, other: Sum) -> Sum:
        return Sum(self.rows + other.rows, self.counts + other.counts, self.score + other.score)


def summing(chunks: Iterable[Chunk]) -> Sum:
    total = Sum(0, np.zeros(3, int), 0.0)
    for chunk in chunks:
        label = chunk.batch.column("label").to_numpy()
        score = chunk.batch.column("score").to_numpy()
        total = total + Sum(len(label), np.bincount(label, minlength=3), float(score.sum()))
    return total


def by_group(chunks: Iterable[Chunk]) -> pa.Table:
    table = pa.Table.from_batches([chunk.batch for chunk in chunks]).unify_dictionaries()
    found = pa.table({"unit": table["patient"], "rows": np.ones(len(table), int), "score": table["score"]})
    return (
        found.group_by("unit").aggregate([("rows", "sum"), ("score", "sum")]).rename_columns(["unit", "rows", "score"])
    )


@dataclass(frozen=True)
class Held:
    """A work that says which process has begun it, and then waits until a file is there: a kill surely hits it."""

    folder: str
    work: Callable[[Iterable[Chunk]], object] = summing
    driver: int = field(default_factory=os.getpid)
    """The process that asks for the work is never held, nor killed."""

    def __call__(self, chunks: Iterable[Chunk]) -> object:
        if os.getpid() != self.driver:
            waited(self.folder)
        return self.work(chunks)


def waited(folder: str) -> None:
    """Say which process is here, and wait until the file `go` is there: a kill surely hits it."""
    (Path(folder) / f"{os.getpid()}.pid").touch()
    until = time.monotonic() + 200
    while not (Path(folder) / "go").exists():
        assert time.monotonic() < until, "nobody let the work go on"
        time.sleep(0.02)


class HeldLearner(GaussianNB):
    """A learner that waits in `fit` until it is let go."""

    def __init__(self, folder: str = "") -> None:
        super().__init__()
        self.folder = folder

    def fit(self, X, y, sample_weight=None):
        waited(self.folder)
        return super().fit(X, y, sample_weight)


class FailingLearner(GaussianNB):
    """A learner that cannot learn."""

    def fit(self, *_: object) -> None:
        raise ArithmeticError("singular matrix")
