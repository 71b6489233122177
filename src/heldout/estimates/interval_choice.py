"""The one place that chooses an interval.

Each metric names the kind of interval that suits it; each kind has a default and the other methods that make sense for
it. A method that does not suit a metric is not used: the default is, with a note.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf, isfinite, isnan, nan
from typing import Literal

from heldout.batch import TimeOrder
from heldout.cards.lookup import CardKey, design_word
from heldout.errors import UsageError, did_you_mean
from heldout.estimates import calibration, means, question as resampling, ranking, shares, text_corpora as corpora
from heldout.estimates.data_features import LARGE, features_of
from heldout.estimates.question import ROUNDING, Answer, Method, Question
from heldout.estimates.value_with_interval import Estimate
from heldout.formulas import METRICS, Metric
from heldout.intervals import Interval
from heldout.intervals.long_run import FEWEST, LongRun
from heldout.intervals.shares import ALIASES, SHARES
from heldout.tallies import Tally
from heldout.tallies.cells import Cells
from heldout.tallies.grouped_cells import GroupedCells
from heldout.tallies.reliability import Reliability

Side = Literal["two-sided", "lower", "upper"]

DRAWN: dict[str, Method] = {"percentile": resampling.percentile, "basic": resampling.basic, "bca": resampling.bca}
SMOOTH: dict[str, Method] = {"delta": means.normal, "normal": means.normal, **DRAWN}
MEANS: dict[str, Method] = {"t": means.t, "bootstrap_t": means.studentised}

KINDS: dict[str, dict[str, Method]] = {
    "share": {"auto": shares.share("wilson"), **{name: shares.share(name) for name in SHARES}, **DRAWN},
    "unit": {"auto": shares.unit_interval, "wilson": shares.unit_interval, **SMOOTH},
    "sum_of_rates": {
        "auto": shares.sum_of_rates,
        "mover": shares.sum_of_rates,
        "fisher_z": shares.correlation,
        **SMOOTH,
    },
    "mean_of_rates": {
        "auto": shares.mean_of_rates,
        "mover": shares.mean_of_rates,
        "wilson": shares.unit_interval,
        **SMOOTH,
    },
    "correlation": {"auto": shares.correlation, "fisher_z": shares.correlation, **SMOOTH},
    "ratio": {"auto": shares.ratio, "log": shares.ratio, **SMOOTH},
    "area": {
        "auto": ranking.area,
        "delong_logit": ranking.logit,
        "delong": ranking.delong,
        "newcombe": ranking.newcombe,
        "hanley_mcneil": ranking.hanley_mcneil,
        "wilson": shares.unit_interval,
        **SMOOTH,
        "normal": ranking.delong,
    },
    "precision": {
        "auto": ranking.average_precision,
        "boyd": ranking.boyd,
        "wilson": shares.unit_interval,
        **SMOOTH,
    },
    "depth": {"auto": ranking.depth, "wilson": shares.unit_interval, **SMOOTH},
    "ranking": {"auto": ranking.ranking, "wilson": shares.unit_interval, **SMOOTH},
    "columns": {"auto": ranking.columns},
    "mean": {"auto": means.mean, **MEANS, **SMOOTH},
    "bounded_mean": {
        "auto": means.bounded_mean,
        "wilson": shares.unit_interval,
        **MEANS,
        **SMOOTH,
    },
    "spread": {"auto": means.mean, **MEANS, "log": means.log_scale, **SMOOTH},
    "average": {"auto": means.t, "t": means.t, **SMOOTH},
    "corpus": {"auto": corpora.corpus, "t": means.t, "log": means.log_scale, "wilson": shares.unit_interval, **SMOOTH},
    "explained": {"auto": means.explained, "log": means.explained, **SMOOTH},
    "middle": {"auto": means.middle, "order": means.middle, "percentile": resampling.percentile},
    "largest": {"auto": means.largest, "order": means.largest},
    "weighted_kappa": {"auto": means.explained, "fisher_z": shares.fisher, **SMOOTH},
    "ece": {"auto": calibration.ece},
    "calibration_error": {"auto": calibration.calibration_error},
    "recalibration": {"auto": calibration.recalibration, "normal": calibration.recalibration},
}
"""By kind of metric: the default (`auto`) and the methods that may be asked for."""

UNMOVED = ("middle", "largest", "ece", "calibration_error", "recalibration", "columns")
"""Kinds whose variance is not that of a formula on sums; their methods say themselves how times depend."""
INDEPENDENT = (*DRAWN, "bootstrap_t", "hanley_mcneil")
"""Methods that take rows, or clusters, for independent and cannot allow for dependence in time."""

METHODS = sorted({name for methods in KINDS.values() for name in methods})


def known_method(name: str) -> str:
    """A method's own name from any of its names.

    >>> known_method("wald"), known_method("exact")
    ('normal', 'clopper_pearson')
    """
    plain = ALIASES.get(name.replace("-", "_"), name.replace("-", "_"))
    if plain not in METHODS:
        raise UsageError(
            f"no interval method is named {name!r}{did_you_mean(plain, [*METHODS, *ALIASES])}",
            fix="heldout explain methods lists all",
        )
    return plain


def estimate(
    metric: Metric,
    tally: Tally,
    *,
    label: int | None = None,
    level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    draws: int = 2000,
    seed: int = 0,
    notes: tuple[str, ...] = (),
    printed: bool | None = None,
    time: TimeOrder | None = None,
    stand_in: bool = True,
) -> Estimate:
    """The metric's value on a tally, with the interval that suits it or was asked for."""
    inner = level if side == "two-sided" else 2 * level - 1
    asked = Question(
        metric=metric, tally=tally, level=inner, label=label, draws=draws, seed=seed, time=time, stand_in=stand_in
    )
    value = value_of(asked)
    asked.__dict__["value"] = value
    answer = _answered(asked, method)
    few = (*_few_units(asked), *(() if time is None else few_times(answer.long_run)))
    facts = partial(features_of, asked, autocorrelation=_autocorrelation(answer, time))
    low, high = _one_sided(_holding(answer, value), metric, side)
    return Estimate(
        value,
        low=low,
        high=high,
        level=level,
        method=answer.method if side == "two-sided" else f"{answer.method}, {side} bound",
        units=tally.units,
        notes=_reasons(value, (*notes, *answer.notes, *_guaranteed(answer, side), *few)),
        name=metric.name,
        better=metric.better,
        count=None if tally.weighted else answer.count,
        printed=metric.printed if printed is None else printed,
        measured_as=_measured_as(metric, tally, method, side, serial=time is not None),
        in_time=None if time is None else facts_in_time(answer.long_run, time),
        features=facts() if tally.units >= LARGE else facts,
        bounds=metric.range if metric.name in METRICS and metric.range != METRICS[metric.name].range else None,
    )


def interval_at_levels(
    metric: Metric, tally: Tally, *, label: int | None = None, method: str = "auto", draws: int = 2000, seed: int = 0
) -> Callable[[float], Interval] | None:
    """The metric's two-sided interval as a function of the level; None where it is made of resamples.

    Resamples know nothing beyond their most extreme value, so that no p-value can be read off their intervals.
    """
    asked = Question(metric=metric, tally=tally, level=0.95, label=label, draws=draws, seed=seed)
    value = value_of(asked)
    asked.__dict__["value"] = value
    if _answered(asked, method).resampled:
        return None
    return lambda level: _holding(_answered(asked.at_level(level), method), value).interval


SAME_NUMBER = {"recall_macro": "balanced_accuracy"}
"""Metrics that are another one where each row has one label; the other was simulated where classes are absent, too."""


def _measured_as(metric: Metric, tally: Tally, method: str, side: Side, *, serial: bool) -> CardKey:
    """By what simulations know this interval."""
    behind = METRICS[metric.via[0]] if metric.via else metric
    # where rows have times, these are the units
    design = design_word(serial=serial, weighted=tally.weighted, clustered=tally.clustered and not serial)
    name = SAME_NUMBER.get(metric.name, metric.name) if isinstance(tally, Cells | GroupedCells) else metric.name
    return CardKey(name, method if method in KINDS[behind.interval] else "auto", design, side)


def _autocorrelation(answer: Answer, time: TimeOrder | None) -> float:
    """Of units in time; nan where the metric is not smooth, so that nothing is known of it."""
    if time is None:
        return 0.0
    return nan if answer.long_run is None else answer.long_run.autocorrelation


def value_of(asked: Question) -> float:
    """The metric's value on a tally, without an interval."""
    if asked.metric.reads == "columns":
        return ranking.columns_value(asked)
    if asked.metric.reads == "reliability":
        return calibration.reliability_value(asked.metric, asked.form(Reliability))
    return asked.value


def _answered(asked: Question, method: str) -> Answer:
    """The answer of the method, or of the default where the method does not suit the metric.

    One cluster says nothing of how clusters differ: whatever the method, its interval is the range of the metric.
    """
    answer = _by_method(asked, method)
    if asked.tally.clustered and asked.tally.units == 1 and asked.time is None:
        return replace(answer, interval=asked.metric.range, guaranteed=None)
    return answer


def _by_method(asked: Question, method: str) -> Answer:
    if asked.metric.via is not None:
        return _through(asked, method)
    methods = KINDS[asked.metric.interval]
    if asked.time is not None:
        answer = methods[method if method in methods else "auto"](asked)
        known = answer.long_run if answer.long_run is not None or asked.metric.interval in UNMOVED else asked.long_run
        answer = replace(answer, long_run=known)
        return answer if method in methods else replace(answer, notes=(_unsuited(asked, method), *answer.notes))
    if method == "auto":
        return _of_clusters(asked, methods[method](asked))
    if method in methods:
        return methods[method](asked)
    answer = methods["auto"](asked)
    return replace(answer, notes=(_unsuited(asked, method), *answer.notes))


def _unsuited(asked: Question, method: str) -> str:
    return f"{method} is not for {asked.metric.name}; it keeps its default"


def _of_clusters(asked: Question, answer: Answer) -> Answer:
    """A bootstrap-t of clusters, no shorter than Student's interval with their effective number."""
    if not asked.tally.clustered or not answer.method.startswith("bootstrap-t"):
        return answer
    low, high = means.t(asked).interval
    return replace(answer, interval=(min(low, answer.interval[0]), max(high, answer.interval[1])))


def _through(asked: Question, method: str) -> Answer:
    """The interval of the metric behind, put through the function that leads to this one."""
    assert asked.metric.via is not None
    name, function = asked.metric.via
    answer = _answered(asked.behind, method)

    def put(ends: tuple[float, float]) -> tuple[float, float]:
        low, high = sorted(function(end) if end != inf else inf for end in ends)
        return low, high

    guaranteed = None if answer.guaranteed is None else put(answer.guaranteed)
    words = f"{answer.method.removesuffix(asked.design)} of {name}{asked.design}"
    return replace(answer, interval=put(answer.interval), guaranteed=guaranteed, method=words, count=None)


def _holding(answer: Answer, value: float) -> Answer:
    """The interval with the value inside: rounding and skewed draws can leave it a little outside."""
    low, high = answer.interval
    if isnan(value) or isnan(low) or low <= value <= high:
        return answer
    return replace(answer, interval=(min(low, value), max(high, value)))


def _one_sided(answer: Answer, metric: Metric, side: Side) -> tuple[float, float]:
    low, high = answer.interval
    if side == "lower":
        return low, metric.range[1]
    if side == "upper":
        return metric.range[0], high
    return low, high


def _reasons(value: float, notes: tuple[str, ...]) -> tuple[str, ...]:
    """Every value that is not a number has a reason."""
    if isfinite(value) or notes:
        return notes
    return ("undefined: it is 0/0 on these rows" if isnan(value) else "infinite: overflow beyond the largest number",)


def _guaranteed(answer: Answer, side: Side) -> tuple[str, ...]:
    if answer.guaranteed is None or side != "two-sided":
        return ()
    low, high = answer.guaranteed
    return (f"fewer than {shares.SMALL} rows: the guaranteed (Clopper-Pearson) interval is [{low:.3f}, {high:.3f}]",)


FEW_OF_EQUAL_WEIGHT = 50
"""Rows of unequal weight that are worth fewer than this have a note, where they are worth less than half of them."""


def few_of_equal_weight(rows: int, worth: float) -> tuple[str, ...]:
    """A warning where rows of unequal weight are worth few of equal weight."""
    if worth >= min(FEW_OF_EQUAL_WEIGHT, rows / 2):
        return ()
    return (f"{rows:,} rows of unequal weight are worth {worth:.1f} of equal weight: the interval is rough",)


def _few_units(asked: Question) -> tuple[str, ...]:
    if not asked.tally.clustered:
        return few_of_equal_weight(asked.tally.units, asked.effective_units if asked.tally.weighted else inf)
    units, seen = float(asked.tally.units), f"only {asked.tally.units} units"
    worth = min(asked.carriers.fewest, asked.effective_units)
    if worth < units * (1 - ROUNDING):
        units, kind = worth, "clusters" if asked.time is None else "times"
        seen = f"{asked.metric.name} rests on {units:.1f} effective {kind} of {asked.tally.units}"
    elif asked.time is not None:
        return ()
    if units >= 10:
        return ()
    if units < 5:
        return (f"{seen}: too few to estimate their variance, do not rely on this interval",)
    return (f"{seen}: the interval is rough",)


FEW_TIMES, VERY_FEW_TIMES = 30, 10
"""Independent times below which skewed losses make intervals too narrow, and below which nothing is known to hold."""


def few_times(found: LongRun | None) -> tuple[str, ...]:
    """A warning where times are worth few independent ones."""
    if found is not None and found.times < FEWEST:
        count = "only 1 time" if found.times == 1 else f"only {found.times} times"
        return (f"{count}: too few to estimate their autocorrelation, do not rely on this interval",)
    if found is not None and found.variance == 0:
        return (
            (
                "all times have the same influence, so autocorrelation cannot be estimated: the interval assumes "
                "that they are independent"
            ),
        )
    if found is None or not found.effective < FEW_TIMES:
        return ()
    worth = f"{found.times:,} times with autocorrelation {found.autocorrelation:.2f} are worth about "
    worth += f"{found.effective:.2g} independent ones"
    if found.effective < VERY_FEW_TIMES:
        return (f"{worth}: too few to know how uncertain the value is, do not rely on this interval",)
    return (f"{worth}: the interval is rough, and too narrow where a few errors are far larger than the rest",)


def facts_in_time(found: LongRun | None, time: TimeOrder) -> dict[str, float | int | None]:
    """What a result says about dependence in time, as plain values."""

    def known(number: float | None) -> float | None:
        return number if number is not None and isfinite(number) else None

    return {
        "autocorrelation": known(None if found is None else found.autocorrelation),
        "effective_n": known(None if found is None else found.effective),
        "df": known(None if found is None else found.df),
        "horizon": time.horizon,
    }
