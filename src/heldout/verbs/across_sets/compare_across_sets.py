"""Which learner is better, over many data sets? `compare_across_sets`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError, did_you_mean
from heldout.inputs import Check, SetScores, read_set_scores
from heldout.stats.rank_tests import (
    Pairs,
    bonferroni_dunn,
    friedman,
    nemenyi,
    nemenyi_pairs,
    ranks_of,
    versus_control,
    wilcoxon_pairs,
)
from heldout.stats.wilcoxon import bayes_signed_rank, pseudomedian
from heldout.verbs.across_sets.ranking import LearnerPair, Omnibus, PostHoc, Practical, Ranking
from heldout.verbs.parameters import documented, value_text
from heldout.verbs.settings import Settings, settings

if TYPE_CHECKING:
    from numpy.random import Generator

ROUGH = 10
"""Average ranks over fewer data sets than this are not yet normal."""


def too_few(sets: int, learners: int, pairs: int, post_hoc: str, level: float) -> tuple[Check, ...]:
    """A word where no scores could differ significantly, or where ranks are too few to be normal."""
    alpha = round(1 - level, 12)
    if post_hoc == "holm":
        fewest = fewest_sets(pairs, alpha)
        if sets >= fewest:
            return ()
        corrected = f" after Holm's correction for {pairs} pairs" if pairs > 1 else ""
        text = f"Wilcoxon's test{corrected} can never reject at {100 * alpha:.6g}%; it takes {fewest} or more"
        return (Check(code="H304", text=f"{sets} data sets are too few: {text}"),)
    reach = nemenyi(learners, sets, alpha) if post_hoc == "nemenyi" else bonferroni_dunn(learners, sets, alpha)
    if reach >= learners - 1:
        text = f"average ranks would have to be {reach:.3g} apart, and {learners - 1} is the most they can be"
        return (Check(code="H304", text=f"{sets} data sets are too few to reject at {100 * alpha:.6g}%: {text}"),)
    if sets < ROUGH:
        text = f"average ranks over {sets} data sets are only roughly normal; holm counts exactly"
        return (Check(code="H310", text=text),)
    return ()


def fewest_sets(pairs: int, alpha: float) -> int:
    """The fewest data sets n with pairs x 2^(1 - n) < alpha: the least p-value that Holm holds against the level.

    >>> fewest_sets(1, 0.05), fewest_sets(6, 0.05)
    (6, 8)
    """
    return next(n for n in count(1) if pairs * 2.0 ** (1 - n) < alpha)


def pair_notes(d: Array, interval: tuple[float, float], p: float, level: float, *, wilcoxon: bool) -> tuple[str, ...]:
    """What a reader must know of one pair's differences."""
    moved = int(np.count_nonzero(d))
    if not moved:
        return ("equal on every data set",)
    low, high = interval
    said = []
    if not np.isfinite(low):
        said.append(f"{len(d)} data sets are too few for an interval with ends at this level")
    elif wilcoxon and 2.0 ** (1 - moved) >= 1 - level:
        said.append(f"the scores differ on {moved} data sets only: the test can never reject")
    elif wilcoxon and (not low <= 0 <= high) != (p < 1 - level):
        said.append("the interval and the p-value disagree by a hair; the p-value decides")
    return tuple(said)


TESTS: Mapping[str, str] = {
    "holm": "Wilcoxon signed rank",
    "nemenyi": "average ranks, Nemenyi",
    "control": "average ranks, normal",
}
"""What each post-hoc test is, in words."""


@dataclass(frozen=True, kw_only=True)
class RankingInput:
    """Learners' scores, and what the caller decided."""

    given: SetScores
    asked: Settings
    post_hoc: PostHoc
    control: int | None
    """Where the learner that others are judged against is; None where all pairs are judged."""
    higher: bool
    rope: float | None


@documented(n_resamples=10000)
def compare_across_sets(
    scores: Any,
    *,
    post_hoc: PostHoc = "holm",
    baseline: str | None = None,
    better: Literal["higher", "lower"] = "higher",
    rope: float | None = None,
    dataset: str | None = None,
    tie_correction: bool = True,
    confidence_level: float = 0.95,
    n_resamples: int = 10_000,
    random_state: int | Generator | None = 0,
) -> Ranking:
    """Rank learners over data sets: Friedman's test, then every pair with its difference, interval and p-value.

    Data sets are the sample: average the folds of each first.

    Parameters
    ----------
    scores : path, frame, mapping or 2-d array-like
        A row per data set and a column per learner.
    post_hoc : {"holm", "nemenyi", "control"}, default "holm"
        How pairs are tested: Wilcoxon's test with Holm's correction, Nemenyi's test of average ranks, or the ranks of
        each learner against the `baseline`.
    baseline : str, optional
        The learner that others are compared with, for "control".
    better : {"higher", "lower"}, default "higher"
        Which scores are better.
    rope : float, optional
        Region of practical equivalence: a Bayesian signed rank test gives the probability of a difference within it.
    dataset : str, optional
        The column that names the data set (default: found by its name).
    tie_correction : bool, default True
        Whether Friedman's test is corrected for ties.
    <confidence_level>
    <n_resamples>
    <random_state>

    Returns
    -------
    Ranking
        Average ranks, the omnibus test, groups of learners that do not differ significantly, and every pair.

    Raises
    ------
    UsageError
        A test or baseline is unknown.
    DataError
        A score is missing, or the table has folds instead of data sets.

    See Also
    --------
    compare, compare_fold_scores, heldout.stats.friedman

    References
    ----------
    J. Demšar (2006). Statistical comparisons of classifiers over multiple data sets [demsar06].

    Examples
    --------
    >>> table = {"dataset": list("abcdef"), "tree": [5, 6, 5, 7, 8, 6], "forest": [6, 8, 8, 9, 9, 9]}
    >>> print(compare_across_sets(table)["forest", "tree"])
    forest - tree +2.0 [+1.0, +3.0], p 0.031 adjusted (Wilcoxon signed rank): BETTER
    """
    asked = settings(confidence_level=confidence_level, n_resamples=n_resamples, random_state=random_state)
    if not isinstance(tie_correction, bool | np.bool_):
        fix = "leave it out to correct for ties"
        raise UsageError(f"tie_correction is {value_text(tie_correction)}, but must be True or False", fix=fix)
    checked, higher = _known(post_hoc, better, rope), better == "higher"
    given = read_set_scores(scores, dataset=dataset)
    control = _control(given, post_hoc, baseline)
    data = RankingInput(given=given, asked=asked, post_hoc=checked, control=control, higher=higher, rope=rope)
    average = ranks_of(given.scores, higher=higher).mean(axis=0)
    tested = _tested(data, average)
    sets, learners = given.scores.shape
    few = too_few(sets, learners, len(tested.pvalue), post_hoc, asked.level)
    return Ranking(
        sets=given.sets,
        models=given.learners,
        better=better,
        level=asked.level,
        ranks=dict(zip(given.learners, average.tolist(), strict=True)),
        friedman=_omnibus(given.scores, higher=higher, tied=tie_correction) if learners > 2 else None,
        tie_correction=bool(tie_correction),
        post_hoc=checked,
        baseline=None if control is None else given.learners[control],
        critical_difference=nemenyi(learners, sets, 1 - asked.level) if post_hoc == "nemenyi" else None,
        groups=_groups(given.learners, average, tested, asked.level) if control is None and learners > 2 else (),
        pairs=tuple(_pair(data, tested, at) for at in range(len(tested.pvalue))),
        rope=None if rope is None else float(rope),
        n_resamples=asked.draws,
        seed=asked.seed,
        checks=(*given.checks, *_look_like_ranks(given, higher=higher), *few),
        sources=given.sources,
    )


def _known(post_hoc: str, better: str, rope: float | None) -> PostHoc:
    """The post-hoc test, if it and what else was asked for exists."""
    if better not in ("higher", "lower"):
        raise UsageError(
            f"better is {better!r}, but must be 'higher' or 'lower'", fix="leave it out if higher scores are better"
        )
    if post_hoc not in TESTS:
        hint = did_you_mean(post_hoc, TESTS)
        raise UsageError(f"post_hoc is {post_hoc!r}, which is not known{hint}", fix=f"choose one of {', '.join(TESTS)}")
    if rope is not None and not 0 <= rope < float("inf"):
        raise UsageError(f"rope is {rope:g}, but must be zero or more", fix="such as 0.01, in units of the scores")
    return post_hoc  # type: ignore[return-value]


def _control(given: SetScores, post_hoc: str, baseline: str | None) -> int | None:
    """Where the learner that others are judged against is; None where all pairs are judged."""
    if len(given.learners) == 2 and post_hoc != "holm":
        fix = "leave post_hoc out: two learners have Wilcoxon's test"
        raise UsageError(f"post_hoc is {post_hoc!r}, which is for three or more learners", fix=fix)
    if baseline is None:
        return 0 if post_hoc == "control" else None
    if post_hoc == "nemenyi":
        fix = "choose control (ranks) or holm (Wilcoxon) to judge learners against one"
        raise UsageError("Nemenyi's test is of all pairs and takes no baseline", fix=fix)
    if baseline not in given.learners:
        known = f"the learners are {', '.join(given.learners)}"
        raise UsageError(f"no learner is named {baseline!r}{did_you_mean(baseline, given.learners)}", fix=known)
    return given.learners.index(baseline)


def _omnibus(scores: Array, *, higher: bool, tied: bool) -> Omnibus:
    found = friedman(scores, better="higher" if higher else "lower", tie_correction=tied)
    sets, df = len(scores), scores.shape[1] - 1
    return Omnibus(
        chi_square=found.chi_square,
        df=df,
        chi_square_pvalue=found.chi_square_pvalue,
        f=found.f,
        f_df=(df, df * (sets - 1)),
        f_pvalue=found.f_pvalue,
    )


def _tested(data: RankingInput, average: Array) -> Pairs:
    scores, control = data.given.scores, data.control
    if data.post_hoc == "nemenyi":
        return nemenyi_pairs(average, len(scores))
    if data.post_hoc == "control" and control is not None:
        return versus_control(average, len(scores), control=control)
    return wilcoxon_pairs(scores, higher=data.higher, control=control)


def _pair(data: RankingInput, tested: Pairs, at: int) -> LearnerPair:
    """The second of two learners less the first, which is the baseline where there is one."""
    given, level, higher = data.given, data.asked.level, data.higher
    first, second = tested.pairs[at].tolist()
    d = given.scores[:, second] - given.scores[:, first]
    value, low, high = pseudomedian(d, level) if d.any() else (0.0, 0.0, 0.0)
    p, adjusted = float(tested.pvalue[at]), float(tested.adjusted[at])
    told = adjusted < 1 - level and bool(tested.ahead[at])
    above, below = int(np.sum(d > 0)), int(np.sum(d < 0))
    return LearnerPair(
        a=given.learners[second],
        b=given.learners[first],
        value=value,
        low=low,
        high=high,
        level=level,
        wins=above if higher else below,
        ties=int(np.sum(d == 0)),
        losses=below if higher else above,
        statistic=float(tested.statistic[at]),
        pvalue=p,
        pvalue_adjusted=adjusted,
        test=TESTS[data.post_hoc],
        verdict=("WORSE" if tested.ahead[at] > 0 else "BETTER") if told else "UNDECIDED",
        practical=_practical(d, data),
        notes=pair_notes(d, (low, high), p, level, wilcoxon=data.post_hoc == "holm"),
    )


def _practical(d: Array, data: RankingInput) -> Practical | None:
    if data.rope is None:
        return None
    chances = bayes_signed_rank(d, data.rope, n_resamples=data.asked.draws, random_state=data.asked.seed)
    worse, within, better = chances if data.higher else chances[::-1]
    return Practical(worse=worse, within=within, better=better)


def _groups(learners: tuple[str, ...], average: Array, tested: Pairs, level: float) -> tuple[tuple[str, ...], ...]:
    """The largest sets of learners no two of which differ significantly, each and all by average rank.

    Starts with one set of all and parts every set that holds two that differ significantly.
    """
    found = {frozenset(range(len(learners)))}
    apart = tested.pairs[(tested.adjusted < 1 - level) & (tested.ahead != 0)].tolist()
    for i, j in apart:
        parted = {part for one in found for part in ((one - {i}, one - {j}) if {i, j} <= one else (one,))}
        found = {one for one in parted if not any(one < other for other in parted)}
    order = np.argsort(average, kind="stable").tolist()
    place = {learner: at for at, learner in enumerate(order)}
    ordered = sorted(sorted(place[learner] for learner in one) for one in found)
    return tuple(tuple(learners[order[at]] for at in one) for one in ordered)


def _look_like_ranks(given: SetScores, *, higher: bool) -> tuple[Check, ...]:
    """A word where the scores are ranks already, and the best of them, 1, counts as the worst."""
    if not higher or not np.array_equal(ranks_of(given.scores, higher=False), given.scores):
        return ()
    text = "the scores look like ranks, of which the lowest is the best, but higher is read as better here"
    return (Check(code="H111", text=f"{text}: use --lower-is-better (better='lower')"),)
