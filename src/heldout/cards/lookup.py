"""A card: how often a method was right in worlds where the truth is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from math import log, nan
from typing import TYPE_CHECKING, Any

from heldout.cards.features import MORE_IS_EASIER, SCALES, STORED, WORDS, Features, places

if TYPE_CHECKING:
    from heldout.batch import Array


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
    level: float = LEVEL
    """Of the interval; of a test, 1 - alpha."""
    side: str = "two-sided"

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values."""
        return {name: getattr(self, name) for name in COLUMNS}


FILES = ("cards.json", "corpus-cards.json")
"""What the package ships: metrics of rows, then figures of pictures and metrics of texts; no name is in both."""
COLUMNS = tuple(field.name for field in fields(Card))


REACH = 1.25
"""Settings are neighbours up to so much farther away than the nearest one, in units of `SCALES`."""
LIMIT = 2.0
"""Data that lie farther than this from every setting are unlike all that was measured."""


@dataclass(frozen=True, slots=True)
class Found:
    """A card, or why there is none."""

    card: Card | None = None
    unlike: str = ""
    """In what the data differ from everything that was measured, such as "fewer events"."""


def interval_card(
    metric: str, method: str, *, clustered: bool, units: int, value: float, features: Features | None = None
) -> Card | None:
    """The card of an interval in data like these; None where nothing was measured.

    By features of the data it is the worst of the neighbouring settings; where these are not known, the nearest to the
    number of units, and then to the value.

    >>> interval_card("accuracy", "auto", clustered=False, units=60, value=0.99).n
    50
    """
    return found_card("intervals", metric, method, clustered=clustered, at=(units, value), features=features).card


def rejection_card(
    metric: str, test: str, *, clustered: bool, units: int, value: float, features: Features | None = None
) -> Card | None:
    """The card of a test of a difference, found as that of an interval is."""
    return found_card("tests", metric, test, clustered=clustered, at=(units, value), features=features).card


def found_card(
    kind: str, metric: str, method: str, *, clustered: bool, at: tuple[int, float], features: Features | None
) -> Found:
    """The card in data like these, or in what the data are unlike everything measured."""
    design = "clustered" if clustered else "rows"
    for name in FILES:
        stored = _known(name)
        rows: Sequence[Sequence[Any]] = stored[kind].get(design, {}).get(metric, {}).get(method, ())
        if rows and at[0] > 0:
            measured = None if features is None else _places(name, kind, design, metric, method)
            if features is None or measured is None:
                return Found(_card(stored, _nearest(rows, at)))
            near, unlike = neighbours(measured, features)
            if unlike:
                return Found(unlike=unlike)
            return Found(_card(stored, worst(kind, [rows[place] for place in near])))
    return Found()


def neighbours(measured: Array, features: Features) -> tuple[list[int], str]:
    """Which settings, a line of places each, are like some data; or in what the data are unlike all of them.

    >>> import numpy as np
    >>> settings = np.array([places(Features(units=100, events=events)) for events in (5, 20, 50)])
    >>> neighbours(settings, Features(units=100, events=18))[0]
    [0, 1, 2]
    >>> neighbours(settings, Features(units=10, events=0))
    ([], 'fewer events')
    """
    import numpy as np  # not at the top: help and version texts come without it

    easier, reaches = np.isin(list(SCALES), MORE_IS_EASIER), np.array(list(SCALES.values()))
    low, high = np.fmin.reduce(measured), np.fmax.reduce(measured)
    here = places(features)
    # beyond what was measured in the harmless direction, data count as the most harmless setting
    wanted = np.where(easier, np.fmin(here, high), np.fmax(here, low))
    apart = np.abs(measured - wanted) / reaches
    apart[np.isnan(apart)] = 0.0  # what is not known of one of them
    far = apart.max(axis=1)
    nearest = int(np.argmin(far))
    if far[nearest] > LIMIT:
        feature = int(np.argmax(apart[nearest]))
        return [], f"{'fewer' if easier[feature] else 'more'} {list(WORDS.values())[feature]}"
    return np.flatnonzero(far <= far[nearest] + REACH).tolist(), ""


def worst(kind: str, rows: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """The line with the lowest coverage, or with the most rejections."""
    return (min if kind == "intervals" else max)(rows, key=lambda row: row[3])


def _card(stored: dict[str, Any], row: Sequence[Any]) -> Card:
    world, *facts = row
    # lines end where all that follows has its default
    return Card(**dict(zip(COLUMNS, (stored["worlds"][world], *facts), strict=False)))


def _nearest(rows: Sequence[Sequence[Any]], at: tuple[int, float]) -> Sequence[Any]:
    units, value = at
    return min(rows, key=lambda row: (abs(log(row[1] / units)), abs(row[2] - value)))


@cache
def _places(name: str, kind: str, design: str, metric: str, method: str) -> Array | None:
    """The features of the settings of a metric's cards, line by line; None where a file has none."""
    stored = _known(name)
    return setting_places(stored, metric, stored[kind][design][metric][method])


def setting_places(stored: dict[str, Any], metric: str, rows: Sequence[Sequence[Any]]) -> Array | None:
    """Where the settings of lines of cards lie, on the scales of distances; None where their features are not kept."""
    import numpy as np

    kept = {(line[0], line[1]): line[2:] for line in stored.get("features", {}).get(metric, ())}
    return np.array([_place(kept.get((row[0], row[1])), row[1]) for row in rows]) if kept and rows else None


def _place(kept: Sequence[float | None] | None, units: int) -> list[float]:
    """Where a setting lies; only its number of units is known where it has no features."""
    if kept is None:
        return [log(units), *[nan] * (len(SCALES) - 1)]
    known = {name: nan if fact is None else float(fact) for name, fact in zip(STORED, kept, strict=True)}
    return places(Features(units=units, **known))


@cache
def _known(name: str = FILES[0]) -> dict[str, Any]:
    """The cards of a file: intervals and tests, by design (rows or clustered), metric, method; a line per world, n."""
    stored: dict[str, Any] = json.loads(files("heldout").joinpath("data", name).read_text(encoding="utf-8"))
    return stored


def shipped_cards(name: str = FILES[0]) -> dict[str, Any]:
    """All cards of a file that the package ships."""
    return _known(name)
