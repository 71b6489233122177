"""How scores are spread among the rows of each class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from heldout.batch import Array, Batch
from heldout.charts.figure import Columns, Figure

BINS = 40


@dataclass(frozen=True, kw_only=True)
class ScoreSpread(Figure):
    """Histograms of the scores, one per class, each as shares of its class."""

    edges: Array
    shares: Mapping[str, Array]
    """By class: share of its rows in each bin."""
    threshold: float | None = None

    @property
    def kind(self) -> str:
        return "scores"

    @property
    def title(self) -> str:
        return "Scores by class"

    @property
    def caption(self) -> str:
        line = "" if self.threshold is None else f" Line: the threshold {self.threshold:.6g}."
        return f"Each class adds up to 100%. The less they overlap, the better the scores separate the classes.{line}"

    @property
    def alt(self) -> str:
        middle = (self.edges[:-1] + self.edges[1:]) / 2
        means = [f"{name}: mean about {float(share @ middle):.3g}" for name, share in self.shares.items()]
        overlap = np.minimum.reduce(list(self.shares.values())).sum()
        return f"Histograms of the scores by class. {'; '.join(means)}. They overlap by {overlap:.0%}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`spread`: class, left, right, share."""
        bins = len(self.edges) - 1
        return {
            "spread": {
                "class": [name for name in self.shares for _ in range(bins)],
                "left": np.tile(self.edges[:-1], len(self.shares)),
                "right": np.tile(self.edges[1:], len(self.shares)),
                "share": np.concatenate(list(self.shares.values())),
            }
        }


def score_spread(batch: Batch, threshold: float | None = None, bins: int = BINS) -> ScoreSpread:
    """Histograms of a binary batch's scores, over [0, 1] for probabilities, else over their range."""
    assert batch.score is not None
    assert batch.score.ndim == 1
    score = batch.score
    low, high = (0.0, 1.0) if batch.probabilities else (float(score.min()), float(score.max()))
    edges = np.linspace(low, high if high > low else low + 1, bins + 1)
    place = np.clip(((score - low) / (edges[-1] - low) * bins).astype(np.int64), 0, bins - 1)
    counts = np.bincount(batch.truth * bins + place, batch.weight, bins * len(batch.labels)).reshape(-1, bins)
    totals = counts.sum(axis=1)
    shares = {str(label): counts[at] / totals[at] for at, label in enumerate(batch.labels) if totals[at] > 0}
    return ScoreSpread(edges=edges, shares=shares, threshold=threshold)
