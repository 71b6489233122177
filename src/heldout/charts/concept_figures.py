"""Charts of hypotheses over finite domains: what a version space agrees on, and hypotheses that overfit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from heldout.batch import Array
from heldout.charts.figure import Columns, Figure, Shape

SAYS = ("no", "undecided", "yes")
"""What a version space says of a point."""


@dataclass(frozen=True, kw_only=True)
class InstanceSpace(Figure):
    """Every point of one or two attributes: what all consistent hypotheses say, the rows seen, and the borders."""

    shape: ClassVar[Shape] = "square"
    space: str
    attributes: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    """Of each attribute, in order."""
    agreed: Array
    """1: all say yes; 0: all say no; -1: they differ or none is left; a line per point, the last attribute fastest."""
    votes: Array
    """The share of the consistent hypotheses that say yes."""
    seen: Mapping[str, Sequence[int]]
    """Label → the points of its rows."""
    boxes: Mapping[str, Sequence[tuple[int, int, int, int]]]
    """What it is → rectangles: first and last value of either attribute."""
    labels: tuple[str, str]
    """What no and yes are called."""

    @property
    def kind(self) -> str:
        return "instance_space"

    @property
    def title(self) -> str:
        return f"Instance space and version space of {self.space}"

    @property
    def caption(self) -> str:
        drawn = f" Rectangles: {', '.join(self.boxes)}." if self.boxes else ""
        return (
            "Background: the prediction of all consistent hypotheses: "
            f"{self.labels[1]}, {self.labels[0]}, or undecided where they differ; dots are the rows seen.{drawn}"
        )

    @property
    def alt(self) -> str:
        counts = {word: int((self.agreed == value).sum()) for word, value in zip(SAYS, (0, -1, 1), strict=True)}
        decided = f"{counts['yes']} are decided as yes, {counts['no']} as no"
        return f"{self.title}. Of {len(self.agreed)} points {decided}, {counts['undecided']} are undecided."

    @property
    def parts(self) -> dict[str, Columns]:
        """`points`: a column per attribute, says, votes; `seen`: the same and label; `boxes`: what, and corners."""
        shape = tuple(len(values) for values in self.values)
        codes = np.indices(shape).reshape(len(shape), -1)
        named = {name: [self.values[at][code] for code in codes[at]] for at, name in enumerate(self.attributes)}
        says = [SAYS[{0: 0, -1: 1, 1: 2}[int(one)]] for one in self.agreed]
        found: dict[str, Columns] = {"points": {**named, "says": says, "votes": self.votes}}
        lines = [(label, at) for label, points in self.seen.items() for at in points]
        if lines:
            columns = {name: [column[at] for _, at in lines] for name, column in named.items()}
            found["seen"] = {**columns, "label": [label for label, _ in lines]}
        boxes = [(what, *box) for what, several in self.boxes.items() for box in several]
        if boxes:
            names = ("what", "first_low", "first_high", "second_low", "second_high")
            found["boxes"] = dict(zip(names, map(list, zip(*boxes, strict=True)), strict=True))
        return found


@dataclass(frozen=True, kw_only=True)
class HypothesisErrors(Figure):
    """Sample error against true error of every hypothesis, with a pair in which the better-looking one is worse."""

    shape: ClassVar[Shape] = "square"
    space: str
    rows: int
    sample: Array
    true: Array
    count: Array
    """How many hypotheses have these two errors."""
    marked: Mapping[str, tuple[float, float]]
    """Name → sample error and true error."""

    @property
    def kind(self) -> str:
        return "overfitting"

    @property
    def title(self) -> str:
        return "Error on the sample against true error"

    @property
    def caption(self) -> str:
        return (
            f"Every dot: one hypothesis of the space {self.space}, or several with the same errors; {self.rows} rows. "
            "Above the dashed line the true error is larger than the sample error. "
            "h overfits: h' has the larger sample error and the smaller true error."
        )

    @property
    def alt(self) -> str:
        said = [f"{name}: sample error {x:.3g}, true error {y:.3g}" for name, (x, y) in self.marked.items()]
        return f"{self.title}. {int(self.count.sum())} hypotheses. {'; '.join(said)}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`hypotheses`: sample_error, true_error, hypotheses; `pair`: name, sample_error, true_error."""
        found: dict[str, Columns] = {
            "hypotheses": {"sample_error": self.sample, "true_error": self.true, "hypotheses": self.count}
        }
        if self.marked:
            pair: dict[str, Any] = {"name": list(self.marked)}
            pair["sample_error"] = [x for x, _ in self.marked.values()]
            pair["true_error"] = [y for _, y in self.marked.values()]
            found["pair"] = pair
        return found
