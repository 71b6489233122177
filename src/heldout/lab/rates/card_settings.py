"""What is measured for the cards: every interval of every metric and every test, in worlds, at numbers of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from numpy.random import default_rng

from heldout.estimates.interval_choice import KINDS
from heldout.formulas import METRICS, Metric
from heldout.lab.worlds import one_model, several_models
from heldout.verbs.compare.paired_difference import TESTS
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

Speed = Literal["closed", "drawn"]
ROWS = (10, 20, 50, 100, 500, 2000)
FEW_ROWS = (20, 100, 500)
"""For methods that draw, other than the default of a metric."""
DRAWN = ("percentile", "basic", "bca", "bootstrap_t")
DRAWING_KINDS = ("mean", "bounded_mean", "spread", "ranking", "precision", "depth", "calibration_error", "columns")
"""Kinds of metrics whose default draws, at some numbers of rows."""
UNIT = 5
"""Rows of a unit in clustered worlds."""
INTERVAL_WORLDS = (
    *(f"coin:p={p:g}" for p in (0.5, 0.9, 0.99)),
    *(f"labels:prevalence={share:g},precision=0.7,recall=0.7" for share in (0.05, 0.2, 0.5)),
    *(f"labels:prevalence={share:g},precision=0.9,recall=0.9" for share in (0.05, 0.2, 0.5)),
    *(f"classes:right={right:g}" for right in (0.7, 0.95)),
    *(f"marks:right={right:g}" for right in (0.7, 0.95)),
    *(f"rankings:apart={apart:g}" for apart in (0.5, 2)),
    *(f"binormal:auc={area:g},prevalence={share:g}" for area in (0.7, 0.9, 0.97) for share in (0.1, 0.5)),
    *(f"columns:apart={apart:g}" for apart in (1, 2)),
    *(f"probabilities:prevalence={share:g},noise=0.5" for share in (0.1, 0.5)),
    *(f"numbers:own=1,noise={noise}" for noise in ("normal", "skewed", "t3")),
    *(f"amounts:own={own:g}" for own in (0.2, 0.5)),
)
WITHOUT_TRUTH = ("max_error",)
"""Metrics that cannot be measured: the largest error grows with the rows, so that there is no value to hold."""
TEST_WORLDS = (
    *(f"pair-labels:prevalence={share:g},precision=0.7,recall=0.7" for share in (0.05, 0.2, 0.5)),
    "pair-classes:right=0.8",
    *(f"pair-binormal:auc=0.8,prevalence={share:g}" for share in (0.1, 0.5)),
    *(f"pair-probabilities:noise=1,prevalence={share:g}" for share in (0.1, 0.5)),
    *(f"pair-numbers:own=1,noise={noise}" for noise in ("normal", "t3")),
    "pair-amounts:own=0.3",
    "pair-columns:apart=1",
    "pair-marks:right=0.8",
    "pair-rankings:apart=1",
)
TEST_ROWS = (20, 50, 100, 500, 2000)
DRAWING_TESTS = ("permutation", "bootstrap")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Methods or tests of some metrics, in one world, at one number of rows."""

    kind: Literal["intervals", "tests"]
    world: str
    n: int
    metrics: tuple[str, ...]
    methods: tuple[str, ...]
    speed: Speed


def asked_intervals(worlds: Sequence[str] = INTERVAL_WORLDS) -> Iterator[Asked]:
    """Every interval of every metric that a world knows; rows by themselves, then rows in units."""
    for world in worlds:
        for alike, methods in _alike(world):
            yield from _at_each_size(world, alike, methods, ROWS, 1)
    for world in worlds:
        name, _, given = world.partition(":")
        if name not in ("marks", "columns"):
            clustered = f"clustered-{name}:{given},size={UNIT}"
            for alike, _ in _alike(world):
                yield from _at_each_size(clustered, alike, ("auto",), FEW_ROWS, UNIT)


def asked_tests(worlds: Sequence[str] = TEST_WORLDS) -> Iterator[Asked]:
    """Every test of every metric that a world of two equal models knows."""
    for world in worlds:
        for (speed, *suiting), names in _tested_alike(world).items():
            facts = {"kind": "tests", "world": world, "metrics": tuple(names)}
            quick = tuple(test for test in suiting if test not in DRAWING_TESTS)
            slow = tuple(test for test in suiting if test in DRAWING_TESTS)
            for n in TEST_ROWS:
                yield Asked(n=n, methods=("auto",), speed=speed, **facts)  # type: ignore[arg-type]
                if quick:
                    yield Asked(n=n, methods=quick, speed="closed", **facts)  # type: ignore[arg-type]
                if slow and n in FEW_ROWS:
                    yield Asked(n=n, methods=slow, speed="drawn", **facts)  # type: ignore[arg-type]


def _at_each_size(
    world: str, alike: tuple[str, ...], methods: Sequence[str], sizes: Sequence[int], unit: int
) -> Iterator[Asked]:
    """The default, other closed forms together, methods that draw together."""
    slow = unit > 1 or _default_draws(METRICS[alike[0]])
    closed = tuple(name for name in methods if name not in DRAWN and name != "auto")
    drawn = tuple(name for name in methods if name in DRAWN)
    for n in sizes:
        facts = {"kind": "intervals", "world": world, "n": n * unit, "metrics": alike}
        yield Asked(methods=("auto",), speed="drawn" if slow else "closed", **facts)  # type: ignore[arg-type]
        if closed:
            yield Asked(methods=closed, speed="closed", **facts)  # type: ignore[arg-type]
        if drawn and n in FEW_ROWS:
            yield Asked(methods=drawn, speed="drawn", **facts)  # type: ignore[arg-type]


def _alike(world: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The metrics that are measured in a world, those with the same choice of intervals together."""
    together: dict[str, list[str]] = {}
    for name in _at_home(world, one_model(world).values):
        together.setdefault(_behind(METRICS[name]).interval, []).append(name)
    return [(tuple(names), tuple(KINDS[kind])) for kind, names in together.items()]


def _tested_alike(world: str) -> dict[tuple[str, ...], list[str]]:
    """The metrics that are tested in a world, by whether their default draws and by the tests that suit them."""
    pair = several_models(world)
    first = Measurement(pair.draw(20, default_rng(0))[pair.models[0]], Settings(cost=pair.recipes[0].cost))
    together: dict[tuple[str, ...], list[str]] = {}
    for name in _at_home(world, pair.values[0]):
        if METRICS[name].reads == "reliability":
            continue  # of calibration there is no paired test
        suiting = (test for test, (suits, _, _) in TESTS.items() if suits(METRICS[name], first))
        together.setdefault(("drawn" if _default_draws(METRICS[name]) else "closed", *suiting), []).append(name)
    return together


def _at_home(world: str, names: Iterable[str]) -> list[str]:
    """Metrics of labels and of order are measured in worlds made for them, not in those of probabilities."""
    family = world.partition(":")[0].removeprefix("pair-").removeprefix("clustered-")
    elsewhere = {"probabilities": ("labels", "scores"), "columns": ("labels",)}.get(family, ())
    return [name for name in names if METRICS[name].reads not in elsewhere]


def _default_draws(metric: Metric) -> bool:
    return _behind(metric).interval in DRAWING_KINDS


def _behind(metric: Metric) -> Metric:
    return METRICS[metric.via[0]] if metric.via else metric
