"""Whether the test rows are like the training data, or like the rows of an earlier test."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.inputs import Check, Reading
from heldout.inputs.checks.train_overlap import TIMES, rows_coded
from heldout.inputs.columns.column_names import NAMES, find_column, plain_name
from heldout.inputs.columns.column_values import Column, positions
from heldout.inputs.columns.time_column import holds_dates
from heldout.inputs.formats.files import Table, exists
from heldout.inputs.formats.frames import table
from heldout.learners.training_data import values_in
from heldout.stats.distribution_shift import Shift, shift_checks, shifts
from heldout.verbs.settings import Settings

Role = Literal["train", "reference"]
SAID = {"train": ("pred", "score")}
"""Roles that are not compared: what a model says of the rows it was fitted to differs from what it says of others."""
WORDS = {"train": "the training rows", "reference": "the reference rows"}


@dataclass(frozen=True, kw_only=True)
class ShiftFrom:
    """How the test rows differ from other rows: every column that both have, and all together."""

    role: Role
    place: str
    columns: tuple[Shift, ...]
    whole: Shift
    alpha: float
    """The chance that any difference is called significant where there is none."""
    rows: tuple[int, int]
    """Rows that were compared: of the other file, and of the test; one of each cluster."""

    @property
    def changed(self) -> tuple[Shift, ...]:
        """The columns that differ significantly."""
        return tuple(one for one in self.columns if one.adjusted < self.alpha)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "role": self.role,
            "place": self.place,
            "alpha": self.alpha,
            "rows": list(self.rows),
            "columns": [one.to_dict() for one in self.columns],
            "classifier": self.whole.to_dict(),
        }


def shift_from(
    role: Role, test_source: Any, other_source: Any, reading: Reading, asked: Settings
) -> tuple[ShiftFrom | None, tuple[Check, ...]]:
    """The comparison of the test rows with other rows, and a note where they differ or cannot be compared.

    Ids, clusters, weights and times are not compared: they differ by design. Of clusters one row each is compared,
    because tests of two samples take rows for independent.
    """
    against = WORDS[role]
    if "time" in reading.columns:
        text = f"not checked whether the test rows are like {against}: rows in time order depend on each other"
        return None, (Check(code="H205", text=text),)
    test, other = table(test_source), table(other_source)
    names = _compared(test, other, reading, role)
    if not names:
        text = f"not checked whether the test rows are like {against}: {other.place} shares no column with them"
        return None, (Check(code="H205", text=text),)
    if _same_rows(test, other, names):
        text = f"not checked whether the test rows are like {against}: {other.place} has the same rows as the test"
        return None, (Check(code="H205", text=text),)
    group = reading.columns.get("group")
    ours, theirs = (_one_of_each(side, names, group, asked.seed) for side in (test, other))
    alpha = round(1 - asked.level, 12)
    found = shifts(theirs, ours, seed=asked.seed, level=asked.level)
    if not found:
        return None, ()
    made = ShiftFrom(
        role=role,
        place=other.place,
        columns=tuple(found[:-1]),
        whole=found[-1],
        alpha=alpha,
        rows=(len(next(iter(theirs.values()))), len(next(iter(ours.values())))),
    )
    called = f"{against} ({other.place})"
    return made, shift_checks(found, alpha=alpha, target=reading.columns.get("truth", ""), against=called)


def _same_rows(test: Table, other: Table, names: list[str]) -> bool:
    """Whether the other rows are the test rows: the same file, or the same values in several columns, in any order."""
    paths = [side.sources[0].path for side in (test, other) if len(side.sources) == 1 and side.sources[0].path != "-"]
    if len(paths) == 2 and all(exists(path) for path in paths) and Path(paths[0]).samefile(paths[1]):
        return True
    if len(names) < 2 or len(test.raw[0]) != len(other.raw[0]):
        return False
    ours, theirs = rows_coded(test, other, names)
    return bool(np.array_equal(np.sort(ours), np.sort(theirs)))


def _compared(test: Table, other: Table, reading: Reading, role: Role) -> list[str]:
    """Columns of both tables that are not there to name, to weigh or to order rows."""
    left_out = {reading.columns.get(name, "") for name in ("group", "weight", "series", "fold", *SAID.get(role, ()))}
    left_out |= {name for known in (NAMES["id"], TIMES) for name in test.names if plain_name(name) in known}
    theirs = set(other.names)
    return [
        name
        for at, name in enumerate(test.names)
        if name in theirs
        and name not in left_out
        and name != reading.columns.get("id", "")
        and test.raw[at] is not None
        and not holds_dates(test.raw[at])
    ]


def _one_of_each(side: Table, names: list[str], group: str | None, seed: int) -> Mapping[str, Array]:
    """The named columns; where there are clusters, of one row drawn from each."""
    columns: dict[str, Array] = {}
    for name in names:
        with suppress(DataError):  # lists and the like are not compared
            columns[name] = values_in(_column(side, name))
    at = None if group is None else find_column(side.names, [group], side.place)
    if at is None:
        return columns
    codes = positions(side.column(at))[1]
    order = np.random.default_rng([seed, 33]).permutation(len(codes))
    _, first = np.unique(codes[order], return_index=True)
    chosen = np.sort(order[first])
    return {name: values[chosen] for name, values in columns.items()}


def _column(side: Table, name: str) -> Column:
    return side.column(side.names.index(name))
