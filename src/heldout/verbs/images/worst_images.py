"""The images that cost a model most, and those on which two models differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array
from heldout.boxes.average_precision import cut, over_classes
from heldout.boxes.image_resamples import weighed
from heldout.boxes.matching import HIT, IGNORED, Matches
from heldout.report.document import Cell, Table
from heldout.verbs.images.detect import POINTS, RULES
from heldout.verbs.images.masks import figure_moves
from heldout.verbs.images.resampled_metrics import Drawn, counted

if TYPE_CHECKING:
    from heldout.verbs.images.image_evaluation import ImageEvaluation

Line = Mapping[str, Any]


def image_tables(result: ImageEvaluation) -> list[Table]:
    """Of one model the images that lower its figure most; of several, those that speak against and for each."""
    return [_table(result, name, lines) for name, lines in worst_images(result).items() if lines]


def _table(result: ImageEvaluation, name: str, lines: Sequence[Line]) -> Table:
    several = len(result.models) > 1
    decimals = max(1 - floor(log10(max(abs(line["moves"]) for line in lines))), 0)  # the largest has two digits
    title = (
        f"images that move {result.primary!s} of {name} against {result.baseline} most"
        if several
        else f"images that lower {result.primary!s} most"
    )
    columns = [
        (Cell("image"), "l", [Cell(str(line["image"]), given=True) for line in lines]),
        (Cell("moves"), "r", [Cell(f"{line['moves']:+.{decimals}f}") for line in lines]),
        *(_pixels(result, name, lines) if result.kind == "masks" else _objects(result, name, lines)),
    ]
    return Table(
        name="images",
        title=Cell(title, given=True),
        head=tuple(head for head, _, _ in columns),
        rows=tuple(zip(*(cells for _, _, cells in columns), strict=True)),
        align="".join(side for _, side, _ in columns),
        foot=tuple(Cell(text, given=True) for text in _foot(result, name)),
    )


def _sides(result: ImageEvaluation, name: str) -> list[tuple[str, str]]:
    """The models whose counts are shown: what their columns begin with, and what their heads end with."""
    if len(result.models) == 1:
        return [("", "")]
    return [("baseline_", f" by {result.baseline}"), ("", f" by {name}")]


def _objects(result: ImageEvaluation, name: str, lines: Sequence[Line]) -> list[tuple[Cell, str, list[Cell]]]:
    counts = [
        (Cell(f"{word}{whom}", given=True), "r", [Cell(f"{line[f'{side}{word}']:,}") for line in lines])
        for side, whom in _sides(result, name)
        for word in ("found", "wrong", "missed")
    ]
    return [(Cell("objects"), "r", [Cell(f"{line['objects']:,}") for line in lines]), *counts]


def _pixels(result: ImageEvaluation, name: str, lines: Sequence[Line]) -> list[tuple[Cell, str, list[Cell]]]:
    places = {image: at for at, image in enumerate(result.image_names)}
    shares = [
        (
            Cell(f"wrong{whom}", given=True),
            "r",
            [Cell(f"{100 * line[f'{side}wrong'] / line['pixels']:.1f}%" if line["pixels"] else "") for line in lines],
        )
        for side, whom in _sides(result, name)
    ]
    mostly = [Cell(most_confused(result, name, places[line["image"]]), given=True) for line in lines]
    whom = f" by {name}" if len(result.models) > 1 else ""
    return [
        (Cell("pixels"), "r", [Cell(f"{line['pixels']:,}") for line in lines]),
        *shares,
        (Cell(f"mostly{whom}", given=True), "l", mostly),
    ]


def _foot(result: ImageEvaluation, name: str) -> list[str]:
    figure = str(result.primary)
    what = f"the difference of {figure}" if len(result.models) > 1 else figure
    if result.kind == "masks":
        return [f"moves: how far the image moves {what}"]
    names = [result.baseline, name] if len(result.models) > 1 else [name]
    scores = {one: f"{counting_score(result, one):.3g}" for one in names}
    told = " and ".join(f"{score} of {one}" if len(names) > 1 else score for one, score in scores.items())
    why = "" if result.at_score else ", where F1 is highest on these images"
    step = min(result.drawn[name].matches.thresholds, key=lambda one: abs(one - IOU))
    some = f"; of the {LEFT_OUT} images with most wrong and missed" if result.images > LEFT_OUT else ""
    return [
        f"moves: {what}, less what it is without the image{some}",
        f"found, wrong and missed: at IoU {step:g}, detections from score {told} on{why}",
    ]


MOST = 10
"""How many images are named."""
LEFT_OUT = 256
"""So many detections' images are left out one by one: of more images, those with most wrong and missed."""
IOU = 0.5
"""The overlap at which right, wrong and missed detections are counted."""


@dataclass(frozen=True, kw_only=True)
class Counts:
    """What a model did on every image, and how far each image moves its figure; nan: not asked."""

    moves: Array
    columns: Mapping[str, Array]
    """Of detections: found, wrong, missed; of masks: pixels, wrong (pixels)."""


def image_counts(result: ImageEvaluation) -> dict[str, Counts]:
    """What every model did on every image."""
    if result.kind == "masks":
        return {name: _of_pixels(result, name) for name in result.models}
    steps = {name: _counted(result, name) for name in result.models}
    bad = np.sum([found["wrong"] + found["missed"] for found in steps.values()], axis=0)
    chosen = np.sort(np.argsort(-bad, kind="stable")[:LEFT_OUT])
    return {
        name: Counts(moves=_moves(result.drawn[name], str(result.primary), _points(result), chosen), columns=found)
        for name, found in steps.items()
    }


def worst_images(result: ImageEvaluation, most: int = MOST) -> dict[str, tuple[dict[str, Any], ...]]:
    """By model: the images that lower its figure most; of several, those that speak most against and for it."""
    found, base = image_counts(result), result.baseline
    if len(found) == 1:
        one = found[base]
        chosen = _lowest(one.moves, most)
        return {base: tuple(_told(result, at, one.moves, {"": one}) for at in chosen)}
    return {
        name: tuple(
            _told(result, at, one.moves - found[base].moves, {"baseline_": found[base], "": one})
            for at in _either(one.moves - found[base].moves, most)
        )
        for name, one in found.items()
        if name != base
    }


def _told(result: ImageEvaluation, at: int, moves: Array, counts: Mapping[str, Counts]) -> dict[str, Any]:
    said = {f"{kind}{name}": int(column[at]) for kind, one in counts.items() for name, column in one.columns.items()}
    for shared in ("baseline_pixels", "baseline_objects"):  # the truth is the same
        said.pop(shared, None)
    return {"image": result.image_names[at], "figure": str(result.primary), "moves": float(moves[at]), **said}


def _lowest(moves: Array, most: int) -> Sequence[int]:
    """The images that lower the figure, the worst first."""
    order = np.argsort(np.where(np.isnan(moves), np.inf, moves), kind="stable")[:most]
    return [int(at) for at in order if moves[at] < 0]


def _either(moves: Array, most: int) -> Sequence[int]:
    """Those that speak most against, then those that speak most for, as many of each."""
    half = max(most // 2, 1)
    return [*_lowest(moves, half), *_lowest(-moves, half)]


def counting_score(result: ImageEvaluation, name: str) -> float:
    """The score from which on detections are counted: the one asked for, else where F1 over all classes is highest."""
    if name in result.at_score:
        return result.at_score[name].score
    m = result.drawn[name].matches
    if not len(m.score):
        return 0.0
    outcome = np.zeros(len(m.score), dtype=np.int8)
    outcome[m.at] = m.outcome[:, 0, _step(m)]
    order = np.argsort(-m.score, kind="stable")
    right, said = np.cumsum(outcome[order] == HIT), np.cumsum(outcome[order] != IGNORED)
    last = np.append(np.diff(m.score[order]) != 0, True)  # equal scores are taken together
    f1 = np.where(last, 2 * right / np.maximum(said + np.count_nonzero(m.counted[:, 0]), 1), -1.0)
    return float(m.score[order[int(np.argmax(f1))]])


def _counted(result: ImageEvaluation, name: str) -> dict[str, Array]:
    m = result.drawn[name].matches
    found, wrong, missed = counted(m, counting_score(result, name), _step(m))
    return {"objects": found + missed, "found": found, "wrong": wrong, "missed": missed}


def _step(m: Matches) -> int:
    return int(np.argmin(np.abs(m.thresholds - IOU)))


def _points(result: ImageEvaluation) -> str:
    return next(POINTS[key] for key, words in RULES.items() if words == result.rule)


def _moves(drawn: Drawn, figure: str, points: str, images: Array) -> Array:
    """The figure less what it is without each of some images: matches are weighed, with weight 0 for one of them."""
    one, m = drawn.figures[figure], drawn.matches
    area = m.areas.index(one.area)
    alone = replace(
        m, areas=(one.area,), counted=m.counted[:, [area]], inside=m.inside[:, [area]], outcome=m.outcome[:, [area]]
    )
    weights = np.ones((m.images, len(images) + 1), dtype=np.float32)
    weights[images, np.arange(len(images))] = 0
    found = weighed(alone, weights, points=points, most=(one.most,))
    cells = found.precision if one.of == "precision" else found.recall[one.most]
    with np.errstate(invalid="ignore", divide="ignore"):
        values = over_classes(cut(cells, alone, one).astype(float))
    moves = np.full(m.images, np.nan)
    moves[images] = np.where(np.abs(values[-1] - values[:-1]) > 1e-6, values[-1] - values[:-1], 0.0)  # below: rounding
    return moves


def _of_pixels(result: ImageEvaluation, name: str) -> Counts:
    cells = result.cells[name]
    assert cells.unit is not None
    pixels = np.bincount(cells.unit, cells.rows, cells.units)
    wrong = np.bincount(cells.unit, cells.rows * (cells.truth != cells.prediction), cells.units)
    return Counts(
        moves=figure_moves(cells, str(result.primary), len(result.labels)), columns={"pixels": pixels, "wrong": wrong}
    )


def most_confused(result: ImageEvaluation, name: str, at: int) -> str:
    """What most of the wrong pixels of an image are, and were taken for; empty where none is wrong."""
    cells = result.cells[name]
    assert cells.unit is not None
    there = (cells.unit == at) & (cells.truth != cells.prediction)
    if not there.any():
        return ""
    most = np.flatnonzero(there)[int(np.argmax(cells.rows[there]))]
    return f"{result.labels[cells.truth[most]]} taken for {result.confusion_labels[cells.prediction[most]]}"
