"""Masks of single objects: polygons and run lengths, how large they are, and how much they overlap."""

from __future__ import annotations

from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.boxes.overlapping_pairs import Overlap
from heldout.errors import DataError
from heldout.inputs.formats.image_objects import Detections, Objects
from heldout.inputs.formats.label_maps import mask_of

FINE = 5
"""Polygons are drawn on a grid so many times finer, as pycocotools draws them."""


def polygon_mask(corners: Any, height: int, width: int) -> Array:
    """The pixels inside a polygon (x, y, x, y, …): those whose column the outline crosses an odd number of times above.

    >>> polygon_mask([0, 0, 2, 0, 2, 2, 0, 2], 3, 3).astype(int).tolist()
    [[1, 1, 0], [1, 1, 0], [0, 0, 0]]
    """
    fine = np.trunc(FINE * np.asarray(corners, dtype=float).reshape(-1, 2) + 0.5).astype(np.int64)
    x, y = _walked(fine)
    crossed = np.flatnonzero(x[1:] != x[:-1])
    before, after = crossed, crossed + 1
    # a step from one fine column to the next crosses the border between them; only middles of pixels matter
    column = (np.where(x[after] < x[before], x[after], x[after] - 1) + 0.5) / FINE - 0.5
    row = np.ceil(np.clip((np.minimum(y[after], y[before]) + 0.5) / FINE - 0.5, 0, height))
    inside = (column == np.floor(column)) & (column >= 0) & (column <= width - 1)
    turns = np.bincount((column[inside] * height + row[inside]).astype(np.int64), minlength=height * width + 1)
    return (np.cumsum(turns[: height * width]) % 2 == 1).reshape(width, height).T


def _walked(corners: Array) -> tuple[Array, Array]:
    """All points of the fine grid along the outline, corner by corner."""
    start, end = corners, np.roll(corners, -1, axis=0)
    far = np.abs(end - start)
    flat = far[:, 0] >= far[:, 1]
    count = far.max(axis=1)
    # an edge is drawn from its lower end, whichever way it is walked
    long_start, long_end = (np.where(flat, one[:, 0], one[:, 1]) for one in (start, end))
    flip = long_start > long_end
    low, high = np.where(flip[:, None], end, start), np.where(flip[:, None], start, end)
    slope = np.where(flat, high[:, 1] - low[:, 1], high[:, 0] - low[:, 0]) / np.maximum(count, 1)
    edge = np.repeat(np.arange(len(corners)), count + 1)
    step = np.arange(len(edge)) - np.repeat(np.cumsum(count + 1) - count - 1, count + 1)
    step = np.where(flip[edge], count[edge] - step, step)
    along = step + np.where(flat, low[:, 0], low[:, 1])[edge]
    across = np.trunc(np.where(flat, low[:, 1], low[:, 0])[edge] + slope[edge] * step + 0.5).astype(np.int64)
    return np.where(flat[edge], along, across), np.where(flat[edge], across, along)


def outline_mask(outline: Any, size: tuple[int, int], place: str) -> Array:
    """The mask of an object: run lengths, or one or several polygons put together."""
    height, width = size
    if isinstance(outline, list) and outline and all(isinstance(one, list) and len(one) >= 6 for one in outline):
        return np.logical_or.reduce([polygon_mask(one, height, width) for one in outline])
    found = mask_of(outline, place)
    if found.shape != (height, width):
        text = f"{place} has a mask of {found.shape[0]} x {found.shape[1]}, but its image is {height} x {width}"
        raise DataError(text, code="H113", fix="give masks in the size of the image")
    return found


def sizes_of(objects: Objects) -> Array:
    """Height and width of every image, in pixels."""
    sizes = objects.sizes
    if sizes is None or not np.isfinite(sizes).all():
        raise DataError(
            f"{objects.place} does not say how large its images are",
            code="H113",
            fix="give every image width and height",
        )
    return sizes[:, ::-1].astype(int)


def mask_areas(objects: Objects, detections: Detections) -> Array:
    """How many pixels each detection has."""
    sizes, outlines = sizes_of(objects), outlined(detections.outlines, detections.count, "detection")
    return np.array(
        [
            np.count_nonzero(outline_mask(one, tuple(sizes[image]), f"detection {at}"))
            for at, (one, image) in enumerate(zip(outlines, detections.image.tolist(), strict=True), 1)
        ],
        dtype=float,
    )


def outlined(outlines: tuple[Any, ...] | None, count: int, what: str) -> tuple[Any, ...]:
    """The outlines, one per line."""
    known = outlines if outlines is not None else (None,) * count
    missing = next((at for at, one in enumerate(known, 1) if not one), None)
    if missing is not None:
        fix = "give every line a segmentation, or judge boxes"
        raise DataError(f"{what} {missing} has no segmentation", code="H106", fix=fix)
    return known


def mask_overlap(objects: Objects, detections: Detections) -> Overlap:
    """IoU of masks, pair by pair, image after image; in a crowd, over the detection alone."""
    sizes = sizes_of(objects)
    truths = outlined(objects.outlines, objects.count, "annotation")
    said = outlined(detections.outlines, detections.count, "detection")

    def overlap(detection: Array, truth: Array) -> Array:
        found = np.zeros(len(detection))
        image = objects.image[truth]
        order = np.argsort(image, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(image[order])) + 1) if len(order) else ():
            size = tuple(sizes[image[part[0]]])
            ones, mine = np.unique(detection[part], return_inverse=True)
            others, theirs = np.unique(truth[part], return_inverse=True)
            left = _pixels([said[at] for at in ones], size, [f"detection {at + 1}" for at in ones])
            right = _pixels([truths[at] for at in others], size, [f"annotation {at + 1}" for at in others])
            shared = (left @ right.T).astype(float)
            own, whole = left.sum(axis=1, dtype=float)[:, None], right.sum(axis=1, dtype=float)
            union = own + np.where(objects.crowd[others], 0.0, whole - shared)
            found[part] = (shared / np.maximum(union, 1))[mine, theirs]
        return found

    return overlap


def _pixels(outlines: list[Any], size: tuple[int, int], places: list[str]) -> Array:
    """The masks as lines of a matrix."""
    masks = [outline_mask(one, size, place).reshape(-1) for one, place in zip(outlines, places, strict=True)]
    return np.array(masks, dtype=np.float32)  # whole numbers below 2^24 stay exact
