"""Cards of intervals and tests over splits: one per learner, because no method does equally well with every learner."""

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
    named = [card for card in _known("intervals") if method in (card.method, card.words)]
    aimed = [card for card in named if target is None or card.target == target]
    own = aimed[0].target if aimed else None
    return _nearest([card for card in aimed if card.target == own], n, splits)


def split_test_card(test: str, n: int, *, splits: str | None = None) -> tuple[SplitCard, ...]:
    """The cards of a test over splits at the measured n nearest to this one, one per learner; () if there is none.

    >>> linear, *others = split_test_card("corrected resampled t", 250)
    >>> linear.n, linear.splits, linear.rate < 0.07
    (300, 'shuffle:30x0.33', True)
    """
    return _nearest([card for card in _known("tests") if test in (card.method, card.words)], n, splits)


def _nearest(cards: Sequence[SplitCard], n: int, splits: str | None) -> tuple[SplitCard, ...]:
    if not cards or n < 1:
        return ()
    kinds = [card.splits for card in cards]
    chosen = splits if splits in kinds else kinds[0]
    near = min({card.n for card in cards if card.splits == chosen}, key=lambda rows: abs(log(rows / n)))
    return tuple(card for card in cards if card.splits == chosen and card.n == near)


@cache
def _known(kind: str) -> tuple[SplitCard, ...]:
    """All cards of intervals, or of tests."""
    text = files("heldout").joinpath("data", "split-cards.json").read_text(encoding="utf-8")
    return tuple(SplitCard(**dict(zip(SPLIT_COLUMNS, line, strict=True))) for line in json.loads(text)[kind])
