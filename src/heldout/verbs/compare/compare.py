"""Is one model better than another? `compare`, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout.batch import Batch
from heldout.errors import UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.formulas import ALIASES, Metric
from heldout.inputs import Check, Source
from heldout.verbs.chunked.model_tables import Streams, Walk, opened_models
from heldout.verbs.compare.many_models import Contenders, Entrants, entrants
from heldout.verbs.compare.model_rows import Paired, apart, read_models
from heldout.verbs.compare.model_rows import paired as matched
from heldout.verbs.compare.subgroup_differences import SegmentedDifferences, segmented_differences
from heldout.verbs.judgement import Contest, Difference, Verdict, judged, known_test
from heldout.verbs.settings import Settings, concerning, settings
from heldout.version import __version__

if TYPE_CHECKING:
    from numpy.random import Generator

    from heldout.charts.plot import Plot

READING = (
    *("truth", "pred", "score", "prob_prefix", "group", "weight", "id", "sample_weight", "groups"),
    *("segments", "pos_label", "labels", "threshold", "task", "link", "on_nan", "log"),
)
"""Options that say how the models are read."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Differences of models from a baseline, and the verdict on the metric that decides."""

    models: tuple[str, ...]
    baseline: str
    primary: str | None
    verdict: Verdict
    differences: tuple[Difference, ...]
    estimates: dict[str, dict[str, Estimate]]
    task: str
    rows: int
    units: int
    level: float
    seed: int
    matched: str | None
    only: dict[str, int] = field(default_factory=dict)
    paired: bool = True
    """Whether the models saw the same rows; otherwise `rows` and `units` are those of all samples together."""
    samples: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Rows and units of each model, where each has its own."""
    many: Contenders | None = None
    """Where there are more than two models: all of them judged together by the primary metric."""
    segments: dict[str, list[SegmentedDifferences]] = field(default_factory=dict)
    """By segment column, one entry per model other than the baseline."""
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()
    engine: str = "local"
    """Who added up the parts."""
    parts: int = 1
    """In how many parts the rows were read; 1 where they were in memory at once."""
    batch: Batch | None = field(default=None, repr=False, compare=False)
    """The baseline's rows."""
    batches: Mapping[str, Batch] = field(default_factory=dict, repr=False, compare=False)
    """The rows of every model."""

    def __getitem__(self, name: str) -> Difference:
        """The first model's difference of a metric, by its name or an alias."""
        known = ALIASES.get(name, name)
        for one in self.differences:
            if one.metric == known:
                return one
        names = [one.metric for one in self.differences]
        raise UsageError(f"no difference is named {name!r}{did_you_mean(known, names)}")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: the JSON contract `heldout.comparison/1`."""
        return {
            "schema": "heldout.comparison/1",
            "heldout": __version__,
            "inputs": [{"path": source.path, "sha256": source.sha256} for source in self.sources],
            "matched": {"by": self.matched, "rows": self.rows, "only": self.only},
            "task": self.task,
            "rows": self.rows,
            "units": self.units,
            "level": self.level,
            "seed": self.seed,
            "engine": self.engine,
            "parts": self.parts,
            "primary": self.primary,
            "baseline": self.baseline,
            "models": list(self.models),
            "verdict": self.verdict,
            "paired": self.paired,
            "samples": {name: {"rows": rows, "units": units} for name, (rows, units) in self.samples.items()},
            "estimates": {
                model: {name: one.to_dict() for name, one in found.items()} for model, found in self.estimates.items()
            },
            "differences": [one.to_dict() for one in self.differences],
            "many": None if self.many is None else self.many.to_dict(),
            "segments": {column: [one.to_dict() for one in found] for column, found in self.segments.items()},
            "checks": [{"code": one.code, "text": one.text, "labels": one.labels} for one in self.checks],
        }

    def report(self, path: str | Path) -> Path:
        """Write the page of this result, one HTML file that needs no network, and give its path."""
        from heldout.verbs.html_report import write_report

        return write_report(self, path)

    @property
    def plot(self) -> Plot:
        """Charts: `plot()` lists what can be drawn, `plot.differences()` draws one."""
        from heldout.verbs.evaluate.result_charts import comparison_plot

        return comparison_plot(self)

    def __str__(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "text")

    def _repr_html_(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "html")

    def to_frame(self, backend: str = "pandas") -> Any:
        """One line per difference, as a frame (`pandas`, `polars` or `pyarrow`)."""
        import narwhals as nw

        names = ("metric", "a", "b", "value", "low", "high", "level", "p", "p_adjusted", "test", "verdict")
        table = {name: [getattr(one, name) for one in self.differences] for name in names}
        return nw.from_dict(table, backend=backend).to_native()  # type: ignore[arg-type]


def compare(
    y_true: Any,
    models: Mapping[str, Any] | None = None,
    *,
    primary: str | Metric | None = None,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    baseline: str | None = None,
    margin: float | Mapping[str, float] | None = None,
    paired: bool = True,
    test: str | None = None,
    on_missing: str = "error",
    confidence_level: float = 0.95,
    draws: int = 2000,
    random_state: int | Generator | None = 0,
    engine: str | None = None,
    engine_address: str | None = None,
    memory: float | str | None = None,
    progress: Callable[[int, int], None] | None = None,
    **reading: Any,
) -> Comparison:
    """Is one model better than another? Each metric's difference, with its interval, test and verdict.

    `models` are labels, scores (floats) or probabilities by name, beside one truth; or files and frames that have their
    own truth (`compare({"a": "a.csv", "b": "b.csv"})`). Later models are judged against the first, or against
    `baseline`. The `primary` metric is tested alone; all others are corrected for their number (Holm). `test` names a
    test instead of the one that suits: mcnemar, exact, asymptotic, corrected, delong, permutation, bootstrap, t;
    with `paired=False`, where every model has rows of its own in a file, a frame or a pair (truth, prediction), it is
    one of delong, t, z.

    Models may be columns of one table: `compare("preds.parquet", {"old": "score_old", "new": "score_new"})`. Tables in
    parts (several paths, a folder, a pattern) that take more than `memory`, or for which an `engine` is named, are read
    part by part as in `evaluate`: all in one table, or with the same rows in the same order.

    >>> truth = [0, 1] * 30
    >>> found = compare(truth, {"old": [0, 1, 1, 0] * 15, "new": truth}, primary="accuracy")
    >>> found.verdict, found["accuracy"].value
    ('BETTER', 0.5)
    """
    unknown = sorted(set(reading) - set(READING))
    if unknown:
        raise UsageError(f"compare has no option {unknown[0]!r}{did_you_mean(unknown[0], READING)}")
    if reading.get("log") is not None and metrics is None:
        metrics = "accuracy"  # all that right and wrong can say
    wanted = None if metrics is None and primary is None else _with_primary(metrics, primary)
    asked = settings(confidence_level=confidence_level, draws=draws, random_state=random_state, metrics=wanted)
    known_test(test, paired=paired)
    if reading.get("segments") is not None and not paired:
        raise UsageError("segments need the same rows under every model", fix="leave out segments or paired=False")
    decides = None if primary is None else settings(metrics=primary).metrics[0].name  # type: ignore[index]
    walk = Walk(engine=engine, address=engine_address, memory=memory, progress=progress)
    given = opened_models(y_true, models, reading, walk)
    if isinstance(given, Streams):
        from heldout.verbs.chunked.chunked_compare import entrants_in_parts

        told = {"paired": paired, "test": test, "on_missing": on_missing, "segments": reading.get("segments")}
        with given.running():  # groups are walked over when they are asked for
            found = entrants_in_parts(given, asked, baseline=baseline, primary=decides, told=told)
            return _compared(found, asked, primary=decides, margin=margin, paired=paired, test=test)
    rows = _rows(*given, reading, paired=paired, on_missing=on_missing)
    found = entrants(rows, asked, baseline=baseline, primary=decides, paired=paired)
    return _compared(found, asked, primary=decides, margin=margin, paired=paired, test=test)


def _compared(
    found: Entrants, asked: Settings, *, primary: str | None, margin: Any, paired: bool, test: str | None
) -> Comparison:
    """The comparison of models that are measured."""
    measured, base = found.measured, found.base
    estimates = {name: one.overall() for name, one in measured.items()}
    contest = Contest(
        measured=measured, estimates=estimates, base=base, primary=primary, margin=margin, paired=paired, test=test,
        many=found.many, pairs=found.pairs,
    )  # fmt: skip
    differences = judged(contest)
    samples = {name: (one.rows, one.units) for name, one in measured.items()}
    return Comparison(
        models=tuple(measured),
        baseline=base,
        primary=primary,
        verdict=_verdict(differences, primary),
        differences=tuple(differences),
        estimates=estimates,
        task=measured[base].batch.task,
        rows=samples[base][0] if paired else sum(count for count, _ in samples.values()),
        units=samples[base][1] if paired else sum(count for _, count in samples.values()),
        level=asked.level,
        seed=asked.seed,
        matched=found.matched,
        only=found.only,
        paired=paired,
        samples={} if paired else samples,
        many=found.many,
        segments=_by_segment(contest, differences) if found.batches else {},
        checks=(*concerning(found.checks, asked), *_holm_note(primary, differences)),
        sources=found.sources,
        engine=found.engine,
        parts=found.parts,
        batch=found.batches.get(base),
        batches=found.batches,
    )


def _rows(
    y_true: Any, models: Mapping[str, Any] | None, reading: dict[str, Any], *, paired: bool, on_missing: str
) -> Paired:
    """The models' rows: matched, or samples of their own."""
    if paired:
        return matched(read_models(y_true, models, reading), on_missing=on_missing)
    if y_true is not None and models is not None:
        raise UsageError(
            "paired=False is for samples that share no row, and one y_true means the same rows",
            fix="give each model its own truth, {'a': (y_true, prediction), …}, or leave out paired=False",
        )
    if on_missing != "error":
        raise UsageError("on_missing is for rows that are matched, and these are not", fix="leave out on_missing")
    return apart(read_models(y_true, models, reading))


def _with_primary(metrics: Any, primary: Any) -> list[Any] | None:
    """The metrics asked for, the primary one among them; None where all are wanted."""
    if metrics is None:
        return ["all"] if primary is None or isinstance(primary, str) else ["all", primary]
    named = [metrics] if isinstance(metrics, Metric) else metrics
    listed = [name.strip() for name in named.split(",")] if isinstance(named, str) else list(named)
    return listed if primary is None or primary in listed else [primary, *listed]


def _by_segment(contest: Contest, differences: Sequence[Difference]) -> dict[str, list[SegmentedDifferences]]:
    """The primary metric's difference by segment; without one, that of every metric that is tested."""
    primary = contest.primary
    deciding = {one.metric for one in differences if (one.metric == primary if primary else one.printed)}
    metrics = [metric for metric in contest.measured[contest.base].metrics() if metric.name in deciding]
    return segmented_differences(contest.measured, contest.base, metrics, test=contest.test)


def _verdict(differences: Sequence[Difference], primary: str | None) -> Verdict:
    """The verdict on the primary metric; without one, on whatever passes the correction, if it all points one way."""
    deciding = [one for one in differences if (one.metric == primary if primary else one.printed)]
    said = {one.verdict for one in deciding}
    if said == {"EQUIVALENT"}:
        return "EQUIVALENT"
    said -= {"UNDECIDED", "EQUIVALENT"}
    return next(iter(said)) if len(said) == 1 else "UNDECIDED"


def _holm_note(primary: str | None, differences: Sequence[Difference]) -> tuple[Check, ...]:
    tested = len({one.metric for one in differences if one.printed})
    if primary is not None or tested < 2:
        return ()
    text = f"{tested} metrics and no primary one: p-values are corrected for their number (Holm)"
    return (Check(code="H303", text=text),)
