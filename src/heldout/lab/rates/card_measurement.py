"""Cards measured and kept: one line per setting in a file that a run can be resumed from, then all of them as data."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from heldout.cards.lookup import COLUMNS, LEVEL
from heldout.formulas import METRICS
from heldout.lab.rates.card_settings import Asked, asked_intervals, asked_tests
from heldout.lab.rates.coverage import coverage, resamples as interval_resamples
from heldout.lab.rates.repetition import spread
from heldout.lab.rates.size import resamples as test_resamples, size
from heldout.lab.worlds import one_model, several_models
from heldout.version import __version__

CLOSED, DRAWN = 10_000, 1_000
"""Repetitions of closed forms, and of methods that draw."""
WINDOW, STEPS = 0.2, 5
"""Coverage is the mean over worlds whose truth is up to so much apart, and so many of them."""
DRAWS = 499
DIGITS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much is spent on a setting."""

    closed: int = CLOSED
    drawn: int = DRAWN
    seed: int = 0

    def repeats(self, asked: Asked) -> int:
        """Repetitions in one setting."""
        return self.closed if asked.speed == "closed" else self.drawn


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
    wanted = [asked for asked in (*asked_intervals(), *asked_tests()) if chosen(asked)]
    missing = {_key(asked, spent): (asked, spent) for asked in wanted if not _is_done(asked, spent, kept)}
    with Path(into).open("a", encoding="utf-8") as file:
        for key, cards in _watched(spread(_measured, missing, n_jobs), len(missing)):
            line = {"asked": key, "repeats": spent.repeats(missing[key][0]), "cards": cards}
            kept[key] = line
            file.write(json.dumps(line) + "\n")
            file.flush()
    return gathered(line["cards"] for line in kept.values())


def _is_done(asked: Asked, effort: Effort, kept: dict[str, Any]) -> bool:
    line = kept.get(_key(asked, effort))
    return line is not None and line["repeats"] >= effort.repeats(asked)


def gathered(parts: Iterable[list[dict[str, Any]]]) -> dict[str, Any]:
    """Cards as the package ships them: by design, metric and method, one line per world and number of units."""
    worlds: dict[str, int] = {}
    found: dict[str, Any] = {"intervals": {}, "tests": {}}
    for card in (card for part in parts for card in part):
        line = [worlds.setdefault(card["world"], len(worlds)), *(card[name] for name in COLUMNS[1:])]
        metrics = found[card["kind"]].setdefault(card["design"], {})
        metrics.setdefault(card["metric"], {}).setdefault(card["method"], []).append(line)
    return {"schema": "heldout.cards/1", "heldout": __version__, "level": LEVEL, "worlds": list(worlds), **found}


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
        try:
            one = json.loads(line)
        except ValueError:
            continue
        if one["repeats"] >= found.get(one["asked"], one)["repeats"]:
            found[one["asked"]] = one
    if text and not text.endswith("\n"):
        with path.open("a", encoding="utf-8") as file:
            file.write("\n")
    return found


def _measured(part: tuple[Asked, Effort]) -> list[dict[str, Any]]:
    asked, effort = part
    measure = _of_intervals if asked.kind == "intervals" else _of_tests
    return [{**card, "kind": asked.kind} for card in measure(asked, effort)]


def _of_intervals(asked: Asked, effort: Effort) -> Iterator[dict[str, Any]]:
    place = one_model(asked.world)
    given: dict[str, Any] = {
        "repeats": max(effort.repeats(asked) // STEPS, 1),
        "random_state": effort.seed,
        "n_resamples": DRAWS if interval_resamples(place, asked.methods, asked.metrics) else None,
    }
    for one in coverage(
        asked.methods, asked.world, asked.n, metrics=asked.metrics, confidence_level=LEVEL, window=WINDOW, **given
    ):
        if isfinite(one.coverage):
            yield {
                **_facts(one, place.drawing.size),
                "method": one.method,
                "rate": round(one.coverage, DIGITS),
                "worst": round(one.minimum, DIGITS),
                "truth": round(one.truth, DIGITS),
                "repeats": one.repeats * STEPS,
            }


def _of_tests(asked: Asked, effort: Effort) -> Iterator[dict[str, Any]]:
    pair = several_models(asked.world)
    given: dict[str, Any] = {"repeats": effort.repeats(asked), "random_state": effort.seed}
    if test_resamples(pair, asked.methods, [METRICS[name] for name in asked.metrics], asked.n):
        given["n_resamples"] = DRAWS
    for one in size(asked.methods, asked.world, asked.n, metrics=asked.metrics, alpha=1 - LEVEL, **given):
        yield {
            **_facts(one, pair.drawing.size),
            "method": one.test,
            "rate": round(one.rejected, DIGITS),
            "worst": round(one.rejected, DIGITS),
            "truth": round(pair.values[0][one.metric], DIGITS),
            "repeats": one.repeats,
        }


def _facts(one: Any, unit: int) -> dict[str, Any]:
    """What cards of intervals and of tests have in common."""
    return {
        "world": one.world,
        "design": "clustered" if unit > 1 else "rows",
        "metric": one.metric,
        "n": one.n // unit,
        "error": round(one.error, DIGITS),
        "width": round(one.width, DIGITS) if isfinite(one.width) else None,
    }


def _watched(parts: Iterable[tuple[str, Any]], total: int) -> Iterator[tuple[str, Any]]:
    """The parts, counted on stderr where somebody is watching."""
    for number, part in enumerate(parts, 1):
        if sys.stderr.isatty():
            sys.stderr.write(f"\rcards: {number} of {total} settings")
            sys.stderr.flush()
        yield part
    if sys.stderr.isatty() and total:
        sys.stderr.write("\n")
