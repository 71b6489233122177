"""Masks of single objects: polygons and run lengths, how large they are, and how much they overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.boxes.overlapping_pairs import Overlap
from heldout.boxes.run_lengths import FINE, Masks, edges_of_lengths, polygon_edges, united
from heldout.errors import DataError
from heldout.inputs.formats.image_objects import Detections, Objects
from heldout.inputs.formats.run_length_codes import run_lengths
from heldout.inputs.limits import OUTLINE, RUNS, SIDE
from heldout.inputs.message_text import quoted

FAR, FARTHEST = 10.0, 1e6
"""A vertex beyond so many sides of its image, or so many pixels, is an error: its outline is walked point by point."""
POLYGON = "write polygons as [[x, y, x, y, x, y, …], …] in pixels of the image"


def outline_edges(outline: Any, size: tuple[int, int], place: str) -> Array:
    """Where the mask of an object begins and ends: run lengths, or one or several polygons put together."""
    height, width = size
    if isinstance(outline, Sequence) and not isinstance(outline, str | bytes):
        return united([polygon_edges(_corners(one, size, place), height, width) for one in outline])
    lengths, shape = run_lengths(outline, place)
    if shape != (height, width):
        text = f"{place} has a mask of {shape[0]} x {shape[1]}, but its image is {height} x {width}"
        raise DataError(text, code="H113", fix="give masks in the size of the image")
    return edges_of_lengths(lengths)


def _corners(polygon: Any, size: tuple[int, int], place: str) -> Array:
    """The vertices of a polygon as numbers, x and y in turn."""
    if not isinstance(polygon, Sequence | np.ndarray) or isinstance(polygon, str | bytes):
        text = f"{place} has {quoted(polygon)} where a polygon belongs"
        raise DataError(text, code="H113", fix=POLYGON)
    strangers = [] if _all_numbers(polygon) else [one for one in polygon if not _is_number(one)]
    if strangers:
        text = f"{place} has a polygon of {quoted(strangers[0])}, which is not a number"
        raise DataError(text, code="H113", fix=POLYGON)
    if len(polygon) % 2 or len(polygon) < 6:
        text = f"{place} has a polygon of {len(polygon)} numbers, not x and y of three points or more"
        raise DataError(text, code="H113", fix=POLYGON)
    corners = np.array(polygon, dtype=float)
    if not np.isfinite(corners).all():
        odd = corners[~np.isfinite(corners)][0]
        raise DataError(f"{place} has a polygon with {odd:g}, which is not finite", code="H113", fix=POLYGON)
    # beyond that a polygon is no object of the image, and its outline would need the memory of all its points
    far = np.flatnonzero(np.abs(corners) > min(FAR * max(size), FARTHEST))
    if len(far):
        x, y = corners[far[0] // 2 * 2 : far[0] // 2 * 2 + 2]
        text = f"{place} has a polygon with the vertex ({x:g}, {y:g}), far outside its image of {size[0]} x {size[1]}"
        raise DataError(text, code="H113", fix=POLYGON)
    points = corners.reshape(-1, 2)
    steps = np.abs(points - np.roll(points, -1, axis=0)).max(axis=1)
    OUTLINE.check(int(FINE * steps.sum()) + len(points), place)
    return corners


def _all_numbers(polygon: Any) -> bool:
    """Whether all entries are plain numbers, as those of a file are; this is faster than to ask each."""
    return len(polygon) > 0 and {type(one) for one in polygon} <= {int, float}


def _is_number(one: Any) -> bool:
    return isinstance(one, Real) and not isinstance(one, bool)


def sizes_of(objects: Objects) -> Array:
    """Height and width of every image, in pixels."""
    sizes = objects.sizes
    if sizes is None or not (np.isfinite(sizes) & (sizes >= 1) & (sizes == np.floor(sizes))).all():
        raise DataError(
            f"{objects.place} does not say how large its images are",
            code="H113",
            fix="give every image width and height in whole pixels",
        )
    SIDE.check(int(sizes.max(initial=0)), f"an image of {objects.place}")
    return sizes[:, ::-1].astype(int)


def object_masks(objects: Objects) -> Masks:
    """The masks of all objects."""
    ids = objects.ids or (None,) * objects.count
    return _masks(objects, objects.outlines, objects.image, "annotation", ids)


def detection_masks(objects: Objects, detections: Detections) -> Masks:
    """The masks of all detections."""
    return _masks(objects, detections.outlines, detections.image, "detection", (None,) * detections.count)


def _masks(objects: Objects, outlines: tuple[Any, ...] | None, image: Array, what: str, ids: Sequence[Any]) -> Masks:
    """The masks of all lines, each as large as its image; messages name the line, its id and its image."""
    sizes, known = sizes_of(objects), outlined(outlines, len(image), what)
    edges, ends = [], 0
    for at, (outline, of, own) in enumerate(zip(known, image.tolist(), ids, strict=True), 1):
        called = f"id {quoted(own)}, " if own is not None else ""
        height, width = sizes[of].tolist()
        edges.append(
            outline_edges(outline, (height, width), f"{what} {at} ({called}image {quoted(objects.images[of])})")
        )
        ends += len(edges[-1])
        RUNS.check(ends, objects.place)
    return Masks(edges, sizes[image].prod(axis=1))


def outlined(outlines: tuple[Any, ...] | None, count: int, what: str) -> tuple[Any, ...]:
    """The outlines, one per line."""
    known = outlines if outlines is not None else (None,) * count
    missing = next((at for at, one in enumerate(known, 1) if not one), None)
    if missing is not None:
        fix = "give every line a segmentation, or judge boxes"
        raise DataError(f"{what} {missing} has no segmentation", code="H106", fix=fix)
    return known


def measured_objects(objects: Objects, masks: Masks) -> Objects:
    """The objects with the size of their masks where no size was given."""
    if objects.measured is None or objects.measured.all():
        return objects
    return replace(objects, area=np.where(objects.measured, objects.area, masks.areas.astype(float)))


def mask_overlap(objects: Objects, truths: Masks, found: Masks) -> Overlap:
    """IoU of the masks of detections with those of objects, pair by pair; in a crowd, over the detection alone."""

    def overlap(detection: Array, truth: Array) -> Array:
        shared = found.shared(truths, detection, truth)
        rest = np.where(objects.crowd[truth], 0, truths.areas[truth] - shared)
        union: Array = shared / np.maximum(found.areas[detection] + rest, 1)
        return union

    return overlap
