"""Which number stands where on a learning curve: a line per size, the value on unseen rows beside that on seen ones."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from heldout.report.document import Bar, Cell, Page, Remark, Table
from heldout.report.kinds.comparison import NOT_ESTABLISHED
from heldout.report.notes import placed
from heldout.report.number_text import interval_text, like, percent, signed, value_text
from heldout.report.render.csv_text import safe
from heldout.report.split_rates_line import lab_line

SCHEMA = "heldout.learning-curve/1"
HEAD = ("learner", "metric", "rows", "value", "low", "high", "level", "training", "method", "notes")
Facts = Mapping[str, Any]


def page(d: Facts, *, brief: bool = True) -> Page:
    """The curves from the top down: how rows were split, a table per learner, what more rows would bring, remarks."""
    metrics = list(next(iter(d["learners"].values())))
    kept = [d["primary"]] if brief else metrics
    tables = [_table(d, name, metric) for name in d["learners"] for metric in kept]
    left = len(metrics) - len(kept)
    if left:
        more = f"{left} more metric{'' if left == 1 else 's'}: see --format md, csv or json"
        tables[-1] = _with_foot(tables[-1], more)
    many = len(d["learners"])
    splits = f"{d['repeats']} random splits, {d['test_rows']:,} test rows each; training parts lie within one another"
    return Page(
        name=Cell(""),
        opening=(f"{d['rows']:,} rows, {many} learner{'' if many == 1 else 's'}; {splits}",),
        facts=(*((f"{d['units']} units",) if d["units"] != d["rows"] else ()), f"task: {d['task']}"),
        columns=tuple((str(role), str(name)) for role, name in d["columns"].items()),
        tables=tuple(tables),
        remarks=_remarks(d, kept),
    )


def _table(d: Facts, name: str, metric: str) -> Table:
    points = d["learners"][name][metric]
    estimates = [point["estimate"] for point in points]
    columns = [
        ("training rows", "r", [Cell(f"{point['rows']:,}") for point in points]),
        ("value", "r", [Cell(value_text(e)) for e in estimates]),
        (f"{percent(d['level'])} interval", "l", [Cell(interval_text(e)) for e in estimates]),
        ("seen rows", "r", [Cell(like(point["training"], point["estimate"])) for point in points]),
        ("gain", "r", [Cell(_gain(point["gain"])) for point in points]),
    ]
    return Table(
        name=f"{metric} of {name}",
        title=Cell(f"{metric} of {name}", given=True),
        head=tuple(Cell(head) for head, _, _ in columns),
        rows=tuple(zip(*(cells for _, _, cells in columns), strict=True)),
        align="".join(side for _, side, _ in columns),
        bars=tuple(_bar(e) for e in estimates),
        foot=(
            Cell("seen rows: on the rows that were learned from, which says nothing of new ones"),
            Cell(f"gain: over the size before, in the same splits; {NOT_ESTABLISHED} none is established"),
            *(Cell(text, given=True) for text in _ending(points, metric)),
            *((Cell(_lab(d)),) if d["cards"] and metric == d["primary"] else ()),
        ),
    )


def _lab(d: Facts) -> str:
    return f"{lab_line('corrected t', d['cards'], d['level'])}, at full size"


def _bar(e: Facts) -> Bar | None:
    return None if None in (e["low"], e["value"], e["high"]) else Bar(e["low"], e["value"], e["high"])


def _gain(e: Facts | None) -> str:
    if e is None or e["low"] is None or e["high"] is None:
        return ""
    return NOT_ESTABLISHED if e["low"] <= 0 <= e["high"] else signed(e["value"], e)


def _ending(points: Sequence[Facts], metric: str) -> list[str]:
    """What the last step brought, and so what more rows may bring."""
    last = points[-1]["gain"]
    if last is None or last["low"] is None or last["high"] is None:
        return []
    step = f"from {points[-2]['rows']:,} to {points[-1]['rows']:,} training rows"
    interval = f"{signed(last['value'], last)}, {percent(last['level'])} interval {interval_text(last)}"
    if last["low"] <= 0 <= last["high"]:
        return [f"{step} {metric} changes by {interval}: no gain is established"]
    better = (last["value"] > 0) == (last["better"] == "higher")
    return [f"{step} {metric} changes by {interval}: {'more rows still help' if better else 'it became worse'}"]


def _remarks(d: Facts, metrics: Sequence[str]) -> tuple[Remark, ...]:
    places: dict[str, list[str]] = {}
    for name, found in d["learners"].items():
        for metric in metrics:
            for point in found[metric]:
                for note in point["estimate"]["notes"]:
                    places.setdefault(note, []).append(f"{metric} of {name} at {point['rows']:,} rows")
    return tuple(placed(note, found) for note, found in places.items())


def _with_foot(table: Table, text: str) -> Table:
    return Table(
        name=table.name, title=table.title, head=table.head, rows=table.rows, align=table.align, bars=table.bars,
        foot=(*table.foot, Cell(text)),
    )  # fmt: skip


def learning_curve_csv(d: Facts) -> str:
    """One row per learner, metric and size, in full precision; an empty cell is undefined."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    for name, found in d["learners"].items():
        for metric, points in found.items():
            writer.writerows(_row(name, metric, point) for point in points)
    return out.getvalue()


def _row(name: str, metric: str, point: Facts) -> list[str]:
    e = point["estimate"]
    numbers = ["" if x is None else repr(float(x)) for x in (e["value"], e["low"], e["high"], e["level"])]
    training = "" if point["training"] is None else repr(float(point["training"]))
    notes = safe("; ".join(e["notes"]))
    return [safe(name), safe(metric), str(point["rows"]), *numbers, training, safe(e["method"]), notes]
