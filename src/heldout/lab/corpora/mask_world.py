"""A world of label maps: images that differ in how hard they are and in which classes they have.

What the pixels of an image add on average can be written down, so that mean IoU and its kin are known exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.lab.name_parsing import spelled
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


def pixels(classes: int = 4, present: float = 0.5, quality: float = 0.85, spread: float = 6.0) -> Pixels:
    """Images of labelled pixels.

    >>> pixels(present=0.2).name
    'pixels:classes=4,present=0.2,quality=0.85,spread=6'
    """
    if classes < 2 or not 0 < present <= 1 or not 0 < quality < 1 or not spread > 0:
        raise UsageError(
            f"pixels with classes={classes}, present={present:g}, quality={quality:g} and spread={spread:g} cannot be"
            " drawn",
            fix="such as pixels:classes=4,present=0.5,quality=0.85,spread=6",
        )
    return Pixels(classes=classes, present=present, quality=quality, spread=spread)
