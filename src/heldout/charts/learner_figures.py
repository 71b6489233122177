"""Charts of learners: values by number of folds, bias and variance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.charts.figure import Columns, Estimated, Figure, counted, percent, told


@dataclass(frozen=True, kw_only=True)
class LossParts(Figure):
    """Bias, variance, noise and whatever else a decomposition names, each with the error that drawing leaves."""

    learner: str
    loss: str
    expected_loss: Mapping[str, float]
    """value and error."""
    decompositions: Mapping[str, Mapping[str, Mapping[str, float]]]
    """By name of the decomposition, by part: value and error."""

    @property
    def kind(self) -> str:
        return "bias_variance"

    @property
    def title(self) -> str:
        return f"Bias-variance decomposition of the {self.loss} loss of {self.learner}"

    @property
    def caption(self) -> str:
        return "Bars add up to the expected loss. Lines: two Monte-Carlo errors."

    @property
    def alt(self) -> str:
        said = [
            f"{name}: " + ", ".join(f"{part} {one['value']:.4g}" for part, one in parts.items())
            for name, parts in self.decompositions.items()
        ]
        return f"{self.title}. The expected loss is {self.expected_loss['value']:.4g}. {'. '.join(said)}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`parts`: decomposition, part, value, error, low, high (two errors around the value)."""
        lines = [
            (name, part, one["value"], one["error"])
            for name, parts in self.decompositions.items()
            for part, one in (*parts.items(), ("expected loss", self.expected_loss))
        ]
        names, parts, values, errors = (list(column) for column in zip(*lines, strict=True))
        low, high = ([v + sign * 2 * e for v, e in zip(values, errors, strict=True)] for sign in (-1, 1))
        columns = {"decomposition": names, "part": parts, "value": values, "error": errors, "low": low, "high": high}
        return {"parts": columns}


def loss_parts(d: Mapping[str, Any]) -> LossParts:
    """The parts of a simulated decomposition (its `to_dict()`)."""
    return LossParts(
        learner=d["learner"],
        loss=d["loss"],
        expected_loss=d["expected_loss"],
        decompositions={
            one["name"]: {part["name"]: {"value": part["value"], "error": part["error"]} for part in one["parts"]}
            for one in d["decompositions"]
        },
    )


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


@dataclass(frozen=True, kw_only=True)
class LearningCurve(Figure):
    """Values of one or several learners by training size, with intervals; what they score on their training rows.

    >>> sizes, line = np.array([10, 100]), {"value": [0.6, 0.8], "low": [0.5, 0.75], "high": [0.7, 0.85]}
    >>> LearningCurve(metric="accuracy", sizes=sizes, learners={"tree": line}).alt
    'Learning curve of accuracy. tree: 0.600 [0.500, 0.700] at 10 rows, 0.800 [0.750, 0.850] at 100 rows.'
    """

    metric: str
    sizes: Array
    """Rows trained on, rising."""
    learners: Mapping[str, Mapping[str, Any]]
    """By learner: `value`, `low`, `high` and perhaps `training` (the value on the rows trained on), one per size."""
    level: float = 0.95
    better: str | None = "higher"

    @property
    def kind(self) -> str:
        return "learning_curve"

    @property
    def title(self) -> str:
        return f"Learning curve: {self.metric}"

    @property
    def trained(self) -> bool:
        return any("training" in line for line in self.learners.values())

    @property
    def caption(self) -> str:
        training = " Thin: training rows." if self.trained else ""
        better = f" {self.better.capitalize()} is better." if self.better else ""
        return f"Band: {percent(self.level)} interval at each size alone.{training}{better}"

    @property
    def alt(self) -> str:
        said = [
            f"{name}: " + ", ".join(f"{told(one)} at {size:,} rows" for size, one in self._steps(line))
            for name, line in self.learners.items()
        ]
        return f"Learning curve of {self.metric}. {'. '.join(said)}."

    def _steps(self, line: Mapping[str, Any]) -> list[tuple[int, dict[str, Any]]]:
        facts = [dict(zip(("value", "low", "high"), ends, strict=True)) for ends in _ends(line)]
        return list(zip((int(size) for size in self.sizes), facts, strict=True))

    @property
    def parts(self) -> dict[str, Columns]:
        """`curve`: learner, rows, value, low, high, training (nan where it is not known)."""
        unknown = np.full(len(self.sizes), np.nan)
        columns = {
            name: np.concatenate([np.asarray(line.get(name, unknown), float) for line in self.learners.values()])
            for name in ("value", "low", "high", "training")
        }
        names = [name for name in self.learners for _ in self.sizes]
        return {"curve": {"learner": names, "rows": np.tile(self.sizes, len(self.learners)), **columns}}


def _ends(line: Mapping[str, Any]) -> list[tuple[float, float, float]]:
    return list(zip(line["value"], line["low"], line["high"], strict=True))


@dataclass(frozen=True, kw_only=True)
class FoldChoice(Figure):
    """The estimate by the number of folds K, with intervals; where the truth is known, its bias and its spread.

    >>> bias, variance = np.array([0.03, 0.01]), np.array([4e-4, 9e-4])
    >>> figure = FoldChoice(metric="error_rate", folds=np.array([2, 10]), bias=bias, variance=variance)
    >>> figure.parts["folds"]["error"].round(4).tolist()
    [0.0361, 0.0316]
    """

    metric: str
    folds: Array
    """K, rising; the number of rows is leave-one-out."""
    value: Array | None = None
    low: Array | None = None
    high: Array | None = None
    bias: Array | None = None
    """Mean of the estimate less the truth, in simulation; on data, less that of the most folds."""
    variance: Array | None = None
    """Variance of the estimate: in simulation over samples, on data between divisions of the same rows."""
    against: int | None = None
    """The number of folds that the bias is against, where there is no truth."""
    truth: float | None = None
    rows: int | None = None
    level: float = 0.95

    @property
    def kind(self) -> str:
        return "fold_bias" if self.known else "fold_choice"

    @property
    def known(self) -> bool:
        """Whether bias and variance are shown."""
        return self.bias is not None and self.variance is not None

    @property
    def title(self) -> str:
        return f"Choice of K: {self.metric}"

    @property
    def caption(self) -> str:
        if self.known and self.against is not None:
            return (
                f"Bias: how far the estimate is from that of {self.against} folds on average; spread: its standard "
                "deviation between divisions of the same rows; error: both together, the root of bias² + variance."
            )
        if self.known:
            return (
                "Bias: how far the estimate is from the truth on average; spread: its standard deviation; "
                "error: both together, the root of bias² + variance."
            )
        truth = " Dashed: the truth." if self.truth is not None else ""
        return f"Point: estimate; line: {percent(self.level)} interval of each alone.{truth}"

    @property
    def names(self) -> list[str]:
        """What K is called."""
        return ["one out" if self.rows is not None and k == self.rows else str(int(k)) for k in self.folds]

    @property
    def alt(self) -> str:
        columns = self.parts["folds"]
        if self.known:
            lines = zip(self.names, columns["bias"], columns["spread"], strict=True)
            said = [f"K = {k}: bias {bias:+.2g}, standard deviation {spread:.2g}" for k, bias, spread in lines]
        else:
            ends = zip(columns["value"], columns["low"], columns["high"], strict=True)
            found = [dict(zip(("value", "low", "high"), each, strict=True)) for each in ends]
            said = [f"K = {k}: {told(one)}" for k, one in zip(self.names, found, strict=True)]
        return f"{self.metric} by the number of folds. {'; '.join(said)}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`folds`: folds, and value, low, high or bias, spread (standard deviation), error (root of their squares)."""
        found: dict[str, Array] = {"folds": self.folds}
        given = {"value": self.value, "low": self.low, "high": self.high}
        found |= {name: np.asarray(column, float) for name, column in given.items() if column is not None}
        if self.bias is not None and self.variance is not None:
            found |= {"bias": np.asarray(self.bias, float), "spread": np.sqrt(self.variance)}
            found["error"] = np.sqrt(found["bias"] ** 2 + found["spread"] ** 2)
        return {"folds": found}
