"""The same figures on matplotlib axes, for those who arrange their own pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heldout.charts.calibration import CalibrationBins
from heldout.charts.confusion_matrix import ConfusionMatrix
from heldout.charts.curve_lines import CurveLines
from heldout.charts.detection_figures import DetectionCurves
from heldout.charts.drawing.theme import CATEGORY, DASHES, RULE, STRONG
from heldout.charts.figure import Figure
from heldout.errors import UsageError
from heldout.optional_packages import require

COLOURS = CATEGORY[False]


def draw(figure: Figure, ax: Any) -> Any:
    """Draw a figure on matplotlib axes, and give the axes back."""
    require("matplotlib", "charts on axes of matplotlib need")
    drawing: dict[type, Callable[[Any, Any], None]] = {
        CurveLines: _curves,
        DetectionCurves: _curves,
        CalibrationBins: _calibration,
        ConfusionMatrix: _confusion,
    }
    if type(figure) not in drawing:
        raise UsageError(
            f"the {figure.kind} chart is not drawn with matplotlib",
            fix=f"take its numbers, plot.{figure.kind}().data, or leave out ax",
        )
    drawing[type(figure)](figure, ax)
    ax.set_title(figure.title)
    return ax


def _curves(figure: CurveLines, ax: Any) -> None:
    meaning = figure.meaning
    for at, (model, curve) in enumerate(figure.curves.items()):
        colour = COLOURS[at % len(COLOURS)]
        if curve.band:
            band = curve.band
            ax.fill_between(band["x"], band["band_low"], band["band_high"], color=colour, alpha=0.13, linewidth=0)
        line = {"color": colour, "linestyle": _dashes(at), "label": figure.names[model]}
        ax.plot(curve.points[curve.x], curve.points[curve.y], **line)
        if model in figure.operating:
            _, x, y = figure.operating[model]
            ax.plot([x], [y], "o", color=colour)
    if "detections" in figure.parts:
        ax.plot(figure.parts["detections"]["x"], figure.parts["detections"]["y"], ".", color=RULE[False])
    if figure.curve in ("roc", "gain"):
        ax.plot([0, 1], [0, 1], color=RULE[False], linestyle="--", linewidth=1)
    elif figure.curve == "precision_recall" and figure.prevalence is not None:
        ax.axhline(figure.prevalence, color=RULE[False], linestyle="--", linewidth=1)
    ax.set(xlabel=meaning.x, ylabel=meaning.y, xlim=(0, 1))
    if figure.curve in ("roc", "gain", "precision_recall"):
        ax.set_ylim(0, 1.01)
    ax.legend(frameon=False)


def _dashes(at: int) -> Any:
    return "-" if at == 0 else (0, tuple(DASHES[at % len(DASHES)]))


def _calibration(figure: CalibrationBins, ax: Any) -> None:
    ax.plot([0, 1], [0, 1], color=RULE[False], linestyle="--", linewidth=1)
    for at, (model, curve) in enumerate(figure.curves.items()):
        colour, band = COLOURS[at % len(COLOURS)], curve.band
        ax.vlines(band["x"], band["low"], band["high"], color=colour)
        ax.plot(curve.points["chance"], curve.points["happened"], "o-", color=colour, label=figure.names[model])
    ax.set(xlabel="predicted probability", ylabel="observed share of positives", xlim=(0, 1), ylim=(0, 1))
    ax.legend(frameon=False)


def _confusion(figure: ConfusionMatrix, ax: Any) -> None:
    rates = figure.rates
    ax.imshow(rates, cmap="Blues", vmin=0, vmax=1)
    for i, line in enumerate(figure.counts.tolist()):
        for j, count in enumerate(line):
            colour = "white" if rates[i, j] >= STRONG else "black"
            ax.text(j, i, f"{count:g}\n{rates[i, j]:.1%}", ha="center", va="center", color=colour)
    places = range(len(figure.labels))
    ax.set_xticks(places, figure.labels)
    ax.set_yticks(places, figure.labels)
    ax.set(xlabel="prediction", ylabel="truth")
