"""A version space: the trace, what is left, what it agrees on, what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heldout.report.document import Cell, Document, Note, Table
from heldout.report.kinds.estimates import source_name

SHOWN = 15
"""Lines of a table that a brief document shows."""
Facts = Mapping[str, Any]


def document(d: Facts) -> Document:
    """A version space from the top down: the trace, the borders, the questions, the verdict."""
    name = source_name(d)
    return Document(
        title=f"Version space of {name}" if name else "Version space",
        name=Cell(name, given=True),
        facts=(f"{d['rows']:,} rows, {d['points']:,} points", f"{d['size']:,} hypotheses ({d['space']})"),
        columns=(("target", d["target"]), ("positive", str(d["positive"])), ("attributes", ", ".join(d["attributes"]))),
        tables=(_trace(d), *_left(d), *_questions(d)),
        notes=tuple(Note("", text) for text in d["notes"]),
        verdict=_verdict(d),
        verdict_label="RESULT",
    )


def records(d: Facts) -> list[dict[str, Any]]:
    """One record per row of the file: its part (seen or asked), the point, the label, and what is left or said."""

    def record(part: str, one: Facts, label: Any, beside: dict[str, Any]) -> dict[str, Any]:
        point = dict(zip(d["attributes"], map(str, one["x"]), strict=True))
        text = None if label is None else str(label)
        return {"part": part, "row": one["row"], **point, "label": text, **beside}

    seen = [
        record("seen", one, one["label"], {"left": one["left"], "votes": None, "search": None}) for one in d["trace"]
    ]
    asked = [
        record("asked", one, one["unanimous"], {"left": None, "votes": one["votes"], "search": _text(one["search"])})
        for one in d["questions"]
    ]
    return [*seen, *asked]


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _lines(name: str, head: tuple[Cell, ...], rows: Sequence[tuple[Cell, ...]], align: str) -> Table:
    """A table of which a brief document shows the first lines."""
    return Table(name=name, head=head, rows=tuple(rows), align=align, brief_rows=SHOWN, rows_are=("row", "rows"))


def _trace(d: Facts) -> Table:
    attributes = tuple(Cell(name, given=True) for name in d["attributes"])
    head = (Cell("row"), Cell("left"), Cell(d["target"], given=True), *attributes)
    first = (Cell("--"), Cell(f"{d['size']:,}"), Cell("--"), *(Cell("") for _ in attributes))
    rows = [
        (Cell(str(one["row"])), Cell(f"{one['left']:,}"), Cell(str(one["label"]), given=True), *_point(one))
        for one in d["trace"]
    ]
    return _lines("trace", head, [first, *rows], "rrl" + "l" * len(attributes))


def _point(one: Facts) -> tuple[Cell, ...]:
    return tuple(Cell(str(value), given=True) for value in one["x"])


def _left(d: Facts) -> list[Table]:
    """The borders of what is left, and what the search takes of it."""
    sides = [
        (Cell(side.replace("_", " ")), Cell(words, given=True))
        for side in ("most_specific", "most_general")
        for words in (d[side] or [])[:SHOWN]
    ]
    if d["search"] is not None:
        sides.append((Cell(f"found first ({d['search']['order']})"), Cell(d["search"]["hypothesis"], given=True)))
    if d["empty"] is not None:
        wrong = d["fewest_wrong"]
        sides.append((Cell(f"fewest rows wrong ({wrong['rows']})"), Cell(wrong["hypothesis"], given=True)))
    return [_lines("hypotheses", (Cell("which"), Cell(f"predicts {d['positive']} for", given=True)), sides, "ll")]


def _questions(d: Facts) -> list[Table]:
    if not d["questions"]:
        return []
    attributes = tuple(Cell(name, given=True) for name in d["attributes"])
    head = (Cell("asked"), Cell("all say"), Cell(f"say {d['positive']}", given=True), Cell("search says"), *attributes)
    rows = [
        (
            Cell(f"row {one['row']}"),
            Cell("--") if one["unanimous"] is None else Cell(str(one["unanimous"]), given=True),
            Cell("--" if one["votes"] is None else f"{one['votes']:.0%}"),
            Cell("--") if one["search"] is None else Cell(str(one["search"]), given=True),
            *_point(one),
        )
        for one in d["questions"]
    ]
    return [_lines("questions", head, rows, "llrl" + "l" * len(attributes))]


def _verdict(d: Facts) -> tuple[str, ...]:
    """How many are left, and what decides unseen points: the language, or the search."""
    if d["empty"] is not None:
        return (f"The version space is empty from row {d['empty']['at_row']} on.", _why(d))
    said, left = d["unanimous"], d["consistent"]
    agree = "agrees" if left == 1 else "agree"
    first = f"{left:,} of {d['size']:,} hypotheses {agree} with all rows."
    if not said["unseen"]:
        return (first, "Every point of the domain has a row.")
    unseen, decided = said["unseen"], said["unseen_decided"]
    points = "point" if unseen == 1 else "points"
    settled = f"{decided:,} ({said['unseen_coverage']:.1%})"
    rest = f"and leaves {unseen - decided:,} to the search"
    return (first, f"Of {unseen:,} unseen {points} the language decides {settled} {rest}.")


def _why(d: Facts) -> str:
    empty = d["empty"]
    if empty["because"] == "language":
        return f"The language ({d['space']}) cannot say what the rows say: it is too narrow, or labels are wrong."
    rows = ", ".join(map(str, empty["contradicting_rows"][:6]))
    more = ", …" if len(empty["contradicting_rows"]) > 6 else ""
    return f"Rows {rows}{more} give a point both labels: noise, which no hypothesis of any space fits."
