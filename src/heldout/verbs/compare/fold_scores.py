"""`compare_fold_scores`: whether one learner is better than another, where only their scores on splits are left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.cards import SplitCard, split_test_card
from heldout.cards.lookup import LEVEL
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.formulas import ALIASES, METRICS
from heldout.inputs import Check
from heldout.inputs.columns.column_names import plain_name
from heldout.inputs.formats.fold_scores import FOLD, REPEAT, FoldScores, read_fold_scores
from heldout.intervals.scales import critical_t
from heldout.stats.outcome import Outcome, no_difference, untested
from heldout.stats.split_tests import (
    Posterior,
    bayes_correlated_t,
    corrected_resampled_t,
    five_by_two_f,
    five_by_two_t,
    kfold_paired_t,
)
from heldout.verbs.judgement import Difference, judge
from heldout.verbs.model_results import ModelsResult
from heldout.verbs.parameters import documented, value_text
from heldout.verbs.settings import settings

if TYPE_CHECKING:
    from heldout.charts.plot import Plot


MEASURED = {(10, 0.1): "10", (100, 0.1): "10x10", (25, 0.1): "shuffle:25x0.1", (30, 0.33): "shuffle:30x0.33"}
"""How many splits with which share of test rows are splits with simulated rates."""
MOST_ROWS = 1e15
"""More rows than this are a slip; sums of them would not be exact."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class FoldComparison(ModelsResult):
    """Two learners by their scores on the same splits; the second minus the first."""

    kind = "fold-comparison"

    scores: dict[str, Array]
    """Learner → its scores, split by split."""
    posterior: Posterior | None = None
    """Where `rope` was given: chances that the difference is below, within and above it."""
    n_train: float | None
    n_test: float | None
    cv: str = ""
    """What splits these are, by the words of splits, as far as their number and sizes tell."""

    @property
    def splits(self) -> int:
        """The number of splits."""
        return len(next(iter(self.scores.values())))

    @property
    def difference(self) -> Difference:
        """The second learner minus the first."""
        return self.differences[0]

    @property
    def pvalue(self) -> float:
        """The p-value of the difference."""
        return self.difference.pvalue

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "splits": self.splits,
            "n_train": self.n_train,
            "n_test": self.n_test,
            "scores": {name: scores.tolist() for name, scores in self.scores.items()},
            "means": {name: _mean(scores) for name, scores in self.scores.items()},
            **self.models_content(),
            "posterior": None if self.posterior is None else asdict(self.posterior),
            "cards": [card.to_dict() for card in self.cards],
        }

    @property
    def cards(self) -> tuple[SplitCard, ...]:
        """Simulated type I error of this test with such splits, per learner; of errors, at 95%."""
        if self.level != LEVEL or not self.cv or self.difference.metric not in ("score", "accuracy", "error_rate"):
            return ()
        rows = round((self.n_train or 0) + (self.n_test or 0))
        found = split_test_card(self.difference.test, max(rows, 1), splits=self.cv)
        return tuple(card for card in found if card.splits == self.cv)

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """A chart of the difference."""
        from heldout.charts.difference_forest import difference_forest
        from heldout.charts.plot import Plot

        return Plot(views={} if np.isnan(self.difference.low) else {"differences": lambda: difference_forest(d)})


@documented()
def compare_fold_scores(
    models: Any,
    *,
    n_train: float | None = None,
    n_test: float | None = None,
    test: Literal["corrected_t", "kfold_t", "5x2cv_t", "5x2cv_f"] | None = None,
    baseline: str | None = None,
    metric: str | None = None,
    better: Literal["higher", "lower"] | None = None,
    margin: float | None = None,
    rope: float | None = None,
    confidence_level: float = 0.95,
) -> FoldComparison:
    """Test whether one learner is better than another, by one score of each per cross-validation fold.

    Folds share training rows, so their scores are not independent: the corrected resampled t-test allows for it, and
    needs to know how many rows a fold trains on and tests. Predictions tell more: `compare` them, or `validate` the
    learners.

    Parameters
    ----------
    models : mapping of str to array-like or path, path or frame
        Scores of two learners by name, in the same order of folds (lists, files with one number per line, CSV, JSON);
        or one table of both: a column each, or columns learner, fold and score.
    n_train, n_test : float, optional
        Training and test rows of a fold.
    test : {"corrected_t", "kfold_t", "5x2cv_t", "5x2cv_f"}, optional
        The test (default: corrected_t; 5x2cv_f for five repetitions of two folds).
    <baseline>
    metric : str, optional
        What the scores are, such as "accuracy"; of a table with several columns of scores, the one to use (default: the
        name of their column, or score).
    better : {"higher", "lower"}, optional
        Which scores are better (default: as the metric has it, else higher).
    margin : float, optional
        Differences within the margin either way are EQUIVALENT.
    rope : float, optional
        Also the probability that the learners differ by no more than this.
    <confidence_level>

    Returns
    -------
    FoldComparison
        The difference with its interval, test and verdict.

    Raises
    ------
    UsageError
        A test is unknown or does not fit the splits.
    DataError
        Scores are missing, or their numbers differ.

    See Also
    --------
    validate, compare_across_sets

    Examples
    --------
    >>> a = [0.90, 0.91, 0.87, 0.90, 0.88, 0.92, 0.89, 0.90, 0.86, 0.91]
    >>> b = [0.92, 0.92, 0.86, 0.93, 0.90, 0.92, 0.93, 0.91, 0.88, 0.94]
    >>> found = compare_fold_scores({"a": a, "b": b}, n_train=1800, n_test=200)
    >>> print(found.difference)
    score +0.017 [+0.001, +0.033], p 0.035 (corrected resampled t): BETTER
    """
    level = settings(confidence_level=confidence_level).level
    if metric is not None and not isinstance(metric, str):
        fix = "write metric='accuracy', or leave it out"
        raise UsageError(f"metric is {value_text(metric)}, but must be a name", fix=fix)
    given = _against(_read(models, metric), baseline)
    sizes = _sizes(given, n_train, n_test)
    outcome = _outcome(given, _test(test, given), sizes, level)
    name = given.metric or "score"
    judgement = judge(
        {(given.learners[1], name): outcome},
        baseline=given.learners[0],
        level=level,
        units=round(sum(size or 0 for size in sizes.values())) if all(sizes.values()) else 0,
        better={name: _better(given, better)},
        primary=name,
        margin=margin,
    )
    return FoldComparison(
        models=given.learners,
        baseline=given.learners[0],
        scores={name: given.scores[:, at] for at, name in enumerate(given.learners)},
        estimates={},
        primary=name,
        differences=judgement.differences,
        verdicts=judgement.verdicts,
        posterior=None if rope is None or not outcome.error > 0 else _posterior(given, sizes, rope),
        n_train=sizes["n_train"],
        n_test=sizes["n_test"],
        level=level,
        cv=_splits_like(given, sizes),
        checks=_checks(given),
        sources=given.sources,
    )


def _read(models: Any, metric: str | None) -> FoldScores:
    """Two learners by name, or one table of both."""
    if isinstance(models, Mapping) and not _is_table(models):
        names = [str(name) for name in models]
        if len(names) != 2:
            raise UsageError(f"{len(names)} learners were given, and two are compared", fix="give two learners by name")
        return read_fold_scores(*models.values(), learners=names, metric=metric)
    return read_fold_scores(models, None, learners=None, metric=metric)


def _is_table(models: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one table of both learners, which has a column of folds or repeats, not learners by name."""
    return any(plain_name(str(name)) in (*FOLD, *REPEAT) for name in models)


def _mean(scores: Array) -> float:
    """The mean, also where the sum is beyond the largest number."""
    with np.errstate(over="ignore"):
        found = float(scores.mean())
    return found if isfinite(found) else float((scores / len(scores)).sum())


def _sizes(given: FoldScores, n_train: float | None, n_test: float | None) -> dict[str, float | None]:
    """Rows of a split: as the caller says, else as the table says."""
    found = {
        "n_train": given.n_train if n_train is None else n_train,
        "n_test": given.n_test if n_test is None else n_test,
    }
    for name, size in found.items():
        if size is not None and not 1 <= size <= MOST_ROWS:
            wrong = "which is more rows than there are" if size > 1 else "but every split has rows on both sides"
            raise UsageError(f"{name} is {size:g}, {wrong}", fix="give the number of rows of a split")
    return found


def _splits_like(given: FoldScores, sizes: Mapping[str, float | None]) -> str:
    """The word for such splits, where they were simulated; else empty."""
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
        raise UsageError(
            f"better is {found!r}, but must be 'higher' or 'lower'", fix="leave it out if higher scores are better"
        )
    return found


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


def _outcome(given: FoldScores, test: str, sizes: Mapping[str, float | None], level: float) -> Outcome:
    apart = given.scores[:, 1] - given.scores[:, 0]
    if len(apart) < 2:
        place = f"{_file(given)}: " if given.sources else ""
        raise DataError(
            f"{place}each learner has the score of one fold, and one fold says nothing about how much scores vary",
            code="H310",
            fix="score both on several splits, better 30; or compare their predictions: heldout compare a.csv b.csv",
        )
    if not apart.any():
        return no_difference("identical scores on every split")
    if test.startswith("5x2") and len(apart) != 10:
        fix = "leave out the test, or score five repetitions of two halves"
        raise UsageError(f"the test {test} is for 5 x 2 splits, and there are {len(apart)} scores", fix=fix)
    try:
        told = FOLD_TESTS[test](apart, _ratio(given, sizes) if test == "corrected_t" else nan, level)
    except DataError as problem:  # nothing varies: no p-value, least of all 0
        return untested(float(apart.mean()), f"{problem.message}: a variance of zero gives no test")
    reach = critical_t(level, told.df) if told.df else nan
    return replace(told, error=(told.high - told.low) / (2 * reach))


def _ratio(given: FoldScores, sizes: Mapping[str, float | None]) -> float:
    """Test rows over training rows."""
    train, test = sizes["n_train"], sizes["n_test"]
    if train is None or test is None:
        place = f"{_file(given)}: " if given.sources else ""
        raise UsageError(
            f"{place}the corrected t needs to know how many rows a split trains on and tests",
            code="H301",
            fix="give --n-train 1800 (n_train=1800) and --n-test 200 (n_test=200), with the numbers of your splits",
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
