"""Recorded results: which, when, what they found, and how often their rows were looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.document import Column, Document, Note, Table, given, table_of
from heldout.report.number_text import interval_text, signed, signed_interval, value_text

Facts = Mapping[str, Any]


def document(d: Facts) -> Document:
    """One line per run, or one line per metric where runs stand side by side."""
    if not d["runs"]:
        return Document(title="Runs", opening=("no runs are recorded",))
    table = _side_by_side(d) if d["metrics"] else _list(d)
    return Document(title="Runs", tables=(table,), notes=tuple(Note("", text) for text in d["notes"]))


def records(d: Facts) -> list[dict[str, Any]]:
    """One record per run."""
    names = ("id", "time", "name", "verb", "rows", "look", "looks", "verdict", "command")
    numbers = ("metric", "value", "low", "high", "level")
    return [
        {**{name: one[name] for name in names}, **{name: (one["primary"] or {}).get(name) for name in numbers}}
        for one in d["runs"]
    ]


def _list(d: Facts) -> Table:
    runs = d["runs"]
    return table_of(
        "runs",
        [
            ("id", "l", [one["id"][:6] for one in runs]),
            ("when (UTC)", "l", [one["time"][:16].replace("T", " ") for one in runs]),
            ("name", "l", given(one["name"] for one in runs)),
            ("rows", "r", ["" if one["rows"] is None else str(one["rows"]) for one in runs]),
            ("look", "l", ["" if one["look"] is None else f"{one['look']} of {one['looks']}" for one in runs]),
            ("value [interval]", "l", given(_primary(one["primary"]) for one in runs)),
        ],
    )


def _primary(e: Facts | None) -> str:
    if e is None:
        return "--"
    if e.get("difference"):
        return f"{e['metric']} {signed(e['value'], e)} {signed_interval(e)} (difference)"
    return f"{e['metric']} {value_text(e)} {interval_text(e)}"


def _side_by_side(d: Facts) -> Table:
    columns: list[Column] = [("metric", "l", given(line["metric"] for line in d["metrics"]))]
    names = [one["name"] for one in d["runs"]]
    for at, one in enumerate(d["runs"]):
        called = one["name"] if names.count(one["name"]) == 1 else f"{one['name']} {one['id'][:6]}"
        cells = [line["values"][at] for line in d["metrics"]]
        texts = ["--" if e is None else f"{value_text(e)} {interval_text(e)}" for e in cells]
        columns.append((given([called])[0], "l", texts))
    return table_of("metrics", columns)
