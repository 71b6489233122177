"""What the columns of a table in parts mean: the door's reading of its witnesses, made a recipe for all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from heldout.errors import DataError, UsageError
from heldout.inputs.files import Table
from heldout.inputs.parts.label_codes import known_values
from heldout.inputs.parts.recipes import Recipe
from heldout.inputs.parts.second_looks import complete_rows, located, other_labels
from heldout.inputs.parts.witnesses import Witnesses, roles_of, table_of
from heldout.inputs.reading import Reading
from heldout.inputs.roles import Roles
from heldout.inputs.tables import promises, read


def decided(rows: Witnesses, **options: Any) -> tuple[Reading, Recipe]:
    """What the columns mean, by the options of `read`: the reading of the witnesses, and the recipe for all rows.

    What only all rows together can tell (missing values, one class only, scores that point the other way) is not said.
    """
    if options.get("log") is not None:
        raise UsageError(
            "an evaluation log is not read in parts", fix="give one log file, or leave out the engine (engine=)"
        )
    table = table_of(rows)
    try:
        reading = read(table, of=rows.of, **options)
    except DataError as error:
        more = complete_rows(rows, options) if error.code == "H305" else other_labels(rows, options)
        if more:
            return decided(replace(rows.plus(more), source=None), **options)
        raise located(rows, options, error) from error
    return _with_id(reading, rows, options), recipe_of(reading, table, **options)


def _with_id(reading: Reading, rows: Witnesses, options: dict[str, Any]) -> Reading:
    at = roles_of(rows.names, rows.place, options).id
    if at is None or "id" in reading.columns:
        return reading
    return replace(reading, columns={**reading.columns, "id": rows.names[at]})


def recipe_of(reading: Reading, table: Table, **options: Any) -> Recipe:
    """The recipe that gives every row of the table what the reading of its witnesses gave them."""
    batch = reading.batch
    found = roles_of(table.names, table.place, options)
    if len(found.truth) > 1:
        names = ", ".join(table.names[at] for at in found.truth)
        raise UsageError(
            f"{table.place}: several truths ({names}) are not read in parts",
            code="H106",
            fix="name one with --truth (truth=), or read the rows as a whole (--memory, memory=)",
        )
    truth = table.names[found.truth[0]]
    prediction = table.names[found.prediction[0]] if found.prediction and "pred" in reading.columns else None
    score, chances, turned = _scored(reading, table, found)
    regression = batch.task == "regression"
    return Recipe(
        task=batch.task,
        truth=truth,
        prediction=prediction,
        score=score,
        chances=chances,
        weight=None if found.weight is None else table.names[found.weight],
        group=None if found.group is None else table.names[found.group],
        id=None if found.id is None else table.names[found.id],
        segments=tuple(table.names[at] for at in found.segments),
        labels=batch.labels,
        positive=batch.positive,
        threshold=reading.threshold,
        probabilities=batch.probabilities,
        link=options.get("link"),
        on_nan=options.get("on_nan") or "error",
        origin=float(np.mean(batch.truth)) if regression else None,
        promised=not regression and (bool(chances) or turned or (score is not None and promises(score))),
        turned=turned,
        beside=() if regression else _unused(table, found, (score, *chances)),
        truths=() if regression else _known(reading, table, truth, batch.truth),
        predictions=()
        if regression or prediction is None or batch.prediction is None
        else _known(reading, table, prediction, batch.prediction),
    )


def _unused(table: Table, found: Roles, used: Sequence[str | None]) -> tuple[str, ...]:
    """Scores that the task has no use for."""
    scores = [*found.classes.values(), *([] if found.score is None else [found.score])]
    return tuple(table.names[at] for at in scores if table.names[at] not in used)


def _known(reading: Reading, table: Table, name: str, codes: Any) -> Any:
    import pyarrow as pa

    values = table.raw[table.names.index(name)]
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return known_values(name, values, reading.rows, codes)


def _scored(reading: Reading, table: Table, found: Roles) -> tuple[str | None, tuple[str, ...], bool]:
    """The column of the score, or one per class, and whether the one column is of the other class."""
    if "score" in reading.columns and found.score is not None:
        return table.names[found.score], (), False
    if "prob" not in reading.columns:
        return None, (), False
    batch = reading.batch
    columns = {label: table.names[found.classes[label]] for label in map(str, batch.labels) if label in found.classes}
    if len(columns) == len(batch.labels):
        return None, tuple(columns.values()), False
    (label, name), *_ = columns.items()
    return name, (), label != str(batch.labels[batch.positive or 0])
