"""Tables of the worst images, for the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import TYPE_CHECKING, Any

from heldout.report.cells import Cell, Table
from heldout.verbs.images.worst_images import IOU, LEFT_OUT, counting_score, most_confused, worst_images

if TYPE_CHECKING:
    from heldout.verbs.images.results import Pictured

Line = Mapping[str, Any]


def image_tables(result: Pictured) -> list[Table]:
    """Of one model the images that lower its figure most; of several, those that speak against and for each."""
    return [_table(result, name, lines) for name, lines in worst_images(result).items() if lines]


def _table(result: Pictured, name: str, lines: Sequence[Line]) -> Table:
    several = len(result.models) > 1
    decimals = max(1 - floor(log10(max(abs(line["moves"]) for line in lines))), 0)  # the largest has two digits
    title = (
        f"images that move {result.primary} of {name} against {result.baseline} most"
        if several
        else f"images that lower {result.primary} most"
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


def _sides(result: Pictured, name: str) -> list[tuple[str, str]]:
    """The models whose counts are shown: what their columns begin with, and what their heads end with."""
    if len(result.models) == 1:
        return [("", "")]
    return [("baseline_", f" by {result.baseline}"), ("", f" by {name}")]


def _objects(result: Pictured, name: str, lines: Sequence[Line]) -> list[tuple[Cell, str, list[Cell]]]:
    counts = [
        (Cell(f"{word}{whom}", given=True), "r", [Cell(f"{line[f'{side}{word}']:,}") for line in lines])
        for side, whom in _sides(result, name)
        for word in ("found", "wrong", "missed")
    ]
    return [(Cell("objects"), "r", [Cell(f"{line['objects']:,}") for line in lines]), *counts]


def _pixels(result: Pictured, name: str, lines: Sequence[Line]) -> list[tuple[Cell, str, list[Cell]]]:
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


def _foot(result: Pictured, name: str) -> list[str]:
    figure = result.primary
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
