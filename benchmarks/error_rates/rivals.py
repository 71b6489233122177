"""Two models' areas under the ROC curve on the same rows, drawn as `heldout.lab.size` draws them."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

import numpy as np

from benchmarks.error_rates.areas import delong_wald
from benchmarks.error_rates.line import ALPHA, BY_HAND, REPEATS, SEED, SIZES, Line
from heldout import lab
from heldout.batch import Array
from heldout.lab.rates.repetition import monte_carlo_error, repeated
from heldout.lab.worlds import several_models

WORLDS = ("pair-binormal:auc=0.8", "pair-binormal:auc=0.8,gain=0.05")
PEERS = (("MLstatkit", "Delong_test"), (BY_HAND, "95% DeLong intervals do not overlap"))


def delong_test(truth: Array, first: Array, second: Array, seed: int) -> float:
    """MLstatkit's p-value; where the variance is zero it draws, with this seed."""
    from MLstatkit import Delong_test

    try:
        return float(Delong_test(truth, first, second, random_state=seed)[1])
    except Exception:  # noqa: BLE001  # peers may raise anything
        return float("nan")


def apart(truth: Array, first: Array, second: Array) -> bool:
    """Whether the models' own intervals do not overlap."""
    positive = truth == 1
    one, other = (delong_wald(score[positive], score[~positive]) for score in (first, second))
    return one[1] < other[0] or other[1] < one[0]


@dataclass(frozen=True)
class Rivals:
    """The job: rows drawn anew, and which tests rejected."""

    world: str
    n: int

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        """Rejections and missing p-values by test."""
        pair = several_models(self.world)
        sums = np.zeros((len(PEERS), 2))
        for _ in range(repeats):
            drawn = pair.draw(self.n, rng)
            seed = int(rng.integers(2**31))  # which the lab takes as the seed of its own draws
            truth = np.asarray(drawn["a"].truth)
            scores = [np.asarray(drawn[model].score) for model in pair.models]
            p = delong_test(truth, scores[0], scores[1], seed)
            sums += [[p < ALPHA, isnan(p)], [apart(truth, scores[0], scores[1]), False]]
        return sums


def lines() -> list[Line]:
    """Ours, and every peer's, in every world at every size."""
    return [line for world in WORLDS for n in SIZES for line in _at(world, n)]


def _at(world: str, n: int) -> list[Line]:
    repeats = REPEATS[n]
    better = several_models(world).truth("roc_auc") > 0
    ask = lab.power if better else lab.size
    (ours,) = ask("auto", world, n, metrics="roc_auc", alpha=ALPHA, repeats=repeats, random_state=SEED)
    shares = [(ours.rejected, ours.undefined), *(repeated(Rivals(world, n), repeats, seed=SEED) / repeats).tolist()]
    return [
        Line(
            question="power" if better else "size", world=world, metric="roc_auc", n=n, package=package, method=method,
            rate=rate, error=monte_carlo_error(rate, repeats), width=None, undefined=undefined, repeats=repeats,
        )
        for (package, method), (rate, undefined) in zip((("heldout", "default"), *PEERS), shares, strict=True)
    ]  # fmt: skip
