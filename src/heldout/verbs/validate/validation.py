"""What `validate` gives: estimates of learners that name their target, and the predictions behind them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from heldout.batch import Array, Backend, Batch
from heldout.cards import SplitCard, split_interval_card, split_test_card
from heldout.cards.lookup import LEVEL
from heldout.errors import UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.file_writing import new_content
from heldout.formulas import name_among
from heldout.frame_output import frame_of
from heldout.learners import Dataset, Predictions
from heldout.learners.fitted_model_file import write_model
from heldout.learners.fitting import Said, fitted_to_all
from heldout.splits import Split
from heldout.stats.split_tests import Posterior
from heldout.verbs.evaluate.threshold_choice import ChosenThreshold
from heldout.verbs.model_results import ModelsResult
from heldout.verbs.result import plain

if TYPE_CHECKING:
    from heldout.charts.figure import Figure
    from heldout.charts.plot import Plot


@dataclass(frozen=True, kw_only=True)
class Averaging:
    """Two ways to make one value of many splits, and which of them was used."""

    used: Literal["pooled", "mean_of_splits"]
    mean_of_splits: float
    """The mean of the values on the splits, each counting the same."""
    pooled: float | None = None
    """The value on all test rows together; None where rows are tested several times, or models have no common order."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        pooled = None if self.pooled is None else plain(self.pooled)
        return {"used": self.used, "pooled": pooled, "mean_of_splits": plain(self.mean_of_splits)}


@dataclass(frozen=True, kw_only=True)
class FinalModel:
    """The model to use, fitted to all rows, and which estimate belongs to it."""

    name: str
    file: str
    rows: int
    sentence: str


@dataclass(frozen=True, kw_only=True)
class ValidatedLearner:
    """One learner: its estimates, its values split by split, and what the model of all rows says of the rows it saw."""

    name: str
    estimates: dict[str, Estimate]
    values: dict[str, Array]
    """Metric → value on each split; nan where it is undefined."""
    training: dict[str, float]
    """Metric → its value on the rows that the model of all rows has seen: optimistic."""
    averaging: dict[str, Averaging | None] = field(default_factory=dict)
    """Metric → whether its value is of pooled test rows or a mean over splits, and both; None where neither is."""
    holdout: dict[str, Estimate] = field(default_factory=dict)
    """Metric → its estimate on one holdout split, where one was asked for beside the splits."""
    predictions: Predictions = field(repr=False)
    said: tuple[Said, ...] = field(repr=False, default=())

    def gap(self, metric: str) -> float:
        """How much better the learner looks on rows it has seen: overfitting."""
        sign = -1 if self.estimates[metric].better == "lower" else 1
        return sign * (self.training[metric] - self.estimates[metric].value)

    def gaps(self) -> dict[str, float]:
        """The same for every metric."""
        return {metric: self.gap(metric) for metric in self.training}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Validation(ModelsResult):
    """Learners evaluated on rows that their models had not seen."""

    kind = "validation"

    learners: dict[str, ValidatedLearner]
    posteriors: dict[str, Posterior] = field(default_factory=dict)
    """Learner → how probable it is that it is lower, practically the same, or higher in the first metric."""
    thresholds: dict[str, ChosenThreshold] = field(default_factory=dict)
    """Learner → the threshold of least cost, chosen across its folds, where costs were given."""
    naive: dict[str, float] = field(default_factory=dict)
    """Learner → the p-value of a plain t-test over the first metric's values on splits, which is not valid."""
    task: str
    rows: int
    units: int
    cv: str
    split_kind: str
    """What the splits are: holdout, folds, repeated, random, bootstrap, nested, halves, loo, pairs or time."""
    fits: int
    """How many models were fitted for each learner, without the one of all rows."""
    training_rows: int
    splits: tuple[Split, ...] = field(default=())
    roles: Mapping[str, str] | None = None
    final_model: FinalModel | None = None
    """The model of all rows, where it was written to a file."""
    data: Dataset | None = field(default=None, compare=False)
    estimators: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def batch_of_rows(self) -> Batch:
        """The first learner's predictions."""
        return next(iter(self.learners.values())).predictions.batch

    def row_keys(self) -> tuple[str, ...]:
        """The hash of the rows that were learned from."""
        return () if self.data is None else self.data.row_keys()

    @property
    def first_metric(self) -> str:
        """The primary metric, or the first one."""
        return self.primary or next(iter(self.estimates[self.baseline]))

    def fitted(self, name: str | None = None) -> Any:
        """Fit a model to all rows: the model to use.

        Parameters
        ----------
        name : str, optional
            The model (default: the first).

        Returns
        -------
        estimator
            The fitted model. The estimates are of models of fewer rows, and so if anything pessimistic about it; it
            says so itself, in its attribute `heldout_estimate_`.

        Raises
        ------
        UsageError
            If no model has that name.
        """
        chosen = next(iter(self.estimators)) if name is None else name
        if chosen not in self.estimators:
            raise UsageError(
                f"no learner is named {chosen!r}{did_you_mean(chosen, self.estimators)}",
                fix=f"choose one of {', '.join(self.estimators)}",
            )
        assert self.data is not None
        model = fitted_to_all(chosen, self.estimators[chosen], self.data, self.seed)
        with suppress(AttributeError):  # an object with slots says nothing
            model.heldout_estimate_ = self._final(chosen).sentence
        return model

    def _final(self, name: str, file: str = "") -> FinalModel:
        """What belongs to the model of all rows, and what does not."""
        metric, estimate = next(iter(self.estimates[name].items()))
        fewer = "" if estimate.method in (".632", ".632+") else ", and if anything a little pessimistic about it"
        sentence = (
            f"fitted to all {self.rows:,} rows. No row is left to measure it: {metric} {estimate} is of "
            f"{estimate.target}{fewer}"
        )
        return FinalModel(name=name, file=file, rows=self.rows, sentence=sentence)

    def save_model(self, path: str | Path, name: str | None = None) -> Validation:
        """Fit a model to all rows and write it to a file, for `joblib.load`.

        Parameters
        ----------
        path : str or Path
            Where to write it.
        name : str, optional
            The model (default: the first).

        Returns
        -------
        Validation
            The same, whose output says which estimate belongs to the file.
        """
        chosen = next(iter(self.estimators)) if name is None else name
        write_model(self.fitted(chosen), Path(path))
        return replace(self, final_model=self._final(chosen, str(path)))

    def predictions(self, backend: Backend | None = None) -> Any:
        """The out-of-fold predictions as a frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library whose frame is returned (default: the first of these three that is installed; pyarrow always
            is).

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            One line per model, row and split that tested it.
        """
        import narwhals as nw

        assert self.data is not None
        tables = []
        for name, one in self.learners.items():
            columns = one.predictions.columns(self.data)
            said = {"model": [name] * len(one.predictions.row)} if len(self.learners) > 1 else {}
            tables.append(nw.from_native(frame_of({**said, **columns}, backend)))
        return nw.concat(tables, how="diagonal").to_native()

    def save_predictions(self, path: str | Path) -> None:
        """Write the out-of-fold predictions as a Parquet file; `heldout evaluate` reads it.

        Parameters
        ----------
        path : str or Path
            Where to write them.
        """
        import pyarrow.parquet as pq

        with new_content(path) as place, place.open("wb") as file:  # Arrow takes no name that is not valid Unicode
            pq.write_table(self.predictions("pyarrow"), file)

    def timings(self, backend: Backend | None = None) -> Any:
        """The duration of every fit and prediction as a frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library whose frame is returned (default: the first of these three that is installed; pyarrow always
            is).

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            Columns "model", "split", "fit" and "predict", in seconds; 0 where a run was resumed.
        """
        lines = [
            (name, at + 1, said.fit_seconds, said.predict_seconds)
            for name, one in self.learners.items()
            for at, said in enumerate(one.said)
        ]
        table = dict(zip(("model", "split", "fit", "predict"), zip(*lines, strict=True), strict=True))
        return frame_of(table, backend)

    @property
    def cards(self) -> dict[str, tuple[SplitCard, ...]]:
        """Method or test → its simulated rate with these splits, per learner; of errors, at the 95% level."""
        if self.level != LEVEL or self.first_metric not in ("accuracy", "error_rate"):
            return {}
        methods = {one[self.first_metric].method for one in self.estimates.values()}
        tests = {one.test for one in self.differences if one.metric == self.first_metric}
        found = {
            **{method: split_interval_card(method, self.rows, splits=self.cv) for method in methods},
            **{test: split_test_card(test, self.rows, splits=self.cv) for test in tests},
        }
        # what was measured with other splits says nothing about these
        here = {name: tuple(card for card in cards if card.splits == self.cv) for name, cards in found.items()}
        return {name: cards for name, cards in sorted(here.items()) if cards}

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """Charts of the differences, and of the values split by split."""
        from heldout.charts.difference_forest import difference_forest
        from heldout.charts.plot import Plot

        apart = {"differences": lambda: difference_forest(d)} if self.differences else {}
        held = {"holdout": partial(self._holdout, d)} if d["holdout"] else {}
        return Plot(views={**apart, **held, "fold_values": self._fold_values})

    def _holdout(self, d: Mapping[str, Any], metric: str | None = None) -> Figure:
        from heldout.charts.rows_compared import holdout_forest

        return holdout_forest(d, self._known(metric))

    def _known(self, metric: str | None) -> str:
        """The metric of a chart: the one named, or the first."""
        known = self.first_metric if metric is None else name_among(metric, self.estimates[self.baseline])
        if known not in self.estimates[self.baseline]:
            names = self.estimates[self.baseline]
            message = f"no estimate is named {metric!r}{did_you_mean(known, names)}"
            raise UsageError(message, fix=f"choose one of {', '.join(names)}")
        return known

    def _fold_values(self, metric: str | None = None) -> Figure:
        from heldout.charts.learner_figures import FoldValues

        known = self._known(metric)
        return FoldValues(
            metric=known,
            learners={name: one.values[known] for name, one in self.learners.items()},
            means={name: found[known].to_dict() for name, found in self.estimates.items()},
            level=self.level,
            method=self.estimates[self.baseline][known].method,
        )

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        splits = {"cv": self.cv, "kind": self.split_kind, "fits": self.fits, "training_rows": self.training_rows}
        return {
            "columns": dict(self.roles or {}),
            "task": self.task,
            "rows": self.rows,
            "units": self.units,
            "splits": splits,
            **self.models_content(),
            "training": {name: _plain_each(one.training) for name, one in self.learners.items()},
            "overfitting": {name: _plain_each(one.gaps()) for name, one in self.learners.items()},
            "holdout": {
                name: {metric: found.to_dict() for metric, found in one.holdout.items()}
                for name, one in self.learners.items()
                if one.holdout
            },
            "averaging": {
                name: {metric: None if found is None else found.to_dict() for metric, found in one.averaging.items()}
                for name, one in self.learners.items()
            },
            "values": {
                name: {metric: [plain(value) for value in found.tolist()] for metric, found in one.values.items()}
                for name, one in self.learners.items()
            },
            "final_model": None if self.final_model is None else asdict(self.final_model),
            "posteriors": {name: asdict(one) for name, one in self.posteriors.items()},
            "thresholds": {name: one.content() for name, one in self.thresholds.items()},
            "naive": _plain_each(self.naive),
            "cards_of": self.first_metric,
            "cards": {name: [card.to_dict() for card in cards] for name, cards in self.cards.items()},
        }


def _plain_each(numbers: Mapping[str, float]) -> dict[str, float | None]:
    return {name: plain(number) for name, number in numbers.items()}
