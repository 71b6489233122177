"""The tables of "Measured error rates", written from the cards that the package ships."""

from __future__ import annotations

import json
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from math import inf
from pathlib import Path
from typing import Any

from docs import decision_table
from docs.facts import table
from docs.goals import behind, coverage_miss, procedure_miss, size_miss
from heldout.cards.features import STORED
from heldout.cards.lookup import COLUMNS, LEVEL, Card
from heldout.formulas import METRICS

Cards = Mapping[str, Mapping[str, Sequence[Card]]]
"""By metric, then by method or test."""
Cell = Callable[[str, Sequence[Card]], str]
"""What a cell of a table says of a metric's cards."""
Events = Mapping[tuple[str, str, int], float]
"""By metric, world and n: the smallest count that the metric rests on there, in a typical sample."""
DEFAULT_TESTS = ("auto", "unpaired", "max_t", "holm")
"""Of pairs, of samples of their own, and of several models."""
SIZES = {"n ≤ 20": 25, "30 to 60": 75, "100 to 200": 250, "300 to 1,000": 1001, "more": inf}
"""Columns of tables, and the n below which a card belongs to each."""

ENOUGH = 50
"""Methods are set side by side from this n on."""
UNMEASURED = "Not measured: the package ships no such cards yet.\n"
KINDS = {
    "share": "Shares",
    "unit": "Other metrics in [0, 1]",
    "mean_of_rates": "Means of rates",
    "sum_of_rates": "Sums of rates",
    "correlation": "Correlations",
    "ratio": "Ratios",
    "area": "Areas under the ROC curve",
    "columns": "Areas over several classes",
    "precision": "Average precision",
    "ranking": "Other metrics of order",
    "depth": "Metrics at a depth",
    "mean": "Means of losses",
    "bounded_mean": "Means of values in [0, 1]",
    "spread": "Squared errors and deviances",
    "explained": "Explained variance",
    "middle": "Medians",
    "largest": "The largest error",
    "weighted_kappa": "Weighted kappa",
    "ece": "Expected calibration error",
    "calibration_error": "Debiased calibration error",
    "recalibration": "Calibration slope and intercept",
}


def read(path: str | Path | None = None) -> dict[str, Any]:
    """The cards that the package ships, or those of a file."""
    place = files("heldout").joinpath("data", "cards.json") if path is None else Path(path)
    stored: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return stored


def pages(stored: Mapping[str, Any]) -> dict[str, str]:
    """File name (without suffix) to Markdown."""
    intervals, tests = cards(stored, "intervals"), cards(stored, "tests")
    events = events_of(stored)

    def covered(name: str, given: Sequence[Card]) -> str:
        return coverage_cell(name, given, events)

    designs = {
        f"rates-{design}": in_one(cards(stored, "intervals", design), covered)
        for design in ("clustered", "weighted", "serial")
    }
    tested = {
        f"rates-tests-{design}": in_one(cards(stored, "tests", design), size_cell)
        for design in ("clustered", "weighted", "serial")
    }
    return {
        "rates-run": run(stored),
        "rates-off": off(stored),
        "rates-coverage": coverages(intervals, covered),
        **designs,
        "rates-levels": levels(cards(stored, "intervals", "levels"), events),
        "rates-methods": methods(intervals, LEVEL),
        "rates-sizes": in_one(tests, size_cell),
        "rates-unpaired": in_one(tests, size_cell, "unpaired"),
        **tested,
        "rates-tests": methods(tests, 1 - LEVEL),
        "rates-procedures": procedures(stored),
        "sizes": by_world(stored),
        **(decision_table.pages(by_design(stored, "intervals"), by_design(stored, "tests")) if intervals else {}),
    }


def events_of(stored: Mapping[str, Any]) -> Events:
    """The events of every setting that has features."""
    return {
        (metric, stored["worlds"][line[0]], line[1]): float(line[2 + STORED.index("events")])
        for metric, lines in stored.get("features", {}).items()
        for line in lines
    }


def cards(stored: Mapping[str, Any], kind: str, design: str = "rows") -> dict[str, dict[str, list[Card]]]:
    """The cards of intervals or of tests, of rows by themselves or clustered; metrics in the order of their table."""
    found: Mapping[str, Any] = stored[kind].get(design, {})
    return {
        metric: {method: [card(stored, line) for line in lines] for method, lines in found[metric].items()}
        for metric in sorted(found, key=list(METRICS).index)
    }


def by_design(stored: Mapping[str, Any], kind: str) -> dict[str, Cards]:
    """The cards of rows by themselves, clustered, weighted and in time."""
    return {design: cards(stored, kind, design) for design in ("rows", "clustered", "weighted", "serial")}


def card(stored: Mapping[str, Any], line: Sequence[Any]) -> Card:
    world, *others = line
    return Card(**dict(zip(COLUMNS, (stored["worlds"][world], *others), strict=False)))


def every_card(stored: Mapping[str, Any], kind: str) -> Iterator[tuple[str, str, Card]]:
    """Metric, method and card, of all designs."""
    for design in stored[kind]:
        for metric, named in cards(stored, kind, design).items():
            yield from ((metric, method, one) for method, found in named.items() for one in found)


def run(stored: Mapping[str, Any]) -> str:
    """What was run: how many cards, with how many repetitions and which Monte-Carlo error; and what is missing."""
    found = {kind: list(every_card(stored, kind)) for kind in ("intervals", "tests")}
    everything = [one for part in found.values() for _, _, one in part]
    if not everything:
        return UNMEASURED
    counted = {kind: Counter(one.repeats for _, _, one in part) for kind, part in found.items()}
    spent = sorted({one.repeats for one in everything})
    lines = [
        (
            f"{repeats:,}" if repeats else "all samples enumerated",
            *(f"{of_kind[repeats]:,}" for of_kind in counted.values()),
            f"{100 * max(one.error for one in everything if one.repeats == repeats):.1f}",
        )
        for repeats in spent
    ]
    count, simulations = len(everything), len(stored["worlds"])
    about = f"{count:,} cards from {simulations} simulations, measured with heldout {stored['heldout']}."
    head = ("repetitions", "cards of intervals", "cards of tests", "largest Monte-Carlo error, points")
    return f"{about}\n\n{table(head, lines)}\n{missing(found)}"


def missing(found: Mapping[str, Sequence[tuple[str, str, Card]]]) -> str:
    """The metrics of which there is no card, kind by kind."""
    said = []
    for kind, part in found.items():
        seen = {name for name, _, _ in part}
        without = ", ".join(code(name) for name in METRICS if name not in seen) if seen else "any metric"
        said += [f"Not simulated: {kind} of {without}.\n"] if without else []
    return "\n".join(said)


def coverages(found: Cards, cell: Cell) -> str:
    """A table per kind of metric: coverage of the default by n, the mean over worlds and (the lowest)."""
    kinds: dict[str, dict[str, Sequence[Card]]] = {}
    for name, named in found.items():
        if "auto" in named:
            kinds.setdefault(behind(METRICS[name]).interval, {})[name] = named["auto"]
    if not kinds:
        return UNMEASURED
    columns = sizes(given for part in kinds.values() for given in part.values())
    return "\n".join(
        f"### {KINDS.get(kind, kind)}\n\n{by_n(kinds[kind], columns, cell)}\n{effort(kinds[kind].values())}"
        for kind in (*KINDS, *(kind for kind in kinds if kind not in KINDS))
        if kind in kinds
    )


def in_one(found: Cards, cell: Cell, method: str = "auto") -> str:
    """All defaults in one table: the rate by n, the mean over worlds and (the worst)."""
    defaults = {name: named[method] for name, named in found.items() if method in named}
    if not defaults:
        return UNMEASURED
    return f"{by_n(defaults, sizes(defaults.values()), cell)}\n{effort(defaults.values())}"


def sizes(parts: Iterable[Sequence[Card]]) -> list[str]:
    """The columns that some cards need."""
    seen = {size_of(one) for given in parts for one in given}
    return [name for name in SIZES if name in seen]


def size_of(one: Card) -> str:
    """The column that a card belongs to."""
    return next(name for name, below in SIZES.items() if one.n < below)


def by_n(found: Mapping[str, Sequence[Card]], columns: Sequence[str], cell: Cell) -> str:
    """A line per metric, those with the same figures together, a column per range of n."""
    rows = (
        (
            name,
            (
                str(len({one.world for one in given})),
                *(cell(name, [one for one in given if size_of(one) == column]) for column in columns),
            ),
        )
        for name, given in found.items()
    )
    return table(("metric", "simulations", *columns), together(rows))


def levels(found: Cards, events: Events) -> str:
    """Defaults at other levels and as bounds of one side: a column each."""
    defaults = {name: named["auto"] for name, named in found.items() if "auto" in named}
    if not defaults:
        return UNMEASURED
    columns = sorted({(one.side == "two-sided", one.level, one.side) for given in defaults.values() for one in given})
    heads = [f"{100 * level:g}%" if side == "two-sided" else f"{side} bound, 95%" for _, level, side in columns]
    rows = (
        (
            name,
            tuple(
                coverage_cell(name, [one for one in given if (one.level, one.side) == (level, side)], events)
                for _, level, side in columns
            ),
        )
        for name, given in defaults.items()
    )
    return f"{table(('metric', *heads), together(rows))}\n{effort(defaults.values())}"


def procedures(stored: Mapping[str, Any]) -> str:
    """Bands, thresholds, gates, looks and plans: a line for each, with its rate farthest from the target."""
    found = stored.get("procedures", {}).get("rows", {})
    if not found:
        return UNMEASURED
    rows = []
    for name, named in found.items():
        given = [card(stored, line) for line in named["auto"]]
        rates = [100 * one.rate for one in given]
        one = max(given, key=lambda one: procedure_miss(one)[1])
        mark = procedure_miss(one)[0]
        worst = (
            f"{100 * one.rate:.1f}% ± {100 * one.error:.1f} {mark} (n = {one.n:,}, {code(one.world)})" if mark else ""
        )
        spread = f"{min(rates):.1f} to {max(rates):.1f}%"
        rows.append(f"| {name.replace('_', ' ')} | {100 * given[0].truth:g}% | {len(given)} | {spread} | {worst} |")
    head = "| procedure | target | cards | rates | worst rate that misses the target |\n| --- | --- | --- | --- | --- |"
    return "\n".join([head, *rows, ""])


def by_world(stored: Mapping[str, Any]) -> str:
    """One table per world of two or more equal models: how often the default tests reject, and which do too often."""
    worlds: dict[str, list[tuple[str, ...]]] = {}
    for metric, method, one in every_card(stored, "tests"):
        if method in DEFAULT_TESTS:
            rate, mark = f"{100 * one.rate:.1f}% ± {100 * one.error:.1f}", "too high" if size_miss(one)[0] else ""
            named = code(metric) if method == "auto" else f"{code(metric)}, {method.replace('_', '-')}"
            worlds.setdefault(one.world, []).append((named, f"{one.n:,}", rate, f"{one.repeats:,}", mark))
    if not worlds:
        return UNMEASURED
    head = ("metric", "n", "rejected", "repetitions", "")
    return "\n".join(f"## {code(world)}\n\n{table(head, lines)}" for world, lines in worlds.items())


def coverage_cell(name: str, given: Sequence[Card], events: Events) -> str:
    if not given:
        return "–"
    marks = "".join(sorted({mark for one in given if (mark := coverage_miss(one, expected(events, name, one))[0])}))
    return f"{mean(given):.1f} ({100 * min(one.rate for one in given):.1f}) {marks}".strip()


def expected(events: Events, name: str, one: Card) -> float:
    """The events of a card's setting; enough of them where they are not known."""
    return events.get((name, one.world, one.n), inf)


def size_cell(_: str, given: Sequence[Card]) -> str:
    if not given:
        return "–"
    mark = max(size_miss(one)[0] for one in given)
    return f"{mean(given):.1f} ({100 * max(one.rate for one in given):.1f}) {mark}".strip()


def mean(given: Sequence[Card]) -> float:
    return 100 * sum(one.rate for one in given) / len(given)


def effort(parts: Iterable[Sequence[Card]]) -> str:
    """The repetitions behind a table and its largest Monte-Carlo error, as a sentence."""
    every = [one for part in parts for one in part]
    spent = sorted({one.repeats for one in every if one.repeats})
    error = max(one.error for one in every)
    if not spent:
        return "All samples enumerated; no Monte-Carlo error.\n"
    several = f"{spent[0]:,}" if len(spent) == 1 else f"{spent[0]:,} to {spent[-1]:,}"
    counted = ", or all samples enumerated" if any(not one.repeats for one in every) else ""
    return f"Repetitions: {several}{counted}. Monte-Carlo error: {100 * error:.1f} points or less.\n"


def methods(found: Cards, level: float) -> str:
    """Per metric the methods, best first, each with its rate farthest from the level, over worlds and n from 50 on."""
    used = {
        name: {method: late for method, given in named.items() if (late := [one for one in given if one.n >= ENOUGH])}
        for name, named in found.items()
    }
    if not any(used.values()):
        return UNMEASURED
    rows = together((name, (in_order(named, level),)) for name, named in used.items() if named)
    # the words hold markup of their own, which a cell would escape
    lines = "\n".join(f"| {names} | {words} |" for names, words in rows)
    head = f"| metric | largest deviation from {100 * level:g}%, in points |\n| --- | --- |"
    return f"{head}\n{lines}\n\n{effort(given for named in used.values() for given in named.values())}"


def in_order(named: Mapping[str, Sequence[Card]], level: float) -> str:
    """Methods by their farthest rate; those with fewer cards apart, as they had fewer occasions to fail."""
    apart = {method: max((one.rate - level for one in given), key=abs) for method, given in named.items()}
    most = max(map(len, named.values()))
    ordered = sorted(apart, key=lambda method: abs(apart[method]))
    words = {
        method: f"{'**default**' if method == 'auto' else code(method)} {points(apart[method])}" for method in ordered
    }
    full = ", ".join(words[method] for method in ordered if len(named[method]) == most)
    fewer = ", ".join(words[method] for method in ordered if len(named[method]) < most)
    return f"{full}; at fewer settings: {fewer}" if fewer else full


def off(stored: Mapping[str, Any]) -> str:
    """The defaults that miss their goal in some world, each with the card that misses it most; worst first."""
    rows: list[tuple[float, str, tuple[str, ...]]] = []
    events = events_of(stored)
    parts = [(kind, design, cards(stored, kind, design)) for kind in ("intervals", "tests") for design in stored[kind]]
    for kind, design, found in parts:
        for name, named in found.items():
            given = named.get("auto", ())
            beyond = {
                one: coverage_miss(one, expected(events, name, one)) if kind == "intervals" else size_miss(one)
                for one in given
            }
            missed = {one: by for one, by in beyond.items() if by[0]}
            if missed:
                one, (mark, far) = max(missed.items(), key=lambda item: item[1][1])
                what = f"{kind.removesuffix('s')}{'' if design == 'rows' else ', ' + design}"
                rate = f"{100 * one.rate:.1f}% ± {100 * one.error:.1f} {mark}"
                rows.append((far, name, (what, f"{len(missed)} of {len(given)}", rate, f"{one.n:,}", code(one.world))))
    if not any(found for _, _, found in parts):
        return UNMEASURED
    if not rows:
        return "None: every default meets its goal on every card.\n"
    head = ("metric", "method", "cards that miss the goal", "worst rate", "n", "simulation")
    ordered = sorted(rows, key=operator.itemgetter(0), reverse=True)
    return table(head, together((name, cells) for _, name, cells in ordered))


def together(rows: Iterable[tuple[str, tuple[str, ...]]]) -> list[tuple[str, ...]]:
    """Metrics of one kind with the same cells share a line."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name, cells in rows:
        alike.setdefault((behind(METRICS[name]).interval, cells), []).append(code(name))
    return [(", ".join(names), *cells) for (_, cells), names in alike.items()]


def points(apart: float) -> str:
    return f"{100 * apart:+.1f}".replace("-", "−")


def code(word: str) -> str:
    return f"`{word}`"
