"""Which number stands where when detectors or masks are judged: figures, differences, classes."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from heldout.report.document import Cell, Page, Remark, Table
from heldout.report.kinds import comparison
from heldout.report.kinds.evaluation import measured, measured_note
from heldout.report.notes import placed
from heldout.report.number_text import interval_text, percent, value_text
from heldout.report.render.csv_text import safe

WORST = 10
"""How many classes a brief page shows: those with the lowest values."""
IN_IMAGES = (
    ("units would settle", "images would settle"),
    ("no number of rows can", "no number of images can"),
    ("how many rows would", "how many images would"),
)
"""What a verdict on rows says, and what it says on images."""
Columns = Sequence[tuple[str, str, list[Cell]]]


def page(d: Mapping[str, Any], *, brief: bool = True) -> Page:
    """Figures of models on the same images from the top down: what was counted, values, classes, verdict, remarks."""
    several = len(d["models"]) > 1
    whole = comparison.page(_compared(d), brief=brief) if several else None
    return Page(
        name=Cell(""),
        opening=(counted(d),),
        facts=(d["rule"],),
        columns=(),
        tables=(
            *(whole.tables if whole else (_figures(d),)),
            *([_models(d)] if several else []),
            *_at_score(d),
            *_classes(d, brief=brief),
            *([] if brief else _by_iou(d)),
        ),
        verdict=tuple(_of_images(line) for line in whole.verdict) if whole else (),
        remarks=_remarks(d, whole),
    )


def _compared(d: Mapping[str, Any]) -> dict[str, Any]:
    """The same as a comparison of models on the same rows; the rows are in images."""
    return {**d, "rows": -1, "segments": {}, "samples": {}, "matched": {"by": "id", "only": {}}, "task": ""}


def _of_images(line: str) -> str:
    for said, meant in IN_IMAGES:
        line = line.replace(said, meant)
    return line


def counted(d: Mapping[str, Any]) -> str:
    """How many images, objects or pixels, classes and detections there are."""
    images = f"{d['units']:,} image{'' if d['units'] == 1 else 's'} (the unit of resampling)"
    classes = f"{len(d['labels'])} class{'' if len(d['labels']) == 1 else 'es'}"
    if "pixels" in d:
        return f"{images}, {d['pixels']:,} pixels, {classes}"
    said = ", ".join(f"{count:,} by {name}" for name, count in d["detections"].items())
    return f"{images}, {d['objects']:,} objects, {classes}; detections: {said}"


def _figures(d: Mapping[str, Any]) -> Table:
    """One model: a line per figure."""
    (name,) = d["models"]
    shown = {figure: e for figure, e in d["estimates"][name].items() if e["printed"]}
    methods = list(dict.fromkeys(e["method"] for e in shown.values()))
    columns: Columns = [
        (name, "l", [Cell(figure) for figure in shown]),
        ("value", "r", [Cell(value_text(e)) for e in shown.values()]),
        (f"{percent(d['level'])} interval", "l", [Cell(interval_text(e)) for e in shown.values()]),
        *([("method", "l", [Cell(e["method"]) for e in shown.values()])] if len(methods) > 1 else []),
        *_lab(list(shown.values())),
    ]
    foot = (Cell(f"intervals: {methods[0]}{_draws(d, methods[0])}"),) if len(methods) == 1 else ()
    return _table("figures", "", columns, (*foot, *measured_note(shown.values(), d["level"])))


def _lab(shown: Sequence[Mapping[str, Any]]) -> Columns:
    """How often such intervals held the truth in the lab, where that is known."""
    return [("lab*", "r", [Cell(measured(e)) for e in shown])] if any(e["card"] for e in shown) else []


def _draws(d: Mapping[str, Any], method: str) -> str:
    return f", {d['draws']:,} draws" if "bootstrap" in method else ""


def _models(d: Mapping[str, Any]) -> Table:
    """Several models: the interval of the figure that decides, by model."""
    found = {name: d["estimates"][name][d["primary"]] for name in d["models"]}
    columns: Columns = [
        ("model", "l", [Cell(name, given=True) for name in found]),
        (d["primary"], "r", [Cell(value_text(e)) for e in found.values()]),
        (f"{percent(d['level'])} interval", "l", [Cell(interval_text(e)) for e in found.values()]),
        *_lab(list(found.values())),
    ]
    return _table("models", "", columns, measured_note(found.values(), d["level"]))


def _at_score(d: Mapping[str, Any]) -> list[Table]:
    """What is right, wrong and missed from a score on."""
    found = d.get("at_score") or {}
    if not found:
        return []
    lines = [(name, figure, e, one) for name, one in found.items() for figure, e in one["estimates"].items()]
    first = next(iter(found.values()))
    counts = {"precision": ("tp", "fp"), "recall": ("tp", "fn"), "f1": ()}
    columns: Columns = [
        ("model", "l", [Cell(name, given=True) for name, *_ in lines]),
        (f"score >= {first['score']:g}, IoU {first['iou']:g}", "l", [Cell(figure) for _, figure, *_ in lines]),
        ("value", "r", [Cell(value_text(e)) for _, _, e, _ in lines]),
        (f"{percent(d['level'])} interval", "l", [Cell(interval_text(e)) for _, _, e, _ in lines]),
        (
            "counts",
            "l",
            [Cell(", ".join(f"{one[key]} {key}" for key in counts[figure])) for _, figure, _, one in lines],
        ),
    ]
    return [_table("at score", "", columns)]


def _classes(d: Mapping[str, Any], *, brief: bool) -> list[Table]:
    """The classes of each model, the lowest values first; of two models, their differences by class."""
    if len(d["models"]) > 1 and d["class_differences"]:
        return [_class_differences(d, name, brief=brief) for name in d["models"] if name != d["baseline"]]
    return [_class_table(d, name, found, brief=brief) for name, found in d["classes"].items() if found]


def _class_table(d: Mapping[str, Any], name: str, found: Mapping[str, Any], *, brief: bool) -> Table:
    figures = list(next(iter(found.values())))
    order = sorted(found, key=lambda label: _low_first(found[label][figures[0]]["value"]))
    kept = order[:WORST] if brief else order
    columns: list[tuple[str, str, list[Cell]]] = [("class", "l", [Cell(label, given=True) for label in kept])]
    for figure in figures[: 2 if brief else None]:
        columns.append((figure, "r", [Cell(value_text(found[label][figure])) for label in kept]))
        columns.append(
            (f"{percent(d['level'])} interval", "l", [Cell(interval_text(found[label][figure])) for label in kept])
        )
    left = len(order) - len(kept)
    more = f"; {left} more class{'' if left == 1 else 'es'} with higher values: see --format md or json" if left else ""
    joint = len(found) > 1 and "simultaneous" in found[order[0]][figures[0]]["method"]
    lab = _lab_of_classes(found[order[0]][figures[0]], d["level"]) if joint else ()
    said = f"intervals of all {len(found)} classes hold together{more}" if joint else more.removeprefix("; ")
    title = f"classes of {name}" if len(d["models"]) > 1 else ""
    return _table(f"classes {name}", title, columns, (*((Cell(said),) if said else ()), *lab))


def _lab_of_classes(e: Mapping[str, Any], level: float) -> tuple[Cell, ...]:
    """How often the intervals of all classes held in the lab."""
    card = e["card"]
    if not card:
        return ()
    return (Cell(f"lab: all of them did so in {measured(e)} at n near {card['n']:,} (nominal {percent(level)})"),)


def _class_differences(d: Mapping[str, Any], name: str, *, brief: bool) -> Table:
    found = [one for one in d["class_differences"] if one["a"] == name and one["value"] is not None]
    found = sorted(found, key=lambda one: -abs(one["value"]))
    kept = found[:WORST] if brief else found
    apart = [comparison.NOT_ESTABLISHED if _holds_zero(one) else f"{one['value']:+.3f}" for one in kept]
    columns: Columns = [
        ("class", "l", [Cell(one["class"], given=True) for one in kept]),
        ("difference", "r", [Cell(text) for text in apart]),
        (f"{percent(d['level'])} interval", "l", [Cell(comparison.interval(one)) for one in kept]),
    ]
    left = len(found) - len(kept)
    more = f"; {left} more: see --format md or json" if left else ""
    foot = (Cell(f"intervals of all {len(found)} classes hold together{more}"),)
    figure = "iou" if "pixels" in d else d["primary"]
    return _table(f"classes {name}", f"{figure} of {name} less {d['baseline']}, by class", columns, foot)


def _holds_zero(one: Mapping[str, Any]) -> bool:
    return one["low"] is None or one["high"] is None or one["low"] <= 0 <= one["high"]


def _by_iou(d: Mapping[str, Any]) -> list[Table]:
    return [
        _table(
            f"iou {name}",
            f"average precision of {name} by IoU threshold",
            [
                ("IoU", "l", [Cell(step) for step in found]),
                ("AP", "r", [Cell(value_text(e)) for e in found.values()]),
                (f"{percent(d['level'])} interval", "l", [Cell(interval_text(e)) for e in found.values()]),
            ],
        )
        for name, found in d["by_iou"].items()
    ]


def _table(name: str, title: str, columns: Columns, foot: tuple[Cell, ...] = ()) -> Table:
    return Table(
        name=name,
        title=Cell(title, given=True),
        head=tuple(Cell(head, given=True) for head, _, _ in columns),
        rows=tuple(zip(*(cells for _, _, cells in columns), strict=True)),
        align="".join(side for _, side, _ in columns),
        foot=foot,
    )


def _low_first(value: float | None) -> tuple[bool, float]:
    return (value is None, value or 0.0)


def _remarks(d: Mapping[str, Any], whole: Page | None) -> tuple[Remark, ...]:
    """The checks and the notes on differences, then each note on a figure with what it belongs to."""
    said = whole.remarks if whole else tuple(Remark(check["code"], check["text"]) for check in d["checks"])
    places: dict[str, list[str]] = {}
    for name in d["models"]:
        for figure, e in d["estimates"][name].items():
            for note in e["notes"] if e["printed"] else ():
                places.setdefault(note, []).append(f"{figure} of {name}" if len(d["models"]) > 1 else figure)
    return (*said, *(placed(note, found) for note, found in places.items()))


HEAD = ("model", "class", "metric", "value", "low", "high", "level", "method", "units", "notes")


def pictures_csv(d: Mapping[str, Any]) -> str:
    """Every estimate in full precision, then the differences; an empty cell is undefined."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    for name, found in d["estimates"].items():
        writer.writerows(_row(name, "", figure, e, e["method"]) for figure, e in found.items())
    for name, classes in d["classes"].items():
        for label, found in classes.items():
            writer.writerows(_row(name, label, figure, e, e["method"]) for figure, e in found.items())
    for one in d["differences"]:
        writer.writerow(
            _row(f"{one['a']} less {one['b']}", "", one["metric"], {**one, "units": d["units"]}, one["test"])
        )
    return out.getvalue()


def _row(model: str, label: str, figure: str, e: Mapping[str, Any], method: str) -> list[str]:
    numbers = ["" if e[key] is None else repr(float(e[key])) for key in ("value", "low", "high", "level")]
    return [
        safe(model),
        safe(label),
        safe(figure),
        *numbers,
        safe(method),
        str(e["units"]),
        safe("; ".join(e["notes"])),
    ]
