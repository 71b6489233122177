"""A table of probabilities, shaded: joint, or conditional on x or on the class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from heldout.batch import Array
from heldout.charts.figure import Columns, Figure, Shape

TableView = Literal["joint", "class_given_x", "x_given_class"]
MOST = 30
"""Points that are shown, the most likely ones."""
TITLES: dict[TableView, str] = {
    "joint": "Joint probabilities p(x, c), with their sums",
    "class_given_x": "Probability of each class at each point, p(c | x)",
    "x_given_class": "Probability of each point in each class, p(x | c)",
}
READING: dict[TableView, str] = {
    "joint": "Background: probability, darkest at the largest. The last row and column are the marginals.",
    "class_given_x": "Every row adds up to 1. Stars: what the Bayes classifier predicts.",
    "x_given_class": "Every column adds up to 1.",
}


@dataclass(frozen=True, kw_only=True)
class ProbabilityTable(Figure):
    """Probabilities by point and class."""

    shape: ClassVar[Shape] = "wide"
    view: TableView
    point: str = "x"
    """What makes up a point."""
    points: tuple[str, ...]
    classes: tuple[str, ...]
    p: Array
    """One row per point, one column per class; the marginals are the last row and column of a joint table."""
    starred: tuple[int | None, ...] = ()
    """By point, the class to be marked."""
    left_out: int = 0

    @property
    def kind(self) -> str:
        return self.view

    @property
    def title(self) -> str:
        return TITLES[self.view]

    @property
    def caption(self) -> str:
        less = f" {self.left_out} less likely points are left out." if self.left_out else ""
        return f"{READING[self.view]}{less}"

    @property
    def alt(self) -> str:
        rows = [
            f"{point}: " + ", ".join(f"{name} {p:.3g}" for name, p in zip(self.classes, line, strict=True))
            for point, line in zip(self.points[:8], self.p.tolist(), strict=False)
        ]
        return f"{self.title}. {'; '.join(rows)}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`cells`: point, class, p, marked."""
        return {
            "cells": {
                "point": [point for point in self.points for _ in self.classes],
                "class": list(self.classes) * len(self.points),
                "p": self.p.ravel(),
                "marked": [
                    bool(self.starred) and self.starred[at] == c
                    for at in range(len(self.points))
                    for c in range(len(self.classes))
                ],
            }
        }


def _point(attributes: Sequence[str]) -> str:
    """The title of the axis of points, by the attributes that they are made of.

    >>> _point(["x"]), _point(["sky", "wind"])
    ('x', 'x = (sky, wind)')
    """
    if list(attributes) == ["x"]:
        return "x"
    return f"x = {attributes[0]}" if len(attributes) == 1 else f"x = ({', '.join(attributes)})"


def probability_table(d: Mapping[str, Any], view: TableView) -> ProbabilityTable:
    """One of the tables of `lab table` (its `to_dict()`)."""
    points, classes = list(d["points"]), [str(label) for label in d["classes"]]
    if len(points) > MOST:
        likely = sorted(sorted(range(len(points)), key=lambda at: -points[at]["p"])[:MOST])
        points = [points[at] for at in likely]
    names = [", ".join(str(value) for value in one["x"]) for one in points]
    p = np.array([[np.nan if x is None else x for x in one[view]] for one in points], float)
    starred: tuple[int | None, ...] = ()
    if view == "joint":
        sums = [*d["class_marginal"], float(np.sum(d["class_marginal"]))]
        p = np.vstack([np.column_stack([p, [one["p"] for one in points]]), sums])
        names, classes = [*names, "p(c)"], [*classes, "p(x)"]
    elif view == "class_given_x":
        labels = list(d["classes"])
        starred = tuple(None if one["bayes"] is None else labels.index(one["bayes"]) for one in points)
    left_out = len(d["points"]) - len(points)
    return ProbabilityTable(
        view=view,
        point=_point(d["attributes"]),
        points=tuple(names),
        classes=tuple(classes),
        p=p,
        starred=starred,
        left_out=left_out,
    )
