"""Which number stands where: an evaluation's dictionary becomes a page of tables that every renderer draws."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from heldout.errors import UsageError
from heldout.formulas import metric
from heldout.report.document import Cell, Page, Table
from heldout.report.kinds.evaluation_breakdowns import class_table, confusion_tables, operating_table, segment_tables
from heldout.report.kinds.threshold_choice import threshold_tables
from heldout.report.notes import remarks
from heldout.report.number_text import Estimated, amount, interval_text, like, percent, value_text

ROUGH = 0.004
"""Monte-Carlo error of a measured share from which on its decimals say nothing."""
DESIGNS = (", clustered", ", weighted")
"""What a method's name says about the rows rather than about the method."""


def page(d: Mapping[str, Any], *, brief: bool = True) -> Page:
    """An evaluation from the top down: facts, metrics, operating point, confusion, classes, segments, remarks.

    A brief page keeps to the printed metrics and to the ten worst classes and segments; the others are counted.
    """
    tables = [
        *metric_tables(d),
        *operating_table(d),
        *threshold_tables(d),
        *confusion_tables(d, brief=brief),
        *class_table(d, brief=brief),
    ]
    return Page(
        name=Cell(source_name(d), given=True),
        facts=_facts(d),
        columns=_columns(d),
        tables=(*tables, *segment_tables(d, brief=brief)),
        remarks=remarks(d, brief=brief),
    )


def printed(estimates: Mapping[str, Estimated]) -> dict[str, Estimated]:
    """The estimates a reader is shown; JSON and CSV have all of them."""
    return {name: e for name, e in estimates.items() if e.get("printed", True)}


def source_name(d: Mapping[str, Any]) -> str:
    """The name of the first file that was read, without its folder."""
    paths = [str(source["path"]) for source in d["inputs"]]
    return re.split(r"[\\/]", paths[0])[-1] if paths else ""


def _facts(d: Mapping[str, Any]) -> tuple[str, ...]:
    """Rows, positives, classes, units and task, as far as they are known; parts, where rows were read in some."""
    rows = f"{d['rows']} row{'' if d['rows'] == 1 else 's'}"
    known = [d["positives"], d["rows"]] if d.get("positives") is not None else None
    positives = d["estimates"].get("prevalence", {"count": known})["count"]
    if d["task"] == "binary" and positives and positives[1]:
        rows += f", {amount(positives[0])} positive ({100 * positives[0] / positives[1]:.1f}%)"
    if d["task"] in {"multiclass", "multilabel"}:
        rows += f", {len(d['labels'])} {'classes' if d['task'] == 'multiclass' else 'labels'}"
    if d["units"] != d["rows"]:
        rows += f", {d['units']} units"
    parts, engine = d.get("parts", 1), d.get("engine", "local")
    read = () if parts == 1 and engine == "local" else (f"{parts} part{'' if parts == 1 else 's'} ({engine})",)
    return rows, f"task: {d['task']}", *read


def _columns(d: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Which column plays which part, the positive class and the threshold: what was assumed is echoed."""
    found = [(str(role), str(name)) for role, name in d["columns"].items()]
    if d["positive"] is not None:
        found.append(("positive", f'"{d["positive"]}"' if isinstance(d["positive"], str) else str(d["positive"])))
    if d["threshold"] is not None:
        found.append(("threshold", f"{d['threshold']:g}"))
    return tuple(found)


def metric_tables(d: Mapping[str, Any]) -> list[Table]:
    """The metrics; those of labels made by a threshold in a table of their own."""
    shown = printed(d["estimates"])
    at_threshold = d["task"] in {"binary", "multilabel"} and d["threshold"] is not None
    apart = {name for name in shown if at_threshold and of_decisions(name)}
    first = {name: e for name, e in shown.items() if name not in apart}
    second = {name: e for name, e in shown.items() if name in apart}
    tables = [_metric_table(d, "metric", first)] if first else []
    if second:
        tables.append(_metric_table(d, f"at threshold {d['threshold']:g}", second))
    if not tables:
        return []
    constant = (Cell(f"constant: {d['baseline']['name']}", given=True),) if d["baseline"] else ()
    tables[-1] = replace(tables[-1], foot=(*constant, *measured_note(shown.values(), d["level"])))
    return tables


def measured(e: Estimated) -> str:
    """How often such an interval held the truth in the lab, as 95.2%, or as 95% where that is all that is known."""
    card = e.get("card")
    if not card:
        return ""
    return f"{100 * card['rate']:.{1 if card['error'] < ROUGH else 0}f}%"


def measured_note(shown: Iterable[Estimated], level: float) -> tuple[Cell, ...]:
    """What the measured shares are, and at which numbers of units."""
    sizes = sorted({e["card"]["n"] for e in shown if e.get("card")})
    if not sizes:
        return ()
    near = " and ".join(f"{size:,}" for size in sizes)
    return (Cell(f"* held the truth so often in the lab, at n near {near} (nominal {percent(level)})"),)


def of_decisions(name: str) -> bool:
    """Whether a metric looks at decided labels rather than at scores; a name that is not in the table does not tell."""
    try:
        found = metric(name)
    except UsageError:
        return False
    return found.of_labels and found.rows is None


def _metric_table(d: Mapping[str, Any], head: str, shown: Mapping[str, Estimated]) -> Table:
    """Metric, value, interval, counts, method, and what a constant prediction reaches; empty columns are left out."""
    constant = d["baseline"]["estimates"] if d["baseline"] else {}
    # what all methods have in common stands once, in the head
    design = next((word for word in DESIGNS if any(word in str(e["method"]) for e in shown.values())), "")
    columns: list[tuple[str, str, list[Cell]]] = [
        (head, "l", [Cell(name, given=True) for name in shown]),
        ("value", "r", [Cell(value_text(e)) for e in shown.values()]),
        (f"{percent(d['level'])} interval", "l", [Cell(interval_text(e)) for e in shown.values()]),
        ("counts", "l", [Cell(counts(e)) for e in shown.values()]),
        (f"method{design}", "l", [Cell(str(e["method"]).replace(design, ""), given=True) for e in shown.values()]),
        ("lab*", "r", [Cell(measured(e)) for e in shown.values()]),
        ("constant", "r", [Cell(like(constant[name], e) if name in constant else "") for name, e in shown.items()]),
    ]
    kept = [column for column in columns if any(cell.text for cell in column[2])]
    return Table(
        name=head,
        title=Cell(""),
        head=tuple(Cell(text) for text, _, _ in kept),
        rows=tuple(zip(*(cells for _, _, cells in kept), strict=True)),
        align="".join(align for _, align, _ in kept),
    )


def counts(e: Estimated) -> str:
    """What was counted, as 185/298; empty for a metric that is not a share."""
    pair = e.get("count")
    return f"{amount(pair[0])}/{amount(pair[1])}" if pair else ""
