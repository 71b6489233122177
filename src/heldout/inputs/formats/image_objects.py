"""Objects in images and detections, as columns of equal length."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.inputs.formats.files import Source
from heldout.inputs.reading import Check


@dataclass(frozen=True, slots=True, kw_only=True)
class Objects:
    """The objects of images, one line per object."""

    images: tuple[Any, ...]
    """Names of all images, also of those without objects, in order."""
    classes: tuple[str, ...]
    """Names of all classes, in order."""
    image: Array
    """Which image each object is in, as a position in `images`."""
    label: Array
    """Its class, as a position in `classes`."""
    box: Array
    """x, y, width, height."""
    area: Array
    """Its size in pixels: that of the mask where there is one, else width times height."""
    crowd: Array
    """Whether the line is a crowd of objects: detections in it count neither as right nor as wrong."""
    sizes: Array | None = None
    """Width and height of every image; nan where they are not known."""
    outlines: tuple[Any, ...] | None = None
    """Polygons or run lengths of the objects, where there are any."""
    ids: tuple[Any, ...] | None = None
    """Ids of the objects in their file, where they have any."""
    names: tuple[str, ...] = ()
    """Names of all images for people, such as those of their files; empty: as in `images`."""
    measured: Array | None = None
    """Whether the size of each object was given, and is not that of its box; None: all were."""
    class_ids: tuple[Any, ...] = ()
    """Ids of the classes in files of detections."""
    place: str = "the truth"
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()

    @property
    def count(self) -> int:
        return len(self.image)


@dataclass(frozen=True, slots=True, kw_only=True)
class Detections:
    """Detections, one line each, in the order of the file."""

    image: Array
    label: Array
    box: Array
    score: Array
    area: Array
    outlines: tuple[Any, ...] | None = None
    checks: tuple[Check, ...] = field(default=())
    sources: tuple[Source, ...] = ()

    @property
    def count(self) -> int:
        return len(self.image)


def no_detections() -> Detections:
    """The detections of a detector that found nothing."""
    empty = np.zeros(0)
    return Detections(
        image=empty.astype(np.int64), label=empty.astype(np.int64), box=np.zeros((0, 4)), score=empty, area=empty
    )
