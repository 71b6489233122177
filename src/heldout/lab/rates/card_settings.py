"""What is measured for the cards: every interval of every metric and every test, in worlds, at numbers of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from numpy.random import default_rng

from heldout.estimates.interval_choice import KINDS
from heldout.formulas import METRICS, Metric
from heldout.lab.worlds import metric_in, one_model, several_models
from heldout.verbs.compare.paired_difference import TESTS
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

Speed = Literal["closed", "drawn"]
"""How well a rate is to be known: defaults that are quick to compute within half a point, all else within a point."""
ROWS = (10, 20, 50, 100, 500, 2000)
FEW_ROWS = (20, 100, 500)
"""For methods other than the default of a metric."""
SLOW_ROWS = 100
"""For methods and tests by name that draw: they take long, and are not defaults."""
DRAWN = ("percentile", "basic", "bca", "bootstrap_t")
DRAWING_KINDS = ("ranking", "precision", "depth", "calibration_error", "columns", "middle")
"""Kinds of metrics whose default draws, at some numbers of rows, or takes as long."""
MANY_LABELS = ("marks", "rankings")
"""Worlds of which thousands of rows take minutes."""
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
WIDE_ROWS = (30, 100, 400, 1500)
WIDE_WORLDS: dict[str, tuple[int, ...]] = {
    "coin:p=0.999": (100, 400, 2000),
    "labels:prevalence=0.01,precision=0.7,recall=0.7": (150, 500, 2000),
    "labels:prevalence=0.2,precision=0.999,recall=0.999": (100, 400, 1500),
    "labels:prevalence=0.3,precision=0.3,recall=0.5": WIDE_ROWS,
    "classes:right=0.7,classes=12,tail=1": (60, 150, 500, 2000),
    "classes:right=0.97,classes=12,tail=1": (150, 500),
    "classes:right=0.7,classes=100,tail=1": (500, 2000),
    "marks:right=0.8,labels=8,share=0.3,rare=0.02": (30, 100, 400),
    "rankings:apart=1,labels=10,share=0.1": (30, 150),
    "binormal:auc=0.8,prevalence=0.2,ties=0.2": WIDE_ROWS,
    "binormal:auc=0.8,prevalence=0.2,ties=1": WIDE_ROWS,
    "binormal:auc=0.8,prevalence=0.01": (400, 1500),
    "binormal:auc=0.999,prevalence=0.2": (100, 400),
    "binormal:auc=0.5,prevalence=0.3": (30, 150, 400),
    "binormal:auc=0.85,prevalence=0.1,spread=2": (100, 400),
    "columns:apart=1,classes=12,tail=1": (60, 150, 500),
    "probabilities:prevalence=0.01,noise=0.5": (400, 1500),
    "probabilities:prevalence=0.3,slope=2.5,shift=0.7": (30, 100, 400),
    "probabilities:prevalence=0.3,spread=6": (100, 400),
    "probabilities:prevalence=0.3,spread=0.3,noise=1": (30, 100, 400),
    **{f"numbers:noise={noise}": (15, 30, 60, 150, 500, 2000) for noise in ("lognormal", "exponential", "gamma")},
    "numbers:noise=zeros,own=0.1": (15, 30, 60, 150, 500),
    "numbers:noise=t3": (30, 150, 500),
    "amounts:spread=1.5,noise=0.6,own=0.6": (15, 30, 60, 150, 500),
}
"""Where users live: defaults only, at numbers of rows that suit each."""
USUAL = (
    "labels:prevalence=0.2,precision=0.7,recall=0.7",
    "classes:right=0.7",
    "binormal:auc=0.8,prevalence=0.2",
    "probabilities:prevalence=0.3,noise=0.5",
    "numbers:own=1",
    "numbers:noise=lognormal",
)
"""Simulations in which rows are clustered, weighted and in an order, and where other levels are asked for."""
UNEQUAL = "largest=50"
UNEQUAL_SIZE = 14
"""Mean rows of such units."""
UNITS = (12, 25, 60, 200)
HARD = ("labels:prevalence=0.2,precision=0.8,recall=0.8", "classes:right=0.8", "binormal:auc=0.8,prevalence=0.2")
"""Worlds that know their values where heavier rows are harder."""
LEVELS: tuple[tuple[float, str], ...] = (
    (0.8, "two-sided"), (0.9, "two-sided"), (0.99, "two-sided"), (0.95, "lower"), (0.95, "upper"),
)  # fmt: skip
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
TILTED_LABELS = (
    "balanced_accuracy", "mcc", "kappa", "f1", "f0.5", "f2", "jaccard", "youden_j", "accuracy", "lr_positive",
)  # fmt: skip
TILTED_SCORES = ("roc_auc", "average_precision", "gini")
TILTED_LOSSES = ("mae", "rmse", "r2")
WIDE_TESTS: dict[str, tuple[int, ...]] = {
    "pair-labels:prevalence=0.01,precision=0.7,recall=0.7": (150, 500, 2000),
    "pair-labels:prevalence=0.2,precision=0.97,recall=0.97": (60, 150, 500),
    "pair-classes:right=0.7,classes=12,tail=1": (60, 150, 500),
    "pair-binormal:auc=0.95,prevalence=0.05": (100, 400, 1500),
    "pair-binormal:auc=0.8,prevalence=0.3,ties=1": (30, 150, 500),
    "pair-probabilities:noise=1,prevalence=0.03": (150, 500),
    **{f"pair-numbers:own=0.5,noise={noise}": (15, 30, 60, 150, 500) for noise in ("lognormal", "exponential")},
    "pair-numbers:own=0.5,noise=gamma": (30, 150),
    "pair-numbers:own=0.2,noise=zeros": (30, 150),
    "pair-amounts:spread=1.5,noise=0.6,own=0.6": (30, 150),
}
MOST_METRICS = {"labels": ("accuracy", "recall", "precision", "f1", "balanced_accuracy", "mcc"),
                "classes": ("accuracy", "f1_macro", "mcc"), "binormal": ("roc_auc", "average_precision"),
                "probabilities": ("log_loss", "brier"), "numbers": ("mae", "rmse", "r2")}  # fmt: skip
"""Of settings that are there for their design: clusters, weights, orders, samples of their own, several models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Methods or tests of some metrics, in one world, at one number of rows."""

    kind: Literal["intervals", "tests", "procedures"]
    world: str
    n: int
    metrics: tuple[str, ...]
    methods: tuple[str, ...]
    speed: Speed
    level: float = 0.95
    side: str = "two-sided"


def every_setting() -> Iterator[Asked]:
    """All that there are cards for."""
    from heldout.lab.rates.procedures import asked_procedures

    yield from asked_intervals()
    yield from wide_intervals()
    yield from asked_tests()
    yield from wide_tests()
    yield from asked_procedures()


def asked_intervals(worlds: Sequence[str] = INTERVAL_WORLDS) -> Iterator[Asked]:
    """Every interval of every metric that a world knows; rows by themselves, then rows in units."""
    for world in worlds:
        rows = ROWS[:-1] if world.startswith(MANY_LABELS) else ROWS
        for alike, methods in _alike(world):
            yield from _at_each_size(world, alike, methods, rows, 1)
    for world in worlds:
        name, _, given = world.partition(":")
        if name not in ("marks", "columns"):
            clustered = f"clustered-{name}:{given},size={UNIT}"
            units = FEW_ROWS[:-1] if name in MANY_LABELS else FEW_ROWS
            for alike, _ in _alike(world):
                yield from _at_each_size(clustered, alike, ("auto",), units, UNIT)


def wide_intervals() -> Iterator[Asked]:
    """Defaults where data are ugly: rare, tied, skewed, many classes; then where rows are not a plain sample."""
    for world, sizes in WIDE_WORLDS.items():
        for n in sizes:
            yield from _defaults(world, n)
    for world in USUAL:
        yield from _of_designs(world)
        for (level, side), n in product(LEVELS, (40, 300)):
            yield from _defaults(world, n, most=True, level=level, side=side)
    for world, n in product(HARD, (150, 500, 2000)):
        yield from _defaults(f"{world},hard=0.02", n, most=True)


def _of_designs(world: str) -> Iterator[Asked]:
    """Clusters of unequal size, weights, rows in an order."""
    name, _, given = world.partition(":")
    for icc, units in product((0.1, 0.5), UNITS):
        yield from _defaults(f"clustered-{name}:{given},icc={icc},{UNEQUAL}", units * UNEQUAL_SIZE, most=True)
    for n in (60, 300):
        yield from _defaults(f"{world},weights=1", n, most=True)
    for rho, n in product((0.5, 0.8), (60, 150, 500)):
        yield from _defaults(f"{world},rho={rho}", n, most=True)


def asked_tests(worlds: Sequence[str] = TEST_WORLDS) -> Iterator[Asked]:
    """Every test of every metric that a world of two equal models knows."""
    for world in worlds:
        for (speed, *suiting), names in _tested_alike(world).items():
            facts = {"kind": "tests", "world": world, "metrics": tuple(names)}
            quick = tuple(test for test in suiting if test not in DRAWING_TESTS)
            slow = tuple(test for test in suiting if test in DRAWING_TESTS)
            for n in TEST_ROWS:
                yield Asked(n=n, methods=("auto",), speed=speed, **facts)  # type: ignore[arg-type]
                if quick and n in FEW_ROWS:
                    yield Asked(n=n, methods=quick, speed="drawn", **facts)  # type: ignore[arg-type]
                if slow and n == SLOW_ROWS:
                    yield Asked(n=n, methods=slow, speed="drawn", **facts)  # type: ignore[arg-type]


def wide_tests() -> Iterator[Asked]:
    """Default tests where models differ but are equally good, and where data are ugly; then by design."""
    for equal, n in product(TILTED_LABELS, (60, 150, 500)):
        yield _test(f"pair-labels:prevalence=0.3,precision=0.6,recall=0.6,tilt=0.25,equal={equal}", n, (equal,))
    for equal, n, law in product(TILTED_SCORES, (60, 150, 500), ("auc=0.8,prevalence=0.2", "auc=0.95,prevalence=0.05")):
        yield _test(f"pair-binormal:{law},tilt=1,equal={equal}", n, (equal,))
    for equal, noise, n in product(TILTED_LOSSES, ("lognormal", "exponential"), (15, 30, 60, 300)):
        yield _test(f"pair-numbers:noise={noise},own=0.1,tilt=0.9,equal={equal}", n, (equal,))
    for world, sizes in WIDE_TESTS.items():
        for (speed, *_), names in _tested_alike(world).items():
            yield from (_test(world, n, tuple(names), speed=speed) for n in sizes)  # type: ignore[arg-type]
    for world in USUAL:
        yield from _tests_of_designs(world)


def _tests_of_designs(world: str) -> Iterator[Asked]:
    """Clusters, weights, rows in an order, samples of their own, several models."""
    name, _, given = world.partition(":")
    own = given if name != "numbers" or "own" in given else f"{given},own=0.5"
    pair, names = f"pair-{name}:{own}", MOST_METRICS[name]
    for units in (12, 25, 60):
        yield _test(f"clustered-{pair},icc=0.3,size={UNIT}", units * UNIT, names)
        yield _test(f"clustered-{pair},icc=0.3,{UNEQUAL}", units * UNEQUAL_SIZE, names)
    for n in (60, 300):
        yield _test(f"{pair},weights=1", n, names)
        yield _test(f"{pair},models=5", n, names[:2], methods=("max_t", "holm"), speed="drawn")
    for rho in (0.5, 0.8):
        yield _test(f"{pair},rho={rho}", 150, names)
    for n, ratio in ((40, 1), (40, 10), (150, 4)):
        yield _test(f"{pair},ratio={ratio}", n, names, methods=("unpaired",))


def _test(
    world: str, n: int, metrics: tuple[str, ...], *, methods: tuple[str, ...] = ("auto",), speed: Speed | None = None
) -> Asked:
    slow: Speed = speed or ("drawn" if any(_default_draws(METRICS[name]) for name in metrics) else "closed")
    return Asked(kind="tests", world=world, n=n, metrics=metrics, methods=methods, speed=slow)


def _defaults(world: str, n: int, *, most: bool = False, **given: Any) -> Iterator[Asked]:
    """The default interval of the metrics of a world; `most`: of the usual ones only."""
    place = one_model(world)
    kept = MOST_METRICS.get(place.family) if most else None
    for alike, _ in _alike(world):
        names = tuple(name for name in alike if kept is None or name in kept)
        if names:
            speed: Speed = "drawn" if _default_draws(METRICS[names[0]]) else "closed"
            yield Asked(kind="intervals", world=world, n=n, metrics=names, methods=("auto",), speed=speed, **given)


def _at_each_size(
    world: str, alike: tuple[str, ...], methods: Sequence[str], sizes: Sequence[int], unit: int
) -> Iterator[Asked]:
    """The default, other closed forms together, methods that draw together."""
    slow = _default_draws(METRICS[alike[0]])
    closed = tuple(name for name in methods if name not in DRAWN and name != "auto")
    drawn = tuple(name for name in methods if name in DRAWN)
    for n in sizes:
        facts = {"kind": "intervals", "world": world, "n": n * unit, "metrics": alike}
        yield Asked(methods=("auto",), speed="drawn" if slow else "closed", **facts)  # type: ignore[arg-type]
        if closed and n in FEW_ROWS:
            yield Asked(methods=closed, speed="drawn", **facts)  # type: ignore[arg-type]
        if drawn and n == SLOW_ROWS:
            yield Asked(methods=drawn, speed="drawn", **facts)  # type: ignore[arg-type]


def _alike(world: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The metrics that are measured in a world, those with the same choice of intervals together."""
    together: dict[str, list[str]] = {}
    place = one_model(world)
    for name in _at_home(world, place.values):
        together.setdefault(_behind(metric_in(place, name)).interval, []).append(name)
    return [(tuple(names), tuple(KINDS[kind])) for kind, names in together.items()]


def _tested_alike(world: str) -> dict[tuple[str, ...], list[str]]:
    """The metrics that are tested in a world, by whether their default draws and by the tests that suit them."""
    pair = several_models(world)
    first = Measurement(pair.draw(20, default_rng(0))[pair.models[0]], Settings(cost=pair.recipes[0].cost))
    together: dict[tuple[str, ...], list[str]] = {}
    for name in _at_home(world, pair.values[0]):
        if METRICS[name].reads == "reliability":
            continue  # of calibration there is no paired test
        suiting = (test for test, (suits, _, _) in TESTS.items() if suits(metric_in(pair, name), first))
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
