"""Which number stands where when texts are judged: values with intervals by metric and system, then differences."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO
from typing import Any

from heldout.report.document import Cell, Page, Remark, Table
from heldout.report.kinds import comparison
from heldout.report.kinds.comparison_csv import comparison_csv
from heldout.report.kinds.evaluation import measured, measured_note
from heldout.report.notes import placed
from heldout.report.number_text import interval_text, percent, value_text
from heldout.report.plain_text import shortened
from heldout.report.render.csv_text import safe

SCHEMA = "heldout.text/1"
LONGEST, BRIEF = 200, 28
"""Characters of a text that are shown, and that fit on a screen."""
FEW = 3
"""How many segments a brief page tells for each direction."""


def page(d: Mapping[str, Any], *, brief: bool = True) -> Page:
    """Texts from the top down: segments and signatures, values, differences, the verdict, remarks."""
    several = len(d["models"]) > 1
    whole = comparison.page(_compared(d), brief=brief) if several else None
    return Page(
        name=Cell(""),
        opening=(_counted(d),),
        facts=tuple(_signed(d)),
        columns=(),
        tables=(_values(d), *(whole.tables if whole else ()), *_examples(d, brief=brief)),
        verdict=tuple(_of_segments(d, line) for line in whole.verdict) if whole else (),
        remarks=_remarks(d, whole),
    )


def _compared(d: Mapping[str, Any]) -> dict[str, Any]:
    """The same as a comparison of models on the same rows."""
    return {**d, "many": None, "segments": {}, "samples": {}}


def _counted(d: Mapping[str, Any]) -> str:
    """How many segments, documents and references there are."""
    rows = f"{d['rows']:,} segment{'' if d['rows'] == 1 else 's'}"
    units = f" in {d['units']:,} documents" if d["units"] != d["rows"] else ""
    fewest, most = d["references"]["fewest"], d["references"]["most"]
    each = f"{fewest} to {most} references each" if fewest != most else f"{most} references each"
    matched = ", matched by id" if d["matched"]["by"] == "id" else ""
    return f"{rows}{units}, {'1 reference each' if fewest == most == 1 else each}{matched}"


def _signed(d: Mapping[str, Any]) -> list[str]:
    """The words by which each number can be repeated; n-grams are counted as those of BLEU are."""
    shown = {name.partition("_")[0] for name in _metrics(d)}
    if any(name == "ngram" for name in shown):
        shown.add("bleu")
    return [f"{kind}|{words}" for kind, words in d["signatures"].items() if kind in shown]


def _metrics(d: Mapping[str, Any]) -> list[str]:
    """The metrics whose values are shown; of BERTScore all three."""
    first = d["estimates"][d["baseline"]]
    return [name for name, one in first.items() if one["printed"] or name == d["primary"] or "bertscore" in name]


def _values(d: Mapping[str, Any]) -> Table:
    """One line per metric and system: value, interval, method."""
    lines = [(metric, name, d["estimates"][name][metric]) for metric in _metrics(d) for name in d["models"]]
    columns = [
        ("metric", "l", [Cell(metric) for metric, _, _ in lines]),
        ("system", "l", [Cell(name, given=True) for _, name, _ in lines]),
        ("value", "r", [Cell(value_text(one)) for *_, one in lines]),
        (f"{percent(d['level'])} interval", "l", [Cell(interval_text(one)) for *_, one in lines]),
        ("method", "l", [Cell(one["method"], given=True) for *_, one in lines]),
        *([("lab*", "r", [Cell(measured(one)) for *_, one in lines])] if any(one["card"] for *_, one in lines) else []),
    ]
    return Table(
        name="value",
        title=Cell(""),
        head=tuple(Cell(head) for head, _, _ in columns),
        rows=tuple(zip(*(cells for _, _, cells in columns), strict=True)),
        align="".join(side for _, side, _ in columns),
        foot=measured_note((one for *_, one in lines), d["level"]),
    )


def _of_segments(d: Mapping[str, Any], line: str) -> str:
    """A sentence about rows as one about what is drawn and swapped here."""
    unit = "segments" if d["units"] == d["rows"] else "documents"
    for said in ("rows would settle", "units would settle"):
        line = line.replace(said, f"{unit} would settle")
    return line.replace("no number of rows can", f"no number of {unit} can")


def _examples(d: Mapping[str, Any], *, brief: bool) -> list[Table]:
    """The segments that move a system's value, or its difference, most."""
    return [_example(d, name, found, brief=brief) for name, found in d["segments"].items() if found]


def _example(d: Mapping[str, Any], name: str, found: list[Mapping[str, Any]], *, brief: bool) -> Table:
    metric, several = found[0]["metric"], len(d["models"]) > 1
    if several:
        title = f"segments that move {name} against {d['baseline']} most ({metric})"
    else:
        title = f"segments that lower {metric} most"
    kept = _few(found) if brief else found
    longest = BRIEF if brief else LONGEST
    texts, values = [(name, "text"), ("reference", "reference")], [(name, "value")]
    if several:
        texts.insert(1, (d["baseline"], "baseline"))
        values.insert(0, (d["baseline"], "baseline_value"))
    if brief:
        texts, values = [texts[0], texts[-1]], []
    columns = [
        ("segment", "r", [Cell(str(one["segment"])) for one in kept]),
        ("moves", "r", [Cell(f"{one['moved']:+.3g}") for one in kept]),
        *((f"{metric} of {whom}", "r", [Cell(number_text(one[key])) for one in kept]) for whom, key in values),
        *((whom, "l", [Cell(shortened(one[key], longest), given=True) for one in kept]) for whom, key in texts),
    ]
    return Table(
        name="telling",
        title=Cell(title, given=True),
        head=tuple(Cell(head, given=True) for head, _, _ in columns),
        rows=tuple(zip(*(cells for _, _, cells in columns), strict=True)),
        align="".join(side for _, side, _ in columns),
    )


def _few(found: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The first few of each direction: those that move the value up, and those that move it down."""
    ways = [[one for one in found if (one["moved"] > 0) == (found[0]["moved"] > 0)]]
    ways.append([one for one in found if one not in ways[0]])
    return [one for way in ways for one in way[:FEW]]


def number_text(value: float | None) -> str:
    """The metric of a segment: points of 100 with one decimal, shares with three."""
    return "--" if value is None else f"{value:.1f}" if abs(value) >= 2 else f"{value:.3f}"


def _remarks(d: Mapping[str, Any], whole: Page | None) -> tuple[Remark, ...]:
    """The checks and the notes on differences, then each note on a value with what it belongs to."""
    said = whole.remarks if whole else tuple(Remark(check["code"], check["text"]) for check in d["checks"])
    places: dict[str, list[str]] = {}
    for metric in _metrics(d):
        for name in d["models"]:
            for note in d["estimates"][name][metric]["notes"]:
                place = f"{metric} of {name}" if len(d["models"]) > 1 else metric
                places.setdefault(note, []).append(place)
    return (*said, *(placed(note, found) for note, found in places.items()))


HEAD = ("metric", "system", "value", "low", "high", "level", "method", "units", "better", "notes")


def text_csv(d: Mapping[str, Any]) -> str:
    """Every value in full precision, one row per system and metric; of several systems their differences."""
    if len(d["models"]) > 1:
        return comparison_csv(_compared(d))
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    for name in d["models"]:
        writer.writerows(_row(metric, name, one) for metric, one in d["estimates"][name].items())
    return out.getvalue()


def _row(metric: str, name: str, one: Mapping[str, Any]) -> list[str]:
    numbers = ["" if one[key] is None else repr(float(one[key])) for key in ("value", "low", "high", "level")]
    notes = safe("; ".join(one["notes"]))
    return [metric, safe(name), *numbers, safe(one["method"]), str(one["units"]), one["better"] or "", notes]
