"""Bootstrap intervals of 1,000 draws. The peers' loops run 100 of them, and their time is multiplied by ten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import heldout
from benchmarks import worlds
from benchmarks.ratios import largest_gap
from benchmarks.task import Data, Limit, Peer, Task

DRAWS = 1000
LOOPS = 100
CHANCE = 0.3
"""How far the width may be off: the standard error of a standard error from 100 draws is 7%."""
EXTRAPOLATED = f"extrapolated from {LOOPS} of {DRAWS:,} draws"

Value = Callable[[Any, Any], float]


def area_drawn(data: Data) -> Any:
    found = heldout.evaluate(data["truth"], y_score=data["score"], metrics="roc_auc", method="percentile", draws=DRAWS)
    return found["roc_auc"]


def f1_drawn(data: Data) -> Any:
    found = heldout.evaluate(data["truth"], data["prediction"], metrics="f1", method="percentile", draws=DRAWS)
    return found["f1"]


def f1_macro_drawn(data: Data) -> Any:
    found = heldout.evaluate(data["truth"], data["prediction"], metrics="f1_macro", method="percentile", draws=DRAWS)
    return found["f1_macro"]


def sklearn_area(truth: Any, score: Any) -> float:
    from sklearn.metrics import roc_auc_score

    return roc_auc_score(truth, score)


def sklearn_f1(truth: Any, prediction: Any) -> float:
    from sklearn.metrics import f1_score

    return f1_score(truth, prediction)


def sklearn_f1_macro(truth: Any, prediction: Any) -> float:
    from sklearn.metrics import f1_score

    return f1_score(truth, prediction, average="macro")


def looped(value: Value) -> Callable[[Data], Any]:
    """The loop everybody writes: draw rows, copy them, call the metric again; the answer is the standard error."""

    def call(data: Data) -> Any:
        truth, said = data.values()
        rng = np.random.default_rng(worlds.SEED)
        drawn = (rng.integers(0, len(truth), len(truth)) for _ in range(LOOPS))
        return np.std([value(truth[rows], said[rows]) for rows in drawn], ddof=1)

    return call


def scipy_loop(value: Value) -> Callable[[Data], Any]:
    def call(data: Data) -> Any:
        from scipy.stats import bootstrap

        def statistic(*columns: Any) -> float:
            return value(*columns)

        columns = tuple(data.values())
        kept = {"n_resamples": LOOPS, "paired": True, "vectorized": False, "method": "percentile"}
        return bootstrap(columns, statistic, rng=worlds.SEED, **kept).standard_error

    return call


def mlxtend_loop(value: Value) -> Callable[[Data], Any]:
    def call(data: Data) -> Any:
        from mlxtend.evaluate import bootstrap

        truth, said = data.values()
        rows = np.arange(len(truth))
        _, error, _ = bootstrap(
            rows, func=lambda drawn: value(truth[drawn], said[drawn]), num_rounds=LOOPS, seed=worlds.SEED
        )
        return error

    return call


def value_gap(value: Value) -> Callable[[Data, Any, Any], float]:
    """Of the value itself; nan where our interval is not as wide as their standard error says, chance allowed for."""

    def gap(data: Data, ours: Any, theirs: Any) -> float:
        width = (ours.high - ours.low) / (2 * 1.96 * theirs)
        alike = abs(width - 1) < CHANCE
        return largest_gap(float(ours), value(*data.values())) if alike else np.nan

    return gap


def peers(value: Value, name: str, bar: float) -> tuple[Peer, ...]:
    """The plain loop, with the bar, and the loops that packages offer."""
    shared = {"gap": value_gap(value), "share": LOOPS / DRAWS, "note": EXTRAPOLATED}
    return (
        Peer(name=f"loop over scikit-learn {name}", call=looped(value), bar=bar, **shared),
        Peer(name=f"scipy.stats.bootstrap of {name}", call=scipy_loop(value), **shared),
        Peer(name=f"mlxtend bootstrap of {name}", call=mlxtend_loop(value), **shared),
    )


READ = Limit(name="reading both columns (np.sum)", call=lambda data: [np.sum(column) for column in data.values()])

AREA_DRAWN = Task(
    name="auc_bootstrap",
    title="AUC bootstrap, 1,000 draws",
    rows=10**5,
    data=worlds.scores,
    ours=area_drawn,
    limit=Limit(
        name="one random byte a row and draw (Philox)",
        call=lambda data: np.random.Generator(np.random.Philox(worlds.SEED)).bytes(len(data["truth"]) * DRAWS),
    ),
    peers=peers(sklearn_area, "roc_auc_score", bar=30),
)

F1_DRAWN = Task(
    name="f1_bootstrap",
    title="F1 bootstrap, 1,000 draws, 2 classes",
    rows=10**5,
    data=worlds.decisions,
    ours=f1_drawn,
    limit=READ,
    peers=peers(sklearn_f1, "f1_score", bar=1000),
)

F1_MACRO_DRAWN = Task(
    name="f1_macro_bootstrap",
    title="macro-F1 bootstrap, 1,000 draws, 10 classes",
    rows=10**5,
    data=worlds.classes,
    ours=f1_macro_drawn,
    limit=READ,
    peers=peers(sklearn_f1_macro, "f1_score", bar=1000),
)
