"""A figure of images class by class: values of one model, or the differences of two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.charts.segments import SegmentForest, known
from heldout.errors import UsageError


def image_class_forest(
    d: Mapping[str, Any], figure: str | None = None, model: str | None = None, objects: Mapping[str, int] | None = None
) -> SegmentForest:
    """A figure of every class (`to_dict()` of detections or masks), the lowest first: AP or IoU unless named."""
    by_model = {name: found for name, found in d["classes"].items() if found}
    if not by_model:
        raise UsageError("there are no classes to show one by one")
    name = known("model", model, by_model)
    classes = by_model[name]
    chosen = known("figure of classes", figure, next(iter(classes.values())))
    every = {label: found[chosen] for label, found in classes.items()}
    lines = {label: e for label, e in every.items() if e["value"] is not None and e["low"] is not None}
    whole = d["estimates"][name].get(chosen)
    return SegmentForest(
        metric=chosen,
        column="class",
        shown={
            label: {"rows": (objects or {}).get(label), **{end: e[end] for end in ("value", "low", "high")}}
            for label, e in sorted(lines.items(), key=lambda one: one[1]["value"])
        },
        overall=whole,
        level=d["level"],
        view="classes",
    )


def class_difference_forest(
    d: Mapping[str, Any], model: str | None = None, objects: Mapping[str, int] | None = None
) -> SegmentForest:
    """How much more a model has than the baseline, class by class, the largest loss first."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for one in d["class_differences"]:
        if one["value"] is not None and one["low"] is not None:
            found.setdefault(one["a"], []).append(one)
    if not found:
        raise UsageError("there are no classes to show one by one")
    name = known("model", model, found)
    figure = "iou" if "pixels" in d else d["primary"]
    whole = [one for one in d["differences"] if (one["metric"], one["a"]) == (figure, name)]
    return SegmentForest(
        metric=figure,
        column="class",
        shown={
            one["class"]: {
                "rows": (objects or {}).get(one["class"]),
                **{end: one[end] for end in ("value", "low", "high")},
            }
            for one in sorted(found[name], key=lambda one: one["value"])
        },
        overall=whole[0] if whole else None,
        level=d["level"],
        pair=(name, d["baseline"]),
        view="classes",
    )
