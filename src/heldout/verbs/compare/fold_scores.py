"""`compare_fold_scores`: whether one learner is better than another, where only their scores on splits are left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array
from heldout.cards import SplitCard, split_test_card
from heldout.cards.lookup import LEVEL
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.formulas import ALIASES, METRICS
from heldout.inputs import Check, Source
from heldout.inputs.formats.fold_scores import FoldScores, read_fold_scores
from heldout.intervals.critical_values import critical_t
from heldout.stats.outcome import Outcome
from heldout.stats.split_tests import (
    Posterior,
    bayes_correlated_t,
    corrected_resampled_t,
    five_by_two_f,
    five_by_two_t,
    kfold_paired_t,
)
from heldout.verbs.compare.paired_difference import Found, rows_needed, untested
from heldout.verbs.judgement import Difference, Verdict, margin_of, verdict_of
from heldout.verbs.settings import settings
from heldout.version import __version__

if TYPE_CHECKING:
    from heldout.charts import Plot


MEASURED = {(10, 0.1): "10", (100, 0.1): "10x10", (25, 0.1): "shuffle:25x0.1", (30, 0.33): "shuffle:30x0.33"}
"""How many splits with which share of test rows are splits that the lab has measured."""


@dataclass(frozen=True, kw_only=True)
class FoldComparison:
    """Two learners by their scores on the same splits; the second less the first."""

    models: dict[str, Array]
    """Learner → its scores, split by split; the first is the baseline."""
    difference: Difference
    posterior: Posterior | None = None
    """Where `rope` was given: chances that the difference is below, within and above it."""
    n_train: float | None
    n_test: float | None
    metric: str
    better: str
    level: float
    cv: str = ""
    """What splits these are, by the words of splits, as far as their number and sizes tell."""
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()

    @property
    def splits(self) -> int:
        return len(next(iter(self.models.values())))

    @property
    def verdict(self) -> Verdict:
        return self.difference.verdict

    @property
    def pvalue(self) -> float:
        return self.difference.p

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: the JSON contract `heldout.fold-comparison/1`."""
        return {
            "schema": "heldout.fold-comparison/1",
            "heldout": __version__,
            "inputs": [{"path": source.path, "sha256": source.sha256} for source in self.sources],
            "models": {
                name: {"mean": float(scores.mean()), "scores": scores.tolist()} for name, scores in self.models.items()
            },
            "splits": self.splits,
            "n_train": self.n_train,
            "n_test": self.n_test,
            "metric": self.metric,
            "better": self.better,
            "level": self.level,
            "difference": self.difference.to_dict(),
            "posterior": None if self.posterior is None else asdict(self.posterior),
            "verdict": self.verdict,
            "cards": [card.to_dict() for card in self.cards],
            "checks": [{"code": check.code, "text": check.text} for check in self.checks],
        }

    @property
    def cards(self) -> tuple[SplitCard, ...]:
        """How often this test rejected what is true in the lab, with such splits, per learner; of errors, at 95%."""
        if self.level != LEVEL or not self.cv or self.metric not in ("score", "accuracy", "error_rate"):
            return ()
        rows = round((self.n_train or 0) + (self.n_test or 0))
        found = split_test_card(self.difference.test, max(rows, 1), splits=self.cv)
        return tuple(card for card in found if card.splits == self.cv)

    @property
    def plot(self) -> Plot:
        """Charts: `plot()` lists what can be drawn, `plot.differences()` draws it."""
        from heldout.charts import Plot
        from heldout.charts.difference_forest import difference_forest

        told = {"differences": [self.difference.to_dict()], "primary": self.metric, "level": self.level}
        views = {} if np.isnan(self.difference.low) else {"differences": lambda: difference_forest(told)}
        return Plot(views=views)

    def report(self, path: str | Path) -> Path:
        """Write the page of this result, one HTML file that needs no network, and give its path."""
        from heldout.verbs.html_report import write_report

        return write_report(self, path)

    def __str__(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "text")

    def _repr_html_(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "html")


def compare_fold_scores(
    a: Any,
    b: Any = None,
    *,
    n_train: float | None = None,
    n_test: float | None = None,
    test: str | None = None,
    names: Sequence[str] | None = None,
    baseline: str | None = None,
    metric: str | None = None,
    better: str | None = None,
    margin: float | None = None,
    rope: float | None = None,
    confidence_level: float = 0.95,
) -> FoldComparison:
    """Tell whether the second learner is better than the first, by one score of each per split: corrected resampled t.

    `a` and `b` are scores on the same splits (lists, files with one number per line, CSV, JSON, frames), or `a` is one
    table of both: a column each, or columns learner, fold and score. `baseline` names the one to subtract, the first
    unless given. Splits share training rows, so their scores are not independent; how much they share is told by
    `n_train` and `n_test`, the rows of each split. Predictions tell more: `compare` them, or `validate` the learners.

    >>> a = [0.90, 0.91, 0.87, 0.90, 0.88, 0.92, 0.89, 0.90, 0.86, 0.91]
    >>> b = [0.92, 0.92, 0.86, 0.93, 0.90, 0.92, 0.93, 0.91, 0.88, 0.94]
    >>> found = compare_fold_scores(a, b, n_train=1800, n_test=200)
    >>> print(found.difference)
    score +0.017 [+0.001467, +0.03253], p 0.0352 (corrected resampled t): BETTER
    """
    level = settings(confidence_level=confidence_level).level
    given = _against(read_fold_scores(a, b, learners=names, metric=metric), baseline)
    sizes = _sizes(given, n_train, n_test)
    found = _found(given, _test(test, given), sizes, level)
    difference = _difference(given, found, sizes, margin_of(margin, given.metric, None), _better(given, better), level)
    posterior = None if rope is None or not found.error > 0 else _posterior(given, sizes, rope)
    return FoldComparison(
        models={name: given.scores[:, at] for at, name in enumerate(given.learners)},
        difference=difference,
        posterior=posterior,
        **sizes,
        metric=difference.metric,
        better=str(difference.better),
        level=level,
        cv=_splits_like(given, sizes),
        checks=_checks(given),
        sources=given.sources,
    )


def _sizes(given: FoldScores, n_train: float | None, n_test: float | None) -> dict[str, float | None]:
    """Rows of a split: as the caller says, else as the table says."""
    found = {
        "n_train": given.n_train if n_train is None else n_train,
        "n_test": given.n_test if n_test is None else n_test,
    }
    for name, size in found.items():
        if size is not None and not 0 < size < float("inf"):
            raise UsageError(
                f"{name} is {size:g}, but every split has rows on both sides", fix="give the number of rows of a split"
            )
    return found


def _splits_like(given: FoldScores, sizes: Mapping[str, float | None]) -> str:
    """The word for such splits, where the lab has measured them; else empty."""
    if (given.repeats, given.folds) == (5, 2):
        return "5x2"
    train, test = sizes["n_train"], sizes["n_test"]
    share = round(test / (train + test), 2) if train and test else 0.0
    return MEASURED.get((len(given.scores), share), "")


def _better(given: FoldScores, better: str | None) -> str:
    """Which way is good: as the caller says, else as a metric of that name has it, else higher."""
    known = METRICS.get(ALIASES.get(given.metric, given.metric))
    found = better or ("higher" if known is None or known.better is None else known.better)
    if found not in ("higher", "lower"):
        raise UsageError(f"better is {found!r}, but must be 'higher' or 'lower'")
    return found


def _difference(  # noqa: PLR0917
    given: FoldScores, found: Found, sizes: Mapping[str, float | None], margin: float | None, better: str, level: float
) -> Difference:
    verdict = verdict_of(found, better, None if np.isnan(found.p) else found.p, margin, level)
    rows = round(sum(size or 0 for size in sizes.values())) if all(sizes.values()) else 0
    return Difference(
        metric=given.metric or "score", a=given.learners[1], b=given.learners[0], value=found.value, low=found.low,
        high=found.high, level=level, p=found.p, p_adjusted=found.p, test=found.test, verdict=verdict,
        rows_needed=rows_needed(found, rows, level) if verdict == "UNDECIDED" and rows else None,
        margin=margin, better=better, notes=found.notes, printed=True,
    )  # fmt: skip


def _against(given: FoldScores, baseline: str | None) -> FoldScores:
    """The scores with the baseline first."""
    if baseline in (None, given.learners[0]):
        return given
    if baseline != given.learners[1]:
        raise UsageError(
            f"no learner is named {baseline!r}{did_you_mean(str(baseline), given.learners)}",
            fix=f"the learners are {' and '.join(given.learners)}",
        )
    return replace(given, learners=given.learners[::-1], scores=given.scores[:, ::-1])


def _test(test: str | None, given: FoldScores) -> str:
    """The test by name, where the splits are such; of 5 x 2 numbered splits the combined F, else the corrected t."""
    shape = (given.repeats, given.folds)
    if test is None:
        return "5x2cv_f" if shape == (5, 2) else "corrected_t"
    if test not in FOLD_TESTS:
        hint = did_you_mean(test, FOLD_TESTS)
        raise UsageError(
            f"no test of fold scores is named {test!r}{hint}", fix=f"choose one of {', '.join(FOLD_TESTS)}"
        )
    if test.startswith("5x2") and shape not in ((5, 2), (0, 0)):
        fix = "leave out the test, or score five repetitions of two halves"
        raise UsageError(f"the test {test} is for 5 x 2 splits, and there are {shape[0]} x {shape[1]}", fix=fix)
    if test == "kfold_t" and given.repeats > 1:
        fix = "take corrected_t, which is for any splits"
        raise UsageError(
            f"the test kfold_t is for one cross-validation, and there are {given.repeats} repeats", fix=fix
        )
    return test


def _found(given: FoldScores, test: str, sizes: Mapping[str, float | None], level: float) -> Found:
    apart = given.scores[:, 1] - given.scores[:, 0]
    if len(apart) < 2:
        place = f"{_file(given)}: " if given.sources else ""
        raise DataError(
            f"{place}each learner has the score of one fold, and one fold says nothing about how much scores vary",
            code="H310",
            fix="score both on several splits, better 30; or compare their predictions: heldout compare a.csv b.csv",
        )
    if not apart.any():
        return Found(
            value=0.0, low=0.0, high=0.0, p=1.0, test="identical", error=0.0, notes=("identical scores on every split",)
        )
    if test.startswith("5x2") and len(apart) != 10:
        fix = "leave out the test, or score five repetitions of two halves"
        raise UsageError(f"the test {test} is for 5 x 2 splits, and there are {len(apart)} scores", fix=fix)
    try:
        told = FOLD_TESTS[test](apart, _ratio(given, sizes) if test == "corrected_t" else nan, level)
    except DataError as problem:  # nothing varies: no p-value, least of all 0
        return untested(float(apart.mean()), f"{problem.message}: a variance of zero gives no test")
    reach = critical_t(level, told.df) if told.df else nan
    return Found(
        value=told.value, low=told.low, high=told.high, p=told.p, test=told.test,
        error=(told.high - told.low) / (2 * reach), notes=told.notes,
    )  # fmt: skip


def _ratio(given: FoldScores, sizes: Mapping[str, float | None]) -> float:
    """Test rows over training rows."""
    train, test = sizes["n_train"], sizes["n_test"]
    if train is None or test is None:
        place = f"{_file(given)}: " if given.sources else ""
        raise UsageError(
            f"{place}the corrected t needs to know how many rows a split trains on and tests",
            code="H301",
            fix="give --n-train 1800 --n-test 200 (n_train=, n_test=), with the numbers of your splits",
        )
    return test / train


def _file(given: FoldScores) -> str:
    return given.sources[0].path.replace("\\", "/").rpartition("/")[2]


def _posterior(given: FoldScores, sizes: Mapping[str, float | None], rope: float) -> Posterior:
    """How probable it is that the second is lower, practically the same, higher [corani15]."""
    ratio = _ratio(given, sizes)
    return bayes_correlated_t(given.scores[:, 1] - given.scores[:, 0], rope, correlation=ratio / (1 + ratio))


def _checks(given: FoldScores) -> tuple[Check, ...]:
    """By what splits were matched, where it had to be taken for granted."""
    if given.by == "name":
        return ()
    count = len(given.scores)
    return (
        Check(code="H111", text=f"the {count} scores are matched by position: both are taken to be of the same splits"),
    )


FOLD_TESTS: dict[str, Callable[[Array, float, float], Outcome]] = {
    "corrected_t": lambda apart, ratio, level: corrected_resampled_t(apart, level, ratio=ratio),
    "kfold_t": lambda apart, _, level: kfold_paired_t(apart, level),
    "5x2cv_t": lambda apart, _, level: five_by_two_t(apart.reshape(5, 2), level),
    "5x2cv_f": lambda apart, _, level: five_by_two_f(apart.reshape(5, 2), level),
}
"""Tests of fold scores by name."""
