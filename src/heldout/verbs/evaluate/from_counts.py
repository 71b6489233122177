"""How good a model is, from counts instead of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout import inputs
from heldout.batch import Array, Batch, Label
from heldout.errors import DataError, UsageError
from heldout.formulas import METRICS, Metric
from heldout.inputs import Check, Reading
from heldout.inputs.columns.class_batch import of_two_classes
from heldout.stats.argument_checks import MOST
from heldout.tallies.cells import Cells, cells_of_counts
from heldout.tallies.units import Units
from heldout.verbs.evaluate.class_tables import PRINTED, evaluate_tables, read_tables, squared
from heldout.verbs.evaluate.evaluate import evaluation_of
from heldout.verbs.evaluate.evaluation import Evaluation
from heldout.verbs.measurement import Measurement
from heldout.verbs.parameters import Metrics, Side, documented, refuse_wrong_types
from heldout.verbs.settings import Settings, cost_is_used, cost_matrix, settings

if TYPE_CHECKING:
    from numpy.random import Generator


@documented(n_resamples=2000)
def evaluate_confusion(
    counts: Any,
    labels: Sequence[Label] | None = None,
    *,
    pos_label: Label | None = None,
    cost: Any = None,
    metrics: Metrics = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: int | Generator | None = 0,
) -> Evaluation:
    """Evaluate a model from its confusion matrix, with confidence intervals.

    Parameters
    ----------
    counts : square array-like, frame or path
        Counts, truth by row and prediction by column; or a labelled square CSV of them. A frame names its classes in
        its columns and in its index, or in its first column; they are matched by name.
    labels : sequence of labels, optional
        The classes, in order (default: those of the file or frame, or 0, 1, 2 …).
    <pos_label>
    <cost>
    <metrics>
    <confidence_level>
    <method>
    <side>
    <n_resamples>
    <random_state>

    Returns
    -------
    Evaluation
        Every metric that counts can give, with its interval.

    Raises
    ------
    UsageError
        A metric needs more than counts.
    DataError
        The matrix is not square, or has negative counts.

    See Also
    --------
    evaluate, evaluate_counts, evaluate_class_counts

    Examples
    --------
    >>> evaluate_confusion([[3, 1], [2, 6]], labels=["no", "yes"])["precision"]
    0.857 [0.487, 0.974]
    """
    refuse_wrong_types(labels=labels)
    asked = settings(
        confidence_level=confidence_level, method=method, side=side, n_resamples=n_resamples,
        random_state=random_state, metrics=metrics,
    )  # fmt: skip
    cost_is_used(cost, asked)
    sources = (inputs.source_of(counts),) if isinstance(counts, str | Path) else ()
    names, table = inputs.read_confusion(counts, labels)
    if len(names) != 2:
        of_two_classes("positive class", pos_label, names)
    positive = inputs.positive_of(names, pos_label) if len(names) == 2 else None
    measured = _measured(table, names, asked, cost, positive=positive)
    return evaluation_of(measured, Reading(batch=measured.given, sources=sources))


@documented(n_resamples=2000)
def evaluate_counts(
    *,
    wrong: int,
    of: int,
    metrics: Metrics = ("error_rate", "accuracy"),
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: int | Generator | None = 0,
) -> Evaluation:
    """Error rate and accuracy from two counts, with confidence intervals.

    There is no dummy model beside them: two counts do not tell how frequent the classes are.

    Parameters
    ----------
    wrong : int
        Number of rows that are wrong.
    of : int
        Number of rows.
    metrics : str or sequence of str, default ("error_rate", "accuracy")
        These two, and micro averages, which of one label per row are functions of them.
    <confidence_level>
    <method>
    <side>
    <n_resamples>
    <random_state>

    Returns
    -------
    Evaluation
        The metrics, with their intervals.

    Raises
    ------
    DataError
        `wrong` or `of` is not a count, or `wrong` is greater than `of`.

    See Also
    --------
    evaluate, evaluate_confusion, evaluate_class_counts

    Examples
    --------
    >>> evaluate_counts(wrong=12, of=40)["error_rate"]
    0.300 [0.181, 0.454]
    """
    if of > MOST:
        fix = "give whole numbers from 0 to 1e15"
        raise DataError(f"of is {of}, and counts beyond 1e15 are not exact", code="H110", fix=fix)
    if not (0 <= wrong <= of and of > 0 and wrong == int(wrong) and of == int(of)):
        fix = "give whole numbers, 0 <= wrong <= of, and of at least 1"
        raise DataError(f"{wrong} wrong of {of} cannot be", code="H110", fix=fix)
    asked = settings(
        confidence_level=confidence_level, method=method, side=side, n_resamples=n_resamples,
        random_state=random_state, metrics=metrics,
    )  # fmt: skip
    for metric in (*(asked.metrics or ()), *asked.extra):
        if metric.name not in OF_TWO_COUNTS and (metric.via or ("",))[0] != "accuracy":
            fix = "ask for error_rate or accuracy, or give all counts: --confusion FILE (evaluate_confusion)"
            raise UsageError(f"{metric.name} cannot be computed from two counts", fix=fix)
    asked = replace(asked, metrics=asked.metrics or tuple(METRICS[name] for name in OF_TWO_COUNTS), extra=())
    # which class is wrong does not matter for these metrics
    measured = _measured(np.array([[of - wrong, wrong], [0, 0]]), (), asked, None, positive=None)
    return Evaluation(
        estimates=measured.overall(), rows=of, units=of, level=asked.level, seed=asked.seed, task="binary"
    )


OF_TWO_COUNTS = ("error_rate", "accuracy")


@documented(n_resamples=2000)
def evaluate_class_counts(
    counts: Mapping[Label, Sequence[float]] | str | Path,
    *,
    metrics: Metrics = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: int | Generator | None = 0,
) -> Evaluation:
    """Averages and per-class metrics from the true and false positives of each class, with confidence intervals.

    Parameters
    ----------
    counts : mapping of label to (TP, FP, FN) or (TP, FP, FN, TN), or path
        Three or four counts for each class; or a table with the columns class, tp, fp, fn and, if known, tn.
    metrics : str, Metric or sequence of them, optional
        Averages by name (default: every macro, micro and weighted average). Where every row has one label, also
        accuracy, error_rate, balanced_accuracy, kappa and mcc.
    <confidence_level>
    <method>
    <side>
    <n_resamples>
    <random_state>

    Returns
    -------
    Evaluation
        The averages, and the metrics of each class.

    Raises
    ------
    DataError
        If counts are missing, negative or not whole.
    UsageError
        If a metric cannot be computed from such counts.

    See Also
    --------
    evaluate_confusion : From a confusion matrix, which tells more.

    Notes
    -----
    Every row has one label where the false positives of all classes are as many as their false negatives and, if true
    negatives are given, all classes have the same number of rows. Then micro averages are functions of the accuracy.
    Otherwise the classes' tables are taken for independent samples, and a micro average is the metric of their sum:
    precision of 13 / 106 below has Wilson's interval of 13 of 106.

    Examples
    --------
    >>> found = evaluate_class_counts({"A": (1, 1, 1, 1), "B": (10, 90, 80, 10), "C": (1, 1, 1, 1), "D": (1, 1, 1, 1)})
    >>> found["precision_macro"], found["precision_micro"], found["recall_micro"]
    (0.400 [0.170, 0.685], 0.123 [0.073, 0.199], 0.135 [0.081, 0.218])
    """
    asked = settings(
        confidence_level=confidence_level, method=method, side=side, n_resamples=n_resamples,
        random_state=random_state, metrics=metrics,
    )  # fmt: skip
    tables, sources = read_tables(counts)
    table = squared(tables)
    if table is None:
        return evaluate_tables(tables, asked, sources)
    measured = _measured(table, tables.labels, asked, None, positive=None, averages=True)
    known = len(table) < 3
    checks = () if known else (Check(code="H320", text=UNKNOWN_PAIRS),)
    found = evaluation_of(measured, Reading(batch=measured.given, sources=sources, checks=checks))
    return found if known else replace(found, confusion=None)


UNKNOWN_PAIRS = (
    "counts per class do not tell which class was taken for which: intervals of means over classes, kappa and mcc take "
    "errors to fall on the classes in proportion to their false positives"
)


@dataclass(frozen=True)
class CountedMeasurement(Measurement):
    """Estimates from a count per truth and prediction; `given` has one row for every such pair that occurs."""

    cells: Cells
    averages: bool = False
    """Whether averages over classes are printed, rather than what is printed of a confusion matrix."""

    scale = 1.0
    weighted = False

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return self.cells.units

    @property
    def units(self) -> int:
        """As many: each is drawn by itself."""
        return self.cells.units

    @property
    def positives(self) -> int:
        """How many rows are positive, where there are two classes."""
        return int(self.cells.counts[self.batch.positive].sum())

    @property
    def labels(self) -> Cells:
        """The counts."""
        return self.cells

    def class_weights(self) -> Array:
        """How many rows each class has."""
        return self.cells.counts.sum(axis=1)

    def row_sums(self, metric: Metric) -> Units:
        """What rows add to the sums of a metric, those of the same truth and prediction together."""
        columns = {name: np.asarray(self.row(metric, name), dtype=float) for name in metric.needs}
        totals = {name: self.cells.rows @ column for name, column in columns.items()}
        return Units(columns, totals, alike=self.cells.rows)

    def _fitting(self, metric: Metric) -> Metric:
        if not metric.of_labels:
            what = "counts per class have" if self.averages else "a confusion matrix has"
            fix = f"leave out {metric.name}, or evaluate the rows"
            raise UsageError(f"{metric.name} needs rows: {what} counts of labels only", fix=fix)
        return super()._fitting(metric)

    def _is_shown(self, metric: Metric) -> bool:
        if self.averages and self.settings.metrics is None:
            return metric.name in ("accuracy", *PRINTED) or metric in self.settings.extra
        return super()._is_shown(metric)


def _measured(
    table: Array, labels: tuple[Label, ...], asked: Settings, cost: Any, *, positive: int | None, averages: bool = False
) -> CountedMeasurement:
    cells = cells_of_counts(table)
    batch = Batch(
        task="binary" if len(table) == 2 and not averages else "multiclass",
        truth=cells.truth,
        prediction=cells.prediction,
        weight=cells.rows,
        labels=labels,
        positive=positive,
    )
    return CountedMeasurement(batch, replace(asked, cost=cost_matrix(cost, batch)), cells, averages)
