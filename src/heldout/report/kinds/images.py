"""Object detection and segmentation: metrics over images, differences, classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from heldout.formulas.image_metrics import RANKED, image_figure
from heldout.report.document import TONES, Cell, Column, Document, Note, Table, given, table_of, with_foot
from heldout.report.kinds.comparison import models_title
from heldout.report.kinds.differences import (
    NOT_SIGNIFICANT,
    difference_notes,
    difference_tables,
    interval,
    values_by_model,
    verdict_sentences,
)
from heldout.report.kinds.estimates import (
    card_setting,
    check_notes,
    ci_head,
    coverage,
    coverage_column,
    coverage_note,
    estimate_record,
    gathered,
    intervals,
    printed,
    values,
)
from heldout.report.kinds.evaluation import in_words
from heldout.report.kinds.evaluation_breakdowns import bar
from heldout.report.number_text import percent

WORST = 10
"""How many classes a brief document shows: those with the lowest values."""
Facts = Mapping[str, Any]
TITLES = {"detection": "Object detection", "masks": "Segmentation"}


def document(d: Facts) -> Document:
    """Metrics of models on the same images from the top down: what was counted, values, classes, verdict, notes."""
    several = len(d["models"]) > 1
    first = printed(d["estimates"][d["models"][0]])
    word = str(d["verdict"] or "")
    return Document(
        title=models_title(TITLES["masks" if "pixels" in d else "detection"], d),
        opening=(_counted(d),),
        facts=(d["rule"],),
        tables=(
            *(difference_tables(d) if several else [_metrics(d)]),
            *([_primary_by_model(d), *values_by_model(d)] if several else []),
            *_at_score(d),
            *_classes(d),
            *_by_iou(d),
        ),
        verdict=verdict_sentences(d) if several else (),
        notes=(*check_notes(d), *(difference_notes(d) if several else ()), *_estimate_notes(d)),
        word=word,
        tone=TONES.get(word, "open"),
        headline=() if several else tuple(f"{in_words(name, e)}." for name, e in list(first.items())[:2]),
        data=_data(d),
        sections={
            "segments": "By overlap, size and class" if d["by_iou"] else "By class",
            "curves": "Precision and recall at every score",
            "more_data": "Confidence intervals with more detections"
            if d.get("ranked")
            else "Confidence intervals with more images",
            "confusion": "Confusion matrix by class",
            "disagreement": "Where the models differ most" if several else "Images with the lowest values",
        },
    )


def records(d: Facts) -> list[dict[str, Any]]:
    """One record per model, class and metric, then one per difference."""
    rows = [_record(name, "", metric, e) for name, found in d["estimates"].items() for metric, e in found.items()]
    rows += [
        _record(name, label, metric, e)
        for name, classes in d["classes"].items()
        for label, found in classes.items()
        for metric, e in found.items()
    ]
    rows += [
        {
            **_record(one["model"], "", one["metric"], {**one, "method": one["test"], "units": d["units"]}),
            "baseline": one["baseline"],
            "pvalue": one["pvalue"],
            "pvalue_adjusted": one["pvalue_adjusted"],
            "verdict": one["verdict"],
        }
        for one in d["differences"]
    ]
    return rows


def _record(model: str, label: str, metric: str, e: Facts) -> dict[str, Any]:
    beside = {"baseline": "", "pvalue": None, "pvalue_adjusted": None, "verdict": ""}
    return {"model": model, "class": label, "metric": metric, **estimate_record(e), **beside}


def _counted(d: Facts) -> str:
    """How many images, objects or pixels, classes and detections there are."""
    if d.get("ranked"):
        (said,) = d["detections"].values()
        return f"{said:,} detections, {d['objects']:,} objects; each object and each false detection is a unit"
    images = f"{d['units']:,} image{'' if d['units'] == 1 else 's'} (the unit of resampling)"
    classes = f"{len(d['labels'])} class{'' if len(d['labels']) == 1 else 'es'}"
    if "pixels" in d:
        return f"{images}, {d['pixels']:,} pixels, {classes}"
    detections = ", ".join(f"{count:,} by {name}" for name, count in d["detections"].items())
    return f"{images}, {d['objects']:,} objects, {classes}; detections: {detections}"


def _metrics(d: Facts) -> Table:
    """One model: a line per metric."""
    (name,) = d["models"]
    shown = printed(d["estimates"][name])
    methods = list(dict.fromkeys(e["method"] for e in shown.values()))
    columns: list[Column] = [
        (Cell(name, given=True), "l", list(shown)),
        ("value", "r", values(shown.values())),
        (ci_head(d["level"]), "l", intervals(shown.values())),
        *([("method", "l", [e["method"] for e in shown.values()])] if len(methods) > 1 else []),
        *([coverage_column(shown.values())] if any(e["card"] for e in shown.values()) else []),
    ]
    resamples = f", {d['n_resamples']:,} resamples" if "bootstrap" in methods[0] else ""
    foot = [f"intervals: {methods[0]}{resamples}"] if len(methods) == 1 else []
    meaning: Column = ("what it is", "l", [_definition(metric, ranked=bool(d.get("ranked"))) for metric in shown])
    table = table_of(
        "metrics", [*columns, meaning], brief_columns=len(columns), bars_on_screen=False,
        bars=tuple(bar(e) for e in shown.values()),
    )  # fmt: skip
    return with_foot(table, *foot, *coverage_note(shown.values(), d["level"]))


def _definition(metric: str, *, ranked: bool) -> str:
    if ranked and metric in RANKED:
        return f"{RANKED[metric][0].upper()}{RANKED[metric][1:]}"
    known = image_figure(metric)
    text = "" if known is None else known.definition.partition(" [")[0].removesuffix(".")
    return text.removesuffix(", mean over classes")  # not so where all classes are pooled


def _primary_by_model(d: Facts) -> Table:
    """Several models: the interval of the primary metric, by model."""
    shown = {name: d["estimates"][name][d["primary"]] for name in d["models"]}
    table = table_of(
        "primary by model",
        [
            ("model", "l", given(shown)),
            (d["primary"], "r", values(shown.values())),
            (ci_head(d["level"]), "l", intervals(shown.values())),
            coverage_column(shown.values()),
        ],
        section="",
    )
    return with_foot(table, *coverage_note(shown.values(), d["level"]))


def _at_score(d: Facts) -> list[Table]:
    """What is right, wrong and missed from a score on."""
    at_score = d.get("at_score") or {}
    if not at_score:
        return []
    lines = [(name, metric, e, one) for name, one in at_score.items() for metric, e in one["estimates"].items()]
    first = next(iter(at_score.values()))
    counted = {"precision": ("tp", "fp"), "recall": ("tp", "fn"), "f1": ()}
    counts = [", ".join(f"{one[key]} {key}" for key in counted[metric]) for _, metric, _, one in lines]
    return [
        table_of(
            "at score",
            [
                ("model", "l", given(name for name, *_ in lines)),
                (f"score >= {first['score']:g}, IoU {first['iou']:g}", "l", [metric for _, metric, *_ in lines]),
                ("value", "r", values(e for _, _, e, _ in lines)),
                (ci_head(d["level"]), "l", intervals(e for _, _, e, _ in lines)),
                ("counts", "l", counts),
            ],
        )
    ]


def _classes(d: Facts) -> list[Table]:
    """The classes of each model, the lowest values first; of several models, their differences by class."""
    if len(d["models"]) > 1 and d["class_differences"]:
        return [_class_differences(d, name) for name in d["models"] if name != d["baseline"]]
    return [
        _class_table(d, name, found, metrics)
        for name, found in d["classes"].items()
        if len(found) > 1
        for metrics in batched(next(iter(found.values())), 2)
    ]


def batched(names: Iterable[str], size: int) -> Iterator[tuple[str, ...]]:
    """So many names at a time: what fits into the width of a screen with their intervals.

    >>> list(batched(["iou", "dice", "recall"], 2))
    [('iou', 'dice'), ('recall',)]
    """
    left = iter(names)
    while part := tuple(islice(left, size)):
        yield part


def _class_table(d: Facts, name: str, classes: Facts, metrics: Sequence[str]) -> Table:
    """Some metrics of every class, the lowest values first."""
    order = sorted(classes, key=lambda label: _low_first(classes[label][metrics[0]]["value"]))
    columns: list[Column] = [("class", "l", given(order))]
    for metric in metrics:
        columns.append((metric, "r", values(classes[label][metric] for label in order)))
        columns.append((ci_head(d["level"]), "l", intervals(classes[label][metric] for label in order)))
    first = classes[order[0]][metrics[0]]
    joint = len(order) > 1 and "simultaneous" in first["method"]
    table = table_of(
        f"classes {name} {metrics[0]}", columns,
        title=Cell(f"classes of {name}" if len(d["models"]) > 1 else "", given=True),
        section="segments", brief_rows=WORST, rows_are=("class", "classes"),
    )  # fmt: skip
    return with_foot(table, *_simultaneous(d, first, len(order))) if joint else table


def _simultaneous(d: Facts, e: Facts, classes: int) -> list[str]:
    """That the intervals of all classes are simultaneous, and how often all covered in simulations."""
    lines = [f"intervals of all {classes} classes are simultaneous"]
    card = e["card"]
    if card:
        lines += [f"simulated coverage of all of them: {coverage(e)} {card_setting([card], d['level'])}"]
    return lines


def _class_differences(d: Facts, name: str) -> Table:
    differences = [one for one in d["class_differences"] if one["model"] == name and one["value"] is not None]
    differences = sorted(differences, key=lambda one: -abs(one["value"]))
    metric = "iou" if "pixels" in d else d["primary"]
    values_shown = [NOT_SIGNIFICANT if _includes_zero(one) else f"{one['value']:+.3f}" for one in differences]
    table = table_of(
        f"classes {name}",
        [
            ("class", "l", given(one["class"] for one in differences)),
            ("difference", "r", values_shown),
            (ci_head(d["level"]), "l", [interval(one) for one in differences]),
        ],
        title=Cell(f"{metric} of {name} minus {d['baseline']}, by class", given=True),
        section="segments",
        brief_rows=WORST,
        rows_are=("class", "classes"),
    )
    return with_foot(table, f"intervals of all {len(differences)} classes are simultaneous")


def _includes_zero(one: Facts) -> bool:
    return one["low"] is None or one["high"] is None or one["low"] <= 0 <= one["high"]


def _by_iou(d: Facts) -> list[Table]:
    return [
        table_of(
            f"iou {name}",
            [
                ("IoU", "l", list(steps)),
                ("AP", "r", values(steps.values())),
                (ci_head(d["level"]), "l", intervals(steps.values())),
            ],
            title=Cell(f"average precision of {name} by IoU threshold", given=True),
            section="",
            in_brief=False,
        )
        for name, steps in d["by_iou"].items()
    ]


def _low_first(value: float | None) -> tuple[bool, float]:
    return (value is None, value or 0.0)


def _estimate_notes(d: Facts) -> tuple[Note, ...]:
    several = len(d["models"]) > 1
    return gathered(
        (f"{metric} of {name}" if several else metric, e["notes"])
        for name in d["models"]
        for metric, e in printed(d["estimates"][name]).items()
    )


def _data(d: Facts) -> dict[str, str]:
    """Images, what is in them, and the level."""
    detections = {name: f"{count:,}" for name, count in d.get("detections", {}).items()}
    counts = {f"detections by {name}" if len(detections) > 1 else "detections": n for name, n in detections.items()}
    whole = {"objects": d.get("objects"), "pixels": d.get("pixels"), "classes": len(d["labels"])}
    return {
        "units" if d.get("ranked") else "images": f"{d['units']:,}",
        **{name: f"{count:,}" for name, count in whole.items() if count is not None},
        **counts,
        "confidence level": percent(d["level"]),
    }
