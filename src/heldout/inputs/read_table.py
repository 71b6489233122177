"""`read`: a path, a frame, an Arrow stream or a dict of arrays to a reading."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.inputs.checks.group_hint import group_hint
from heldout.inputs.checks.long_format import refuse_stacked_models
from heldout.inputs.columns.assembly import assembled
from heldout.inputs.columns.role_columns import role_columns
from heldout.inputs.formats.frames import table
from heldout.inputs.reading import Check, Choices, ColumnOptions, Reading, ReadOptions
from heldout.inputs.row_identity import row_identity

NOT_FOR_LOGS = ("truth", "score", "prob_prefix", "positive", "labels", "threshold", "task", "link", "clip")
"""Options that an evaluation log leaves no choice about."""
NO_TIMES = ("time", "series", "horizon")
"""Options about times, which samples of an evaluation log do not have."""


def read(source: Any, *, log: str | None = None, of: float | None = None, **options: Unpack[ReadOptions]) -> Reading:
    """Read a table of predictions; columns that the options do not name are found by their usual names.

    Parameters
    ----------
    source : path, frame, Arrow table, dict of arrays, or Table
        The table.
    log : {"lm-eval", "inspect"}, optional
        The program that wrote the source, if it is an evaluation log.
    of : float, optional
        Number of rows of the whole table, if the source is a sample of its rows. What only all rows can tell is then
        not checked.
    **options : ReadOptions
        Names of columns, and what their values mean.

    Returns
    -------
    Reading
        The batch, the columns it came from, and what was noticed.

    Raises
    ------
    UsageError
        If an option names no column, or has no meaning for the table.
    DataError
        If the table cannot be evaluated: a column is missing, or a value is missing or cannot be read.

    See Also
    --------
    heldout.inputs.from_arrays : the same for arrays.

    Examples
    --------
    >>> reading = read({"y": ["no", "yes", "yes"], "p": [0.2, 0.7, 0.4]})
    >>> reading.batch.labels, reading.batch.prediction.tolist(), reading.columns
    (('no', 'yes'), [0, 1, 0], {'truth': 'y', 'score': 'p'})
    """
    if log is not None:
        return _read_log(source, log, options)
    rows = table(source)
    columns = role_columns(rows, **column_options(options))
    hint: tuple[Check, ...] = ()
    if of is None:  # a sample has only the columns that have a role
        refuse_stacked_models(rows, columns)
        hint = group_hint(rows, columns)
    choices = Choices(
        positive=options.get("positive"),
        labels=options.get("labels"),
        threshold=options.get("threshold"),
        task=options.get("task"),
        on_nan=options.get("on_nan", "error"),
        link=options.get("link"),
        clip=options.get("clip"),
        horizon=options.get("horizon"),
        of=of,
    )
    reading = assembled(columns, choices, rows.sources)
    if of is None:
        known = replace(columns, origin=replace(columns.origin, rows=reading.rows))
        batch = replace(reading.batch, identity=row_identity(rows, known))
        reading = replace(reading, batch=batch, checks=(*reading.checks, *hint))
    return reading


def column_options(options: ReadOptions) -> ColumnOptions:
    """Those of the options that name columns."""
    names: ColumnOptions = {
        "truth": options.get("truth"),
        "pred": options.get("pred"),
        "score": options.get("score"),
        "prob_prefix": options.get("prob_prefix"),
        "group": options.get("group"),
        "weight": options.get("weight"),
        "id": options.get("id"),
        "time": options.get("time"),
        "series": options.get("series"),
        "segments": options.get("segments", ()),
    }
    return names


def _read_log(source: Any, log: str, options: ReadOptions) -> Reading:
    """Read an evaluation log. Its truth is 1 in every row by construction, so checks on classes are left out."""
    from heldout.inputs.formats.evaluation_log import read_log

    for name in NOT_FOR_LOGS:
        if options.get(name) is not None:
            raise UsageError(
                f"{name} has no meaning for an evaluation log, whose samples are right or wrong",
                fix="leave it out; --pred (y_pred=) names the metric or scorer",
            )
    for name in NO_TIMES:
        if options.get(name) is not None:
            raise UsageError(
                f"{name} is for rows with times, and samples of an evaluation log have none", fix=f"leave out {name}"
            )
    weight, segments = options.get("weight"), options.get("segments", ())
    segments = (segments,) if isinstance(segments, str) else segments
    contents = read_log(
        source,
        log,
        pred=options.get("pred"),
        id=options.get("id"),
        group=options.get("group"),
        weight=weight,
        segments=segments,
    )
    reading = read(
        contents.table,
        truth=contents.truth,
        pred=contents.pred,
        id=contents.id,
        group=contents.group,
        weight=weight,
        segments=segments,
        positive=1,
        labels=(0, 1),
        task="binary",
        on_nan=options.get("on_nan", "error"),
    )
    checks = (check for check in reading.checks if check.code not in ("H104", "H107", "H114"))
    return replace(reading, checks=(*contents.checks, *checks), contents=_kept(contents.contents, reading))


def _kept(contents: tuple[str, ...] | None, reading: Reading) -> Array | None:
    """What the rows that were kept ask."""
    if contents is None:
        return None
    every = np.array(contents)
    return every if reading.rows is None else every[reading.rows - 1]
