"""Matching detections with objects, the COCO way and the Pascal VOC way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.boxes.overlapping_pairs import Ordered, Overlap, Pairs, box_overlap, ordered, overlapping, places
from heldout.errors import UsageError
from heldout.inputs.formats.image_objects import Detections, Objects

MISSED, HIT, IGNORED = 0, 1, 2
"""What became of a detection: it found nothing, an object that counts, or one that does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """Detections by class and falling score, and what became of them at every size range and IoU threshold.

    Detections that overlap nothing enough are only listed; the others, the candidates, have an outcome.
    """

    images: int
    classes: int
    thresholds: Array
    """IoU from which on a detection finds an object."""
    areas: tuple[str, ...]
    """Names of the size ranges."""
    truth_image: Array
    truth_label: Array
    counted: Array
    """Objects by size ranges: whether the object counts there."""
    image: Array
    """Of each detection, in order."""
    label: Array
    score: Array
    rank: Array
    """How many detections of its image and class stand before it."""
    inside: Array
    """Detections by size ranges: whether the detection is of that size."""
    at: Array
    """Where the candidates stand among the detections, rising."""
    outcome: Array
    """Candidates by size ranges by thresholds: MISSED, HIT or IGNORED."""


THRESHOLDS = np.linspace(0.5, 0.95, 10)
"""IoU thresholds of COCO."""
AREAS: dict[str, tuple[float, float]] = {
    "all": (0.0, 1e10),
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, 1e10),
}
"""Sizes of objects by COCO, in pixels, both ends included."""
MOST = 100
"""Detections per image and class beyond this are not looked at."""
ALMOST_ONE = 1 - 1e-10


def coco_matches(
    objects: Objects,
    detections: Detections,
    *,
    thresholds: Array = THRESHOLDS,
    areas: Mapping[str, tuple[float, float]] = AREAS,
    most: int = MOST,
    by_class: bool = True,
    overlap: Overlap | None = None,
) -> Matches:
    """Every detection, best score first, takes the object it overlaps most among those still free [lin14].

    Crowds and objects outside the size range come second, and whatever takes them is neither right nor wrong; so is a
    detection of another size that takes nothing. A crowd can be taken many times. `overlap` replaces the IoU of boxes.
    """
    label, truth_label = (detections.label, objects.label) if by_class else _one_class(objects, detections)
    order = _order(detections, label, most, by_class=by_class)
    image, kind = detections.image[order.taken], label[order.taken]
    ranges = np.array(list(areas.values()))
    limits = np.minimum(np.sort(thresholds), ALMOST_ONE)
    overlap = _of_order(overlap or box_overlap(objects, detections.box), order)
    pairs = overlapping(objects, image, kind, truth_label=truth_label, overlap=overlap, least=float(limits.min()))
    counted = ~objects.crowd[:, None] & _within(objects.area, ranges)
    group = image.astype(np.int64) * len(objects.classes) + kind
    at, outcome = _greedy(pairs, group, counted=counted, crowd=objects.crowd, steps=limits)
    return Matches(
        images=len(objects.images),
        classes=len(objects.classes) if by_class else 1,
        thresholds=np.sort(thresholds),
        areas=tuple(areas),
        truth_image=objects.image,
        truth_label=truth_label,
        counted=counted,
        image=image,
        label=kind,
        score=detections.score[order.taken],
        rank=order.rank,
        inside=_within(detections.area[order.taken], ranges),
        at=at,
        outcome=outcome,
    )


def voc_matches(objects: Objects, detections: Detections, *, thresholds: Array, pixels: bool = True) -> Matches:
    """Every detection claims the object it overlaps most; the best-scored claim of an object is right [everingham10].

    Other claims are wrong, even if another object lies below; those of a crowd, there called difficult, are neither.
    With `pixels` both edges belong to a box.
    """
    order = ordered(detections, detections.label, detections.count + 1)
    image, kind = detections.image[order.taken], detections.label[order.taken]
    overlap = _of_order(box_overlap(objects, detections.box, pixels=pixels, crowds=False), order)
    least = float(thresholds.min())
    pairs = overlapping(objects, image, kind, truth_label=objects.label, overlap=overlap, least=least)
    # by detection, its largest overlap last and, of equal ones, the first object last
    best = np.lexsort((-pairs.truth, pairs.overlap, pairs.detection))
    last = np.append(pairs.detection[best][1:] != pairs.detection[best][:-1], True)[: len(best)]
    claims = best[last]
    at, truth = pairs.detection[claims], pairs.truth[claims]
    right = np.zeros((len(at), 1, len(thresholds)), dtype=np.int8)
    for t, least in enumerate(thresholds):
        enough = np.flatnonzero(pairs.overlap[claims] >= least)
        _, first = np.unique(truth[enough], return_index=True)  # claims stand in the order of scores
        right[enough[first], 0, t] = HIT
        right[enough[objects.crowd[truth[enough]]], 0, t] = IGNORED
    everything = np.ones((objects.count, 1), dtype=bool)
    return Matches(
        images=len(objects.images),
        classes=len(objects.classes),
        thresholds=thresholds,
        areas=("all",),
        truth_image=objects.image,
        truth_label=objects.label,
        counted=everything & ~objects.crowd[:, None],
        image=image,
        label=kind,
        score=detections.score[order.taken],
        rank=order.rank,
        inside=np.ones((len(image), 1), dtype=bool),
        at=at,
        outcome=right,
    )


def _one_class(objects: Objects, detections: Detections) -> tuple[Array, Array]:
    return np.zeros_like(detections.label), np.zeros_like(objects.label)


def _order(detections: Detections, label: Array, most: int, *, by_class: bool) -> Ordered:
    """The order of the detections; where classes are put together, ties go by class first."""
    if by_class:
        return ordered(detections, label, most)
    first = np.argsort(detections.label, kind="stable")
    moved = Detections(
        image=detections.image[first],
        label=label[first],
        box=detections.box[first],
        score=detections.score[first],
        area=detections.area[first],
    )
    found = ordered(moved, moved.label, most)
    return Ordered(taken=first[found.taken], rank=found.rank)


def _of_order(overlap: Overlap, order: Ordered) -> Overlap:
    return lambda detection, truth: overlap(order.taken[detection], truth)


def _within(area: Array, ranges: Array) -> Array:
    """Lines by size ranges, one range beside the other in memory."""
    return np.array([(area >= low) & (area <= high) for low, high in ranges.tolist()]).T


def _greedy(pairs: Pairs, group: Array, *, counted: Array, crowd: Array, steps: Array) -> tuple[Array, Array]:
    """The candidates, and what became of each at every size range and threshold.

    Detections of different images and classes do not compete: the first candidate of every group is served, then the
    second of every group, and so on. Size ranges and thresholds are the bits of a number, so that one step serves all.
    """
    at, candidate = _numbered(pairs.detection)
    queue = _queue(pairs, candidate)
    truth, candidate = pairs.truth[queue], candidate[queue]
    passed = np.searchsorted(steps, pairs.overlap[queue], side="right")
    turns = _served(places(group[at])[candidate], places(candidate))
    outcome = np.empty((counted.shape[1], len(steps), len(at)), dtype=np.int8)
    for some in _together(counted.shape[1], len(steps)):
        reach = _bits(passed, len(steps)) * _repeated(np.ones(some.stop - some.start, dtype=bool), len(steps))
        counts = _repeated(counted[:, some], len(steps)) * _bits(np.array(len(steps)), len(steps))
        hit, ignored = _taken(turns, candidate, truth, reach=reach, counts=counts, crowd=crowd)
        _unpack(hit, ignored, outcome[some])
    return at, np.moveaxis(outcome, 2, 0)


def _taken(
    turns: list[list[Array]], candidate: Array, truth: Array, *, reach: Array, counts: Array, crowd: Array
) -> tuple[Array, Array]:
    """The bits at which each candidate takes an object that counts, and those at which it takes another one."""
    hit = np.zeros(int(candidate.max(initial=-1)) + 1, dtype=np.uint64)
    ignored, free = np.zeros_like(hit), np.full_like(counts, ~np.uint64(0))
    for now in turns:
        for lines, second in ((one, second) for second in (False, True) for one in now):
            who, what = candidate[lines], truth[lines]
            wanted = ~counts[what] if second else counts[what]
            takes = free[what] & reach[lines] & wanted & ~(hit[who] | ignored[who])
            if second:
                ignored[who] |= takes
                takes[crowd[what]] = 0  # a crowd stays free
            else:
                hit[who] |= takes
            free[what] &= ~takes
    return hit, ignored


def _queue(pairs: Pairs, candidate: Array) -> Array:
    """The pairs by detection; of one detection, the largest overlap comes first and, of equal ones, the last object."""
    queue = np.arange(len(candidate))
    several = np.flatnonzero(np.bincount(candidate)[candidate] > 1)
    queue[several] = several[np.lexsort((-pairs.truth[several], -pairs.overlap[several], candidate[several]))]
    return queue


def _numbered(rising: Array) -> tuple[Array, Array]:
    """The distinct values of a rising column, and which of them each line has."""
    first = np.ones(len(rising), dtype=bool)
    first[1:] = rising[1:] != rising[:-1]
    return rising[first], np.cumsum(first) - 1


def _served(turn: Array, slot: Array) -> list[list[Array]]:
    """Pairs by turn, and within a turn by slot: each detection occurs once in a slot, each object once in a turn."""
    slots = int(slot.max(initial=0)) + 1
    step = turn * slots + slot
    order = np.argsort(step, kind="stable")
    found, starts = np.unique(step[order], return_index=True)
    parts = np.split(order, starts[1:]) if len(order) else []
    turns: dict[int, list[Array]] = {}
    for number, part in zip((found // slots).tolist(), parts, strict=True):
        turns.setdefault(number, []).append(part)
    return list(turns.values())


def _bits(count: Array, most: int) -> Array:
    """Numbers whose lowest `count` bits are set."""
    if most > 63:
        raise UsageError(f"{most} IoU thresholds are too many at once", fix="give 63 or fewer")
    return (np.uint64(1) << count.astype(np.uint64)) - np.uint64(1)


def _together(ranges: int, steps: int) -> list[slice]:
    """Size ranges whose thresholds fit into one number."""
    each = max(64 // steps, 1)
    return [slice(first, min(first + each, ranges)) for first in range(0, ranges, each)]


def _repeated(there: Array, steps: int) -> Array:
    """A number whose lowest bit is set for the first size range, the next one `steps` bits above, and so on."""
    return there @ (np.uint64(1) << np.arange(0, there.shape[-1] * steps, steps, dtype=np.uint64))


def _unpack(hit: Array, ignored: Array, outcome: Array) -> None:
    """What became of each candidate, written out by size range and threshold."""
    one, steps = np.uint64(1), outcome.shape[1]
    for cell in np.ndindex(*outcome.shape[:2]):
        bit = np.uint64(cell[0] * steps + cell[1])
        outcome[cell] = ((hit >> bit) & one) * np.uint64(HIT) | ((ignored >> bit) & one) * np.uint64(IGNORED)
