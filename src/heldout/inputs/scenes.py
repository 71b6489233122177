"""`read_boxes`: objects and the detections of several detectors, from COCO files or tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heldout.errors import UsageError
from heldout.inputs.box_tables import table_detections, table_objects
from heldout.inputs.coco import coco_detections, coco_objects
from heldout.inputs.objects import Detections, Objects


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxes:
    """The objects, and what each detector said."""

    objects: Objects
    detections: dict[str, Detections]


def read_boxes(truth: Any, detections: Mapping[str, Any]) -> Boxes:
    """Objects and detections: COCO files or their content, or tables with a line per box.

    >>> truth = {"image": ["a"], "label": ["cat"], "x": [0], "y": [0], "w": [4], "h": [5]}
    >>> found = read_boxes(truth, {"yolo": {**truth, "score": [0.9]}})
    >>> found.objects.count, found.detections["yolo"].score.tolist()
    (1, [0.9])
    """
    if not detections:
        raise UsageError("no detections were given", fix="name a file of detections beside the truth")
    if isinstance(truth, Objects):  # read before
        return Boxes(objects=truth, detections=dict(detections))
    tables = {name: one for name, one in detections.items() if not _is_coco(one)}
    objects = coco_objects(truth) if _is_coco(truth) else table_objects(truth, tables)
    return Boxes(
        objects=objects,
        detections={
            name: coco_detections(one, objects) if _is_coco(one) else table_detections(one, objects)
            for name, one in detections.items()
        },
    )


def _is_coco(source: Any) -> bool:
    """Whether the source is a JSON file or its content."""
    if isinstance(source, str | Path):
        return Path(source).suffix.lower() == ".json"
    return isinstance(source, list) or (isinstance(source, Mapping) and bool({"annotations", "images"} & set(source)))
