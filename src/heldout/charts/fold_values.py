"""Values of the parts of a split, beside the mean and its interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.charts.figure import Columns, Figure
from heldout.charts.words import Estimated, counted, percent, told


@dataclass(frozen=True, kw_only=True)
class FoldValues(Figure):
    """One dot per fold and repetition, per learner; the mean with an interval that knows that folds share rows.

    >>> mean = {"value": 0.8, "low": 0.7, "high": 0.9}
    >>> FoldValues(metric="accuracy", learners={"tree": np.array([0.7, 0.9])}, means={"tree": mean}).alt
    'accuracy fold by fold. tree: 2 folds from 0.7 to 0.9, mean 0.800 [0.700, 0.900].'
    """

    metric: str
    learners: Mapping[str, Array]
    """By learner: values of folds, or of repetitions by folds."""
    means: Mapping[str, Estimated]
    """By learner: value, low, high."""
    level: float = 0.95
    method: str = ""

    @property
    def kind(self) -> str:
        return "fold_values"

    @property
    def title(self) -> str:
        return f"{self.metric} fold by fold"

    @property
    def caption(self) -> str:
        method = f" ({self.method})" if self.method else ""
        return (
            f"Dots: folds. They share training rows, so their spread is not the uncertainty of the mean. "
            f"Line: {percent(self.level)} interval of the mean{method}."
        )

    @property
    def alt(self) -> str:
        said = [
            f"{name}: {counted(np.size(values), 'fold')} from {np.nanmin(values):.3g} to {np.nanmax(values):.3g}, "
            f"mean {told(self.means[name])}"
            for name, values in self.learners.items()
        ]
        return f"{self.title}. {'; '.join(said)}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`means`: learner, value, low, high; `folds`: learner, repetition, fold, value."""
        tables = {name: np.atleast_2d(np.asarray(values, float)) for name, values in self.learners.items()}
        places = {name: np.indices(table.shape).reshape(2, -1) for name, table in tables.items()}
        means = {end: [self.means[name][end] for name in self.learners] for end in ("value", "low", "high")}
        return {
            "means": {"learner": list(self.learners), **means},
            "folds": {
                "learner": [name for name, table in tables.items() for _ in range(table.size)],
                "repetition": np.concatenate([place[0] for place in places.values()]),
                "fold": np.concatenate([place[1] for place in places.values()]),
                "value": np.concatenate([table.ravel() for table in tables.values()]),
            },
        }
