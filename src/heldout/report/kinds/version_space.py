"""A version space on a page: the trace, what is left, what it agrees on, what it answers."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from heldout.report.document import Cell, Page, Remark, Table
from heldout.report.kinds.evaluation import source_name
from heldout.report.render.csv_text import safe

SCHEMA = "heldout.version-space/1"
SHOWN = 15
"""Lines of a table that a brief page shows."""
Facts = Mapping[str, Any]


def page(d: Facts, *, brief: bool = True) -> Page:
    """A version space from the top down: the trace, the borders, the questions, the verdict."""
    most = SHOWN if brief else len(d["trace"]) + len(d["questions"]) + 1
    tables = [_trace(d, most), *_left(d, most), *_questions(d, most)]
    return Page(
        name=Cell(source_name(d), given=True),
        facts=(f"{d['rows']:,} rows, {d['points']:,} points", f"{d['size']:,} hypotheses ({d['space']})"),
        columns=(("target", d["target"]), ("positive", str(d["positive"])), ("attributes", ", ".join(d["attributes"]))),
        tables=tuple(tables),
        remarks=tuple(Remark("", text) for text in d["notes"]),
        verdict=verdict(d),
    )


def _lines(name: str, head: tuple[Cell, ...], rows: Sequence[tuple[Cell, ...]], align: str, most: int) -> Table:
    """A table of at most so many lines; the others are counted."""
    more = len(rows) - most
    foot = (Cell(f"{more} more: see --format md, csv or json"),) if more > 0 else ()
    return Table(name=name, title=Cell(""), head=head, rows=tuple(rows[:most]), align=align, foot=foot)


def _trace(d: Facts, most: int) -> Table:
    attributes = tuple(Cell(name, given=True) for name in d["attributes"])
    head = (Cell("row"), Cell("left"), Cell(d["target"], given=True), *attributes)
    first = (Cell("--"), Cell(f"{d['size']:,}"), Cell("--"), *(Cell("") for _ in attributes))
    rows = [
        (Cell(str(one["row"])), Cell(f"{one['left']:,}"), Cell(str(one["label"]), given=True), *_point(one))
        for one in d["trace"]
    ]
    return _lines("trace", head, [first, *rows], "rrl" + "l" * len(attributes), most)


def _point(one: Facts) -> tuple[Cell, ...]:
    return tuple(Cell(str(value), given=True) for value in one["x"])


def _left(d: Facts, most: int) -> list[Table]:
    """The borders of what is left, and what the search takes of it."""
    sides = [
        (Cell(side.replace("_", " ")), Cell(words, given=True))
        for side in ("most_specific", "most_general")
        for words in (d[side] or [])[:most]
    ]
    if d["search"] is not None:
        sides.append((Cell(f"found first ({d['search']['order']})"), Cell(d["search"]["hypothesis"], given=True)))
    if d["empty"] is not None:
        wrong = d["fewest_wrong"]
        sides.append((Cell(f"fewest rows wrong ({wrong['rows']})"), Cell(wrong["hypothesis"], given=True)))
    return [_lines("hypotheses", (Cell("which"), Cell("hypothesis: yes where")), sides, "ll", len(sides))]


def _questions(d: Facts, most: int) -> list[Table]:
    if not d["questions"]:
        return []
    attributes = tuple(Cell(name, given=True) for name in d["attributes"])
    head = (Cell("asked"), Cell("all say"), Cell("yes"), Cell("search says"), *attributes)
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
    return [_lines("questions", head, rows, "llrl" + "l" * len(attributes), most)]


def verdict(d: Facts) -> tuple[str, ...]:
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


def version_space_csv(d: Facts) -> str:
    """One line per row of the file: its part (seen or asked), the point, the label, and what is left or said."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["part", "row", *map(safe, d["attributes"]), "label", "left", "votes", "search"])
    for one in d["trace"]:
        point = [safe(str(value)) for value in one["x"]]
        writer.writerow(["seen", one["row"], *point, safe(str(one["label"])), one["left"], "", ""])
    for one in d["questions"]:
        point = [safe(str(value)) for value in one["x"]]
        said = ["" if one[key] is None else safe(str(one[key])) for key in ("unanimous", "votes", "search")]
        writer.writerow(["asked", one["row"], *point, said[0], "", said[1], said[2]])
    return out.getvalue()
