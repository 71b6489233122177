"""How many rows would do? `interval`, `bound`, `difference` and `power` of `heldout.plan`, and what they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from heldout import planning
from heldout.batch import Label
from heldout.errors import UsageError
from heldout.formulas import Metric, metric as named_metric
from heldout.intervals.shares import wilson
from heldout.planning import MOST_POWER
from heldout.verbs.parameters import Task, documented, with_hints
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
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.plot import Plot


def assumed(case: Expectation) -> tuple[str, ...]:
    """What the plan takes for granted."""
    said = [f"{case.unit}s are independent of each other"]
    if case.piloted:
        said.append(f"the interval narrows with 1 / sqrt({case.unit}s) from the one of the pilot ({case.interval})")
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
        measured = "where they are not and the classes uneven, the simulated power is 64% to 94% (planned 80%)"
        return (f"scores are normal, with equal spread in both classes; {measured}: a pilot is safer",)
    measured = "where they are normal and the classes uneven, the simulated power is 60% to 91% (planned 80%)"
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
AreaMethod = Literal["binormal", "hanley_mcneil"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """One way to collect the rows, with what it gives."""

    name: str
    """one model, worst case, on average, paired, unpaired or against chance."""
    rows: int
    """All rows; where it is unpaired, of each model."""
    half_width: float | None = None
    power: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Plan(Result):
    """Rows, and the half-width or power they give, under the assumptions that are listed."""

    kind = "plan"

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
    unit: str = "row"
    """What the rows of a design are: rows, or clusters where the pilot has groups."""
    assumptions: tuple[str, ...] = ()
    expected: Expectation | None = field(default=None, compare=False)
    """What the plan was made from, where it is for two models."""

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

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "question": self.question,
            "metric": self.metric,
            "value": self.value,
            "gain": self.gain,
            "level": self.level,
            "method": self.method,
            "range": None if self.range is None else list(self.range),
            "lower_bound": self.lower_bound,
            "upper_bound": self.upper_bound,
            "designs": [
                {"name": one.name, "rows": one.rows, "half_width": one.half_width, "power": one.power}
                for one in self.designs
            ],
            "assumptions": list(self.assumptions),
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:  # noqa: ARG002 the plan itself has what it takes
        """Power against the number of rows, and alpha and beta."""
        from heldout.verbs.textbook_charts import plan_charts

        return plan_charts(self)


@documented()
def interval(
    metric: str | Metric,
    value: float | None = None,
    *,
    half_width: float,
    confidence_level: float = 0.95,
    range: tuple[float, float] | None = None,
    sd: float | None = None,
    prevalence: float | None = None,
    method: AreaMethod | None = None,
    pilot: Any = None,
    y_pred: Any = None,
    y_score: Any = None,
    y_proba: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    truth: str | Sequence[str] | None = None,
    prob_prefix: str | None = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    threshold: float | None = None,
    task: Task | None = None,
) -> Plan:
    """Number of rows for a confidence interval of a given half-width.

    Parameters
    ----------
    metric : str or Metric
        The metric to plan for: a share, such as accuracy or recall; roc_auc; or any other with `sd` or a pilot.
    value : float, optional
        The expected value of the metric. Leave it out with a pilot, and for means with `sd`.
    half_width : float
        Half the width of the interval, above 0.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.
    range : (float, float), optional
        Values between which the worst case is looked for (default: 0.05 to either side of `value`).
    sd : float, optional
        Standard deviation of one row's value, for means such as mae.
    prevalence : float, optional
        Share of positive rows: needed for roc_auc; for recall and the like, it makes `rows` all rows instead of
        those of one class.
    method : {"binormal", "hanley_mcneil"}, optional
        For roc_auc: how its variance is predicted, from normal or exponential scores (default: binormal).
    pilot : array-like, frame or path, optional
        Predictions from which the value and the spread are estimated: the `y_true` of `evaluate`. Needed for metrics
        other than shares of rows, roc_auc, and means with `sd`. The parameters below say how to read it.
    <y_pred>
    <y_score>
    <y_proba>
    <sample_weight>
    <groups>
    <truth>
    <prob_prefix>
    <pos_label>
    <labels>
    <threshold>
    <task>

    Returns
    -------
    Plan
        The designs with their rows, the method and the assumptions; `rows` is that of the first design.

    Raises
    ------
    UsageError
        If what is given is out of range, or is not enough to plan this metric; the message says what to add.

    Examples
    --------
    >>> plan = interval("accuracy", 0.85, half_width=0.02)
    >>> plan.rows, plan["worst case"].rows
    (1225, 1535)
    """
    if not 0 < half_width < float("inf"):
        raise UsageError(f"half_width is {half_width:g}, but must be above zero", fix="such as 0.02")
    reading = _given(
        y_pred=y_pred, y_score=y_score, y_proba=y_proba, sample_weight=sample_weight, groups=groups, truth=truth,
        prob_prefix=prob_prefix, pos_label=pos_label, labels=labels, threshold=threshold, task=task,
    )  # fmt: skip
    known = {"range": range, "sd": sd, "prevalence": prevalence, "method": method}
    alone(pilot, {**known, "value": value}, reading)
    if pilot is None:
        case = expected(metric, value, confidence_level, **known)
    else:
        case = piloted(metric, pilot, confidence_level, reading)
    widths, interval_name = widths_of(case)
    looked = looked_at(case)
    designs = [_narrow("one model", widths(case.value), half_width)]
    if looked is not None:
        designs.append(_narrow("worst case", widths(widest(case, looked)), half_width))
    return Plan(
        question="interval",
        metric=case.metric.name,
        value=case.value,
        level=case.level,
        method=interval_name,
        designs=tuple(designs),
        range=looked,
        unit=case.unit,
        assumptions=(*assumed(case), *shape(case)),
    )


@with_hints
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
    """Number of rows with which a confidence limit of a share clears a bound with a given power.

    The interval is Wilson's.

    Parameters
    ----------
    metric : str or Metric
        The metric, a share such as recall or fpr.
    value : float
        The expected value of the metric.
    lower_bound : float, optional
        The lower limit must lie above it. Give this or `upper_bound`.
    upper_bound : float, optional
        The upper limit must lie below it.
    power : float, default 0.8
        Power: the probability wanted, between 0 and 1.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.
    prevalence : float, optional
        Share of positive rows: needed for roc_auc; for recall and the like, it makes `rows` all rows instead of
        those of one class.

    Returns
    -------
    Plan
        The designs "one model" and "on average" with their rows and power. "on average" only has the limit at the
        bound where the observed share is the expected one: a power of about one half.

    Raises
    ------
    UsageError
        If what is given is out of range, or is not enough to plan this metric; the message says what to add.

    Examples
    --------
    >>> plan = bound("sensitivity", 0.90, lower_bound=0.80, prevalence=0.15)
    >>> plan.rows, plan["on average"].rows
    (721, 410)
    """
    _chance(power)
    case = expected(metric, value, confidence_level, prevalence=prevalence)
    chance, limit = bounded(case, lower_bound, upper_bound)
    less = "a bound further from the expected value"
    rows = planning.fewest(lambda n: chance(n) >= power, ahead=swings(case), less=less)
    mean = planning.fewest(lambda n: limit(n) >= 0, less=less)
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


@documented()
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
    method: AreaMethod | None = None,
    pilot: Any = None,
    y_pred: str | None = None,
    y_score: str | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    truth: str | Sequence[str] | None = None,
    prob_prefix: str | None = None,
    id: str | None = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    threshold: float | None = None,
    task: Task | None = None,
) -> Plan:
    """Number of rows with which a better model is found significantly better with a given power.

    Parameters
    ----------
    metric : str or Metric
        The metric to plan for: a share, such as accuracy or recall; roc_auc; or any other with `sd` or a pilot.
    value : float, optional
        The expected value of the metric for the worse model. Leave it out with a pilot, and for means with `sd`.
    gain : float
        By how much the better model is better, above 0.
    power : float, default 0.8
        Power: the probability wanted, between 0 and 1.
    confidence_level : float, default 0.95
        A difference is significant at 1 - confidence_level.
    disagree : float, optional
        Share of rows on which exactly one of the two models is right (default: the models err independently, which
        takes more rows).
    sd : float, optional
        Standard deviation of one row's value, for means such as mae.
    correlation : float, optional
        Correlation of the two models' values (means) or of their scores within a class (roc_auc; of the areas with
        hanley_mcneil) (default: 0, which takes more rows).
    prevalence : float, optional
        Share of positive rows: needed for roc_auc; for recall and the like, it makes `rows` all rows instead of
        those of one class.
    method : {"binormal", "hanley_mcneil"}, optional
        For roc_auc: how its variance is predicted, from normal or exponential scores (default: binormal).
    pilot : mapping of str to path or frame, or pair of them, optional
        Predictions of two models on the same rows, as for `compare`, from which the spread of the difference is
        estimated. Needed for metrics other than shares of rows, roc_auc, and means with `sd`. The parameters below
        say how to read them.
    y_pred : str, optional
        Column of the predicted labels or numbers, in the pilot.
    y_score : str, optional
        Column of the scores, in the pilot.
    <sample_weight>
    <groups>
    <truth>
    <prob_prefix>
    <id>
    <pos_label>
    <labels>
    <threshold>
    <task>

    Returns
    -------
    Plan
        The designs "paired" (both models on the same rows) and "unpaired" (each on its own rows), with their rows
        and power.

    Raises
    ------
    UsageError
        If what is given is out of range, or is not enough to plan this metric; the message says what to add.

    References
    ----------
    N. A. Obuchowski, D. K. McClish (1997). Sample size determination for diagnostic accuracy studies involving
    binormal ROC curve indices. Statistics in Medicine 16(13), 1529–1542. [obuchowski97]

    Examples
    --------
    >>> plan = difference("accuracy", 0.85, gain=0.02, disagree=0.08)
    >>> plan.rows, plan["unpaired"].rows
    (1556, 4722)
    """
    _chance(power)
    reading = _given(
        y_pred=y_pred, y_score=y_score, sample_weight=sample_weight, groups=groups, truth=truth,
        prob_prefix=prob_prefix, id=id, pos_label=pos_label, labels=labels, threshold=threshold, task=task,
    )  # fmt: skip
    known = {
        "disagree": disagree,
        "sd": sd,
        "correlation": correlation,
        "prevalence": prevalence,
        "method": method,
    }
    case = of_two(metric, value, gain=gain, level=confidence_level, known=known, pilot=pilot, reading=reading)
    powers, test = powers_of(case, gain)
    designs = []
    for name, chance in powers.items():
        counted = swings(case) if name == "paired" else None
        rows = planning.fewest(lambda n, chance=chance: chance(n) >= power, ahead=counted)  # type: ignore[misc]
        designs.append(Design(name=name, rows=rows, power=chance(rows)))
    return _compared("difference", case, gain, test, designs)


@documented()
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
    method: AreaMethod | None = None,
    pilot: Any = None,
    y_pred: str | None = None,
    y_score: str | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    truth: str | Sequence[str] | None = None,
    prob_prefix: str | None = None,
    id: str | None = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    threshold: float | None = None,
    task: Task | None = None,
) -> Plan:
    """Power to find a better model significantly better with a given number of rows.

    Parameters
    ----------
    metric : str or Metric
        The metric to plan for: a share, such as accuracy or recall; roc_auc; or any other with `sd` or a pilot.
    value : float, optional
        The expected value of the metric for the worse model. Leave it out with a pilot, and for means with `sd`.
    rows : int
        Number of rows there are, 1 or more.
    gain : float, optional
        Difference to detect. For roc_auc without it: the power to show that one model's area is
        above 1/2.
    confidence_level : float, default 0.95
        A difference is significant at 1 - confidence_level.
    disagree : float, optional
        Share of rows on which exactly one of the two models is right (default: the models err independently, which
        takes more rows).
    sd : float, optional
        Standard deviation of one row's value, for means such as mae.
    correlation : float, optional
        Correlation of the two models' values (means) or of their scores within a class (roc_auc; of the areas with
        hanley_mcneil) (default: 0, which takes more rows).
    prevalence : float, optional
        Share of positive rows: needed for roc_auc; for recall and the like, it makes `rows` all rows instead of
        those of one class.
    method : {"binormal", "hanley_mcneil"}, optional
        For roc_auc: how its variance is predicted, from normal or exponential scores (default: binormal).
    pilot : mapping of str to path or frame, or pair of them, optional
        Predictions of two models on the same rows, as for `compare`, from which the spread of the difference is
        estimated. Needed for metrics other than shares of rows, roc_auc, and means with `sd`. The parameters below
        say how to read them.
    y_pred : str, optional
        Column of the predicted labels or numbers, in the pilot.
    y_score : str, optional
        Column of the scores, in the pilot.
    <sample_weight>
    <groups>
    <truth>
    <prob_prefix>
    <id>
    <pos_label>
    <labels>
    <threshold>
    <task>

    Returns
    -------
    Plan
        The designs "paired" and "unpaired" with their power; `power` is that of the first design.

    Raises
    ------
    UsageError
        If what is given is out of range, or is not enough to plan this metric; the message says what to add.

    Examples
    --------
    >>> round(power("accuracy", 0.85, gain=0.02, rows=1556, disagree=0.08).power, 3)
    0.8
    """
    if rows < 1 or rows != int(rows):
        raise UsageError(
            f"rows is {rows:g}, but must be a whole number of 1 or more", fix="write rows=1000 (--rows 1000)"
        )
    reading = _given(
        y_pred=y_pred, y_score=y_score, sample_weight=sample_weight, groups=groups, truth=truth,
        prob_prefix=prob_prefix, id=id, pos_label=pos_label, labels=labels, threshold=threshold, task=task,
    )  # fmt: skip
    known = {
        "disagree": disagree,
        "sd": sd,
        "correlation": correlation,
        "prevalence": prevalence,
        "method": method,
    }
    if gain is None:
        _no_gain(metric, pilot, {**known, "prevalence": None}, reading)
        case = expected(metric, value, confidence_level, prevalence=prevalence)
        chance = planning.above_chance_power(case.value or 0.0, *case.classes(rows), case.level)
        designs = [Design(name="against chance", rows=int(rows), power=chance)]
        return _compared("power", case, None, "variance of an area of normal scores", designs)
    case = of_two(metric, value, gain=gain, level=confidence_level, known=known, pilot=pilot, reading=reading)
    powers, test = powers_of(case, gain)
    designs = [Design(name=name, rows=int(rows), power=chance(int(rows))) for name, chance in powers.items()]
    return _compared("power", case, gain, test, designs)


def _no_gain(metric: str | Metric, pilot: Any, known: Mapping[str, Any], reading: Mapping[str, Any]) -> None:
    """Raise unless a power without a gain is that of one area against chance, which takes no pilot."""
    found = named_metric(metric) if isinstance(metric, str) else metric
    if pilot is not None or found.name != "roc_auc":
        whose = "of two models in a pilot" if pilot is not None else f"of {found.name}"
        fix = "say by how much the better model is better, such as --gain 0.02 (gain=0.02)"
        raise UsageError(f"gain is missing: the power {whose} is that to find a gain", fix=fix)
    alone(pilot, {}, reading)
    for name, value in known.items():
        if value is not None:
            fix = f"give --gain (gain=), or leave out {name}"
            raise UsageError(f"{name} has no effect without a gain: one area is compared with 1/2", fix=fix)


def _given(**reading: Any) -> dict[str, Any]:
    """What was said about how to read the pilot."""
    return {name: value for name, value in reading.items() if value is not None}


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
        expected=case,
        assumptions=(*assumed(case), *(() if gain is None else (*shape(case), *unrelated(case, gain)))),
    )


def _chance(power: float) -> None:
    if not 0 < power <= MOST_POWER:
        raise UsageError(f"power is {power!r}, but must lie between 0 and {MOST_POWER}", fix="leave it out for 0.8")


def _narrow(name: str, width: OfRows, half_width: float) -> Design:
    rows = planning.fewest(lambda n: width(n) <= half_width, less="a larger half-width")
    return Design(name=name, rows=rows, half_width=width(rows))
