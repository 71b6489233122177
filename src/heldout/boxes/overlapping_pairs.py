"""Detections and objects that overlap: the only pairs that matching looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.inputs.formats.image_objects import Detections, Objects


def iou(one: Array, other: Array, crowd: Array | None = None, *, pixels: bool = False) -> Array:
    """Intersection over union of boxes (x, y, width, height), line by line or broadcast [everingham10].

    Where `crowd` is true the union is the first box alone: a detection inside a crowd is inside it whole [lin14].
    With `pixels` both edges belong to the box, so that it is one pixel wider and higher, as Pascal VOC counts.

    >>> iou(np.array([0.0, 0, 10, 10]), np.array([[5.0, 5, 10, 10], [20, 20, 5, 5]])).round(4).tolist()
    [0.1429, 0.0]
    """
    more = 1.0 if pixels else 0.0
    x, y, w, h = (one[..., side] for side in range(4))
    u, v, p, q = (other[..., side] for side in range(4))
    wide = np.maximum(np.minimum(x + w, u + p) - np.maximum(x, u) + more, 0.0)
    high = np.maximum(np.minimum(y + h, v + q) - np.maximum(y, v) + more, 0.0)
    shared = wide * high
    first = (w + more) * (h + more)
    union = first + (p + more) * (q + more) - shared
    if crowd is not None:
        union = np.where(crowd, first, union)
    return np.divide(shared, union, out=np.zeros_like(shared), where=shared > 0)


Overlap = Callable[[Array, Array], Array]
"""IoU of detections with objects, both by position, pair by pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """Detections in the order in which precision is counted, and their rank among those of the same image and class."""

    taken: Array
    """Positions in the file."""
    rank: Array


def ordered(detections: Detections, label: Array, most: int) -> Ordered:
    """Detections by class, falling score, image and file order, at most so many per image and class.

    Ties are broken as pycocotools breaks them: by image, then by the order of the file.
    """
    by_image = stable(detections.image)
    order = by_image[falling(label[by_image], detections.score[by_image])]
    rank = places(detections.image[order].astype(np.int64) * (int(label.max(initial=0)) + 1) + label[order])
    kept = rank < most
    return Ordered(taken=order[kept], rank=rank[kept]) if not kept.all() else Ordered(taken=order, rank=rank)


def falling(label: Array, score: Array) -> Array:
    """Positions by label and falling score, equal ones as they stand.

    Label, score and position are one number, which sorts faster than positions do; of a score there may only be room
    for the leading bits, and the few lines that these leave undecided are put in order afterwards.

    >>> falling(np.array([1, 0, 1, 0]), np.array([0.2, 0.5, 0.9, 0.5])).tolist()
    [1, 3, 2, 0]
    """
    if not len(score):
        return np.arange(0)
    bits = len(score).bit_length()
    room = 62 - bits - int(label.max()).bit_length()
    below = _below_best(score)
    cut = max(int(below.max()).bit_length() - room, 0)
    code = (label.astype(np.int64) << room) | (below >> np.uint64(cut)).astype(np.int64)
    packed = (code << bits) | np.arange(len(score))
    packed.sort()
    order = packed & ((1 << bits) - 1)
    return _decided(order, packed >> bits, score) if cut else order


def _below_best(score: Array) -> Array:
    """How many numbers of double precision lie between each score and the best."""
    whole = (score.astype(np.float64) + 0.0).view(np.int64)  # -0 becomes 0
    rising = whole ^ ((whole >> 63) & np.iinfo(np.int64).max)  # of negative scores the larger number is the lesser
    return (rising.max() - rising).view(np.uint64)


def _decided(order: Array, code: Array, score: Array) -> Array:
    """Lines with the same leading bits by their scores."""
    first = np.append(True, code[1:] != code[:-1])
    ranked = score[order]
    unsure = np.flatnonzero(~first[1:] & (ranked[1:] != ranked[:-1]))
    if len(unsure):
        run = np.cumsum(first) - 1
        lines = np.flatnonzero(np.isin(run, run[unsure]))
        order[lines] = order[lines][np.lexsort((order[lines], -ranked[lines], run[lines]))]
    return order


def places(group: Array) -> Array:
    """How many lines of the same group stand before each.

    >>> places(np.array([3, 3, 0, 3])).tolist()
    [0, 1, 0, 2]
    """
    order = stable(group)
    ranked = group[order]
    first = np.ones(len(group), dtype=bool)
    first[1:] = ranked[1:] != ranked[:-1]
    starts = np.flatnonzero(first)
    found = np.empty(len(group), dtype=np.int64)
    found[order] = np.arange(len(group)) - np.repeat(starts, np.diff(np.append(starts, len(group))))
    return found


def stable(codes: Array) -> Array:
    """Positions in the order of the codes, equal ones as they stand.

    Code and position are one number where both fit: sorting numbers is many times faster than sorting positions.

    >>> stable(np.array([2, 0, 2, 1])).tolist()
    [1, 3, 0, 2]
    """
    if not len(codes) or np.all(codes[1:] >= codes[:-1]):
        return np.arange(len(codes))
    bits = len(codes).bit_length()
    if int(codes.max()).bit_length() + bits > 62:
        return np.argsort(codes, kind="stable")
    packed = (codes.astype(np.int64) << bits) | np.arange(len(codes))
    packed.sort()
    return packed & ((1 << bits) - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Detections and objects of one image and class that overlap enough."""

    detection: Array
    """Position in the order of the detections."""
    truth: Array
    overlap: Array


def overlapping(
    objects: Objects, image: Array, label: Array, *, truth_label: Array, overlap: Overlap, least: float
) -> Pairs:
    """All pairs of one image and class whose IoU is `least` or more, by detection and then by object."""
    classes = int(max(label.max(initial=0), truth_label.max(initial=0))) + 1
    place = objects.image * classes + truth_label
    by_place = np.argsort(place, kind="stable")
    wanted = image.astype(np.int64) * classes + label
    counts = np.bincount(place, minlength=len(objects.images) * classes)
    before = np.cumsum(counts) - counts
    each = counts[wanted]
    detection = np.repeat(np.arange(len(image)), each)
    within = np.arange(len(detection)) - np.repeat(np.cumsum(each) - each, each)
    truth = by_place[before[wanted][detection] + within]
    found = overlap(detection, truth)
    near = found >= least
    return Pairs(detection=detection[near], truth=truth[near], overlap=found[near])


def box_overlap(objects: Objects, box: Array, *, pixels: bool = False, crowds: bool = True) -> Overlap:
    """IoU of boxes, pair by pair; `box` has a line per detection."""

    def overlap(detection: Array, truth: Array) -> Array:
        crowd = objects.crowd[truth] if crowds and objects.crowd.any() else None
        # taking lines is several times faster than indexing with them
        return iou(box.take(detection, axis=0), objects.box.take(truth, axis=0), crowd, pixels=pixels)

    return overlap
