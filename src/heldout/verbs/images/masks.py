"""How good segmentation masks are: `masks`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array
from heldout.boxes.mask_overlap import outline_edges
from heldout.cards.lookup import CardKey
from heldout.errors import refuse_idle
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import estimate
from heldout.estimates.question import Question
from heldout.estimates.text_corpora import jackknife_logit
from heldout.formulas import METRICS, Metric, name_among
from heldout.formulas.labels import chosen_average
from heldout.inputs.formats.compression import stem
from heldout.inputs.formats.label_maps import is_coco, read_label_maps
from heldout.inputs.message_text import listed
from heldout.intervals.scales import critical_t
from heldout.intervals.simultaneous import bonferroni
from heldout.stats.outcome import Outcome, no_difference
from heldout.tallies import Sums
from heldout.tallies.cells import Cells
from heldout.tallies.units import Units
from heldout.verbs.compare.permutation import error_of_swaps, swapped_sums, too_few_swaps
from heldout.verbs.images.image_evaluation import ClassDifference, MaskEvaluation, judge_images
from heldout.verbs.images.image_intervals import BY_CLASS, Rests, Spread, rare_classes
from heldout.verbs.images.pixel_counts import (
    ROUNDING,
    class_spread,
    image_counts,
    images_of,
    label_cells,
    said_ignored,
    without_each,
)
from heldout.verbs.influence import influence_variance
from heldout.verbs.judgement import Margin, known_name
from heldout.verbs.parameters import documented
from heldout.verbs.settings import Settings, settings

if TYPE_CHECKING:
    from numpy.random import Generator

MEANS = {"mean_iou": "jaccard", "mean_dice": "f1"}
"""Means over classes, and the metrics of one class that they average."""
TIMES = {"mean_iou": 1, "mean_dice": 2}
"""How often a true positive counts: the metric of a class is t TP / (t TP + FP + FN)."""
WHOLE = (*MEANS, "pixel_accuracy")
"""Figures over all classes."""
METHOD = "jackknife t over images"
TEST = "swaps of images, interval by t"
FEW, FEWEST = 10, 2
"""Images below which an interval over images is rough; and images with a class, below which there is none."""
OF_CLASS = {"iou": "jaccard", "dice": "f1", "precision": "precision", "recall": "recall"}
"""Figures of one class."""


@documented()
def masks(
    y_true: Any,
    models: Any,
    *,
    labels: Any = None,
    ignore: int | None = None,
    primary: str | None = None,
    baseline: str | None = None,
    margin: Margin = None,
    confidence_level: float = 0.95,
    random_state: int | Generator | None = 0,
) -> MaskEvaluation:
    """IoU, Dice, precision and recall of segmentation masks, each with a confidence interval over images.

    Parameters
    ----------
    y_true : path, mapping, array-like or sequence of array-like
        Label maps: PNG or NPY files, folders of them, COCO masks (JSON or its content: polygons or run lengths), or
        arrays, in order or by the names of their images.
    models : path, sequence of array-like, COCO content, or mapping of str to them
        The predicted label maps of one model, or of several by name; files have the names of the true ones.
    labels : mapping of int to str or sequence of str, optional
        The classes by code, or their names for the codes 0, 1, 2, … (default: the codes that occur).
    ignore : int, optional
        Pixels whose truth has this code do not count.
    primary : str, optional
        The metric that decides; it is tested alone (default: mean_iou).
    <baseline>
    <margin>
    <confidence_level>
    <random_state>

    Returns
    -------
    MaskEvaluation
        Estimates of every model and class; of several models, their differences from the reference model.

    Raises
    ------
    UsageError
        An option is unknown or does not fit the data.
    DataError
        Label maps differ in size or have undeclared classes.

    See Also
    --------
    detect : The same for object detection.

    Examples
    --------
    >>> truth = [np.array([[0, 1], [1, 1]]), np.array([[0, 0], [1, 1]]), np.array([[0, 1], [0, 1]])]
    >>> found = masks(truth, [np.array([[0, 1], [0, 1]]), truth[1], truth[2]])
    >>> round(found["mean_iou"].value, 4)
    0.8452
    """
    asked = settings(confidence_level=confidence_level, random_state=random_state)
    read = read_label_maps(y_true, _named(models), labels=labels, ignore=ignore, edges=outline_edges)
    if len(read.predictions) < 2:
        refuse_idle("with one model: there is no difference", margin=margin)
        known_name(baseline, list(read.predictions), "model")
        refuse_idle("with one model: there is no other", baseline=baseline)
    cells = label_cells(read)
    found = judged_cells(cells, read.names, asked, primary=primary, baseline=baseline, margin=margin)
    checks = (*read.checks, *said_ignored(cells, read))
    return replace(found, sources=read.sources, image_names=read.images, ignored=read.ignore, checks=checks)


def judged_cells(
    cells: dict[str, Cells], names: tuple[str, ...], asked: Settings, *, primary: str | None = None,
    baseline: str | None = None, margin: float | Mapping[str, float] | None = None,
) -> MaskEvaluation:  # fmt: skip
    """What `masks` says of pixels that have been counted, by model."""
    decides = known_name(primary and name_among(primary, WHOLE), list(WHOLE), "metric")
    base = known_name(baseline, list(cells), "model")
    units = cells[base].units
    figures = figures_over(len(names))
    of_base = {called: _moved(cells[base], metric, None)[0] for called, metric in figures.items()}
    added = {name: image_counts(one) for name, one in cells.items()}
    judgement = judge_images(
        _found(cells, added, base, names, asked), baseline=base, primary=decides, margin=margin, images=units,
        level=asked.level, of_baseline=of_base,
    )  # fmt: skip
    without = {name: without_each(one) for name, one in added.items()}
    return MaskEvaluation(
        rule="pixels added up over images; IoU = TP / (TP + FP + FN)",
        models=tuple(cells),
        baseline=base,
        primary=decides,
        verdicts=judgement.verdicts,
        estimates={
            name: {
                called: _noted(
                    _estimate(
                        metric, one, asked, without=without[name], spread=_spread(called, added[name], len(names))
                    ),
                    *_left_out(called, one, names),
                    *_rare(called, added[name], len(names)),
                )
                for called, metric in figures.items()
            }
            for name, one in cells.items()
        },
        classes={name: _by_class(one, names, asked, without[name]) for name, one in cells.items()},
        differences=judgement.differences,
        class_differences=_class_differences(cells, base, names, asked.level),
        images=units,
        pixels=int(next(iter(cells.values())).rows.sum()),
        labels=names,
        confusion={name: one.counts.astype(int).tolist() for name, one in cells.items()},
        level=asked.level,
        n_resamples=asked.draws,
        seed=asked.seed,
        cells=cells,
    )


def _named(predictions: Any) -> dict[str, Any]:
    """The models by name; one alone is called by its file or folder."""
    if isinstance(predictions, Mapping) and not is_coco(predictions):
        return {str(name): one for name, one in predictions.items()}
    return {stem(predictions) if isinstance(predictions, str | Path) else "prediction": predictions}


@cache
def figures_over(classes: int) -> dict[str, Metric]:
    """The figures over so many classes; classes in neither truth nor prediction are left out of the means."""
    every = np.arange(classes)
    means = {
        called: replace(
            METRICS[f"{name}_macro"], name=called, printed=True,
            formula=chosen_average(METRICS[name].formula, "macro", every, np.nan),
        )
        for called, name in MEANS.items()
    }  # fmt: skip
    return {**means, "pixel_accuracy": replace(METRICS["accuracy"], name="pixel_accuracy", printed=True)}


def _absent(cells: Cells, names: tuple[str, ...]) -> list[str]:
    """Classes in neither truth nor prediction."""
    there = np.bincount(cells.truth, minlength=cells.classes) + np.bincount(cells.prediction, minlength=cells.classes)
    return [name for k, name in enumerate(names) if not there[k]]


def _left_out(called: str, cells: Cells, names: tuple[str, ...]) -> tuple[str, ...]:
    """Which classes a mean leaves out."""
    absent = _absent(cells, names) if called in MEANS else []
    if not absent:
        return ()
    some = f"{len(names) - len(absent)} of {len(names)} classes"
    return (f"mean over {some}: neither truth nor prediction has {listed(absent)}",)


def _noted(estimate: Estimate, *notes: str) -> Estimate:
    """The same with these notes first."""
    if not notes:
        return estimate
    facts = {fact: getattr(estimate, fact) for fact in Estimate.__slots__}
    return Estimate(estimate.value, **{**facts, "notes": (*notes, *estimate.notes)})


def _spread(called: str, added: Units, classes: int) -> Spread:
    return class_spread(TIMES[called], added, classes) if called in TIMES else Spread()


def _rare(called: str, added: Units, classes: int) -> tuple[str, ...]:
    """How many classes of a mean are in too few images to know their values."""
    there = (added.sums["tp"] + added.sums["fp"] + added.sums["fn"] > 0)[:classes]
    images = images_of(added, classes)[there]
    rests = Rests(images=float(images.mean()) if len(images) else 1.0, freedom=1.0, each=np.maximum(images, 1))
    return rare_classes(rests, "in truth or prediction") if called in MEANS and added.units >= FEW else ()


def _estimate(
    metric: Metric, cells: Cells, asked: Settings, *, without: Sums, label: int | None = None,
    level: float | None = None, spread: Spread | None = None,
) -> Estimate:  # fmt: skip
    """A figure with its interval; `level` is what each interval needs for all classes to hold together."""
    found = _jackknifed(metric, cells, without, label, level or asked.level, spread=spread or Spread())
    if found is None:
        found = estimate(
            metric, cells, label=label, level=level or asked.level, draws=asked.draws, seed=asked.seed
        )  # fmt: skip
    facts = {fact: getattr(found, fact) for fact in Estimate.__slots__}
    measured = metric.name
    if level is not None:
        facts |= {"method": f"{found.method}, simultaneous", "level": asked.level}
        measured = f"{metric.name}{BY_CLASS}"
    return Estimate(found.value, **{**facts, "count": None, "measured_as": CardKey(measured)})


def _jackknifed(
    metric: Metric, cells: Cells, without: Sums, label: int | None, level: float, *, spread: Spread
) -> Estimate | None:
    """Student's t on the logit scale, from leaving out each image; None where that says nothing."""
    value = Question(metric=metric, tally=cells, level=level, label=label).value
    facts: dict[str, Any] = {"level": level, "units": cells.units, "name": metric.name, "better": metric.better}
    if label is not None and not np.isnan(value):
        there = sum(cells.sums[name][label] - without[name][:, label] for name in ("tp", "fn"))
        images = int(np.count_nonzero(there))
        if images < FEWEST:
            has = "image has" if images == 1 else "images have"
            note = f"only {images} {has} this class: nothing is known but the value"
            return Estimate(value, low=0.0, high=1.0, method=METHOD, notes=(note,), printed=True, **facts)
    if not 0 < value < 1 or cells.units < 3:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        each = metric({need: part if label is None else part[:, label] for need, part in without.items()})
    if not np.all(np.isfinite(each)) or np.ptp(each) <= ROUNDING:
        return None
    low, high = jackknife_logit(value, each, level, least=spread.error, freedom=spread.freedom)
    return Estimate(value, low=low, high=high, method=METHOD, printed=True, notes=_few(cells.units), **facts)


def _few(images: int) -> tuple[str, ...]:
    return (f"only {images} images: the interval is rough",) if images < FEW else ()


def _by_class(cells: Cells, names: tuple[str, ...], asked: Settings, without: Sums) -> dict[str, dict[str, Estimate]]:
    """The figures of every class, with intervals that hold together over the classes."""
    joint = bonferroni(asked.level, len(names))
    return {
        label: {
            called: _estimate(
                replace(METRICS[name], name=called, printed=True), cells, asked, without=without, label=k, level=joint
            )
            for called, name in OF_CLASS.items()
        }
        for k, label in enumerate(names)
    }


def figure_moves(cells: Cells, called: str, classes: int) -> Array:
    """How far each image moves a figure over so many classes."""
    return _moved(cells, figures_over(classes)[called], None)[1]


def _moved(cells: Cells, metric: Metric, label: int | None) -> tuple[float, Array]:
    """The value of a metric, and how far each image moves it."""
    asked = Question(metric=metric, tally=cells, level=0.95, label=label)
    return asked.value, cells.influence(asked.gradient)


def _difference(a: Cells, b: Cells, metric: Metric, label: int | None, level: float) -> Outcome:
    """Student's t on what each image moves the difference."""
    from scipy.special import stdtr

    (first, moved), (second, other) = (_moved(one, metric, label) for one in (a, b))
    value, apart, images = first - second, moved - other, _images(a, b, label)
    error = float(np.sqrt(influence_variance(apart))) if images > 1 else 0.0
    if np.isnan(value):
        return Outcome(value=value, low=value, high=value, pvalue=value, test="none", notes=("undefined for a model",))
    if value == 0 and not error > ROUNDING:
        return no_difference("no figure differs", units=max(images, 1), level=level)
    if not error > ROUNDING:
        none = float("nan")
        return Outcome(
            value=value,
            low=none,
            high=none,
            pvalue=none,
            test="none",
            notes=("no variance between units",),
        )
    reach = critical_t(level, images - 1) * error
    p = float(2 * stdtr(images - 1, -abs(value) / error))
    low, high = _reached(value, reach)
    return Outcome(value=value, low=low, high=high, pvalue=p, error=error, test="paired t over images")


def _images(a: Cells, b: Cells, label: int | None) -> int:
    """How many images the difference rests on: those where the class is, or was said to be."""
    if label is None:
        return a.units
    there = [one.unit[(one.truth == label) | (one.prediction == label)] for one in (a, b) if one.unit is not None]
    return len(np.unique(np.concatenate(there)))


def _found(
    cells: Mapping[str, Cells], added: Mapping[str, Units], base: str, names: tuple[str, ...], asked: Settings
) -> dict[tuple[str, str], Outcome]:
    """Every figure of every other model less that of the reference model, tested by swaps of images."""
    found = {}
    for name, one in cells.items():
        for called, metric in figures_over(len(names)).items() if name != base else ():
            plain = _difference(one, cells[base], metric, None, asked.level)
            tested = _swapped(plain, metric, added[name], added[base], asked)
            alone = sorted({*_absent(one, names)} ^ {*_absent(cells[base], names)}, key=names.index)
            if alone and called in MEANS:
                note = f"the two means are over different classes: one model alone predicts {listed(alone)}"
                tested = replace(tested, notes=(*tested.notes, note))
            found[name, called] = tested
    return found


def _swapped(found: Outcome, metric: Metric, a: Units, b: Units, asked: Settings) -> Outcome:
    """The difference with the p-value of swapping the models image by image; the interval allows what that allows.

    Where a class is in few images, a t test takes the few that carry the difference for all of them: from 30 images
    with a class in one of twenty-five it rejects too often at 5%, and swaps reject 3.4% of 500 true nulls.
    """
    if isnan(found.value) or found.test == "identical" or a.units < 2:
        return found
    p = swapped_sums(metric, a, b, draws=asked.draws, seed=[asked.seed, 7])
    error, freedom = 0.0 if isnan(found.error) else found.error, a.units - 1
    if p > 1 / (asked.draws + 1) or not error > 0:  # the lowest p-value that swaps can give bounds nothing
        error = error_of_swaps(found.value, error, p, freedom)
    unlike = sum(np.abs(a.added[name] - b.added[name]) for name in metric.needs)
    notes = too_few_swaps(int(np.count_nonzero(unlike.sum(axis=1))), asked.level, "images on which the models differ")
    if not error > 0:
        return replace(found, pvalue=p, test=TEST, notes=(*notes, *found.notes))
    low, high = _reached(found.value, critical_t(asked.level, freedom) * error)
    return replace(found, low=low, high=high, pvalue=p, error=error, test=TEST, notes=notes)


def _reached(value: float, reach: float) -> tuple[float, float]:
    """The ends of an interval; shares cannot differ by more than 1."""
    return max(value - reach, -1.0), min(value + reach, 1.0)


def _class_differences(
    cells: Mapping[str, Cells], base: str, names: tuple[str, ...], level: float
) -> tuple[ClassDifference, ...]:
    """The difference of IoU in every class; the intervals hold together."""
    joint = bonferroni(level, len(names))
    found = {
        (name, label): _difference(one, cells[base], METRICS["jaccard"], k, joint)
        for name, one in cells.items()
        if name != base
        for k, label in enumerate(names)
    }
    return tuple(
        ClassDifference(
            label=label, model=name, baseline=base, value=one.value, low=one.low, high=one.high, level=level
        )
        for (name, label), one in found.items()
    )
