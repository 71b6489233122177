"""What a version space says, as a result: the trace, what is left, what it agrees on, what is left to the search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array
from heldout.lab.concepts.concept_rows import ConceptFile, known_concept, order_notes
from heldout.lab.concepts.hypotheses import Space
from heldout.lab.concepts.version_space import (
    Order,
    VersionSpace,
    borders,
    contradicting_rows,
    empty_because,
    first_found,
    list_then_eliminate,
    unanimous,
    unanimous_coverage,
    votes,
    wrong_rows,
)
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.plot import Plot

MOST_TRACED = 1_000
"""Rows that are all in the trace; of more, those that struck nothing out are left out."""
MOST_WORDS = 100
"""Hypotheses that are spelled out; the rest are counted."""
SHORT_TRACE = "the trace has only the rows that struck a hypothesis out"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class VersionSpaceResult(Result):
    """What a version space says: the trace, what is left, what it agrees on, what is left to the search."""

    kind = "version-space"

    facts: Mapping[str, Any]
    found: VersionSpace
    concept: Array | None = None
    """Whether each point belongs to the concept, where it is known."""

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return dict(self.facts)

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """The instance space of one or two attributes, and how many hypotheses were left after each row."""
        from heldout.lab.concepts.version_space_charts import version_space_charts

        return version_space_charts(self.found, d, self.concept)


def version_space_result(
    read: ConceptFile, space: Space, *, order: Order = "specific", concept: str | None = None
) -> VersionSpaceResult:
    """The trace of list-then-eliminate, what is left, what it agrees on, and what is left to the search."""
    rows = np.flatnonzero(read.label >= 0)
    found = list_then_eliminate(space, read.point[rows], read.label[rows] == 1)
    wrong = wrong_rows(space, found.point, found.label)
    chosen = first_found(found, order)
    members = None if concept is None else known_concept(concept, read.domain)
    facts = {
        "target": read.target,
        "attributes": list(read.domain.attributes),
        "negative": read.labels[0],
        "positive": read.labels[1],
        "space": space.name,
        "size": space.size,
        "points": read.domain.points,
        "rows": len(rows),
        "trace": trace(read, found, rows),
        "consistent": len(found.kept),
        "empty": emptiness(found, rows),
        "fewest_wrong": {"rows": int(wrong.min()), "hypothesis": space.words(int(wrong.argmin()))},
        **border_words(found),
        "search": None if chosen is None else search(found, chosen, order),
        "unanimous": agreement(found),
        "questions": questions(read, found, chosen),
        "notes": [
            *read.notes,
            *order_notes(read.domain, space.name),
            *([SHORT_TRACE] if len(rows) > MOST_TRACED else []),
            *([] if members is None else [concept_note(found, members)]),
        ],
    }
    return VersionSpaceResult(facts=facts, found=found, concept=members, sources=tuple(read.sources))


def concept_note(found: VersionSpace, members: Array) -> str:
    """Whether the concept is still among the hypotheses left, or why it cannot be."""
    if (found.members == members).all(axis=1).any():
        return f"the concept is one of the {len(found.kept):,} consistent hypotheses"
    if not (found.space.members == members).all(axis=1).any():
        return f"the concept is not a hypothesis of the space ({found.space.name}): the language cannot express it"
    return "a row contradicts the concept: its label is wrong, or the concept is another one"


def trace(read: ConceptFile, found: VersionSpace, rows: Array) -> list[dict[str, Any]]:
    """How many hypotheses are left after each row; of many rows, only those after which there are fewer.

    Rows are counted from 1 as they stand in the file.
    """
    shown = np.arange(len(rows)) if len(rows) <= MOST_TRACED else np.flatnonzero(np.diff(found.remaining))
    return [
        {"row": row + 1, "x": list(read.domain.point(x)), "label": read.labels[int(yes)], "left": left}
        for row, x, yes, left in zip(
            rows[shown].tolist(),
            found.point[shown].tolist(),
            found.label[shown].tolist(),
            found.remaining[shown + 1].tolist(),
            strict=True,
        )
    ]


def emptiness(found: VersionSpace, rows: Array) -> dict[str, Any] | None:
    """Why nothing is left, the row at which the last hypothesis fell, and the rows that contradict each other."""
    why = empty_because(found)
    if why is None:
        return None
    fell = int(rows[int((found.remaining == 0).argmax()) - 1]) + 1
    return {"because": why, "at_row": fell, "contradicting_rows": (rows[contradicting_rows(found)] + 1).tolist()}


def border_words(found: VersionSpace) -> dict[str, Any]:
    """The most specific and the most general hypotheses in words; None where too many are left to compare."""
    sides = borders(found)
    if sides is None:
        return {"most_specific": None, "most_general": None}
    words = [[found.space.words(int(h)) for h in side[:MOST_WORDS]] for side in sides]
    return {"most_specific": words[0], "most_general": words[1]}


def search(found: VersionSpace, chosen: int, order: Order) -> dict[str, Any]:
    """Which consistent hypothesis the order of search finds first."""
    covered = int(found.space.members[chosen].sum())
    return {"order": order, "hypothesis": found.space.words(chosen), "points": covered}


def agreement(found: VersionSpace) -> dict[str, Any]:
    """On how many points all agree, in the whole domain and among those without a row."""
    says, new = unanimous(found), ~found.seen

    def share(value: float) -> float | None:
        return None if np.isnan(value) else value

    return {
        "yes": int((says == 1).sum()),
        "no": int((says == 0).sum()),
        "divided": int((says < 0).sum()),
        "coverage": share(unanimous_coverage(found)),
        "unseen": int(new.sum()),
        "unseen_decided": int((new & (says >= 0)).sum()),
        "unseen_coverage": share(unanimous_coverage(found, unseen=True)),
    }


def questions(read: ConceptFile, found: VersionSpace, chosen: int | None) -> list[dict[str, Any]]:
    """The rows without a target: what all say, how many say yes, and what the search's choice says."""
    says, yes = unanimous(found), votes(found)
    return [
        {
            "row": row + 1,
            "x": list(read.domain.point(x)),
            "unanimous": read.labels[int(says[x])] if says[x] >= 0 else None,
            "votes": None if np.isnan(yes[x]) else float(yes[x]),
            "search": None if chosen is None else read.labels[int(found.space.members[chosen, x])],
        }
        for row, x in ((int(row), int(read.point[row])) for row in np.flatnonzero(read.label < 0))
    ]
