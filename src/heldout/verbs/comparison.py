"""Is one model better than another? `compare`, and what it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.comparisons.adjustments import holm
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.formulas import ALIASES, Metric
from heldout.inputs import Check, Source
from heldout.verbs.contenders import Contenders, contenders
from heldout.verbs.differences import Found, difference, rows_needed
from heldout.verbs.measurement import Measurement
from heldout.verbs.pairing import paired, read_models
from heldout.verbs.settings import Settings, settings
from heldout.version import __version__

if TYPE_CHECKING:
    from numpy.random import Generator

READING = (
    *("truth", "pred", "score", "prob_prefix", "group", "weight", "id", "sample_weight", "groups"),
    *("pos_label", "labels", "threshold", "task", "link", "on_nan", "log"),
)
"""Options that say how the models are read."""
Verdict = Literal["BETTER", "WORSE", "EQUIVALENT", "UNDECIDED"]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One metric of one model, less that of the baseline, with its interval, test and verdict."""

    metric: str
    a: str
    b: str
    value: float
    low: float
    high: float
    level: float
    p: float
    p_adjusted: float
    test: str
    verdict: Verdict
    rows_needed: int | None
    margin: float | None
    better: str | None
    notes: tuple[str, ...]
    printed: bool

    @property
    def pvalue(self) -> float:
        """The p-value before any correction."""
        return self.p

    def __str__(self) -> str:
        interval = f"[{self.low:+.4g}, {self.high:+.4g}]"
        return f"{self.metric} {self.value:+.4g} {interval}, p {self.p:.3g} ({self.test}): {self.verdict}"

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; undefined and infinite numbers are None."""
        facts = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain = {name: None if isinstance(fact, float) and not isfinite(fact) else fact for name, fact in facts.items()}
        return {**plain, "notes": list(self.notes), "card": None}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Differences of models from a baseline on the same rows, and the verdict on the metric that decides."""

    models: tuple[str, ...]
    baseline: str
    primary: str | None
    verdict: Verdict
    differences: tuple[Difference, ...]
    estimates: dict[str, dict[str, Estimate]]
    task: str
    rows: int
    units: int
    level: float
    seed: int
    matched: str
    only: dict[str, int] = field(default_factory=dict)
    many: Contenders | None = None
    """Where there are more than two models: all of them judged together by the primary metric."""
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()

    def __getitem__(self, name: str) -> Difference:
        """The first model's difference of a metric, by its name or an alias."""
        known = ALIASES.get(name, name)
        for one in self.differences:
            if one.metric == known:
                return one
        names = [one.metric for one in self.differences]
        raise UsageError(f"no difference is named {name!r}{did_you_mean(known, names)}")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: the JSON contract `heldout.comparison/1`."""
        return {
            "schema": "heldout.comparison/1",
            "heldout": __version__,
            "inputs": [{"path": source.path, "sha256": source.sha256} for source in self.sources],
            "matched": {"by": self.matched, "rows": self.rows, "only": self.only},
            "task": self.task,
            "rows": self.rows,
            "units": self.units,
            "level": self.level,
            "seed": self.seed,
            "primary": self.primary,
            "baseline": self.baseline,
            "models": list(self.models),
            "verdict": self.verdict,
            "paired": True,
            "estimates": {
                model: {name: one.to_dict() for name, one in found.items()} for model, found in self.estimates.items()
            },
            "differences": [one.to_dict() for one in self.differences],
            "many": None if self.many is None else self.many.to_dict(),
            "checks": [{"code": check.code, "text": check.text} for check in self.checks],
        }

    def __str__(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "text")

    def _repr_html_(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "html")

    def to_frame(self, backend: str = "pandas") -> Any:
        """One line per difference, as a frame (`pandas`, `polars` or `pyarrow`)."""
        import narwhals as nw

        names = ("metric", "a", "b", "value", "low", "high", "level", "p", "p_adjusted", "test", "verdict")
        table = {name: [getattr(one, name) for one in self.differences] for name in names}
        return nw.from_dict(table, backend=backend).to_native()  # type: ignore[arg-type]


def compare(
    y_true: Any,
    models: Mapping[str, Any] | None = None,
    *,
    primary: str | Metric | None = None,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    baseline: str | None = None,
    margin: float | Mapping[str, float] | None = None,
    on_missing: str = "error",
    confidence_level: float = 0.95,
    draws: int = 2000,
    random_state: int | Generator | None = 0,
    **reading: Any,
) -> Comparison:
    """Is one model better than another? Each metric's difference on the same rows, with interval, test and verdict.

    `models` are labels, scores (floats) or probabilities by name, beside one truth; or files and frames that have their
    own truth (`compare({"a": "a.csv", "b": "b.csv"})`). Later models are judged against the first, or against
    `baseline`. The `primary` metric is tested alone; all others are corrected for their number (Holm).

    >>> truth = [0, 1] * 30
    >>> found = compare(truth, {"old": [0, 1, 1, 0] * 15, "new": truth}, primary="accuracy")
    >>> found.verdict, found["accuracy"].value
    ('BETTER', 0.5)
    """
    unknown = sorted(set(reading) - set(READING))
    if unknown:
        raise UsageError(f"compare has no option {unknown[0]!r}{did_you_mean(unknown[0], READING)}")
    if reading.get("log") is not None and metrics is None:
        metrics = "accuracy"  # all that right and wrong can say
    wanted = None if metrics is None and primary is None else _with_primary(metrics, primary)
    asked = settings(confidence_level=confidence_level, draws=draws, random_state=random_state, metrics=wanted)
    rows = paired(read_models(y_true, models, reading), on_missing=on_missing)
    names = list(rows.batches)
    base = names[0] if baseline is None else _known(baseline, names)
    measured = {name: Measurement(batch, asked) for name, batch in rows.batches.items()}
    estimates = {name: one.overall() for name, one in measured.items()}
    decides = None if primary is None else settings(metrics=primary).metrics[0].name  # type: ignore[index]
    many = _together(measured, base, decides) if len(names) > 2 else None
    contest = Contest(measured=measured, estimates=estimates, base=base, primary=decides, margin=margin, many=many)
    differences = [one for name in names if name != base for one in _judged(contest, name)]
    return Comparison(
        models=tuple(names),
        baseline=base,
        primary=decides,
        verdict=_verdict(differences, decides),
        differences=tuple(differences),
        estimates=estimates,
        task=rows.batches[base].task,
        rows=rows.batches[base].rows,
        units=rows.batches[base].units,
        level=asked.level,
        seed=asked.seed,
        matched=rows.by,
        only=rows.only,
        many=many,
        checks=(*rows.checks, *_holm_note(decides, differences)),
        sources=rows.sources,
    )


def _with_primary(metrics: Any, primary: Any) -> list[Any] | None:
    """The metrics asked for, the primary one among them; None where all are wanted."""
    if metrics is None:
        return ["all"] if primary is None or isinstance(primary, str) else ["all", primary]
    named = [metrics] if isinstance(metrics, Metric) else metrics
    listed = [name.strip() for name in named.split(",")] if isinstance(named, str) else list(named)
    return listed if primary is None or primary in listed else [primary, *listed]


def _together(measured: dict[str, Measurement], base: str, primary: str | None) -> Contenders | None:
    """All models judged by the primary metric, or by the first that is printed."""
    metrics = measured[base].metrics()
    chosen = [metric for metric in metrics if (metric.name == primary if primary else metric.printed and metric.better)]
    return contenders(chosen[0], measured, base) if chosen else None


def _known(name: str, names: Sequence[str]) -> str:
    if name not in names:
        known = f"the models are {', '.join(names)}"
        raise UsageError(f"no model is named {name!r}{did_you_mean(name, names)}", fix=known)
    return name


@dataclass(frozen=True, kw_only=True)
class Contest:
    """Models measured on the same rows, and what the caller decided."""

    measured: dict[str, Measurement]
    estimates: dict[str, dict[str, Estimate]]
    base: str
    primary: str | None
    margin: float | Mapping[str, float] | None
    many: Contenders | None = None

    @property
    def asked(self) -> Settings:
        return self.measured[self.base].settings


def _judged(contest: Contest, name: str) -> list[Difference]:
    """The differences of one model from the baseline, corrected for their number."""
    estimates, primary = contest.estimates[name], contest.primary
    shared = [metric for metric in contest.measured[contest.base].metrics() if metric.name in estimates]
    if primary is not None and primary not in {metric.name for metric in shared}:
        raise DataError(f"the primary metric {primary} cannot be told from these predictions", code="H106")
    pair = contest.measured[name], contest.measured[contest.base]
    found = {metric.name: difference(metric, *pair) for metric in shared}
    tested = [key for key in found if _is_tested(estimates[key], contest.asked, found[key])]
    corrected = _corrected(found, tested, primary)
    if contest.many is not None:  # the primary metric stands alone, but the models are many
        corrected[contest.many.metric] = max(corrected.get(contest.many.metric, 0.0), contest.many.adjusted[name])
    return [
        _difference(contest, name, metric, found[metric.name], corrected)
        for metric in shared
        if found[metric.name].test != "none" or metric.name == primary
    ]


def _is_tested(one: Estimate, asked: Settings, found: Found) -> bool:
    """Whether a difference is in the family that is tested together: what is printed, or was asked for."""
    wanted = one.printed or asked.metrics is not None
    return wanted and found.test != "none" and not isnan(found.p) and one.better is not None


def _corrected(found: dict[str, Found], tested: Sequence[str], primary: str | None) -> dict[str, float]:
    """P-values after Holm's correction; the primary metric stands alone, and accuracy and error rate are one."""
    twins = {"error_rate"} if "accuracy" in tested else set()
    family = [key for key in tested if key != primary and key not in twins]
    adjusted = holm(np.array([found[key].p for key in family])).tolist() if family else []
    corrected = dict(zip(family, adjusted, strict=True))
    if twins & set(tested) and "accuracy" in corrected:
        corrected["error_rate"] = corrected["accuracy"]
    return corrected if primary is None else {**corrected, primary: found[primary].p}


def _difference(contest: Contest, name: str, metric: Metric, found: Found, corrected: dict[str, float]) -> Difference:
    level, p = contest.asked.level, corrected.get(metric.name)
    margin = _margin(contest.margin, metric.name, contest.primary)
    verdict = _of(found, metric.better, p, margin, level)
    units = contest.measured[contest.base].batch.units
    tests = 1 if metric.name == contest.primary else max(len(corrected) - (contest.primary is not None), 1)
    return Difference(
        metric=metric.name,
        a=name,
        b=contest.base,
        value=found.value,
        low=found.low,
        high=found.high,
        level=level,
        p=found.p,
        p_adjusted=float("nan") if p is None else p,
        test=found.test,
        verdict=verdict,
        rows_needed=rows_needed(found, units, level, tests) if verdict == "UNDECIDED" else None,
        margin=margin,
        better=metric.better,
        notes=found.notes + _hair(found, p, level),
        printed=metric.name in corrected,
    )


def _of(found: Found, better: str | None, corrected: float | None, margin: float | None, level: float) -> Verdict:
    """One of four words: a difference that is established, one that is shown to be small, or neither."""
    established = corrected is not None and corrected < 1 - level and better is not None
    if margin is not None and _within(found, margin, level):
        return "EQUIVALENT"
    if not established:
        return "UNDECIDED"
    return "BETTER" if (found.value > 0) == (better == "higher") else "WORSE"


def _within(found: Found, margin: float, level: float) -> bool:
    """Two one-sided tests: the interval at twice the error lies inside the margin."""
    from scipy.special import ndtri

    if found.error == 0 and found.value == 0:
        return True
    if not found.error > 0:
        return found.low > -margin and found.high < margin
    reach = float(ndtri(level)) * found.error
    return found.value - reach > -margin and found.value + reach < margin


def _hair(found: Found, corrected: float | None, level: float) -> tuple[str, ...]:
    """A word where the p-value and the interval disagree by a hair: the p-value decides."""
    if corrected is None or isnan(found.low) or corrected != found.p:
        return ()
    excluded = not found.low <= 0 <= found.high
    if excluded != (found.p < 1 - level):
        return ("the interval and the p-value disagree by a hair; the p-value decides",)
    return ()


def _margin(margin: float | Mapping[str, float] | None, name: str, primary: str | None) -> float | None:
    if margin is None:
        return None
    if isinstance(margin, Mapping):
        return margin.get(name)
    return float(margin) if primary in (None, name) else None


def _verdict(differences: Sequence[Difference], primary: str | None) -> Verdict:
    """The verdict on the primary metric; without one, on whatever passes the correction, if it all points one way."""
    deciding = [one for one in differences if (one.metric == primary if primary else one.printed)]
    said = {one.verdict for one in deciding}
    if said == {"EQUIVALENT"}:
        return "EQUIVALENT"
    said -= {"UNDECIDED", "EQUIVALENT"}
    return next(iter(said)) if len(said) == 1 else "UNDECIDED"


def _holm_note(primary: str | None, differences: Sequence[Difference]) -> tuple[Check, ...]:
    tested = len({one.metric for one in differences if one.printed})
    if primary is not None or tested < 2:
        return ()
    text = f"{tested} metrics and no primary one: p-values are corrected for their number (Holm)"
    return (Check(code="H303", text=text),)
