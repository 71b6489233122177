"""A joint table from a file: a line per point and class, a column per class, or rows of data to be counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError, UsageError
from heldout.inputs.columns.column_names import find_column, first_twice, named_column, named_columns
from heldout.inputs.columns.number_parsing import numbers
from heldout.inputs.formats.files import Source, Table
from heldout.inputs.message_text import listed, names_listed, quoted
from heldout.lab.concepts.concept_rows import Values, placed, read_rows, values_of
from heldout.lab.concepts.domains import Domain
from heldout.lab.concepts.joint_table import JointTable, joint_table, told, x_marginal
from heldout.lab.concepts.table_estimates import counted, counting_estimate

P_NAMES = ("p", "prob", "probability", "p(x,c)", "count", "counts", "n", "rows", "freq", "frequency")
CLASS_NAMES = ("class", "c", "label", "y", "target", "truth", "y_true")
NEARLY = 0.001
"""Probabilities that miss one by less than this were rounded when they were written."""
FORM = "write columns for the attributes, a column `class` and a column `p` or `count`"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableFile:
    """What a file says: the table, its counts where it holds counts, and classifiers that stand beside it."""

    world: JointTable
    counts: Array | None
    classifiers: dict[str, Array]
    """For each point the position of the class that is said, −1 where the file says nothing."""
    listed: Array
    """Which points of the domain the file has."""
    columns: dict[str, list[str]]
    kind: str
    """probabilities, counts or rows"""
    sources: tuple[Source, ...]
    notes: tuple[str, ...]


def read_table(
    path: str | Path,
    *,
    attributes: Sequence[str] | None = None,
    target: str | None = None,
    p: str | None = None,
    wide: bool = False,
    classifiers: Sequence[str] = (),
    smoothing: float = 0.0,
) -> TableFile:
    """The joint table in a file; attributes that are not named but left out are summed over."""
    table = read_rows(path)
    form = _form(table, attributes=attributes, target=target, p=p, wide=wide, classifiers=classifiers)
    where, point = placed(table, form.attributes)
    classes, amounts = _amounts(table, form, point, where)
    kind, world, notes = _world(table.place, amounts, where, classes, smoothing, rows=form.p is None and not form.wide)
    said = {
        table.names[at].strip(): _classifier(table, at, point, world)
        for at in form.classifiers
    }  # fmt: skip
    seen = np.zeros(where.points, dtype=bool)
    seen[point] = True
    return TableFile(
        world=world,
        counts=None if kind == "probabilities" else amounts,
        classifiers=said,
        listed=seen,
        columns=form.named(table.names),
        kind=kind,
        sources=table.sources,
        notes=notes,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Which column of a file plays which part, as positions."""

    attributes: tuple[int, ...]
    target: int | None
    p: int | None
    wide: tuple[int, ...]
    """The columns of a wide table that are classes."""
    classifiers: tuple[int, ...]

    def named(self, names: Sequence[str]) -> dict[str, list[str]]:
        parts = {
            "attributes": self.attributes,
            "class": () if self.target is None else (self.target,),
            "p": () if self.p is None else (self.p,),
            "classes": self.wide,
            "classifiers": self.classifiers,
        }
        return {part: [names[at].strip() for at in where] for part, where in parts.items()}


def _form(
    table: Table,
    *,
    attributes: Sequence[str] | None,
    target: str | None,
    p: str | None,
    wide: bool,
    classifiers: Sequence[str],
) -> Form:
    names, place = table.names, table.place
    said = named_columns(names, list(classifiers), place, "a classifier")
    chosen = named_columns(names, list(attributes or ()), place, "an attribute")
    taken = (*said, *chosen)
    if wide and (target is not None or p is not None):
        option = "--class" if target is not None else "--p"
        raise UsageError(f"--wide and {option} exclude each other", fix="a wide table has one column per class")
    goal = (
        None
        if wide
        else find_column(names, CLASS_NAMES, place, taken)
        if target is None
        else named_column(names, target, place, "the class")
    )
    if goal is None:
        return _wide(table, chosen, said, p)
    amount = (
        find_column(names, P_NAMES, place, (*taken, goal))
        if p is None
        else named_column(names, p, place, "the probability")
    )
    others = tuple(at for at in range(len(names)) if at not in (*said, goal, amount))
    if not others:
        raise DataError(f"{place} has no column for an attribute: {names_listed(names)}", code="H106", fix=FORM)
    return Form(attributes=chosen or others, target=goal, p=amount, wide=(), classifiers=said)


def _wide(table: Table, chosen: tuple[int, ...], said: tuple[int, ...], p: str | None) -> Form:
    """One column per class: the others are attributes, the first column where none is named."""
    first = chosen or (next(at for at in range(len(table.names)) if at not in said),)
    classes = tuple(at for at in range(len(table.names)) if at not in (*first, *said))
    if p is not None or len(classes) < 2:
        raise DataError(
            f"{table.place} has no column for the class: its columns are {names_listed(table.names)}; "
            f"looked for {', '.join(CLASS_NAMES[:5])}",
            code="H106",
            fix="name it with --class, or give a wide table with one column per class",
        )
    return Form(attributes=first, target=None, p=None, wide=classes, classifiers=said)


def _amounts(table: Table, form: Form, point: Array, where: Domain) -> tuple[tuple[Label, ...], Array]:
    """The classes, and what the file holds for each point and class, added up."""
    if form.wide:
        classes: tuple[Label, ...] = tuple(table.names[at].strip() for at in form.wide)
        twice = first_twice([str(name) for name in classes])
        if twice is not None:
            raise DataError(f"{table.place} has the class {quoted(twice)} twice", code="H106", fix="name each once")
        cells = np.column_stack([_numbers(table, at) for at in form.wide])
        rows = np.repeat(point, len(classes)), np.tile(np.arange(len(classes)), len(point))
        return classes, counted(rows, where, classes, cells.ravel())
    assert form.target is not None
    goal = values_of(table, form.target)
    weight = None if form.p is None else _numbers(table, form.p)
    return goal.known, counted((point, goal.codes), where, goal.known, weight)


def _numbers(table: Table, at: int) -> Array:
    """Numbers that may be probabilities or counts: there, and zero or more."""
    name = table.names[at].strip()
    try:
        values = numbers(table.column(at, name))
    except DataError as error:
        raise DataError(f"{table.place}: {error.message}", code=error.code, fix=error.fix) from error
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(wrong):
        shown = f"{values[wrong[0]]:g}" if np.isfinite(values[wrong[0]]) else "missing or infinite"
        raise DataError(
            f"{table.place}: {name} is {shown} in row {wrong[0] + 1}, which is neither a probability nor a count",
            code="H306",
            fix="write a number from 0 up in every row",
        )
    return values


def _world(
    place: str, amounts: Array, where: Domain, classes: Sequence[Label], smoothing: float, *, rows: bool
) -> tuple[str, JointTable, tuple[str, ...]]:
    """What the numbers are, the table they make, and what was done to them."""
    total = float(amounts.sum())
    if rows or ((amounts == np.rint(amounts)).all() and total != 1):
        found = counting_estimate(amounts, where, classes, smoothing=smoothing)
        return "rows" if rows else "counts", found, ()
    if smoothing:
        raise UsageError("--smoothing adds rows to counts, but the table holds probabilities", fix="give counts")
    if abs(total - 1) > NEARLY:
        raise DataError(
            f"{place}: the probabilities add up to {total:.6g}, and a joint table adds up to 1",
            code="H306",
            fix="give p(x, c) of every point with every class (not p(c|x)), or whole counts",
        )
    notes = () if abs(total - 1) < 1e-9 else (f"the probabilities add up to {total:.9g} and were divided by that",)
    return "probabilities", joint_table(amounts / total, classes=classes, domain=where), notes


def _classifier(table: Table, at: int, point: Array, world: JointTable) -> Array:
    """What a column says of each point: one class, the same in all rows of a point."""
    said: Values = values_of(table, at)
    strange = [label for label in said.known if str(label) not in map(str, world.classes)]
    if strange:
        raise DataError(
            f"{table.place}: {said.name} says {listed(strange)}, not among the classes {listed(world.classes)}",
            code="H107",
            fix="spell the classes as in the table",
        )
    names = [str(label) for label in world.classes]
    position = np.array([names.index(str(label)) for label in said.known])[said.codes]
    first = np.full(world.domain.points, -1)
    first[point[::-1]] = position[::-1]
    differs = np.flatnonzero(first[point] != position)
    if len(differs):
        row = int(differs[0])
        one, other = (quoted(world.classes[int(code)]) for code in (first[point[row]], position[row]))
        raise DataError(
            f"{table.place}: {said.name} says both {one} and {other} of {told(world.domain, int(point[row]))}",
            code="H107",
            fix="a classifier says one class of each point",
        )
    silent = np.flatnonzero((first < 0) & (x_marginal(world) > 0))
    if len(silent):
        raise DataError(
            f"{table.place}: {said.name} says nothing of {told(world.domain, int(silent[0]))}, which can come",
            code="H107",
            fix="give a row for every point, or leave out --smoothing",
        )
    return first
