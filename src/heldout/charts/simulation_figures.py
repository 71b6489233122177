"""Charts of simulations: lines over a size or a complexity, rates with Monte-Carlo errors, verdicts of tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.charts.figure import Columns, Figure

LineView = Literal["errors", "parts", "power", "predictions", "remaining"]
RateView = Literal["rates", "estimates", "shift", "holdout", "part_sizes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line: a value and how far it may be off, at each x."""

    x: Array
    y: Array
    error: Array | None = None
    """How far the band reaches to either side; None: there is no band."""


@dataclass(frozen=True, kw_only=True)
class SimulatedLines(Figure):
    """Lines over a number: training rows, a parameter of a learner, a true share, or x itself."""

    view: LineView
    heading: str
    x: str
    """What is on the horizontal axis."""
    y: str
    lines: Mapping[str, Line]
    reading: str
    """How to read lines and bands."""
    level: Mapping[str, float] = field(default_factory=dict)
    """Horizontal lines by name, such as the Bayes error."""
    at: Mapping[str, float] = field(default_factory=dict)
    """Vertical lines by name, such as the share under the null hypothesis."""
    log: bool = False
    log_y: bool = False
    dots: bool = True
    """Whether values were measured one by one, so that each has a dot."""
    share: bool = False
    """Whether values lie between 0 and 1 and the axis shows all of that."""
    counts: bool = False
    """Whether both axes are counts: whole numbers from 0."""

    @property
    def kind(self) -> str:
        return self.view

    @property
    def title(self) -> str:
        return self.heading

    @property
    def caption(self) -> str:
        marks = [f"{name}: {value:.4g}" for name, value in (*self.level.items(), *self.at.items())]
        return f"{self.reading}{' Dashed, ' + '; '.join(marks) + '.' if marks else ''}"

    @property
    def alt(self) -> str:
        said = [
            f"{name} goes from {line.y[0]:.4g} at {line.x[0]:.4g} to {line.y[-1]:.4g} at {line.x[-1]:.4g}"
            for name, line in self.lines.items()
        ]
        return f"{self.title}. {'; '.join(said)}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`lines`: line, x, value, low, high (the band, where there is one)."""
        columns: dict[str, list[Any]] = {"line": [], "x": [], "value": [], "low": [], "high": []}
        for name, line in self.lines.items():
            off = np.full(len(line.y), np.nan) if line.error is None else line.error
            columns["line"] += [name] * len(line.x)
            for key, values in (("x", line.x), ("value", line.y), ("low", line.y - off), ("high", line.y + off)):
                columns[key] += values.tolist()
        return {"lines": columns}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """One simulated number: what it is of, its value, how far it may be off, and what it should be."""

    name: str
    value: float
    low: float
    high: float
    wanted: float | None = None


@dataclass(frozen=True, kw_only=True)
class RateForest(Figure):
    """Numbers one below the other, each beside what it should be."""

    view: RateView
    heading: str
    x: str
    rates: Sequence[Rate]
    wanted: str
    """What the marks are that values are held against; empty: there are none."""
    bars: str = "two Monte-Carlo errors"
    """What the lines are."""
    said: str = ""
    """What else the caption says."""

    @property
    def kind(self) -> str:
        return self.view

    @property
    def title(self) -> str:
        return self.heading

    @property
    def caption(self) -> str:
        marked = self.wanted and any(one.wanted is not None for one in self.rates)
        marks = f"Upright marks: {self.wanted}." if marked else ""
        return " ".join(filter(None, (f"Lines: {self.bars}.", marks, self.said)))

    @property
    def alt(self) -> str:
        shown = [f"{one.name}: {one.value:.4g}" for one in self.rates[:12]]
        more = f" and {len(self.rates) - 12} more" if len(self.rates) > 12 else ""
        return f"{self.title}. {'; '.join(shown)}{more}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`rates`: name, value, low, high, wanted."""
        names = ("name", "value", "low", "high", "wanted")
        return {"rates": {name: [getattr(one, name) for one in self.rates] for name in names}}


@dataclass(frozen=True, kw_only=True)
class Verdicts(Figure):
    """Shares that add up to one, as bars: how often each test gives each verdict, or the classes of each part of rows.

    >>> Verdicts(view="part_shares", heading="y", outcomes=("a", "b"), shares={"train": (0.25, 0.75)}, reading="").alt
    'y. train: a 25.0%, b 75.0%.'
    """

    view: Literal["verdicts", "part_shares"] = "verdicts"
    heading: str
    x: str = "share of the samples"
    outcomes: tuple[str, ...]
    shares: Mapping[str, Sequence[float]]
    """Test, or part of the rows → the share of each outcome."""
    reading: str

    @property
    def kind(self) -> str:
        return self.view

    @property
    def title(self) -> str:
        return self.heading

    @property
    def caption(self) -> str:
        return self.reading

    @property
    def alt(self) -> str:
        said = [
            f"{test}: " + ", ".join(f"{word} {share:.1%}" for word, share in zip(self.outcomes, shares, strict=True))
            for test, shares in self.shares.items()
        ]
        return f"{self.title}. {'; '.join(said)}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`verdicts`: test, verdict, share; of parts of rows `part_shares`: part, value, share."""
        name, outcome = ("test", "verdict") if self.view == "verdicts" else ("part", "value")
        return {
            self.view: {
                name: [test for test in self.shares for _ in self.outcomes],
                outcome: list(self.outcomes) * len(self.shares),
                "share": [share for shares in self.shares.values() for share in shares],
            }
        }


def rate(name: str, value: float | None, error: float | None, wanted: float | None = None) -> Rate | None:
    """A rate with two Monte-Carlo errors to either side; None where there is no value."""
    if value is None:
        return None
    off = 2 * (error or 0.0)
    return Rate(name=name, value=value, low=value - off, high=value + off, wanted=wanted)


def simulated_rates(d: Mapping[str, Any]) -> RateForest:
    """The rates of a lab result (its `to_dict()`), each beside the rate that the method promises."""
    schema = str(d["schema"]).removeprefix("heldout.").removesuffix("/1")
    heading, x, wanted, of = RATES[schema]
    found = [_clipped(made) for one in d["results"] if (made := of(one)) is not None]
    return RateForest(view="rates", heading=heading, x=x, rates=found, wanted=wanted)


def _clipped(one: Rate) -> Rate:
    """A share lies between 0 and 1, whatever two Monte-Carlo errors reach to."""
    return replace(one, low=max(one.low, min(0.0, one.value)), high=min(one.high, max(1.0, one.value)))


def _named(one: Mapping[str, Any], *keys: str) -> str:
    return ", ".join(str(one[key]) for key in keys if one[key] not in ("", None))


RATES: dict[str, tuple[str, str, str, Any]] = {
    "coverage": (
        "Simulated coverage", "coverage of the true value", "the confidence level",
        lambda one: rate(_named(one, "method", "metric"), one["coverage"], one["error"], one["level"]),
    ),
    "size": (
        "Simulated rejections", "rejection rate of the test", "alpha, where models are equally good",
        lambda one: rate(
            _named(one, "test", "metric"), one["rejected"], one["error"], None if one["difference"] else one["alpha"]
        ),
    ),
    "corpus-rates": (
        "Simulated error rates over images and segments", "coverage, or rejection rate",
        "the confidence level, or alpha",
        lambda one: rate(
            _named(one, "kind", "metric", "method"), one["rate"], one["error"],
            one["level"] if one["kind"] != "test" else 1 - one["level"],
        ),
    ),
    "split-coverage": (
        "Simulated coverage over splits", "coverage of the target's error",
        "the confidence level",
        lambda one: rate(_named(one, "learner", "method", "splits"), one["covers_target"], one["error"], one["level"]),
    ),
    "split-size": (
        "Simulated rejections over splits", "rejection rate of the test",
        "alpha, where learners are equally good",
        lambda one: rate(
            _named(one, "learner", "test", "splits"), one["rejected"], one["error"],
            one["alpha"] if not one.get("difference") else None,
        ),
    ),
    "failures": (
        "Methods over splits where they are known to fail", "share, or error rate", "the truth",
        lambda one: rate(_named(one, "case", "method"), one["value"], one["error"], one["truth"]),
    ),
    "held-out": (
        "Cards of half of the simulations, checked on the others", "share of cells whose printed rate is too good",
        "the share that is allowed",
        lambda one: rate(_named(one, "held_out", "kind"), one["optimistic"], 0.0, 0.05),
    ),
    "outside": (
        "Error rates in data unlike the simulations", "measured rate", "the bound",
        lambda one: rate(
            _named(one, "area", "setting", "metric"), one["measured"], one["error"],
            one["high"] if one["high"] is not None and one["high"] < 1 else one["low"],
        ),
    ),
}  # fmt: skip
"""Kind of result → title, axis, what marks are, and how one of its rates is read."""
