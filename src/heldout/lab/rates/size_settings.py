"""The settings in which every default test is measured: by one command, small in the tests, large for the record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from heldout.lab.rates.size import Size, size
from heldout.lab.simulated_rates import RejectionRates

ROWS = (50, 200, 2000)
PREVALENCES = (0.05, 0.2, 0.5)
MODELS = (2, 5, 20)
LABELS = (
    *("accuracy", "balanced_accuracy", "mcc", "kappa", "f1", "precision", "recall", "specificity", "npv"),
    *("f0.5", "f2", "jaccard", "youden_j"),
)
AVERAGES = ("accuracy", "balanced_accuracy", "mcc", "kappa", "f1_macro", "precision_macro")
RANKINGS = ("average_precision", "eer", "ks", "partial_auc", "lift@10%")
LOSSES = ("log_loss", "brier")
NUMBERS = ("mae", "rmse", "r2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Metrics to be tested in one world."""

    world: str
    n: int
    metrics: tuple[str, ...]
    part: float = 1.0
    """The share of the repetitions that is spent here: tests that draw are slow."""


def settings() -> Iterator[Setting]:
    """Every setting: rows, prevalences, kinds of predictions; models that are alike; then more than two of them.

    >>> len({one.world for one in settings()})
    20
    """
    for n in ROWS:
        for share in PREVALENCES:
            scores = f"pair-binormal:auc=0.8,prevalence={share:g}"
            yield Setting(world=f"pair-labels:prevalence={share:g},precision=0.7,recall=0.7", n=n, metrics=LABELS)
            yield Setting(world=scores, n=n, metrics=("roc_auc",))
            yield Setting(world=scores, n=n, metrics=RANKINGS, part={50: 0.5, 200: 0.25, 2000: 0.05}[n])
            yield Setting(world=f"pair-probabilities:noise=1,prevalence={share:g}", n=n, metrics=LOSSES)
        yield Setting(world="pair-classes:right=0.7", n=n, metrics=AVERAGES)
        yield Setting(world="pair-numbers:own=1", n=n, metrics=NUMBERS)
        yield Setting(world="pair-numbers:own=1,noise=laplace", n=n, metrics=NUMBERS)
        yield Setting(world="pair-numbers:own=1,noise=t3", n=n, metrics=NUMBERS)
        yield Setting(world="clustered-pair-labels:size=5,precision=0.7,recall=0.7", n=n, metrics=("accuracy", "f1"))
        for models in MODELS[1:]:
            several = f"models={models}"
            yield Setting(
                world=f"pair-labels:precision=0.7,recall=0.7,{several}", n=n, metrics=("accuracy", "f1"), part=0.5
            )
            yield Setting(world=f"pair-binormal:auc=0.8,{several}", n=n, metrics=("roc_auc",), part=0.5)
            yield Setting(world=f"pair-numbers:own=1,{several}", n=n, metrics=("mae",), part=0.5)


def size_grid(repeats: int, *, chosen: Callable[[Setting], bool] = lambda one: True, **given: Any) -> RejectionRates:
    """The size of the default test of every metric in every setting, or in those chosen."""
    found: list[Size] = []
    for one in settings():
        if chosen(one):
            done = max(int(repeats * one.part), 1)
            found += size("auto", one.world, one.n, metrics=one.metrics, repeats=done, **given)
    setting = {"question": "size", "world": None, "n": None, "models": None}
    setting |= {"alpha": given.get("alpha", 0.05), "seed": given.get("random_state", 0)}
    return RejectionRates(rates=tuple(found), setting=setting)
