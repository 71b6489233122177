"""Simulated images: boxes found by a detector, and label maps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from heldout.batch import Array
from heldout.inputs.formats.image_objects import Detections, Objects
from heldout.lab.name_parsing import Range, spelled, within
from heldout.tallies.cells import Cells

PIXELS = 4096
"""Of every image."""
LUMPS = 2.0
"""How unevenly the classes of an image share it: their parts are those of gamma variables of this shape."""
ALIKE = 0.5
"""The chance that a class is as hard as its image; else it is as hard as any."""
SHARED = 0.7
"""The chance that an image is as hard for the second model as for the first."""


@dataclass(frozen=True, kw_only=True)
class Pixels:
    """How many classes there are, how often each is in an image, and how many of its pixels are right."""

    classes: int
    """The first is in every image: the ground."""
    present: float
    """The chance that an image has some class other than the first."""
    quality: float
    """The mean chance that a pixel is right; a wrong one is of any other class."""
    spread: float
    """That chance differs from image to image, by a beta law; this is its a + b: the smaller, the more."""

    @property
    def name(self) -> str:
        """The word for this world."""
        given = {name: getattr(self, name) for name in ("classes", "present", "quality", "spread")}
        return spelled("pixels", **given)

    @cached_property
    def shares(self) -> Array:
        """The share of all pixels that each class has: the ground E[1 / (1 + m)], with m other classes in an image.

        >>> pixels(classes=2, present=0.5).shares.tolist()
        [0.75, 0.25]
        """
        others = self.classes - 1
        chances = [comb(others, m) * self.present**m * (1 - self.present) ** (others - m) for m in range(others + 1)]
        ground = sum(chance / (1 + m) for m, chance in enumerate(chances))
        return np.array([ground, *[(1 - ground) / others] * others])

    @cached_property
    def counts(self) -> Array:
        """Pixels of an image by truth (line) and prediction (column), on average."""
        wrong = np.full((self.classes, self.classes), (1 - self.quality) / (self.classes - 1))
        np.fill_diagonal(wrong, self.quality)
        return PIXELS * self.shares[:, None] * wrong

    @cached_property
    def class_truths(self) -> Array:
        """The true IoU of every class: TP / (TP + FP + FN) of the average counts."""
        right = np.diag(self.counts)
        return right / (self.counts.sum(axis=0) + self.counts.sum(axis=1) - right)

    @cached_property
    def truths(self) -> dict[str, float]:
        """The true value of every figure over all classes.

        >>> found = pixels(classes=2, present=1, quality=0.8).truths
        >>> {name: round(value, 4) for name, value in found.items()}
        {'mean_iou': 0.6667, 'mean_dice': 0.8, 'pixel_accuracy': 0.8}
        """
        iou = self.class_truths
        dice = 2 * iou / (1 + iou)
        return {"mean_iou": float(iou.mean()), "mean_dice": float(dice.mean()), "pixel_accuracy": self.quality}

    def sample(self, images: int, rng: np.random.Generator, models: int = 2) -> list[Cells]:
        """Pixels by truth, prediction and image, of equally good models."""
        there = rng.random((images, self.classes)) < self.present
        there[:, 0] = True
        part = np.where(there, rng.gamma(LUMPS, size=there.shape), 0.0)
        pixels = rng.multinomial(PIXELS, part / part.sum(axis=1, keepdims=True))
        right = self._chances(images, rng)
        found = [self._cells(pixels, right, rng)]
        for _ in range(models - 1):
            same = rng.random((images, 1)) < SHARED
            found.append(self._cells(pixels, np.where(same, right, self._chances(images, rng)), rng))
        return found

    def _chances(self, images: int, rng: np.random.Generator) -> Array:
        """The chance that a pixel is right, by image and class."""
        first, second = self.quality * self.spread, (1 - self.quality) * self.spread
        own, common = rng.beta(first, second, (images, self.classes)), rng.beta(first, second, (images, 1))
        return np.where(rng.random(own.shape) < ALIKE, common, own)

    def _cells(self, pixels: Array, right: Array, rng: np.random.Generator) -> Cells:
        """Every pixel right with its chance, and else of any other class."""
        images, k = pixels.shape
        hit = rng.binomial(pixels, right)
        missed = rng.multinomial(pixels - hit, np.full(k - 1, 1 / (k - 1)))
        counts = np.zeros((images, k, k), dtype=np.int64)
        off = np.array([[j for j in range(k) if j != i] for i in range(k)])
        counts[:, np.arange(k)[:, None], off] = missed
        counts[:, np.arange(k), np.arange(k)] = hit
        unit, truth, said = np.nonzero(counts)
        return Cells(
            classes=k, truth=truth, prediction=said, rows=counts[unit, truth, said].astype(float), unit=unit,
            units=images,
        )  # fmt: skip


PIXEL_RANGES = {
    "classes": Range(2, 100),
    "present": Range(0, 1, closed="high"),
    "quality": Range(0, 1, closed="neither"),
    "spread": Range(0, 1_000, closed="high"),
}


def pixels(classes: int = 4, present: float = 0.5, quality: float = 0.85, spread: float = 6.0) -> Pixels:
    """Images of labelled pixels.

    >>> pixels(present=0.2).name
    'pixels:classes=4,present=0.2,quality=0.85,spread=6'
    """
    within("pixels", PIXEL_RANGES, {"classes": classes, "present": present, "quality": quality, "spread": spread})
    return Pixels(classes=classes, present=present, quality=quality, spread=spread)


SIDES = (24.0, 60.0, 120.0)
"""Sides of the objects, one of each of COCO's three ranges, equally often."""
APART = 200.0
"""Objects of an image stand so far apart that no box meets two."""
HARDNESS = 0.8
"""Spread of how hard an image is: what is found, how well it sits and how high its score is are alike within one."""


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


BOX_RANGES = {
    "classes": Range(1, 1_000),
    "objects": Range(0, 100, closed="high"),
    "wrong": Range(0, 100),
    "blur": Range(0, 10, closed="high"),
    "tail": Range(0, 20),
}


def boxes(classes: int = 3, objects: float = 1.0, wrong: float = 1.5, blur: float = 0.1, tail: float = 0.0) -> Boxes:
    """Images with boxes.

    >>> boxes(objects=0.5).name
    'boxes:classes=3,objects=0.5,wrong=1.5,blur=0.1'
    """
    given = {"classes": classes, "objects": objects, "wrong": wrong, "blur": blur, "tail": tail}
    within("boxes", BOX_RANGES, given)
    return Boxes(classes=classes, objects=objects, wrong=wrong, blur=blur, tail=tail)
