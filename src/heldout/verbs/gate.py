"""May the candidate replace the baseline? `gate`, and what it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, isfinite, isnan
from typing import Any, Literal

from heldout.errors import DataError, UsageError
from heldout.formulas import Metric
from heldout.inputs import Check, Source
from heldout.verbs.compare.compare import Comparison, compare
from heldout.verbs.judgement import Difference
from heldout.version import __version__

Decision = Literal["PASS", "FAIL", "INCONCLUSIVE"]
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

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; undefined numbers are None."""
        facts = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain = {name: None if isinstance(fact, float) and not isfinite(fact) else fact for name, fact in facts.items()}
        return {**plain, "notes": list(self.notes)}


@dataclass(frozen=True, kw_only=True)
class Gate:
    """PASS, FAIL or INCONCLUSIVE, with the differences that decided."""

    verdict: Decision
    primary: str
    better: str
    margin: float
    alpha: float
    noise: float | None
    """How far two runs of the same model lie apart, where they were given."""
    hurdles: tuple[Hurdle, ...]
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()
    engine: str = "local"
    """Who added up the parts."""
    parts: int = 1
    """In how many parts the rows were read; 1 where they were in memory at once."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: the JSON contract `heldout.gate/1`."""
        return {
            "schema": "heldout.gate/1",
            "heldout": __version__,
            "inputs": [{"path": source.path, "sha256": source.sha256} for source in self.sources],
            "verdict": self.verdict,
            "primary": self.primary,
            "better": self.better,
            "margin": self.margin,
            "alpha": self.alpha,
            "noise": self.noise,
            "engine": self.engine,
            "parts": self.parts,
            "hurdles": [one.to_dict() for one in self.hurdles],
            "checks": [{"code": check.code, "text": check.text} for check in self.checks],
        }

    def __str__(self) -> str:
        from heldout.report.kinds.gate import gate_text

        return gate_text(self.to_dict())


def gate(
    baseline: Any,
    candidate: Any,
    *,
    primary: str | Metric,
    margin: float,
    alpha: float = 0.05,
    y_true: Any = None,
    anchor: Any = None,
    noise_floor: tuple[Any, Any] | None = None,
    **options: Any,
) -> Gate:
    """PASS where the one-sided bound of candidate less baseline clears the margin, FAIL where it is shown to be worse.

    Otherwise INCONCLUSIVE, with the rows that would settle it. Models are files or frames with their own truth, or
    predictions beside `y_true`. The `anchor` is the released model: steps that are each "not worse" must not add up.
    `noise_floor` are two runs of one model: a margin below their distance is refused.

    >>> truth = [0, 1] * 50
    >>> gate([0, 1, 1, 0] * 25, truth, y_true=truth, primary="accuracy", margin=0.01).verdict
    'PASS'
    """
    _sensible(margin, alpha, options)
    asked = {**options, "primary": primary, "metrics": [primary], "confidence_level": 1 - 2 * alpha}
    noise = None if noise_floor is None else _noise(noise_floor, margin, y_true, asked)
    references = {"baseline": baseline, **({} if anchor is None else {"anchor": anchor})}
    found = {
        name: compare(y_true, {name: model, "candidate": candidate}, **asked) for name, model in references.items()
    }
    differences = {name: _deciding(comparison) for name, comparison in found.items()}
    hurdles = tuple(_hurdle(name, found[name], one, margin) for name, one in differences.items())
    first = differences["baseline"]
    return Gate(
        verdict=_worst(hurdles),
        primary=first.metric,
        better=str(first.better),
        margin=float(margin),
        alpha=float(alpha),
        noise=noise,
        hurdles=hurdles,
        checks=tuple(dict.fromkeys(check for comparison in found.values() for check in comparison.checks)),
        sources=tuple(dict.fromkeys(source for comparison in found.values() for source in comparison.sources)),
        engine=found["baseline"].engine,
        parts=found["baseline"].parts,
    )


def assert_not_worse(
    baseline: Any,
    candidate: Any,
    *,
    primary: str | Metric,
    margin: float,
    allow_inconclusive: bool = False,
    **options: Any,
) -> None:
    """Raise AssertionError unless the gate passes, with what was found; for test suites.

    >>> truth = [0, 1] * 50
    >>> assert_not_worse([0, 1, 1, 0] * 25, truth, y_true=truth, primary="accuracy", margin=0.01)
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    found = gate(baseline, candidate, primary=primary, margin=margin, **options)
    accepted = ("PASS", "INCONCLUSIVE") if allow_inconclusive else ("PASS",)
    if found.verdict not in accepted:
        raise AssertionError(str(found).strip())


def _sensible(margin: float, alpha: float, options: Mapping[str, Any]) -> None:
    if not 0 <= margin < float("inf"):
        raise UsageError(
            f"margin is {margin:g}, but must be zero or more", fix="say how much worse is still acceptable"
        )
    if not 0 < alpha < 0.5:
        raise UsageError(f"alpha is {alpha:g}, but must lie between 0 and 0.5", fix="leave it out for 0.05")
    for name, instead in (("confidence_level", "alpha"), ("metrics", "primary")):
        if name in options:
            raise UsageError(f"a gate takes no {name}", fix=f"give {instead} instead")


def _deciding(found: Comparison) -> Difference:
    """The difference of the primary metric; one that has a better side."""
    one = found[str(found.primary)]
    if one.better is None:
        raise UsageError(f"{one.metric} has no better side, so it cannot decide", fix="choose another --primary metric")
    return one


def _noise(runs: tuple[Any, Any], margin: float, y_true: Any, asked: Mapping[str, Any]) -> float:
    """How far two runs of the same model lie apart; a smaller margin would judge the instrument."""
    one = _deciding(compare(y_true, {"first run": runs[0], "second run": runs[1]}, **asked))
    noise = abs(one.value)
    if isnan(noise) or noise > margin:
        apart = f"two runs of one model differ by {noise:.3g} in {one.metric}"
        raise DataError(
            f"the margin {margin:g} is below the noise floor: {apart}",
            fix="choose a margin above the noise floor, or make the runs repeatable",
        )
    return noise


def _hurdle(against: str, found: Comparison, one: Difference, margin: float) -> Hurdle:
    verdict = _decision(one, margin)
    return Hurdle(
        against=against,
        verdict=verdict,
        value=one.value,
        low=one.low,
        high=one.high,
        level=one.level,
        bound=one.low if one.better == "higher" else one.high,
        test=one.test,
        rows=found.rows,
        units=found.units,
        rows_needed=_rows_needed(one, margin, found.units) if verdict == "INCONCLUSIVE" else None,
        notes=tuple(note for note in one.notes if "p-value" not in note),  # here the interval decides
    )


def _toward_better(one: Difference) -> tuple[float, float, float]:
    """Value, low and high, turned so that more is better."""
    return (one.value, one.low, one.high) if one.better == "higher" else (-one.value, -one.high, -one.low)


def _decision(one: Difference, margin: float) -> Decision:
    _, low, high = _toward_better(one)
    if low > -margin or low == high == 0:  # identical predictions are not worse, whatever the margin
        return "PASS"
    return "FAIL" if high < 0 else "INCONCLUSIVE"


def _rows_needed(one: Difference, margin: float, units: int) -> int | None:
    """Units with which a difference of this size would pass or fail, whichever is sooner, with 80% power."""
    from scipy.special import ndtri

    value, low, high = _toward_better(one)
    away = max(value + margin, -value)
    if not (high > low and away > 0):
        return None
    z = float(ndtri((1 + one.level) / 2))
    ratio = (z + float(ndtri(POWER))) * (high - low) / (2 * z) / away
    return ceil(units * ratio**2) if ratio < 1e6 else None


def _worst(hurdles: tuple[Hurdle, ...]) -> Decision:
    found = {one.verdict for one in hurdles}
    return "FAIL" if "FAIL" in found else "INCONCLUSIVE" if "INCONCLUSIVE" in found else "PASS"
