"""The area under the ROC curve in the world of two normal classes, on the rows that `heldout.lab.coverage` draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from benchmarks.error_rates.line import (
    BY_HAND,
    LEVEL,
    NONE,
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
from heldout import lab
from heldout.batch import Array
from heldout.lab.rates.repetition import repeated
from heldout.lab.worlds import one_model

WORLDS = ("binormal:auc=0.7", "binormal:auc=0.9", "binormal:auc=0.97")


def delong_wald(positive: Array, negative: Array) -> Ends:
    """The area -+ 1.96 standard errors of DeLong, cut at 0 and 1, as pROC does it in R: a point where classes part.

    >>> delong_wald(np.array([3.0, 4.0]), np.array([1.0, 2.0]))
    (1.0, 1.0)
    """
    if not (len(positive) > 1 and len(negative) > 1):
        return NONE
    behind, ahead = np.sort(negative), np.sort(positive)
    hits = (np.searchsorted(behind, positive, "left") + np.searchsorted(behind, positive, "right")) / 2 / len(negative)
    misses = (np.searchsorted(ahead, negative, "left") + np.searchsorted(ahead, negative, "right")) / 2 / len(positive)
    area = float(hits.mean())
    reach = 1.959963984540054 * sqrt(hits.var(ddof=1) / len(positive) + misses.var(ddof=1) / len(negative))
    return max(area - reach, 0.0), min(area + reach, 1.0)


@guarded
def confidenceinterval(positive: Array, negative: Array) -> object:
    from confidenceinterval import roc_auc_score

    truth = np.repeat([1, 0], [len(positive), len(negative)])
    return roc_auc_score(truth, np.concatenate([positive, negative]))[1]


@guarded
def bootstrap(positive: Array, negative: Array) -> object:
    """Rows of each class drawn anew."""
    from scipy.stats import bootstrap as resampled

    def area(above: Array, below: Array, axis: int = -1) -> Array:
        value: Array = (above[..., :, None] > below[..., None, :]).mean(axis=(axis - 1, axis))
        return value

    found = resampled((positive, negative), area, vectorized=True, batch=500, rng=np.random.default_rng(0))
    return found.confidence_interval


PEERS: dict[tuple[str, str], tuple[Callable[[Array, Array], Ends], int]] = {
    (BY_HAND, "DeLong, normal (as pROC)"): (delong_wald, max(SIZES)),
    ("confidenceinterval", "roc_auc_score"): (confidenceinterval, max(SIZES)),
    ("scipy", "bootstrap (BCa) by class"): (bootstrap, RESAMPLED),
}
"""By package and call: its interval for the scores of both classes, and the most rows it is asked about."""


@dataclass(frozen=True)
class Areas:
    """The job: rows drawn anew, and which intervals held the area."""

    world: str
    n: int
    peers: tuple[tuple[str, str], ...]

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        place = one_model(self.world)
        truth = place.truth("roc_auc")
        sums = np.zeros((len(self.peers), 4))
        for _ in range(repeats):
            batch = place.draw(self.n, rng)
            rng.integers(2**31)  # which the lab takes as the seed of its own draws
            classes = np.asarray(batch.truth) == 1
            scores = np.asarray(batch.score)
            for i, name in enumerate(self.peers):
                sums[i] += held(PEERS[name][0](scores[classes], scores[~classes]), truth)
        return sums


def lines() -> list[Line]:
    """Ours, and every peer's, in every world at every size."""
    return [line for world in WORLDS for n in SIZES for line in _at(world, n)]


def _at(world: str, n: int) -> list[Line]:
    facts = {"world": world, "metric": "roc_auc", "n": n}
    (ours,) = lab.coverage(
        "auto", world, n, metrics="roc_auc", confidence_level=LEVEL, repeats=REPEATS[n], random_state=SEED
    )
    answered = 1 - ours.undefined
    sums = (ours.coverage * answered, ours.width * answered, answered, 1.0)
    scaled = [REPEATS[n] * part for part in sums]
    found = [interval_line(scaled, REPEATS[n], package="heldout", method="default", **facts)]
    for name, (_, most) in PEERS.items():
        if n <= most:
            repeats = RESAMPLED_REPEATS if name[0] == "scipy" else REPEATS[n]
            (part,) = repeated(Areas(world, n, (name,)), repeats, seed=SEED)
            found.append(interval_line(part, repeats, package=name[0], method=name[1], **facts))
    return found
