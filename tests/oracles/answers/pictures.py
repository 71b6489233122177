"""Boxes and masks."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import heldout
from heldout.boxes.average_precision import counted_objects
from heldout.boxes.overlapping_pairs import iou
from tests.oracles.answers.asking import Answers
from tests.oracles.reader import Case

FEW = 100
"""Resamples where only the values count."""


@lru_cache(maxsize=16)
def detected(truth: Path, detections: Path, **options: Any) -> heldout.DetectionEvaluation:
    return heldout.detect(truth, {"model": detections}, n_resamples=FEW, **options)


def found(case: Case, **options: Any) -> heldout.DetectionEvaluation:
    truth, detections = (paths[0] for paths in case.files.values())
    iou_type = "masks" if case.params.get("iou_type") == "segm" else "boxes"
    by_class = "-1" not in case.expected.get("AP_per_category", ())
    return detected(truth, detections, iou_type=iou_type, by_class=by_class, **options)


def undefined(case: Case) -> float:
    """What stands where no object counts: -1 in pycocotools."""
    return -1.0 if "pycocotools" in case.oracle else math.nan


def figures(case: Case) -> dict[str, float]:
    absent = undefined(case)
    values = {name: one.value for name, one in found(case).estimates["model"].items()}
    return {name: absent if math.isnan(value) else value for name, value in values.items()}


def by_category(case: Case, figure: str) -> dict[str, float | None]:
    """AP of every category by its id; of all objects together where categories do not count."""
    one = found(case)
    return _named(one, np.array([of_class(one, label, figure) for label in one.labels]))


def of_class(one: heldout.DetectionEvaluation, label: str, figure: str) -> float:
    """A figure of one class; where there is only one, it is that of all."""
    return one.classes["model"][label][figure].value if one.classes else one[figure].value


def recall_by_category(case: Case) -> dict[str, float | None]:
    one = found(case)
    m = one.drawn["model"].matches
    hits = np.zeros((m.classes, len(m.thresholds)))
    np.add.at(hits, m.label[m.at], m.outcome[:, 0] == 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return _named(one, (hits / counted_objects(m)[:, :1]).mean(axis=1))


def _named(one: heldout.DetectionEvaluation, values: np.ndarray) -> dict[str, float | None]:
    assert one.scene is not None
    ids = [str(id) for id in one.scene.class_ids] if len(values) > 1 or len(one.scene.class_ids) == 1 else ["-1"]
    return {id: None if math.isnan(value) else float(value) for id, value in zip(ids, values, strict=True)}


def by_iou(case: Case) -> dict[str, float]:
    return {step: one.value for step, one in found(case).by_iou["model"].items()}


def voc(case: Case, rule: str, threshold: str) -> dict[str, Any]:
    """Mean and per-class AP the Pascal VOC way, with the counts behind them."""
    one = found(case, rule="voc" if rule == "every" else "voc2007", iou=float(threshold))
    m = one.drawn["model"].matches
    classes = {}
    for k, label in enumerate(one.labels):
        right = int(np.sum(m.outcome[m.label[m.at] == k, 0, 0] == 1))
        said = int(np.sum(m.label == k))
        value = of_class(one, label, one.primary)
        objects = int(counted_objects(m)[k, 0])
        classes[label] = {"AP": float(value), "TP": right, "FP": said - right, "positives": objects}
    return {"mAP": one[one.primary].value, "per_class": classes}


def overlaps(case: Case, *, crowds: bool) -> list[list[float]]:
    one, other = (np.array(case.params[name], dtype=float) for name in ("dt_xywh", "gt_xywh"))
    crowd = np.array(case.params["iscrowd"], dtype=bool) if crowds else None
    return iou(one[:, None], other[None], crowd).tolist()


def segmented(case: Case) -> heldout.MaskEvaluation:
    """The label maps the case names, and their predictions."""
    known = {path.name: path for paths in case.files.values() for path in paths}
    truth = [known[name] for name in case.params["files"]]
    said = [known[name.replace("truth", "pred")] for name in case.params["files"]]
    return heldout.masks(truth, {"model": said}, labels=case.params["labels"])


def of_classes(case: Case, figure: str) -> list[float]:
    """A figure by class; a class that was never said has the precision 0 in scikit-learn."""
    one = segmented(case)
    values = [one.classes["model"][label][figure].value for label in one.labels]
    return [0.0 if math.isnan(value) else value for value in values]


def of_every_class(case: Case) -> list[list[float]]:
    """IoU with -1 for the classes of the tag that this image has not."""
    one = segmented(case)
    values = {int(label): one.classes["model"][label]["iou"].value for label in one.labels}
    return [[values.get(code, -1.0) for code in range(len(case.params["meaning"]))]]


COCO: Answers = {
    "stats|summary": figures,
    "AP_per_category": lambda case: by_category(case, "AP"),
    "AP50_per_category": lambda case: by_category(case, "AP50"),
    "AR100_per_category": recall_by_category,
    "AP_per_iou": by_iou,
}
VOC: Answers = {r"(every|eleven)_point_iou_([\d.]+)": voc}
OVERLAPS: Answers = {
    "iou": lambda case: overlaps(case, crowds=False),
    "iou_crowd": lambda case: overlaps(case, crowds=True),
}
MASKS: Answers = {
    "confusion_rows_truth": lambda case: segmented(case).confusion["model"],
    r"(iou|dice|precision|recall)_per_class": of_classes,
    "torchmetrics_iou_per_class": of_every_class,
    "pixel_accuracy": lambda case: segmented(case)["pixel_accuracy"].value,
    "mean_iou": lambda case: segmented(case)["mean_iou"].value,
}
