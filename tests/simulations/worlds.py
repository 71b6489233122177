"""Worlds whose truth is known: each draws a batch, and says what its metrics really are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr, ndtri, roots_hermitenorm

from heldout.batch import Array, Batch
from heldout.formulas import METRICS, metric
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

World = Callable[[np.random.Generator], Batch]
NODES, WEIGHTS = roots_hermitenorm(80)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


@dataclass(frozen=True)
class Measured:
    """How often intervals held the truth, how wide they were, and on which side they missed."""

    held: int
    repeats: int
    width: float
    below: int
    """The whole interval lay below the truth."""
    above: int

    @property
    def coverage(self) -> float:
        return self.held / self.repeats

    def __str__(self) -> str:
        return f"{self.coverage:.3f} of {self.repeats}, width {self.width:.3f}, below {self.below}, above {self.above}"


def measured(
    world: World, truths: dict[str, float], repeats: int, *, seed: int = 0, draws: int = 600, method: str = "auto"
) -> dict[str, Measured]:
    """How often the intervals of these metrics hold these truths."""
    ends = {name: np.empty((repeats, 2)) for name in truths}
    rng = np.random.default_rng(seed)
    for at in range(repeats):
        found = Measurement(world(rng), Settings(draws=draws, seed=at, method=method))
        for name in truths:
            one = found.one(metric(name))
            ends[name][at] = one.low, one.high
    return {name: _counted(ends[name], truth) for name, truth in truths.items()}


def _counted(ends: Array, truth: float) -> Measured:
    low, high = ends.T
    below, above = int(np.sum(high < truth)), int(np.sum(low > truth))
    return Measured(len(ends) - below - above, len(ends), float(np.mean(high - low)), below, above)


def table_world(chances: Array, rows: int) -> World:
    """Rows whose truth (line) and prediction (column) have these joint chances."""
    classes = len(chances)

    def draw(rng: np.random.Generator) -> Batch:
        cell = rng.choice(classes**2, size=rows, p=chances.ravel())
        return _labelled(cell // classes, cell % classes, classes)

    return draw


def table_truth(chances: Array, names: tuple[str, ...]) -> dict[str, float]:
    """The value of label metrics on the joint chances themselves."""
    hit, actual, said = np.diag(chances), chances.sum(axis=1), chances.sum(axis=0)
    sums = {"tp": hit, "fp": said - hit, "fn": actual - hit, "tn": 1 - actual - said + hit}
    one = {name: part[1] for name, part in sums.items()}
    return {name: float(metric(name)(one if metric(name).one_class else sums)) for name in names}


def binary_table(prevalence: float, precision: float, recall: float) -> Array:
    """Joint chances with these rates."""
    tp = prevalence * recall
    fp = tp / precision - tp
    return np.array([[1 - prevalence - fp, fp], [prevalence - tp, tp]])


def clustered_table_world(share: float, alike: float, units: int, size: int) -> World:
    """Right and wrong answers in units whose own rate is beta distributed: intra-unit correlation `alike`."""

    def draw(rng: np.random.Generator) -> Batch:
        rate = rng.beta(share * (1 / alike - 1), (1 - share) * (1 / alike - 1), size=units)
        unit = np.repeat(np.arange(units), size)
        truth = np.ones(units * size, dtype=int)
        return _labelled(truth, (rng.random(len(unit)) < rate[unit]).astype(int), 2, unit=unit)

    return draw


def weighted_table_world(chances: Array, rows: int, spread: float) -> World:
    """Rows with log-normal weights that have nothing to do with them."""
    plain = table_world(chances, rows)

    def draw(rng: np.random.Generator) -> Batch:
        batch = plain(rng)
        return _labelled(batch.truth, batch.prediction, len(chances), weight=np.exp(spread * rng.standard_normal(rows)))

    return draw


def binormal_world(area: float, positives: int, negatives: int, *, digits: int | None = None) -> World:
    """Normal scores in two classes of fixed size; `digits` makes ties."""
    truth = np.repeat([1, 0], [positives, negatives])
    shift = apart(area)

    def draw(rng: np.random.Generator) -> Batch:
        score = rng.standard_normal(len(truth)) + shift * truth
        return _scored(truth, score if digits is None else np.round(score, digits))

    return draw


def mixed_world(area: float, prevalence: float, rows: int) -> World:
    """Normal scores where the class of each row is random too."""
    shift = apart(area)

    def draw(rng: np.random.Generator) -> Batch:
        truth = (rng.random(rows) < prevalence).astype(int)
        while truth.min() == truth.max():
            truth = (rng.random(rows) < prevalence).astype(int)
        return _scored(truth, rng.standard_normal(rows) + shift * truth)

    return draw


def clustered_binormal_world(area: float, units: int, size: int, alike: float) -> World:
    """Normal scores in units that share part of the score and part of the class."""
    shift = apart(area)

    def draw(rng: np.random.Generator) -> Batch:
        unit = np.repeat(np.arange(units), size)
        latent = np.sqrt(alike) * rng.standard_normal((2, units))[:, unit] + np.sqrt(1 - alike) * rng.standard_normal(
            (2, len(unit))
        )
        truth = (latent[0] > 0).astype(int)
        return _scored(truth, latent[1] + shift * truth, unit=unit)

    return draw


def apart(area: float) -> float:
    """How far apart two normal classes are for an area."""
    return float(np.sqrt(2) * ndtri(area))


def binormal_truth(area: float, prevalence: float = 0.5, depth: float = 0.1) -> dict[str, float]:
    """What ranking metrics are on infinitely many rows."""
    shift = apart(area)
    at = np.linspace(-9, 9 + shift, 40001)
    tpr, fpr = ndtr(shift - at), ndtr(-at)
    called = prevalence * tpr + (1 - prevalence) * fpr
    density = np.exp(-((at - shift) ** 2) / 2) / np.sqrt(2 * np.pi)
    precision = prevalence * tpr / called
    cut = brentq(lambda t: prevalence * ndtr(shift - t) + (1 - prevalence) * ndtr(-t) - depth, -9, 9 + shift)
    part = np.linspace(0, 0.1, 40001)[1:]
    return {
        "roc_auc": area,
        "average_precision": float(np.trapezoid(precision * density, at)),
        "eer": float(ndtr(-shift / 2)),
        "partial_auc": float(np.trapezoid(ndtr(shift + ndtri(part)), part)),
        "ks": float(2 * ndtr(shift / 2) - 1),
        "gain@10%": float(ndtr(shift - cut)),
        "lift@10%": float(ndtr(shift - cut) / depth),
        "gini": 2 * area - 1,
    }


def probability_world(rows: int, *, spread: float = 1.5, slope: float = 1.0, shift: float = 0.0) -> World:
    """Log odds are normal; the model's are `slope` times these plus `shift`."""

    def draw(rng: np.random.Generator) -> Batch:
        odds = spread * rng.standard_normal(rows)
        truth = (rng.random(rows) < expit(odds)).astype(int)
        return _scored(truth, expit(slope * odds + shift), probabilities=True)

    return draw


def probability_truth(
    *, spread: float = 1.5, slope: float = 1.0, shift: float = 0.0, bins: int = 15
) -> dict[str, float]:
    """Expected losses, the logistic recalibration that undoes the distortion, and the gap in bins of equal mass."""
    odds = spread * NODES
    model = slope * odds + shift
    chance, said = expit(odds), expit(model)
    fine = spread * ndtri((np.arange(30000) + 0.5) / 30000)
    gaps = (expit(fine) - expit(slope * fine + shift)).reshape(bins, -1).mean(axis=1)
    return {
        "log_loss": float(WEIGHTS @ (np.logaddexp(0, model) - chance * model)),
        "brier": float(WEIGHTS @ (chance * (1 - said) ** 2 + (1 - chance) * said**2)),
        "calibration_slope": 1 / slope,
        "calibration_intercept": -shift / slope,
        "calibration_error": float(np.sqrt(np.mean(gaps**2))),
    }


def number_world(rows: int, noise: Callable[[np.random.Generator, int], Array], *, signal: float = 1.0) -> World:
    """Truth = signal + noise, the signal being predicted."""

    def draw(rng: np.random.Generator) -> Batch:
        said = signal * rng.standard_normal(rows)
        return Batch(task="regression", truth=said + noise(rng, rows), prediction=said, labels=("y",))

    return draw


def clustered_number_world(units: int, size: int, alike: float) -> World:
    """Errors that units share in part."""

    def draw(rng: np.random.Generator) -> Batch:
        unit = np.repeat(np.arange(units), size)
        said = rng.standard_normal(len(unit))
        error = np.sqrt(alike) * rng.standard_normal(units)[unit] + np.sqrt(1 - alike) * rng.standard_normal(len(unit))
        return Batch(task="regression", truth=said + error, prediction=said, labels=("y",), unit=unit)

    return draw


def column_world(rows: int, shift: float, classes: int = 3) -> World:
    """One normal score per class, the true class's moved up."""

    def draw(rng: np.random.Generator) -> Batch:
        truth = np.arange(rows) % classes
        score = rng.standard_normal((rows, classes))
        score[np.arange(rows), truth] += shift
        return Batch(
            task="multiclass", truth=truth, prediction=score.argmax(axis=1), score=score, labels=tuple(range(classes))
        )

    return draw


def _labelled(truth: Array, prediction: Array, classes: int, **columns: Array) -> Batch:
    task = "binary" if classes == 2 else "multiclass"
    positive = 1 if classes == 2 else None
    return Batch(
        task=task, truth=truth, prediction=prediction, labels=tuple(range(classes)), positive=positive, **columns
    )


def _scored(truth: Array, score: Array, *, probabilities: bool = False, unit: Array | None = None) -> Batch:
    prediction = (score >= 0.5).astype(int) if probabilities else None
    return Batch(
        task="binary",
        truth=truth,
        prediction=prediction,
        score=score,
        probabilities=probabilities,
        labels=(0, 1),
        positive=1,
        unit=unit,
    )


def without_units(world: World) -> World:
    """The same rows as if each had been drawn by itself."""
    return lambda rng: replace(world(rng), unit=None)


def costed(world: World, cost: Array, truth: float, repeats: int, *, seed: int = 0) -> Measured:
    """How often the interval of the mean cost holds it."""
    rng = np.random.default_rng(seed)
    ends = np.empty((repeats, 2))
    for at in range(repeats):
        one = Measurement(world(rng), Settings(draws=400, seed=at, cost=cost)).one(METRICS["cost"])
        ends[at] = one.low, one.high
    return _counted(ends, truth)
