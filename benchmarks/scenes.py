"""Seeded objects in images, and a detector's boxes: the same in every run."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks.task import Data

EACH = 100
"""Detections per image."""
OBJECTS = 7.2
"""Objects per image."""
CLASSES = 80
SEED = 21


@lru_cache(maxsize=2)
def scenes(rows: int) -> Data:
    """A COCO truth and as many detections, a hundred per image: three near each object, the rest anywhere.

    >>> made = scenes(1000)
    >>> len(made["truth"]["images"]), len(made["detections"])
    (10, 1000)
    """
    images = max(rows // EACH, 1)
    rng = np.random.default_rng(SEED)
    count = int(OBJECTS * images)
    image = np.sort(rng.integers(0, images, count))
    kind = (CLASSES * rng.beta(0.6, 2, count)).astype(int)
    size = np.clip(np.exp(rng.normal(4, 1, (count, 2))), 4, 400)
    box = np.column_stack([rng.random((count, 2)) * (640 - size), size]).round(2)
    near = np.repeat(np.arange(count), 3)
    noise = rng.normal(0, 0.12, (len(near), 4))
    close = np.column_stack([box[near, :2] + noise[:, :2] * box[near, 2:], box[near, 2:] * np.exp(noise[:, 2:])])
    far = np.column_stack([rng.random((rows, 2)) * 500, np.clip(np.exp(rng.normal(4, 1, (rows, 2))), 4, 400)])
    where = np.concatenate([image[near], np.repeat(np.arange(images), EACH)[:rows]])
    boxes = np.concatenate([close, far]).round(2)
    kinds = np.concatenate([kind[near], kind[rng.integers(0, count, rows)]])
    score = np.concatenate([rng.beta(3, 2, len(near)), rng.beta(1, 5, rows)]).round(4)
    kept = _first(where, EACH)
    return {
        "truth": {
            "images": [{"id": i, "width": 640, "height": 640} for i in range(images)],
            "categories": [{"id": k, "name": f"class {k}"} for k in range(CLASSES)],
            "annotations": _lines(image, kind, box, [("id", range(1, count + 1)), ("iscrowd", [0] * count)]),
        },
        "detections": _lines(where[kept], kinds[kept], boxes[kept], [("score", score[kept].tolist())]),
    }


def _first(where: Any, each: int) -> Any:
    """The first so many lines of every image, image by image."""
    order = np.argsort(where, kind="stable")
    start = np.searchsorted(where[order], where[order])
    return order[np.arange(len(order)) - start < each]


def _lines(image: Any, kind: Any, box: Any, more: Any) -> list[dict[str, Any]]:
    """Objects of a COCO file."""
    names = ["image_id", "category_id", "bbox", "area", *(name for name, _ in more)]
    areas = (box[:, 2] * box[:, 3] * 0.7).tolist()
    columns = [image.tolist(), kind.tolist(), box.tolist(), areas, *(column for _, column in more)]
    return [dict(zip(names, line, strict=True)) for line in zip(*columns, strict=True)]
