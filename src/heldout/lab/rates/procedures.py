"""Error rates of what is more than one interval or test: bands, subgroups, data sets, thresholds, looks.

Each procedure is one call of the product on rows of a world: whether the band held the whole true curve, whether a true
null was rejected, whether a bound was broken. The rates stand beside those of intervals and tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from heldout.batch import Array, Batch, Segment
from heldout.curves import curve_of_batch
from heldout.curves.threshold_table import thresholds_of
from heldout.errors import HeldoutError
from heldout.formulas import METRICS
from heldout.lab.rates.card_settings import Asked, Speed
from heldout.lab.worlds import Pair, World, one_model, several_models
from heldout.lab.worlds.score_worlds import apart
from heldout.stats.outcome import Outcome
from heldout.tallies.from_batch import score_order
from heldout.verbs.across_sets.compare_across_sets import compare_across_sets
from heldout.verbs.compare.model_pair import Both
from heldout.verbs.compare.paired_difference import difference, told_apart
from heldout.verbs.compare.repeated_looks import (
    Looks,
    known_spending,
    planned_fractions,
    planned_outcome,
    sequential_outcome,
)
from heldout.verbs.compare.subgroup_differences import segmented_differences
from heldout.verbs.evaluate.operating_point import operating_point
from heldout.verbs.evaluate.subgroups import segmented
from heldout.verbs.evaluate.threshold_choice import threshold_chosen
from heldout.verbs.gate import gate
from heldout.verbs.measurement import Measurement
from heldout.verbs.plan.plan import difference as planned
from heldout.verbs.settings import Settings

Repetition = Callable[[Any, int, np.random.Generator], float]
DRAWS = 499
ROUNDING = 1e-9
MAX_FPR = 0.1


@dataclass(frozen=True, kw_only=True)
class Procedure:
    """What is done in one repetition, and where."""

    repetition: Repetition
    """World, rows and generator → 1 where it held, rejected, was broken; 0 where not; nan without an answer."""
    worlds: tuple[str, ...]
    rows: tuple[int, ...]
    target: float
    """What its rate should be: the level of a band, alpha of a test, the power of a plan."""
    speed: Speed = "drawn"


def binormal_law(place: World) -> tuple[float, float]:
    """How far apart the classes of a binormal world are, and its prevalence."""
    from heldout.lab.worlds.registry import given_parameters

    given = given_parameters(place.name)
    return apart(float(given.get("auc", 0.9))), float(given.get("prevalence", 0.5))


def _true_curve(name: str, law: tuple[float, float], x: Array) -> Array:
    """The curve of two normal classes of spread 1 at places of its x axis; nan where it has no value."""
    from scipy.special import ndtr, ndtri

    shift, prevalence = law
    if name == "roc":
        return np.asarray(ndtr(shift + ndtri(x)))
    if name == "precision_recall":
        alarms = (1 - prevalence) * ndtr(ndtri(x) - shift)
        found = prevalence * x
        return np.divide(found, found + alarms, out=np.full(len(x), np.nan), where=x > 0)
    at = np.linspace(-9, shift + 9, 20_001)
    recall = ndtr(shift - at)
    if name == "cost":
        return np.array([np.min((1 - recall) * one + ndtr(-at) * (1 - one)) for one in x])
    depth = prevalence * recall + (1 - prevalence) * ndtr(-at)
    return np.interp(x, depth[::-1], recall[::-1])


def band(name: str) -> Repetition:
    """Whether the simultaneous band of a curve held the whole true curve."""

    def repetition(place: World, n: int, rng: np.random.Generator) -> float:
        drawn = curve_of_batch(name, place.draw(n, rng), seed=int(rng.integers(2**31))).band
        if not drawn:
            return np.nan  # one class only: there is no curve
        x = drawn["x"]
        truth = x if name == "calibration" else _true_curve(name, binormal_law(place), x)
        known = np.isfinite(truth) & np.isfinite(drawn["band_low"])
        inside = (truth >= drawn["band_low"] - ROUNDING) & (truth <= drawn["band_high"] + ROUNDING)
        return float(inside[known].all())

    return repetition


def explorer(place: World, n: int, rng: np.random.Generator) -> float:
    """Whether the bands of the threshold explorer held recall and specificity at all thresholds."""
    from scipy.special import ndtr

    found = thresholds_of(score_order(place.draw(n, rng)))
    at = np.isfinite(found.threshold)
    shift, _ = binormal_law(place)
    recall, specificity = ndtr(shift - found.threshold[at]), ndtr(found.threshold[at])
    held = (recall >= found.recall_low[at] - ROUNDING) & (recall <= found.recall_high[at] + ROUNDING)
    held &= specificity >= found.specificity_low[at] - ROUNDING
    held &= specificity <= found.specificity_high[at] + ROUNDING
    return float(held.all())


def in_segments(batch: Batch, rng: np.random.Generator) -> Batch:
    """The rows in four random subgroups of unequal size."""
    codes = rng.choice(4, size=batch.rows, p=[0.4, 0.3, 0.2, 0.1])
    return replace(batch, segments={"part": Segment(codes=codes, names=("a", "b", "c", "d"))})


def subgroups(metric: str) -> Repetition:
    """Whether `evaluate` says that a metric differs between subgroups that are alike."""

    def repetition(place: World, n: int, rng: np.random.Generator) -> float:
        asked = Settings(draws=DRAWS, seed=int(rng.integers(2**31)), metrics=(METRICS[metric],))
        found = segmented(in_segments(place.draw(n, rng), rng), "part", asked).heterogeneity
        return float(found[metric].pvalue < 0.05) if metric in found else np.nan

    return repetition


def subgroup_comparison(metric: str) -> Repetition:
    """Whether `compare` says that the difference of two models differs between subgroups that are alike."""

    def repetition(pair: Pair, n: int, rng: np.random.Generator) -> float:
        asked = Settings(draws=DRAWS, seed=int(rng.integers(2**31)), metrics=(METRICS[metric],))
        drawn = pair.draw(n, rng)
        parts = in_segments(drawn["a"], rng).segments
        measured = {name: Measurement(replace(batch, segments=parts), asked) for name, batch in drawn.items()}
        (found,) = segmented_differences(measured, "a", [METRICS[metric]])["part"]
        tests = found.heterogeneity
        return float(tests[metric].pvalue < 0.05) if metric in tests else np.nan

    return repetition


def across_sets(learners: int) -> Repetition:
    """Whether any pair of equal learners is called different over n data sets."""

    def repetition(_: World, n: int, rng: np.random.Generator) -> float:
        scores = rng.normal(0.8, 0.1, (n, 1)) + 0.05 * rng.standard_t(3, (n, learners))
        found = compare_across_sets({f"m{k}": column for k, column in enumerate(scores.T)}, n_resamples=DRAWS)
        return float(min(pair.pvalue_adjusted for pair in found.pairs) < 0.05)

    return repetition


def certified_threshold(place: World, n: int, rng: np.random.Generator) -> float:
    """Whether more than the certified share of all negatives score at or above the threshold."""
    from scipy.special import ndtr

    step = place.drawing.step
    try:
        found = operating_point(place.draw(n, rng), MAX_FPR, 0.95)
    except HeldoutError:
        return np.nan  # too few negatives for any threshold
    if not step:
        return float(ndtr(-found.threshold) > MAX_FPR)
    # of rounded scores, those at or above the threshold were at most half a step below the first of them; a threshold
    # just above a score does not count it
    first = np.ceil(found.threshold / step)
    first += first * step < found.threshold
    return float(ndtr(-(first - 0.5) * step) > MAX_FPR)


def chosen_threshold(place: World, n: int, rng: np.random.Generator) -> float:
    """Whether the interval for the cost of a chosen threshold held the mean true cost of the folds' thresholds."""
    from scipy.special import ndtr

    shift, prevalence = binormal_law(place)
    try:
        found = threshold_chosen(place.draw(n, rng), Settings(seed=int(rng.integers(2**31))), fp=1.0, fn=5.0)
    except HeldoutError:
        return np.nan
    at = np.array(found.thresholds)
    truth = float(np.mean(5 * prevalence * ndtr(at - shift) + (1 - prevalence) * ndtr(-at)))
    return float(found.cost.low - ROUNDING <= truth <= found.cost.high + ROUNDING)


def gate_at_margin(metric: str) -> Repetition:
    """Whether a model that is worse by exactly the margin passes the gate."""

    def repetition(pair: Pair, n: int, rng: np.random.Generator) -> float:
        drawn = pair.draw(n, rng)
        truth = drawn["a"].truth
        said = {name: batch.prediction for name, batch in drawn.items()}
        lower = METRICS[metric].better == "lower"
        worse = pair.truth(metric) if lower else -pair.truth(metric)
        found = gate(truth, said, primary=metric, margin=worse, baseline="a", n_resamples=DRAWS)
        return float(found.verdict == "PASS")

    return repetition


def any_of_looks(metric: str, looks: int, *, planned_looks: bool) -> Repetition:
    """Whether equal models are called different at any of several looks at rows that are added, up to n of them."""
    shares = planned_fractions(looks)

    def repetition(pair: Pair, n: int, rng: np.random.Generator) -> float:
        drawn = pair.draw(n, rng)

        def there(share: float, level: float = 0.95) -> Both:
            seen = slice(0, round(share * n))
            a, b = (Measurement(batch.part(seen), Settings(level=level)) for batch in drawn.values())
            return Both(b, a)

        def outcome(number: int, share: float) -> Outcome:
            if not planned_looks:
                return sequential_outcome(METRICS[metric], there(share), 0.95, named=True)
            look = Looks(kind="planned", look=number, fractions=shares, spending=known_spending(None))
            return planned_outcome(look, 0.95, lambda level: told_apart(METRICS[metric], there(share, level)))

        return float(any(outcome(number, share).pvalue < 0.05 for number, share in enumerate(shares, 1)))

    return repetition


def plan_power(metric: str, gain: float, known: Callable[[Pair], dict[str, Any]]) -> Repetition:
    """Whether the difference is found with as many rows as a plan asks for at a power of 0.8; n does not matter."""

    def repetition(pair: Pair, n: int, rng: np.random.Generator) -> float:
        asked = Settings(draws=DRAWS, seed=int(rng.integers(2**31)))
        drawn = {name: Measurement(batch, asked) for name, batch in pair.draw(n, rng).items()}
        return float(difference(METRICS[metric], drawn["b"], drawn["a"]).pvalue < 0.05)

    repetition.rows = lambda pair: planned(metric, gain=gain, **known(pair)).rows  # type: ignore[attr-defined]
    return repetition


def _shares_known(pair: Pair) -> dict[str, Any]:
    from heldout.lab.rates.size import discordance

    shares = [float(values["accuracy"]) for values in pair.values]
    return {"value": shares[0], "disagree": sum(discordance(shares[0], shares[1], pair.correlation))}


SCORES = tuple(f"binormal:auc={auc:g},prevalence={share:g}" for auc, share in ((0.8, 0.3), (0.95, 0.1)))
CALIBRATED = ("probabilities:prevalence=0.3", "probabilities:prevalence=0.05")
NUMBERS = tuple(f"numbers:own=0.5,noise={noise}" for noise in ("normal", "lognormal"))
PROCEDURES: dict[str, Procedure] = {
    **{
        f"{name}_band": Procedure(repetition=band(name), worlds=SCORES, rows=(60, 200, 1000), target=0.95)
        for name in ("roc", "precision_recall", "gain", "cost")
    },
    "calibration_band": Procedure(repetition=band("calibration"), worlds=CALIBRATED, rows=(100, 500), target=0.95),
    "explorer_band": Procedure(repetition=explorer, worlds=SCORES, rows=(60, 200, 1000), target=0.95),
    "certified_threshold": Procedure(
        repetition=certified_threshold,
        worlds=(*SCORES, "binormal:auc=0.8,prevalence=0.3,ties=0.5"), rows=(60, 200, 1000), target=0.05, speed="closed",
    ),
    "chosen_threshold": Procedure(repetition=chosen_threshold, worlds=SCORES, rows=(100, 400), target=0.95),
    **{
        f"subgroups_{metric}": Procedure(repetition=subgroups(metric), worlds=worlds, rows=(200, 1000), target=0.05)
        for metric, worlds in (
            ("accuracy", ("labels:prevalence=0.3,precision=0.8,recall=0.8",)), ("roc_auc", SCORES), ("mae", NUMBERS),
        )
    },
    **{
        f"subgroup_differences_{metric}": Procedure(
            repetition=subgroup_comparison(metric), worlds=tuple(f"pair-{world}" for world in worlds),
            rows=(200, 1000), target=0.05,
        )
        for metric, worlds in (("accuracy", ("labels:prevalence=0.3,precision=0.8,recall=0.8",)), ("mae", NUMBERS))
    },
    **{
        f"across_sets_{learners}": Procedure(
            repetition=across_sets(learners), worlds=("numbers",), rows=(8, 20, 50), target=0.05
        )
        for learners in (2, 4)
    },
    "gate_accuracy": Procedure(
        repetition=gate_at_margin("accuracy"),
        worlds=("pair-labels:prevalence=0.5,precision=0.85,recall=0.85,gain=-0.1",), rows=(100, 400), target=0.05,
        speed="closed",
    ),
    "gate_mae": Procedure(
        repetition=gate_at_margin("mae"),
        worlds=tuple(f"pair-numbers:own=0.5,noise={noise},gain=-0.3" for noise in ("normal", "lognormal")),
        rows=(60, 300), target=0.05, speed="closed",
    ),
    **{
        f"{kind}_{metric}": Procedure(
            repetition=any_of_looks(metric, looks, planned_looks=kind == "planned_looks"), worlds=worlds,
            rows=(500, 2000), target=0.05,
        )
        for kind, looks in (("sequential", 20), ("planned_looks", 5))
        for metric, worlds in (
            ("accuracy", ("pair-labels:prevalence=0.3,precision=0.8,recall=0.8",)),
            ("mae", tuple(f"pair-numbers:own=0.5,noise={noise}" for noise in ("normal", "lognormal"))),
        )
    },
    "plan_accuracy": Procedure(
        repetition=plan_power("accuracy", 0.05, _shares_known), worlds=("pair-coin:p=0.8,gain=0.05",), rows=(0,),
        target=0.8,
    ),
}  # fmt: skip
"""Every procedure by the name of its card."""


def asked_procedures() -> Iterator[Asked]:
    """Every procedure in every simulation, at every number of rows."""
    for name, one in PROCEDURES.items():
        for world in one.worlds:
            for rows in one.rows:
                n = rows or int(getattr(one.repetition, "rows")(several_models(world)))  # noqa: B009  set beside it
                yield Asked(kind="procedures", world=world, n=n, metrics=(name,), methods=("auto",), speed=one.speed)


@dataclass(frozen=True)
class Procedural:
    """The job behind the rate of a procedure: how often its answer was yes, and how often it had one."""

    name: str
    world: str
    n: int

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        """Sums of yes and of answers."""
        place = several_models(self.world) if self.world.startswith(("pair-", "clustered-pair-")) else None
        found = [PROCEDURES[self.name].repetition(place or one_model(self.world), self.n, rng) for _ in range(repeats)]
        known = np.isfinite(found)
        return np.array([float(np.nansum(found)), float(known.sum())])
