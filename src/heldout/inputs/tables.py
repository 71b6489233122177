"""`read`: a path, a frame, an Arrow stream or a dict of arrays → a reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from heldout.batch import Label
from heldout.errors import DataError, UsageError
from heldout.inputs.columns.assembly import assembled
from heldout.inputs.columns.multiple_targets import roles
from heldout.inputs.columns.roles import PROBABILITY, Names, Roles, plain
from heldout.inputs.formats.files import Table
from heldout.inputs.formats.frames import table
from heldout.inputs.reading import Choices, Parts, Reading


def read(
    source: str | Path | Any,
    *,
    truth: Names = None,
    pred: Names = None,
    score: str | None = None,
    prob_prefix: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    id: str | None = None,
    segments: Sequence[str] = (),
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    threshold: float | None = None,
    task: str | None = None,
    on_nan: str = "error",
    link: str | None = None,
    log: str | None = None,
    of: float | None = None,
) -> Reading:
    """The rows of a table of predictions, its columns found by name unless they are named.

    `of` how many rows these are witnesses, where they are not all.
    Where `log` says which program wrote it (`lm-eval`, `inspect`), the source is a log of right and wrong answers.

    >>> reading = read({"y": ["no", "yes", "yes"], "p": [0.2, 0.7, 0.4]})
    >>> reading.batch.labels, reading.batch.prediction.tolist(), reading.columns
    (('no', 'yes'), [0, 1, 0], {'truth': 'y', 'score': 'p'})
    """
    segments = (segments,) if isinstance(segments, str) else segments
    if log is not None:
        other = {"truth": truth, "score": score, "prob_prefix": prob_prefix, "positive": positive, "labels": labels}
        _not_for_logs({**other, "threshold": threshold, "task": task, "link": link})
        return _logged(source, log, pred=pred, group=group, weight=weight, id=id, segments=segments, on_nan=on_nan)
    rows = table(source)
    found = roles(
        rows.names,
        rows.place,
        truth=truth,
        pred=pred,
        score=score,
        prob_prefix=prob_prefix,
        group=group,
        weight=weight,
        id=id,
        segments=segments,
    )
    asked = {"pred": pred, "score": score, "prob_prefix": prob_prefix, "truth": truth, "weight": weight, "group": group}
    choices = Choices(positive=positive, labels=labels, threshold=threshold, task=task, on_nan=on_nan, link=link, of=of)
    return assembled(
        _parts(rows, found, frozenset(name for name, value in asked.items() if value is not None)),
        choices,
        rows.sources,
    )


def _not_for_logs(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None:
            raise UsageError(
                f"{name} has no meaning for an evaluation log, whose samples are right or wrong",
                fix="leave it out; --pred (pred=) names the metric or scorer",
            )


def _logged(
    source: Any, log: str, *, weight: str | None, segments: Sequence[str], on_nan: str, **named: Any
) -> Reading:
    """The reading of an evaluation log: the truth is 1 by construction, so that it has one class says nothing."""
    from heldout.inputs.formats.evaluation_log import read_log

    found = read_log(source, log, weight=weight, segments=segments, **named)
    reading = read(
        found.table,
        truth=found.truth,
        pred=found.pred,
        id=found.id,
        group=found.group,
        weight=weight,
        segments=segments,
        positive=1,
        labels=(0, 1),
        task="binary",
        on_nan=on_nan,
    )
    checks = (check for check in reading.checks if check.code != "H104")
    return replace(reading, checks=(*found.checks, *checks))


def _parts(rows: Table, found: Roles, asked: frozenset[str]) -> Parts:
    """The columns in their roles."""

    def column(at: int) -> Any:
        try:
            return rows.column(at)
        except DataError as error:
            raise DataError(f"{rows.place}: {error.message}", code=error.code, fix=error.fix) from error

    def optional(at: int | None) -> Any:
        return None if at is None else column(at)

    return Parts(
        door="table",
        place=rows.place,
        truth=tuple(column(at) for at in found.truth),
        prediction=tuple(column(at) for at in found.prediction),
        score=optional(found.score),
        classes={name: column(at) for name, at in found.classes.items()},
        prefix=found.prefix,
        probability=found.score is None or promises(rows.names[found.score]),
        targets=found.targets,
        models=found.models,
        id=optional(found.id),
        group=optional(found.group),
        weight=optional(found.weight),
        segments=tuple(column(at) for at in found.segments),
        asked=asked,
        first=rows.first,
    )


def promises(name: str) -> bool:
    """Whether a column's name promises a probability.

    >>> promises("p_lr"), promises("y_score")
    (True, False)
    """
    return plain(name) in PROBABILITY or plain(name).startswith(("p_", "p[", "prob", "y_prob"))
