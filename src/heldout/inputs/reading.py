"""What reading gives: a batch, the columns it came from, and what was noticed on the way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from heldout.batch import Array, Batch, Label
from heldout.errors import UsageError
from heldout.inputs.formats.files import Source

ColumnName = str | Sequence[str] | None
"""One column, several (a list, or one text with commas between the names), or None: found by its usual name."""


class ColumnOptions(TypedDict, total=False):
    """Options that name the columns of a table; a role without one is found by its usual names."""

    truth: ColumnName
    pred: ColumnName
    score: str | None
    prob_prefix: str | None
    """What the columns of class probabilities start with, such as `p_`."""
    group: str | None
    weight: str | None
    id: str | None
    time: str | None
    series: str | None
    segments: Sequence[str]


class ReadOptions(ColumnOptions, total=False):
    """Options of `read`: the names of the columns, and what their values mean."""

    positive: Label | None
    labels: Sequence[Label] | None
    threshold: float | None
    task: str | None
    on_nan: str
    link: str | None
    clip: float | None
    horizon: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What the caller decided about the meaning of the values."""

    positive: Label | None = None
    labels: Sequence[Label] | None = None
    threshold: float | None = None
    task: str | None = None
    on_nan: str = "error"
    link: str | None = None
    clip: float | None = None
    """Least probability that log losses count."""
    doubts: bool = True
    """Whether values that may not mean what they are given for are an error, rather than a note."""
    as_sorted: bool = False
    """Whether scores of classes without names are in sorted order, though `labels` are given in another."""
    horizon: int | None = None
    """Steps ahead of the forecasts, where rows have times."""
    of: float | None = None
    """Number of rows of the whole table, where only a sample of its rows is read; checks of all rows are then left to
    the caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Something that was noticed in the data and did not stop the reading: a code and a sentence."""

    code: str
    text: str
    labels: bool = False
    """Whether it concerns only metrics of predicted labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A batch, with everything a result reports about how it was read."""

    batch: Batch
    columns: dict[str, str] = field(default_factory=dict)
    """Role → name of the column that has it."""
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()
    threshold: float | None = None
    """Score from which a row is predicted positive; None where predictions were given, or there are none."""
    ids: Array | None = None
    contents: Array | None = None
    """A hash of what each row asks, of evaluation logs: rows of two logs are the same where it is."""
    rows: Array | None = None
    """Number of each row in the input, counted from 1, where rows were dropped."""
    dated: tuple[str, ...] = ()
    """Columns that hold dates and have no role."""
    as_sorted: tuple[Label, ...] = ()
    """The classes in sorted order, where scores of classes have no names and come in this order."""
    unused: tuple[str, ...] = ()
    """The threshold or the link, where it was given and there are no scores for it."""


def refuse_unused(readings: Iterable[Reading]) -> None:
    """Raise if a threshold or a link was given and no model has scores."""
    readings = tuple(readings)
    for name in dict.fromkeys(name for one in readings for name in one.unused):
        if all(name in one.unused for one in readings):
            given = readings[0].columns.get("pred", "y_pred")
            fix = "leave it out, or name the scores: --score (y_score=)"
            raise UsageError(f"the {name} has no effect: {given} holds predictions, and there are no scores", fix=fix)
