"""What `detect` and `masks` give: metrics of models on the same images, and the verdict where there are several."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING, Any

from heldout.cards.lookup import CardKey, Found, found_card
from heldout.errors import UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.inputs.message_text import listed
from heldout.stats.outcome import Outcome
from heldout.verbs.judgement import Judgement, Margin, Pair, judge
from heldout.verbs.model_results import ModelsResult

if TYPE_CHECKING:
    from heldout.boxes.average_precision import Curve
    from heldout.charts.figure import Figure
    from heldout.charts.plot import Plot
    from heldout.inputs.formats.image_objects import Objects
    from heldout.report.html_report import Contents
    from heldout.tallies.cells import Cells
    from heldout.verbs.images.resampled_metrics import AtScore, Drawn

UNTESTED = ("none", "identical")
"""What stands in the place of a test where there is none."""


def judge_images(
    outcomes: Mapping[Pair, Outcome], *, baseline: str, primary: str, margin: Margin, images: int, level: float,
    of_baseline: Mapping[str, float],
) -> Judgement:  # fmt: skip
    """The one judgement on images; `of_baseline` has the reference model's values of metrics that were simulated."""

    def card(metric: str, outcome: Outcome) -> Found:
        value = of_baseline.get(metric, nan)
        if isnan(value) or isnan(outcome.pvalue) or outcome.test in UNTESTED:
            return Found()
        return found_card("tests", CardKey(metric), at=(images, value), level=level)

    return judge(
        outcomes,
        baseline=baseline,
        level=level,
        units=images,
        better=dict.fromkeys((metric for _, metric in outcomes), "higher"),
        primary=primary,
        margin=margin,
        card=card,
    )


@dataclass(frozen=True, kw_only=True)
class ClassDifference:
    """The difference of one figure in one class; the intervals of all classes hold together at the level."""

    label: str
    model: str
    baseline: str
    value: float
    low: float
    high: float
    level: float

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; undefined numbers are None."""
        ends = {name: getattr(self, name) for name in ("value", "low", "high")}
        plain = {name: end if isfinite(end) else None for name, end in ends.items()}
        return {"class": self.label, "model": self.model, "baseline": self.baseline, **plain, "level": self.level}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ImageEvaluation(ModelsResult):
    """Metrics of one or several models on the same images, each with an interval over images."""

    rule: str
    """How detections were matched, or which pixels were counted."""
    classes: dict[str, dict[str, dict[str, Estimate]]]
    """By model, class and metric; the intervals of one metric are simultaneous over the classes."""
    class_differences: tuple[ClassDifference, ...] = ()
    by_iou: dict[str, dict[str, Estimate]] = field(default_factory=dict)
    """Of detections: average precision by model and IoU threshold."""
    at_score: dict[str, AtScore] = field(default_factory=dict)
    """Of detections, where a score was given: what is right, wrong and missed from there on, by model."""
    images: int = 0
    objects: int | None = None
    """Of detections: how many objects there are."""
    pixels: int | None = None
    """Of masks: how many pixels were counted."""
    labels: tuple[str, ...] = ()
    said: dict[str, int] = field(default_factory=dict)
    """Of detections: how many each model made."""
    confusion: dict[str, list[list[int]]] = field(default_factory=dict)
    """Of masks: pixels of each model, truth by row and prediction by column, both named by `confusion_labels`."""
    ignored: int | None = None
    """Of masks: the code of pixels that do not count."""
    n_resamples: int = 1000
    scene: Objects | None = field(default=None, compare=False)
    drawn: dict[str, Drawn] = field(default_factory=dict, compare=False)
    image_names: tuple[Any, ...] = field(default=(), compare=False)
    cells: dict[str, Cells] = field(default_factory=dict, compare=False)
    """Of masks: pixels of each model by truth, prediction and image."""

    @property
    def rows(self) -> int:
        """The images."""
        return self.images

    @property
    def units(self) -> int:
        """The images: what is sampled independently."""
        return self.images

    @property
    def confusion_labels(self) -> tuple[str, ...]:
        """Of masks: names of the rows and columns of `confusion`: the classes and, if predicted, the ignored code."""
        more = len(next(iter(self.confusion.values()), ())) > len(self.labels)
        return (*self.labels, f"{self.ignored} (ignored)") if more else self.labels

    def curve(self, label: str, *, model: str | None = None, iou: float = 0.5) -> Curve:
        """The precision-recall curve of one class at one IoU threshold, the best score first.

        Parameters
        ----------
        label : str
            The class.
        model : str, optional
            The model (default: the first).
        iou : float, default 0.5
            The IoU threshold, one of those that were evaluated.

        Returns
        -------
        Curve
            After each detection that counts: its score, whether it is correct, the counts so far (tp, fp), precision,
            recall, and the position of its image.

        Raises
        ------
        UsageError
            If the class, the model or the threshold is not known.
        """
        from heldout.verbs.images.resampled_metrics import curve_of

        name = self.models[0] if model is None else model
        for what, given, known in (("model", name, list(self.drawn)), ("class", label, self.labels)):
            if given not in known:
                fix = f"choose one of {listed(known)}"
                raise UsageError(f"no {what} is named {given!r}{did_you_mean(given, known)}", fix=fix)
        return curve_of(self.drawn[name].matches, self.labels.index(label), iou)

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """Charts of metrics, differences, classes, sizes, overlaps and precision-recall curves."""
        from heldout.verbs.images.image_charts import image_charts

        return image_charts(self, d)

    def report_contents(self, figures: Mapping[str, Figure]) -> Contents:
        """The images with the lowest values, or on which models differ most."""
        from heldout.report.html_report import Contents
        from heldout.verbs.images.worst_images import image_tables

        return Contents(figures=figures, tables={"disagreement": image_tables(self)} if self.image_names else {})

    def worst_images(self, most: int = 10) -> dict[str, tuple[dict[str, Any], ...]]:
        """The images that lower a model's metric most, or separate it most from the reference model.

        Parameters
        ----------
        most : int, default 10
            Number of images of each model at most.

        Returns
        -------
        dict
            Model → images, each with `moves`, the metric (or the difference) minus what it is without the image,
            and its counts.
        """
        from heldout.verbs.images.worst_images import worst_images

        return worst_images(self, most)

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "rule": self.rule,
            "rows": self.images,
            "units": self.images,
            **self._counted(),
            "labels": list(self.labels),
            "n_resamples": self.n_resamples,
            **self.models_content(),
            "classes": {
                model: {label: {name: one.to_dict() for name, one in part.items()} for label, part in found.items()}
                for model, found in self.classes.items()
            },
            "by_iou": {
                model: {iou: one.to_dict() for iou, one in found.items()} for model, found in self.by_iou.items()
            },
            "class_differences": [one.to_dict() for one in self.class_differences],
        }

    @abstractmethod
    def _counted(self) -> dict[str, Any]:
        """What was counted in the images."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class DetectionEvaluation(ImageEvaluation):
    """What `detect` gives."""

    kind = "detection"

    ranked: bool = False
    """Whether it is of a ranked list of detections that were matched already; then units are not images."""

    def _counted(self) -> dict[str, Any]:
        at_score = {model: one.to_dict() for model, one in self.at_score.items()}
        return {"objects": self.objects, "detections": self.said, "ranked": self.ranked, "at_score": at_score}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class MaskEvaluation(ImageEvaluation):
    """What `masks` gives."""

    kind = "masks"

    def _counted(self) -> dict[str, Any]:
        return {"pixels": self.pixels, "confusion": self.confusion}
