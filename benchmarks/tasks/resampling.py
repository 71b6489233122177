"""Bootstrap intervals of 1,000 resamples. The peers' loops run 100 of them, and their time is multiplied by ten."""

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
"""How far the width may be off: the standard error of a standard error from 100 resamples is 7%."""
EXTRAPOLATED = f"extrapolated from {LOOPS} of {DRAWS:,} resamples"

Value = Callable[[Any, Any], Any]


def area_drawn(data: Data) -> Any:
    found = heldout.evaluate(
        data["truth"], y_score=data["score"], metrics="roc_auc", method="percentile", n_resamples=DRAWS
    )
    return found["roc_auc"]


def f1_drawn(data: Data) -> Any:
    found = heldout.evaluate(data["truth"], data["prediction"], metrics="f1", method="percentile", n_resamples=DRAWS)
    return found["f1"]


def f1_macro_drawn(data: Data) -> Any:
    found = heldout.evaluate(
        data["truth"], data["prediction"], metrics="f1_macro", method="percentile", n_resamples=DRAWS
    )
    return found["f1_macro"]


def sklearn_area(truth: Any, score: Any) -> Any:
    from sklearn.metrics import roc_auc_score

    return roc_auc_score(truth, score)


def sklearn_f1(truth: Any, prediction: Any) -> Any:
    from sklearn.metrics import f1_score

    return f1_score(truth, prediction)


def sklearn_f1_macro(truth: Any, prediction: Any) -> Any:
    from sklearn.metrics import f1_score

    return f1_score(truth, prediction, average="macro")


def looped(value: Value) -> Callable[[Data], Any]:
    """The loop everybody writes: draw rows, copy them, call the metric again. Value and standard error."""

    def call(data: Data) -> Any:
        truth, said = data.values()
        rng = np.random.default_rng(worlds.SEED)
        drawn = (rng.integers(0, len(truth), len(truth)) for _ in range(LOOPS))
        return value(truth, said), np.std([value(truth[rows], said[rows]) for rows in drawn], ddof=1)

    return call


def scipy_loop(value: Value) -> Callable[[Data], Any]:
    def call(data: Data) -> Any:
        from scipy.stats import bootstrap

        columns = tuple(data.values())
        asked = {"n_resamples": LOOPS, "paired": True, "vectorized": False, "method": "percentile"}
        return value(*columns), bootstrap(columns, value, rng=worlds.SEED, **asked).standard_error

    return call


def mlxtend_loop(value: Value) -> Callable[[Data], Any]:
    def call(data: Data) -> Any:
        from mlxtend.evaluate import bootstrap

        truth, said = data.values()

        def drawn_value(rows: Any) -> Any:
            return value(truth[rows], said[rows])

        return bootstrap(np.arange(len(truth)), func=drawn_value, num_rounds=LOOPS, seed=worlds.SEED)[:2]

    return call


def gap(ours: Any, theirs: Any) -> float:
    """Of the value itself; nan where our interval is not as wide as their standard error says, chance allowed for."""
    value, error = theirs
    width = (ours.high - ours.low) / (2 * 1.96 * error)
    return largest_gap(float(ours), value) if abs(width - 1) < CHANCE else np.nan


def peers(value: Value, name: str, bar: float) -> tuple[Peer, ...]:
    """The plain loop, with the bar, and the loops that packages offer."""
    share = (LOOPS + 1) / (DRAWS + 1)  # the value itself takes one call more
    calls = {
        f"loop over scikit-learn {name}": (looped(value), bar),
        f"scipy.stats.bootstrap of {name}": (scipy_loop(value), None),
        f"mlxtend bootstrap of {name}": (mlxtend_loop(value), None),
    }
    return tuple(
        Peer(name=title, call=call, gap=gap, bar=asked, share=share, note=EXTRAPOLATED)
        for title, (call, asked) in calls.items()
    )


READ = Limit(name="reading both columns (np.sum)", call=lambda data: [np.sum(column) for column in data.values()])

AREA_DRAWN = Task(
    name="auc_bootstrap",
    title="AUC bootstrap, 1,000 resamples",
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
    title="F1 bootstrap, 1,000 resamples, 2 classes",
    rows=10**5,
    data=worlds.decisions,
    ours=f1_drawn,
    limit=READ,
    peers=peers(sklearn_f1, "f1_score", bar=1000),
)

F1_MACRO_DRAWN = Task(
    name="f1_macro_bootstrap",
    title="macro-F1 bootstrap, 1,000 resamples, 10 classes",
    rows=10**5,
    data=worlds.classes,
    ours=f1_macro_drawn,
    limit=READ,
    peers=peers(sklearn_f1_macro, "f1_score", bar=1000),
)
