"""What the door hands on: a batch, what was found on the way to it, and where it came from."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from heldout.batch import Array, Batch, Label
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.inputs.columns.column import Column
from heldout.inputs.formats.files import Source

TASKS = ("binary", "multiclass", "multilabel", "regression")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Something the reader noticed and went on with: a code and a sentence."""

    code: str
    text: str
    labels: bool = False
    """Whether it only matters to metrics of decided labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A batch, and everything to echo about how it was read."""

    batch: Batch
    columns: dict[str, str]
    """Role → column name as found."""
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()
    threshold: float | None = None
    """From which score on a row was predicted positive; None where predictions were given, or there are none."""
    ids: Array | None = None
    rows: Array | None = None
    """The number, counted from 1, that each row has in the input, where rows were dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What the caller decided about the meaning of the columns."""

    positive: Label | None = None
    labels: Sequence[Label] | None = None
    threshold: float | None = None
    task: str | None = None
    on_nan: str = "error"
    link: str | None = None
    of: float | None = None
    """How many rows there are, where those read are witnesses only: what all rows together tell is left to others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Columns by role, before any decision about what they mean."""

    door: Literal["table", "arrays"]
    place: str = ""
    """How messages call the source; empty for arrays."""
    truth: tuple[Column, ...]
    prediction: tuple[Column, ...] = ()
    score: Column | None = None
    classes: Mapping[str, Column] = field(default_factory=dict)
    """Scores by the class they name (arrays: by the position of the class)."""
    prefix: str = ""
    probability: bool = False
    """Whether the name of the score promises a probability."""
    targets: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    id: Column | None = None
    group: Column | None = None
    weight: Column | None = None
    segments: tuple[Column, ...] = ()
    asked: frozenset[str] = frozenset()
    """Roles the caller named."""
    rows: Array | None = None
    """The number each row had in the input, where rows were dropped."""
    first: int = 0
    """How many rows of the input come before."""

    def row(self, at: int) -> int:
        """The number, counted from 1, that a row has in the input."""
        return int(at) + 1 + self.first if self.rows is None else int(self.rows[at])

    def columns(self) -> tuple[Column, ...]:
        """Every column in use that must have a value in every row."""
        beside = (self.score, self.weight, self.group, self.id)
        return (*self.truth, *self.prediction, *self.classes.values(), *(c for c in beside if c is not None))

    def take(self, keep: Array) -> Parts:
        def part(column: Column | None) -> Column | None:
            return None if column is None else column.take(keep)

        return replace(
            self,
            truth=tuple(c.take(keep) for c in self.truth),
            prediction=tuple(c.take(keep) for c in self.prediction),
            score=part(self.score),
            classes={name: c.take(keep) for name, c in self.classes.items()},
            weight=part(self.weight),
            group=part(self.group),
            id=part(self.id),
            segments=tuple(c.take(keep) for c in self.segments),
        )


FLAGS = {
    "positive": "pos_label",
    "score": "y_score",
    "pred": "y_pred",
    "group": "groups",
    "truth": "y_true",
    "weight": "sample_weight",
}
"""What an option of the command line is called where arrays come in."""


def option(parts: Parts, name: str, value: Any = None) -> str:
    """An option as the caller would write it: `--positive no` for a table, `pos_label='no'` for arrays."""
    if parts.door == "arrays":
        return f"{FLAGS.get(name, name)}={'…' if value is None else repr(value)}"
    flag = f"--{name.replace('_', '-')}"
    return flag if value is None else f"{flag} {shlex.quote(str(value))}"


def fault(parts: Parts, message: str, *, code: str, fix: str) -> DataError:
    """An error about these columns, with the name of their source in front."""
    return DataError(f"{parts.place}: {message}" if parts.place else message, code=code, fix=fix)


def checked(choices: Choices) -> Choices:
    """The choices, if each is one of those that exist."""
    known: dict[str, tuple[Any, Sequence[str]]] = {
        "task": (choices.task, TASKS),
        "on_nan": (choices.on_nan, ("error", "drop")),
        "link": (choices.link, ("logit",)),
    }
    for name, (value, allowed) in known.items():
        if value is not None and value not in allowed:
            hint = did_you_mean(str(value), allowed)
            raise UsageError(f"{name} {value!r} is not known{hint}", fix=f"choose one of {', '.join(allowed)}")
    return choices
