"""Metrics of a detector, at every score or above one, and in resamples of images: matches are weighted, not redone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout import weights
from heldout.batch import Array
from heldout.boxes.average_precision import Curve, Figure, average_precisions, curve, cut, over_classes, recalls
from heldout.boxes.image_resamples import weighed
from heldout.boxes.matching import HIT, IGNORED, Matches
from heldout.errors import UsageError
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import estimate
from heldout.formulas import METRICS
from heldout.tallies.units import Units
from heldout.verbs.settings import Settings

FIGURES = ("precision", "recall", "f1")


@dataclass(frozen=True, kw_only=True)
class AtScore:
    """What a detector does if only detections from a score on count."""

    score: float
    iou: float
    tp: int
    fp: int
    fn: int
    estimates: dict[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        counts = {name: getattr(self, name) for name in ("score", "iou", "tp", "fp", "fn")}
        return {**counts, "estimates": {name: one.to_dict() for name, one in self.estimates.items()}}


def at_score(m: Matches, score: float, asked: Settings, iou: float = 0.5) -> AtScore:
    """TP, FP and FN over all classes, with precision, recall and F1; an image is a unit."""
    tp, fp, fn = counted(m, score, int(np.argmin(np.abs(m.thresholds - iou))))
    columns = {"tp": tp[:, None], "fp": fp[:, None], "fn": fn[:, None]}
    tally = Units(columns, {name: column.sum(axis=0) for name, column in columns.items()}, clustered=True)
    found = {
        name: estimate(METRICS[name], tally, label=0, level=asked.level, draws=asked.draws, seed=asked.seed)
        for name in FIGURES
    }
    return AtScore(score=score, iou=iou, tp=int(tp.sum()), fp=int(fp.sum()), fn=int(fn.sum()), estimates=found)


def counted(m: Matches, score: float, threshold: int) -> tuple[Array, Array, Array]:
    """Right, wrong and missed detections of each image; what found a crowd is neither."""
    kept = m.score >= score
    outcome = m.outcome[:, 0, threshold]
    tp = np.bincount(m.image[m.at[(outcome == HIT) & kept[m.at]]], minlength=m.images)
    ignored = np.bincount(m.image[m.at[(outcome == IGNORED) & kept[m.at]]], minlength=m.images)
    said = np.bincount(m.image[kept], minlength=m.images)
    objects = np.bincount(m.truth_image[m.counted[:, 0]], minlength=m.images)
    return tp.astype(float), (said - ignored - tp).astype(float), (objects - tp).astype(float)


LINES = 512
"""Draws that are weighed together."""
LEFT_OUT = 400
"""Up to so many images, each is left out in turn: with more, draws alone show how far single images carry a figure."""
CELLS_AT_ONCE = 8_000_000
"""Weights held in memory together: 32 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The figures of one detector, and in every resample of images."""

    matches: Matches
    figures: dict[str, Figure]
    values: dict[str, float]
    class_values: dict[str, Array]
    class_draws: dict[str, Array]
    """By figure: classes by draws; nan where the draw has no object of the class."""
    by_class: tuple[str, ...]
    """The figures that are shown by class."""
    iou_values: Array
    iou_draws: Array
    """Average precision by class and threshold, and by class, threshold and draw."""
    class_without: dict[str, Array]
    """By figure: classes by images, each value without the image; empty where there are many images."""
    iou_without: Array | None

    def mean_draws(self, figure: str) -> Array:
        """A figure in every resample: the mean over the classes that it has."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return over_classes(self.class_draws[figure].astype(float))


def drawn_figures(
    m: Matches, figures: dict[str, Figure], by_class: Sequence[str], *, points: str, draws: int, seed: int
) -> Drawn:
    """The figures, and what they are in draws of as many images as there are, with replacement."""
    exact_ap = average_precisions(m, points)
    most = sorted({one.most for one in figures.values() if one.of == "recall"})
    exact = {"precision": exact_ap, **{f"recall {count}": recalls(m, count) for count in most}}
    values = {name: cut(exact[_cells(one)], m, one) for name, one in figures.items()}
    parts = [_block(m, figures, block().T, points=points, most=most) for block in _blocks(m.images, draws, seed)]
    alone = _block(m, figures, _without_each(m.images), points=points, most=most) if 1 < m.images <= LEFT_OUT else None
    with np.errstate(invalid="ignore", divide="ignore"):
        means = {name: float(over_classes(found)) for name, found in values.items()}
    return Drawn(
        matches=m,
        figures=figures,
        values=means,
        class_values=values,
        class_draws={name: np.concatenate([part[0][name] for part in parts], axis=1) for name in figures},
        by_class=tuple(by_class),
        iou_values=exact_ap[:, 0],
        iou_draws=np.concatenate([part[1] for part in parts], axis=2),
        class_without={} if alone is None else alone[0],
        iou_without=None if alone is None else alone[1],
    )


def _without_each(images: int) -> Array:
    """Weights that leave out one image after the other."""
    return 1 - np.eye(images, dtype=np.float32)


def _blocks(images: int, draws: int, seed: int) -> list[weights.Block]:
    lines = int(min(max(CELLS_AT_ONCE // max(images, 1), 16), LINES))
    return weights.bootstrap(np.ones(images), draws, [seed], lines)


def _block(
    m: Matches, figures: dict[str, Figure], block: Array, *, points: str, most: Sequence[int]
) -> tuple[dict[str, Array], Array]:
    """Every figure by class and draw, and average precision by class, threshold and draw; in single precision."""
    found = weighed(m, block, points=points, most=most)
    cells = {"precision": found.precision, **{f"recall {count}": part for count, part in found.recall.items()}}
    return {name: cut(cells[_cells(one)], m, one) for name, one in figures.items()}, found.precision[:, 0]


def _cells(figure: Figure) -> str:
    return "precision" if figure.of == "precision" else f"recall {figure.most}"


def curve_of(m: Matches, kind: int, iou: float) -> Curve:
    """The precision-recall curve of a class, at one of the thresholds that were matched."""
    at = np.flatnonzero(np.isclose(m.thresholds, iou))
    if not len(at):
        known = ", ".join(f"{one:g}" for one in m.thresholds)
        raise UsageError(f"nothing was matched at IoU {iou:g}", fix=f"choose one of {known}")
    return curve(m, kind, int(at[0]))
