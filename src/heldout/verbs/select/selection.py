"""What `select` gives: the winner, what it said of itself, what the search is really worth, and the model to use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.formulas import name_among
from heldout.inputs.message_text import names_listed
from heldout.learners import Dataset, Predictions
from heldout.learners.fitting import fitted_to_all
from heldout.verbs.result import ByMetric, Result

if TYPE_CHECKING:
    from heldout.charts.figure import Figure
    from heldout.charts.plot import Plot


@dataclass(frozen=True, kw_only=True)
class Tried:
    """One configuration, and how it did on the validation parts of the search."""

    name: str
    candidate: str
    parameters: Mapping[str, Any]
    value: float
    """Of the metric that decides, on rows that chose: the best one's is optimistic."""
    values: tuple[float, ...]
    within: bool
    """Whether it is within noise of the winner."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "candidate": self.candidate,
            "parameters": {name: _told(value) for name, value in self.parameters.items()},
            "value": _plain(self.value),
            "values": [_plain(value) for value in self.values],
            "within": self.within,
        }


@dataclass(frozen=True, kw_only=True)
class Model:
    """One of the models of a protocol, and the number that belongs to it."""

    role: Literal["chosen", "judged", "final"]
    configurations: tuple[str, ...]
    """One, or one per outer split."""
    rows: int
    """Rows that it was fitted to, about."""
    value: float
    """The number that belongs to it; nan where there is none."""
    says: str

    def to_dict(self) -> dict[str, Any]:
        facts = {"role": self.role, "configurations": list(self.configurations), "rows": self.rows}
        return {**facts, "value": _plain(self.value), "says": self.says}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Selection(ByMetric, Result):
    """A configuration chosen, and the price of choosing."""

    kind = "selection"

    winner: str
    parameters: Mapping[str, Any]
    """Those of the winner that were searched."""
    apparent: float
    """The winner's own score, on the rows that chose it: not to be reported."""
    estimates: dict[str, Estimate]
    """Metric → what the search is worth on rows that had no part in choosing; the first metric decides."""
    configurations: tuple[Tried, ...]
    """Those of the search that gave the winner, in the order they were tried."""
    error: float
    """Standard error of the winner's own score."""
    rule: str
    simplest: str
    """The simplest configuration within noise of the winner."""
    models: tuple[Model, ...]
    """Chosen, judged, final: three models that must not be confused, and the number that belongs to each."""
    choices: tuple[str, ...]
    """What the search chose in each outer split."""
    training: dict[str, float]
    """Metric → its value on the rows that the final model has seen: optimistic."""
    primary: str
    better: Literal["higher", "lower"]
    protocol: Literal["nested", "bbc", "single"]
    outer: str | None
    inner: str
    search: str
    sampler: str | None
    fits: int
    """How many models were fitted, the final one among them."""
    task: str
    rows: int
    units: int
    level: float
    seed: int
    roles: Mapping[str, str] | None = None
    outside: Predictions | None = field(default=None, compare=False)
    """What the judged models said of rows that had no part in choosing or fitting them; None for bbc."""
    data: Dataset | None = field(default=None, compare=False)
    estimators: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def corrected(self) -> Estimate:
        """The estimate of the metric that decides, corrected for selection: the number to report."""
        return self.estimates[self.primary]

    @property
    def optimism(self) -> float:
        """How much better than the corrected estimate the winner's own score is."""
        return (1 if self.better == "higher" else -1) * (self.apparent - self.corrected.value)

    @property
    def within(self) -> tuple[str, ...]:
        """The configurations within noise of the winner, itself among them."""
        return tuple(one.name for one in self.configurations if one.within)

    @property
    def batch_of_rows(self) -> Batch:
        """The rows that were learned from, with the predictions of the judged models where there are any."""
        assert self.data is not None
        return self.data.batch if self.outside is None else self.outside.batch

    def row_keys(self) -> tuple[str, ...]:
        """The hash of the rows that were learned from."""
        return () if self.data is None else self.data.row_keys()

    @property
    def names(self) -> tuple[str, ...]:
        """The metrics that are estimated."""
        return tuple(self.estimates)

    def __getitem__(self, name: str) -> Estimate:
        """The corrected estimate of a metric, by its name or an alias."""
        known = name_among(name, self.estimates)
        if known not in self.estimates:
            raise UsageError(
                f"no estimate is named {name!r}{did_you_mean(known, self.estimates)}",
                fix=f"choose one of {names_listed(list(self.estimates))}",
            )
        return self.estimates[known]

    def fitted(self, name: str | None = None) -> Any:
        """Fit the winner, or another configuration, to all rows: the model to use.

        Parameters
        ----------
        name : str, optional
            The configuration (default: the winner).

        Returns
        -------
        estimator
            The fitted model. No rows are left to evaluate it; `corrected` is its estimate, if anything pessimistic.

        Raises
        ------
        UsageError
            If no configuration has that name.
        """
        chosen = self.winner if name is None else name
        if chosen not in self.estimators:
            raise UsageError(
                f"no configuration is named {chosen!r}{did_you_mean(chosen, self.estimators)}",
                fix=f"choose one of {', '.join(self.estimators)}",
            )
        assert self.data is not None
        return fitted_to_all(chosen, self.estimators[chosen], self.data, self.seed)

    def charts(self, d: Mapping[str, Any]) -> Plot:  # noqa: ARG002 the configurations have what it takes
        """The values of the best configurations, part by part."""
        from heldout.charts.plot import Plot

        return Plot(views={"fold_values": self._fold_values})

    def _fold_values(self, most: int = 8) -> Figure:
        from heldout.charts.learner_figures import FoldValues

        best = self.ranked()[:most]
        return FoldValues(
            metric=self.primary,
            learners={one.name: np.array(one.values) for one in best},
            means={one.name: {"value": one.value, "low": one.value, "high": one.value} for one in best},
            level=self.level,
            method="own score, without an interval",
        )

    def ranked(self) -> list[Tried]:
        """The configurations, best first; those without a value last."""
        sign = -1 if self.better == "higher" else 1
        return sorted(self.configurations, key=lambda one: (not isfinite(one.value), sign * one.value))

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "columns": dict(self.roles or {}),
            **{name: getattr(self, name) for name in ("task", "rows", "units", "level", "seed")},
            "protocol": {"name": self.protocol, "outer": self.outer, "inner": self.inner, "fits": self.fits},
            "search": {"kind": self.search, "sampler": self.sampler, "configurations": len(self.configurations)},
            "primary": self.primary,
            "better": self.better,
            "winner": {
                "name": self.winner,
                "parameters": {name: _told(value) for name, value in self.parameters.items()},
                "apparent": _plain(self.apparent),
                "error": _plain(self.error),
            },
            "estimates": {name: one.to_dict() for name, one in self.estimates.items()},
            "optimism": _plain(self.optimism),
            "training": {name: _plain(value) for name, value in self.training.items()},
            "noise": {"rule": self.rule, "within": list(self.within), "simplest": self.simplest},
            "models": [one.to_dict() for one in self.models],
            "choices": list(self.choices),
            "configurations": [one.to_dict() for one in self.ranked()],
        }


def plain_values(values: Array) -> tuple[float, ...]:
    """An array as plain floats."""
    return tuple(float(value) for value in values)


def _plain(number: float) -> float | None:
    return number if isfinite(number) else None


def _told(value: Any) -> Any:
    """A parameter as JSON has it: numbers, words and lists as they are, everything else as Python writes it."""
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or isinstance(plain, bool | int | str) or (isinstance(plain, float) and isfinite(plain)):
        return plain
    if isinstance(plain, tuple | list):
        return [_told(one) for one in plain]
    return repr(plain)
