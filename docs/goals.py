"""What a rate on a card should be, and how far it is from that."""

from __future__ import annotations

from heldout.cards.lookup import Card
from heldout.formulas import METRICS, Metric

GOAL = (0.93, 0.975)
EVENTS = 5
"""Expected events from which the goal counts."""
FEW_EVENTS = 0.90
"""The least coverage with fewer of them."""
SIZE = 0.06
"""A test at 5% that rejects more often than this is wrong too often."""
SLACK = 2
"""A rate is off where it is so many Monte-Carlo errors beyond its goal."""


def coverage_miss(name: str, one: Card) -> tuple[str, float]:
    """▼ or ▲ and how far: a coverage below or above its goal by more than its Monte-Carlo error allows."""
    few = one.n * rarest(name, one.world) < EVENTS
    low, high = (FEW_EVENTS, 1.0) if few else GOAL
    under, over = low - one.rate, one.rate - high
    if max(under, over) <= SLACK * one.error + 1e-9:
        return "", 0.0
    return ("▼", under) if under > over else ("▲", over)


def size_miss(one: Card) -> tuple[str, float]:
    """▲ and how far, of a test that rejects too often."""
    far = one.rate - SIZE
    return ("▲", far) if far > SLACK * one.error + 1e-9 else ("", 0.0)


def rarest(name: str, world: str) -> float:
    """The share of rows of the rarest kind that a metric counts: a cell of the table, right or wrong, a class."""
    family, _, words = world.removeprefix("clustered-").partition(":")
    given = dict(word.split("=") for word in words.split(",") if word)
    if family == "labels":
        return rarest_cell(name, *(float(given[key]) for key in ("prevalence", "precision", "recall")))
    key = {"coin": "p", "binormal": "prevalence", "probabilities": "prevalence", "classes": "right", "marks": "right"}
    return smaller(float(given[key[family]])) if family in key else 1.0


def rarest_cell(name: str, prevalence: float, precision: float, recall: float) -> float:
    metric, tp = METRICS[name], prevalence * recall
    cells = {"tp": tp, "fp": tp / precision - tp, "fn": prevalence - tp}
    cells["tn"] = 1 - sum(cells.values())
    if name == "prevalence":
        return smaller(prevalence)
    if behind(metric).interval == "share" and not metric.one_class:
        return smaller(cells["fp"] + cells["fn"])
    return min(cells[need] for need in (metric.needs if metric.one_class else cells))


def smaller(share: float) -> float:
    return min(share, 1 - share)


def behind(metric: Metric) -> Metric:
    """The metric whose interval is carried over, or the metric itself."""
    return METRICS[metric.via[0]] if metric.via else metric
