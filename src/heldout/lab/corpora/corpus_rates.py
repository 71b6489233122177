"""Error rates of intervals and tests of pictures and texts, in simulations where mAP, mean IoU and BLEU are known."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.boxes.average_precision import by_class
from heldout.boxes.matching import coco_matches
from heldout.errors import UsageError
from heldout.intervals.scales import checked_level
from heldout.lab.corpora.image_worlds import Boxes, Pixels
from heldout.lab.corpora.one_sample import CLASSES, SUMS, Line, World, lines_of, sampled, set_world
from heldout.lab.folds.test_rows import averages, moments
from heldout.lab.learning.bias_variance_result import Measured
from heldout.lab.rates.repetition import monte_carlo_error, plain, repeated
from heldout.lab.simulated_rates import CorpusErrorRates
from heldout.verbs.parameters import documented
from heldout.verbs.settings import Settings

MANY, SAMPLES = 20_000, 20
"""Images of a sample, and samples, over which the truth of a world of boxes is averaged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusRate:
    """Coverage of an interval, simultaneous coverage of those of all classes, or type I error of a test."""

    kind: str
    """interval, classes (the intervals of all classes together) or test."""
    metric: str
    method: str
    world: str
    n: int
    """Images, segments or documents of a sample."""
    level: float
    """Of intervals; a test rejects at 1 - level."""
    truth: float | None
    """The metric's true value; None for classes, which have one each."""
    truth_error: float
    """Its Monte-Carlo standard error; 0 where it is exact."""
    bias: float | None
    """The mean of the values less the truth."""
    rate: float
    """The share of samples in which intervals contained the true value, or the test rejected it."""
    error: float
    """Monte-Carlo standard error of that share."""
    below: float
    """The share in which the interval lay below the truth."""
    above: float
    width: float
    """The mean width of the interval."""
    undefined: float
    """The share of samples without an answer; of intervals they count nowhere else, a test does not reject there."""
    repeats: int

    @property
    def word(self) -> str:
        """Of intervals `too low` or `wide`, of tests `too high` or `timid`, where the rate misses the goal; else `ok`.

        The goals are those of `Coverage` and `Size`: at 95% 93 to 97.5%, and 2.5 to 6% at 5%.
        """
        left = 1 - self.level
        if self.kind == "test":
            if self.rate - 3 * self.error > 1.2 * left:
                return "too high"
            return "timid" if self.rate + 3 * self.error < 0.5 * left else "ok"
        if self.rate + 2 * self.error < self.level - 0.4 * left:
            return "too low"
        return "wide" if self.rate - 2 * self.error > self.level + 0.5 * left else "ok"

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; undefined numbers are None."""
        return plain({**asdict(self), "word": self.word})


@documented(repeats=1000)
def corpus_rates(
    world: str,
    n: int,
    *,
    confidence_level: float = 0.95,
    repeats: int = 1000,
    random_state: int = 0,
    n_jobs: int = 1,
    n_resamples: int = 300,
    into: str | Path | None = None,
) -> CorpusErrorRates:
    """Simulated coverage and type I error of `detect`, `masks` and `text`.

    In the simulations `segments` and `pixels` the truth is exact; in `boxes` it is that of 400,000 images.

    Parameters
    ----------
    world : str
        The simulation: "boxes" for detect, "pixels" for masks, "segments" for text, with parameters such as
        "segments:quality=0.8".
    n : int
        Number of images, segments or documents of each data set, 2 or more.
    confidence_level : float, default 0.95
        Confidence level of the intervals; tests are at 1 - confidence_level.
    <repeats>
    <simulation_seed>
    <processes>
    n_resamples : int, default 300
        Number of resamples of images or segments.
    <into>

    Returns
    -------
    CorpusErrorRates
        One `CorpusRate` per metric and method, with its Monte-Carlo error.

    Raises
    ------
    UsageError
        If the simulation is not known, or a number is out of range.

    Examples
    --------
    >>> rates = corpus_rates("segments:quality=0.8", 20, repeats=20, n_resamples=50)
    >>> [(rate.metric, round(rate.truth, 2)) for rate in rates][:2]
    [('bleu', 60.32), ('chrf', 69.13)]
    """
    if n < 2:
        raise UsageError(f"n is {n}, but must be two images, segments or documents, or more", fix="write n=50 (--n 50)")
    checked_level(confidence_level)
    where = set_world(world)
    truths = true_values(where, random_state=random_state, n_jobs=n_jobs, into=into)
    job = CorpusRates(where.name, n, confidence_level, n_resamples, tuple(round(one.value, 9) for one in truths))
    sums = repeated(job, repeats, seed=random_state, jobs=n_jobs, into=into)
    facts: dict[str, Any] = {"world": where.name, "n": n, "level": confidence_level, "repeats": repeats}
    rates = tuple(
        _rate(line, part, truths, facts, at) for at, (line, part) in enumerate(zip(lines_of(where), sums, strict=True))
    )
    setting = {"level": confidence_level, "n_resamples": n_resamples, "seed": random_state}
    return CorpusErrorRates(rates=rates, setting=setting)


def _rate(line: Line, sums: Array, truths: list[Measured], facts: dict[str, Any], at: int) -> CorpusRate:
    repeats = facts["repeats"]
    right, below, above, width, answered, value = (float(part) for part in sums)
    test, classes = line.kind == "test", line.kind == "classes"
    counted = repeats if test else answered
    rate = right / counted if counted else nan
    known = truths[at] if line.kind == "interval" and line.method == "auto" else truths[0]
    truth = Measured(value=0.0, error=0.0) if test else known
    return CorpusRate(
        kind=line.kind,
        metric=line.metric,
        method=line.method,
        truth=None if classes else truth.value,
        truth_error=0.0 if classes else truth.error,
        bias=value / answered - truth.value if answered and not classes else None,
        rate=rate,
        error=monte_carlo_error(rate, counted) if counted else nan,
        below=below / answered if answered else nan,
        above=above / answered if answered else nan,
        width=width / answered if answered else nan,
        undefined=1 - answered / repeats,
        **facts,
    )


@dataclass(frozen=True)
class CorpusRates:
    """The job behind `corpus_rates`: samples of a world, and what its intervals and tests say of each."""

    world: str
    n: int
    level: float
    draws: int
    truths: tuple[float, ...]

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        """Sums by line and what is in `SUMS`."""
        where, truths = set_world(self.world), np.array(self.truths)
        sums = np.zeros((len(lines_of(where)), len(SUMS)))
        for _ in range(repeats):
            asked = Settings(level=self.level, draws=self.draws, seed=int(rng.integers(2**31)))
            sums += sampled(where, self.n, truths, asked, rng)
        return sums


def true_values(
    world: World, *, random_state: int = 0, n_jobs: int = 1, into: str | Path | None = None
) -> list[Measured]:
    """The true values of a world: of its figures or metrics, then by class; exact but for boxes."""
    if isinstance(world, Boxes):
        sums = repeated(TrueFigures(world.name, MANY), SAMPLES, seed=(random_state, 1), jobs=n_jobs, into=into)
        return averages(sums, SAMPLES)
    values = [*world.truths.values(), *(world.class_truths.tolist() if isinstance(world, Pixels) else ())]
    return [Measured(value=value, error=0.0) for value in values]


@dataclass(frozen=True)
class TrueFigures:
    """The job behind `true_values`: sums of figures of very many images, and of their squares."""

    world: str
    images: int

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        """Moments of the twelve figures, then of those by class."""
        where = set_world(self.world)
        assert isinstance(where, Boxes)
        found = []
        for _ in range(repeats):
            objects, (one,) = where.sample(self.images, rng, detectors=1)
            each = by_class(coco_matches(objects, one))
            found.append(
                [*(np.nanmean(part) for part in each.values()), *np.concatenate([each[name] for name in CLASSES])]
            )
        return moments(np.array(found))
