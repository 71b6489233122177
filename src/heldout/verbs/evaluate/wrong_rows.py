"""The rows that a model gets wrong, most confident first, and those on which two models disagree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from heldout.batch import Array, Batch
from heldout.report.document import Cell, Table
from heldout.report.number_text import amount
from heldout.rows.numbers import errors

MOST = 10
"""How many rows are named."""


def worst_rows(batch: Batch) -> list[Table]:
    """Of labels: the wrong rows whose score was surest; of numbers: the largest errors. Rows count from 1."""
    if batch.truth.ndim > 1:
        return []
    if batch.task == "regression":
        return _largest_errors(batch)
    if batch.prediction is None or batch.task not in ("binary", "multiclass"):
        return []
    wrong = np.flatnonzero(batch.prediction != batch.truth)
    if not len(wrong):
        return []
    sure = _sureness(batch)
    chosen = wrong[:MOST] if sure is None else wrong[_top(sure[wrong])]
    scores = [] if batch.score is None else [_scored(batch, chosen)]
    columns = [_labels(batch, batch.truth[chosen]), _labels(batch, batch.prediction[chosen]), *scores]
    head = ("truth", "prediction", *(("score",) if scores else ()))
    title = "the most confident errors" if sure is not None else "the first errors"
    return [_table(f"{title}, of {len(wrong):,} wrong rows", batch.row_numbers(chosen), head, columns)]


def _largest_errors(batch: Batch) -> list[Table]:
    assert batch.prediction is not None
    error = errors(batch)
    chosen = _top(np.abs(error))
    columns = [[Cell(f"{x:.6g}") for x in part[chosen].tolist()] for part in (batch.truth, batch.prediction, error)]
    title, head = "the largest errors, truth less prediction", ("truth", "prediction", "error")
    return [_table(title, batch.row_numbers(chosen), head, columns)]


def disagreements(batches: Mapping[str, Batch], base: str) -> list[Table]:
    """For each model beside the baseline: on how many rows only one of the two is right, and the most telling of them.

    These rows, and no others, are what McNemar's test counts.
    """
    first, tables = batches[base], []
    for name, other in batches.items():
        if name == base or first.prediction is None or other.prediction is None or first.truth.ndim > 1:
            continue
        if first.task not in ("binary", "multiclass"):
            continue
        tables += _pair((base, first), (name, other))
    return tables


def _pair(one: tuple[str, Batch], two: tuple[str, Batch]) -> list[Table]:
    right = [batch.prediction == batch.truth for _, batch in (one, two)]
    counts = [[np.count_nonzero((right[0] == a) & (right[1] == b)) for b in (True, False)] for a in (True, False)]
    table = Table(
        name="agreement",
        title=Cell(f"rows on which {one[0]} and {two[0]} are right and wrong", given=True),
        head=(Cell(""), Cell(f"{two[0]} right", given=True), Cell(f"{two[0]} wrong", given=True)),
        rows=tuple(
            (Cell(f"{one[0]} {word}", given=True), *(Cell(amount(float(n))) for n in line))
            for word, line in zip(("right", "wrong"), counts, strict=True)
        ),
        align="lrr",
    )
    apart = np.flatnonzero(right[0] != right[1])
    if not len(apart):
        return [table]
    scored = one[1].score is not None and two[1].score is not None and one[1].score.ndim == 1
    gap = np.abs(one[1].score - two[1].score)[apart] if scored else None  # type: ignore[operator]
    chosen = apart[:MOST] if gap is None else apart[_top(gap)]
    columns, head = [_labels(one[1], one[1].truth[chosen])], ["truth"]
    for name, batch in (one, two):
        assert batch.prediction is not None
        columns.append(_labels(batch, batch.prediction[chosen]))
        head.append(name)
        if scored:
            columns.append(_scored(batch, chosen))
            head.append(f"score of {name}")
    title = f"where one is right: {len(chosen)} of {len(apart):,} rows"
    return [table, _table(title, one[1].row_numbers(chosen), tuple(head), columns)]


def _sureness(batch: Batch) -> Array | None:
    """How confident the model was: the score of the class it chose, or how far the score lies from the cut."""
    if batch.score is None or batch.prediction is None:
        return None
    if batch.score.ndim == 2:
        return batch.score[np.arange(batch.rows), batch.prediction.astype(int)]
    called = batch.prediction == batch.positive
    middle = batch.score[called].min(initial=np.inf)
    middle = middle if np.isfinite(middle) else batch.score.max(initial=0.0)
    return np.abs(batch.score - middle)


def _top(sizes: Array) -> Array:
    """Positions of the largest, largest first."""
    few = min(MOST, len(sizes))
    found = np.argpartition(-sizes, few - 1)[:few]
    return found[np.argsort(-sizes[found], kind="stable")]


def _labels(batch: Batch, codes: Array) -> list[Cell]:
    return [Cell(str(batch.labels[int(code)]), given=True) for code in codes]


def _scored(batch: Batch, chosen: Array) -> list[Cell]:
    assert batch.score is not None and batch.prediction is not None  # noqa: PT018 one thought
    score = batch.score[chosen]
    if score.ndim == 2:
        score = score[np.arange(len(chosen)), batch.prediction[chosen].astype(int)]
    return [Cell(f"{x:.3f}" if batch.probabilities else f"{x:.4g}") for x in score.tolist()]


def _table(title: str, numbers: Array, head: tuple[str, ...], columns: list[list[Cell]]) -> Table:
    rows = [Cell(str(number)) for number in numbers.tolist()]
    return Table(
        name="rows",
        title=Cell(title, given=True),
        head=(Cell("row"), *(Cell(name, given=True) for name in head)),
        rows=tuple(zip(rows, *columns, strict=True)),
        align="l" + "".join("r" if "score" in name or name == "error" else "l" for name in head),
    )
