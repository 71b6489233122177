"""How many rows would do? `interval`, `difference` and `power` of `heldout.plan`, and what they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from heldout import planning
from heldout.errors import UsageError
from heldout.formulas import Metric
from heldout.verbs.expectations import (
    Expectation,
    OfRows,
    alone,
    assumed,
    expected,
    looked_at,
    of_two,
    piloted,
    powers_of,
    shape,
    unrelated,
    widest,
    widths_of,
)
from heldout.version import __version__

Question = Literal["interval", "difference", "power"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """One way to collect the rows, with what it gives."""

    name: str
    """one model, worst case, paired, unpaired or against chance."""
    rows: int
    """All rows; where it is unpaired, of each model."""
    half_width: float | None = None
    power: float | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Rows, and the half-width or power they give, under the assumptions that are listed."""

    question: Question
    metric: str
    value: float | None
    gain: float | None = None
    level: float
    method: str
    designs: tuple[Design, ...]
    range: tuple[float, float] | None = None
    """Where the worst case was looked for."""
    assumptions: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """The rows of the first design."""
        return self.designs[0].rows

    @property
    def power(self) -> float | None:
        """The power of the first design."""
        return self.designs[0].power

    @property
    def half_width(self) -> float | None:
        """The half-width of the first design."""
        return self.designs[0].half_width

    def __getitem__(self, name: str) -> Design:
        """One design by its name.

        >>> difference("accuracy", 0.85, gain=0.02, disagree=0.08)["unpaired"].rows
        4722
        """
        return {one.name: one for one in self.designs}[name]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: the JSON contract `heldout.plan/1`."""
        return {
            "schema": "heldout.plan/1",
            "heldout": __version__,
            "question": self.question,
            "metric": self.metric,
            "value": self.value,
            "gain": self.gain,
            "level": self.level,
            "method": self.method,
            "range": None if self.range is None else list(self.range),
            "designs": [
                {"name": one.name, "rows": one.rows, "half_width": one.half_width, "power": one.power}
                for one in self.designs
            ],
            "assumptions": list(self.assumptions),
        }

    def __str__(self) -> str:
        from heldout.report.plan import plan_text

        return plan_text(self.to_dict())


def interval(
    metric: str | Metric,
    value: float | None = None,
    *,
    half_width: float,
    confidence_level: float = 0.95,
    range: tuple[float, float] | None = None,
    sd: float | None = None,
    prevalence: float | None = None,
    pilot: Any = None,
    **reading: Any,
) -> Plan:
    """The rows with which the interval of a metric reaches no further than `half_width` from its middle.

    Shares need their expected value, roc_auc also the prevalence, means the sd of one row's value; for any other metric
    a `pilot` (predictions as for `evaluate`) tells how far rows move it. `range` is where the worst case is looked for.

    >>> plan = interval("accuracy", 0.85, half_width=0.02)
    >>> plan.rows, plan["worst case"].rows
    (1225, 1535)
    """
    if not 0 < half_width < float("inf"):
        raise UsageError(f"half_width is {half_width:g}, but must be above zero", fix="such as 0.02")
    alone(pilot, {"value": value, "range": range, "sd": sd, "prevalence": prevalence}, reading)
    if pilot is None:
        case = expected(metric, value, confidence_level, sd=sd, prevalence=prevalence, range=range)
    else:
        case = piloted(metric, pilot, confidence_level, reading)
    widths, method = widths_of(case)
    looked = looked_at(case)
    designs = [_narrow("one model", widths(case.value), half_width)]
    if looked is not None:
        designs.append(_narrow("worst case", widths(widest(case, looked)), half_width))
    return Plan(
        question="interval",
        metric=case.metric.name,
        value=case.value,
        level=case.level,
        method=method,
        designs=tuple(designs),
        range=looked,
        assumptions=(*assumed(case), *shape(case)),
    )


def difference(
    metric: str | Metric,
    value: float | None = None,
    *,
    gain: float,
    power: float = 0.8,
    confidence_level: float = 0.95,
    disagree: float | None = None,
    sd: float | None = None,
    correlation: float | None = None,
    prevalence: float | None = None,
    pilot: Any = None,
    **reading: Any,
) -> Plan:
    """The rows with which a model better by `gain` is found to be so with the chance `power`, paired and unpaired.

    `disagree` is the share of rows on which exactly one of the two models is right, `correlation` that of the models'
    rows (means) or areas; without them the models are taken to be unrelated, which asks for more rows. The `pilot` is a
    pair of models as for `compare`.

    >>> difference("accuracy", 0.85, gain=0.02, power=0.8, disagree=0.08).rows
    1556
    """
    if not 0 < power < 1:
        raise UsageError(f"power is {power:g}, but must lie between 0 and 1", fix="leave it out for 0.8")
    known = {"disagree": disagree, "sd": sd, "correlation": correlation, "prevalence": prevalence}
    case = of_two(metric, value, gain=gain, level=confidence_level, known=known, pilot=pilot, reading=reading)
    powers, method = powers_of(case, gain)
    designs = []
    for name, chance in powers.items():
        rows = planning.fewest(lambda n, chance=chance: chance(n) >= power)  # type: ignore[misc]
        designs.append(Design(name=name, rows=rows, power=chance(rows)))
    return _compared("difference", case, gain, method, designs)


def power(
    metric: str | Metric,
    value: float | None = None,
    *,
    rows: int,
    gain: float | None = None,
    confidence_level: float = 0.95,
    disagree: float | None = None,
    sd: float | None = None,
    correlation: float | None = None,
    prevalence: float | None = None,
    pilot: Any = None,
    **reading: Any,
) -> Plan:
    """The chance that a model better by `gain` is found to be so with that many rows, paired and unpaired.

    For roc_auc without a gain: the chance that one model's area is found to be above 1/2. Options as for `difference`.

    >>> round(power("accuracy", 0.85, gain=0.02, rows=1556, disagree=0.08).power, 3)
    0.8
    """
    if rows < 1 or rows != int(rows):
        raise UsageError(f"rows is {rows:g}, but must be a whole number of 1 or more")
    known = {"disagree": disagree, "sd": sd, "correlation": correlation, "prevalence": prevalence}
    if gain is None:
        case = expected(metric, value, confidence_level, prevalence=prevalence)
        if case.metric.name != "roc_auc":
            raise UsageError("gain is missing", fix="say by how much the better model is better")
        chance = planning.above_chance_power(case.value or 0.0, *case.classes(rows), case.level)
        designs = [Design(name="against chance", rows=int(rows), power=chance)]
        return _compared("power", case, None, "variance of an area of normal scores", designs)
    case = of_two(metric, value, gain=gain, level=confidence_level, known=known, pilot=pilot, reading=reading)
    powers, method = powers_of(case, gain)
    designs = [Design(name=name, rows=int(rows), power=chance(int(rows))) for name, chance in powers.items()]
    return _compared("power", case, gain, method, designs)


def _compared(
    question: Question,
    case: Expectation,
    gain: float | None,
    method: str,
    designs: Sequence[Design],
) -> Plan:
    return Plan(
        question=question,
        metric=case.metric.name,
        value=case.value,
        gain=gain,
        level=case.level,
        method=method,
        designs=tuple(designs),
        assumptions=(*assumed(case), *(() if gain is None else (*shape(case), *unrelated(case, gain)))),
    )


def _narrow(name: str, width: OfRows, half_width: float) -> Design:
    rows = planning.fewest(lambda n: width(n) <= half_width)
    return Design(name=name, rows=rows, half_width=width(rows))
