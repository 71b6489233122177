"""Two models on the same rows: a difference, its interval and a test, for any metric.

One mechanism carries it: what a unit moves the value of the one model, less what it moves the value of the other, and
Student's t on it, adjusted for skewness. For the area under the ROC curve these are DeLong's placements, for a mean the
differences of paired losses. Errors have McNemar's exact family instead. Swaps and resamples of units are there by
name: they take the models as exchangeable under the null, and reject too often where models with the same value work
at different operating points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf, isfinite, isnan, nan, sqrt

import numpy as np

from heldout.batch import Array
from heldout.estimates.interval_choice import facts_in_time, few_of_equal_weight, few_times
from heldout.formulas import METRICS, Metric
from heldout.intervals import Interval
from heldout.intervals.long_run import season_notes
from heldout.intervals.resampling import bca, unresolved
from heldout.intervals.scales import difference_of_roots
from heldout.intervals.unit_spread import FEWEST_CARRIERS, UnitSpread, skew_adjusted_pvalue, skew_adjusted_t
from heldout.stats.forecast_tests import beyond_horizon, diebold_mariano
from heldout.stats.mcnemar_tests import Method, fewest_discordant, kosinski, mcnemar, tango
from heldout.stats.outcome import Outcome, inverted, no_difference, untested, within
from heldout.stats.paired_means import sign_flip
from heldout.verbs.compare.model_pair import STILL, Apart, Both, rests_on_classes
from heldout.verbs.compare.permutation import drawn, every_swap, is_countable, swapped
from heldout.verbs.influence import MOST_CLASSES, cell_influence, gradient_at, unit_influence, variance_by_class
from heldout.verbs.measurement import Measurement

FEW = 1000
"""Up to so many rows rankings that hang on one threshold are swapped and drawn anew; beyond, influence does."""
LONG_TAIL = 4.0
"""Skewness of losses from which their tail may be longer than they show; of few, half the largest possible."""
FEW_OF_A_CLASS = 10
"""With fewer rows of a class, models at different operating points differed significantly too often."""
DRAWS = 999
COUNTED = "swaps, counted"
SHORT = 100
"""Units below which a bootstrap interval tends to be too narrow."""
FEW_CARRIERS = 10
"""Effective units below which a note says how few carry a metric."""
FEWEST_UNITS = 5
"""Below so many rows or clusters no t test is made: with two or three, it rejected a quarter to half of true nulls."""
ROUNDING = 1e-13
"""Values that differ by less than this part of them are equal."""
SLOPES = 1e-8
"""Numerical slopes are known up to about this part."""
OF_ONE_CLASS = ({"tp", "fn"}, {"tn", "fp"})
"""Shares of the positive rows, and of the negative rows."""


Test = Callable[[Metric, Both, float, Apart], Outcome]
Suits = Callable[[Metric, Measurement], bool]


def difference(metric: Metric, a: Measurement, b: Measurement, test: str | None = None) -> Outcome:
    """How much more the first model has than the second, on the same rows; by the test of that name where it suits."""
    return told_apart(metric, Both(a, b), test)


def apart_of(metric: Metric, both: Both) -> Apart | None:
    """How far units move a difference, and what few predictions, or a class without discordant rows, may not show."""
    apart = both.apart(metric)
    if apart is None or not apart.moves:
        return apart
    if metric.name in PREDICTIVE:
        more = _unseen_errors(metric, both.a) + _unseen_errors(metric, both.b)
    else:
        more = _unseen_discordance(metric, both, apart)
    return replace(apart, spread=replace(apart.spread, variance=apart.spread.variance + more))


PREDICTIVE = ("precision", "npv")
"""Shares of the rows that a model predicts as a class, which may be few however many rows there are."""


def _unseen_errors(metric: Metric, measured: Measurement) -> float:
    """How much more a predictive value may vary than its rows show, where one right and one wrong row were more.

    A model that predicts a class on 13 rows without an error has a precision of 1 that no row moves, and yet is not
    known to be perfect: against a model of the same precision its test rejects far too often without this.
    """
    label = measured.batch.positive
    if label is None:
        return 0.0
    sums = measured.tally(metric).sums  # type: ignore[attr-defined]
    right, wrong = (float(np.asarray(sums[name])[label]) for name in metric.needs)
    rows = right + wrong
    if not rows > 0:
        return 0.0
    share, more = right / rows, (right + 1) / (rows + 2)
    return max(more * (1 - more) - share * (1 - share), 0.0) / rows


def _unseen_discordance(metric: Metric, both: Both, apart: Apart) -> float:
    """The variance that a class does not show where the models are both right, or one of them always, on its rows.

    Each direction is taken to have one discordant row more among two rows more of the class [bonett12]. A class counts
    for the share that it can have in the variance: of a rare one all, of one of ten alike a tenth. With one row of a
    class of four, macro recall of equal models differs significantly in a third of samples without this; with 10
    positive rows of 200, balanced accuracy and areas do if one model errs among the positives and the other elsewhere.
    """
    batch = both.a.batch
    if not both.a.independent or batch.time is not None or batch.task not in ("binary", "multiclass"):
        return 0.0
    if is_area(metric, both.a):
        rows = np.array(apart.sizes, dtype=float)
        span = (metric.range[1] - metric.range[0]) / rows
        alike = np.asarray(apart.squares) <= rows * (STILL * span) ** 2
    elif metric.reads == "labels" and rests_on_classes(metric) and len(batch.labels) <= MOST_CLASSES:
        span, table = _span_by_class(metric, both), both.agreement.table
        rows = table.sum(axis=1)
        alike = np.maximum(table[:, 0] + table[:, 3], np.maximum(table[:, 1], table[:, 2])) == rows
    else:
        return 0.0
    largest = rows * span**2
    if not largest.sum() > 0:
        return 0.0
    return float(np.sum(largest[alike] ** 2 * 2 / (rows[alike] + 2)) / largest.sum())


def _span_by_class(metric: Metric, both: Both) -> Array:
    """How much farther a row of each class moves a metric of labels with one prediction than with another."""
    classes = len(both.a.batch.labels)
    moves = [cell_influence(classes, gradient_at(one, metric)).reshape(classes, classes) for one in (both.a, both.b)]
    return np.asarray(np.max([np.ptp(one, axis=1) for one in moves], axis=0))


def told_apart(metric: Metric, both: Both, test: str | None = None) -> Outcome:
    """The difference of two models, whether their rows are in memory or were added up part by part."""
    values = [one.value(metric) for one in (both.a, both.b)]
    value = values[0] - values[1]
    if not all(isfinite(part) for part in values):
        return untested(nan, f"{metric.name} is undefined for a model")
    apart = apart_of(metric, both)
    if apart is None:
        return untested(value, f"{metric.name} has no paired test and no interval of a difference")
    still = not apart.moves or _at_one_end(metric, values)
    if abs(value) <= ROUNDING * max(map(abs, values)):
        value = 0.0  # sums of weights may differ in their last digit, which would say which model is the better one
    unseen = metric.reads == "labels" and still and both.differ  # both wrong, in different ways
    if value == 0 and still and not unseen:
        same = _identical(metric, both, apart)
        return replace(same, notes=(*same.notes, *both.notes(metric)))
    found = _of_root(metric, both, _tested(metric, both, value, apart, test), test)
    size = max(map(abs, values))
    if metric.better is None and abs(value) <= ROUNDING * size and apart.error <= SLOPES * size:
        # prevalence: no prediction moves it, and what seems to is rounding
        same = _identical(metric, both, apart)
        found = replace(same, test=found.test, notes=("the difference is the same in every row", *same.notes[1:]))
    return within(replace(found, notes=(*found.notes, *both.notes(metric))), *metric.range)


def _at_one_end(metric: Metric, values: list[float]) -> bool:
    """Whether both models have the best, or the worst, value that there is: how far units move it is rounding then.

    Two models that separate the classes have an area of 1 each. With weights, units seem to move it by 1e-17.
    """
    span = metric.range[1] - metric.range[0]
    return isfinite(span) and any(all(abs(part - end) <= ROUNDING * span for part in values) for end in metric.range)


def _identical(metric: Metric, both: Both, apart: Apart) -> Outcome:
    """No row differs: an interval of how far rows that were not seen may put the models apart."""
    a, why = both.a, "identical predictions"
    if apart.moves:
        why = f"{metric.name} is {both.a.value(metric):g} for both models"
    if metric.reads == "losses" and both.differ:
        why = f"{metric.name} is the same for both models in every row"
    level = a.settings.level
    if is_error(metric, a):
        return no_difference(why, units=float(_counted_rows(metric, both).sum()), level=level)
    low, high = metric.range
    span = high - low
    if not isfinite(span):  # then no row is taken to differ by more than the rows of one model do
        label = a.batch.positive if metric.one_class else None
        each = None if apart.each is None else unit_influence(a, metric, label)
        span = nan if each is None else len(each) * float(np.ptp(each))
        if span <= SLOPES * abs(a.value(metric)):
            span = 0.0  # rows of the same loss differ in their last digit
    found = no_difference(why, units=_units_at_stake(metric, a, apart), span=span, level=level)
    if a.batch.time is not None:
        found = replace(found, notes=(*found.notes, *few_times(apart.long_run)))
    if isnan(span):
        return replace(found, notes=(why, "the interval needs all rows in memory"))
    return found if span > 0 else replace(found, notes=(why, "no error was seen that could bound the difference"))


def _units_at_stake(metric: Metric, a: Measurement, apart: Apart) -> float:
    """How many units of equal weight a metric rests on: those of the smallest class, or all."""
    units, behind = float(apart.units), _behind(metric)
    of_classes = behind.reads != "losses" and a.batch.task in ("binary", "multiclass")
    if of_classes and behind.rests_on == "smallest class":
        sizes = a.class_weights()
        units = min(units, float(sizes[sizes > 0].min()))
    weight = a.batch.weight
    return units if weight is None else units * float(weight.sum() ** 2 / (len(weight) * np.sum(weight**2)))


def _tested(metric: Metric, both: Both, value: float, apart: Apart, test: str | None) -> Outcome:
    """By the test of that name, where it suits."""
    if test is not None and TESTS[test][0](metric, both.a):
        return TESTS[test][1](metric, both, value, apart)
    found = _tests(metric, both, apart)(metric, both, value, apart)
    if test is None:
        return found
    return replace(found, notes=(*found.notes, f"{test} does not suit it: its own test was used"))


def _of_root(metric: Metric, both: Both, found: Outcome, test: str | None) -> Outcome:
    """The difference of two roots, no surer than that of what they are the roots of: with no difference both are 0.

    Where one model is nearly exact, its root says twice as much against 0 as its square does: with one to three rows
    that have an error, equal models differed significantly in rmse far too often, and in mse hardly ever.
    """
    if metric.via is None or metric.via[1] is not sqrt or found.interval_at is None:
        return found
    squares = told_apart(METRICS[metric.via[0]], both, test)
    own, behind, roots = found.interval_at, squares.interval_at, (both.a.value(metric), both.b.value(metric))
    if behind is None:
        return found

    def at(level: float) -> Interval:
        return difference_of_roots(*roots, own(level), behind(level))

    low, high = at(both.a.settings.level)
    less_sure = squares if squares.pvalue > found.pvalue else found
    return replace(
        found,
        low=low,
        high=high,
        interval_at=at,
        pvalue=less_sure.pvalue,
        statistic=less_sure.statistic,
        df=less_sure.df,
    )


def _behind(metric: Metric) -> Metric:
    return METRICS[metric.via[0]] if metric.via else metric


def is_error(metric: Metric, a: Measurement) -> bool:
    """Whether a metric is the share of rows that are right, or wrong, of all or of one class, each row by itself."""
    return a.independent and set(metric.share) in OF_ONE_CLASS


def is_area(metric: Metric, a: Measurement) -> bool:
    """Whether a metric is the area under the ROC curve, or made of it."""
    return _behind(metric).interval == "area" and a.batch.score is not None and a.batch.score.ndim == 1


def is_mean(metric: Metric, a: Measurement) -> bool:
    """Whether a metric is a mean over rows, or made of one."""
    return _behind(metric).interval in ("mean", "spread") and a.batch.truth.ndim == 1


def _is_swapped(metric: Metric, a: Measurement) -> bool:
    one_score = metric.reads == "scores" and a.batch.score is not None and a.batch.score.ndim == 1
    return is_mean(metric, a) or one_score or metric.reads == "labels"


def _is_drawn(metric: Metric, a: Measurement) -> bool:
    return metric.reads in ("labels", "marks", "losses", "numbers") or (
        metric.reads == "scores" and a.batch.score is not None and a.batch.score.ndim == 1
    )


def _tests(metric: Metric, both: Both, apart: Apart) -> Test:
    """The test that suits a metric: the one place that chooses."""
    a = both.a
    if a.batch.time is not None:
        return _in_time
    if is_error(metric, a):
        return discordant
    # what hangs on one threshold jumps as rows come and go, and influence knows its spread too badly
    few = apart.each is not None and a.batch.rows <= FEW
    return rankings if metric.interval == "ranking" and metric.via is None and few and a.independent else influences


def _is_predictive_value(metric: Metric, a: Measurement) -> bool:
    """Whether a metric is a share of the rows that a model calls positive, or negative, each row counting once."""
    return metric.name in ("precision", "npv") and a.batch.task == "binary" and a.independent


def discordant(metric: Metric, both: Both, value: float, apart: Apart, *, method: Method = "midp") -> Outcome:
    """McNemar's test on the rows where one model is right and the other is wrong, with Tango's interval."""
    del apart
    alike, more, less, none = _counted_rows(metric, both).tolist()
    n, level = alike + more + less + none, both.a.settings.level

    def at(level: float) -> Interval:
        low, high = tango(more, less, n, level)
        return (-high, -low) if metric.better == "lower" else (low, high)

    low, high = at(level)
    fewest = fewest_discordant(method, 1 - level)
    few = more + less < fewest
    rows = f"{more + less} discordant row{'' if more + less == 1 else 's'}"
    notes = (f"{rows}: no test at this level can reject (needs {fewest})",) if few else ()
    error = sqrt(max(more + less - (more - less) ** 2 / n, 0.0)) / n
    words = "mid-p" if method == "midp" else method
    return Outcome(
        value=value, low=low, high=high, pvalue=mcnemar(more, less, method=method), error=error, notes=notes,
        test=f"McNemar {words}, {more} vs {less}", interval_at=at,
    )  # fmt: skip


def _counted_rows(metric: Metric, both: Both) -> Array:
    """Who has the rows right whose answers a share counts: of one class, or all."""
    if metric.name in ("accuracy", "error_rate"):
        every: Array = both.agreement.table.sum(axis=0)
        return every
    assert both.a.batch.positive is not None
    return both.agreement.side(both.a.batch.positive, is_positive=set(metric.share) == OF_ONE_CLASS[0])


def predictive_values(metric: Metric, both: Both, value: float, apart: Apart) -> Outcome:
    """Kosinski's weighted generalized score test of two predictive values, with the interval of paired influence."""
    positive = both.a.batch.positive
    assert positive is not None
    hits, misses = both.agreement.table[positive], both.agreement.table[1 - positive]
    if metric.name == "npv":
        hits, misses = misses, hits
    (shared, first, second, _), (_, other_right, one_right, neither) = hits.tolist(), misses.tolist()
    # a row of the other class that only the second model has right is one that the first model calls positive
    x1, x2 = shared + first, shared + second
    p = kosinski((x1, x1 + one_right + neither), (x2, x2 + other_right + neither), (shared, shared + neither))
    return replace(influences(metric, both, value, apart), pvalue=p, test="Kosinski score")


def areas(metric: Metric, both: Both, value: float, apart: Apart) -> Outcome:
    """Paired DeLong by name: placements under both models are subtracted before they are squared [delong88]."""
    test = "DeLong, paired, z" if both.a.batch.unit is None else "DeLong, paired, clustered, z"
    if _rests_on_few(apart):
        return _too_few(metric, both, value, apart, test)
    if both.a.batch.unit is not None:
        return _by_spread(value, replace(apart.spread, skewness=0.0, df=inf), both.a.settings.level, test)
    spread = UnitSpread(units=apart.units, variance=variance_by_class(apart.sizes, apart.squares))
    return _by_spread(value, spread, both.a.settings.level, test)


def influences(metric: Metric, both: Both, value: float, apart: Apart) -> Outcome:
    """Skewness-adjusted t on what each unit moves the difference; the p-value and the interval are one test."""
    test = _words(metric, both)
    if apart.units < FEWEST_UNITS:
        kind = "row" if both.a.batch.unit is None else "cluster"
        number = f"{apart.units} {kind}{'' if apart.units == 1 else 's'}"
        note = f"{number}: too few for a test (needs {FEWEST_UNITS})"
        return Outcome(value=value, low=nan, high=nan, pvalue=nan, test=test, notes=(note,))
    if _rests_on_few(apart):
        return _too_few(metric, both, value, apart, test)
    found = _by_spread(value, apart.spread, both.a.settings.level, test)
    return replace(found, notes=(*found.notes, *_cautions(metric, both, apart), *_carried(metric, both, apart)))


def _carried(metric: Metric, both: Both, apart: Apart) -> tuple[str, ...]:
    """How few units of equal size or weight carry a metric, where a variance is not known well from so few."""
    few = apart.spread.carriers
    if few is None:
        return ()
    of_all = few.fewest == inf  # no kind of rows lies in few units
    worth = few.df + 1 if of_all else few.fewest
    if not worth < min(FEW_CARRIERS, apart.units * (1 - ROUNDING)):
        return few_of_equal_weight(apart.units, worth) if of_all and both.a.batch.unit is None else ()
    kind = "times" if both.a.batch.time is not None else "rows" if both.a.batch.unit is None else "clusters"
    number = f"{metric.name} rests on {worth:.1f} effective {kind} of {apart.units}"
    return (f"{number}: its variance is known badly, so the interval is wide and little can be shown",)


def _cautions(metric: Metric, both: Both, apart: Apart) -> tuple[str, ...]:
    """What is seen of the rows with which the test was measured to reject too often."""
    n, rare = apart.units, min(apart.sizes)
    if apart.tail > min(LONG_TAIL, sqrt(n) / 2) and _behind(metric).reads in ("losses", "numbers"):
        seen = f"{n} losses with a skewness of {apart.tail:.1f}"
        return (f"{seen}: with long tails, the simulated type I error of this test is up to 32% ± 0.6 (nominal 5%)",)
    if not (both.a.independent and rests_on_classes(metric)):
        return ()
    if metric.reads == "columns" and both.a.batch.truth.ndim == 1:
        rare = int(np.bincount(both.a.batch.truth).min())
        seen = (
            f"{rare} rows of the rarest class: with so few, the simulated type I error of this test is up to "
            f"7% ± 0.9 (nominal 5%)"
        )
        return (seen,) if rare < FEW_OF_A_CLASS else ()
    if both.a.batch.task != "binary" or rare == 0:
        return ()
    kind = "positive" if apart.sizes[0] == rare else "negative"
    if rare < FEW_OF_A_CLASS:
        return (
            f"{rare} {kind} rows: with so few, the simulated type I error of this test is up to 15% ± 1.1 (nominal 5%)",
        )
    return ()


def _words(metric: Metric, both: Both) -> str:
    """What the default test of a metric is called."""
    if _behind(metric).interval == "area":
        return "DeLong, paired" if both.a.batch.unit is None else "DeLong, paired, clustered"
    return "paired t" if is_mean(metric, both.a) else "paired influence"


def _rests_on_few(apart: Apart) -> bool:
    """Whether too few effective clusters, or rows of unequal weight, carry a metric."""
    return apart.units > 1 and apart.spread.carriers is not None and apart.spread.carriers.too_few


def _too_few(metric: Metric, both: Both, value: float, apart: Apart, test: str) -> Outcome:
    """No test: nearly all that a metric can vary by comes from one or two units."""
    assert apart.spread.carriers is not None
    kind, few = "rows" if both.a.batch.unit is None else "clusters", apart.spread.carriers
    kind = kind if both.a.batch.time is None else "times"
    units = min(few.fewest, few.df + 1, FEWEST_CARRIERS - 0.1)  # 2.96 of the 3 that are needed is 2.9
    number = f"{metric.name} rests on {units:.1f} effective {kind}"
    note = f"{number}: too few for a test (needs {FEWEST_CARRIERS})"
    return Outcome(value=value, low=nan, high=nan, pvalue=nan, test=test, notes=(note,))


def rankings(metric: Metric, both: Both, value: float, apart: Apart) -> Outcome:
    """Swap the two models' ranks unit by unit for the p-value; draw units for a paired BCa interval."""
    p = swapped(metric, both.a, both.b, value, draws=DRAWS, seed=[both.a.settings.seed, 7])
    low, high, error = _redrawn(metric, both, value, apart, draws=DRAWS)
    test, rare = "rank swaps, paired BCa", min(apart.sizes)
    if rare < FEWEST_UNITS or not high > low:
        note = f"{rare} row{'' if rare == 1 else 's'} of the rarer class: too few for a test (needs {FEWEST_UNITS})"
        note = note if rare < FEWEST_UNITS else "no resample moves the difference"
        return Outcome(value=value, low=nan, high=nan, pvalue=nan, test=test, notes=(note,))
    return Outcome(
        value=value, low=low, high=high, pvalue=p, error=error, test=test, notes=_cautions(metric, both, apart)
    )


def _redrawn(metric: Metric, both: Both, value: float, apart: Apart, *, draws: int) -> tuple[float, float, float]:
    """The ends of a paired BCa interval that holds the value, and the spread of the draws."""
    asked = both.a.settings
    values = drawn(metric, both.a, both.b, value, draws=draws, seed=[asked.seed, 8])
    low, high = bca(value, values, _each(apart), asked.level)
    return min(low, value), max(high, value), float(np.std(values)) if len(values) else nan


def _each(apart: Apart) -> Array:
    """How far each unit moves the difference: these tests are refused where rows are not in memory."""
    assert apart.each is not None
    return apart.each


def permuted(metric: Metric, both: Both, value: float, apart: Apart) -> Outcome:
    """Sign flips for means, swaps of ranks for rankings, swaps of predictions for labels; each unit as a whole."""
    asked = both.a.settings
    if is_mean(metric, both.a):
        found = influences(metric, both, value, apart)
        each = apart.units * _each(apart) + value
        return replace(
            found, pvalue=sign_flip(each, n_resamples=asked.draws, random_state=asked.seed), test="sign flips"
        )
    if metric.reads == "scores":
        return rankings(metric, both, value, apart)
    if is_countable(metric, both) and not is_error(metric, both.a):
        return replace(influences(metric, both, value, apart), pvalue=every_swap(metric, both), test=COUNTED)
    p = swapped(metric, both.a, both.b, value, draws=asked.draws, seed=[asked.seed, 7])
    low, high, error = _redrawn(metric, both, value, apart, draws=asked.draws)
    return Outcome(value=value, low=low, high=high, pvalue=p, error=error, test="prediction swaps, paired BCa")


def bootstrapped(metric: Metric, both: Both, value: float, apart: Apart) -> Outcome:
    """Paired BCa interval; the p-value is 1 less the lowest level at which it holds 0."""
    asked, each = both.a.settings, _each(apart)
    values = drawn(metric, both.a, both.b, value, draws=asked.draws, seed=[asked.seed, 8])
    if len(values) < 2 or not np.ptp(values) > SLOPES * abs(value):  # less is rounding
        return Outcome(
            value=value,
            low=nan,
            high=nan,
            pvalue=nan,
            test="paired BCa",
            notes=("no variance between units",),
        )
    low, high = bca(value, values, each, asked.level)
    p = inverted(lambda level: bca(value, values, each, level), least=2 / (len(values) + 1))
    notes = ["the p-value inverts the interval", *unresolved(len(values), asked.level)]
    if apart.units < SHORT:
        notes.append(f"{apart.units} units: below {SHORT} a bootstrap interval tends to be too narrow")
    error = float(np.std(values))
    return Outcome(value=value, low=low, high=high, pvalue=p, error=error, test="paired BCa", notes=tuple(notes))


def _in_time(metric: Metric, both: Both, value: float, apart: Apart) -> Outcome:
    """Student's t with the long-run variance of times that depend on those before."""
    if _rests_on_few(apart):
        return _with_times(_too_few(metric, both, value, apart, "HAC t"), both, apart)
    return _with_times(_by_spread(value, apart.spread, both.a.settings.level, "HAC t"), both, apart)


def _in_order(metric: Metric, both: Both, value: float, apart: Apart) -> Outcome:  # noqa: ARG001 a test's signature
    """The test of Diebold and Mariano, by name."""
    time = both.a.batch.time
    assert time is not None
    losses = apart.units * _each(apart) + value
    found = diebold_mariano(losses, horizon=time.horizon or 1, confidence_level=both.a.settings.level)
    return _with_times(replace(found, value=value), both, apart)


def _with_times(found: Outcome, both: Both, apart: Apart) -> Outcome:
    """What is said of the dependence of times, whichever test is made."""
    time = both.a.batch.time
    assert time is not None
    each = _each(apart)
    notes = (*few_times(apart.long_run), *season_notes(each), *beyond_horizon(each, time.horizon))
    return replace(found, notes=(*found.notes, *notes), in_time=facts_in_time(apart.long_run, time))


def is_forecast_error(metric: Metric, a: Measurement) -> bool:
    """Whether a metric is a mean of losses of rows that have times."""
    return is_mean(metric, a) and a.batch.time is not None


def _by_t(metric: Metric, both: Both, value: float, apart: Apart) -> Outcome:
    if both.a.batch.time is not None:
        return _in_time(metric, both, value, apart)
    test = "paired t" if is_mean(metric, both.a) else "paired t on influence"
    if _rests_on_few(apart):
        return _too_few(metric, both, value, apart, test)
    return _by_spread(value, replace(apart.spread, skewness=0.0), both.a.settings.level, test)


ERRORS = "accuracy, error_rate, recall and specificity of rows without groups and weights"
TESTS: dict[str, tuple[Suits, Test, str]] = {
    "mcnemar": (is_error, discordant, ERRORS),
    "exact": (is_error, partial(discordant, method="exact"), ERRORS),
    "asymptotic": (is_error, partial(discordant, method="asymptotic"), ERRORS),
    "corrected": (is_error, partial(discordant, method="corrected"), ERRORS),
    "delong": (is_area, areas, "roc_auc and gini"),
    "kosinski": (_is_predictive_value, predictive_values, "precision and npv of rows without groups and weights"),
    "permutation": (_is_swapped, permuted, "means, and metrics of labels and of one score"),
    "bootstrap": (_is_drawn, bootstrapped, "means, and metrics of labels and of one score"),
    "t": (lambda metric, _a: metric.reads not in ("ordered", "reliability"), _by_t, "all that a unit can move"),
    "diebold_mariano": (is_forecast_error, _in_order, "means of losses of rows with times, such as mae and mse"),
}
"""Tests by name: the metrics that each suits, what it does, and the same in words."""


def _by_spread(value: float, spread: UnitSpread, level: float, test: str) -> Outcome:
    """Skewness-adjusted t; Student's where there is no skewness, the normal test at infinite degrees of freedom."""
    error = spread.error
    # what spread is left of differences that are all alike is rounding, of sums or of numerical slopes
    if not error * sqrt(spread.units) > SLOPES * abs(value) or not spread.df > 0:
        note = "no variance between units" if spread.units > 1 else "fewer than two units"
        note = "one of the two classes has one row: too few for a test" if spread.units > 2 and not spread.df else note
        return Outcome(value=value, low=nan, high=nan, pvalue=nan, test=test, notes=(note,))

    def at(level: float) -> Interval:
        return skew_adjusted_t(value, spread, level)

    low, high = at(level)
    return Outcome(
        value=value, low=low, high=high, pvalue=skew_adjusted_pvalue(value, spread), error=error, test=test,
        statistic=value / error, df=None if spread.df == inf else spread.df, interval_at=at,
    )  # fmt: skip
