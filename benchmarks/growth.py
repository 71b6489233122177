"""Growth: our time at more and more rows, and the power of the rows that it grows with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.ratios import FEW
from benchmarks.task import Task
from benchmarks.turns import take_turns

SIZES = (10**4, 10**5, 10**6, 10**7)
TOO_LONG = 60.0
"""Seconds; a size that would take longer is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """Our times at several sizes."""

    task: str
    title: str
    rows: tuple[int, ...]
    seconds: tuple[float, ...]
    exponent: float | None
    """Over all sizes; what a call costs at any size pulls it below the last one."""
    last_exponent: float | None
    """Between the two largest sizes."""
    left_out: tuple[int, ...]
    """Sizes that would have taken too long."""


def growth(task: Task, *, sizes: Sequence[int], budget: float, rounds: int) -> Growth:
    """Our times at rising sizes, up to the first that would take too long."""
    if task.ours is None:
        raise ValueError(f"task {task.name} has nothing of ours to time")
    task.ours(task.data(FEW))
    rows: list[int] = []
    seconds: list[float] = []
    for size in sizes:
        if seconds and seconds[-1] * size / rows[-1] > TOO_LONG:
            break
        call = partial(task.ours, task.data(size))
        rows.append(size)
        seconds.append(take_turns({"ours": call}, budget=budget, rounds=rounds)["ours"].seconds)
    return Growth(
        task=task.name,
        title=task.title,
        rows=tuple(rows),
        seconds=tuple(seconds),
        exponent=exponent(rows, seconds),
        last_exponent=exponent(rows[-2:], seconds[-2:]),
        left_out=tuple(sizes[len(rows) :]),
    )


def exponent(rows: Sequence[int], seconds: Sequence[float]) -> float | None:
    """Slope of log seconds over log rows by least squares: seconds ≈ c · rows^slope; None for fewer than two sizes.

    >>> round(exponent([10, 100, 1000], [0.1, 1.0, 10.0]), 12)
    1.0
    """
    if len(rows) < 2:
        return None
    across, up = np.log(rows), np.log(seconds)
    across = across - across.mean()
    return float(across @ up / (across @ across))
