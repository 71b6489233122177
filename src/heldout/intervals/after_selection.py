"""The error of a configuration that was chosen by its cross-validated error: the winner's own figure is optimistic.

About this learner with the choice as part of it, at the size of the training parts; nothing is fitted again.
"""

from __future__ import annotations

from collections.abc import Callable
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


def bootstrap_corrected(
    losses: Any, level: float, *, draws: int, seed: int | None, weight: Any = None, unit: Any = None
) -> Selected:
    """BBC-CV: over resamples of rows, the out-of-bag mean loss of the configuration best in the bag [tsamardinos18].

    losses has a line per row and a column per configuration: out-of-fold losses. The value is the mean over draws, the
    interval their percentiles. A little pessimistic: the bag holds fewer distinct rows than there are. Rows of one
    `unit` (whole numbers from 0) are drawn together.

    >>> coins = np.random.default_rng(0).integers(0, 2, size=(100, 50))
    >>> found = bootstrap_corrected(coins, 0.95, draws=500, seed=1)
    >>> round(found.apparent, 2), round(found.value, 2)
    (0.41, 0.53)
    """
    given = _table(losses)
    mass = np.ones(len(given)) if weight is None else np.asarray(weight, float)
    sums = given * mass[:, None]
    if unit is not None:
        place = np.asarray(unit)
        sums = np.stack([np.bincount(place, weights=column) for column in sums.T], axis=1)
        mass = np.bincount(place, weights=mass)
    return over_bags(lambda block: (block @ sums) / (block @ mass)[:, None], len(mass), level, draws=draws, seed=seed)


def over_bags(losses: Callable[[Array], Array], units: int, level: float, *, draws: int, seed: int | None) -> Selected:
    """BBC-CV of any loss: over resamples of units, the out-of-bag loss of what is best in the bag [tsamardinos18].

    `losses` of a table that tells in every line how often each unit counts has a column per configuration.

    >>> right = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 1.0]])
    >>> over_bags(lambda block: 1 - (block @ right) / block.sum(axis=1)[:, None], 4, 0.95, draws=100, seed=0).apparent
    0.25
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        own = losses(np.ones((1, units)))[0]
        rng = np.random.default_rng(seed)
        chunk = max(1, NUMBERS_AT_ONCE // max(units, len(own)))
        blocks = [_out_of_bag(losses, units, min(chunk, draws - done), rng) for done in range(0, draws, chunk)]
    found = np.concatenate(blocks)
    low, high = percentile(found, level)
    known = np.where(np.isnan(own), np.inf, own)
    return Selected(
        value=float(np.nanmean(found)) if np.isfinite(found).any() else float("nan"), low=low, high=high, level=level,
        chosen=int(known.argmin()), apparent=float(known.min()), method="bootstrap bias corrected cross-validation",
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


def _out_of_bag(losses: Callable[[Array], Array], units: int, draws: int, rng: np.random.Generator) -> Array:
    """Of every resample the out-of-bag loss of what is best in the bag; nan where every unit is in it."""
    counts = rng.multinomial(units, np.full(units, 1 / units), size=draws)
    inside, out = losses(counts.astype(float)), losses((counts == 0).astype(float))
    best = np.argmin(np.where(np.isnan(inside), np.inf, inside), axis=1)
    found: Array = out[np.arange(draws), best]
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
