"""Which charts a result can give, and what the others would need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Batch
from heldout.charts.calibration import CalibrationBins, calibration_bins
from heldout.charts.confusion_matrix import confusion_matrix
from heldout.charts.critical_difference import rank_diagram
from heldout.charts.curve_lines import CURVES, CurveLines, curve_lines
from heldout.charts.difference_forest import difference_forest, pair_forest
from heldout.charts.figure import Figure
from heldout.charts.metric_forest import metric_forest
from heldout.charts.more_data import more_data, more_data_apart
from heldout.charts.plot import Plot
from heldout.charts.residuals import predicted_truth, quantile_plot, residual_cloud
from heldout.charts.roc_steps import roc_steps
from heldout.charts.score_distribution import score_spread
from heldout.charts.subgroup_forest import class_forest, difference_segments, segment_forest
from heldout.curves import curve_of_batch
from heldout.rows.probabilities import confidence
from heldout.tallies.from_batch import score_order
from heldout.tallies.score_histogram import Binned
from heldout.tallies.scores import Scores

if TYPE_CHECKING:
    from heldout.verbs.compare.compare import Comparison
    from heldout.verbs.evaluate.evaluation import Evaluation

Views = dict[str, Callable[..., Figure]]
Absent = dict[str, tuple[str, str]]
"""By chart: why it cannot be drawn, and what it needs."""
NO_SEGMENTS = ("the segments chart needs segments", "name columns with --segment COLUMN (segments=)")
MOST_CLASSES = 8
"""So many classes have a curve each: there are no more colours that can be distinguished."""
NUMBERS = ("predicted", "residuals", "quantiles")
"""Charts of predicted numbers."""


@dataclass(frozen=True, kw_only=True)
class Scored:
    """Models with scores, what was estimated of them, and their rows in the order of their scores."""

    batches: Mapping[str, Batch]
    estimates: Mapping[str, Mapping[str, Any]]
    thresholds: Mapping[str, float | None]
    level: float
    seed: int
    order: Callable[[str], Scores]


def evaluation_charts(result: Evaluation, d: Mapping[str, Any]) -> Plot:
    """The charts of one model."""
    batch = result.batch
    if result.chunked:
        return _plot_of_chunks(result, d)
    views: Views = {"metrics": partial(metric_forest, d), "more_data": partial(more_data, d), **_shift_views(d)}
    absent: Absent = {} if d["segments"] else {"segments": NO_SEGMENTS}
    if d["confusion"] and d["confusion"]["labels"]:
        views["confusion"] = partial(confusion_matrix, d)
    else:
        absent["confusion"] = _needs(
            "confusion", d["task"], "predicted labels", "give y_pred, or a threshold for the scores"
        )
    if d["classes"] and d["task"] != "binary":
        views["classes"] = partial(class_forest, d)
    views |= _segment_views(d, segment_forest)
    batches = {} if batch is None else {"model": batch}
    known = result.order if isinstance(result.order, Scores) else None
    found, missing = _score_views(batches, d, {"model": d["estimates"]}, {"model": result.threshold}, known)
    if batch is not None and batch.score is not None and d["task"] in ("multiclass", "multilabel"):
        views |= _views_by_class(batch, d)
        missing = {name: why for name, why in missing.items() if name not in CURVES}
    if batch is not None and "roc" in found:
        found["scores"] = partial(score_spread, batch, result.threshold)
        # the order of a measurement has weights of mean one, and the steps count rows as they are weighted
        ordered = known if batch.weight is None else None
        found["roc_steps"] = lambda: roc_steps(score_order(batch) if ordered is None else ordered)
    numbers, not_numbers = _number_views(batch, result.level, result.seed)
    return Plot(views=views | found | numbers, absent=absent | missing | not_numbers)


def _shift_views(d: Mapping[str, Any]) -> Views:
    """How far columns moved from the training or reference rows, where such were given."""
    if not d["shifts"]:
        return {}
    from heldout.charts.rows_compared import shift_views

    return shift_views(d)


def _plot_of_chunks(result: Evaluation, d: Mapping[str, Any]) -> Plot:
    """The charts of rows that were read in chunks: those that sums and the histogram of scores allow."""
    views: Views = {"metrics": partial(metric_forest, d), "more_data": partial(more_data, d)}
    if d["confusion"] and d["confusion"]["labels"]:
        views["confusion"] = partial(confusion_matrix, d)
    if d["classes"]:
        views["classes"] = partial(class_forest, d)
    views |= _segment_views(d, segment_forest)
    if isinstance(result.order, Binned):
        views |= {name: partial(_curve_of_chunks, name, result, d) for name in CURVES}
    why = "needs all rows in memory at once, and they were read in chunks"
    names = ("confusion", *CURVES, "calibration", "scores", *NUMBERS)
    absent: Absent = {name: (f"the {name} chart {why}", result.in_memory_fix) for name in names if name not in views}
    return Plot(views=views, absent=absent if d["segments"] else absent | {"segments": NO_SEGMENTS})


def _curve_of_chunks(name: str, result: Evaluation, d: Mapping[str, Any]) -> CurveLines:
    """One curve, from the histogram of scores."""
    area = d["estimates"].get(CURVES[name].area or "")
    return curve_lines(
        name,
        {"model": result.curve(name)},  # type: ignore[arg-type]  # every chart of CURVES has the name of a curve
        areas={} if area is None or area["value"] is None else {"model": area},
        thresholds={"model": result.threshold},
        prevalence=result.positives / result.rows if result.positives is not None else None,
    )


def comparison_charts(result: Comparison, d: Mapping[str, Any]) -> Plot:
    """The charts of several models, on the same rows or each on its own."""
    views: Views = {
        "metrics": partial(metric_forest, d),
        "differences": partial(difference_forest, d),
        "more_data": partial(more_data_apart, d),
        **_segment_views(d, difference_segments),
    }
    found, missing = _score_views(result.batches, d, d["estimates"], {}, None)
    return Plot(views=views | found, absent=missing if d["segments"] else missing | {"segments": NO_SEGMENTS})


def ranking_charts(d: Mapping[str, Any]) -> Plot:
    """The charts of learners over data sets."""
    return Plot(views={"ranks": partial(rank_diagram, d), "differences": partial(pair_forest, d)})


def _segment_views(d: Mapping[str, Any], forest: Callable[..., Figure]) -> Views:
    """The first column as `segments`, the others by name as well."""
    return {
        "segments" if at == 0 else f"segments:{column}": partial(forest, d, column=column)
        for at, column in enumerate(d["segments"])
    }


def _number_views(batch: Batch | None, level: float, seed: int) -> tuple[Views, Absent]:
    """Charts of the errors of predicted numbers."""
    if batch is None or batch.task != "regression" or batch.prediction is None:
        return {}, {
            name: _needs(name, "", "predicted numbers", "give numbers as y_true and y_pred") for name in NUMBERS
        }
    return {
        "predicted": partial(predicted_truth, batch),
        "residuals": partial(residual_cloud, batch, level=level),
        "quantiles": partial(quantile_plot, batch, level=level, seed=seed),
    }, {}


def _score_views(
    batches: Mapping[str, Batch],
    d: Mapping[str, Any],
    estimates: Mapping[str, Any],
    thresholds: Mapping[str, float | None],
    known: Scores | None,
) -> tuple[Views, Absent]:
    """Charts of scores, of all models that have any."""
    scored = {model: batch for model, batch in batches.items() if batch.score is not None}

    @cache
    def order(model: str) -> Scores:
        return score_order(scored[model]) if known is None else known

    given = Scored(
        batches=scored, estimates=estimates, thresholds=thresholds, level=d["level"], seed=d["seed"], order=order
    )
    views: Views = {}
    lacking = _lacking(scored, d["task"])
    absent = {name: (f"the {name} chart {lacking[0]}", lacking[1]) for name in (*CURVES, "scores")} if lacking else {}
    if not lacking:
        views |= {name: partial(_curves, name, given) for name in CURVES}
    said = {model: batch for model, batch in scored.items() if batch.probabilities and batch.task != "multilabel"}
    if said:
        views["calibration"] = partial(_calibration, given, said)
    else:
        absent["calibration"] = _needs("calibration", "", "probabilities", "give y_score between 0 and 1, or y_proba")
    return views, absent


def _views_by_class(batch: Batch, d: Mapping[str, Any]) -> Views:
    """Curves of classes, each against the rest: those with most rows where they are many."""
    found = against_the_rest(batch)

    @cache
    def order(label: str) -> Scores:
        return score_order(found[label])

    given = Scored(batches=found, estimates=d["classes"], thresholds={}, level=d["level"], seed=d["seed"], order=order)
    return {name: partial(_curves, name, given) for name in CURVES} if found else {}


def against_the_rest(batch: Batch) -> dict[str, Batch]:
    """A batch of two classes per label of a batch that has a score for each: that label, and all others.

    >>> three = Batch(task="multiclass", truth=np.array([0, 1, 2]), score=np.eye(3), labels=("a", "b", "c"))
    >>> against_the_rest(three)["b"].truth.tolist()
    [0, 1, 0]
    """
    assert batch.score is not None
    several = batch.truth.ndim == 2
    hits = batch.truth.T == 1 if several else batch.truth[None, :] == np.arange(len(batch.labels))[:, None]
    counts = hits.sum(axis=1)
    shown = np.sort(np.argsort(-counts, kind="stable")[:MOST_CLASSES])
    return {
        str(batch.labels[at]): replace(
            batch,
            task="binary",
            truth=hits[at].astype(np.int64),
            prediction=None,
            score=batch.score[:, at],
            labels=("rest", batch.labels[at]),
            positive=1,
        )
        for at in shown.tolist()
        if 0 < counts[at] < batch.rows
    }


def _lacking(scored: Mapping[str, Batch], task: str) -> tuple[str, str] | None:
    """What a chart of scores lacks, and the remedy."""
    if task != "regression" and not scored:
        return "needs scores, and there are none", "give y_score, or a file with a score column"
    if task != "binary":
        return f"is for two classes, and the task is {task}", "judge one class against the rest: y_true == label"
    if any(np.all(batch.truth == batch.truth[0]) for batch in scored.values()):
        return "needs rows of both classes, and the truth has one", "give rows of both classes"
    return None


def _needs(name: str, task: str, what: str, fix: str) -> tuple[str, str]:
    there = f", and the task is {task}" if task in ("regression", "multilabel") else ""
    return f"the {name} chart needs {what}{there}", fix


def _curves(name: str, given: Scored) -> CurveLines:
    """One curve per model."""
    first = next(iter(given.batches.values()))
    positive = (first.truth == first.positive).astype(float)
    return curve_lines(
        name,
        {
            model: curve_of_batch(name, batch, level=given.level, seed=given.seed, order=given.order(model))
            for model, batch in given.batches.items()
        },
        areas=_areas(given, CURVES[name].area),
        thresholds=given.thresholds,
        prevalence=float(np.average(positive, weights=first.weight)) if _alike(given.batches) else None,
    )


def _alike(batches: Mapping[str, Batch]) -> bool:
    """Whether guessing is right equally often: on the same rows, or on samples with the same share of positives."""
    shares = {round(float(np.average(one.truth == one.positive, weights=one.weight)), 12) for one in batches.values()}
    return len(shares) == 1


def _areas(given: Scored, metric: str | None) -> dict[str, Any]:
    """The metric that is the area below the curve, of every model that has it."""
    found = {model: given.estimates[model].get(metric or "") for model in given.batches}
    return {model: area for model, area in found.items() if area is not None and area["value"] is not None}


def _calibration(given: Scored, said: Mapping[str, Batch], bins: int = 10) -> CalibrationBins:
    """Calibration of every model that gives probabilities."""
    binary = {model: batch.task == "binary" for model, batch in said.items()}
    return calibration_bins(
        {
            model: curve_of_batch(
                "calibration",
                batch,
                level=given.level,
                seed=given.seed,
                order=given.order(model) if binary[model] else None,
                bins=bins,
            )
            for model, batch in said.items()
        },
        scores={
            model: (batch.score if binary[model] and batch.score is not None else confidence(batch), batch.weight)
            for model, batch in said.items()
        },
        slopes={
            model: found["calibration_slope"]
            for model, found in given.estimates.items()
            if "calibration_slope" in found and model in said and found["calibration_slope"]["value"] is not None
        },
    )
