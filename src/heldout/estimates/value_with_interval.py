"""A number that knows its interval."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from math import isfinite, isnan
from typing import Any, Self

from heldout.cards.features import Features
from heldout.cards.lookup import Card, CardKey, Found, found_card
from heldout.estimates.rounding import number, spec


class ComparisonWarning(UserWarning):
    """Two estimates were compared as if they were exact numbers."""


class Estimate(float):
    """A value with its confidence interval at `level`.

    >>> accuracy = Estimate(0.7, low=0.546, high=0.819, level=0.95, method="Wilson", units=40)
    >>> accuracy
    0.700 [0.546, 0.819]
    >>> accuracy + 1, accuracy.low
    (1.7, 0.546)
    """

    __slots__ = (
        *("better", "bounds", "count", "features", "high", "in_time", "level", "low", "measured_as", "method"),
        *("name", "notes", "printed", "target", "units"),
    )

    low: float
    high: float
    level: float
    method: str
    units: int
    """How many independent draws the value rests on."""
    notes: tuple[str, ...]
    """What a reader must know."""
    name: str
    better: str | None
    target: str
    """What is being estimated."""
    count: tuple[float, float] | None
    """Of a share: how many, of how many."""
    printed: bool
    measured_as: CardKey | None
    """By what simulations know the interval; None where they do not."""
    features: Features | Callable[[], Features] | None
    """What of the data matters for its coverage, or a call that finds out once it is asked for."""

    in_time: Mapping[str, float | int | None] | None
    """Where rows have times: autocorrelation at lag 1, effective number of times, degrees of freedom, horizon."""

    bounds: tuple[float, float] | None
    """Between what the true value lies, where the data say more of that than the metric: of a mean cost, the least and
    the largest cost."""

    def __new__(cls, value: float, **_facts: Any) -> Self:
        return super().__new__(cls, value)

    def __init__(
        self,
        _value: float,
        *,
        low: float,
        high: float,
        level: float,
        method: str,
        units: int,
        notes: tuple[str, ...] = (),
        name: str = "",
        better: str | None = None,
        target: str = "this model",
        count: tuple[float, float] | None = None,
        printed: bool = False,
        measured_as: CardKey | None = None,
        in_time: Mapping[str, float | int | None] | None = None,
        features: Features | Callable[[], Features] | None = None,
        bounds: tuple[float, float] | None = None,
    ) -> None:
        facts = {
            "low": float(low), "high": float(high), "level": float(level), "method": method, "units": int(units),
            "notes": tuple(notes), "name": name, "better": better, "target": target, "count": count, "printed": printed,
            "measured_as": measured_as, "in_time": in_time, "features": features, "bounds": bounds,
        }  # fmt: skip
        for fact, content in facts.items():
            object.__setattr__(self, fact, content)

    @property
    def value(self) -> float:
        """The value as a plain float."""
        return float(self)

    @property
    def card(self) -> Card | None:
        """Simulated coverage in data like these: the worst of the neighbouring settings."""
        return self._looked_up().card

    def data_features(self) -> Features | None:
        """What of the data matters for the coverage, where it is known; found out once."""
        if callable(self.features):
            object.__setattr__(self, "features", self.features())
        return self.features  # type: ignore[return-value]

    def _looked_up(self) -> Found:
        if self.measured_as is None or not isfinite(self.value):
            return Found()
        at, features = (self.units, self.value), self.data_features
        return found_card("intervals", self.measured_as, at=at, features=features, level=self.level)

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; undefined and infinite numbers are None."""
        found = self._looked_up()
        return {
            "value": _plain(self.value),
            "low": _plain(self.low),
            "high": _plain(self.high),
            "level": self.level,
            "method": self.method,
            "target": self.target,
            "units": self.units,
            "better": self.better,
            "card": None if found.card is None else found.card.to_dict(),
            "unlike": found.unlike,
            "notes": list(self.notes),
            "count": None if self.count is None else list(self.count),
            "printed": self.printed,
            **({} if self.in_time is None else {"time": dict(self.in_time)}),
            **({} if self.bounds is None else {"bounds": list(self.bounds)}),
        }

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an estimate does not change: {name} cannot be set")

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        form = spec(self.value, self.low, self.high)
        value, low, high = (number(x, form) for x in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]"

    def __reduce__(self) -> tuple[Any, ...]:
        self.data_features()
        facts = {fact: getattr(self, fact) for fact in self.__slots__}
        return (_restored, (self.value, facts))

    def __lt__(self, other: float) -> bool:
        return float.__lt__(_warned(self, other), other)

    def __gt__(self, other: float) -> bool:
        return float.__gt__(_warned(self, other), other)

    def __le__(self, other: float) -> bool:
        return float.__le__(_warned(self, other), other)

    def __ge__(self, other: float) -> bool:
        return float.__ge__(_warned(self, other), other)


def _warned(one: Estimate, other: object) -> Estimate:
    if isinstance(other, Estimate):
        message = "two estimates were compared without a test; heldout.compare tests the difference on the same rows"
        warnings.warn(message, ComparisonWarning, stacklevel=3)
    return one


def _restored(value: float, facts: dict[str, Any]) -> Estimate:
    return Estimate(value, **facts)


def _plain(number: float) -> float | None:
    return number if isfinite(number) else None


def with_value(estimate: Estimate, value: float, **facts: Any) -> Estimate:
    """The same estimate with another value, which the interval is widened to contain, and other facts.

    >>> with_value(Estimate(0.7, low=0.5, high=0.8, level=0.95, method="Wilson", units=40), 0.9)
    0.900 [0.500, 0.900]
    """
    own = {fact: getattr(estimate, fact) for fact in estimate.__slots__}
    if not isnan(value):
        own |= {"low": min(estimate.low, value), "high": max(estimate.high, value)}
    return Estimate(value, **{**own, **facts})


def rescaled(estimate: Estimate, factor: float, shift: float = 0.0, **facts: Any) -> Estimate:
    """The estimate of factor times the value plus shift, and other facts.

    >>> rescaled(Estimate(0.7, low=0.5, high=0.8, level=0.95, method="Wilson", units=40), 10)
    7.0 [5.0, 8.0]
    """
    low, high = sorted((factor * estimate.low + shift, factor * estimate.high + shift))
    own = {fact: getattr(estimate, fact) for fact in estimate.__slots__} | {
        "measured_as": None,
        "count": None,
        "bounds": None,
    }
    return Estimate(factor * estimate.value + shift, **{**own, "low": low, "high": high, **facts})
