"""A joint table on a page: p(x, c) with its marginals, both conditionals, and classifiers with their true errors."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

from heldout.report.document import Cell, Page, Remark, Table
from heldout.report.kinds.evaluation import source_name
from heldout.report.render.csv_text import safe

SCHEMA = "heldout.table/1"
SHOWN = 20
"""Points that a brief page shows."""
Facts = Mapping[str, Any]


def page(d: Facts, *, brief: bool = True) -> Page:
    """A joint table from the top down: joint with marginals, p(c|x), p(x|c), errors."""
    shown = d["points"][:SHOWN] if brief else d["points"]
    more = len(d["points"]) - len(shown)
    foot = (Cell(f"{more} more points: see --format md, csv or json"),) if more else ()
    best = {"Bayes": [_label(one["bayes"]) for one in shown]}
    if d["noise"] is not None:
        best["under noise"] = [_label(label) for label in d["noise"]["bayes"][: len(shown)]]
    tables = [
        _with_marginals(d, _table(d, "p(x, c)", "joint", shown, {"p(x)": [_p(one["p"]) for one in shown]})),
        _table(d, "p(c|x)", "class_given_x", shown, best),
        _table(d, "p(x|c)", "x_given_class", shown),
    ]
    if shown[0]["naive_x_given_class"] is not None:
        tables.append(_table(d, "p(x|c), attributes independent", "naive_x_given_class", shown))
    counted = "probabilities" if d["rows"] is None else f"counted from {_many(d['rows'], 'row')}"
    return Page(
        name=Cell(source_name(d), given=True),
        facts=(f"{_many(len(d['points']), 'point')}, {_many(len(d['classes']), 'class', 'classes')}", counted),
        columns=tuple((part, ", ".join(names)) for part, names in d["columns"].items() if names),
        tables=(*(replace(table, foot=foot) for table in tables), errors(d)),
        remarks=_remarks(d),
        verdict=_verdict(d),
    )


def _many(count: int, one: str, several: str = "") -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def _p(value: float | None) -> Cell:
    return Cell("--" if value is None else f"{value:.4f}")


def _label(label: Any) -> Cell:
    return Cell("--") if label is None else Cell(str(label), given=True)


def _table(
    d: Facts, title: str, field: str, shown: Sequence[Facts], beside: Mapping[str, list[Cell]] | None = None
) -> Table:
    """Points down, classes across; what stands beside comes before the classes, so that it is never left out."""
    columns = dict(beside or {})
    rows = [
        (
            *(Cell(str(value), given=True) for value in one["x"]),
            *(cells[i] for cells in columns.values()),
            *map(_p, one[field]),
        )
        for i, one in enumerate(shown)
    ]
    return Table(
        name=title,
        title=Cell(title),
        head=(
            *(Cell(name, given=True) for name in d["attributes"]),
            *map(Cell, columns),
            *(Cell(str(label), given=True) for label in d["classes"]),
        ),
        rows=tuple(rows),
        align="l" * len(d["attributes"]) + ("r" if "p(x)" in columns else "l" * len(columns)) + "r" * len(d["classes"]),
        optional=max(0, len(d["classes"]) - 1),
    )


def _with_marginals(d: Facts, table: Table) -> Table:
    """The joint table with p(c) as its last line."""
    blank = [Cell("")] * (len(d["attributes"]) - 1)
    last = (Cell("p(c)"), *blank, Cell("1.0000"), *map(_p, d["class_marginal"]))
    return replace(table, rows=(*table.rows, last))


def errors(d: Facts) -> Table:
    """Classifiers with their true errors, and how far above the least possible one they are."""
    noise = d["noise"] is not None
    head = [Cell("classifier"), Cell("true error"), Cell("above Bayes"), *([Cell("under noise")] if noise else [])]
    rows = [
        (
            Cell(one["name"], given=True),
            _p(one["true_error"]),
            _p(one["above_bayes"]),
            *([_p(one["under_noise"])] if noise else []),
        )
        for one in d["classifiers"]
    ]
    return Table(name="errors", title=Cell(""), head=tuple(head), rows=tuple(rows), align="l" + "r" * (len(head) - 1))


def _verdict(d: Facts) -> tuple[str, ...]:
    said = [f"No classifier errs less than {d['bayes_error']:.4g} here (Bayes error)."]
    if d["noise"] is not None:
        said.append(f"Judged by noisy labels, none less than {d['noise']['bayes_error']:.4g}.")
    return tuple(said)


def _remarks(d: Facts) -> tuple[Remark, ...]:
    out = d["points_left_out"]
    left = [f"{_many(out, 'point')} without probability left out"] if out else []
    return tuple(Remark("", text) for text in (*d["notes"], *left))


def table_csv(d: Facts) -> str:
    """One row per point and class in full precision: p(x, c), p(x), p(c), both conditionals, the Bayes classifier."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [*map(safe, d["attributes"]), "class", "p", "p_x", "p_class", "p_class_given_x", "p_x_given_class", "bayes"]
    )
    for one in d["points"]:
        columns = (d["classes"], one["joint"], d["class_marginal"], one["class_given_x"], one["x_given_class"])
        for label, joint, of_class, given_x, given_class in zip(*columns, strict=True):
            numbers = (joint, one["p"], of_class, given_x, given_class)
            best = "" if one["bayes"] is None else safe(str(one["bayes"]))
            shown = ["" if number is None else repr(float(number)) for number in numbers]
            writer.writerow([*(safe(str(value)) for value in one["x"]), safe(str(label)), *shown, best])
    return out.getvalue()
