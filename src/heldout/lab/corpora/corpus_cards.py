"""Cards of the intervals and tests of `detect`, `masks` and `text`, measured and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from heldout.cards.lookup import LEVEL
from heldout.lab.corpora.corpus_rates import CorpusRate, corpus_rates
from heldout.lab.corpora.one_sample import set_world
from heldout.lab.corpora.text_world import Segments
from heldout.lab.rates.card_measurement import gathered
from heldout.lab.simulated_rates import CorpusErrorRates

REPEATS, DRAWS = 1000, 300
PART, MANY_IMAGES = 0.3, 100
"""Worlds other than the main ones, and boxes from so many images on, get this part of the samples: they take long."""
DIGITS = 5
SETTINGS: Mapping[str, tuple[int, ...]] = {
    "boxes:classes=1,objects=1,wrong=3,blur=0.12": (15, 40, 120),
    "boxes:classes=3,objects=2,wrong=1.5,blur=0.12": (15, 40, 120),
    "boxes:classes=3,objects=0.5,wrong=1,blur=0.08": (15, 40, 120),
    "boxes:classes=8,objects=0.5,wrong=1.5,blur=0.05": (40, 120),
    "boxes:classes=10,objects=0.5,wrong=2,blur=0.06,tail=1": (40, 120),
    "boxes:classes=20,objects=0.06,wrong=1,blur=0.08": (120,),
    "pixels:classes=4,present=0.5,quality=0.85,spread=6": (10, 20, 50, 200),
    "pixels:classes=10,present=0.1,quality=0.85,spread=6": (20, 50, 200),
    "pixels:classes=2,present=1,quality=0.95,spread=10": (10, 20, 50, 200),
    "segments:length=20,quality=0.7,spread=4,short=0.2,long=0.1": (10, 20, 50, 200, 1000),
    "segments:length=20,quality=0.45,spread=4,short=0.2,long=0.1": (10, 20, 50, 200),
    "segments:length=20,quality=0.85,spread=4,short=0.15,long=0.15": (10, 20, 50, 200),
    "segments:length=20,quality=0.7,spread=4,short=0.2,long=0.1,size=8,alike=0.7": (5, 10, 20, 50),
}
"""Worlds, and how many images, segments or documents a sample has."""
MAIN = (
    "boxes:classes=3,objects=2,wrong=1.5,blur=0.12",
    "pixels:classes=4,present=0.5,quality=0.85,spread=6",
    "segments:length=20,quality=0.7,spread=4,short=0.2,long=0.1",
    "segments:length=20,quality=0.7,spread=4,short=0.2,long=0.1,size=8,alike=0.7",
)
"""Worlds that get all of the samples."""


def all_corpus_rates(
    *,
    repeats: int = REPEATS,
    n_resamples: int = DRAWS,
    random_state: int = 0,
    n_jobs: int = 1,
    into: str | Path | None = None,
    chosen: Callable[[str, int], bool] = lambda world, n: True,
) -> CorpusErrorRates:
    """What is measured in every simulation, at every number of units, or in those chosen."""
    spent: dict[str, Any] = {"n_resamples": n_resamples, "random_state": random_state, "n_jobs": n_jobs, "into": into}
    found: list[CorpusRate] = []
    for world, sizes in SETTINGS.items():
        for n in sizes:
            if chosen(world, n):
                found += corpus_rates(world, n, confidence_level=LEVEL, repeats=samples(world, n, repeats), **spent)
    return CorpusErrorRates(
        rates=tuple(found), setting={"level": LEVEL, "n_resamples": n_resamples, "seed": random_state}
    )


def samples(world: str, n: int, repeats: int) -> int:
    """How many samples a setting gets, of so many for the main ones.

    >>> [samples(world, 200, 1000) for world in (MAIN[1], "pixels:classes=2,present=1,quality=0.95,spread=10")]
    [1000, 300]
    """
    slow = world.startswith("boxes") and n >= MANY_IMAGES
    return repeats if world in MAIN and not slow else max(round(repeats * PART), 1)


def corpus_cards(rates: Sequence[CorpusRate]) -> dict[str, Any]:
    """Rates as the package ships them."""
    return {**gathered([list(_cards(rates))]), "schema": "heldout.corpus-cards/1"}


def merged(shipped: Mapping[str, Any], made: Mapping[str, Any]) -> dict[str, Any]:
    """Cards that were made again in the place of those of the same simulations; the others stay as they were shipped.

    >>> old = {"worlds": ["boxes", "pixels"], "tests": {"rows": {"AP": {"auto": [[0, 10], [1, 10]]}}}, "intervals": {}}
    >>> new = {"worlds": ["pixels"], "tests": {"rows": {"AP": {"auto": [[0, 20]]}}}, "intervals": {}}
    >>> merged(old, new)["tests"], merged(old, new)["worlds"]
    ({'rows': {'AP': {'auto': [[0, 10], [1, 20]]}}}, ['boxes', 'pixels'])
    """
    worlds = [*shipped["worlds"], *(world for world in made["worlds"] if world not in shipped["worlds"])]
    found: dict[str, Any] = {"intervals": {}, "tests": {}}
    for cards in (shipped, made):
        for kind, by_design in found.items():
            for design, metrics in cards[kind].items():
                for metric, methods in metrics.items():
                    kept = by_design.setdefault(design, {}).setdefault(metric, {})
                    for method, lines in methods.items():
                        named = [[worlds.index(cards["worlds"][line[0]]), *line[1:]] for line in lines]
                        again = {worlds.index(world) for world in made["worlds"]} if cards is shipped else set()
                        kept.setdefault(method, []).extend(line for line in named if line[0] not in again)
    for metrics in (part for by_design in found.values() for part in by_design.values()):
        for methods in metrics.values():
            for lines in methods.values():
                lines.sort(key=lambda line: line[:2])
    return {**made, "worlds": worlds, **found}


def _cards(rates: Sequence[CorpusRate]) -> Iterator[dict[str, Any]]:
    truths = {(one.world, one.metric): one.truth for one in rates if one.kind == "interval"}
    for one in rates:
        if isfinite(one.rate):
            where = set_world(one.world)
            yield {
                "kind": "tests" if one.kind == "test" else "intervals",
                "design": "clustered" if isinstance(where, Segments) and where.size > 1 else "rows",
                "metric": one.metric,
                "method": one.method,
                "world": one.world,
                "n": one.n,
                "truth": round(_truth(one, truths), DIGITS),
                "rate": round(one.rate, DIGITS),
                "error": round(one.error, DIGITS),
                "worst": round(one.rate, DIGITS),
                "width": round(one.width, DIGITS) if isfinite(one.width) else None,
                "repeats": one.repeats,
            }


def _truth(one: CorpusRate, truths: Mapping[tuple[str, str], float | None]) -> float:
    """Where a card belongs: the true value; of a test that of both models; of classes that of the mean over them."""
    if one.kind == "classes":
        of_all = {"iou": "mean_iou"}
        name = one.metric.removeprefix("difference of ").split(" ", maxsplit=1)[0]
        return truths[one.world, of_all.get(name, name)] or 0.0
    return truths[one.world, one.metric] or 0.0
