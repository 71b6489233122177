"""Cards of intervals and tests over splits, measured and kept: for stable and for unstable learners, at two sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from heldout.cards.lookup import SPLIT_COLUMNS
from heldout.lab.folds.split_coverage import SplitCoverage, split_coverage
from heldout.lab.folds.split_interval_methods import METHODS
from heldout.lab.folds.split_size import SplitSize, split_size
from heldout.lab.folds.split_test_methods import RIVALS
from heldout.lab.folds.vectorised_fits import MODELS
from heldout.lab.rates.repetition import monte_carlo_error
from heldout.version import __version__

LEVEL = 0.95
ROWS = (100, 300)
INTERVAL_WORLD = "gaussian:distance=1.5,dimensions=5"
TEST_WORLD = "twins:features=5,distance=1.5,prevalence=0.5"
"""Classes whose means are as far apart in either block as in the world of the intervals."""
REPEATS, TREES = 500, 300
"""Samples of a setting; and with trees, which take long: so many for tests, a third of them for intervals."""
DIGITS = 5
FIRST = ("corrected_t@shuffle:25x0.1", "corrected_resampled_t@shuffle:30x0.33", "mcnemar@holdout:0.33")
"""Where a method was measured on several kinds of splits, those that it suits."""


def split_cards(
    *,
    learners: Sequence[str] = tuple(MODELS),
    rows: Sequence[int] = ROWS,
    repeats: int = REPEATS,
    trees: int = TREES,
    random_state: int = 0,
    n_jobs: int = 1,
    into: str | Path | None = None,
) -> dict[str, Any]:
    """Coverage of every interval and size of every test over splits, by learner and number of rows, as cards.

    Trees take long: they get `trees` samples for tests, and a third of that for intervals, which fit a thousand each.
    """
    spent: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs, "into": into}
    intervals: list[dict[str, Any]] = []
    tests: list[dict[str, Any]] = []
    for name in learners:
        for n in rows:
            given = {"models": name, "n": n, **spent}
            many, fewer = (trees, max(trees // 3, 1)) if name == "tree" else (repeats, repeats)
            sized = split_size((), world=TEST_WORLD, alpha=1 - LEVEL, repeats=many, **given)
            measured = split_coverage((), world=INTERVAL_WORLD, confidence_level=LEVEL, repeats=fewer, **given)
            tests += map(_of_test, sized)
            intervals += [card for one in measured for card in _of_interval(one)]
    return {
        "schema": "heldout.split-cards/1",
        "heldout": __version__,
        "level": LEVEL,
        "seed": random_state,
        "intervals": _lines(intervals),
        "tests": _lines(tests),
    }


def _lines(cards: list[dict[str, Any]]) -> list[list[Any]]:
    ordered = sorted(cards, key=lambda card: f"{card['method']}@{card['splits']}" not in FIRST)
    return [[card[name] for name in SPLIT_COLUMNS] for card in ordered]


def _of_interval(one: SplitCoverage) -> Iterator[dict[str, Any]]:
    """A card for the method's own target, and one for the learner where that is another."""
    words = next(known.words for known in METHODS if known.method == one.method)
    facts = {**_facts(one, words), "method": one.method, "width": round(2 * one.half_width, DIGITS)}
    facts["refused"] = round(one.undefined, DIGITS)
    answered = one.repeats * (1 - one.undefined)
    for target, rate in {one.target: one.covers_target, "this learner": one.covers_learner}.items():
        error = monte_carlo_error(rate, answered)
        yield {**facts, "target": target, "rate": round(rate, DIGITS), "error": round(error, DIGITS)}


def _of_test(one: SplitSize) -> dict[str, Any]:
    words = next(known.words for known in RIVALS if known.test == one.test)
    facts = {"method": one.test, "target": "these two learners", "width": None, "rate": round(one.rejected, DIGITS)}
    return {**_facts(one, words), **facts, "error": round(one.error, DIGITS), "refused": round(one.refused, DIGITS)}


def _facts(one: SplitCoverage | SplitSize, words: str) -> dict[str, Any]:
    """What cards of intervals and of tests have in common."""
    names = ("splits", "learner", "stable", "world", "n", "repeats")
    return {"words": words, **{name: getattr(one, name) for name in names}}
