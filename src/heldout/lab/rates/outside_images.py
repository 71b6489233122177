"""Settings of images and texts for `lab outside`: scenes with boxes, label maps and segments of text.

Nothing here is known in closed form: true values are those of one large draw of the same population.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.lab.rates.outside_data import Rng
from heldout.lab.rates.outside_questions import Answer, Setting, held, rejected
from heldout.verbs.images.detect import detect
from heldout.verbs.images.masks import masks
from heldout.verbs.text.text import text

COVERAGE, SIZE = (0.93, 0.975), (0.0, 0.06)
RARE = "most classes are in fewer than 5 images of a sample; the number of such classes is printed"
BOXES = ("AP", "AP50", "AP75", "AR100")
SEED = 77


@dataclass(frozen=True, kw_only=True)
class Scenes:
    """A population of images with boxes, and of detectors."""

    name: str
    classes: int
    objects: float
    """Per image, on average; the number varies more than Poisson's."""
    tail: float = 0.0
    """The k-th class is as frequent as k ** -tail."""
    side: float = 60.0
    spread: float = 0.5
    """Sides are lognormal around `side`."""
    room: float = 640.0
    """Side of an image: the smaller, the more boxes overlap."""
    skill: float = 1.2
    blur: float = 0.09
    wrong: float = 1.0
    """Wrong boxes per image, some beside an object."""
    population: int = 6000
    """Images behind the true values."""

    def draw(self, rng: Rng, images: int, detectors: int = 2) -> tuple[dict[str, Any], dict[str, list[Any]]]:
        """The content of a COCO file of objects, and the results of equally good detectors."""
        shares = np.arange(1.0, self.classes + 1) ** -self.tail
        each = rng.poisson(self.objects * rng.gamma(2.0, 0.5, images))
        image = np.repeat(np.arange(images), each)
        label = rng.choice(self.classes, len(image), p=shares / shares.sum())
        sides = self.side * np.exp(self.spread * rng.normal(size=(len(image), 2)))
        corner = rng.uniform(0, self.room, (len(image), 2))
        box = np.column_stack([corner, sides])
        truth = {
            "images": [{"id": i + 1} for i in range(images)],
            "categories": [{"id": k + 1, "name": f"class{k:02d}"} for k in range(self.classes)],
            "annotations": [
                {"id": at + 1, "image_id": i + 1, "category_id": k + 1, "bbox": b, "area": b[2] * b[3], "iscrowd": 0}
                for at, (i, k, b) in enumerate(zip(image.tolist(), label.tolist(), box.tolist(), strict=True))
            ],
        }
        hard = rng.normal(0, 0.7, images)
        names = ("old", "new")[:detectors]
        return truth, {name: self._detected(rng, image, label, box, hard) for name in names}

    def _detected(self, rng: Rng, image: Array, label: Array, box: Array, hard: Array) -> list[dict[str, Any]]:
        difficulty = hard[image] + 0.8 * (box[:, 2] * box[:, 3] < 32**2)
        seen = rng.random(len(image)) < 1 / (1 + np.exp(difficulty - self.skill))
        blur = self.blur * rng.gamma(2.0, 0.5, (len(image), 1)) * box[:, [2, 3, 2, 3]]
        off = box + blur * rng.normal(size=box.shape)
        twice = seen & (rng.random(len(image)) < 0.1)
        astray = np.repeat(np.arange(len(hard)), rng.poisson(self.wrong * np.exp(0.4 * hard)))
        sides = self.side * np.exp(self.spread * rng.normal(size=(len(astray), 2)))
        loose = np.column_stack([rng.uniform(0, self.room, (len(astray), 2)), sides])
        again = off[twice] + 0.3 * box[twice][:, [2, 3, 2, 3]] * rng.normal(size=(int(twice.sum()), 4))
        where = np.concatenate([image[seen], image[twice], astray])
        kind = np.concatenate([label[seen], label[twice], rng.choice(self.classes, len(astray))])
        boxes = np.maximum(np.concatenate([off[seen], again, loose]), [-1e4, -1e4, 2.0, 2.0])
        score = np.concatenate([
            rng.normal(1.2 - 0.4 * difficulty)[seen], rng.normal(0.2, 1, len(again)), rng.normal(-0.3, 1, len(astray))
        ])  # fmt: skip
        return [
            {"image_id": i + 1, "category_id": k + 1, "bbox": b, "score": s}
            for i, k, b, s in zip(where.tolist(), kind.tolist(), boxes.tolist(), score.tolist(), strict=True)
        ]


SCENES = (
    Scenes(name="few classes", classes=3, objects=3.0),
    Scenes(name="good detector", classes=3, objects=3.0, skill=3.0, blur=0.04, wrong=0.3),
    Scenes(name="street scenes, several sizes", classes=8, objects=6.0, tail=0.7, side=45.0, spread=1.0, wrong=2.0),
    Scenes(name="crowded", classes=2, objects=20.0, side=90.0, room=320.0, wrong=3.0, population=3000),
    Scenes(name="many rare classes", classes=60, objects=4.0, tail=1.5, wrong=1.5, population=30_000),
)


@cache
def scene_truths(scenes: Scenes) -> Mapping[str, float]:
    """What one detector reaches on many images, class by class and then on average."""
    truth, found = scenes.draw(np.random.default_rng(SEED), scenes.population, detectors=1)
    result = detect(truth, found["old"], n_resamples=100)
    (mine,) = result.estimates.values()
    return {name: float(mine[name]) for name in BOXES}


def boxes_covered(scenes: Scenes, n: int) -> Callable[[Rng], dict[str, Answer]]:
    """Whether intervals of `detect` hold the true values."""

    def sample(rng: Rng) -> dict[str, Answer]:
        truth, found = scenes.draw(rng, n, detectors=1)
        result = detect(truth, found["old"], random_state=int(rng.integers(2**31)))
        (mine,) = result.estimates.values()
        return {name: held(mine[name], scene_truths(scenes)[name]) for name in BOXES}

    return sample


def boxes_rejected(scenes: Scenes, n: int) -> Callable[[Rng], dict[str, Answer]]:
    """Whether two equal detectors are called different in AP."""

    def sample(rng: Rng) -> dict[str, Answer]:
        truth, found = scenes.draw(rng, n)
        result = detect(truth, found, primary="AP", random_state=int(rng.integers(2**31)))
        return {one.metric: rejected(one) for one in result.differences if one.metric == "AP"}

    return sample


@dataclass(frozen=True, kw_only=True)
class Maps:
    """A population of label maps: strips of classes, of which an image has some, and predictions that shift edges."""

    name: str
    present: tuple[float, ...]
    """The chance that an image has each class; the first is the ground, which every image has."""
    wrong: float
    """The mean share of pixels that are called another class."""
    side: int = 24

    def draw(self, rng: Rng, images: int, models: int = 2) -> tuple[Array, dict[str, Array]]:
        """Label maps by image, and those of equally good models."""
        k, pixels = len(self.present), self.side**2
        there = rng.random((images, k)) < self.present
        there[:, 0] = True
        part = np.where(there, rng.gamma(1.5, size=(images, k)), 0.0)
        ends = np.cumsum(part / part.sum(axis=1, keepdims=True), axis=1)
        place = (np.arange(pixels) + 0.5) / pixels
        truth = (place[None, :, None] > ends[:, None, :]).sum(axis=2).clip(0, k - 1)
        hard = rng.beta(1.5, 1.5 * (1 - self.wrong) / self.wrong, (images, k))
        found = {}
        for name in ("old", "new")[:models]:
            own = 0.5 * hard + 0.5 * rng.beta(1.5, 1.5 * (1 - self.wrong) / self.wrong, (images, k))
            chance = np.take_along_axis(own, truth, axis=1)
            other = truth[np.arange(images)[:, None], rng.integers(0, pixels, truth.shape)]
            found[name] = np.where(rng.random(truth.shape) < chance, other, truth)
        shape = (images, self.side, self.side)
        return truth.reshape(shape), {name: said.reshape(shape) for name, said in found.items()}


MAPS = (
    Maps(name="5 classes, one in 4% of images", present=(1.0, 0.7, 0.5, 0.3, 0.04), wrong=0.15),
    Maps(name="two classes, medical", present=(1.0, 0.8), wrong=0.08),
)
PIXELS = ("mean_iou", "pixel_accuracy")


@cache
def map_truths(maps: Maps) -> Mapping[str, float]:
    """Values of many images: counts of truth and prediction, added up."""
    k, rng = len(maps.present), np.random.default_rng(SEED)
    counts = np.zeros((k, k))
    for _ in range(20):
        truth, found = maps.draw(rng, 1000, models=1)
        counts += np.bincount((truth * k + found["old"]).ravel(), minlength=k * k).reshape(k, k)
    right = np.diag(counts)
    iou = right / (counts.sum(axis=0) + counts.sum(axis=1) - right)
    return {"mean_iou": float(iou.mean()), "pixel_accuracy": float(right.sum() / counts.sum())}


def maps_covered(maps: Maps, n: int) -> Callable[[Rng], dict[str, Answer]]:
    """Whether intervals of `masks` hold the true values."""

    def sample(rng: Rng) -> dict[str, Answer]:
        truth, found = maps.draw(rng, n, models=1)
        labels = {k: f"class{k}" for k in range(len(maps.present))}
        result = masks(list(truth), list(found["old"]), labels=labels)
        (mine,) = result.estimates.values()
        return {name: held(mine[name], map_truths(maps)[name]) for name in PIXELS}

    return sample


def maps_rejected(maps: Maps, n: int) -> Callable[[Rng], dict[str, Answer]]:
    """Whether two equal models are called different in mean IoU."""

    def sample(rng: Rng) -> dict[str, Answer]:
        truth, found = maps.draw(rng, n)
        models = {name: list(said) for name, said in found.items()}
        result = masks(list(truth), models, primary="mean_iou")
        return {one.metric: rejected(one) for one in result.differences if one.metric == "mean_iou"}

    return sample


WORDS = np.array([f"w{i}" for i in range(400)])
TEXTS = ("bleu", "chrf")


def texts(rng: Rng, n: int, systems: int = 2) -> tuple[list[str], dict[str, list[str]]]:
    """Segments of words with Zipf's frequencies, and systems that replace, drop and swap words."""
    frequency = 1 / np.arange(1.0, len(WORDS) + 1)
    length = rng.integers(4, 36, n)
    wanted = [rng.choice(len(WORDS), size, p=frequency / frequency.sum()) for size in length.tolist()]
    easy = rng.beta(3, 2, n)
    said = {name: [_garbled(rng, words, kept) for words, kept in zip(wanted, easy.tolist(), strict=True)]
            for name in ("old", "new")[:systems]}  # fmt: skip
    return [" ".join(WORDS[words]) for words in wanted], said


def _garbled(rng: Rng, words: Array, kept: float) -> str:
    chance = rng.random(len(words))
    replaced = np.where(chance < 0.7 * (1 - kept), rng.integers(0, len(WORDS), len(words)), words)
    remaining = replaced[chance < 1 - 0.2 * (1 - kept)]
    if len(remaining) > 3 and rng.random() < 0.3:
        at = int(rng.integers(1, len(remaining) - 1))
        remaining = np.concatenate([remaining[at:], remaining[:at]])
    return " ".join(WORDS[remaining]) if len(remaining) else "."


@cache
def text_truths() -> Mapping[str, float]:
    """Values of many segments."""
    wanted, said = texts(np.random.default_rng(SEED), 10_000, systems=1)
    result = text(wanted, said["old"], n_resamples=100)
    (mine,) = result.estimates.values()
    return {name: float(mine[name]) for name in TEXTS}


def texts_covered(n: int) -> Callable[[Rng], dict[str, Answer]]:
    """Whether intervals of `text` hold the true values."""

    def sample(rng: Rng) -> dict[str, Answer]:
        wanted, said = texts(rng, n, systems=1)
        result = text(wanted, said["old"], random_state=int(rng.integers(2**31)))
        (mine,) = result.estimates.values()
        return {name: held(mine[name], text_truths()[name]) for name in TEXTS}

    return sample


def texts_rejected(n: int) -> Callable[[Rng], dict[str, Answer]]:
    """Whether two equal systems are called different."""

    def sample(rng: Rng) -> dict[str, Answer]:
        wanted, said = texts(rng, n)
        result = text(wanted, said, random_state=int(rng.integers(2**31)))
        return {one.metric: rejected(one) for one in result.differences}

    return sample


def image_settings() -> Iterator[Setting]:
    """Settings of `detect`, `masks` and `text`."""
    slow: dict[str, Any] = {"resamples": True}
    for scenes in SCENES:
        rare = RARE if scenes.classes > 20 else ""
        for n in (100, 300) if scenes.population != 3000 else (100,):
            yield Setting(area="boxes", name=scenes.name, n=f"{n} images", asks="coverage", lines=BOXES,
                          sample=boxes_covered(scenes, n), bound=COVERAGE, reason=rare, **slow)  # fmt: skip
        yield Setting(area="boxes", name=scenes.name, n="100 images", asks="rejections", lines=("AP",),
                      sample=boxes_rejected(scenes, 100), bound=SIZE, **slow)  # fmt: skip
    for maps in MAPS:
        for n in (30, 100, 300):
            yield Setting(area="masks", name=maps.name, n=f"{n} images", asks="coverage", lines=PIXELS,
                          sample=maps_covered(maps, n), bound=COVERAGE, **slow)  # fmt: skip
            yield Setting(area="masks", name=maps.name, n=f"{n} images", asks="rejections", lines=("mean_iou",),
                          sample=maps_rejected(maps, n), bound=SIZE, **slow)  # fmt: skip
    for n in (20, 100, 300):
        yield Setting(area="texts", name="words replaced, dropped, swapped", n=f"{n} segments", asks="coverage",
                      lines=TEXTS, sample=texts_covered(n), bound=COVERAGE, **slow)  # fmt: skip
        yield Setting(area="texts", name="words replaced, dropped, swapped", n=f"{n} segments", asks="rejections",
                      lines=TEXTS, sample=texts_rejected(n), bound=SIZE, **slow)  # fmt: skip
