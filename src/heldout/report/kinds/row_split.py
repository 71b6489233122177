"""Rows divided into parts or folds: their sizes, their shares of the strata, the files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.document import Cell, Document, Table, given, table_of
from heldout.report.kinds.estimates import check_notes

Facts = Mapping[str, Any]
HOW = {
    "random": "at random",
    "stratified": "at random, keeping the shares of the strata",
    "groups": "at random, keeping groups together",
    "stratified groups": "at random, keeping groups together and the shares of the strata as far as groups allow",
    "time": "in the order of time",
}


def document(d: Facts) -> Document:
    """The division from the top down: how, the parts, shares of the strata, files, notes."""
    noun = "folds" if d["folds"] else "parts"
    seed = "" if d["by"] == "time" else f" (seed {d['seed']})"
    advice = ("fold k is tested by models of folds 1 to k - 1: later rows must not be learned from",)
    return Document(
        title="Split",
        opening=(
            f"{d['rows']:,} rows divided into {len(d['parts'])} {noun} {HOW[d['by']]}{seed}",
            *(f"wrote {path}" for path in d["files"]),
            *(advice if d["folds"] and d["by"] == "time" else ()),
        ),
        columns=tuple((str(role), str(name)) for role, name in d["columns"].items()),
        tables=(_parts(d), *(_shares(d, column) for column in d["counts"])),
        notes=tuple(check_notes(d)),
        data={"rows": f"{d['rows']:,}", "seed": str(d["seed"])},
    )


def records(d: Facts) -> list[dict[str, Any]]:
    """One record per part."""
    return [dict(part) for part in d["parts"]]


def _parts(d: Facts) -> Table:
    parts = d["parts"]
    return table_of(
        "parts",
        [
            ("fold" if d["folds"] else "part", "l", given(part["name"] for part in parts)),
            ("rows", "r", [f"{part['rows']:,}" for part in parts]),
            ("share", "r", [f"{100 * part['share']:.1f}%" for part in parts]),
            ("groups", "r", ["" if part["groups"] is None else f"{part['groups']:,}" for part in parts]),
            ("from", "l", given(part["first"] or "" for part in parts)),
            ("to", "l", given(part["last"] or "" for part in parts)),
        ],
    )


def _shares(d: Facts, column: str) -> Table:
    """Rows of each value of a column of strata, by part."""
    counts = d["counts"][column]
    return table_of(
        column,
        [
            (Cell(column, given=True), "l", given(counts)),
            *(
                (Cell(part["name"], given=True), "r", [f"{each[part['name']]:,}" for each in counts.values()])
                for part in d["parts"]
            ),
        ],
        title=Cell(f"rows by {column}", given=True),
        brief_rows=10,
        rows_are=("value", "values"),
    )
