"""A world of boxes: images that differ in how hard they are, and detectors that are equally good."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.inputs.formats.image_objects import Detections, Objects
from heldout.lab.name_parsing import spelled

SIDES = (24.0, 60.0, 120.0)
"""Sides of the objects, one of each of COCO's three ranges, equally often."""
APART = 200.0
"""Objects of an image stand so far apart that no box meets two."""
HARDNESS = 0.8
"""Spread of how hard an image is: what is found, how well it sits and how sure its score is are alike within one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxes:
    """How many objects of how many classes an image has, how many wrong boxes, and how badly right ones sit."""

    classes: int
    objects: float
    """Per image and class, on average."""
    wrong: float
    """Wrong boxes per image, on average over images that are neither hard nor easy."""
    blur: float
    """How far the sides of a right box are off, as a share of its side."""
    tail: float
    """0: every class is as frequent; 1: the k-th as 1 / k."""

    @property
    def name(self) -> str:
        """The word for this world."""
        given = {"classes": self.classes, "objects": self.objects, "wrong": self.wrong, "blur": self.blur}
        return spelled("boxes", **given, **({"tail": self.tail} if self.tail else {}))

    @property
    def frequencies(self) -> Array:
        """Objects per image, by class.

        >>> boxes(classes=2, objects=1.5, tail=1).frequencies.tolist()
        [2.0, 1.0]
        """
        shares = np.arange(1.0, self.classes + 1) ** -self.tail
        return self.objects * self.classes * shares / shares.sum()

    def sample(self, images: int, rng: np.random.Generator, detectors: int = 2) -> tuple[Objects, list[Detections]]:
        """Objects of so many images, and detectors that are equally good."""
        each = rng.poisson(self.frequencies, (images, self.classes))
        image = np.repeat(np.arange(images), each.sum(axis=1))
        label = np.repeat(np.tile(np.arange(self.classes), images), each.ravel())
        side = rng.choice(SIDES, len(image))
        place = APART * (np.arange(len(image)) - np.searchsorted(image, image))
        objects = Objects(
            images=tuple(range(images)), classes=tuple(map(str, range(self.classes))), image=image, label=label,
            box=np.column_stack([place, np.zeros(len(image)), side, side]), area=side**2,
            crowd=np.zeros(len(image), dtype=bool),
        )  # fmt: skip
        hard = rng.normal(0, HARDNESS, images)
        return objects, [self._detector(objects, hard, rng) for _ in range(detectors)]

    def _detector(self, objects: Objects, hard: Array, rng: np.random.Generator) -> Detections:
        mine, side = hard[objects.image], objects.box[:, 2:3]
        found = rng.random(objects.count) < 1 / (1 + np.exp(mine - 1.5))
        off = self.blur * np.exp(0.3 * mine)[:, None] * rng.normal(size=(objects.count, 4))
        wrong = np.repeat(np.arange(len(hard)), rng.poisson(self.wrong * np.exp(0.5 * hard)))
        beside = rng.choice(SIDES, len(wrong))
        astray = np.column_stack([np.zeros(len(wrong)), np.full(len(wrong), 5 * APART), beside, beside])
        box = np.concatenate([(objects.box + side * off)[found], astray])
        box = np.maximum(box, [-np.inf, -np.inf, 1.0, 1.0])
        return Detections(
            image=np.concatenate([objects.image[found], wrong]),
            label=np.concatenate([objects.label[found], rng.integers(0, self.classes, len(wrong))]),
            box=box,
            score=np.concatenate([rng.normal(1 - 0.5 * mine, 1)[found], rng.normal(0, 1, len(wrong))]),
            area=box[:, 2] * box[:, 3],
        )


def boxes(classes: int = 3, objects: float = 1.0, wrong: float = 1.5, blur: float = 0.1, tail: float = 0.0) -> Boxes:
    """Images with boxes.

    >>> boxes(objects=0.5).name
    'boxes:classes=3,objects=0.5,wrong=1.5,blur=0.1'
    """
    if classes < 1 or not min(objects, blur) > 0 or wrong < 0 or tail < 0:
        raise UsageError(
            f"boxes with classes={classes}, objects={objects:g}, wrong={wrong:g}, blur={blur:g} and tail={tail:g}"
            " cannot be drawn",
            fix="such as boxes:classes=3,objects=1,wrong=1.5,blur=0.1",
        )
    return Boxes(classes=classes, objects=objects, wrong=wrong, blur=blur, tail=tail)
