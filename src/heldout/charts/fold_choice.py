"""What the number of folds does to the estimate: its value, or its bias and spread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.charts.figure import Columns, Figure
from heldout.charts.words import percent, told


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
    """Mean of the estimate less the truth, in simulation."""
    variance: Array | None = None
    """Variance of the estimate, in simulation."""
    truth: float | None = None
    rows: int | None = None
    level: float = 0.95

    @property
    def kind(self) -> str:
        return "fold_choice"

    @property
    def known(self) -> bool:
        """Whether bias and variance are shown."""
        return self.bias is not None and self.variance is not None

    @property
    def title(self) -> str:
        return f"Choice of K: {self.metric}"

    @property
    def caption(self) -> str:
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
