"""Which number stands where when numbers of folds are held against each other: a line per number."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from heldout.report.document import Cell, Page, Remark, Table
from heldout.report.notes import placed
from heldout.report.number_text import interval_text, percent, value_text
from heldout.report.render.csv_text import safe

SCHEMA = "heldout.folds-choice/1"
NUMBERS = ("folds", "training_rows", "fits", "deviation", "bias", "bias_error")
HEAD = ("learner", "metric", *NUMBERS, "value", "low", "high", "level")
Facts = Mapping[str, Any]


def page(d: Facts, *, brief: bool = True) -> Page:  # noqa: ARG001 it is short as it is
    """The numbers of folds from the top down: what was repeated, a table per learner, the suggestion, remarks."""
    many = len(d["learners"])
    repeated = f"each cross-validation repeated {d['repeats']} times, every time with other folds"
    return Page(
        name=Cell(""),
        opening=(f"{d['rows']:,} rows, {many} learner{'' if many == 1 else 's'}; {repeated}",),
        facts=(*((f"{d['units']} units",) if d["units"] != d["rows"] else ()), f"task: {d['task']}"),
        columns=tuple((str(role), str(name)) for role, name in d["columns"].items()),
        tables=tuple(_table(d, name, points) for name, points in d["learners"].items()),
        remarks=_remarks(d),
    )


def _table(d: Facts, name: str, points: Sequence[Facts]) -> Table:
    most = points[-1]["folds"]
    columns = [
        ("folds", "r", [str(point["folds"]) for point in points]),
        ("training rows", "r", [f"{point['training_rows']:,}" for point in points]),
        ("fits", "r", [str(point["fits"]) for point in points]),
        ("value", "r", [value_text(point["estimate"]) for point in points]),
        (f"{percent(d['level'])} interval", "l", [interval_text(point["estimate"]) for point in points]),
        ("deviation", "r", [_digits(point["deviation"]) for point in points]),
        (f"bias against {most}", "r", [_bias(point) if point["folds"] != most else "" for point in points]),
    ]
    chosen = d["suggested"][name]
    reason = f"fewest whose bias against {most} is at most half of the deviation"
    return Table(
        name=f"{d['metric']} of {name}",
        title=Cell(f"{d['metric']} of {name}", given=True),
        head=tuple(Cell(head) for head, _, _ in columns),
        rows=tuple(zip(*([Cell(text) for text in cells] for _, _, cells in columns), strict=True)),
        align="".join(side for _, side, _ in columns),
        optional=1,
        foot=(
            Cell("deviation: of one cross-validation, between repeats; bias ± one standard error of the repeats"),
            Cell(f"suggested: {chosen} folds, the {reason}"),
        ),
    )


def _digits(x: float | None) -> str:
    return "--" if x is None else f"{x:.2g}"


def _bias(point: Facts) -> str:
    return "--" if point["bias"] is None else f"{point['bias']:+.4f} ± {_digits(point['bias_error'])}"


def _remarks(d: Facts) -> tuple[Remark, ...]:
    places: dict[str, list[str]] = {}
    for name, points in d["learners"].items():
        for point in points:
            for note in point["estimate"]["notes"]:
                places.setdefault(note, []).append(f"{name} with {point['folds']} folds")
    return (*(Remark("", note) for note in d["notes"]), *(placed(note, found) for note, found in places.items()))


def folds_choice_csv(d: Facts) -> str:
    """One row per learner and number of folds, in full precision; an empty cell is undefined."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    for name, points in d["learners"].items():
        for point in points:
            ends = (point["estimate"][key] for key in ("value", "low", "high", "level"))
            numbers = ("" if x is None else repr(x) for x in (*(point[key] for key in NUMBERS), *ends))
            writer.writerow([safe(name), safe(d["metric"]), *numbers])
    return out.getvalue()
