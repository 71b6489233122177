"""`python -m benchmarks.error_rates.detections`: how often intervals of average precision hold the truth, and how often
tests of equal detectors reject; writes docs/measured/detections.json.

The world: images differ in how hard they are, so that what is found, and how well, is alike within one. Its truth is
that of very many images.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heldout.boxes.figures import Figure
from heldout.boxes.matching import coco_matches
from heldout.boxes.precisions import average_precisions
from heldout.inputs.objects import Detections, Objects
from heldout.intervals.resampling import percentile
from heldout.verbs.images.drawing import Drawn, drawn_figures
from heldout.verbs.images.intervals import SHOWN, figure_difference, figure_interval, joint_level

PATH = Path(__file__).parents[2] / "docs" / "measured" / "detections.json"
AP = {"AP": Figure(of="precision", title="")}
EVERY_SIZE = {"all": (0.0, 1e10)}
LEVEL, SEED, DRAWS, REPEATS, MANY = 0.95, 1, 300, 400, 40_000
SIDE = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """How many objects of how many classes an image has, how many wrong boxes, and how badly right ones sit."""

    classes: int
    objects: float
    """Per image and class."""
    wrong: float
    blur: float
    sizes: tuple[int, ...]
    """Images of the samples."""


WORLDS = (
    World(classes=1, objects=1.0, wrong=3.0, blur=0.12, sizes=(20, 60)),
    World(classes=3, objects=2.0, wrong=1.5, blur=0.12, sizes=(15, 40, 120)),
    World(classes=3, objects=0.5, wrong=1.0, blur=0.08, sizes=(15, 40, 120)),
    World(classes=8, objects=0.5, wrong=1.5, blur=0.05, sizes=(30, 100)),
    World(classes=20, objects=0.06, wrong=1.0, blur=0.08, sizes=(60, 200)),
)


def sample(world: World, images: int, rng: np.random.Generator) -> tuple[Objects, list[Detections]]:
    """Objects, and two detectors that are equally good."""
    each = rng.poisson(world.objects, (images, world.classes))
    image = np.repeat(np.arange(images), each.sum(axis=1))
    label = np.repeat(np.tile(np.arange(world.classes), images), each.ravel())
    place = np.arange(len(image)) - np.searchsorted(image, image)
    box = np.column_stack([200.0 * place, np.zeros(len(image)), np.full((len(image), 2), SIDE)])
    objects = Objects(
        images=tuple(range(images)), classes=tuple(map(str, range(world.classes))), image=image, label=label, box=box,
        area=np.full(len(image), SIDE**2), crowd=np.zeros(len(image), dtype=bool),
    )  # fmt: skip
    hard = rng.normal(0, 0.8, images)
    return objects, [_detector(world, objects, hard, rng) for _ in range(2)]


def _detector(world: World, objects: Objects, hard: Any, rng: np.random.Generator) -> Detections:
    mine = hard[objects.image]
    found = rng.random(objects.count) < 1 / (1 + np.exp(mine - 1.5))
    moved = objects.box + SIDE * world.blur * np.exp(0.3 * mine)[:, None] * rng.normal(size=(objects.count, 4))
    wrong = np.repeat(np.arange(len(hard)), rng.poisson(world.wrong * np.exp(0.5 * hard)))
    box = np.concatenate([moved[found], np.tile([0.0, 500.0, SIDE, SIDE], (len(wrong), 1))])
    return Detections(
        image=np.concatenate([objects.image[found], wrong]),
        label=np.concatenate([objects.label[found], rng.integers(0, world.classes, len(wrong))]),
        box=np.maximum(box, [-np.inf, -np.inf, 1.0, 1.0]),
        score=np.concatenate([rng.normal(1 - 0.5 * mine, 1)[found], rng.normal(0, 1, len(wrong))]),
        area=np.full(len(box), SIDE**2),
    )


def drawn(objects: Objects, detections: Detections, seed: int) -> Drawn:
    matches = coco_matches(objects, detections, areas=EVERY_SIZE)
    return drawn_figures(matches, AP, ["AP"], points="101", draws=DRAWS, seed=seed)


def truth(world: World, rng: np.random.Generator) -> float:
    """Average precision over very many images."""
    objects, (one, _) = sample(world, MANY, rng)
    return float(np.nanmean(average_precisions(coco_matches(objects, one, areas=EVERY_SIZE))))


def rates(world: World, images: int, true: float, rng: np.random.Generator, repeats: int = REPEATS) -> dict[str, Any]:
    """Shares of samples in which the interval holds the truth, percentiles do, all classes do, and the test rejects."""
    held = plain = together = rejected = 0
    bias = width = 0.0
    for seed in range(repeats):
        objects, detectors = sample(world, images, rng)
        first, second = (drawn(objects, one, seed) for one in detectors)
        pairs = np.unique(objects.label * images + objects.image) // images
        counts = np.bincount(pairs, minlength=world.classes)
        each = float(np.mean(counts[counts > 0]))
        value, values = first.values["AP"], first.draws["AP"]
        low, high = figure_interval(value, values, each, LEVEL, shown=SHOWN["precision"])
        held += low <= true <= high
        together += _all_hold(first, counts, true, seed)
        ends = percentile(values, LEVEL)
        plain += ends[0] <= true <= ends[1]
        apart = figure_difference(value - second.values["AP"], values - second.draws["AP"], each, LEVEL)
        rejected += apart.p < 1 - LEVEL
        bias, width = bias + (value - true) / repeats, width + (high - low) / repeats
    shares = {"coverage": held / repeats, "percentile": plain / repeats}
    shares |= {"together": together / repeats, "rejected": rejected / repeats}
    return {**shares, "bias": round(bias, 4), "width": round(width, 4)}


def _all_hold(one: Drawn, counts: Any, true: float, seed: int) -> bool:
    """Whether the intervals of all classes that have objects hold the truth, which is the same for all."""
    joint = joint_level(one.class_draws["AP"], LEVEL, seed)
    ends = [
        figure_interval(float(value), values, float(count), joint, shown=SHOWN["precision"])
        for value, values, count in zip(one.class_values["AP"], one.class_draws["AP"], counts, strict=True)
        if count
    ]
    return all(low <= true <= high for low, high in ends)


def main() -> None:
    lines = []
    for world in WORLDS:
        rng = np.random.default_rng([SEED, world.classes, round(100 * world.objects)])
        true = truth(world, rng)
        facts = {name: value for name, value in asdict(world).items() if name != "sizes"}
        for images in world.sizes:
            found = {**facts, "images": images, "truth": round(true, 4), **rates(world, images, true, rng)}
            sys.stderr.write(f"{found}\n")
            lines.append(found)
    head = {"level": LEVEL, "seed": SEED, "draws": DRAWS, "repeats": REPEATS, "lines": lines}
    PATH.write_text(json.dumps(head, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
