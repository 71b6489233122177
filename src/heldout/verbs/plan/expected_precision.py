"""What is known about a metric before its rows are there, and what follows from it for a number of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import ceil, isfinite, sqrt
from typing import Any, Literal

from heldout import planning
from heldout.errors import DataError, UsageError, did_you_mean, refuse_idle
from heldout.formulas import Metric, metric
from heldout.inputs import Check
from heldout.intervals.auc import binormal_variance, hanley_mcneil_variance
from heldout.intervals.scales import checked_level, critical_z

OfRows = Callable[[int], float]
AROUND = 0.05
"""How far to either side of a share or area the worst case is looked for, unless a range is given."""
USED = {
    "share": {"disagree", "range", "prevalence"},
    "area": {"correlation", "range", "prevalence", "method"},
    "mean": {"sd", "correlation", "piloted", "interval", "unit", "chosen"},
}
"""What each kind is planned by, besides the value."""
AREAS = {
    "binormal": (binormal_variance, planning.areas_power),
    "hanley_mcneil": (hanley_mcneil_variance, planning.hanley_mcneil_power),
}
"""How an area varies, and the power that follows, for normal and for exponential scores."""
NAMED = {"binormal": "DeLong, binormal", "hanley_mcneil": "Hanley-McNeil"}
CLASSES = {frozenset(("tp", "fn")): "positive", frozenset(("tn", "fp")): "negative"}


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """What is known before the rows are there."""

    metric: Metric
    value: float | None
    level: float
    sd: float | None = None
    prevalence: float | None = None
    disagree: float | None = None
    correlation: float | None = None
    range: tuple[float, float] | None = None
    method: str | None = None
    """One of `AREAS` (default: binormal)."""
    piloted: bool = False
    """Whether the sd comes from predictions; then it is that of the difference, where there are two models."""
    interval: str | None = None
    """How the interval of the pilot was made."""
    unit: Literal["row", "cluster"] = "row"
    """What is counted: rows, or clusters where the pilot has groups."""
    chosen: tuple[str, ...] = ()
    """What was decided about the pilot when it was read, such as the threshold."""

    @property
    def kind(self) -> Literal["share", "area", "mean"]:
        """By which formulas it is planned."""
        if self.sd is not None:
            return "mean"
        return "share" if self.metric.share else "area"

    @property
    def of_class(self) -> str | None:
        """The class whose rows count, where it is only one."""
        return CLASSES.get(frozenset(self.metric.share)) if self.metric.one_class else None

    @property
    def by(self) -> str:
        """By which of `AREAS` an area is planned."""
        return self.method or "binormal"

    @property
    def part(self) -> float:
        """The part of all rows that counts."""
        if self.prevalence is None or self.kind != "share" or self.of_class is None:
            return 1.0
        return self.prevalence if self.of_class == "positive" else 1 - self.prevalence

    def classes(self, rows: int) -> tuple[float, float]:
        """How many rows are positive, and how many negative."""
        assert self.prevalence is not None
        return rows * self.prevalence, rows * (1 - self.prevalence)


def expected(name: str | Metric, value: float | None, level: float, **known: Any) -> Expectation:
    """What was given, once it is found to make sense."""
    found = metric(name) if isinstance(name, str) else name
    checked_level(level, "confidence_level")
    _plannable(found, value, known)
    for option in ("disagree", "prevalence"):
        if known.get(option) is not None and not 0 < known[option] < 1:
            raise UsageError(
                f"{option} is {known[option]:g}, but must be a share above 0 and below 1", fix="for 10% write 0.1"
            )
    sd, correlation = known.get("sd"), known.get("correlation")
    if sd is not None and not 0 < sd < float("inf"):
        raise UsageError(f"sd is {sd:g}, but must be above zero", fix="give a standard deviation such as 1.5")
    if correlation is not None and not -1 <= correlation < 1:
        raise UsageError(
            f"correlation is {correlation:g}, but must be at least -1 and below 1", fix="give a number such as 0.5"
        )
    if known.get("method") is not None and known["method"] not in AREAS:
        fix = f"give one of {', '.join(AREAS)}"
        raise UsageError(
            f"no method for areas is named {known['method']!r}{did_you_mean(known['method'], AREAS)}", fix=fix
        )
    case = Expectation(metric=found, value=value, level=level, **known)
    idle = {name for name, given in known.items() if given is not None} - USED[case.kind]
    if case.kind == "share" and case.of_class is None and case.prevalence is not None:
        idle.add("prevalence")
    if idle:
        raise UsageError(f"{min(idle)} says nothing about {found.name} here", fix=f"leave {min(idle)} out")
    for at in (value, *(case.range or ())):
        if at is not None:
            _possible(case, at)
    return case


def _plannable(found: Metric, value: float | None, known: Mapping[str, Any]) -> None:
    """Whether what was given is enough for this metric."""
    if known.get("sd") is not None:
        if (found.share or found.name == "roc_auc") and not known.get("piloted"):
            message = f"sd has no effect on {found.name}: its spread follows from its value"
            raise UsageError(message, fix="leave out --sd (sd=)")
        return
    if not (found.share or found.name == "roc_auc"):
        fix = "give --sd (sd=), the spread of one row's value, or --pilot (pilot=): predictions from which it is found"
        raise UsageError(f"how far rows move {found.name} does not follow from its value", fix=fix)
    if value is None:
        raise UsageError(f"the value of {found.name} to plan for is missing", fix="say what you expect, such as 0.85")
    if found.name == "roc_auc" and known.get("prevalence") is None:
        fix = "give --prevalence (prevalence=), the share of positive rows"
        raise UsageError("the rows for roc_auc depend on how many of them are positive", fix=fix)


def _possible(case: Expectation, value: float) -> None:
    low, high = case.metric.range
    inside = low < value < high if case.kind == "area" else low <= value <= high
    if not (inside and isfinite(value)):
        raise UsageError(f"{case.metric.name} cannot be {value:g}", fix=f"it lies between {low:g} and {high:g}")


def alone(pilot: Any, given: Mapping[str, Any], reading: Mapping[str, Any]) -> None:
    """A pilot takes the place of what is otherwise expected; how to read it is said only where there is one."""
    if pilot is None and reading:
        raise UsageError(f"{min(reading)} says how to read a pilot, but there is none", fix="give --pilot (pilot=)")
    idle = sorted(name for name, one in given.items() if one is not None)
    if pilot is not None and idle:
        raise UsageError(f"{idle[0]} is found from the pilot, so it cannot be given", fix=f"leave {idle[0]} out")


def of_two(
    name: str | Metric,
    value: float | None,
    *,
    gain: float,
    level: float,
    known: Mapping[str, Any],
    pilot: Any,
    reading: Mapping[str, Any],
) -> Expectation:
    """What is expected of two models, the second better by `gain`."""
    if not 0 < gain < float("inf"):
        raise UsageError(f"gain is {gain:g}, but must be above zero", fix="say how much better")
    alone(pilot, {**known, "value": value}, reading)
    if pilot is not None:
        return piloted_pair(name, pilot, level, reading)
    case = expected(name, value, level, **known)
    if case.metric.better is None:
        raise UsageError(
            f"{case.metric.name} has no better side, so nothing can gain in it",
            fix="plan an interval of it, or choose a metric that can be better",
        )
    if value is not None:
        _possible(case, better_by(case, gain))
    if case.kind == "share":
        if case.metric.one_class and case.of_class is None:
            fix = "give --pilot (pilot=): predictions of two models"
            raise UsageError(f"{case.metric.name} of two models is not a share of the same rows", fix=fix)
        _consistent(case, gain)
    return case


def _consistent(case: Expectation, gain: float) -> None:
    """Models that differ by the gain disagree on at least as many rows, and on no more than their values allow."""
    if case.disagree is None:
        return
    both = (case.value or 0.0) + better_by(case, gain)
    most = min(both, 2 - both)
    if not gain - 1e-12 <= case.disagree <= most + 1e-12:
        raise UsageError(
            f"models with {case.metric.name} {case.value:g} and {better_by(case, gain):g} cannot disagree on "
            f"{case.disagree:g} of the rows",
            fix=f"give --disagree (disagree=) between {gain:g} and {most:g}",
        )


def better_by(case: Expectation, gain: float) -> float:
    """The value of the better model."""
    return round((case.value or 0.0) + (gain if case.metric.better == "higher" else -gain), 12)


def _reads_predictions(found: Metric, reading: Mapping[str, Any]) -> None:
    """Raise if predicted labels are named, and the metric is computed from scores."""
    if not found.of_labels and found.reads not in ("numbers", "ordered"):
        refuse_idle(f"on {found.name}, computed from scores", y_pred=reading.get("y_pred"))


def piloted(name: str | Metric, pilot: Any, level: float, reading: Mapping[str, Any]) -> Expectation:
    """A metric's value in predictions, with sd = (standard error) sqrt(units), how far one unit moves it."""
    from heldout.verbs.evaluate.evaluate import evaluate

    found = metric(name) if isinstance(name, str) else name
    _reads_predictions(found, reading)
    whole = evaluate(pilot, metrics=[found], confidence_level=level, **reading)
    one = whole[found.name]
    sd = _spread(found.name, one.low, one.high, one.units, level)
    known = _of_pilot(found, reading, whole.checks, grouped=whole.units != whole.rows)
    return expected(found, float(one.value), level, sd=sd, interval=one.method, **known)


def piloted_pair(name: str | Metric, pilot: Any, level: float, reading: Mapping[str, Any]) -> Expectation:
    """The same for the difference of two models: files by name, or a pair of them."""
    from heldout.verbs.compare.compare import compare

    found = metric(name) if isinstance(name, str) else name
    models = pilot if isinstance(pilot, Mapping) else dict(zip(("first", "second"), pilot, strict=False))
    if len(models) != 2:
        raise UsageError(f"the pilot of a difference has {len(models)} models", fix="give the predictions of two")
    _reads_predictions(found, reading)
    both = compare(models, primary=found, metrics=[found], confidence_level=level, **reading)
    one = both[found.name]
    sd = _spread(found.name, one.low, one.high, both.units, level)
    known = _of_pilot(found, reading, both.checks, grouped=both.units != both.rows)
    return expected(found, None, level, sd=sd, interval=one.test, **known)


def _of_pilot(found: Metric, reading: Mapping[str, Any], checks: Iterable[Check], *, grouped: bool) -> dict[str, Any]:
    """What a plan must say about its pilot: what a unit is, and what was decided about its rows."""
    at = reading.get("threshold")
    given = (f"rows with a score of {at:g} and more are predicted positive",) if at is not None else ()
    chosen = (*(given if found.of_labels else ()), *(check.text for check in checks if check.code == "H111"))
    return {"piloted": True, "unit": "cluster" if grouped else "row", "chosen": chosen}


def _spread(name: str, low: float, high: float, units: int | None, level: float) -> float:
    if not (units and 0 < high - low < float("inf")):
        raise DataError(f"the pilot does not tell how far rows move {name}", fix="give a pilot with more rows")
    return (high - low) / (2 * critical_z(level)) * sqrt(units)


def widths_of(case: Expectation) -> tuple[Callable[[float | None], OfRows], str]:
    """The half-width at a value as a function of rows, and what the interval is."""
    if case.kind == "mean":
        width = partial(planning.mean_half_width, case.sd or 0.0, level=case.level)
        return lambda _: width, case.interval or "t"
    if case.kind == "area":
        variance = AREAS[case.by][0]

        def area_width(value: float | None) -> OfRows:
            return lambda rows: planning.area_half_width(
                value or 0.0, *case.classes(rows), case.level, variance=variance
            )

        return area_width, NAMED[case.by]
    return (lambda value: lambda rows: planning.share_half_width(value or 0.0, rows * case.part, case.level)), "Wilson"


def looked_at(case: Expectation) -> tuple[float, float] | None:
    """Between which values the worst case is looked for."""
    if case.kind == "mean" or case.value is None:
        return None
    if case.range is not None:
        return min(case.range), max(case.range)
    low, high = case.metric.range
    return max(low, round(case.value - AROUND, 12)), min(high, round(case.value + AROUND, 12))


def widest(case: Expectation, between: tuple[float, float]) -> float:
    """The value with the widest interval: the one nearest to 1/2, for shares and areas alike."""
    return min(max(0.5, between[0]), between[1]) if case.kind != "mean" else between[0]


def powers_of(case: Expectation, gain: float) -> tuple[dict[str, OfRows], str]:
    """The power of each design as a function of rows, and by which test."""
    level, related = case.level, case.correlation or 0.0
    if case.kind == "mean":
        sd = case.sd or 0.0
        if case.piloted:
            return {
                "paired": lambda rows: planning.mean_power(gain, sd, rows, level)
            }, f"t, spread of pilot {case.unit}"
        apart = sd * sqrt(2 * (1 - related))
        return {
            "paired": lambda rows: planning.mean_power(gain, apart, rows, level),
            "unpaired": lambda rows: planning.mean_power(gain, sd, rows, level, samples=2),
        }, "t"
    first, second = case.value or 0.0, better_by(case, gain)
    if case.kind == "area":
        areas = partial(AREAS[case.by][1], first, second, level=level)
        return {
            "paired": lambda rows: areas(*case.classes(rows), correlation=related),
            "unpaired": lambda rows: areas(*case.classes(rows)),
        }, NAMED[case.by]
    disagree = disagreement(case, gain)
    return {
        "paired": lambda rows: planning.mcnemar_power(gain, disagree, int(rows * case.part), level),
        "unpaired": lambda rows: planning.shares_power(first, second, rows * case.part, level),
    }, "McNemar, mid-p"


def swings(case: Expectation) -> Callable[[int], int] | None:
    """How far the power of counts swings, in rows of all classes; None where it does not."""
    if case.kind != "share":
        return None
    return lambda rows: ceil(planning.jumps(int(rows * case.part)) / case.part)


def disagreement(case: Expectation, gain: float) -> float:
    """The share of rows on which one model is right and the other wrong; by default p1 (1 - p2) + p2 (1 - p1)."""
    first, second = case.value or 0.0, better_by(case, gain)
    return first * (1 - second) + second * (1 - first) if case.disagree is None else case.disagree
