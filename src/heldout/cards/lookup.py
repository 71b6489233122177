"""A card: how often a method was right in worlds where the truth is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from math import log
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCard:
    """What was measured of an interval or a test over splits, with one learner at one number of rows."""

    method: str
    """The function's name."""
    words: str
    """What its result calls itself."""
    splits: str
    """By the words of `heldout.splits`, where it has one for them."""
    learner: str
    stable: bool
    """Whether one row more or less changes few of the learner's predictions."""
    world: str
    n: int
    target: str
    """Whose error the interval should hold; of a test: these two learners."""
    rate: float
    """Share of intervals that held it, or of tests that rejected what is true."""
    error: float
    """Monte-Carlo standard error of that share."""
    width: float | None
    """Mean width of the interval."""
    refused: float
    """Share of the repetitions without an interval or a p-value."""
    repeats: int

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values."""
        return asdict(self)


SPLIT_COLUMNS = tuple(field.name for field in fields(SplitCard))


def split_interval_card(
    method: str, n: int, *, splits: str | None = None, target: str | None = None
) -> tuple[SplitCard, ...]:
    """The cards of an interval over splits at the measured n nearest to this one, one per learner; () if there is none.

    `method` is the function's name or what its result calls itself. Without `splits`, or with splits that were not
    measured, it is the first kind of splits that the method was measured on; without `target`, the method's own.

    >>> [card.learner for card in split_interval_card("corrected_t", 120)]
    ['linear', 'knn', 'tree']
    """
    named = [card for card in _split_cards_known("intervals") if method in (card.method, card.words)]
    aimed = [card for card in named if target is None or card.target == target]
    own = aimed[0].target if aimed else None
    return _nearest_split([card for card in aimed if card.target == own], n, splits)


def split_test_card(test: str, n: int, *, splits: str | None = None) -> tuple[SplitCard, ...]:
    """The cards of a test over splits at the measured n nearest to this one, one per learner; () if there is none.

    >>> linear, *others = split_test_card("corrected resampled t", 250)
    >>> linear.n, linear.splits, linear.rate < 0.07
    (300, 'shuffle:30x0.33', True)
    """
    return _nearest_split(
        [card for card in _split_cards_known("tests") if test in (card.method, card.words)], n, splits
    )


def _nearest_split(cards: Sequence[SplitCard], n: int, splits: str | None) -> tuple[SplitCard, ...]:
    if not cards or n < 1:
        return ()
    kinds = [card.splits for card in cards]
    chosen = splits if splits in kinds else kinds[0]
    near = min({card.n for card in cards if card.splits == chosen}, key=lambda rows: abs(log(rows / n)))
    return tuple(card for card in cards if card.splits == chosen and card.n == near)


@cache
def _split_cards_known(kind: str) -> tuple[SplitCard, ...]:
    """All cards of intervals, or of tests."""
    text = files("heldout").joinpath("data", "split-cards.json").read_text(encoding="utf-8")
    return tuple(SplitCard(**dict(zip(SPLIT_COLUMNS, line, strict=True))) for line in json.loads(text)[kind])


LEVEL = 0.95
"""The level at which intervals were measured; tests were at 1 - LEVEL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What was measured in one world: the coverage of an interval, or how often a test rejected what was true."""

    world: str
    n: int
    """Units per repetition."""
    truth: float
    """The metric's true value in that world (of a test: of both models)."""
    rate: float
    """Share of the repetitions whose interval held the truth, or whose test rejected it."""
    error: float
    """Monte-Carlo standard error of that share; 0 where all samples were enumerated."""
    worst: float
    """The worst rate in worlds whose truth lies within 20% of this one; the same as `rate` where one was measured."""
    width: float | None
    """Mean width of the interval."""
    repeats: int
    """Repetitions; 0 where all samples were enumerated."""
    events: float | None = None
    """Expected number of the rarest thing that the metric rests on: errors, positives, negatives, a class."""
    classes: int | None = None
    """Classes or labels; None where there are none."""
    ties: float | None = None
    """Chance that two rows have the same score."""
    spread: float | None = None
    """Coefficient of variation of the sizes of units; 0 where all are alike."""
    skewness: float | None = None
    """Of how far rows move the value; None where that is not known."""
    design_effect: float | None = None
    """Of the weights: n times the sum of their squares over the square of their sum; 1 without weights."""
    autocorrelation: float | None = None
    """Of how far a row moves the value with how far the next one does."""
    level: float = LEVEL
    """Of the interval; of a test, 1 - alpha."""
    side: str = "two-sided"

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values."""
        return asdict(self)


FILES = ("cards.json", "corpus-cards.json")
"""What the package ships: metrics of rows, then figures of pictures and metrics of texts; no name is in both."""
COLUMNS = tuple(field.name for field in fields(Card))


def interval_card(metric: str, method: str, *, clustered: bool, units: int, value: float) -> Card | None:
    """The card nearest to a number of units, and then to a value; None where nothing was measured.

    >>> interval_card("accuracy", "auto", clustered=False, units=60, value=0.99).n
    50
    """
    return _nearest("intervals", _design(clustered), metric, method, (units, value))


def rejection_card(metric: str, test: str, *, clustered: bool, units: int, value: float) -> Card | None:
    """The card of a test of a difference, nearest to a number of units, and then to a value."""
    return _nearest("tests", _design(clustered), metric, test, (units, value))


def _design(clustered: bool) -> str:
    return "clustered" if clustered else "rows"


def _nearest(kind: str, design: str, metric: str, method: str, at: tuple[int, float]) -> Card | None:
    units, value = at
    for name in FILES:
        stored = _known(name)
        rows: Sequence[Sequence[Any]] = stored[kind].get(design, {}).get(metric, {}).get(method, ())
        if rows and units > 0:
            world, *facts = min(rows, key=lambda row: (abs(log(row[1] / units)), abs(row[2] - value)))
            # lines end where all that follows has its default
            return Card(**dict(zip(COLUMNS, (stored["worlds"][world], *facts), strict=False)))
    return None


@cache
def _known(name: str = FILES[0]) -> dict[str, Any]:
    """The cards of a file: intervals and tests, by design (rows or clustered), metric, method; a line per world, n."""
    stored: dict[str, Any] = json.loads(files("heldout").joinpath("data", name).read_text(encoding="utf-8"))
    return stored


def shipped_cards(name: str) -> dict[str, Any]:
    """All cards of a file that the package ships."""
    return _known(name)
