"""How many rows would do? `interval`, `bound`, `difference` and `power` of `heldout.plan`, and what they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from heldout import planning
from heldout.errors import UsageError
from heldout.formulas import Metric
from heldout.intervals.shares import wilson
from heldout.verbs.plan.expected_precision import (
    Expectation,
    OfRows,
    alone,
    disagreement,
    expected,
    looked_at,
    of_two,
    piloted,
    powers_of,
    swings,
    widest,
    widths_of,
)
from heldout.version import __version__


def assumed(case: Expectation) -> tuple[str, ...]:
    """What the plan takes for granted."""
    said = [f"{case.unit} are independent of each other"]
    if case.piloted:
        said.append(f"the interval narrows with 1 / sqrt({case.unit}) from the one of the pilot ({case.interval})")
        said += case.chosen
    if case.kind == "share" and case.metric.one_class:
        if case.of_class is None:
            said.append(f"rows are those that {case.metric.name} is a share of, not all rows")
        elif case.prevalence is None:
            said.append(f"rows are those of the {case.of_class} class; with --prevalence (prevalence=), all rows")
        else:
            said.append(f"{case.prevalence:g} of all rows are positive")
    if case.kind == "area":
        said.append(f"{case.prevalence:g} of all rows are positive")
    return tuple(said)


LIKENESS = {"mean": "rows", "area": "areas"}
"""What of two models is more or less alike."""


def shape(case: Expectation) -> tuple[str, ...]:
    """What the plan for an area takes for granted about the scores, and how much that matters."""
    if case.kind != "area":
        return ()
    if case.by == "binormal":
        measured = "where they are not and the classes uneven, a planned power of 80% measured 56% to 94%"
        return (f"scores are normal, with equal spread in both classes; {measured}: a pilot is safer",)
    measured = "where they are normal and the classes uneven, a planned power of 80% measured 67% to 94%"
    return (f"scores are spread exponentially; {measured}: a pilot is safer",)


def unrelated(case: Expectation, gain: float) -> tuple[str, ...]:
    """What the plan takes for granted about how alike two models are."""
    if case.piloted:
        return ()
    if case.kind == "share":
        given, share = case.disagree is not None, disagreement(case, gain)
        if given:
            return (f"one model is right and the other wrong on {share:g} of the rows",)
        alike = f"the models err independently, so that they disagree on {share:.3g} of the rows"
        return (f"{alike}; models that are alike need fewer: give --disagree (disagree=)",)
    what = "scores, within a class," if case.kind == "area" and case.by == "binormal" else LIKENESS[case.kind]
    if case.correlation is not None:
        return (f"the correlation of the models' {what} is {case.correlation:g}",)
    fewer = "models that are alike need fewer rows: give --correlation (correlation=)"
    return (f"the models' {what} are uncorrelated; {fewer}",)


def bounded(case: Expectation, lower: float | None, upper: float | None) -> tuple[OfRows, OfRows]:
    """The chance that Wilson's limit clears a bound, and by how much it does if the share is as expected."""
    if case.kind != "share":
        fix = "plan an interval of it instead"
        raise UsageError(f"{case.metric.name} is not a share, so its limits cannot be planned", fix=fix)
    if (lower is None) == (upper is None):
        fix = "give the one that the interval must clear"
        raise UsageError(f"{'no' if lower is None else 'a lower and an upper'} bound was given", fix=fix)
    limit = float(lower if lower is not None else upper or 0.0)
    share = case.value or 0.0
    if not 0 < limit < 1:
        raise UsageError(f"the bound is {limit:g}, but is a share between 0 and 1", fix="such as 0.8")
    side, right = ("above", limit < share) if lower is not None else ("below", limit > share)
    if not right:
        more, other = ("more", "lower") if side == "above" else ("less", "higher")
        fix = f"expect {more} than the bound, or ask for a {other} one"
        message = f"{case.metric.name} is expected to be {share:g}, so its limit cannot be {side} {limit:g}"
        raise UsageError(message, fix=fix)
    if upper is not None:  # the same as a lower bound on the share of the others
        share, limit = 1 - share, 1 - limit
    return (
        lambda rows: planning.bound_power(share, limit, rows, case.level, part=case.part),
        lambda rows: wilson(share * rows * case.part, rows * case.part, case.level)[0] - limit,
    )


Question = Literal["interval", "bound", "difference", "power"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """One way to collect the rows, with what it gives."""

    name: str
    """one model, worst case, on average, paired, unpaired or against chance."""
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
    lower_bound: float | None = None
    """What the lower limit has to lie above."""
    upper_bound: float | None = None
    """What the upper limit has to lie below."""
    unit: str = "rows"
    """What the rows of a design are: rows, or groups where the pilot has them."""
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
            "lower_bound": self.lower_bound,
            "upper_bound": self.upper_bound,
            "unit": self.unit,
            "designs": [
                {"name": one.name, "rows": one.rows, "half_width": one.half_width, "power": one.power}
                for one in self.designs
            ],
            "assumptions": list(self.assumptions),
        }

    def __str__(self) -> str:
        from heldout.report.kinds.plan import plan_text

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
    method: str | None = None,
    pilot: Any = None,
    **reading: Any,
) -> Plan:
    """The rows with which the interval of a metric reaches no further than `half_width` from its middle.

    Shares need their expected value, roc_auc also the prevalence, means the sd of one row's value; for any other metric
    a `pilot` (predictions as for `evaluate`) tells how far rows move it. `range` is where the worst case is looked for.
    Areas are those of normal scores, with `method="hanley_mcneil"` of exponential ones.

    >>> plan = interval("accuracy", 0.85, half_width=0.02)
    >>> plan.rows, plan["worst case"].rows
    (1225, 1535)
    """
    if not 0 < half_width < float("inf"):
        raise UsageError(f"half_width is {half_width:g}, but must be above zero", fix="such as 0.02")
    known = {"range": range, "sd": sd, "prevalence": prevalence, "method": method}
    alone(pilot, {**known, "value": value}, reading)
    if pilot is None:
        case = expected(metric, value, confidence_level, **known)
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
        unit=case.unit,
        assumptions=(*assumed(case), *shape(case)),
    )


def bound(
    metric: str | Metric,
    value: float,
    *,
    lower_bound: float | None = None,
    upper_bound: float | None = None,
    power: float = 0.8,
    confidence_level: float = 0.95,
    prevalence: float | None = None,
) -> Plan:
    """The rows with which Wilson's limit of a share lies beyond a bound with the chance `power`.

    The limit is the lower one of the interval for a `lower_bound`, the upper one for an `upper_bound`. The design
    `on average` only has the limit at the bound where the share seen is the one expected: a chance of about one half.

    >>> plan = bound("sensitivity", 0.90, lower_bound=0.80, prevalence=0.15)
    >>> plan.rows, plan["on average"].rows
    (721, 410)
    """
    _chance(power)
    case = expected(metric, value, confidence_level, prevalence=prevalence)
    chance, limit = bounded(case, lower_bound, upper_bound)
    rows = planning.fewest(lambda n: chance(n) >= power, ahead=swings(case))
    mean = planning.fewest(lambda n: limit(n) >= 0)
    return Plan(
        question="bound",
        metric=case.metric.name,
        value=case.value,
        level=case.level,
        method="Wilson",
        designs=(
            Design(name="one model", rows=rows, power=chance(rows)),
            Design(name="on average", rows=mean, power=chance(mean)),
        ),
        lower_bound=lower_bound,
        upper_bound=upper_bound,
        assumptions=assumed(case),
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
    method: str | None = None,
    pilot: Any = None,
    **reading: Any,
) -> Plan:
    """The rows with which a model better by `gain` is found to be so with the chance `power`, paired and unpaired.

    `disagree` is the share of rows on which exactly one of the two models is right, `correlation` that of the models'
    rows (means) or of their scores within a class (roc_auc; of the areas with `method="hanley_mcneil"`); without them
    the models are taken to be unrelated, which asks for more rows. The `pilot` is a pair of models as for `compare`.

    >>> difference("accuracy", 0.85, gain=0.02, power=0.8, disagree=0.08).rows
    1556
    """
    _chance(power)
    known = {
        "disagree": disagree,
        "sd": sd,
        "correlation": correlation,
        "prevalence": prevalence,
        "method": method,
    }
    case = of_two(metric, value, gain=gain, level=confidence_level, known=known, pilot=pilot, reading=reading)
    powers, method = powers_of(case, gain)
    designs = []
    for name, chance in powers.items():
        counted = swings(case) if name == "paired" else None
        rows = planning.fewest(lambda n, chance=chance: chance(n) >= power, ahead=counted)  # type: ignore[misc]
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
    method: str | None = None,
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
    known = {
        "disagree": disagree,
        "sd": sd,
        "correlation": correlation,
        "prevalence": prevalence,
        "method": method,
    }
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
        unit=case.unit,
        assumptions=(*assumed(case), *(() if gain is None else (*shape(case), *unrelated(case, gain)))),
    )


def _chance(power: float) -> None:
    if not 0 < power < 1:
        raise UsageError(f"power is {power:g}, but must lie between 0 and 1", fix="leave it out for 0.8")


def _narrow(name: str, width: OfRows, half_width: float) -> Design:
    rows = planning.fewest(lambda n: width(n) <= half_width)
    return Design(name=name, rows=rows, half_width=width(rows))
