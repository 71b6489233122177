"""Cards measured and kept: one line per setting in a file that a run can be resumed from, then all of them as data.

Repetitions of a setting go on until the Monte-Carlo error of every rate is small enough; where a rate is within its
error of a bound of its goal, until there are twice as many.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from math import isfinite, sqrt
from pathlib import Path
from time import process_time
from typing import Any
from zlib import crc32

import numpy as np

from heldout.batch import Array
from heldout.cards.features import STORED
from heldout.cards.lookup import COLUMNS, LEVEL
from heldout.lab.rates.card_features import setting_features
from heldout.lab.rates.card_settings import Asked, every_setting
from heldout.lab.rates.coverage import Coverage, coverage, held_sums, is_enumerated
from heldout.lab.rates.many_samples import Asked as AskedOfSamples, drawn_samples, every_end, joined_samples
from heldout.lab.rates.procedures import PROCEDURES, Procedural
from heldout.lab.rates.repetition import coverage_goal, monte_carlo_error, spread
from heldout.lab.rates.size import Rejections
from heldout.lab.worlds import World, moved, one_model, several_models
from heldout.version import __version__

WINDOW, STEPS = 0.2, 5
"""Coverage is the mean over simulations whose true values are up to so much apart, and so many of them."""
DRAWS = 499
DIGITS = 5
MOST = 10
"""At most so many times as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much is spent on a setting: least repetitions, and the Monte-Carlo errors at which they end."""

    closed: int = 2000
    """Least repetitions of closed forms."""
    drawn: int = 500
    """Least repetitions of methods that resample, or take as long."""
    closed_error: float = 0.005
    drawn_error: float = 0.01
    seed: int = 0

    def error(self, asked: Asked) -> float:
        """The error that is small enough in one setting."""
        return self.closed_error if asked.speed == "closed" else self.drawn_error

    def least(self, asked: Asked) -> int:
        """Repetitions of a round, of which there is one at least."""
        return self.closed if asked.speed == "closed" else self.drawn

    def is_enough(self, asked: Asked, rates: Array, counts: Array) -> Array:
        """Of each rate that was seen in so many repetitions: whether it is known well enough."""
        target = self.error(asked)
        errors = np.vectorize(monte_carlo_error)(np.nan_to_num(rates), np.maximum(counts, 1))
        near = np.any([np.abs(rates - bound) < errors for bound in _bounds(asked)], axis=0)
        least = self.least(asked)
        known = (counts >= least / 2) & (errors <= np.where(near, target / sqrt(2), target))
        return np.asarray(known | (counts >= MOST * least) | (counts == 0))


def _bounds(asked: Asked) -> tuple[float, ...]:
    """Where a rate begins to miss its goal."""
    if asked.kind == "intervals":
        return coverage_goal(asked.level)
    if asked.kind == "tests":
        return (1.2 * (1 - asked.level),)
    target = PROCEDURES[asked.metrics[0]].target
    return (target - 0.02,) if target > 0.5 else (1.2 * target,)


def measured_cards(
    into: str | Path,
    *,
    effort: Effort | None = None,
    n_jobs: int = 1,
    chosen: Callable[[Asked], bool] = lambda asked: True,
) -> dict[str, Any]:
    """All cards that the file has, once those of the grid, or the chosen ones, are measured and added to it.

    What it has with at least as many repetitions is not measured again.
    """
    spent = effort or Effort()
    kept = _kept(into)
    wanted = [asked for asked in every_setting() if chosen(asked)]
    missing = {_key(asked, spent): (asked, spent) for asked in wanted if not _is_done(asked, spent, kept)}
    with Path(into).open("a", encoding="utf-8") as file:
        for key, cards in _watched(spread(measured, missing, n_jobs), len(missing)):
            asked = missing[key][0]
            line = {"asked": key, "repeats": spent.least(asked), "cards": cards, "features": _kept_features(asked)}
            kept[key] = line
            file.write(json.dumps(line) + "\n")
            file.flush()
    made = gathered(line["cards"] for line in kept.values())
    return {**made, "effort": asdict(spent), "features": gathered_features(made["worlds"], kept.values())}


def _is_done(asked: Asked, effort: Effort, kept: dict[str, Any]) -> bool:
    line = kept.get(_key(asked, effort))
    return line is not None and line["repeats"] >= effort.least(asked)


def gathered(parts: Iterable[list[dict[str, Any]]]) -> dict[str, Any]:
    """Cards as the package ships them: by design, metric and method, one line per world and number of units."""
    worlds: dict[str, int] = {}
    found: dict[str, Any] = {"intervals": {}, "tests": {}}
    for card in (card for part in parts for card in part):
        facts = [card.get(name, DEFAULTS.get(name)) for name in COLUMNS[1:]]
        while len(facts) > SHORTEST and facts[-1] == DEFAULTS.get(COLUMNS[len(facts)]):
            facts.pop()  # what follows has its default
        line = [worlds.setdefault(card["world"], len(worlds)), *facts]
        metrics = found.setdefault(card["kind"], {}).setdefault(card["design"], {})
        metrics.setdefault(card["metric"], {}).setdefault(card["method"], []).append(line)
    return {"schema": "heldout.cards/1", "heldout": __version__, "level": LEVEL, "worlds": list(worlds), **found}


DEFAULTS: dict[str, Any] = {"level": LEVEL, "side": "two-sided"}
SHORTEST = COLUMNS.index("repeats")
"""Facts that every line has."""


def gathered_features(worlds: Sequence[str], lines: Iterable[dict[str, Any]]) -> dict[str, list[list[Any]]]:
    """What matters for the rates in each setting, by metric: one line per world and number of units."""
    found: dict[str, dict[tuple[int, int], list[Any]]] = {}
    for line in lines:
        for world, units, metric, facts in line.get("features", ()):
            if world in worlds:
                place = worlds.index(world)
                found.setdefault(metric, {})[place, units] = [place, units, *facts]
    return {metric: list(kept.values()) for metric, kept in found.items()}


def _kept_features(asked: Asked) -> list[list[Any]]:
    """World, units, metric and features, as plain values; procedures are not looked up by them."""
    if asked.kind == "procedures":
        return []
    place = one_model(asked.world) if asked.kind == "intervals" else several_models(asked.world)
    features = setting_features(asked.kind, asked.world, asked.n, asked.metrics)
    return [
        [asked.world, round(asked.n / place.drawing.mean_size), metric, [_plain(getattr(one, name)) for name in STORED]]
        for metric, one in features.items()
    ]


def _plain(fact: float) -> float | None:
    return fact if isfinite(fact) else None


def _key(asked: Asked, effort: Effort) -> str:
    return json.dumps([asdict(asked), effort.seed], sort_keys=True)


def _kept(into: str | Path) -> dict[str, dict[str, Any]]:
    """What a file has, of each setting the line with most repetitions; a last line that was cut off is done again."""
    path = Path(into)
    found: dict[str, dict[str, Any]] = {}
    if not path.exists():
        return found
    text = path.read_text(encoding="utf-8")
    for line in text.splitlines():
        with suppress(ValueError, KeyError, TypeError):  # cut off, or of another file
            one = json.loads(line)
            if one["repeats"] >= found.get(one["asked"], one)["repeats"]:
                found[one["asked"]] = one
    if text and not text.endswith("\n"):
        with path.open("a", encoding="utf-8") as file:
            file.write("\n")
    return found


def measured(part: tuple[Asked, Effort]) -> list[dict[str, Any]]:
    """The cards of one setting."""
    asked, effort = part
    measure = {"intervals": _of_intervals, "tests": _of_tests, "procedures": _of_procedures}[asked.kind]
    return [{**card, "kind": asked.kind} for card in measure(asked, effort)]


def _rng(asked: Asked, effort: Effort, *more: int) -> np.random.Generator:
    """Numbers of a setting that depend on nothing but it and the seed; worlds of a window share none."""
    word = f"{asked.world} {asked.n} {asked.methods} {asked.level} {asked.side}"
    return np.random.default_rng([effort.seed, crc32(word.encode()), *more])


def _of_intervals(asked: Asked, effort: Effort) -> Iterator[dict[str, Any]]:
    place = one_model(asked.world)
    if asked.side == "two-sided" and is_enumerated(place, asked.methods, asked.metrics, asked.n):
        found: Iterable[Coverage] = coverage(
            asked.methods, asked.world, asked.n, metrics=asked.metrics, confidence_level=asked.level, window=WINDOW
        )
    else:
        found = _counted(place, asked, effort)
    for one in found:
        if isfinite(one.coverage):
            yield {
                **_facts(asked, place, one.metric),
                **_rounded(one.method, one.coverage, one.error, one.minimum, one.width),
                "truth": round(one.truth, DIGITS),
                "repeats": one.repeats,
            }


def _counted(place: World, asked: Asked, effort: Effort) -> Iterator[Coverage]:
    """Rounds of samples, until every rate is known well enough."""
    words = _window(asked.world)
    each = max(effort.least(asked) // len(words), 1)
    what = AskedOfSamples(level=asked.level, side=asked.side, draws=DRAWS)
    sums = np.zeros((len(words), len(asked.methods), len(asked.metrics), 5))
    tried = np.zeros(len(asked.metrics))
    waiting = list(range(len(asked.metrics)))
    number = 0
    while waiting:
        names = [asked.metrics[j] for j in waiting]
        places = [one_model(word) for word in words]
        rngs = [_rng(asked, effort, step, number) for step in range(len(words))]
        drawn = [drawn_samples(there, each, asked.n, rng, what) for there, rng in zip(places, rngs, strict=True)]
        # answers do not depend on the world: together there are more samples that are alike
        ends = every_end(joined_samples(drawn), names, asked.methods, int(rngs[0].integers(2**30)))
        for step, there in enumerate(places):
            truths = np.array([there.truth(name) for name in names])
            sums[step][:, waiting] += held_sums(ends[step * each : (step + 1) * each], truths).sum(axis=0)
        tried[waiting] += each * len(words)
        number += 1
        held, answered = sums[..., 0].sum(axis=0), sums[..., 4].sum(axis=0)
        rates = np.divide(held, answered, out=np.full_like(held, np.nan), where=answered > 0)
        enough = np.all(effort.is_enough(asked, rates, answered), axis=0).tolist()
        waiting = [j for j in waiting if not enough[j] and number < MOST]
    for j, metric in enumerate(asked.metrics):
        for i, method in enumerate(asked.methods):
            yield _coverage(asked, (method, metric, place.truth(metric)), sums[:, i, j], int(tried[j]))


def _coverage(asked: Asked, what: tuple[str, str, float], parts: Array, tried: int) -> Coverage:
    held, below, above, width, answered = parts.sum(axis=0)
    share = max(answered, 1)
    each = np.divide(parts[:, 0], parts[:, 4], out=np.full(len(parts), np.nan), where=parts[:, 4] > 0)
    rate = held / answered if answered else np.nan
    method, metric, truth = what
    return Coverage(
        method=method, metric=metric, world=asked.world, n=asked.n, level=asked.level, truth=truth,
        coverage=float(rate), error=monte_carlo_error(rate, answered) if answered else 0.0, width=float(width / share),
        below=float(below / share), above=float(above / share), undefined=float(1 - answered / tried),
        minimum=float(np.nanmin([*each, 1.0])), repeats=tried,
    )  # fmt: skip


def _window(word: str) -> list[str]:
    """Simulations with true values up to 20% apart; one alone where its value cannot change, or is that of guessing."""
    if word.startswith("binormal:auc=0.5,"):
        return [word]
    words = [moved(word, factor) for factor in np.linspace(1 - WINDOW, 1 + WINDOW, STEPS)]
    return list(dict.fromkeys(words))


def _of_tests(asked: Asked, effort: Effort) -> Iterator[dict[str, Any]]:
    pair = several_models(asked.world)
    sums = np.zeros((len(asked.methods), len(asked.metrics), 5))
    tried = np.zeros(len(asked.metrics))
    waiting = list(range(len(asked.metrics)))
    number, each = 0, effort.least(asked)
    while waiting:
        names = tuple(asked.metrics[j] for j in waiting)
        job = Rejections(asked.world, asked.n, names, asked.methods, 1 - asked.level, DRAWS)
        sums[:, waiting] += job(_rng(asked, effort, number), each)
        tried[waiting] += each
        number += 1
        rates = sums[..., 0] / tried
        enough = np.all(effort.is_enough(asked, rates, np.broadcast_to(tried, rates.shape)), axis=0).tolist()
        waiting = [j for j in waiting if not enough[j] and number < MOST]
    for j, metric in enumerate(asked.metrics):
        for i, test in enumerate(asked.methods):
            rejected, _, _, judged, width = sums[i, j]
            rate = rejected / tried[j]
            yield {
                **_facts(asked, pair, metric),
                **_rounded(test, rate, monte_carlo_error(rate, tried[j]), rate, width / judged if judged else np.nan),
                "truth": round(float(pair.values[0][metric]), DIGITS),
                "repeats": int(tried[j]),
            }


def _of_procedures(asked: Asked, effort: Effort) -> Iterator[dict[str, Any]]:
    (name,) = asked.metrics
    job = Procedural(name, asked.world, asked.n)
    sums, number = np.zeros(2), 0
    while True:
        sums += job(_rng(asked, effort, number), effort.least(asked))
        number += 1
        rate = sums[0] / sums[1] if sums[1] else np.nan
        if number >= MOST or effort.is_enough(asked, np.array([rate]), sums[1:]).all():
            break
    if isfinite(rate):
        yield {
            "world": asked.world,
            "design": "rows",
            "metric": name,
            "n": asked.n,
            **_rounded("auto", rate, monte_carlo_error(rate, sums[1]), rate, np.nan),
            "truth": PROCEDURES[name].target,
            "repeats": int(sums[1]),
        }


def _rounded(method: str, rate: float, error: float, worst: float, width: float) -> dict[str, Any]:
    return {
        "method": method,
        "rate": round(float(rate), DIGITS),
        "error": round(float(error), DIGITS),
        "worst": round(float(worst), DIGITS),
        "width": round(float(width), DIGITS) if isfinite(width) else None,
    }


def _facts(asked: Asked, place: Any, metric: str) -> dict[str, Any]:
    """What cards of intervals and of tests have in common."""
    drawing = place.drawing
    units = round(asked.n / drawing.mean_size)
    return {
        "world": asked.world,
        "design": _design(asked, drawing),
        "metric": metric,
        "n": units,
        "level": asked.level,
        "side": asked.side,
    }


def _design(asked: Asked, drawing: Any) -> str:
    """Under what a card is kept: rows by themselves at 95%, or what sets it apart."""
    if (asked.level, asked.side) != (LEVEL, "two-sided"):
        return "levels"
    if drawing.rho:
        return "serial"
    if drawing.weighted:
        return "weighted"
    return "clustered" if drawing.clustered else "rows"


SAMPLED = 10
"""Settings of a kind that are timed for an estimate."""


def estimated_minutes(
    *, effort: Effort | None = None, chosen: Callable[[Asked], bool] = lambda asked: True, sampled: int = SAMPLED
) -> list[tuple[str, int, float]]:
    """Of each kind of settings: how many there are, and how many minutes they take on one core.

    Some settings of each kind, evenly spread over numbers of rows, are timed with fewer repetitions.
    """
    spent = effort or Effort()
    kinds: dict[str, list[Asked]] = {}
    for asked in every_setting():
        if chosen(asked):
            kinds.setdefault(f"{asked.kind}, {asked.speed}", []).append(asked)
    found = []
    for kind, settings in kinds.items():
        ordered = sorted(settings, key=lambda asked: (asked.n, asked.world, asked.methods))
        places = np.unique(np.linspace(0, len(ordered) - 1, min(sampled, len(ordered))).astype(int))
        seconds = [_seconds(ordered[at], spent) for at in places]
        found.append((kind, len(settings), float(np.mean(seconds)) * len(settings) / 60))
    return found


def _seconds(asked: Asked, effort: Effort) -> float:
    """How long the processor takes for a setting, from a part of its first round."""
    part = 5 if asked.kind == "intervals" and asked.speed == "closed" else 20
    least = max(effort.least(asked) // part, STEPS)
    small = replace(effort, closed=least, drawn=least, closed_error=1.0, drawn_error=1.0)
    measured((asked, replace(small, closed=STEPS, drawn=STEPS)))  # loads modules and works out true values
    started = process_time()
    measured((asked, small))
    spent = process_time() - started
    exact = asked.kind == "intervals" and asked.side == "two-sided"
    if exact and is_enumerated(one_model(asked.world), asked.methods, asked.metrics, asked.n):
        return spent
    return spent * effort.least(asked) / small.least(asked)


def _watched(parts: Iterable[tuple[str, Any]], total: int) -> Iterator[tuple[str, Any]]:
    """The parts, counted on stderr where somebody is watching."""
    for number, part in enumerate(parts, 1):
        if sys.stderr.isatty():
            sys.stderr.write(f"\rcards: {number} of {total} settings")
            sys.stderr.flush()
        yield part
    if sys.stderr.isatty() and total:
        sys.stderr.write("\n")
