"""What `select` gives: the winner, what it said of itself, what the search is really worth, and the model to use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, Literal

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.formulas import ALIASES
from heldout.inputs import Check, Source
from heldout.learners import Dataset, Predictions
from heldout.learners.fitting import fitted_to_all
from heldout.version import __version__


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


@dataclass(frozen=True, kw_only=True)
class Selection:
    """A configuration chosen, and the price of choosing."""

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
    method: Literal["nested", "bbc", "single"]
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
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()
    roles: Mapping[str, str] | None = None
    outside: Predictions | None = field(default=None, repr=False, compare=False)
    """What the judged models said of rows that had no part in choosing or fitting them; None for bbc."""
    data: Dataset | None = field(default=None, repr=False, compare=False)
    estimators: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def honest(self) -> Estimate:
        """What the search is worth by the metric that decides: the number to report."""
        return self.estimates[self.primary]

    @property
    def optimism(self) -> float:
        """How much better than the honest estimate the winner's own score is: the winner's curse."""
        return (1 if self.better == "higher" else -1) * (self.apparent - self.honest.value)

    @property
    def within(self) -> tuple[str, ...]:
        """The configurations within noise of the winner, itself among them."""
        return tuple(one.name for one in self.configurations if one.within)

    @property
    def batch(self) -> Batch:
        """The rows that were learned from, with the predictions of the judged models where there are any."""
        assert self.data is not None
        return self.data.batch if self.outside is None else self.outside.batch

    def __getitem__(self, name: str) -> Estimate:
        """The honest estimate of a metric, by its name or an alias."""
        known = ALIASES.get(name, name)
        if known not in self.estimates:
            raise UsageError(f"no estimate is named {name!r}{did_you_mean(known, self.estimates)}")
        return self.estimates[known]

    def fitted(self, name: str | None = None) -> Any:
        """The winner, or another configuration by name, fitted to all rows: the model to use.

        No rows are left to judge it. `honest` is its estimate: of models of fewer rows, so if anything pessimistic.
        """
        chosen = self.winner if name is None else name
        if chosen not in self.estimators:
            raise UsageError(f"no configuration is named {chosen!r}{did_you_mean(chosen, self.estimators)}")
        assert self.data is not None
        return fitted_to_all(chosen, self.estimators[chosen], self.data, self.seed)

    def report(self, path: str | Path) -> Path:
        """Write the page of this result, one HTML file that needs no network, and give its path."""
        from heldout.verbs.html_report import write_report

        return write_report(self, path)

    def to_frame(self, backend: str = "pandas") -> Any:
        """One line per configuration, best first, as a frame (`pandas`, `polars` or `pyarrow`)."""
        import narwhals as nw

        lines = self.ranked()
        table: dict[str, Any] = {
            "configuration": [one.name for one in lines],
            "candidate": [one.candidate for one in lines],
            self.primary: [one.value for one in lines],
            "within": [one.within for one in lines],
        }
        return nw.from_dict(table, backend=backend).to_native()  # type: ignore[arg-type]

    def ranked(self) -> list[Tried]:
        """The configurations, best first; those without a value last."""
        sign = -1 if self.better == "higher" else 1
        return sorted(self.configurations, key=lambda one: (not isfinite(one.value), sign * one.value))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: the JSON contract `heldout.selection/1`."""
        return {
            "schema": "heldout.selection/1",
            "heldout": __version__,
            "inputs": [{"path": source.path, "sha256": source.sha256} for source in self.sources],
            "columns": dict(self.roles or {}),
            **{name: getattr(self, name) for name in ("task", "rows", "units", "level", "seed")},
            "protocol": {"method": self.method, "outer": self.outer, "inner": self.inner, "fits": self.fits},
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
            "checks": [{"code": check.code, "text": check.text} for check in self.checks],
        }

    def __str__(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "text")

    def _repr_html_(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "html")


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
