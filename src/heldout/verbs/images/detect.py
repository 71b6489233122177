"""How good detectors are, from boxes: `detect`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.boxes.average_precision import FIGURES, Figure
from heldout.boxes.box_conventions import box_convention
from heldout.boxes.mask_overlap import detection_masks, mask_overlap, measured_objects, object_masks
from heldout.boxes.matching import Matches, coco_matches, voc_matches
from heldout.errors import UsageError, refuse_idle
from heldout.estimates import Estimate
from heldout.formulas import name_among
from heldout.inputs.formats.box_tables import read_boxes
from heldout.inputs.formats.compression import stem
from heldout.inputs.formats.image_objects import Detections, Objects
from heldout.stats.outcome import Outcome
from heldout.verbs.images.image_evaluation import ClassDifference, DetectionEvaluation, judge_images
from heldout.verbs.images.image_intervals import (
    BY_CLASS,
    Rests,
    by_figure,
    figure_difference,
    figure_estimate,
    images_with,
    joint_level,
    rests_on,
)
from heldout.verbs.images.resampled_metrics import Drawn, at_score, drawn_figures
from heldout.verbs.judgement import Margin, known_name
from heldout.verbs.parameters import documented
from heldout.verbs.settings import Settings, settings

if TYPE_CHECKING:
    from numpy.random import Generator

RULES = {
    "coco": "COCO: IoU .50 to .95, 101 recalls, 100 detections per image and class",
    "voc": "Pascal VOC since 2010: every recall, pixels counted inclusively",
    "voc2007": "Pascal VOC until 2009: 11 recalls, pixels counted inclusively",
}
"""How detections are matched and precision is averaged, by name."""
POINTS = {"coco": "101", "voc": "all", "voc2007": "11"}


@documented(n_resamples=1000)
def detect(
    y_true: Any,
    models: Any,
    *,
    rule: Literal["coco", "voc", "voc2007"] = "coco",
    iou: float | None = None,
    iou_type: Literal["boxes", "masks"] = "boxes",
    by_class: bool = True,
    labels: Sequence[str] | None = None,
    score_threshold: float | None = None,
    primary: str | None = None,
    baseline: str | None = None,
    margin: Margin = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    random_state: int | Generator | None = 0,
) -> DetectionEvaluation:
    """Average precision and recall of object detectors, each with a confidence interval over images.

    Parameters
    ----------
    y_true : path, mapping or frame
        The objects: a COCO file or its content, or a table with the columns image, label, x, y, w, h. A row with an
        image alone declares an image without objects.
    models : path, mapping, frame, or mapping of str to them
        The detections of one detector, or of several by name: COCO results, or a table as above with a score.
    rule : {"coco", "voc", "voc2007"}, default "coco"
        How detections are matched and precision is averaged.
    iou : float, optional
        Overlap from which on an object is found, for the rules of Pascal VOC (default: 0.5).
    iou_type : {"boxes", "masks"}, default "boxes"
        Whether boxes or masks must overlap.
    by_class : bool, default True
        False ignores the classes.
    labels : sequence of str, optional
        All classes of a table (default: those that occur); a COCO file declares its own.
    score_threshold : float, optional
        Also precision, recall and F1 of the detections with at least this score.
    primary : str, optional
        The metric that decides; it is tested alone (default: AP).
    <baseline>
    <margin>
    <confidence_level>
    <n_resamples>
    <random_state>

    Returns
    -------
    DetectionEvaluation
        Estimates of every model; of several models, their differences from the reference model and the verdict.

    Raises
    ------
    UsageError
        An option is unknown or does not fit the data.
    DataError
        A file is not a COCO file or a table of boxes.

    See Also
    --------
    masks : The same for segmentation.

    Examples
    --------
    >>> box = {"label": ["cat"] * 3, "x": [0] * 3, "y": [0] * 3, "w": [40] * 3, "h": [40] * 3}
    >>> truth = {"image": ["a", "b", "c"], **box}
    >>> found = detect(truth, {**truth, "score": [0.9, 0.8, 0.7]}, n_resamples=200)
    >>> found["AP"]
    1.000 [0.439, 1.000]
    """
    asked = settings(confidence_level=confidence_level, n_resamples=n_resamples, random_state=random_state)
    if rule not in RULES:
        raise UsageError(f"no rule is named {rule!r}", fix=f"choose one of {', '.join(RULES)}")
    if iou_type not in ("boxes", "masks"):
        raise UsageError(f"iou_type is {iou_type!r}, but must be 'boxes' or 'masks'", fix="leave it out for 'boxes'")
    if iou is not None and rule == "coco":
        fix = "leave out iou, or choose rule='voc' (--rule voc)"
        raise UsageError("iou has no effect with the rule coco, which takes IoU .50 to .95", fix=fix)
    step = 0.5 if iou is None else iou
    if not 0 < step <= 1:
        raise UsageError(f"the IoU is {step:g}, but must lie between 0 and 1", fix="for half write 0.5")
    _finite(score_threshold)
    read = read_boxes(y_true, _named(models), labels=labels)
    if len(read.detections) < 2:
        refuse_idle("with one model: there is no difference", margin=margin)
        known_name(baseline, list(read.detections), "detector")
        refuse_idle("with one model: there is no other", baseline=baseline)
    found = judged_boxes(
        read.objects, read.detections, asked, rule=rule, iou=step, iou_type=iou_type, by_class=by_class,
        primary=primary, baseline=baseline, margin=margin,
    )  # fmt: skip
    if score_threshold is None:
        return found
    at = {name: at_score(one.matches, score_threshold, asked, step) for name, one in found.drawn.items()}
    return replace(found, at_score=at)


def _finite(threshold: Any) -> None:
    """Refuse a score threshold that no score can be compared with."""
    number = isinstance(threshold, int | float | np.number) and not isinstance(threshold, bool)
    if threshold is not None and not (number and np.isfinite(threshold)):
        text = f"the score threshold {threshold!r} is not a finite number"
        raise UsageError(text, code="H108", fix="give a number such as 0.5")


def judged_boxes(
    objects: Objects, said: Mapping[str, Detections], asked: Settings, *, rule: str = "coco", iou: float = 0.5,
    iou_type: str = "boxes", by_class: bool = True, primary: str | None = None, baseline: str | None = None,
    margin: float | Mapping[str, float] | None = None,
) -> DetectionEvaluation:  # fmt: skip
    """What `detect` says of objects and detections that have been read."""
    figures = FIGURES if rule == "coco" else {f"AP{round(100 * iou)}": _at(iou)}
    decides = known_name(primary and name_among(primary, figures), list(figures), "metric")
    base = known_name(baseline, list(said), "detector")
    shown = (
        (decides,)
        if figures[decides].of == "recall"
        else tuple(dict.fromkeys((decides, "AP50")) if rule == "coco" else (decides,))
    )
    drawn = {
        name: drawn_figures(
            _matched(objects, one, rule=rule, iou=iou, iou_type=iou_type, by_class=by_class), figures, shown,
            points=POINTS[rule], draws=asked.draws, seed=asked.seed,
        )
        for name, one in said.items()
    }  # fmt: skip
    return _evaluated(
        objects, said, drawn, asked, rule=rule, primary=decides, base=base, margin=margin, by_class=by_class
    )


def _named(detections: Any) -> dict[str, Any]:
    """The detectors by name; one alone is called by its file."""
    if isinstance(detections, Mapping) and not {"annotations", "score", "image"} & set(detections):
        return {str(name): one for name, one in detections.items()}
    return {stem(detections) if isinstance(detections, str | Path) else "detections": detections}


def _at(iou: float) -> Figure:
    return Figure(of="precision", title=f"average precision at IoU {iou:g}", threshold=iou)


def _matched(
    objects: Objects, detections: Detections, *, rule: str, iou: float, iou_type: str, by_class: bool
) -> Matches:
    if iou_type == "masks":
        if rule != "coco":
            raise UsageError(
                "Pascal VOC judges boxes",
                fix="leave out --iou-type masks (iou_type='masks'), or use --rule coco (rule='coco')",
            )
        truths, found = object_masks(objects), detection_masks(objects, detections)
        measured = replace(detections, area=found.areas.astype(float))
        overlap = mask_overlap(objects, truths, found)
        return coco_matches(measured_objects(objects, truths), measured, by_class=by_class, overlap=overlap)
    if np.isnan(detections.box).any():
        raise UsageError(
            "the detections have masks and no boxes", fix="match their masks: --iou-type masks (iou_type='masks')"
        )
    if rule == "coco":
        return coco_matches(objects, detections, by_class=by_class)
    if not by_class:
        raise UsageError(
            "Pascal VOC judges every class by itself",
            fix="leave out --class-agnostic (by_class=False), or use --rule coco (rule='coco')",
        )
    return voc_matches(objects, detections, thresholds=np.array([iou]))


def _evaluated(
    objects: Objects, said: Mapping[str, Detections], drawn: dict[str, Drawn], asked: Settings, *, rule: str,
    primary: str, base: str, margin: Any, by_class: bool,
) -> DetectionEvaluation:  # fmt: skip
    units, level = len(objects.images), asked.level
    first = next(iter(drawn.values()))
    there = {area: images_with(first.matches, area) for area in first.matches.areas}
    rests = {name: rests_on(there[figure.area]) for name, figure in first.figures.items()}
    labels = objects.classes if by_class else ("all classes",)
    judgement = judge_images(
        _found(drawn, base, rests, level), baseline=base, primary=primary, margin=margin, images=units, level=level,
        of_baseline={name: value for name, value in drawn[base].values.items() if not rests[name].mostly_rare}
        if rule == "coco" else {},
    )  # fmt: skip
    return DetectionEvaluation(
        rule=RULES[rule],
        models=tuple(drawn),
        baseline=base,
        primary=primary,
        verdicts=judgement.verdicts,
        estimates={
            name: by_figure(
                one.class_values,
                one.class_draws,
                _kinds(one),
                units=units,
                level=level,
                rests=rests,
                measured=rule == "coco",
                without=one.class_without,
            )
            for name, one in drawn.items()
        },
        classes={name: _by_class(one, labels, there, asked) for name, one in drawn.items()} if by_class else {},
        differences=judgement.differences,
        class_differences=_class_differences(drawn, base, primary, labels=labels, asked=asked, there=there)
        if len(labels) > 1
        else (),
        by_iou={name: _by_iou(one, units, level, rests["AP"]) for name, one in drawn.items()} if rule == "coco" else {},
        images=units,
        objects=int(np.count_nonzero(~objects.crowd)),
        labels=labels,
        said={name: one.count for name, one in said.items()},
        level=level,
        n_resamples=asked.draws,
        seed=asked.seed,
        checks=(
            *objects.checks,
            *(check for one in said.values() for check in one.checks),
            *(check for name, one in said.items() for check in box_convention(objects, one, drawn[name].matches)),
        ),
        sources=(*objects.sources, *(source for one in said.values() for source in one.sources)),
        scene=objects,
        drawn=drawn,
        image_names=objects.names or objects.images,
    )


def _kinds(one: Drawn) -> dict[str, str]:
    return {name: figure.of for name, figure in one.figures.items()}


def _found(
    drawn: Mapping[str, Drawn], base: str, rests: Mapping[str, Rests], level: float
) -> dict[tuple[str, str], Outcome]:
    """Every figure of every other detector less that of the baseline, on the same resamples of images."""
    of_base = drawn[base]
    return {
        (name, figure): figure_difference(
            value - of_base.class_values[figure], one.class_draws[figure] - of_base.class_draws[figure],
            rests[figure], level, without=_apart(one.class_without, of_base.class_without, figure),
        )
        for name, one in drawn.items()
        if name != base
        for figure, value in one.class_values.items()
    }  # fmt: skip


def _apart(mine: Mapping[str, Array], other: Mapping[str, Array], figure: str) -> Array | None:
    """How far two detectors lie apart without each image, by class; None where that was not looked at."""
    return mine[figure] - other[figure] if figure in mine and figure in other else None


def _line(part: Array | None, k: int) -> Array | None:
    return None if part is None else part[k]


def _by_class(
    one: Drawn, labels: tuple[str, ...], there: Mapping[str, Array], asked: Settings
) -> dict[str, dict[str, Estimate]]:
    """The figures of every class, with intervals that hold together."""
    joint = {
        name: joint_level(drawn, asked.level, asked.seed)
        for name, drawn in one.class_draws.items()
        if name in one.by_class
    }
    return {
        label: {
            name: figure_estimate(
                name, float(values[k]), one.class_draws[name][k], one.matches.images, asked.level,
                rests=rests_on(there[one.figures[name].area][k : k + 1]), joint=joint[name], of=one.figures[name].of,
                measured=f"{name}{BY_CLASS}", without=_line(one.class_without.get(name), k),
            )
            for name, values in one.class_values.items()
            if name in one.by_class
        }
        for k, label in enumerate(labels)
    }  # fmt: skip


def _class_differences(
    drawn: Mapping[str, Drawn], base: str, figure: str, *, labels: tuple[str, ...], asked: Settings,
    there: Mapping[str, Array],
) -> tuple[ClassDifference, ...]:  # fmt: skip
    found = []
    for name in drawn:
        if name == base:
            continue
        apart = drawn[name].class_draws[figure] - drawn[base].class_draws[figure]
        values = drawn[name].class_values[figure] - drawn[base].class_values[figure]
        joint = joint_level(apart, asked.level, asked.seed)
        without = _apart(drawn[name].class_without, drawn[base].class_without, figure)
        for k, label in enumerate(labels):
            rests = rests_on(there[drawn[base].figures[figure].area][k : k + 1])
            one = figure_difference(float(values[k]), apart[k], rests, joint, without=_line(without, k))
            found.append(
                ClassDifference(
                    label=label,
                    model=name,
                    baseline=base,
                    value=one.value,
                    low=one.low,
                    high=one.high,
                    level=asked.level,
                )
            )
    return tuple(found)


def _by_iou(one: Drawn, units: int, level: float, rests: Rests) -> dict[str, Estimate]:
    return {
        f"{step:.2f}": figure_estimate(
            f"AP at IoU {step:.2f}", one.iou_values[:, at], one.iou_draws[:, at], units, level, rests=rests,
            without=None if one.iou_without is None else one.iou_without[:, at],
        )
        for at, step in enumerate(one.matches.thresholds)
    }  # fmt: skip
