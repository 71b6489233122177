"""What `detect` and `masks` give: figures of models on the same images, and the verdict where there are several."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.errors import UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.inputs import Check, Source
from heldout.verbs.judgement import Difference, Verdict
from heldout.version import __version__

if TYPE_CHECKING:
    from heldout.boxes.average_precision import Curve
    from heldout.charts import Plot
    from heldout.inputs.formats.image_objects import Objects
    from heldout.tallies.cells import Cells
    from heldout.verbs.images.at_score import AtScore
    from heldout.verbs.images.resampled_metrics import Drawn


@dataclass(frozen=True, kw_only=True)
class ClassDifference:
    """The difference of one figure in one class; the intervals of all classes hold together at the level."""

    label: str
    a: str
    b: str
    value: float
    low: float
    high: float
    level: float

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; undefined numbers are None."""
        ends = {name: getattr(self, name) for name in ("value", "low", "high")}
        plain = {name: end if isfinite(end) else None for name, end in ends.items()}
        return {"class": self.label, "a": self.a, "b": self.b, **plain, "level": self.level}


@dataclass(frozen=True, kw_only=True)
class Pictured:
    """Figures of one or several models on the same images, each with an interval over images."""

    kind: str
    """detection or masks."""
    rule: str
    """How detections were matched, or which pixels were counted."""
    models: tuple[str, ...]
    baseline: str
    primary: str
    verdict: Verdict | None
    """None where there is one model."""
    estimates: dict[str, dict[str, Estimate]]
    """By model, then by figure."""
    classes: dict[str, dict[str, dict[str, Estimate]]]
    """By model, class and figure; the intervals of one figure hold together over the classes."""
    differences: tuple[Difference, ...] = ()
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
    """Of masks: pixels of each model, truth by row and prediction by column."""
    level: float = 0.95
    draws: int = 1000
    seed: int = 0
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()
    scene: Objects | None = field(default=None, repr=False, compare=False)
    drawn: dict[str, Drawn] = field(default_factory=dict, repr=False, compare=False)
    image_names: tuple[Any, ...] = field(default=(), repr=False, compare=False)
    cells: dict[str, Cells] = field(default_factory=dict, repr=False, compare=False)
    """Of masks: pixels of each model by truth, prediction and image."""

    def __getitem__(self, name: str) -> Estimate | Difference:
        """The estimate of a figure; with several models, the first model's difference from the baseline."""
        if len(self.models) == 1:
            found: dict[str, Any] = dict(self.estimates[self.models[0]])
        else:
            found = {one.metric: one for one in reversed(self.differences)}
        if name not in found:
            raise UsageError(f"no figure is named {name!r}{did_you_mean(name, found)}")
        return found[name]

    def curve(self, label: str, *, model: str | None = None, iou: float = 0.5) -> Curve:
        """The precision-recall curve of one class at one IoU threshold, the best score first."""
        from heldout.verbs.images.resampled_metrics import curve_of

        name = self.models[0] if model is None else model
        for given, known in ((name, self.drawn), (label, self.labels)):
            if given not in known:
                raise UsageError(f"there is no {given!r}{did_you_mean(given, known)}")
        return curve_of(self.drawn[name].matches, self.labels.index(label), iou)

    @property
    def plot(self) -> Plot:
        """Charts: `plot()` lists what can be drawn, `plot.classes()` draws one."""
        from heldout.verbs.images.image_charts import image_plot

        return image_plot(self)

    def worst_images(self, most: int = 10) -> dict[str, tuple[dict[str, Any], ...]]:
        """By model: the images that lower its figure most, or, of several models, that tell it from the baseline.

        `moves` is the figure (or the difference) less what it is without the image; counts stand beside it.
        """
        from heldout.verbs.images.worst_images import worst_images

        return worst_images(self, most)

    def report(self, path: str | Path) -> Path:
        """Write the page of this result, one HTML file that needs no network, and give its path."""
        from heldout.verbs.html_report import write_report

        return write_report(self, path)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: the JSON contract `heldout.detection/1` or `heldout.masks/1`."""
        counted = (
            {
                "objects": self.objects,
                "detections": self.said,
                "at_score": {model: one.to_dict() for model, one in self.at_score.items()},
            }
            if self.kind == "detection"
            else {"pixels": self.pixels, "confusion": self.confusion}
        )
        return {
            "schema": f"heldout.{self.kind}/1",
            "heldout": __version__,
            "inputs": [{"path": source.path, "sha256": source.sha256} for source in self.sources],
            "rule": self.rule,
            "unit": "images",
            "rows": self.images,
            "units": self.images,
            **counted,
            "labels": list(self.labels),
            "level": self.level,
            "draws": self.draws,
            "seed": self.seed,
            "primary": self.primary,
            "baseline": self.baseline,
            "models": list(self.models),
            "verdict": self.verdict,
            "paired": True,
            "estimates": {
                model: {name: one.to_dict() for name, one in found.items()} for model, found in self.estimates.items()
            },
            "classes": {
                model: {label: {name: one.to_dict() for name, one in part.items()} for label, part in found.items()}
                for model, found in self.classes.items()
            },
            "by_iou": {
                model: {iou: one.to_dict() for iou, one in found.items()} for model, found in self.by_iou.items()
            },
            "differences": [one.to_dict() for one in self.differences],
            "class_differences": [one.to_dict() for one in self.class_differences],
            "many": None,
            "checks": [{"code": one.code, "text": one.text} for one in self.checks],
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """One line per estimate, as a frame (`pandas`, `polars` or `pyarrow`)."""
        import narwhals as nw

        lines = [(model, "", name, one) for model, found in self.estimates.items() for name, one in found.items()]
        lines += [
            (model, label, name, one)
            for model, found in self.classes.items()
            for label, part in found.items()
            for name, one in part.items()
        ]
        table = {
            "model": [line[0] for line in lines],
            "class": [line[1] for line in lines],
            "metric": [line[2] for line in lines],
            **{
                fact: [getattr(line[3], fact) for line in lines] for fact in ("value", "low", "high", "level", "method")
            },
        }
        return nw.from_dict(table, backend=backend).to_native()  # type: ignore[arg-type]

    def __str__(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "text")

    def _repr_html_(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "html")
