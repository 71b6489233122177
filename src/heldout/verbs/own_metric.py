"""The user's own metric: a loss of each row, or a formula on sums of what rows add."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, Literal

import numpy as np

from heldout.batch import Array, Batch, Task
from heldout.errors import DataError, HeldoutError, UsageError
from heldout.formulas import METRICS, Metric
from heldout.formulas.metric_type import Better

PerRow = Callable[[Array, Array], Any]
"""From truth and prediction (arrays of equal length) to one number per row."""

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

    It takes its place beside the built-in ones: intervals, clusters, weights, segments and reports. Defining a name
    again replaces it.

    >>> late = define("lateness", lambda truth, prediction: np.maximum(truth - prediction, 0))
    >>> from heldout import evaluate
    >>> evaluate([3.0, 5.0, 4.0, 6.5], [2.0, 6.0, 4.5, 6.0], metrics=late)["lateness"].value
    0.375
    """
    _checked(name, loss, sums, formula)
    columns = {"losses": loss} if loss is not None else dict(sums or {})
    found = _mean(loss, name) if loss is not None else formula
    assert found is not None
    rows = {
        column: _row_statistic(name if loss is not None else column, added, uses) for column, added in columns.items()
    } | {"rows": _ones}
    missing = set(signature(found).parameters) - set(rows)
    if missing:
        raise UsageError(f"the formula of {name!r} needs {sorted(missing)}, but the sums are {sorted(columns)}")
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
    except Exception as problem:  # noqa: BLE001 whatever the user's file raises, the fault is in the file
        said = f"{type(problem).__name__}: {problem}"
        raise UsageError(
            f"{path} cannot be run: {said}", fix="it must be a Python file that calls heldout.define"
        ) from None
    made = [name for name, metric in METRICS.items() if before.get(name) is not metric]
    if not made:
        raise UsageError(f"{path} defines no metric", fix="call heldout.define(name, loss) in it")
    return made


def _row_statistic(name: str, added: PerRow, uses: str) -> Callable[[Batch], Array]:
    def row(batch: Batch) -> Array:
        truth, said = _as_given(batch, batch.truth), _said(batch, uses)
        column = np.asarray(added(truth, said), dtype=float)
        if column.shape != (batch.rows,):
            raise DataError(f"{name!r} gave {column.shape} numbers for {batch.rows} rows, but one per row is needed")
        if np.any(np.isnan(column)):
            raise DataError(f"{name!r} gave nan in row {int(np.argmax(np.isnan(column))) + 1}", code="H305")
        return column

    return row


def _ones(batch: Batch) -> Array:
    return np.ones(batch.rows)


def _mean(loss: PerRow, name: str) -> Callable[..., Array]:
    def mean(losses: Array, rows: Array) -> Array:
        return losses / rows

    mean.__doc__ = (loss.__doc__ or f"Mean of {name} over rows.").strip()
    mean.__signature__ = Signature([Parameter(part, Parameter.POSITIONAL_OR_KEYWORD) for part in ("losses", "rows")])  # type: ignore[attr-defined]
    return mean


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
        raise UsageError(f"{name!r} needs either a loss per row, or sums and a formula on them")
    if formula is not None and not sums:
        raise UsageError(
            f"{name!r} has a formula but no sums", fix="give sums={'name': function of truth and prediction}"
        )
    if name in METRICS and METRICS[name].rows is None:
        raise UsageError(f"{name!r} is a built-in metric", fix="choose another name")
