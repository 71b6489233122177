"""May the candidate replace the baseline? `gate`, and what it gives."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, isfinite, isinf, isnan
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.batch import Batch, Label
from heldout.errors import DataError, UsageError, refuse_idle
from heldout.formulas import Metric
from heldout.inputs import Check
from heldout.verbs.chunked.model_tables import ChunkedModels, ChunkOptions, models_of_column, open_models
from heldout.verbs.compare.compare import Comparison, compare
from heldout.verbs.compare.model_rows import each_once
from heldout.verbs.compare.repeated_looks import Looks
from heldout.verbs.influence import is_smooth
from heldout.verbs.judgement import Difference, Margin, known_name, margin_by_metric, refuse_beyond_range
from heldout.verbs.parameters import (
    Engine,
    Log,
    OnNan,
    Progress,
    Spending,
    Task,
    columns_or_arrays,
    documented,
    refuse_wrong_types,
)
from heldout.verbs.result import Result
from heldout.verbs.settings import metric_named

if TYPE_CHECKING:
    from numpy.random import Generator

    from heldout.charts.plot import Plot
    from heldout.store import Record

Decision = Literal["PASS", "FAIL", "INCONCLUSIVE"]
DRAWS = 2000
"""Resamples by default."""
POWER = 0.8
"""The chance to settle the question with as many rows as `rows_needed` says."""


@dataclass(frozen=True, kw_only=True)
class Hurdle:
    """The candidate less one model that it must not be worse than."""

    against: str
    verdict: Decision
    value: float
    low: float
    high: float
    level: float
    bound: float
    """The end of the interval on the worse side: a one-sided bound."""
    test: str
    rows: int
    units: int
    rows_needed: int | None
    notes: tuple[str, ...]
    wider: float = 1.0
    """How many times as wide the interval is as that of a single look, where it allows for several."""
    time: Mapping[str, float | int | None] | None = None
    """Where rows have times: autocorrelation at lag 1, effective number of times, degrees of freedom, horizon."""

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; undefined numbers are None."""
        facts = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain = {name: None if isinstance(fact, float) and not isfinite(fact) else fact for name, fact in facts.items()}
        if self.time is None:
            del plain["time"]
        return {**plain, "notes": list(self.notes)}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Gate(Result):
    """PASS, FAIL or INCONCLUSIVE, with the differences that decided."""

    kind = "gate"

    verdict: Decision
    primary: str
    better: str
    margin: float
    alpha: float
    noise: float | None
    """How far two runs of the same model lie apart, where they were given."""
    hurdles: tuple[Hurdle, ...]
    looks: Looks | None = None
    """How the decision allows for several looks at growing data; None where the data are looked at once."""
    budget: Mapping[str, Any] | None = None
    """Which look at these rows it was, of how many that are allowed, and where looks are counted; None: not counted."""
    engine: str = "local"
    """The engine that read the rows: local is this process."""
    chunks: int = 1
    """Number of chunks in which the rows were read; 1 if they were in memory at once."""
    in_memory_fix: str = field(default="", compare=False)
    """The fix for what needs all rows in memory, where they were read in chunks."""
    batch: Batch | None = field(default=None, compare=False)
    """The rows of the reference model, where they are in memory."""

    @property
    def batch_of_rows(self) -> Batch | None:
        """The rows behind the decision, where they are in memory."""
        return self.batch

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "verdict": self.verdict,
            "primary": self.primary,
            "better": self.better,
            "margin": self.margin,
            "alpha": self.alpha,
            "noise": self.noise,
            "engine": self.engine,
            "chunks": self.chunks,
            "hurdles": [one.to_dict() for one in self.hurdles],
            "looks": None if self.looks is None else self.looks.to_dict(2 * self.alpha),
            "budget": None if self.budget is None else dict(self.budget),
        }

    def __bool__(self) -> bool:
        """Whether the candidate may replace the baseline: PASS only."""
        return self.verdict == "PASS"

    @property
    def unit(self) -> str:
        """What is sampled independently: rows, or clusters where they share groups."""
        if all(one.rows == one.units for one in self.hurdles):
            return "row"
        return "cluster" if self.batch is None or self.batch.time is None else "time"

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """The differences with their intervals and the margin."""
        from heldout.charts.difference_forest import difference_forest
        from heldout.charts.plot import Plot

        verdicts = {"PASS": "EQUIVALENT", "FAIL": "WORSE", "INCONCLUSIVE": "UNDECIDED"}
        drawn = [
            {**one, "metric": d["primary"], "model": "candidate", "baseline": one["against"], "margin": d["margin"],
             "better": d["better"], "verdict": verdicts[one["verdict"]], "printed": True}
            for one in d["hurdles"]
            if one["low"] is not None
        ]  # fmt: skip
        forest = {"differences": drawn, "primary": d["primary"], "level": 1 - 2 * d["alpha"]}
        return Plot(views={"differences": lambda: difference_forest(forest)} if drawn else {})


@documented(n_resamples=2000)
def gate(
    y_true: Any,
    models: Mapping[str, Any] | None = None,
    *,
    primary: str | Metric,
    margin: float | Mapping[str, float],
    baseline: str | None = None,
    anchor: Any = None,
    noise_floor: tuple[Any, Any] | None = None,
    test: str | None = None,
    sequential: bool = False,
    looks: int | Sequence[float] | None = None,
    look: int | None = None,
    spending: Spending | None = None,
    looks_budget: int | None = None,
    store: str | Path | None = None,
    confidence_level: float = 0.95,
    on_missing: Literal["error", "intersect"] = "error",
    y_pred: str | None = None,
    y_score: str | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    time: Any = None,
    series: Any = None,
    horizon: int | None = None,
    truth: str | Sequence[str] | None = None,
    prob_prefix: str | None = None,
    id: str | None = None,
    model_column: str | None = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    threshold: float | None = None,
    task: Task | None = None,
    link: Literal["logit"] | None = None,
    clip: float | None = None,
    on_nan: OnNan = "error",
    log: Log | None = None,
    n_resamples: int = DRAWS,
    random_state: int | Generator | None = 0,
    engine: Engine | None = None,
    engine_address: str | None = None,
    memory: float | str | None = None,
    progress: Progress | None = None,
) -> Gate:
    """Decide whether a candidate may replace the reference model: a one-sided non-inferiority test.

    PASS where the one-sided bound of candidate minus reference clears the margin, FAIL where the candidate is
    significantly worse, otherwise INCONCLUSIVE with the rows that would settle it.

    Parameters
    ----------
    y_true : array-like, or mapping of str to path or frame
        The truth; or the two models as files or frames that have their own truth, and no `models`; with `model_column`
        a file or frame that has the rows of both.
    models : mapping of str to array-like, optional
        Labels, scores or probabilities of the reference model and of the candidate, by name, beside `y_true`.
    primary : str or Metric
        The metric that decides.
    margin : float or mapping of str to float
        How much worse is still acceptable; a mapping has the margin of the primary metric.
    baseline : str, optional
        Name of the reference model (default: the first); the other one is the candidate. With `model_column` it must
        be given.
    anchor : array-like, path or frame, optional
        The released model: the candidate must not be worse than this one either, so that small steps do not add up.
    noise_floor : pair of array-like, path or frame, optional
        Two runs of one model: a margin below their distance is refused.
    test : str, optional
        Test by name, as in `compare` (default: the one that suits the metric).
    <sequential>
    <looks>
    <look>
    <spending>
    looks_budget : int, optional
        How many looks at one test set are allowed, in all recorded results of any verb. The gate records itself, and
        is refused when the budget is spent.
    store : str or Path, optional
        Folder in which looks are counted and recorded, with `looks_budget` (default: `.heldout`).
    confidence_level : float, default 0.95
        Level of the one-sided bound: the chance to pass a candidate that is worse by the margin is 1 - level.
    on_missing : {"error", "intersect"}, default "error"
        What to do with ids that not every model has.
    <y_pred>
    <y_score>
    <sample_weight>
    <groups>
    <in_time>
    <series>
    <horizon>
    <truth>
    <prob_prefix>
    <id>
    <model_column>
    <pos_label>
    <labels>
    <threshold>
    <task>
    <link>
    <clip>
    <on_nan>
    <log>
    <n_resamples>
    <random_state>
    <engine>
    <engine_address>
    <memory>
    <progress>

    Returns
    -------
    Gate
        The decision, and the differences that decided.

    Raises
    ------
    UsageError
        `margin` or `primary` does not fit the data, or the budget of looks is spent.
    DataError
        The data are wrong, or the rows of the models do not match.

    See Also
    --------
    heldout.testing.assert_not_worse : The same for test suites.

    Examples
    --------
    >>> truth = [0, 1] * 50
    >>> gate(truth, {"old": [0, 1, 1, 0] * 25, "new": truth}, primary="accuracy", margin=0.01).verdict
    'PASS'
    """
    refuse_wrong_types(noise_floor=noise_floor, confidence_level=confidence_level)
    check_budget(looks_budget, store, growing=sequential or looks is not None)
    _refuse_untestable(metric_named(primary))
    margin = _acceptable(margin, metric_named(primary).name)
    _sensible(margin, confidence_level)
    level = round(2 * confidence_level - 1, 12)  # the interval whose ends are one-sided bounds
    asked: dict[str, Any] = {
        "primary": primary,
        "metrics": [primary],
        "confidence_level": level,
        "y_pred": y_pred,
        "y_score": y_score,
        "sample_weight": sample_weight,
        "groups": groups,
        "time": time,
        "series": series,
        "horizon": horizon,
        "truth": truth,
        "prob_prefix": prob_prefix,
        "id": id,
        "pos_label": pos_label,
        "labels": labels,
        "threshold": threshold,
        "task": task,
        "link": link,
        "clip": clip,
        "on_nan": on_nan,
        "log": log,
        "n_resamples": n_resamples,
        "random_state": random_state,
        "engine": engine,
        "engine_address": engine_address,
        "memory": memory,
        "progress": progress,
        "on_missing": on_missing,
        "test": test,
        "sequential": sequential,
        "looks": looks,
        "look": look,
        "spending": spending,
    }
    if model_column is not None:
        y_true, asked["id"] = _models_of_column(y_true, models, model_column, asked)
        if baseline is None:
            raise UsageError(
                f"which model of the column {model_column!r} is the reference is not said, and the order of rows must "
                "not decide it",
                fix="name it with --baseline (baseline=)",
            )
    given = y_true if models is None else models
    reference, candidate = _two_models(given, baseline)
    truths, two = (None if models is None else y_true), {str(name): model for name, model in given.items()}
    compared = {"baseline": two[reference], "candidate": two[candidate]}
    compared |= {} if anchor is None else {"anchor": anchor}
    compared |= {} if noise_floor is None else dict(zip(RUNS, noise_floor, strict=True))
    if truths is None and log is None and len(compared) > 2:
        compared = _opened_together(compared, asked)
    noise = None if noise_floor is None else _noise({run: compared[run] for run in RUNS}, margin, truths, asked)
    found = {
        name: compare(truths, {name: compared[name], "candidate": compared["candidate"]}, **asked)
        for name in ("baseline", *(() if anchor is None else ("anchor",)))
    }
    if found["baseline"].batch_of_rows is None and n_resamples != DRAWS:
        refuse_idle("on rows that are read in chunks: their tests do not resample", n_resamples=n_resamples)
    called = {"baseline": reference, "candidate": candidate}
    differences = {name: _deciding(comparison) for name, comparison in found.items()}
    hurdles = tuple(_hurdle(name, found[name], one, margin) for name, one in differences.items())
    first = differences["baseline"]
    decided = Gate(
        verdict=_worst(hurdles),
        primary=first.metric,
        better=str(first.better),
        margin=float(margin),
        alpha=round(1 - confidence_level, 12),
        noise=noise,
        hurdles=hurdles,
        checks=each_once(
            (
                *(_matched(one, called) for one in found.values()),
                *(check for one in found.values() for check in one.checks),
            )
        ),
        sources=tuple(dict.fromkeys(source for comparison in found.values() for source in comparison.sources)),
        looks=found["baseline"].looks,
        engine=found["baseline"].engine,
        chunks=found["baseline"].chunks,
        in_memory_fix=found["baseline"].in_memory_fix,
        batch=found["baseline"].batch_of_rows,
    )
    return decided if looks_budget is None else within_budget(decided, looks_budget, store)[0]


def within_budget(
    decided: Gate, looks_budget: int, store: str | Path | None, *, name: str | None = None, command: str = ""
) -> tuple[Gate, Record]:
    """Record a decision as one more look at its rows, and say which; refused where the budget is spent."""
    from heldout.verbs.runs import FOLDER, record

    folder = FOLDER if store is None else store
    kept = record(decided, folder, name=name, command=command, looks_budget=looks_budget)
    return replace(decided, budget={"look": kept.look, "of": looks_budget, "store": str(folder)}), kept


def check_budget(looks_budget: int | None, store: Any, *, growing: bool) -> None:
    """Raise if a budget is not a whole number of 1 or more, or has no effect."""
    if looks_budget is None:
        if store is not None:
            fix = "add looks_budget, or record the result with its method save"
            raise UsageError("store has no effect without looks_budget", fix=fix)
        return
    if isinstance(looks_budget, bool) or not isinstance(looks_budget, Integral) or looks_budget < 1:
        message = f"looks_budget is {looks_budget!r}, but must be a whole number of 1 or more"
        raise UsageError(message, fix="say how many looks at one test set are allowed, such as 5")
    if growing:
        raise UsageError(
            "a budget of looks is for one test set, and sequential and looks are for rows that are added",
            fix="leave out --looks-budget (looks_budget=), or --sequential (sequential=) and --looks (looks=)",
        )


def assert_not_worse(result: Gate, *, allow_inconclusive: bool = False) -> None:
    """Raise AssertionError unless a gate passes, with what was found; for test suites.

    Parameters
    ----------
    result : Gate
        What `heldout.gate` gives.
    allow_inconclusive : bool, default False
        Whether INCONCLUSIVE passes too.

    Raises
    ------
    AssertionError
        Where the candidate is significantly worse, or nothing is shown.

    Examples
    --------
    >>> truth = [0, 1] * 50
    >>> models = {"old": [0, 1, 1, 0] * 25, "new": truth}
    >>> assert_not_worse(gate(truth, models, primary="accuracy", margin=0.01))
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    accepted = ("PASS", "INCONCLUSIVE") if allow_inconclusive else ("PASS",)
    if result.verdict not in accepted:
        raise AssertionError(str(result).strip())


def _models_of_column(y_true: Any, models: Any, column: str, asked: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The models that a column of one table names, each as a table, and the column that matches their rows."""
    names = {"y_pred": "pred", "y_score": "score", "groups": "group", "sample_weight": "weight"}
    reading = {names.get(name, name): value for name, value in asked.items()}
    chunking = ChunkOptions(engine=asked.pop("engine"), address=asked.pop("engine_address"), memory=asked.pop("memory"))
    tables, id = models_of_column(y_true, models, column, reading, chunking)
    return dict(tables), id


RUNS = ("first run", "second run")


def _opened_together(tables: Mapping[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    """The tables of several comparisons, opened: all are read in chunks or none, and one limit of memory is enough."""
    reading = {**asked, "pred": asked["y_pred"], "score": asked["y_score"]} | columns_or_arrays(
        sample_weight=asked["sample_weight"], groups=asked["groups"], time=asked["time"], series=asked["series"]
    )
    chunking = ChunkOptions(
        engine=asked.pop("engine", None), address=asked.pop("engine_address", None), memory=asked.pop("memory", None),
        progress=asked["progress"], at_once=2,
    )  # fmt: skip
    opened = open_models(None, tables, reading, chunking)
    return dict(opened.models if isinstance(opened, ChunkedModels) else opened[1] or {})


def _two_models(models: Any, baseline: str | None) -> tuple[str, str]:
    """The names of the reference model and of the candidate."""
    if not isinstance(models, Mapping) or len(models) != 2:
        number = len(models) if isinstance(models, Mapping) else 0
        count = "1 model was given" if number == 1 else f"{number or 'no'} models were given"
        fix = "give gate(y_true, {'old': …, 'new': …}, …), or gate({'old': file, 'new': file}, …)"
        raise UsageError(f"{count}, and a gate compares two", fix=fix)
    names = [str(name) for name in models]
    reference = known_name(baseline, names, "model")
    return reference, next(name for name in names if name != reference)


def _acceptable(margin: Margin, primary: str) -> float:
    """The margin of the primary metric."""
    found = margin_by_metric(margin, [primary])
    own = found.get(primary) if isinstance(found, Mapping) else found
    if own is None:
        fix = "say how much worse is still acceptable: margin=0.01"
        raise UsageError(f"a gate needs the margin of {primary}, and none was given", fix=fix)
    refuse_beyond_range(own, primary)
    return float(own)


def _refuse_untestable(metric: Metric) -> None:
    """Raise if no test of a metric could ever decide: the gate would be INCONCLUSIVE with any number of rows."""
    if metric.better is not None and not is_smooth(metric):
        other = "brier or log_loss, which judge calibration too" if metric.reads == "reliability" else "mae or rmse"
        text = f"{metric.name} cannot decide a gate: it has no paired test and no interval of a difference"
        raise UsageError(text, fix=f"choose another primary metric, such as {other}")


def _sensible(margin: float, confidence_level: float) -> None:
    if not margin >= 0:
        raise UsageError(
            f"margin is {margin:g}, but must be zero or more", fix="say how much worse is still acceptable"
        )
    if not 0.5 < confidence_level < 1:
        fix = "leave it out for 0.95"
        raise UsageError(f"confidence_level is {confidence_level:g}, but must lie between 0.5 and 1", fix=fix)


def _deciding(found: Comparison) -> Difference:
    """The difference of the primary metric; one that has a better side."""
    one = found[str(found.primary)]
    if one.better is None:
        raise UsageError(
            f"{one.metric} has no better side, so it cannot decide",
            fix="choose another with --primary METRIC (primary=)",
        )
    return one


def _noise(runs: Mapping[str, Any], margin: float, y_true: Any, asked: Mapping[str, Any]) -> float:
    """How far two runs of the same model lie apart; a smaller margin would judge the instrument."""
    one = _deciding(compare(y_true, runs, **asked))
    noise = abs(one.value)
    if isnan(noise) or noise > margin:
        apart = f"two runs of one model differ by {noise:.3g} in {one.metric}"
        raise DataError(
            f"the margin {margin:g} is below the noise floor: {apart}",
            fix="choose a margin above the noise floor, or make the runs repeatable",
        )
    return noise


def _matched(found: Comparison, called: Mapping[str, str]) -> Check:
    """How rows were matched; with the numbers that were in one model only, where rows had no partner."""
    text = f"{found.rows:,} rows matched by {found.matched}"
    if not any(found.only.values()):
        return Check(code="H111", text=text)
    only = ", ".join(f"{count:,} only in {called.get(name, name)}" for name, count in found.only.items())
    return Check(code="H101", text=f"{text} ({only})")


MCNEMAR = re.compile(r"^McNemar (mid-p|exact|asymptotic|corrected)")
"""The interval beside McNemar's p-value is Tango's; here it decides, and the two differ a little."""


def _hurdle(against: str, found: Comparison, one: Difference, margin: float) -> Hurdle:
    ours, theirs = (float(found.estimates[name][one.metric].value) for name in ("candidate", against))
    # a loss without bound, such as a probability of 0 for what happened, is worse whatever other rows say
    verdict = "FAIL" if isinf(ours) and isfinite(theirs) else _decision(one, margin)
    return Hurdle(
        against=against,
        verdict=verdict,
        value=one.value,
        low=one.low,
        high=one.high,
        level=one.level,
        bound=one.low if one.better == "higher" else one.high,
        test=MCNEMAR.sub("Tango score", one.test),
        rows=found.rows,
        units=found.units,
        rows_needed=_rows_needed(one, margin, found.units) if verdict == "INCONCLUSIVE" else None,
        notes=(
            *(note for note in one.notes if "p-value" not in note),  # here the interval decides
            *(_few_of_a_class(one.metric, found.batch_of_rows) if verdict == "PASS" and margin > 0 else ()),
        ),
        wider=one.wider,
        time=one.time,
    )


FEWEST, ENOUGH = 10, 50
"""Rows of the rarer class; below the first the test itself has a note, from the second on gates of rankings hold."""


def _few_of_a_class(name: str, batch: Batch | None) -> tuple[str, ...]:
    """A note on a ranking of few rows of a class: its standard error falls as the value rises, most at a margin."""
    if batch is None or batch.task != "binary" or metric_named(name).reads != "scores":
        return ()
    sizes = np.bincount(batch.truth, minlength=2)
    if not FEWEST <= sizes.min() < ENOUGH:
        return ()
    kind = "positive" if sizes.argmin() == batch.positive else "negative"
    known = "a simulated candidate that is worse by the margin passed in up to 10% ± 1.3 (nominal 5%)"
    return (f"{sizes.min()} {kind} rows: with fewer than {ENOUGH}, {known}",)


def _toward_better(one: Difference) -> tuple[float, float, float]:
    """Value, low and high, turned so that more is better."""
    return (one.value, one.low, one.high) if one.better == "higher" else (-one.value, -one.high, -one.low)


def _decision(one: Difference, margin: float) -> Decision:
    _, low, high = _toward_better(one)
    if low > -margin:
        return "PASS"
    return "FAIL" if high < 0 else "INCONCLUSIVE"


def _rows_needed(one: Difference, margin: float, units: int) -> int | None:
    """Units with which a difference of this size would pass or fail, whichever is sooner, with 80% power."""
    from scipy.special import ndtri

    value, low, high = _toward_better(one)
    away = max(value + margin, -value)
    if not (high > low and away > 0):
        return None
    if one.test == "identical":  # this interval shrinks with the number of units, not with its root
        return ceil(units * high / margin)
    z = one.wider * float(ndtri((1 + one.level) / 2))
    ratio = (z + float(ndtri(POWER))) * (high - low) / (2 * z) / away
    return ceil(units * ratio**2) if ratio < 1e6 else None


def _worst(hurdles: tuple[Hurdle, ...]) -> Decision:
    found = {one.verdict for one in hurdles}
    return "FAIL" if "FAIL" in found else "INCONCLUSIVE" if "INCONCLUSIVE" in found else "PASS"
