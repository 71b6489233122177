"""An expected loss and the parts that it is made of, each with the error that drawing leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from heldout.verbs.result import Result

Loss = Literal["squared", "zero-one"]


if TYPE_CHECKING:
    from heldout.charts.plot import Plot


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A number found by drawing, and its Monte-Carlo standard error; 0: it is exact."""

    value: float
    error: float

    def to_dict(self) -> dict[str, float]:
        return {"value": self.value, "error": self.error}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    """Parts, each with its sign, that add up to the expected loss."""

    name: str
    """Whose decomposition it is."""
    parts: dict[str, Measured]


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class BiasVariance(Result):
    """The expected loss of a learner, and the parts it is made of."""

    kind = "bias-variance"

    loss: Loss
    learner: str
    world: str | None
    """None: a data set."""
    design: str
    """fixed, random or bootstrap: where training sets come from."""
    n: int
    repeats: int
    points: int
    seed: int
    expected_loss: Measured
    """What the parts add up to."""
    measured: Measured | None
    """The expected loss, seen on fresh rows without knowing the parts."""
    decompositions: tuple[Decomposition, ...]
    curve: tuple[dict[str, float], ...]
    """Point by point, where there is one feature and numbers are predicted."""
    notes: tuple[str, ...]

    def __getitem__(self, part: str) -> Measured:
        """A part of the first decomposition, by its name."""
        return self.decompositions[0].parts[part]

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "loss": self.loss,
            "learner": self.learner,
            "world": self.world,
            "design": self.design,
            "n": self.n,
            "repeats": self.repeats,
            "points": self.points,
            "seed": self.seed,
            "expected_loss": self.expected_loss.to_dict(),
            "measured": None if self.measured is None else self.measured.to_dict(),
            "decompositions": [
                {
                    "name": one.name,
                    "parts": [{"name": name, **part.to_dict()} for name, part in one.parts.items()],
                }
                for one in self.decompositions
            ],
            "curve": [dict(point) for point in self.curve],
            "notes": list(self.notes),
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """The parts of the expected loss as bars; in a simulation of one feature, predictions beside the truth."""
        from heldout.charts.learner_figures import loss_parts
        from heldout.charts.plot import Plot
        from heldout.lab.bias_charts import predictions_figure

        curve = {"predictions": lambda: predictions_figure(d)} if d["curve"] else {}
        return Plot(views={"bias_variance": lambda: loss_parts(d), **curve})
