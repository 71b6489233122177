"""What matters for how well an interval or a test does on some data, as numbers that data and simulations both have."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from math import log, log1p, nan, sqrt


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """Facts of a sample and a metric. What plays no part for the metric has its neutral value."""

    units: float
    """Independent units: rows, or clusters."""
    events: float
    """The smallest count that the metric rests on: right or wrong rows, a cell of the table, a class."""
    classes: float = 1.0
    """Classes, labels or targets that the metric is about."""
    ties: float = 0.0
    """Share of rows whose score a row of the other class has, too."""
    unit_spread: float = 0.0
    """Coefficient of variation of the rows per unit."""
    skewness: float = nan
    """Absolute skewness of the units' influence on the value; nan where it is not known."""
    design_effect: float = 1.0
    """How many times the variance is raised by weights that have nothing to do with the values."""
    autocorrelation: float = 0.0
    """Lag-1 autocorrelation of the influence values in the order of rows."""

    def to_dict(self) -> dict[str, float]:
        """The facts by name."""
        return asdict(self)


STORED = tuple(field.name for field in fields(Features) if field.name != "units")
"""What is kept of a setting besides its number of units, in this order."""
SCALES = {
    "units": 1.5,
    "events": 1.0,
    "classes": 1.0,
    "ties": 0.5,
    "unit_spread": 0.5,
    "skewness": 0.35,
    "design_effect": 0.4,
    "autocorrelation": 0.25,
}
"""How far features may lie apart, after `places`, in data that are alike: counts by a factor of about e.

Chosen by `heldout lab held-out` on half of the simulations; see the page of measured error rates.
"""
MORE_IS_EASIER = ("units", "events")
"""Beyond the largest number measured a method does as well as there; of all other features, below the smallest."""
WORDS = {
    "units": "so few units",
    "events": "so few events",
    "classes": "so many classes",
    "ties": "so many ties",
    "unit_spread": "clusters of such unequal size",
    "skewness": "such skewness",
    "design_effect": "such unequal weights",
    "autocorrelation": "such autocorrelation",
}
"""What was not simulated, where data lie too far from all settings in one of the features."""


def places(features: Features) -> list[float]:
    """Features on scales on which distances count, in the order of `SCALES`.

    Counts go by their logarithm, half an event added; skewness counts the less the more units there are, as it does in
    the expansion of a mean's distribution [hall92].

    >>> few, many = (places(Features(units=n, events=n, skewness=2)) for n in (25, 2500))
    >>> [round(place, 2) for place in few][:2], round(few[5], 2), round(many[5], 2)
    ([3.22, 3.24], 1.1, 0.18)
    """
    units = max(features.units, 1.0)
    return [
        log(units),
        log(features.events + 0.5),
        log(features.classes),
        features.ties,
        features.unit_spread,
        log1p(5 * features.skewness / sqrt(units)),
        log(features.design_effect),
        abs(features.autocorrelation),
    ]
