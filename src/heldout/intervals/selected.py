"""The error of a configuration that was chosen by its cross-validated error: the winner's own figure is optimistic.

About this learner with the choice as part of it, at the size of the training parts; nothing is fitted again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.intervals.over_splits import folds_in
from heldout.intervals.resampling import percentile

NUMBERS_AT_ONCE = 2_000_000
"""Weights or means held in memory together: 16 MB as floats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """The error of choosing and fitting, and what the winner said of itself."""

    value: float
    low: float
    high: float
    level: float
    chosen: int
    """The configuration of least mean loss, counted from 0; the first of equals."""
    apparent: float
    """Its mean loss, on the rows that chose it."""
    method: str

    @property
    def optimism(self) -> float:
        """How much lower than the estimate the winner's own figure is."""
        return self.value - self.apparent


def bootstrap_corrected(losses: Any, level: float, *, draws: int, seed: int | None) -> Selected:
    """BBC-CV: over draws of rows, the out-of-bag mean loss of the configuration best in the bag [tsamardinos18].

    losses has a line per row and a column per configuration: out-of-fold losses. The value is the mean over draws, the
    interval their percentiles. A little pessimistic: the bag holds fewer distinct rows than there are.

    >>> coins = np.random.default_rng(0).integers(0, 2, size=(100, 50))
    >>> found = bootstrap_corrected(coins, 0.95, draws=500, seed=1)
    >>> round(found.apparent, 2), round(found.value, 2)
    (0.41, 0.53)
    """
    given = _table(losses)
    rows, configurations = given.shape
    rng = np.random.default_rng(seed)
    chunk = max(1, NUMBERS_AT_ONCE // max(rows, configurations))
    blocks = [_out_of_bag(given, min(chunk, draws - done), rng) for done in range(0, draws, chunk)]
    found = np.concatenate(blocks)
    low, high = percentile(found, level)
    means = given.mean(axis=0)
    return Selected(
        value=float(np.nanmean(found)), low=low, high=high, level=level, chosen=int(means.argmin()),
        apparent=float(means.min()), method="bootstrap bias corrected cross-validation",
    )  # fmt: skip


def tibshirani(losses: Any, folds: Any) -> Selected:
    """Min mean loss + mean over folds of e_k(chosen) - min e_k, e_k the mean losses in fold k [tibshirani09].

    No interval. Far too pessimistic with small folds: leave-one-out can double the error.

    >>> found = tibshirani([[0, 1], [0, 1], [1, 0], [0, 0]], [0, 0, 1, 1])
    >>> found.chosen, found.apparent, found.value
    (0, 0.25, 0.5)
    """
    given = _table(losses)
    _, place, sizes = folds_in(folds, len(given))
    sums = np.zeros((len(sizes), given.shape[1]))
    np.add.at(sums, place, given)
    errors, means = sums / sizes[:, None], given.mean(axis=0)
    chosen = int(means.argmin())
    bias = float(np.mean(errors[:, chosen] - errors.min(axis=1)))
    return Selected(
        value=float(means[chosen]) + bias, low=float("nan"), high=float("nan"), level=float("nan"), chosen=chosen,
        apparent=float(means[chosen]), method="Tibshirani and Tibshirani",
    )  # fmt: skip


def _out_of_bag(given: Array, draws: int, rng: np.random.Generator) -> Array:
    """Of every draw the out-of-bag loss of what is best in the bag; nan where every row is in it."""
    rows = len(given)
    counts = rng.multinomial(rows, np.full(rows, 1 / rows), size=draws)
    best = np.argmin(counts @ given, axis=1)
    out = counts == 0
    left = out.sum(axis=1)
    sums = np.einsum("br,rb->b", out, given[:, best])
    found: Array = np.where(left > 0, sums / np.maximum(left, 1), np.nan)
    return found


def _table(losses: Any) -> Array:
    given = np.asarray(losses, float)
    if given.ndim != 2 or given.shape[0] < 2 or given.shape[1] < 1:
        shape = " x ".join(map(str, given.shape)) or "one number"
        fix = "give a line per row and a column per configuration"
        raise DataError(f"the losses are {shape}, not a table", code="H112", fix=fix)
    bad = np.argwhere(~np.isfinite(given))
    if len(bad):
        row, column = (bad[0] + 1).tolist()
        message = f"the loss of row {row} under configuration {column} is {given[row - 1, column - 1]:g}"
        raise DataError(message, code="H305", fix="give the out-of-fold loss of every row under every configuration")
    return given
