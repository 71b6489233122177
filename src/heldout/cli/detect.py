"""heldout detect: object detection, average precision and recall with intervals over images."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.model_files import truth_and_models
from heldout.cli.option_names import python_names
from heldout.cli.options import (
    ALPHA,
    BASELINE,
    HOW,
    INPUT,
    LEVEL,
    MARGIN,
    RESULT,
    SEED,
    choice,
    command,
    only,
    option,
    options,
    resamples,
    several,
    typed,
)
from heldout.cli.output import Place
from heldout.errors import UsageError


@command(
    "detect",
    short_help="Evaluate object detection: average precision and recall.",
    examples=(
        "heldout detect truth.json detections.json",
        "heldout detect truth.json old.json new.json --primary AP50 --margin 0.01",
        "heldout detect boxes.csv found.csv --rule voc --iou 0.5 --score-threshold 0.3",
        "heldout detect --ranked matched.csv --truths 12",
    ),
)
@click.argument("files", nargs=-1, metavar="TRUTH DETECTIONS [DETECTIONS]...")
@options(
    option("--rule", type=choice("coco", "voc", "voc2007"), default="coco", show_default=True, heading=HOW,
           help="How detections are matched and precision is averaged."),
    option("--iou", type=float, metavar="T", heading=HOW, help="For voc: overlap of a match.  [default: 0.5]"),
    option("--iou-type", type=choice("boxes", "masks"), default="boxes", show_default=True, heading=HOW,
           help="Whether boxes or masks must overlap."),
    option("--class-agnostic", is_flag=True, heading=HOW, help="Ignore classes."),
    option("--labels", metavar="A,B", multiple=True, callback=several, heading=INPUT,
           help="All classes of a table.  [default: those that occur]"),
    option("--ranked", metavar="FILE", heading=INPUT,
           help="Detections that were matched already: a table with the column correct (1 or TP, 0 or FP)."),
    option("--truths", type=int, metavar="N", heading=INPUT, help="For --ranked: number of objects, found or not."),
    option("--score-threshold", type=float, metavar="S",
           help="Also precision, recall and F1 of detections with at least this score."),
    option("--primary", metavar="METRIC", help="The metric that decides; it is tested alone.  [default: AP]"),
    BASELINE,
    MARGIN,
    LEVEL,
    ALPHA,
    resamples(1000),
    SEED,
    RESULT,
)  # fmt: skip
def detect(**values: Any) -> None:
    """Evaluate DETECTIONS against the objects in TRUTH: average precision and recall, intervals over images.

    Both are COCO JSON files, or tables with the columns image, label, x, y, w, h and, of detections, score; a row with
    an image alone declares an image without objects. With several files of detections, whether the later ones are
    better than the first, on the same images.
    """
    import heldout

    files = values.pop("files")
    given = typed(values)
    place = Place(values)
    given = {name: value for name, value in given.items() if name in values}
    if values["ranked"] is not None:
        _ranked(place, files, given)
        return
    if "truths" in given:
        raise UsageError("--truths has no effect without --ranked", fix="leave it out: objects are counted in TRUTH")
    if values["rule"] == "coco":
        only(given, given.keys() - {"iou"}, "--rule coco", "it takes IoU .50 to .95")
    by_class: dict[str, Any] = {"by_class": False} if given.pop("class_agnostic", False) else {}
    truth, models = truth_and_models(
        files, "a truth and detections are needed", "heldout detect truth.json detections.json"
    )
    place.deliver(heldout.detect(truth, models, **by_class, **python_names(given)))


def _ranked(place: Place, files: tuple[str, ...], given: dict[str, Any]) -> None:
    """The average precision of a list of detections that were matched already."""
    import heldout

    if files:
        raise UsageError("--ranked has the detections, so no other file is read", fix=f"leave out {' '.join(files)}")
    if "truths" not in given:
        raise UsageError("--ranked does not say how many objects there are", fix="give --truths N")
    allowed = {"ranked", "truths", "level", "alpha", "n_resamples", "seed"}
    only(given, allowed, "--ranked", "its detections were matched already")
    ranked, truths = given.pop("ranked"), given.pop("truths")
    place.deliver(heldout.detect_ranked(ranked, truths, **python_names(given)))
