"""What `lab outside` asks of one sample, through the public verbs: whether intervals hold and tests reject."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isfinite, nan
from typing import Any, Literal

import numpy as np

from heldout.batch import Batch
from heldout.curves import roc
from heldout.errors import HeldoutError
from heldout.inputs import from_arrays
from heldout.lab.rates import outside_data as data
from heldout.lab.rates.outside_data import Draw, Given, Rng
from heldout.verbs.compare.compare import compare
from heldout.verbs.evaluate.evaluate import evaluate
from heldout.verbs.evaluate.threshold_choice import choose_threshold
from heldout.verbs.gate import gate
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import metric_named, settings as asked_settings

Question = Literal["coverage", "rejections", "wrong verdicts", "violations"]
Answer = tuple[float, float, float]
"""Of one sample and metric: whether it happened (nan: no answer), the simulated rate printed beside it (nan: none), and
whether a note stood beside it."""
NOTHING: Answer = (nan, nan, 0.0)
Sample = Callable[[Rng], Mapping[str, Answer]]

POPULATION = 400_000
"""Units behind a true value that has no closed form."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One place outside the lab's own simulations."""

    area: str
    name: str
    """What is drawn, in words."""
    n: str
    asks: Question
    lines: tuple[str, ...]
    """The metrics, or what else is judged."""
    sample: Sample
    bound: tuple[float, float]
    resamples: bool = False
    """Whether it takes long because the method, or the data, does."""
    reason: str = ""
    """Why the bound cannot be met, where it cannot."""

    @property
    def key(self) -> str:
        """Its name among all settings."""
        return f"{self.area}: {self.name}, n = {self.n}: {self.asks} of {', '.join(self.lines)}"


# What is asked of one sample.


def covers(
    draw: Draw, n: int, lines: Sequence[str], truths: Mapping[str, float] | None = None, **options: Any
) -> Sample:
    """Whether intervals of `evaluate` hold the true values."""
    known = truths or {}

    def sample(rng: Rng) -> dict[str, Answer]:
        given = _shaped(draw(rng, n), lines)
        seed = int(rng.integers(2**31))
        result = evaluate(**given, metrics=list(lines), random_state=seed, **options)
        return {name: held(result[name], known[name] if name in known else true_value(draw, name)) for name in lines}

    return sample


def _shaped(given: Given, lines: Sequence[str]) -> Given:
    """The arguments that the metrics use: decisions beside scores where some metric needs labels."""
    if "y_pred" in given and "y_score" in given and all(metric_named(name).reads == "scores" for name in lines):
        return {name: value for name, value in given.items() if name != "y_pred"}
    return given


def held(estimate: Any, truth: float) -> Answer:
    """Whether an interval holds a value; an unbounded interval does not count.

    >>> from heldout import Estimate
    >>> held(Estimate(0.7, low=0.5, high=0.8, level=0.95, method="Wilson", units=40), 0.6)
    (1.0, nan, 0.0)
    """
    low, high = estimate.low, estimate.high
    if not low <= high or not (isfinite(low) or isfinite(high)):
        return NOTHING
    slack = 1e-9 * max(abs(truth), 1e-3)
    return float(low - slack <= truth <= high + slack), _rate(estimate.card), float(bool(estimate.notes))


def _rate(card: Any) -> float:
    return nan if card is None else float(card.rate)


@cache
def population(draw: Draw) -> Batch:
    """A large draw; with fewer units where these are clusters."""
    given = draw(np.random.default_rng(POPULATION), 1)
    units = POPULATION // 10 if "groups" in given else POPULATION
    given = draw(np.random.default_rng(POPULATION), units)
    return from_arrays(given.pop("y_true"), **given).batch


@cache
def true_value(draw: Draw, name: str) -> float:
    """A metric on a large draw of the population."""
    return float(Measurement(population(draw), asked_settings()).value(metric_named(name)))


def rejects(draw: Draw, n: int, lines: Sequence[str], **options: Any) -> Sample:
    """Whether tests of `compare` reject that two equally good models are."""

    def sample(rng: Rng) -> dict[str, Answer]:
        given = draw(rng, n)
        seed = int(rng.integers(2**31))
        result = compare(**given, metrics=list(lines), random_state=seed, **options)
        return {one.metric: rejected(one) for one in result.differences}

    return sample


def rejected(one: Any) -> Answer:
    """Whether a difference is significant at 5%, before any correction."""
    return (nan if np.isnan(one.pvalue) else float(one.pvalue < 0.05)), _rate(one.card), float(bool(one.notes))


def passes(draw: Draw, n: int, metric: str, margin: float, **options: Any) -> Sample:
    """Whether `gate` passes a model that is worse by exactly the margin."""

    def sample(rng: Rng) -> dict[str, Answer]:
        result = gate(**draw(rng, n), primary=metric, margin=margin, **options)
        return {metric: (float(result.verdict == "PASS"), nan, float(any(one.notes for one in result.hurdles)))}

    return sample


def equivalent(draw: Draw, n: int, metric: str, margin: float) -> Sample:
    """Whether `compare` calls models EQUIVALENT that differ by exactly the margin."""

    def sample(rng: Rng) -> dict[str, Answer]:
        result = compare(**draw(rng, n), primary=metric, metrics=[metric], margin=margin)
        (one,) = result.differences
        return {metric: (float(one.verdict == "EQUIVALENT"), nan, float(bool(one.notes)))}

    return sample


def holm_over_models(n: int, models: int) -> Sample:
    """Whether any of several equal models is called different."""
    draw = data.equal_models(models=models)

    def sample(rng: Rng) -> dict[str, Answer]:
        result = compare(**draw(rng, n), primary="accuracy", metrics=["accuracy"])
        adjusted = [one.pvalue_adjusted for one in result.differences]
        return {"accuracy": (float(min(adjusted) < 0.05), nan, 0.0)}

    return sample


def defined_slope(n: int) -> Sample:
    """Whether a slope of calibration is printed where none exists."""

    def sample(rng: Rng) -> dict[str, Answer]:
        one = evaluate(**data.separable(rng, n), metrics=["calibration_slope"])["calibration_slope"]
        return {"calibration_slope": (float(isfinite(one.value)), nan, float(bool(one.notes)))}

    return sample


def roc_band(draw: Draw, n: int, shift: float) -> Sample:
    """Whether the simultaneous band of the ROC curve holds the whole true curve, on the grid that it is given at."""
    from scipy.special import ndtr, ndtri

    def sample(rng: Rng) -> dict[str, Answer]:
        given = draw(rng, n)
        band = roc(given["y_true"], given["y_score"]).band
        place = np.asarray(band["x"], dtype=float)
        inside = (place > 0) & (place < 1)
        true = ndtr(shift + ndtri(place[inside]))
        low, high = (np.asarray(band[name])[inside] for name in ("band_low", "band_high"))
        return {"whole curve": (float(np.all((low <= true + 1e-9) & (true <= high + 1e-9))), nan, 0.0)}

    return sample


def subgroups_differ(compared: bool, n: int) -> Sample:
    """Whether subgroups of skewed losses are called different where all are alike."""

    def sample(rng: Rng) -> dict[str, Answer]:
        segments = {"subgroup": rng.integers(0, 3, n)}
        if compared:
            given = data.same_mae(rng, n)
            result: Any = compare(**given, primary="mae", metrics=["mae"], segments=segments)
            (one,) = result.segments["subgroup"]
        else:
            result = evaluate(**data.signed_lognormal(rng, n), metrics=["mae"], segments=segments)
            one = result.segments["subgroup"]
        test = one.heterogeneity.get("mae")
        p = nan if test is None else test.pvalue
        return {"mae": (nan if np.isnan(p) else float(p < 0.05), nan, 0.0)}

    return sample


def chosen_cost(n: int, prevalence: float, shift: float) -> Sample:
    """Whether the interval of a chosen threshold's cost holds what the threshold costs."""
    from scipy.special import ndtr

    def sample(rng: Rng) -> dict[str, Answer]:
        given = data.scored(prevalence, shift)(rng, n)
        found = choose_threshold(given["y_true"], given["y_score"], fp=1, fn=8, random_state=int(rng.integers(2**31)))
        missed, alarms = ndtr(found.threshold - shift), ndtr(-found.threshold)
        return {"cost": held(found.cost, float(prevalence * 8 * missed + (1 - prevalence) * alarms))}

    return sample


def certificate_broken(draw: Draw, n: int, max_fpr: float) -> Sample:
    """Whether a certified threshold, passed on as `threshold=`, has a larger false positive rate than it promises."""

    def sample(rng: Rng) -> dict[str, Answer]:
        result = evaluate(**draw(rng, n), metrics=["roc_auc"], max_fpr=max_fpr)
        assert result.operating_point is not None
        cut = result.operating_point.threshold
        whole = population(draw)
        alarms = np.asarray(whole.score)[whole.truth != whole.positive] >= cut
        return {"fpr": (float(alarms.mean() > max_fpr), nan, 0.0)}

    return sample


LOOKS = tuple(range(50, 501, 50))


def looked_at(looks: Sequence[int], verb: str, **options: Any) -> Sample:
    """Whether any of several looks at growing data gives a verdict that is wrong."""
    margin = 0.02
    draw = data.equal_models(0.85) if verb == "compare" else data.nearly_identical(0.06, gain=0.04)

    def sample(rng: Rng) -> dict[str, Answer]:
        given = draw(rng, max(looks))
        wrong = False
        for rows in looks:
            part = {"y_true": given["y_true"][:rows], "models": {k: v[:rows] for k, v in given["models"].items()}}
            if verb == "compare":
                found = compare(**part, primary="accuracy", metrics=["accuracy"], **options)
                wrong |= any(one.verdict in ("BETTER", "WORSE") for one in found.differences)
            else:
                wrong |= gate(**part, primary="accuracy", margin=margin, **options).verdict == "PASS"
        return {"accuracy": (float(wrong), nan, 0.0)}

    return sample


def rejects_silently(draw: Draw, n: int, lines: Sequence[str]) -> Sample:
    """Whether tests reject rows in time order without a word on their order."""

    def sample(rng: Rng) -> dict[str, Answer]:
        result = compare(**draw(rng, n), metrics=list(lines))
        told = any("correlat" in check.text for check in result.checks)
        return {
            one.metric: (float(one.pvalue < 0.05 and not told), _rate(one.card), float(told))
            for one in result.differences
        }

    return sample


def answered(setting: Setting, rng: Rng) -> dict[str, Answer]:
    """What one sample of a setting gives; data on which a verb refuses give no answer."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = setting.sample(rng)
        except HeldoutError:
            found = {}
    return {line: found.get(line, NOTHING) for line in setting.lines}
