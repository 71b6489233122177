"""Configurations fitted and judged on validation parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.learners import Dataset, Effort, Predictions, Said, predictions, worked
from heldout.search.candidates import Configuration
from heldout.splits import Split

Fits = Callable[..., dict[str, list[Said]]]
"""Fits learners on splits; `all_rows=True` adds the fit to all rows."""
Measure = Callable[[str, Predictions], Array]
"""What a configuration's predictions are worth: the value on each part, nan where it is undefined."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """The rows that configurations are tried on, how they are fitted and how they are judged."""

    data: Dataset
    fits: Fits
    measure: Measure
    better: Literal["higher", "lower"]


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A configuration, and its values on the validation parts."""

    configuration: Configuration
    value: float
    """Mean over parts, each counting by its rows; nan where it is undefined on all of them."""
    values: Array = field(repr=False)
    predictions: Predictions = field(repr=False)

    @property
    def name(self) -> str:
        return self.configuration.name


def fits_counted(data: Dataset, effort: Effort, total: int) -> Fits:
    """Fits of several calls, reported as one piece of work of so many fits."""
    done = 0

    def fits(learners: Mapping[str, Any], splits: Sequence[Split], *, all_rows: bool = False) -> dict[str, list[Said]]:
        nonlocal done
        before, progress = done, effort.progress
        told = None if progress is None else lambda now, _: progress(before + now, total)
        found = worked(learners, data, splits, replace(effort, progress=told), all_rows=all_rows)
        done += len(learners) * (len(splits) + all_rows)
        return found

    return fits


def tried(
    configurations: Sequence[Configuration], work: Work, parts: Sequence[Sequence[Split]]
) -> list[tuple[Trial, ...]]:
    """Every configuration on several lists of validation parts: for each list, the trials in the order given."""
    every = [split for splits in parts for split in splits]
    said = work.fits({one.name: one.estimator for one in configurations}, every)
    edges = np.cumsum([0, *(len(splits) for splits in parts)])
    return [
        tuple(_trial(one, work, splits, said[one.name][first : first + len(splits)]) for one in configurations)
        for splits, first in zip(parts, edges, strict=False)
    ]


def _trial(one: Configuration, work: Work, splits: Sequence[Split], said: Sequence[Said]) -> Trial:
    told = predictions(work.data, splits, said)
    values = work.measure(one.name, told)
    rows = np.bincount(told.split, weights=told.batch.weight, minlength=len(splits))
    known = ~np.isnan(values)
    value = float(np.average(values[known], weights=rows[known])) if known.any() else float("nan")
    return Trial(configuration=one, value=value, values=values, predictions=told)
