"""Boxes that were written another way than the other side's: as corners, or as shares of the image."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from heldout.batch import Array
from heldout.boxes.matching import HIT, MOST, Matches, coco_matches
from heldout.boxes.overlapping_pairs import box_overlap, ordered, overlapping
from heldout.inputs.formats.image_objects import Detections, Objects
from heldout.inputs.reading import Check

FOUND, ENOUGH = 0.02, 0.2
"""Share of the objects below which next to nothing was found, and from which on another reading explains it."""
HALF_FOUND = 0.5
"""Share of the objects from which on the boxes are taken as they are given."""
FITS, TIMES = 0.5, 2.0
"""Mean of the objects' best IoU from which on another reading fits, and how many times that of the given one it is."""
SHARES = 1.5
"""Boxes that end below this are given as shares of the image, if those of the other side end beyond it."""
HALF = np.array([0.5])
Lines = TypeVar("Lines", Objects, Detections)


def box_convention(objects: Objects, detections: Detections, matches: Matches) -> tuple[Check, ...]:
    """A note where next to no object is found, or far fewer than could be, and another reading explains it."""
    if not objects.count or not detections.count or np.isnan(detections.box).any():
        return ()
    found = _found(matches)
    if found >= HALF_FOUND:
        return ()
    shares = [bool((box[:, :2] + box[:, 2:]).max() <= SHARES) for box in (objects.box, detections.box)]
    if shares[0] != shares[1] and found < FOUND:
        which = f"the objects of {objects.place}" if shares[0] else "the detections"
        text = (
            f"next to no object is found, and all boxes of {which} end below {SHARES:g}: are they shares of the image?"
        )
        return (Check(code="H113", text=f"{text} Give x, y, w and h in pixels on both sides."),)
    given = _best_overlap(objects, detections)
    for which, truth, said in (
        ("the detections", objects, _from_corners(detections)),
        (f"the objects of {objects.place}", _from_corners(objects), detections),
    ):
        if truth is None or said is None:
            continue
        share = _found(coco_matches(truth, said, thresholds=HALF, areas={"all": (0.0, 1e10)}))
        fit = _best_overlap(truth, said)
        if (found < FOUND and share >= ENOUGH) or (fit >= FITS and fit >= TIMES * given):
            now = "next to no object is found" if found < FOUND else f"{found:.0%} of the objects are found"
            text = (
                f"{now}, but {share:.0%} are if w and h of {which} are read as the right and the lower end: "
                "give width and height"
            )
            return (Check(code="H113", text=text),)
    return ()


def _best_overlap(objects: Objects, detections: Detections) -> float:
    """Mean over the objects of their best IoU with a detection of their image and class; crowds are left out."""
    taken = ordered(detections, detections.label, MOST).taken
    pairs = overlapping(
        objects, detections.image[taken], detections.label[taken], truth_label=objects.label,
        overlap=box_overlap(objects, detections.box[taken]), least=0.0,
    )  # fmt: skip
    best = np.zeros(objects.count)
    np.maximum.at(best, pairs.truth, pairs.overlap)
    kept = best[~objects.crowd]
    return float(kept.mean()) if len(kept) else 0.0


def _found(m: Matches) -> float:
    """Share of the objects that are found at the lowest overlap."""
    count = int(np.count_nonzero(m.counted[:, 0]))
    return float(np.count_nonzero(m.outcome[:, 0, 0] == HIT)) / count if count else 1.0


def _from_corners(lines: Lines) -> Lines | None:
    """The same if the last two numbers of a box were its right and lower corner; None where they cannot be."""
    box: Array = np.concatenate([lines.box[:, :2], lines.box[:, 2:] - lines.box[:, :2]], axis=1)
    if not (box[:, 2:] >= 0).all():
        return None
    return replace(lines, box=box, area=box[:, 2] * box[:, 3])
