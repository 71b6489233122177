"""What a rate on a card should be, and how far it is from that."""

from __future__ import annotations

from heldout.cards.lookup import Card
from heldout.formulas import METRICS, Metric
from heldout.lab.rates.repetition import coverage_goal

GOAL = coverage_goal(0.95)
EVENTS = 5
"""Expected events from which the goal counts; with fewer, coverage may be as low as 90% at 95%."""
SIZE = 0.06
"""A test at 5% that rejects more often than this is wrong too often."""
SLACK = 2
"""A rate is off where it is so many Monte-Carlo errors beyond its goal."""


def coverage_miss(one: Card, events: float) -> tuple[str, float]:
    """▼ or ▲ and how far: a coverage below or above its goal by more than its Monte-Carlo error allows."""
    low, high = (2 * one.level - 1, 1.0) if events < EVENTS else coverage_goal(one.level)
    under, over = low - one.rate, one.rate - high
    if max(under, over) <= SLACK * one.error + 1e-9:
        return "", 0.0
    return ("▼", under) if under > over else ("▲", over)


def size_miss(one: Card, goal: float = SIZE) -> tuple[str, float]:
    """▲ and how far, of a test that rejects too often."""
    far = one.rate - goal
    return ("▲", far) if far > SLACK * one.error + 1e-9 else ("", 0.0)


def procedure_miss(one: Card) -> tuple[str, float]:
    """The same of a procedure, whose card has its target in place of a true value: a level or a power, or an alpha."""
    if one.truth < 0.5:
        return size_miss(one, 1.2 * one.truth)
    far = one.truth - 0.02 - one.rate
    return ("▼", far) if far > SLACK * one.error + 1e-9 else ("", 0.0)


def behind(metric: Metric) -> Metric:
    """The metric whose interval is carried over, or the metric itself."""
    return METRICS[metric.via[0]] if metric.via else metric
