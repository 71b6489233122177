"""What is said of a value that is undefined or infinite: which rows or classes make it so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from heldout.batch import Array, Batch
from heldout.formulas import Metric
from heldout.tallies.cells import Cells


def zero_target(batch: Batch, metric: Metric) -> str | None:
    """Why a percentage error is undefined; None where no target is zero, or the metric divides by none."""
    if not {"relative_errors", "squared_relative_errors"} & set(metric.needs):
        return None
    zero = np.flatnonzero(np.any(np.atleast_2d(batch.truth.T) == 0, axis=0))
    return (
        f"row {zero[0] + 1} has a target of zero, so {metric.name} divides by zero ({len(zero)} such rows)"
        if len(zero)
        else None
    )


def _infinite(losses: Array) -> list[str]:
    rows = np.flatnonzero(np.isinf(losses))
    if not len(rows):
        return []
    named = ", ".join(str(row + 1) for row in rows[:5]) + (", …" if len(rows) > 5 else "")
    return [f"infinite (inf): row {named} gave probability 0 to what happened ({len(rows)} rows); nothing was clipped"]


def _overflow(losses: Array) -> list[str]:
    rows = np.flatnonzero(~np.isfinite(losses).all(axis=tuple(range(1, losses.ndim))))
    return [f"overflow: the squared error of row {rows[0] + 1} exceeds the largest number"] if len(rows) else []


NOT_FINITE: dict[str, Callable[[Array], list[str]]] = {
    "log_losses": _infinite,
    "squared_errors": _overflow,
    "squared_relative_errors": _overflow,
}
"""What to say of a column whose sum is not finite."""


def absent_classes(cells: Cells, batch: Batch, name: str) -> list[str]:
    """Which classes a mean over classes leaves out, or is undefined for."""
    sums = cells.sums
    unseen = [repr(batch.labels[k]) for k in np.flatnonzero(sums["tp"] + sums["fn"] == 0)]
    unsaid = [repr(batch.labels[k]) for k in np.flatnonzero(sums["tp"] + sums["fp"] == 0)]
    if name == "balanced_accuracy":
        return [f"left out, because never true: {', '.join(unseen[:5])}"] if unseen else []
    which, what = (unsaid, "predicted") if name.startswith("precision") else (unseen, "true")
    return [f"undefined, because never {what}: {', '.join(which[:5])}"] if which else []
