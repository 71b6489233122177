"""The twelve figures by which COCO sums up a detector."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.boxes.average_precision import average_precisions, recalls
from heldout.boxes.matching import Matches


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A mean over classes and IoU thresholds of average precision, or of recall."""

    of: str
    """precision or recall."""
    title: str
    area: str = "all"
    threshold: float | None = None
    """One IoU threshold; None: the mean over all."""
    most: int = 100


FIGURES: dict[str, Figure] = {
    "AP": Figure(of="precision", title="average precision, mean over IoU .50 to .95"),
    "AP50": Figure(of="precision", title="average precision at IoU .50", threshold=0.5),
    "AP75": Figure(of="precision", title="average precision at IoU .75", threshold=0.75),
    "APsmall": Figure(of="precision", title="average precision of objects below 32 x 32 pixels", area="small"),
    "APmedium": Figure(of="precision", title="average precision of objects up to 96 x 96 pixels", area="medium"),
    "APlarge": Figure(of="precision", title="average precision of objects above 96 x 96 pixels", area="large"),
    "AR1": Figure(of="recall", title="recall with one detection per image and class", most=1),
    "AR10": Figure(of="recall", title="recall with 10 detections per image and class", most=10),
    "AR100": Figure(of="recall", title="recall with 100 detections per image and class"),
    "ARsmall": Figure(of="recall", title="recall of objects below 32 x 32 pixels", area="small"),
    "ARmedium": Figure(of="recall", title="recall of objects up to 96 x 96 pixels", area="medium"),
    "ARlarge": Figure(of="recall", title="recall of objects above 96 x 96 pixels", area="large"),
}
"""By their names, in COCO's order."""


def by_class(m: Matches, figures: dict[str, Figure] = FIGURES) -> dict[str, Array]:
    """Each figure of every class; nan where no object of the class counts."""
    precision = average_precisions(m)
    recall = {most: recalls(m, most) for most in {one.most for one in figures.values() if one.of == "recall"}}
    return {
        name: cut(precision if one.of == "precision" else recall[one.most], m, one) for name, one in figures.items()
    }


def cut(cells: Array, m: Matches, figure: Figure) -> Array:
    """What a figure takes of values by class, size range and threshold: its range, the mean over its thresholds."""
    of_range = cells[:, m.areas.index(figure.area)]
    if figure.threshold is None:
        return of_range.mean(axis=1)
    return of_range[:, int(np.flatnonzero(np.isclose(m.thresholds, figure.threshold))[0])]


def over_classes(values: Array, axis: int = 0) -> Array:
    """The mean over the classes that have objects; nan where none has."""
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(there, values, 0.0).sum(axis=axis) / there.sum(axis=axis)


def the_twelve(m: Matches) -> dict[str, float]:
    """COCO's figures as pycocotools prints them; nan (there -1) where no object counts."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return {name: float(over_classes(values)) for name, values in by_class(m).items()}
