"""Figures of a detector, and the same in draws of images: matches are weighed, never made again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from heldout import weights
from heldout.batch import Array
from heldout.boxes.average_precision import Curve, average_precisions, curve, recalls
from heldout.boxes.coco_metrics import Figure, cut, over_classes
from heldout.boxes.image_resamples import weighed
from heldout.boxes.matching import Matches
from heldout.errors import UsageError

LINES = 512
"""Draws that are weighed together."""
CELLS_AT_ONCE = 8_000_000
"""Weights held in memory together: 32 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The figures of one detector, and in every draw of images."""

    matches: Matches
    figures: dict[str, Figure]
    values: dict[str, float]
    draws: dict[str, Array]
    """By figure."""
    class_values: dict[str, Array]
    class_draws: dict[str, Array]
    """By figure: classes by draws."""
    iou_values: Array
    iou_draws: Array
    """Average precision by threshold and draw."""


def drawn_figures(
    m: Matches, figures: dict[str, Figure], by_class: Sequence[str], *, points: str, draws: int, seed: int
) -> Drawn:
    """The figures, and what they are in draws of as many images as there are, with replacement."""
    exact_ap = average_precisions(m, points)
    most = sorted({one.most for one in figures.values() if one.of == "recall"})
    exact = {"precision": exact_ap, **{f"recall {count}": recalls(m, count) for count in most}}
    values = {name: cut(exact[_cells(one)], m, one) for name, one in figures.items()}
    parts = [
        _block(m, figures, by_class, block().T, points=points, most=most) for block in _blocks(m.images, draws, seed)
    ]
    with np.errstate(invalid="ignore", divide="ignore"):
        return Drawn(
            matches=m,
            figures=figures,
            values={name: float(over_classes(found)) for name, found in values.items()},
            draws={name: np.concatenate([part[0][name] for part in parts]) for name in figures},
            class_values={name: values[name] for name in by_class},
            class_draws={name: np.concatenate([part[1][name] for part in parts], axis=1) for name in by_class},
            iou_values=over_classes(exact_ap[:, 0]),
            iou_draws=np.concatenate([part[2] for part in parts], axis=1),
        )


def _blocks(images: int, draws: int, seed: int) -> list[weights.Block]:
    lines = int(min(max(CELLS_AT_ONCE // max(images, 1), 16), LINES))
    return weights.bootstrap(np.ones(images), draws, [seed], lines)


def _block(
    m: Matches, figures: dict[str, Figure], by_class: Sequence[str], block: Array, *, points: str, most: Sequence[int]
) -> tuple[dict[str, Array], dict[str, Array], Array]:
    found = weighed(m, block, points=points, most=most)
    cells = {"precision": found.precision, **{f"recall {count}": part for count, part in found.recall.items()}}
    values = {name: cut(cells[_cells(one)], m, one).astype(float) for name, one in figures.items()}
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = {name: over_classes(part) for name, part in values.items()}
        by_iou = over_classes(found.precision[:, 0].astype(float))
    return whole, {name: values[name] for name in by_class}, by_iou


def _cells(figure: Figure) -> str:
    return "precision" if figure.of == "precision" else f"recall {figure.most}"


def curve_of(m: Matches, kind: int, iou: float) -> Curve:
    """The precision-recall curve of a class, at one of the thresholds that were matched."""
    at = np.flatnonzero(np.isclose(m.thresholds, iou))
    if not len(at):
        known = ", ".join(f"{one:g}" for one in m.thresholds)
        raise UsageError(f"nothing was matched at IoU {iou:g}", fix=f"choose one of {known}")
    return curve(m, kind, int(at[0]))
