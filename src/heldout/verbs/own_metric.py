"""The user's own metric: a loss of each row, or a formula on sums of what rows add."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any, Literal

import numpy as np

from heldout.batch import Array, Batch, Task
from heldout.errors import FAULTS_OF_USER_CODE, DataError, HeldoutError, UsageError
from heldout.formulas import ALIASES, BUILT_IN, METRICS, Metric
from heldout.formulas.families import with_parameter
from heldout.formulas.metric_type import Better, RowStatistic

PerRow = Callable[[Array, Array], Any]
"""From truth and prediction (arrays of equal length) to one number per row."""

ROUNDING = 1e-9
"""A loss may be beyond its range by this part of the end."""
TASKS: tuple[Task, ...] = ("binary", "multiclass", "multilabel", "regression")


def define(
    name: str,
    loss: PerRow | None = None,
    *,
    sums: Mapping[str, PerRow] | None = None,
    formula: Callable[..., Any] | None = None,
    uses: Literal["prediction", "score"] = "prediction",
    better: Better | None = "lower",
    range: tuple[float, float] = (-np.inf, np.inf),
) -> Metric:
    """Make a metric of your own: the mean of a loss per row, or a formula on sums over rows.

    It takes its place beside the built-in ones: intervals, clusters, weights, subgroups and reports. Defining a name
    again replaces it. It can be pickled if its functions can, that is, if they are defined at the top of a module.

    Parameters
    ----------
    name : str
        Its name in results and on the command line: without commas, and not that of a built-in metric.
    loss : callable, optional
        Function of arrays (truth, prediction) that gives the loss of each row. Labels are given as you wrote them, text
        as text, also where `uses` is "score": write `truth == "yes"` there, not `truth`.
    sums : mapping of str to callable, optional
        Instead of a loss: what each row adds to named sums, as functions of (truth, prediction).
    formula : callable, optional
        With `sums`: the metric as a function of those sums, whose parameters have their names.
    uses : {"prediction", "score"}, default "prediction"
        Whether the functions see predictions, or scores: those of the positive class, in an array of shape (n_rows,);
        of three or more classes or of several labels, one column each in the order of the labels.
    better : {"higher", "lower"} or None, default "lower"
        Which values are better.
    range : (float, float), default (-inf, inf)
        The values it can have.

    Returns
    -------
    Metric
        The metric, for `metrics=`; its name works too.

    Raises
    ------
    UsageError
        If the name is that of a built-in metric or cannot be one, or if an argument has a value that is not allowed.

    Examples
    --------
    >>> late = define("lateness", lambda truth, prediction: np.maximum(truth - prediction, 0))
    >>> from heldout import evaluate
    >>> evaluate([3.0, 5.0, 4.0, 6.5], [2.0, 6.0, 4.5, 6.0], metrics=late)["lateness"].value
    0.375
    """
    _checked_name(name)
    _checked(name, loss, sums, formula)
    _checked_facts(uses, better, range)
    columns = {"losses": loss} if loss is not None else dict(sums or {})
    found = MeanLoss(getattr(loss, "__doc__", None), name) if formula is None else Guarded(formula, name)
    rows: dict[str, RowStatistic] = {
        column: AddedByRow(
            name if loss is not None else column,
            Guarded(added, name),
            uses,
            (float(range[0]), float(range[1])) if loss is not None else (-np.inf, np.inf),
        )
        for column, added in columns.items()
    }
    rows["rows"] = _ones
    missing = set(signature(found).parameters) - set(rows)
    if missing:
        raise UsageError(
            f"the formula of {name!r} needs {sorted(missing)}, but the sums are {sorted(columns)}",
            fix="name the parameters of the formula after the sums",
        )
    made = Metric(
        name=name,
        formula=found,
        reads="losses",
        tasks=TASKS,
        interval="mean" if loss is not None else "unit" if range == (0.0, 1.0) else "average",
        better=better,
        range=range,
        rows=rows,
        uses=uses,
        printed=True,
    )
    METRICS[name] = made
    return made


def definitions_in(path: str | Path) -> list[str]:
    """Run a Python file that defines metrics; the names of those it defined."""
    before = dict(METRICS)
    try:
        runpy.run_path(str(path))
    except HeldoutError:
        raise
    except FAULTS_OF_USER_CODE as problem:
        said = f"{type(problem).__name__}: {problem}"
        raise UsageError(f"{path} cannot be run: {said}", fix="give a Python file that calls heldout.define") from None
    made = [name for name, metric in METRICS.items() if before.get(name) is not metric]
    if not made:
        raise UsageError(f"{path} defines no metric", fix="call heldout.define(name, loss) in it")
    return made


class Guarded:
    """A function of the user's metric, as numbers; what it raises is told as a fault of the metric.

    This and the next two are classes and not functions inside functions, so that a metric can be pickled.
    """

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.__wrapped__ = function  # whose parameters are then those of this one
        self.__doc__ = function.__doc__
        self.name = name

    def __call__(self, *given: Any, **named: Any) -> Array:
        """What the function gives."""
        try:
            found = np.asarray(self.__wrapped__(*given, **named))
            if np.iscomplexobj(found):
                fix = "let its function give real numbers, such as their absolute values"
                raise UsageError(f"the metric {self.name!r} gave complex numbers", fix=fix)
            return found.astype(float, copy=False)
        except HeldoutError:
            raise
        except FAULTS_OF_USER_CODE as problem:
            raise UsageError(
                f"the metric {self.name!r} cannot be computed: {type(problem).__name__}: {problem}",
                fix="correct its function, or leave out the metric",
            ) from problem


@dataclass(frozen=True)
class AddedByRow:
    """What each row adds to a sum: the user's function on truth and prediction, checked."""

    name: str
    added: Guarded
    uses: str
    range: tuple[float, float] = (-np.inf, np.inf)
    """Of a loss, whose mean would leave it in a sample of such rows."""

    def __call__(self, batch: Batch) -> Array:
        """One number per row."""
        # copies: a function that writes to what it is given would change the rows of all other metrics
        column = self.added(_as_given(batch, batch.truth).copy(), _said(batch, self.uses).copy())
        if column.shape != (batch.rows,):
            raise DataError(
                f"{self.name!r} gave {column.shape} numbers for {batch.rows} rows, but one per row is needed",
                fix="let its function return an array as long as what it is given",
            )
        if np.any(np.isnan(column)):
            row = batch.named_rows(np.flatnonzero(np.isnan(column))[:1])
            fix = "let its function give a number for every row, or leave out such rows"
            raise DataError(f"{self.name!r} gave nan in {row}", code="H305", fix=fix)
        low, high = self.range
        outside = (column < low - ROUNDING * abs(low)) | (column > high + ROUNDING * abs(high))
        if outside.any():
            at = int(np.argmax(outside))
            row = batch.named_rows(np.array([at]))
            raise UsageError(
                f"{self.name!r} gave {column[at]:g} in {row}, and its range is {low:g} to {high:g}",
                fix="correct its function, or give define() the range that its values can have",
            )
        return column


class MeanLoss:
    """The mean of a loss over rows, documented by the loss itself."""

    def __init__(self, described: str | None, name: str) -> None:
        self.__doc__ = (described or f"Mean of {name} over rows.").strip()

    def __call__(self, losses: Array, rows: Array) -> Array:
        """The sum of losses over the number of rows."""
        return losses / rows


def _ones(batch: Batch) -> Array:
    return np.ones(batch.rows)


def _as_given(batch: Batch, codes: Array) -> Array:
    """Labels as the caller wrote them; numbers as they are."""
    return np.asarray(batch.labels)[codes] if batch.task in ("binary", "multiclass") else codes


def _said(batch: Batch, uses: str) -> Array:
    if uses == "score":
        assert batch.score is not None
        return batch.score
    assert batch.prediction is not None
    return _as_given(batch, batch.prediction)


def _checked(name: str, loss: Any, sums: Any, formula: Any) -> None:
    if (loss is None) == (formula is None):
        raise UsageError(
            f"{name!r} needs either a loss per row, or sums and a formula on them",
            fix="give a function of truth and prediction, or sums= and formula=",
        )
    if formula is not None and not sums:
        raise UsageError(
            f"{name!r} has a formula but no sums", fix="give sums={'name': function of truth and prediction}"
        )


def _checked_name(name: Any) -> None:
    """Refuse a name that could not be asked for, or that has a meaning already."""
    fix = "choose another name"
    if not isinstance(name, str) or not name or name != name.strip() or {",", "\n", "\r"} & set(name):
        raise UsageError(
            f"the name of a metric is {name!r}, but must be a text without commas and without blanks at its ends",
            fix=fix,
        )
    if name == "all":
        raise UsageError(f"{name!r} stands for all metrics", fix=fix)
    if name in BUILT_IN or with_parameter(name, {}) is not None:
        raise UsageError(f"{name!r} is a built-in metric", fix=fix)
    if name in ALIASES:
        raise UsageError(f"{name!r} is another name of the built-in metric {ALIASES[name]!r}", fix=fix)


def _checked_facts(uses: Any, better: Any, range: Any) -> None:
    if uses not in ("prediction", "score"):
        meant = "score" if "sc" in str(uses).lower() or "prob" in str(uses).lower() else "prediction"
        raise UsageError(f"uses is {uses!r}, but must be 'prediction' or 'score'", fix=f"pass uses={meant!r}")
    if better not in ("higher", "lower", None):
        meant = "higher" if str(better).lower().startswith(("max", "great", "high", "large", "up")) else "lower"
        raise UsageError(f"better is {better!r}, but must be 'higher', 'lower' or None", fix=f"pass better={meant!r}")
    if not (isinstance(range, tuple | list) and len(range) == 2 and range[0] < range[1]):
        raise UsageError(
            f"range is {range!r}, but must be two numbers, the lower one first",
            fix="pass range=(0, 1), or leave it out",
        )
