"""Charts of a version space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.charts.concept_figures import InstanceSpace
from heldout.charts.plot import Plot
from heldout.charts.simulation_figures import Line, SimulatedLines
from heldout.lab.concepts.domains import Domain
from heldout.lab.concepts.version_space import VersionSpace, borders, unanimous, votes

MOST_BOXES = 12
"""Rectangles of one kind that can be distinguished in a picture."""
MOST_VALUES = 40
"""Values of an attribute that have room on an axis."""
Box = tuple[int, int, int, int]


def version_space_charts(found: VersionSpace, d: Mapping[str, Any], concept: Array | None) -> Plot:
    """The instance space, where it has one or two attributes, and how many hypotheses were left after each row."""
    where = found.space.domain
    views: dict[str, Any] = {"remaining": lambda: remaining(found, d)}
    absent = {}
    if len(where.attributes) <= 2 and max(where.shape) <= MOST_VALUES:
        views["instance_space"] = lambda: instance_space(found, d, concept)
    else:
        shape = " x ".join(map(str, where.shape))
        absent["instance_space"] = (
            f"the instance_space chart shows one or two attributes of up to {MOST_VALUES} values; these are {shape}",
            "name one or two of them: --attribute A,B",
        )
    return Plot(views=views, absent=absent)


def remaining(found: VersionSpace, d: Mapping[str, Any]) -> SimulatedLines:
    """How many hypotheses agree with the first rows."""
    steps = np.arange(len(found.remaining), dtype=float)
    return SimulatedLines(
        view="remaining",
        heading=f"Hypotheses left after each row, {d['space']}",
        x="rows seen",
        y="consistent hypotheses",
        lines={"consistent hypotheses": Line(x=steps, y=found.remaining.astype(float))},
        reading="List-then-eliminate: each row strikes out the hypotheses that contradict it.",
        counts=True,
    )


def instance_space(found: VersionSpace, d: Mapping[str, Any], concept: Array | None) -> InstanceSpace:
    """What the version space says at each point, the rows seen, and its borders where they are rectangles."""
    where = found.space.domain
    names = (str(d["negative"]), str(d["positive"]))
    sides = borders(found)
    drawn: dict[str, list[Box]] = {}
    if sides is not None:
        for words, side in zip(("most specific", "most general"), sides, strict=True):
            boxes = [box for h in side[:MOST_BOXES] if (box := _box(found.space.members[h], where)) is not None]
            drawn |= {words: boxes} if boxes else {}
    if concept is not None and (box := _box(concept, where)) is not None:
        drawn["the concept"] = [box]
    return InstanceSpace(
        space=found.space.name,
        attributes=where.attributes,
        values=tuple(tuple(str(value) for value in known) for known in where.values),
        agreed=unanimous(found),
        votes=votes(found),
        seen={name: np.unique(found.point[found.label == bool(at)]).tolist() for at, name in enumerate(names)},
        boxes=drawn,
        labels=names,
    )


def _box(members: Array, where: Domain) -> Box | None:
    """The rectangle of a hypothesis; None where it is none."""
    if not members.any():
        return None
    codes = where.codes[members]
    low, high = codes.min(axis=0), codes.max(axis=0)
    if np.prod(high - low + 1) != len(codes):
        return None
    second = (int(low[1]), int(high[1])) if len(low) > 1 else (0, 0)
    return int(low[0]), int(high[0]), *second
