"""Average precision and recall by class, size range and IoU threshold, from matches; the twelve metrics of COCO."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from heldout.batch import Array
from heldout.boxes.matching import HIT, IGNORED, MISSED, Matches


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


POINTS: dict[str, Array | None] = {
    "101": np.linspace(0, 1, 101),
    "11": np.linspace(0, 1, 11),
    "all": None,
    "steps": None,
}
"""Recalls at which precision is averaged: COCO's 101, Pascal VOC's 11 until 2009, every one since 2010; and every one
with its own precision instead of the best one from there on."""
TINY = float(np.spacing(1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The detections that count, the best score first, and precision and recall after each of them."""

    score: Array
    correct: Array
    """Whether the detection found an object."""
    tp: Array
    """Detections up to this one that found an object."""
    fp: Array
    """Detections up to this one that found none."""
    precision: Array
    recall: Array
    image: Array
    """Position of the image."""


def counted_objects(m: Matches) -> Array:
    """How many objects count, by class and size range."""
    return np.stack(
        [
            np.bincount(m.truth_label[m.counted[:, a]], minlength=m.classes).astype(float)
            for a in range(m.counted.shape[1])
        ],
        axis=1,
    )


def average_precisions(m: Matches, points: str = "101") -> Array:
    """AP by class, size range and threshold: the mean over recalls r of the best precision at recall r or more.

    Nan where no object counts. `points` says at which recalls: "101" [lin14], "11" or "all" [everingham10]; "steps" is
    the sum of (R_i - R_(i-1)) P_i, the precision not replaced by a better one at a higher recall.
    """
    grid, objects, label = POINTS[points], counted_objects(m), m.label[m.at]
    found = np.full((m.classes, len(m.areas), len(m.thresholds)), np.nan)
    bounds, starts = _bounds(label, m.classes), _bounds(m.label, m.classes)
    for a in range(len(m.areas)):
        there, turned = objects[:, a] > 0, np.where(m.inside[m.at, a], np.int8(IGNORED), np.int8(HIT))
        listed = np.cumsum(np.append(False, m.inside[:, a]))
        said = listed[m.at + 1] - listed[starts[label]]
        worth, first = _worths(objects[:, a].astype(np.int64), grid)
        for t in range(len(m.thresholds)):
            outcome = m.outcome[:, a, t]
            lines = np.flatnonzero(outcome == HIT)
            ends = np.searchsorted(lines, bounds)
            kind = np.repeat(np.arange(m.classes), np.diff(ends))
            hits = np.arange(1, len(lines) + 1) - ends[kind]
            more, before = _changed(outcome, turned, lines, bounds)
            precision = hits / (said[lines] + more - before[kind] + TINY)
            best = precision if points == "steps" else _best_beyond(precision, ends)
            worths = best * worth[first[kind] + hits - 1]
            reached = np.bincount(kind, weights=worths, minlength=m.classes)[there]
            found[there, a, t] = np.minimum(reached / (1 if grid is None else len(grid)), 1.0)  # 101 may round above
    return found


def _bounds(rising: Array, count: int) -> Array:
    """Where each class starts in a rising column, and where the last one ends."""
    return np.searchsorted(rising, np.arange(count + 1))


def _changed(outcome: Array, turned: Array, lines: Array, bounds: Array) -> tuple[Array, Array]:
    """How many more candidates are right or wrong than are of the size, up to each line and before each class.

    One of another size that is right counts, too; one of the size that is ignored does not.
    """
    moved = np.flatnonzero(outcome == turned)
    sign = np.where(outcome[moved] == HIT, 1, -1)
    added = np.bincount(np.searchsorted(lines, moved), weights=sign, minlength=len(lines) + 1)
    return np.cumsum(added)[:-1], np.append(0, np.cumsum(sign))[np.searchsorted(moved, bounds)]


def _best_beyond(precision: Array, ends: Array) -> Array:
    """The best precision of the same class from each line on, in place."""
    for first, last in pairwise(ends.tolist()):
        part = precision[first:last][::-1]
        np.maximum.accumulate(part, out=part)
    return precision


def _worths(objects: Array, grid: Array | None) -> tuple[Array, Array]:
    """What the precision at the first object of a class, the second and so on counts: the recalls that it reaches.

    Class after class; and where each class starts.
    """
    first = np.cumsum(objects) - objects
    recall = (np.arange(1, objects.sum() + 1) - np.repeat(first, objects)) / np.repeat(objects, objects)
    passed = recall if grid is None else np.searchsorted(grid, recall, side="right")
    there = first[objects > 0]
    worth = np.diff(passed, prepend=0)
    worth[there] = passed[there]
    return worth, first


def recalls(m: Matches, most: int) -> Array:
    """Share of the objects found among the best `most` detections per image and class, by class, range, threshold."""
    bounds, early = _bounds(m.label[m.at], m.classes), m.rank[m.at] < most
    found = np.zeros((m.classes, len(m.areas), len(m.thresholds)))
    for a, t in np.ndindex(*found.shape[1:]):
        found[:, a, t] = np.diff(np.searchsorted(np.flatnonzero((m.outcome[:, a, t] == HIT) & early), bounds))
    with np.errstate(invalid="ignore", divide="ignore"):
        return found / counted_objects(m)[:, :, None]


def curve(m: Matches, kind: int, threshold: int, area: int = 0) -> Curve:
    """The precision-recall curve of one class, at one threshold and size range."""
    first, last = np.searchsorted(m.label, [kind, kind + 1])
    outcome = np.full(last - first, MISSED, dtype=np.int8)
    candidates = slice(*np.searchsorted(m.at, [first, last]))
    outcome[m.at[candidates] - first] = m.outcome[candidates, area, threshold]
    # of another size and without an object, or with one that does not count: neither right nor wrong
    counts = (outcome == HIT) | (m.inside[first:last, area] & (outcome != IGNORED))
    correct = outcome[counts] == HIT
    tp, fp = np.cumsum(correct), np.cumsum(~correct)
    with np.errstate(invalid="ignore", divide="ignore"):
        recall = tp / counted_objects(m)[kind, area]
    kept = np.flatnonzero(counts) + first
    return Curve(
        score=m.score[kept], correct=correct, tp=tp, fp=fp, precision=tp / (tp + fp), recall=recall, image=m.image[kept]
    )
