"""Accuracy, precision, recall and F1 of two classes. Peers are asked once about the same confusion table.

Samples on which a metric is 0/0 are left out, ours as well as theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from benchmarks.error_rates.line import (
    LEVEL,
    REPEATS,
    RESAMPLED,
    RESAMPLED_REPEATS,
    SEED,
    SIZES,
    Ends,
    Line,
    guarded,
    held,
    interval_line,
)
from heldout.batch import Array, Batch
from heldout.estimates.interval_choice import estimate
from heldout.formulas import metric as named_metric
from heldout.lab.rates.repetition import repeated
from heldout.lab.worlds import one_model
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

WORLDS = ("labels:prevalence=0.2", "labels:prevalence=0.05")
METRICS = ("accuracy", "precision", "recall", "f1")
Table = tuple[int, int, int, int]
"""TP, FP, FN, TN."""


def rows(table: Table) -> tuple[Array, Array]:
    """Truth and prediction of a table.

    >>> [part.tolist() for part in rows((1, 1, 1, 0))]
    [[1, 0, 1], [1, 1, 0]]
    """
    return np.repeat([1, 0, 1, 0], table), np.repeat([1, 1, 0, 0], table)


def parts(metric: str, table: Table) -> tuple[int, int]:
    """The rows that a metric counts, and those that it counts them among; F1's are those of Jaccard's index.

    >>> parts("recall", (3, 1, 2, 4)), parts("f1", (3, 1, 2, 4))
    ((3, 5), (3, 6))
    """
    tp, fp, fn, tn = table
    among = {"accuracy": (tp + tn, sum(table)), "precision": (tp, tp + fp), "recall": (tp, tp + fn)}
    return among.get(metric, (tp, tp + fp + fn))


@guarded
def heldout(metric: str, table: Table) -> object:
    truth, prediction = rows(table)
    batch = Batch(task="binary", truth=truth, prediction=prediction, labels=(0, 1), positive=1)
    formula = named_metric(metric)
    label = 1 if formula.one_class else None
    tally = Measurement(batch, Settings(level=LEVEL)).tally(formula, label)
    found = estimate(formula, tally, label=label, level=LEVEL)
    return found.low, found.high


@guarded
def statsmodels(metric: str, table: Table) -> object:
    from statsmodels.stats.proportion import proportion_confint

    return proportion_confint(*parts(metric, table))


@guarded
def confidenceinterval(metric: str, table: Table) -> object:
    import confidenceinterval as peer

    call = getattr(peer, {"precision": "ppv_score", "recall": "tpr_score"}.get(metric, f"{metric}_score"))
    binary = {"average": "binary"} if metric == "f1" else {}  # its default is the average of both, which is accuracy
    return call(*rows(table), **binary)[1]


@cache
def matrix(table: Table) -> Any:
    from pycm import ConfusionMatrix

    tp, fp, fn, tn = table
    return ConfusionMatrix(matrix={0: {0: tn, 1: fp}, 1: {0: fn, 1: tp}})


@guarded
def pycm(metric: str, table: Table) -> object:
    if metric == "accuracy":
        return matrix(table).CI("Overall ACC")[1]
    return matrix(table).CI({"precision": "PPV", "recall": "TPR"}[metric])[1][1]


@guarded
def bootstrap(_: str, table: Table) -> object:
    """F1 alone, 0 where it is 0/0, as in scikit-learn; the shares are in `shares`."""
    from scipy.stats import bootstrap as resampled

    def f1(truth: Array, prediction: Array, axis: int = -1) -> Array:
        among = truth.sum(axis) + prediction.sum(axis)
        value: Array = 2 * (truth * prediction).sum(axis) / np.maximum(among, 1)
        return value

    found = resampled(rows(table), f1, paired=True, vectorized=True, rng=np.random.default_rng(0))
    return found.confidence_interval


PEERS: dict[str, tuple[Callable[..., Ends], dict[str, str]]] = {
    "heldout": (heldout, dict.fromkeys(METRICS, "default")),
    "statsmodels": (statsmodels, dict.fromkeys(METRICS[:3], "proportion_confint")),
    "confidenceinterval": (
        confidenceinterval,
        {
            "accuracy": "accuracy_score",
            "precision": "ppv_score",
            "recall": "tpr_score",
            "f1": "f1_score, average='binary'",
        },
    ),
    "pycm": (pycm, {"accuracy": "CI('Overall ACC')", "precision": "CI('PPV')", "recall": "CI('TPR')"}),
}
"""By package: its intervals, and how they are called by metric."""
SLOW: dict[str, tuple[Callable[..., Ends], dict[str, str]]] = {
    "scipy": (bootstrap, {"f1": "bootstrap (BCa) of rows"}),
}
"""The same, of those that draw."""


@cache
def answers(table: Table, *, slow: bool) -> dict[tuple[str, str], Ends]:
    """Every package's interval for every metric that is defined on a table."""
    return {
        (package, metric): ends(metric, table)
        for package, (ends, calls) in (SLOW if slow else PEERS).items()
        for metric in calls
        if parts(metric, table)[1]
    }


def asked(*, slow: bool) -> list[tuple[str, str]]:
    """What is asked: package and metric."""
    peers = SLOW if slow else PEERS
    return [(package, metric) for metric in METRICS for package, (_, calls) in peers.items() if metric in calls]


@dataclass(frozen=True)
class Tables:
    """The job: tables drawn anew, and which intervals held the truth."""

    world: str
    n: int
    slow: bool

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        place, names = one_model(self.world), asked(slow=self.slow)
        truths = {metric: place.truth(metric) for metric in METRICS}
        sums = np.zeros((len(names), 4))
        for _ in range(repeats):
            batch = place.draw(self.n, rng)
            found = answers(counted(batch.truth, batch.prediction), slow=self.slow)
            for i, name in enumerate(names):
                if name in found:
                    sums[i] += held(found[name], truths[name[1]])
        return sums


def counted(truth: Any, prediction: Any) -> Table:
    """The table of rows.

    >>> counted(np.array([1, 0, 1]), np.array([1, 1, 0]))
    (1, 1, 1, 0)
    """
    cells = np.bincount(2 * np.asarray(truth) + np.asarray(prediction), minlength=4)
    tn, fp, fn, tp = (int(cell) for cell in cells)
    return tp, fp, fn, tn


def lines() -> list[Line]:
    """Ours, and every peer's, in every world at every size."""
    return [line for world in WORLDS for n in SIZES for slow in (False, True) for line in _at(world, n, slow=slow)]


def _at(world: str, n: int, *, slow: bool) -> list[Line]:
    if slow and n > RESAMPLED:
        return []
    repeats = RESAMPLED_REPEATS if slow else REPEATS[n]
    sums = repeated(Tables(world, n, slow), repeats, seed=SEED)
    answers.cache_clear()
    matrix.cache_clear()
    calls = {package: called for package, (_, called) in (PEERS | SLOW).items()}
    return [
        interval_line(part, repeats, world=world, metric=metric, n=n, package=package, method=calls[package][metric])
        for (package, metric), part in zip(asked(slow=slow), sums, strict=True)
    ]
