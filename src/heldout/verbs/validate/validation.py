"""What `validate` gives: estimates of learners that name their target, and the predictions behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.cards import SplitCard, split_interval_card, split_test_card
from heldout.cards.lookup import LEVEL
from heldout.errors import UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.formulas import ALIASES
from heldout.inputs import Check, Source
from heldout.learners import Dataset, Predictions
from heldout.learners.fitting import Said, fitted_to_all
from heldout.splits import Split
from heldout.stats.split_tests import Posterior
from heldout.verbs.evaluate.threshold_choice import ChosenThreshold
from heldout.verbs.judgement import Difference, Verdict
from heldout.version import __version__

if TYPE_CHECKING:
    from heldout.charts import Figure, Plot


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One learner: its estimates, its values split by split, and what the model of all rows says of the rows it saw."""

    name: str
    estimates: dict[str, Estimate]
    values: dict[str, Array]
    """Metric → value on each split; nan where it is undefined."""
    training: dict[str, float]
    """Metric → its value on the rows that the model of all rows has seen: optimistic."""
    predictions: Predictions = field(repr=False)
    said: tuple[Said, ...] = field(repr=False, default=())

    def gap(self, metric: str) -> float:
        """How much better the learner looks on rows it has seen: overfitting."""
        sign = -1 if self.estimates[metric].better == "lower" else 1
        return sign * (self.training[metric] - self.estimates[metric].value)

    def to_dict(self) -> dict[str, Any]:
        return {
            "estimates": {name: one.to_dict() for name, one in self.estimates.items()},
            "training": {name: _plain(value) for name, value in self.training.items()},
            "overfitting": {name: _plain(self.gap(name)) for name in self.training},
            "values": {name: [_plain(value) for value in found.tolist()] for name, found in self.values.items()},
        }


@dataclass(frozen=True, kw_only=True)
class Validation:
    """Learners judged on rows that their models had not seen."""

    learners: dict[str, Judged]
    primary: str
    differences: tuple[Difference, ...] = ()
    """Every learner less the first."""
    posteriors: dict[str, Posterior] = field(default_factory=dict)
    """Learner → how probable it is that it is lower, practically the same, or higher in the primary metric."""
    thresholds: dict[str, ChosenThreshold] = field(default_factory=dict)
    """Learner → the threshold of least cost, chosen across its folds, where costs were given."""
    naive: dict[str, float] = field(default_factory=dict)
    """Learner → the p-value of a plain t-test over the primary metric's values on splits, which is not valid."""
    verdict: Verdict | None = None
    task: str
    rows: int
    units: int
    level: float
    seed: int
    cv: str
    kind: str
    """What the splits are: holdout, folds, repeated, random, bootstrap, nested, halves, loo, pairs or time."""
    fits: int
    """How many models were fitted for each learner, without the one of all rows."""
    training_rows: int
    splits: tuple[Split, ...] = field(default=(), repr=False)
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()
    roles: Mapping[str, str] | None = None
    data: Dataset | None = field(default=None, repr=False, compare=False)
    estimators: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def batch(self) -> Batch:
        """The first learner's predictions."""
        return next(iter(self.learners.values())).predictions.batch

    def __getitem__(self, name: str) -> Estimate:
        """The first learner's estimate of a metric, by its name or an alias."""
        found = next(iter(self.learners.values())).estimates
        known = ALIASES.get(name, name)
        if known not in found:
            raise UsageError(f"no estimate is named {name!r}{did_you_mean(known, found)}")
        return found[known]

    def fitted(self, name: str | None = None) -> Any:
        """The learner fitted to all rows: the model to use; the estimates are of models of fewer rows."""
        chosen = next(iter(self.estimators)) if name is None else name
        if chosen not in self.estimators:
            raise UsageError(f"no learner is named {chosen!r}{did_you_mean(chosen, self.estimators)}")
        assert self.data is not None
        return fitted_to_all(chosen, self.estimators[chosen], self.data, self.seed)

    def predictions(self, backend: str = "pyarrow") -> Any:
        """The out-of-fold predictions as a frame, one line per learner, row and split that tested it."""
        import narwhals as nw

        assert self.data is not None
        tables = []
        for name, one in self.learners.items():
            columns = one.predictions.columns(self.data)
            said = {"learner": np.repeat(name, len(one.predictions.row))} if len(self.learners) > 1 else {}
            tables.append(nw.from_dict({**said, **columns}, backend=backend))  # type: ignore[arg-type]
        return nw.concat(tables, how="diagonal").to_native()

    def save_predictions(self, path: str | Path) -> None:
        """The out-of-fold predictions as a Parquet file; `heldout evaluate` reads it."""
        import pyarrow.parquet as pq

        pq.write_table(self.predictions(), path)

    def timings(self, backend: str = "pandas") -> Any:
        """Seconds of every fit and prediction, as a frame; zero where a run was resumed."""
        import narwhals as nw

        lines = [
            (name, at + 1, said.fit_seconds, said.predict_seconds)
            for name, one in self.learners.items()
            for at, said in enumerate(one.said)
        ]
        table = dict(zip(("learner", "split", "fit", "predict"), zip(*lines, strict=True), strict=True))
        return nw.from_dict(table, backend=backend).to_native()  # type: ignore[arg-type]

    @property
    def cards(self) -> dict[str, tuple[SplitCard, ...]]:
        """Method or test → how it did in the lab with these splits, per learner; of errors, at the 95% level."""
        if self.level != LEVEL or self.primary not in ("accuracy", "error_rate"):
            return {}
        methods = {one.estimates[self.primary].method for one in self.learners.values()}
        tests = {one.test for one in self.differences if one.metric == self.primary}
        found = {
            **{method: split_interval_card(method, self.rows, splits=self.cv) for method in methods},
            **{test: split_test_card(test, self.rows, splits=self.cv) for test in tests},
        }
        # what was measured with other splits says nothing about these
        here = {name: tuple(card for card in cards if card.splits == self.cv) for name, cards in found.items()}
        return {name: cards for name, cards in sorted(here.items()) if cards}

    @property
    def plot(self) -> Plot:
        """Charts: `plot()` lists what can be drawn, `plot.fold_values()` draws the values split by split."""
        from heldout.charts import Plot
        from heldout.charts.difference_forest import difference_forest

        told = {
            "differences": [one.to_dict() for one in self.differences],
            "primary": self.primary,
            "level": self.level,
        }
        apart = {"differences": lambda: difference_forest(told)} if self.differences else {}
        return Plot(views={**apart, "fold_values": self._fold_values})

    def _fold_values(self, metric: str | None = None) -> Figure:
        from heldout.charts.learner_figures import FoldValues

        known = self.primary if metric is None else ALIASES.get(metric, metric)
        first = self[known]
        return FoldValues(
            metric=known,
            learners={name: one.values[known] for name, one in self.learners.items()},
            means={name: one.estimates[known].to_dict() for name, one in self.learners.items()},
            level=self.level,
            method=first.method,
        )

    def report(self, path: str | Path) -> Path:
        """Write the page of this result, one HTML file that needs no network, and give its path."""
        from heldout.verbs.html_report import write_report

        return write_report(self, path)

    def to_frame(self, backend: str = "pandas") -> Any:
        """One line per learner and metric, as a frame (`pandas`, `polars` or `pyarrow`)."""
        import narwhals as nw

        lines = [(name, metric, e, one) for name, one in self.learners.items() for metric, e in one.estimates.items()]
        facts = ("value", "low", "high", "level", "method", "target")
        table = {
            "learner": [name for name, *_ in lines],
            "metric": [metric for _, metric, *_ in lines],
            **{fact: [getattr(e, fact) for _, _, e, _ in lines] for fact in facts},
            "training": [one.training.get(metric) for _, metric, _, one in lines],
        }
        return nw.from_dict(table, backend=backend).to_native()  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: the JSON contract `heldout.validation/1`."""
        return {
            "schema": "heldout.validation/1",
            "heldout": __version__,
            "inputs": [{"path": source.path, "sha256": source.sha256} for source in self.sources],
            "columns": dict(self.roles or {}),
            "task": self.task,
            "rows": self.rows,
            "units": self.units,
            "level": self.level,
            "seed": self.seed,
            "splits": {"cv": self.cv, "kind": self.kind, "fits": self.fits, "training_rows": self.training_rows},
            "primary": self.primary,
            "learners": {name: one.to_dict() for name, one in self.learners.items()},
            "differences": [one.to_dict() for one in self.differences],
            "posteriors": {name: asdict(one) for name, one in self.posteriors.items()},
            "thresholds": {name: one.to_dict() for name, one in self.thresholds.items()},
            "naive": {name: _plain(p) for name, p in self.naive.items()},
            "verdict": self.verdict,
            "cards": {name: [card.to_dict() for card in cards] for name, cards in self.cards.items()},
            "checks": [{"code": check.code, "text": check.text} for check in self.checks],
        }

    def __str__(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "text")

    def _repr_html_(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "html")


def _plain(number: float) -> float | None:
    return number if isfinite(number) else None
