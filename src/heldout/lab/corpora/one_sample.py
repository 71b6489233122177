"""One sample of a world of pictures or texts: which intervals contained the true value, and which tests rejected it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from heldout.batch import Array
from heldout.boxes.average_precision import FIGURES
from heldout.estimates.interval_choice import estimate
from heldout.formulas.text_corpora import TEXTS
from heldout.intervals.resampling import percentile
from heldout.lab.corpora.image_worlds import Boxes, Pixels, boxes, pixels
from heldout.lab.corpora.text_world import METRICS, Segments, segments
from heldout.lab.name_parsing import meant
from heldout.verbs.images.detect import judged_boxes
from heldout.verbs.images.image_evaluation import ImageEvaluation
from heldout.verbs.images.image_intervals import BY_CLASS
from heldout.verbs.images.masks import judged_cells
from heldout.verbs.settings import Settings
from heldout.verbs.text.text_difference import text_difference

World = Boxes | Pixels | Segments
Made = TypeVar("Made", bound=World)
FAMILIES: dict[str, Callable[..., World]] = {"boxes": boxes, "pixels": pixels, "segments": segments}
SUMS = ("right", "below", "above", "width", "answered", "value")
"""What is added up: intervals that contained the true value (tests that rejected it), lay below or above it, width, how
many gave an answer, and the values."""
CLASSES = ("AP", "AP50")
"""Figures of boxes whose intervals by class are measured."""
TESTED = ("bleu", "chrf", "ter")
TESTS = ("auto", "bootstrap", "t")
"""Tests of texts; auto is by swaps."""


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """What is measured: an interval, intervals of all classes together, or a test."""

    kind: str
    metric: str
    method: str = "auto"


def set_world(word: str) -> World:
    """The world of pictures or texts that a word stands for.

    >>> set_world("segments:quality=0.8").name
    'segments:length=20,quality=0.8,spread=4,short=0.2,long=0.1'
    """
    return meant(word, FAMILIES, "world of pictures or texts")


def lines_of(world: World) -> tuple[Line, ...]:
    """All that is measured in a world, in order."""
    if isinstance(world, Segments):
        tests = [Line("test", name, test) for name in TESTED for test in TESTS]
        return (*(Line("interval", name) for name in METRICS), *tests)
    if isinstance(world, Pixels):
        names, primary, joint = list(world.truths), "iou", ["iou"]
    else:
        names, primary, joint = list(FIGURES), "AP", list(CLASSES)
    several = world.classes > 1
    return (
        *(Line("interval", name) for name in names),
        *([] if isinstance(world, Pixels) else [Line("interval", "AP", "percentile")]),
        *(Line("classes", f"{name}{BY_CLASS}") for name in joint if several),
        *(Line("test", name) for name in names),
        *([Line("classes", f"difference of {primary}{BY_CLASS}")] if several else []),
    )


def sampled(world: World, n: int, truths: Array, asked: Settings, rng: np.random.Generator) -> Array:
    """What one sample of n units adds to `SUMS`, by line; `truths` are those of `true_values`."""
    if isinstance(world, Segments):
        found = list(_of_texts(world, n, truths, asked, rng))
    elif isinstance(world, Pixels):
        found = list(_of_pixels(world, n, truths, asked, rng))
    else:
        found = list(_of_boxes(world, n, truths, asked, rng))
    return np.array(found)


def _held(low: float, high: float, value: float, truth: float) -> list[float]:
    """What an interval adds; ends that differ from the truth by rounding hold it.

    >>> _held(0.2, 0.5, 0.4, 0.6)
    [0.0, 1.0, 0.0, 0.3, 1.0, 0.4]
    """
    if not low <= high:
        return [0.0] * len(SUMS)
    slack = 1e-9 * max(abs(truth), 1e-3)
    below, above = high < truth - slack, low > truth + slack
    return [float(not (below or above)), float(below), float(above), high - low, 1.0, value]


def _rejected(p: float, low: float, high: float, value: float, alpha: float) -> list[float]:
    """What a test adds: right is that it rejected; without an answer it did not."""
    if np.isnan(p):
        return [0.0] * len(SUMS)
    known = low <= high
    return [
        float(p < alpha),
        float(known and high < 0),
        float(known and low > 0),
        high - low if known else 0.0,
        1.0,
        value,
    ]


def _together(parts: Iterable[list[float]]) -> list[float]:
    """What intervals of several classes add: right is that all of them held; widths and values are means."""
    known = np.array([part for part in parts if part[4]])
    if not len(known):
        return [0.0] * len(SUMS)
    right = known[:, 0].all()
    return [float(right), float(known[:, 1].any()), float(known[:, 2].any()), *known[:, 3:].mean(axis=0).tolist()]


def _of_images(
    found: ImageEvaluation, truths: dict[str, float], classes: dict[str, Array], alpha: float
) -> Iterator[list[float]]:
    """Of figures over images: intervals, then those by class, then tests."""
    mine = found.estimates["one"]
    yield from (_held(mine[name].low, mine[name].high, mine[name].value, truth) for name, truth in truths.items())
    if "one" in found.drawn:
        ends = percentile(found.drawn["one"].mean_draws("AP"), found.level)
        yield _held(*ends, mine["AP"].value, truths["AP"])
    for name, each in classes.items() if len(found.labels) > 1 else ():
        parts = [part[name] for part in found.classes["one"].values()]
        yield _together(_held(e.low, e.high, e.value, truth) for e, truth in zip(parts, each.tolist(), strict=True))
    yield from (_rejected(one.pvalue, one.low, one.high, one.value, alpha) for one in found.differences)
    if found.class_differences:
        yield _together(_held(one.low, one.high, one.value, 0.0) for one in found.class_differences)


def _of_boxes(world: Boxes, n: int, truths: Array, asked: Settings, rng: np.random.Generator) -> Iterator[list[float]]:
    objects, (one, other) = world.sample(n, rng)
    found = judged_boxes(objects, {"one": one, "other": other}, asked, baseline="one")
    whole = dict(zip(FIGURES, truths[: len(FIGURES)].tolist(), strict=True))
    by_class = dict(zip(CLASSES, truths[len(FIGURES) :].reshape(len(CLASSES), -1), strict=True))
    yield from _of_images(found, whole, by_class, 1 - asked.level)


def _of_pixels(
    world: Pixels, n: int, truths: Array, asked: Settings, rng: np.random.Generator
) -> Iterator[list[float]]:
    one, other = world.sample(n, rng)
    names = tuple(map(str, range(world.classes)))
    found = judged_cells({"one": one, "other": other}, names, asked, baseline="one")
    whole = dict(zip(world.truths, truths.tolist(), strict=False))
    yield from _of_images(found, whole, {"iou": truths[len(whole) :]}, 1 - asked.level)


def _of_texts(
    world: Segments, n: int, truths: Array, asked: Settings, rng: np.random.Generator
) -> Iterator[list[float]]:
    one, other = (world.tallies(said) for said in world.sample(n, rng))
    for name, truth in zip(METRICS, truths.tolist(), strict=True):
        kind = "bleu" if name.startswith("ngram") else name
        e = estimate(TEXTS[name], one[kind], level=asked.level, draws=asked.draws, seed=asked.seed)
        yield _held(e.low, e.high, e.value, truth)
    for name in TESTED:
        for test in TESTS:
            d = text_difference(TEXTS[name], other[name], one[name], asked, None if test == "auto" else test)
            yield _rejected(d.pvalue, d.low, d.high, d.value, 1 - asked.level)
