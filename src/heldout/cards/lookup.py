"""A card: how often a method was right in simulations with known truth."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from math import exp, log, nan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

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
    """The metric's true value in that simulation (of a test: of both models)."""
    rate: float
    """Share of the repetitions whose interval contained the true value, or whose test rejected it."""
    error: float
    """Monte-Carlo standard error of that share; 0 where all samples were enumerated."""
    worst: float
    """The worst rate in simulations whose true value lies within 20% of this one; `rate` if only one was measured."""
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
LEVEL_AT = COLUMNS.index("level")


REACH = 1.0
"""Settings are neighbours up to so much farther away than the nearest one, in units of `SCALES`."""
LIMIT = 2.0
"""Data that lie farther than this from every setting are unlike all that was measured."""
BEYOND = 0.5
"""So are data that lie farther than this beyond the hardest setting: half as many clusters, or fewer."""


UNITS, CLASSES = list(SCALES).index("units"), list(SCALES).index("classes")
FEW_PER_CLASS = "so few rows per class"
"""Where a metric rests on single classes and, of many, has fewer rows for each than any setting, by `BEYOND`."""


class CardKey(NamedTuple):
    """By what cards are kept."""

    metric: str
    method: str = "auto"
    """Of an interval, or the test."""
    design: str = "rows"
    side: str = "two-sided"


def design_word(
    *, serial: bool = False, weighted: bool = False, clustered: bool = False, seasonal: bool = False
) -> str:
    """Under what the cards of such rows are kept, if there are any.

    >>> design_word(), design_word(clustered=True), design_word(clustered=True, weighted=True)
    ('rows', 'clustered', 'weighted and clustered')
    """
    found = {"serial": serial, "weighted": weighted, "clustered": clustered, "seasonal": seasonal}
    return " and ".join(word for word, there in found.items() if there) or "rows"


DESIGNS = {
    "rows": "", "clustered": "clusters", "weighted": "weights", "serial": "times", "seasonal": "a season",
    "tables": "counts of independent classes",
}  # fmt: skip
"""Designs, and what sets their data apart; other levels and bounds are a design, too. Not all of them have cards."""


MIRRORED = {"error_rate": "accuracy", "fnr": "recall", "gini": "roc_auc", "log_loss_bits": "log_loss"}
"""Metrics that are linear in another one: their intervals, and the tests of their differences, err together."""
BENT = {"mse": "rmse", "jaccard": "f1"}
"""Metrics whose interval is that of another one, transformed: both hold in the same samples; tests may differ."""
FALLING = ("error_rate", "fnr")
"""Where the one falls as the other rises, its lower bound is the other's upper bound."""
OTHER_SIDE = {"lower": "upper", "upper": "lower"}


@dataclass(frozen=True, slots=True)
class Found:
    """A card, or why there is none."""

    card: Card | None = None
    unlike: str = ""
    """What was not simulated, such as "so few events", or "weights and clusters together"."""


def found_card(
    kind: Literal["intervals", "tests"],
    key: CardKey,
    *,
    at: tuple[int, float],
    features: Callable[[], Features | None] = lambda: None,
    level: float = LEVEL,
) -> Found:
    """The card of an interval or a test in data like these, or what was not simulated.

    By features of the data, which are asked for where there are cards, it is the worst of the neighbouring settings.
    Where they are not known, it is the nearest to the number of units, and then to the value, which are `at`.

    >>> found_card("intervals", CardKey("accuracy"), at=(60, 0.99)).card.n
    60
    >>> found_card("intervals", CardKey("accuracy", design="weighted and clustered"), at=(60, 0.99)).unlike
    'this interval with weights and clusters together'
    """
    if at[0] <= 0:
        return Found()
    found = _found_as(kind, key, at, features, level)
    twin = _twin(kind, key)
    if found is None and twin is not None:
        found = _found_as(kind, twin, at, features, level)
    return found or Found(unlike=_what_is_missing(kind, key, level))


def _twin(kind: str, key: CardKey) -> CardKey | None:
    """The metric whose rates are those of this one, if there is one."""
    metric = MIRRORED.get(key.metric) or (BENT.get(key.metric) if kind == "intervals" else None)
    if metric is None:
        return None
    return key._replace(metric=metric, side=OTHER_SIDE.get(key.side, key.side) if key.metric in FALLING else key.side)


def _found_as(
    kind: str, key: CardKey, at: tuple[int, float], features: Callable[[], Features | None], level: float
) -> Found | None:
    """What the cards of a metric say, or None where there are none of this method and design."""
    metric, method, design, side = key
    usual = (level, side) == (LEVEL, "two-sided")
    if not usual:
        design = "levels" if design == "rows" else f"levels and {design}"
    for name in FILES:
        stored = _known(name)
        rows: Sequence[Sequence[Any]] = stored[kind].get(design, {}).get(metric, {}).get(method, ())
        chosen = (
            range(len(rows)) if usual else [place for place, row in enumerate(rows) if level_of(row) == (level, side)]
        )
        if chosen:
            known = features()
            measured = None if known is None else _places(name, kind, design, metric, method)
            if known is None or measured is None:
                return Found(_card(stored, _nearest([rows[place] for place in chosen], at)))
            near, unlike = neighbours(measured[list(chosen)], known)
            if unlike:
                return Found(unlike=unlike)
            return Found(_card(stored, worst(kind, [rows[chosen[place]] for place in near])))
    return None


def cards(
    kind: Literal["intervals", "tests"], metric: str, *, method: str = "auto", design: str = "rows"
) -> tuple[Card, ...]:
    """The simulated rates of an interval or a test that the package ships, one for each setting.

    Parameters
    ----------
    kind : {"intervals", "tests"}
        Coverage of an interval, or type I error of a test.
    metric : str
        The metric, such as "roc_auc".
    method : str, default "auto"
        The method of the interval, or the test; "auto" is the default one.
    design : str, default "rows"
        How rows hang together: "rows", "clustered", "weighted", "serial" or "levels".

    Returns
    -------
    tuple of Card
        With the simulation (`world`), the number of rows (`n`), the `rate` and its Monte-Carlo `error`; empty where
        there are none.

    Examples
    --------
    >>> [one for one in cards("intervals", "accuracy", method="normal") if one.world == "coin:p=0.99"][0].n
    20
    """
    found = ((_known(name), _known(name)[kind].get(design, {}).get(metric, {}).get(method, ())) for name in FILES)
    return tuple(_card(stored, row) for stored, rows in found for row in rows)


def simulated_metrics(kind: Literal["intervals", "tests"]) -> tuple[str, ...]:
    """The metrics that have cards of rows.

    Parameters
    ----------
    kind : {"intervals", "tests"}
        Of intervals or of tests.

    Returns
    -------
    tuple of str
        Names of metrics.

    Examples
    --------
    >>> "roc_auc" in simulated_metrics("tests")
    True
    """
    return tuple(metric for name in FILES for metric in _known(name)[kind].get("rows", {}))


def _what_is_missing(kind: str, key: CardKey, level: float) -> str:
    """What was not simulated, where there are no cards of a metric, a method, a level or a design."""
    known = [_known(name)[kind] for name in FILES]
    what = "interval" if kind == "intervals" else "test"
    if not any(key.metric in metrics for designs in known for metrics in designs.values()):
        return "this metric"
    if not any(key.method in designs.get("rows", {}).get(key.metric, {}) for designs in known):
        return f"this {what} of this metric"
    with_what = []
    if (level, key.side) != (LEVEL, "two-sided"):
        with_what.append(f"level {level:.4g}" + ("" if key.side == "two-sided" else f" ({key.side} bound)"))
    with_what += [DESIGNS[part] for part in key.design.split(" and ") if part != "rows"]
    together = " together" if len(with_what) > 1 else ""
    return f"this {what} with {' and '.join(with_what)}{together}"


def level_of(row: Sequence[Any]) -> tuple[float, str]:
    """Level and side of a line, which ends where all that follows has its default."""
    level = row[LEVEL_AT] if len(row) > LEVEL_AT else LEVEL
    return level, row[LEVEL_AT + 1] if len(row) > LEVEL_AT + 1 else "two-sided"


def neighbours(measured: Array, features: Features) -> tuple[list[int], str]:
    """Which settings, a line of places each, are like some data; or in what the data are unlike all of them.

    >>> import numpy as np
    >>> settings = np.array([places(Features(units=100, events=events)) for events in (5, 20, 50)])
    >>> neighbours(settings, Features(units=100, events=18))[0]
    [1, 2]
    >>> neighbours(settings, Features(units=10, events=0))
    ([], 'so few events')
    """
    import numpy as np  # not at the top: help and version texts come without it

    easier, reaches = np.isin(list(SCALES), MORE_IS_EASIER), np.array(list(SCALES.values()))
    low, high = np.fmin.reduce(measured), np.fmax.reduce(measured)
    here = places(features)
    # beyond what was measured in the harmless direction, data count as the most harmless setting
    wanted = np.where(easier, np.fmin(here, high), np.fmax(here, low))
    apart = np.abs(measured - wanted) / reaches
    apart[np.isnan(apart)] = 0.0  # what is not known of one of them
    harder = np.nan_to_num(np.where(easier, low - wanted, wanted - high) / reaches)
    far = apart.max(axis=1)
    nearest = int(np.argmin(far))
    if harder.max() > BEYOND or far[nearest] > LIMIT:
        feature = int(np.argmax(harder if harder.max() > BEYOND else apart[nearest]))
        return [], list(WORDS.values())[feature]
    per_class = features.units / features.classes
    fewest = np.nanmin(measured[:, UNITS] - measured[:, CLASSES]) - BEYOND
    if features.classes > 2 and features.events <= per_class < exp(fewest):
        return [], FEW_PER_CLASS
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
