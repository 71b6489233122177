"""A joint table: p(x, c) with its marginals, both conditionals, and classifiers with their true errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from heldout.report.document import Cell, Document, Note, Table, given
from heldout.report.kinds.estimates import source_name

SHOWN = 20
"""Points that a brief document shows."""
Facts = Mapping[str, Any]


def document(d: Facts) -> Document:
    """A joint table from the top down: joint with marginals, p(c|x), p(x|c), errors."""
    points = d["points"]
    best = {"Bayes": [_label(one["bayes"]) for one in points]}
    if d["noise"] is not None:
        best["under noise"] = [_label(label) for label in d["noise"]["bayes"]]
    tables = [
        _with_marginals(d, _table(d, "p(x, c)", "joint", {"p(x)": [_p(one["p"]) for one in points]})),
        _table(d, "p(c|x)", "class_given_x", best),
        _table(d, "p(x|c)", "x_given_class"),
    ]
    if points[0]["naive_x_given_class"] is not None:
        tables.append(_table(d, "p(x|c), attributes independent", "naive_x_given_class"))
    counted = "probabilities" if d["rows"] is None else f"counted from {_many(d['rows'], 'row')}"
    name = source_name(d)
    return Document(
        title=f"Joint table of {name}" if name else "Joint table",
        name=Cell(name, given=True),
        facts=(f"{_many(len(points), 'point')}, {_many(len(d['classes']), 'class', 'classes')}", counted),
        columns=tuple((part, ", ".join(names)) for part, names in d["columns"].items() if names),
        tables=(*tables, _errors(d)),
        notes=_notes(d),
        verdict=_verdict(d),
        verdict_label="BAYES",
    )


def records(d: Facts) -> list[dict[str, Any]]:
    """One record per point and class: p(x, c), p(x), p(c), both conditionals, the Bayes classifier."""
    rows = []
    for one in d["points"]:
        columns = (d["classes"], one["joint"], d["class_marginal"], one["class_given_x"], one["x_given_class"])
        for label, joint, of_class, given_x, given_class in zip(*columns, strict=True):
            rows.append(
                {
                    **dict(zip(d["attributes"], map(str, one["x"]), strict=True)),
                    "class": str(label),
                    "p": joint,
                    "p_x": one["p"],
                    "p_class": of_class,
                    "p_class_given_x": given_x,
                    "p_x_given_class": given_class,
                    "bayes": None if one["bayes"] is None else str(one["bayes"]),
                }
            )
    return rows


def _many(count: int, one: str, several: str = "") -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def _p(value: float | None) -> Cell:
    return Cell("--" if value is None else f"{value:.4f}")


def _label(label: Any) -> Cell:
    return Cell("--") if label is None else Cell(str(label), given=True)


def _table(d: Facts, title: str, field: str, beside: Mapping[str, list[Cell]] | None = None) -> Table:
    """Points down, classes across; what stands beside comes before the classes, so that it is never left out."""
    columns = dict(beside or {})
    rows = [
        (
            *(Cell(str(value), given=True) for value in one["x"]),
            *(cells[i] for cells in columns.values()),
            *map(_p, one[field]),
        )
        for i, one in enumerate(d["points"])
    ]
    return Table(
        name=title,
        title=Cell(title),
        head=(*given(d["attributes"]), *map(Cell, columns), *given(d["classes"])),
        rows=tuple(rows),
        align="l" * len(d["attributes"]) + ("r" if "p(x)" in columns else "l" * len(columns)) + "r" * len(d["classes"]),
        optional=max(0, len(d["classes"]) - 1),
        brief_rows=SHOWN,
        rows_are=("point", "points"),
    )


def _with_marginals(d: Facts, table: Table) -> Table:
    """The joint table with p(c) as its first line."""
    blank = [Cell("")] * (len(d["attributes"]) - 1)
    first = (Cell("p(c)"), *blank, Cell("1.0000"), *map(_p, d["class_marginal"]))
    return replace(table, rows=(first, *table.rows), brief_rows=SHOWN + 1)


def _errors(d: Facts) -> Table:
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


def _notes(d: Facts) -> tuple[Note, ...]:
    out = d["points_left_out"]
    left = [f"{_many(out, 'point')} without probability left out"] if out else []
    return tuple(Note("", text) for text in (*d["notes"], *left))
