"""The same rows in other forms: files, frames, arrays, chunks, other orders, more columns. All must give one result."""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import isclose
from random import Random
from typing import Any

import click

from tests.fuzz.cases import Case
from tests.fuzz.contents import TABLE_FORMS, Table, arrow_table
from tests.fuzz.oracles import INTERNAL, Problem, internal
from tests.fuzz.running import Outcome, outcome

ROUNDING = 1e-9
"""What sums of the same rows in another order may differ by, relative to their size."""
SAME_BITS = ("tsv", "csv.gz", "columns", "more", "again")
"""Forms in which rows, and clusters by the text of their names, are added up in the same order: no bit differs."""
TYPED = ("parquet", "arrow", "jsonl")
PLACES = re.compile(rf"\b(rows|old|new)\.({'|'.join(map(re.escape, sorted(TABLE_FORMS, key=len, reverse=True)))})")


def differences(case: Case, expected: Outcome) -> Iterator[Problem]:
    """How the rows of a case end in other forms than its own, where that is not the same."""
    empty = any(isinstance(content, Table) and not content.rows for content in case.files.values())
    if ("--json",) not in case.words or expected.code == INTERNAL or empty:
        return
    for form in case.forms:
        if form in (*TYPED, *FRAMES) and _names_booleans(case):
            continue  # numbers in files with types, texts in others
        if form in FRAMES and (expected.raised.startswith("cli/") or _has_broken_classes(case)):
            continue  # an option that Python does not have; classes such as 0.0, which a file has as 0
        try:
            answer, wanted = FORMS[form](case), facts(expected, frames=form in FRAMES)
        except InternalError as problem:
            yield problem.problem
            continue
        if answer is None:
            continue
        if form == "chunks" and not comparable_in_chunks(answer, wanted):
            continue
        for path, one, other in different(wanted, answer, 0.0 if form in SAME_BITS else ROUNDING):
            if (form == "rows" and names_rows(path)) or (form == "chunks" and not of_chunks(path, answer)):
                continue
            where = re.sub(r"(estimates|segments|per_class)/[^/]+/", r"\1/…/", path)
            yield Problem(
                f"{' '.join(case.command)} differs as {form}: {where}", f"{path}: {one!r} became {other!r}"[:500]
            )
            break


def _names_booleans(case: Case) -> bool:
    """Whether an option names a column of booleans, such as for weights."""
    named = {word for words in case.words for word in words[1:]}
    tables = [one for one in case.files.values() if isinstance(one, Table)]
    return any(isinstance(value, bool) for one in tables for name in named for value in one.columns.get(name, ()))


def _has_broken_classes(case: Case) -> bool:
    """Whether classes are numbers with a fraction: in a file they are texts as they are written."""
    truths = [one.columns.get("y_true", ()) for one in case.files.values() if isinstance(one, Table)]
    broken = any(isinstance(value, float) and value % 1 for truth in truths for value in truth)
    return broken and ("--task", "multiclass") in case.words


# ---- what is compared


class InternalError(Exception):
    """A form that ended with an internal error."""

    def __init__(self, ended: Outcome) -> None:
        super().__init__(ended.err)
        self.problem = internal(ended)


def facts(ended: Outcome, *, frames: bool = False) -> dict[str, Any]:
    """A result without the names of its files, or what was refused and where.

    The words of a refusal may quote a row or a type of the file. Frames are read by other functions: of them the code
    is compared, and of checks, which name rows too.
    """
    if ended.code == INTERNAL:
        raise InternalError(ended)
    if ended.code == 2:
        code = re.match(r"error\[(H\d+)\]", ended.err)
        return {"refused": code[1] if code else "", **({} if frames else {"raised": ended.raised})}
    d = json.loads(PLACES.sub(r"\1", ended.out))
    return {"code": ended.code, **comparable(d, frames=frames)}


def comparable(d: dict[str, Any], *, frames: bool) -> dict[str, Any]:
    left = {name: value for name, value in d.items() if name not in ("inputs", "columns")}
    if frames:
        left["checks"] = sorted({check["code"] for check in d.get("checks", ())})
    return left


def different(one: Any, other: Any, rounding: float, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Every place at which two trees differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted(one.keys() | other.keys()):
            if name not in one or name not in other:
                yield f"{path}/{name}", one.get(name, "absent"), other.get(name, "absent")
            else:
                yield from different(one[name], other[name], rounding, f"{path}/{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other) and path != "/checks":
        for a, b in zip(one, other, strict=True):
            yield from different(a, b, rounding, f"{path}/…")
    elif isinstance(one, float | int) and isinstance(other, float | int):
        if not isclose(one, other, rel_tol=rounding, abs_tol=rounding):
            yield path, one, other
    elif one != other:
        yield path, one, other


def comparable_in_chunks(answer: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether both gave a result: chunks refuse more, and check less, as docs/large-files.md says."""
    return "refused" not in answer and "refused" not in wanted


def names_rows(path: str) -> bool:
    """Whether a place may name rows by their number."""
    return path.endswith(("/checks", "/notes", "/notes/…"))


def of_chunks(path: str, answer: dict[str, Any]) -> bool:
    """Whether a place must be the same in chunks: figures, but no notes, no binned scores, nothing left out."""
    metric = re.fullmatch(r"/estimates/([^/]+)/(value|low|high|method)", path)
    if metric:
        if metric[1].startswith(("gain@", "lift@")) and metric[2] in ("low", "high"):
            return False  # what lies near the cut is looked at in rows of one class, or in bins: docs/large-files.md
        notes = answer["estimates"][metric[1]]["notes"]
        return not any("binned" in note or "resampling needs all rows in memory" in note for note in notes)
    return bool(re.fullmatch(r"/(rows|units|labels|positive|threshold)", path))


# ---- forms


def in_files(change: Callable[[Table], Table]) -> Callable[[Case], dict[str, Any]]:
    """Run the case with its tables changed; the names of files follow their form."""

    def run(case: Case) -> dict[str, Any]:
        tables = {name: change(content) for name, content in case.files.items() if isinstance(content, Table)}
        names = {name: f"{name.partition('.')[0]}.{table.form}" for name, table in tables.items()}
        words = tuple(tuple(names.get(word, word) for word in group) for group in case.words)
        return facts(outcome(replace(case, words=words, files={names[name]: tables[name] for name in tables})))

    return run


def shuffled_rows(table: Table) -> Table:
    """The rows in another order, the same for all tables of one length: they may be matched by position."""
    rows = table.rows
    Random(len(rows)).shuffle(rows)
    return replace(table, columns={name: [row[k] for row in rows] for k, name in enumerate(table.columns)})


def shuffled_columns(table: Table) -> Table:
    """The columns in another order; several of one role keep theirs, which is that of the classes or targets."""
    ordered = [name for name in table.columns if name.startswith(("p_", "y_true_", "y_pred_"))]
    others = [name for name in table.columns if name not in ordered]
    return replace(table, columns={name: table.columns[name] for name in (*reversed(others), *ordered)})


def more_columns(table: Table) -> Table:
    count = len(table.rows)
    return replace(table, columns={**table.columns, "zz_extra": [0.37 * k for k in range(count)]})


def chunked(case: Case) -> dict[str, Any]:
    return facts(outcome(replace(case, words=(*case.words, ("--memory", "1")))))


def again(case: Case) -> dict[str, Any]:
    return facts(outcome(case))


def in_python(frame: Callable[[Table], Any]) -> Callable[[Case], dict[str, Any] | None]:
    """Call the library with frames and what the command line makes of the options."""

    def run(case: Case) -> dict[str, Any] | None:
        tables = {name: frame(content) for name, content in case.files.items() if isinstance(content, Table)}
        if not tables:
            return None
        models = {name.partition(".")[0]: table for name, table in tables.items()}
        return called(case, next(iter(tables.values())) if case.command == ("evaluate",) else models)

    return run


def called(case: Case, *given: Any, **more: Any) -> dict[str, Any] | None:
    import heldout
    from heldout.cli.option_names import python_names
    from heldout.cli.options import typed
    from heldout.cli.output import PLACES as OUTPUTS
    from tests.fuzz.options import commands

    if case.command == ("gate",):  # its command line has a way of its own to read margins
        return None
    try:
        with commands()[case.command].make_context(case.command[0], case.arguments[1:]) as ctx:
            values = {name: value for name, value in ctx.params.items() if name not in ("file", "files", *OUTPUTS)}
            options = python_names(typed(values))
        result = getattr(heldout, case.command[0])(*given, **more, **options)
    except click.ClickException:
        return None
    except heldout.HeldoutError as refused:
        return {"refused": refused.code}
    except Exception:  # noqa: BLE001 whatever it is, Python must say it in a sentence too
        raise InternalError(Outcome(code=INTERNAL, out="", err=f"{traceback.format_exc()}\n in Python\n")) from None
    return {"code": 0, **comparable(json.loads(result.to_json()), frames=True)}


def pandas_frame(table: Table) -> Any:
    import pandas as pd

    return pd.DataFrame(table.columns)


def polars_frame(table: Table) -> Any:
    import polars as pl

    return pl.DataFrame(table.columns, strict=False)


OF_COLUMNS = {"--prob-prefix", "--segment", "--group", "--weight", "--time", "--series", "--id"}
"""Options that name columns, also where there is no such column."""
ROLES = {"y_pred": "y_pred", "y_score": "y_score", "group": "groups", "weight": "sample_weight"}


def arrays(case: Case) -> dict[str, Any] | None:
    """Columns as arrays by their roles; None where an option names a column, which arrays have not."""
    import numpy as np

    (table, *others) = case.files.values()
    assert isinstance(table, Table)
    named = {word for words in case.words for word in words[1:]} & set(table.columns)
    named |= {words[0] for words in case.words} & OF_COLUMNS
    if others or named or "y_true" not in table.columns or set(table.columns) - {"y_true", *ROLES}:
        return None
    made = {name: np.array(values) for name, values in table.columns.items()}
    if any(array.dtype == object for array in made.values()):
        return None
    return called(case, made["y_true"], **{ROLES[name]: array for name, array in made.items() if name in ROLES})


FRAMES = ("pandas", "polars", "pyarrow", "dict", "arrays")
FORMS: dict[str, Callable[[Case], dict[str, Any] | None]] = {
    **{form: in_files(lambda table, form=form: replace(table, form=form)) for form in TABLE_FORMS if form != "csv"},
    "rows": in_files(shuffled_rows),
    "columns": in_files(shuffled_columns),
    "more": in_files(more_columns),
    "again": again,
    "chunks": chunked,
    "pandas": in_python(pandas_frame),
    "polars": in_python(polars_frame),
    "pyarrow": in_python(arrow_table),
    "dict": in_python(lambda table: table.columns),
    "arrays": arrays,
}
"""Form → how a case ends in it; None where it has no such form."""
