"""Is one model better than another? `compare`, and what it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from heldout.batch import Batch, Label
from heldout.cards.features import Features
from heldout.cards.lookup import CardKey, Found, design_word, found_card
from heldout.errors import UsageError, refuse_idle
from heldout.estimates.interval_choice import SAME_NUMBER
from heldout.formulas import Metric
from heldout.inputs.reading import Check, refuse_unused
from heldout.intervals.long_run import SEASON
from heldout.stats.outcome import Outcome
from heldout.verbs.chunked.model_tables import ChunkedModels, ChunkOptions, models_of_column, open_models
from heldout.verbs.compare.compared_models import Models, family, known_test, tested
from heldout.verbs.compare.many_models import BestOfMany
from heldout.verbs.compare.model_columns import are_columns
from heldout.verbs.compare.model_rows import independent_models, matched_models, models_by_name, read_models
from heldout.verbs.compare.repeated_looks import Looks, asked_looks, in_chunks
from heldout.verbs.compare.subgroup_differences import SegmentedDifferences, segmented_differences
from heldout.verbs.influence import pair_features
from heldout.verbs.judgement import Judgement, Margin, judge
from heldout.verbs.model_results import ModelsResult
from heldout.verbs.parameters import (
    Engine,
    Log,
    Metrics,
    OnNan,
    Progress,
    Spending,
    Task,
    columns_or_arrays,
    documented,
    refuse_wrong_types,
)
from heldout.verbs.row_order import paired_dependence_checks, refuse_chunks_in_time, refuse_tests_in_time
from heldout.verbs.settings import (
    Settings,
    clip_is_used,
    concerning,
    metric_named,
    metric_names,
    settings,
    threshold_is_used,
)

if TYPE_CHECKING:
    from numpy.random import Generator

    from heldout.charts.figure import Figure
    from heldout.charts.plot import Plot
    from heldout.report.html_report import Contents


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Comparison(ModelsResult):
    """Differences of models from a reference model, and the verdict."""

    kind = "comparison"

    task: str
    rows: int
    units: int
    matched: str | None
    only: dict[str, int] = field(default_factory=dict)
    paired: bool = True
    """Whether the models saw the same rows; otherwise `rows` and `units` are those of all samples together."""
    samples: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Rows and units of each model, where each has its own."""
    best_of_many: BestOfMany | None = None
    """Where there are more than two models: all of them judged together."""
    segments: dict[str, list[SegmentedDifferences]] = field(default_factory=dict)
    """By subgroup column, one entry per model other than the reference model."""
    looks: Looks | None = None
    """How the verdicts allow for several looks at growing data; None where the data are looked at once."""
    engine: str = "local"
    """Which engine read the chunks."""
    chunks: int = 1
    """In how many chunks the rows were read; 1 where they were in memory at once."""
    in_memory_fix: str = field(default="", compare=False)
    """The fix for what needs all rows in memory, where they were read in chunks."""
    batches: Mapping[str, Batch] = field(default_factory=dict, compare=False)
    """The rows of every model, where they are in memory."""

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "matched": {"by": self.matched, "rows": self.rows, "only": self.only},
            "task": self.task,
            "rows": self.rows,
            "units": self.units,
            "engine": self.engine,
            "chunks": self.chunks,
            **self.models_content(),
            "paired": self.paired,
            "samples": {name: {"rows": rows, "units": units} for name, (rows, units) in self.samples.items()},
            "best_of_many": None if self.best_of_many is None else self.best_of_many.to_dict(),
            "segments": {column: [one.to_dict() for one in found] for column, found in self.segments.items()},
            "looks": None if self.looks is None else self.looks.to_dict(1 - self.level),
        }

    @property
    def batch_of_rows(self) -> Batch | None:
        """The rows of the reference model, where they are in memory."""
        return self.batches.get(self.baseline)

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """Charts of metrics, differences, subgroups, curves and calibration."""
        from heldout.verbs.evaluate.result_charts import comparison_charts

        return comparison_charts(self, d)

    def report_contents(self, figures: Mapping[str, Figure]) -> Contents:
        """The rows on which the models disagree, where they saw the same rows."""
        from heldout.report.html_report import Contents
        from heldout.verbs.evaluate.wrong_rows import disagreements

        shared = len(self.batches) > 1 and self.paired
        tables = {"disagreement": disagreements(self.batches, self.baseline)} if shared else {}
        return Contents(figures=figures, tables=tables)


@documented(n_resamples=2000)
def compare(
    y_true: Any,
    models: Mapping[str, Any] | None = None,
    *,
    primary: str | Metric | None = None,
    metrics: Metrics = None,
    baseline: str | None = None,
    margin: Margin = None,
    paired: bool = True,
    test: str | None = None,
    sequential: bool = False,
    looks: int | Sequence[float] | None = None,
    look: int | None = None,
    spending: Spending | None = None,
    on_missing: Literal["error", "intersect"] = "error",
    y_pred: str | None = None,
    y_score: str | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    segments: Any = None,
    truth: str | Sequence[str] | None = None,
    prob_prefix: str | None = None,
    id: str | None = None,
    model_column: str | None = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    threshold: float | None = None,
    task: Task | None = None,
    time: Any = None,
    series: Any = None,
    horizon: int | None = None,
    link: Literal["logit"] | None = None,
    clip: float | None = None,
    on_nan: OnNan = "error",
    log: Log | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    random_state: int | Generator | None = 0,
    engine: Engine | None = None,
    engine_address: str | None = None,
    memory: float | str | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Test whether models differ: each metric's difference from a reference model, with interval, test and verdict.

    Parameters
    ----------
    y_true : array-like, table, or mapping of str to path or frame
        The truth; a table whose columns are models; or, without `models`, models as files or frames by name that have
        their own truth.
    models : mapping of str to array-like, str or (array-like, array-like), optional
        Labels, scores (floats) or probabilities by name, beside `y_true`; names of columns, where `y_true` is a table;
        or pairs (truth, prediction) where `paired` is False. Floats beside a truth of whole numbers with more than two
        values are predictions of a regression, as in `evaluate`.
    <primary>
    <metrics>
    <baseline>
    <margin>
    paired : bool, default True
        False: every model has rows of its own, and rows are not matched.
    test : str, optional
        mcnemar, exact, asymptotic, corrected, delong, kosinski, permutation, bootstrap or t; for independent samples
        delong, t or z; with `time` t or diebold_mariano (default: the one that suits the metric).
    <sequential>
    <looks>
    <look>
    <spending>
    on_missing : {"error", "intersect"}, default "error"
        What to do with ids that not every model has.
    y_pred : str, optional
        Column of predicted labels or numbers, where models are files or frames.
    y_score : str, optional
        Column of scores, where models are files or frames.
    <sample_weight>
    <groups>
    <in_time>
    <series>
    <horizon>
    <segments>
    <truth>
    <prob_prefix>
    <id>
    <model_column>
        Rows of the models are matched by `id`.
    <pos_label>
    <labels>
    <threshold>
    <task>
    <link>
    <clip>
    <on_nan>
    <log>
    <confidence_level>
    <n_resamples>
    <random_state>
    <engine>
    <engine_address>
    <memory>
    <progress>

    Returns
    -------
    Comparison
        Differences with verdicts; `comparison["roc_auc"]` is the difference in one metric, of several models
        `comparison["roc_auc", "model"]`.

    Raises
    ------
    UsageError
        An option is unknown, or options do not fit together or to the data.
    DataError
        The data are wrong, or the rows of the models do not match.

    See Also
    --------
    gate : A decision for continuous integration.
    compare_fold_scores : Where only scores of folds are left.
    compare_across_sets : Learners over many data sets.

    Examples
    --------
    >>> truth = [0, 1] * 30
    >>> found = compare(truth, {"old": [0, 1, 1, 0] * 15, "new": truth}, primary="accuracy")
    >>> found.verdict, found["accuracy"].value
    ('BETTER', 0.5)
    """
    refuse_wrong_types(
        paired=paired, test=test, margin=margin, labels=labels, on_nan=on_nan, sequential=sequential, spending=spending
    )
    looking = asked_looks(
        sequential=sequential, looks=looks, look=look, spending=spending, has_test=test is not None, paired=paired,
        segments=segments,
    )  # fmt: skip
    y_true, models = models_by_name(y_true, models)
    columns = {"pred": y_pred, "score": y_score, **columns_or_arrays(
        sample_weight=sample_weight, groups=groups, time=time, series=series
    )}  # fmt: skip
    reading: dict[str, Any] = {
        **columns, "truth": truth, "prob_prefix": prob_prefix, "id": id, "segments": segments, "pos_label": pos_label,
        "labels": labels, "threshold": threshold, "task": task, "link": link, "clip": clip, "on_nan": on_nan,
        "log": log, "horizon": horizon,
    }  # fmt: skip
    if log is not None and metrics is None:
        metrics = "accuracy"  # all that right and wrong can say
    wanted = None if metrics is None and primary is None else _with_primary(metrics, primary)
    asked = settings(
        confidence_level=confidence_level, n_resamples=n_resamples, random_state=random_state, metrics=wanted
    )
    threshold_is_used(threshold, asked)
    clip_is_used(clip, asked)
    known_test(test, paired=paired)
    refuse_tests_in_time(test, given=time is not None, paired=paired, looks=looking is not None)
    if segments is not None and not paired:
        fix = "leave out --segment (segments=), or --unpaired (paired=False)"
        raise UsageError("segments need the same rows under every model", fix=fix)
    decides = None if primary is None else metric_named(primary).name
    chunking = ChunkOptions(engine=engine, address=engine_address, memory=memory, progress=progress)
    if model_column is not None:
        y_true, reading["id"] = models_of_column(y_true, models, model_column, reading, chunking)
        chunking = ChunkOptions()
    given = open_models(y_true, models, reading, chunking)
    if isinstance(given, ChunkedModels) and looking is not None:
        raise in_chunks(looking, given.in_memory_fix)
    if isinstance(given, ChunkedModels):
        from heldout.verbs.chunked.chunked_compare import chunked_models

        refuse_chunks_in_time(next(iter(given.models.values())), time)
        options = {"paired": paired, "test": test, "on_missing": on_missing, "segments": segments}
        with given.running():  # sums over groups need further passes, which run when they are used
            read = chunked_models(given, asked, baseline=baseline, primary=decides, options=options)
            return _compared(read, primary=decides, margin=margin, test=test)
    read = _read(*given, reading, asked, paired=paired, on_missing=on_missing, baseline=baseline, primary=decides)
    return _compared(read, primary=decides, margin=margin, test=test, looks=looking)


def _compared(
    models: Models, *, primary: str | None, margin: Margin, test: str | None, looks: Looks | None = None
) -> Comparison:
    """The comparison of models that are measured."""
    if looks is not None:
        models = replace(models, best=None)  # the best of many is judged at a single look
    measured, reference = models.measured, models.measured[models.baseline]
    asked = models.settings
    outcomes = tested(models, primary=primary, test=test, looks=looks)
    metrics = {metric.name: metric for metric in reference.metrics()}
    together = family(models, outcomes)
    judgement = judge(
        outcomes,
        baseline=models.baseline,
        level=asked.level,
        units=reference.units,
        better={name: metric.better for name, metric in metrics.items()},
        primary=primary,
        margin=margin,
        tested=together,
        shown={pair for pair in together if asked.metrics is not None or outcomes[pair].test == "none"},
        joint_pvalues=models.best.adjusted if models.best is not None and models.best.metric == primary else None,
        card=lambda metric, outcome: _card(
            models, metrics[metric], test, (_model_of(outcome, outcomes), outcome), looks=looks is not None
        ),
    )
    samples = {name: (one.rows, one.units) for name, one in measured.items()}
    return Comparison(
        models=tuple(measured),
        baseline=models.baseline,
        primary=primary,
        verdicts=judgement.verdicts,
        differences=judgement.differences,
        estimates=models.estimates,
        task=reference.batch.task,
        rows=reference.rows if models.paired else sum(count for count, _ in samples.values()),
        units=reference.units if models.paired else sum(count for _, count in samples.values()),
        level=asked.level,
        seed=asked.seed,
        matched=models.matched_by,
        only=models.unmatched,
        paired=models.paired,
        samples={} if models.paired else samples,
        best_of_many=models.best,
        segments=_by_segment(models, judgement, test) if models.batches else {},
        looks=looks,
        checks=(*concerning(models.checks, asked), *judgement.checks, *_without_direction(asked), *_dependence(models)),
        sources=models.sources,
        engine=models.engine,
        chunks=models.chunks,
        in_memory_fix=models.in_memory_fix,
        batches=models.batches,
    )


def _dependence(models: Models) -> tuple[Check, ...]:
    """A note where differences of neighbouring rows are alike, or where the rows have dates."""
    if not models.paired or not models.batches:
        return ()
    return paired_dependence_checks(models.dated, models.measured[models.others[0]], models.measured[models.baseline])


def _model_of(outcome: Outcome, outcomes: Mapping[tuple[str, str], Outcome]) -> str:
    return next(model for (model, _), one in outcomes.items() if one is outcome)


def _card(models: Models, metric: Metric, test: str | None, tested: tuple[str, Outcome], *, looks: bool) -> Found:
    """Simulated type I error of a test, or what was not simulated."""
    model, outcome = tested
    reference = models.measured[models.baseline]
    value = models.estimates[models.baseline][metric.name].value
    if not isfinite(value):
        return Found()
    if looks:
        return Found(unlike="this test with several looks")
    serial = reference.batch.time is not None
    design = design_word(
        serial=serial,
        weighted=reference.weighted,
        clustered=reference.batch.unit is not None and not serial,
        seasonal=any(note.startswith(SEASON) for note in outcome.notes),
    )
    name = metric.name if reference.batch.task == "multilabel" else SAME_NUMBER.get(metric.name, metric.name)
    key = CardKey(name, test or ("auto" if models.paired else "unpaired"), design)

    def features() -> Features | None:
        moved = None if models.pairs is None else models.pairs[model].apart(metric)
        return pair_features(metric, models.measured[model], reference, None if moved is None else moved.skewness)

    return found_card("tests", key, at=(reference.units, value), features=features, level=models.settings.level)


def _read(
    y_true: Any, models: Mapping[str, Any] | None, reading: dict[str, Any], asked: Settings, *, paired: bool,
    on_missing: str, baseline: str | None, primary: str | None,
) -> Models:  # fmt: skip
    """The models measured: their rows matched, or samples of their own."""
    if paired:
        if on_missing != "error" and reading["on_nan"] == "error" and are_columns(y_true, models):
            why = "on columns of one table: every model has all of its rows, unless --on-nan (on_nan=) drops some"
            refuse_idle(why, on_missing=on_missing)
        readings = read_models(y_true, models, reading)
        refuse_unused(readings.values())
        return matched_models(readings, asked, baseline=baseline, primary=primary, on_missing=on_missing)
    if y_true is not None and models is not None:
        raise UsageError(
            "models of one table share its rows, so they are not unpaired samples",
            fix="give every model rows of its own, or leave out --unpaired (paired=False)",
        )
    if on_missing != "error":
        fix = "leave out --on-missing (on_missing=)"
        raise UsageError("unpaired samples have no rows to match, so on_missing has no effect", fix=fix)
    readings = read_models(y_true, models, reading)
    refuse_unused(readings.values())
    return independent_models(readings, asked, baseline=baseline)


def _with_primary(metrics: Any, primary: Any) -> list[Any] | None:
    """The metrics asked for, the primary one among them; None where all are wanted."""
    if metrics is None:
        if primary is None:
            return ["all"]
        named = metric_named(primary)
        # `all` leaves out metrics of the user's and those that are computed only where they are named
        return ["all", named] if named.by_name or named.rows is not None else ["all"]
    listed = metric_names(metrics) or []
    return listed if primary is None or primary in listed else [primary, *listed]


def _without_direction(asked: Settings) -> tuple[Check, ...]:
    """A note on metrics that were named and that no model can be better in."""
    names = [one.name for one in (*(asked.metrics or ()), *asked.extra) if one.better is None]
    if not names:
        return ()
    verb = "has" if len(names) == 1 else "have"
    text = f"{', '.join(names)} {verb} no better and worse: models are not tested on it; see heldout evaluate"
    return (Check(code="H303", text=text),)


def _by_segment(models: Models, judgement: Judgement, test: str | None) -> dict[str, list[SegmentedDifferences]]:
    """The primary metric's difference by subgroup; without one, that of every metric that is tested."""
    primary = judgement.primary
    tested = {one.metric for one in judgement.differences if one.printed and one.verdict is not None}
    deciding = tested if primary is None else {primary}
    metrics = [metric for metric in models.measured[models.baseline].metrics() if metric.name in deciding]
    return segmented_differences(models.measured, models.baseline, metrics, test=test)
