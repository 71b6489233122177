"""Rows of a concept from a file: attributes, and a target that says yes or no; without one, a row is a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError
from heldout.inputs.files import Source
from heldout.inputs.positives import no_like, positive_of, two_labels, yes_like
from heldout.inputs.roles import named, several_named
from heldout.inputs.wording import listed
from heldout.lab.concepts.domains import Domain
from heldout.lab.concepts.values import placed, read_rows, values_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConceptFile:
    """Rows on the domain that their own values make."""

    domain: Domain
    point: Array
    """The position of each row's point."""
    label: Array
    """1 positive, 0 negative, −1 where the target is empty: a question."""
    labels: tuple[Label, Label]
    """How the file calls the negative and the positive class."""
    target: str
    sources: tuple[Source, ...]
    notes: tuple[str, ...] = ()


def read_concept(
    path: str | Path, *, target: str, attributes: Sequence[str] | None = None, positive: Label | None = None
) -> ConceptFile:
    """The rows in a file; the domain is every combination of the values that occur."""
    table = read_rows(path)
    goal = named(table.names, target, table.place, "the target")
    chosen = several_named(table.names, list(attributes or ()), table.place, "an attribute")
    others = chosen or tuple(at for at in range(len(table.names)) if at != goal)
    if not others:
        raise DataError(
            f"{table.place} has no column beside {target!r}", code="H106", fix="give at least one attribute"
        )
    where, point = placed(table, others)
    said = values_of(table, goal, gaps=True)
    if len(said.known) > 2 or not said.known:
        has = f"{len(said.known)} classes ({listed(said.known)})" if said.known else "no label at all"
        raise DataError(f"{table.place}: {said.name} has {has}, and a concept has two", code="H104", fix=TWO)
    both = two_labels(said.known, positive)
    yes = positive_of(both, positive)
    code = np.array([both.index(label) for label in said.known])
    guessed = positive is None and not (yes_like(both[yes]) or no_like(both[1 - yes]))
    return ConceptFile(
        domain=where,
        point=point,
        label=np.where(said.codes < 0, -1, (code[said.codes] == yes).astype(np.intp)),
        labels=(both[1 - yes], both[yes]),
        target=said.name,
        sources=table.sources,
        notes=(f"{both[yes]} was taken for the positive class: --positive names another",) if guessed else (),
    )


TWO = "write yes and no, or 1 and 0; leave the target empty where a prediction is asked for"
