"""Which charts detections and masks can give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.boxes.matching import Matches
from heldout.charts.confusion_matrix import ConfusionMatrix, confusion_matrix
from heldout.charts.detection_figures import (
    MEAN,
    DetectionCurves,
    class_curve,
    detection_curves,
    mean_curve,
    most_frequent,
    overlap_steps,
    ranked_curves,
)
from heldout.charts.difference_forest import difference_forest
from heldout.charts.figure import Figure
from heldout.charts.metric_forest import MetricForest, metric_forest
from heldout.charts.more_data import more_data, more_data_apart
from heldout.charts.plot import Plot
from heldout.charts.subgroup_forest import class_difference_forest, image_class_forest
from heldout.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from heldout.verbs.images.image_evaluation import ImageEvaluation

Views = dict[str, Callable[..., Figure]]
MOST_CLASSES = 7
"""So many classes have a curve each, beside their mean: there are no more colours that can be distinguished."""
OVERLAPS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.9)
"""Thresholds whose curves are drawn together."""
SIZES = ("APsmall", "APmedium", "APlarge", "ARsmall", "ARmedium", "ARlarge")


def image_charts(result: ImageEvaluation, d: Mapping[str, Any]) -> Plot:
    """The charts of one or several models on the same images."""
    several = len(result.models) > 1
    views: Views = {"metrics": partial(metric_forest, d)}
    if several:
        views |= {"differences": partial(difference_forest, d), "more_data": partial(more_data_apart, d)}
    else:
        whole = {**d, "estimates": d["estimates"][result.baseline]}
        views["more_data"] = partial(more_data, whole, metric=result.primary)
    views |= _by_class(result, d)
    if result.kind == "masks":
        return Plot(views=views | {name: partial(_confusion, result, model) for name, model in _apart(result).items()})
    views |= {"by_iou": partial(overlap_steps, d)} if d["by_iou"] else {}
    if set(SIZES) <= set(d["estimates"][result.baseline]):
        views["sizes"] = partial(_sizes, d)
    if d["ranked"]:
        m = result.drawn[result.baseline].matches
        areas = [d["estimates"][result.baseline][name] for name in ("AP", "AP_interpolated")]
        return Plot(views=views | {"precision_recall": partial(ranked_curves, m, areas, result.level)})
    views["precision_recall"] = partial(_curves, result)
    if not several and len(result.drawn[result.baseline].matches.thresholds) > 1:
        views["precision_recall:iou"] = partial(_curves, result, by="iou")
    return Plot(views=views)


def _apart(result: ImageEvaluation) -> dict[str, str]:
    """The names of charts that each model has for itself."""
    return {f"confusion:{model}" if at else "confusion": model for at, model in enumerate(result.models)}


def _by_class(result: ImageEvaluation, d: Mapping[str, Any]) -> Views:
    """Of one model its classes; of several, the differences by class, one chart for each."""
    if not any(len(found) > 1 for found in d["classes"].values()):
        return {}
    objects = _objects(result)
    if len(result.models) == 1:
        return {"classes": partial(image_class_forest, d, objects=objects)}
    others = [name for name in result.models if name != result.baseline]
    return {
        f"classes:{name}" if at else "classes": partial(class_difference_forest, d, model=name, objects=objects)
        for at, name in enumerate(others)
    }


def _objects(result: ImageEvaluation) -> dict[str, int] | None:
    """How many objects each class has; of masks nothing is counted."""
    if result.scene is None:
        return None
    there = result.scene.label[~result.scene.crowd]
    counts = np.bincount(there, minlength=len(result.scene.classes))
    return dict(zip(result.scene.classes, counts.tolist(), strict=True))


def _sizes(d: Mapping[str, Any]) -> MetricForest:
    said = " Objects below 32 x 32 pixels are small, those above 96 x 96 large."
    return replace(metric_forest(d, list(SIZES)), view="sizes", heading="By size of the object", said=said)


def _confusion(result: ImageEvaluation, model: str) -> ConfusionMatrix:
    made = confusion_matrix({"confusion": {"labels": list(result.confusion_labels), "counts": result.confusion[model]}})
    return replace(made, unit="pixel", model=model if len(result.models) > 1 else "")


def _curves(
    result: ImageEvaluation,
    *,
    labels: Sequence[str] | None = None,
    model: str | None = None,
    iou: float | None = None,
    by: str | None = None,
) -> DetectionCurves:
    """Precision and recall by class (those named, or the most frequent and their mean), by iou, or by model."""
    kind = by or ("model" if len(result.models) > 1 and labels is None and model is None else "class")
    name = result.models[0] if model is None else _named(model, result.models, "model")
    m = result.drawn[name].matches
    step = _step(m, iou)
    at = f"IoU {m.thresholds[step]:g}"
    if kind == "model":
        lines = {one: mean_curve(result.drawn[one].matches, step, result.level) for one in result.models}
        return detection_curves(lines, about=f"mean over classes, {at}", areas=_areas(result, step))
    if kind == "iou":
        steps = [_step(m, one) for one in OVERLAPS if np.isclose(m.thresholds, one).any()]
        found = result.by_iou.get(name, {})
        areas = {f"IoU {m.thresholds[one]:g}": found[f"{m.thresholds[one]:.2f}"].to_dict() for one in steps}
        lines = {f"IoU {m.thresholds[one]:g}": mean_curve(m, one, result.level) for one in steps}
        return detection_curves(lines, about="mean over classes", areas=areas)
    if kind != "class":
        raise UsageError(f"curves go by class, iou or model, not by {kind!r}", fix="choose one of class, iou and model")
    return _class_curves(result, name, m, step, labels)


def _class_curves(
    result: ImageEvaluation, name: str, m: Matches, step: int, labels: Sequence[str] | None
) -> DetectionCurves:
    if labels is None:
        chosen = most_frequent(m, MOST_CLASSES)
        left = len(result.labels) - len(chosen)
    else:
        chosen, left = [result.labels.index(_named(one, result.labels, "class")) for one in labels], 0
    lines = {result.labels[kind]: class_curve(m, kind, step, result.level) for kind in chosen}
    if labels is None and len(result.labels) > 1:
        lines[MEAN] = mean_curve(m, step, result.level)
    figure = _figure(m, step)
    areas = {label: part[figure].to_dict() for label, part in result.classes.get(name, {}).items() if figure in part}
    if figure in result.estimates[name]:
        areas[MEAN] = result.estimates[name][figure].to_dict()
    return detection_curves(lines, about=f"IoU {m.thresholds[step]:g}", areas=areas, left=left)


def _areas(result: ImageEvaluation, step: int) -> dict[str, Any]:
    figure = _figure(result.drawn[result.baseline].matches, step)
    return {name: found[figure].to_dict() for name, found in result.estimates.items() if figure in found}


def _figure(m: Matches, step: int) -> str:
    return f"AP{round(100 * float(m.thresholds[step]))}"


def _step(m: Matches, iou: float | None) -> int:
    if iou is None:
        return int(np.argmin(np.abs(m.thresholds - 0.5)))
    at = np.flatnonzero(np.isclose(m.thresholds, iou))
    if not len(at):
        known = ", ".join(f"{one:g}" for one in m.thresholds)
        raise UsageError(f"nothing was matched at IoU {iou:g}", fix=f"choose one of {known}")
    return int(at[0])


def _named(name: str, names: Sequence[str], what: str) -> str:
    if name not in names:
        fix = f"choose one of {', '.join(names)}"
        raise UsageError(f"no {what} is named {name!r}{did_you_mean(name, names)}", fix=fix)
    return name
