"""Clusters of which few carry a metric: coverage and type I error, as computed and with all clusters counted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import heldout
from heldout.estimates import question
from heldout.intervals.unit_spread import Carriers

CLUSTERS, ROWS = 60, 5
FEW = (1, 2, 3, 4, 6, 10)
METRICS = ("specificity", "balanced_accuracy", "mcc", "roc_auc")
METHODS = ("all clusters count", "clusters that carry the metric")
Array = np.ndarray


def drawn(rng: np.random.Generator, few: int, clusters: int = CLUSTERS) -> tuple[Array, Array, list[Array]]:
    """Truth, clusters and the scores of two equally good models; all negative rows lie in few clusters."""
    groups = np.repeat(np.arange(clusters), ROWS)
    truth = np.where(few > groups, 0, 1)
    noise = [0.8 * rng.standard_normal(clusters)[groups] + 0.8 * rng.standard_normal(len(groups)) for _ in range(2)]
    return truth, groups, [1.2 * truth - 0.6 + one for one in noise]


def true_values(few: int, clusters: int = 240_000) -> dict[str, float]:
    """The values of one model in a population in which as many clusters in sixty have the negative rows."""
    truth, _, (score, _) = drawn(np.random.default_rng(9), few * clusters // CLUSTERS, clusters)
    found = heldout.evaluate(truth, y_score=score, threshold=0.0, pos_label=1, metrics=list(METRICS))
    return {name: float(found[name]) for name in METRICS}


@contextmanager
def all_count() -> Iterator[None]:
    """All clusters count, as if each had rows of every class."""
    own = question.carriers
    question.carriers = lambda _worth, of_all: Carriers(df=of_all - 1)  # type: ignore[assignment]
    try:
        yield
    finally:
        question.carriers = own


def covered(rng: np.random.Generator, few: int, known: dict[str, float]) -> dict[str, bool]:
    """Whether the interval of each metric holds the true value."""
    truth, groups, (score, _) = drawn(rng, few)
    given: dict[str, Any] = {"threshold": 0.0, "pos_label": 1, "metrics": list(METRICS)}
    found = heldout.evaluate(truth, y_score=score, groups=groups, **given)
    return {name: bool(found[name].low <= known[name] <= found[name].high) for name in METRICS}


def rejected(rng: np.random.Generator, few: int) -> dict[str, bool]:
    """Whether two equally good models differ significantly; without a test they do not."""
    truth, groups, (one, other) = drawn(rng, few)
    given: dict[str, Any] = {"threshold": 0.0, "pos_label": 1, "metrics": list(METRICS)}
    found = heldout.compare(truth, {"one": one, "other": other}, groups=groups, **given)
    return {difference.metric: bool(difference.pvalue < 0.05) for difference in found.differences}


def cases(repeats: int = 1000) -> Iterator[tuple[str, int, str, list[bool]]]:
    """A line per metric, number of clusters that carry it, and method; for coverage and for type I error."""
    for few in FEW:
        known = true_values(few)
        for method in METHODS:
            for measure in ("coverage", "type I error"):
                lines: dict[str, list[bool]] = {name: [] for name in METRICS}
                rng = np.random.default_rng([few, 7])
                for _ in range(repeats):
                    if method == METHODS[0]:
                        with all_count():
                            one = covered(rng, few, known) if measure == "coverage" else rejected(rng, few)
                    else:
                        one = covered(rng, few, known) if measure == "coverage" else rejected(rng, few)
                    for name, hit in one.items():
                        lines[name].append(hit)
                yield from ((f"{measure}: {name}", few, method, hits) for name, hits in lines.items())
