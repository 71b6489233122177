"""Intervals for mean losses, errors and ratios of sums."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from math import inf, isfinite, isnan, log, sqrt

import numpy as np

from heldout.batch import Array
from heldout.estimates.question import Answer, Question
from heldout.estimates.shares import unit_interval
from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.long_run import long_run
from heldout.intervals.means import bootstrap_t, exceedance, mean_of_counts, mean_of_values, quantile, student
from heldout.intervals.resampling import percentile, unresolved
from heldout.intervals.scales import critical_t, critical_z, on_log, on_log_one_minus, plain
from heldout.intervals.shares import effective_wilson
from heldout.intervals.unit_spread import UnitSpread, skew_adjusted_t, spread_of_units
from heldout.tallies.from_batch import Ordered
from heldout.tallies.moments import Moments
from heldout.tallies.units import Units

ENOUGH = 100
"""From this many units on, a mean in [0, 1] has an effective-n Wilson interval; below, a normal one is too narrow."""
FEW_ROWS = 30
"""Below this many units, an unbounded loss always has a warning: a tail that they lack cannot be seen in them."""
FEW_BEYOND = 5
"""Rows expected beyond the quantile of a quantile's loss; with fewer, intervals cover too rarely, with none never."""
SKEWED, SKEWED_BY_ROOT = 2.0, 0.3
"""Losses of a skewness above 2 and above 0.3 sqrt(n) have a warning: intervals of such means cover too rarely."""
FEW_VALUES, ROWS_EACH = 10, 5
"""Losses with at most so many values, and so many rows for each, are counts of these values."""

ALIKE = 1e-12
"""Units that differ by a smaller share of the value than this differ by rounding only."""


def mean(asked: Question) -> Answer:
    """Student's interval corrected for skewness; multinomial score where a row takes one of a few values."""
    if asked.time is not None:
        return in_time(asked)
    values = _few_values(asked)
    if values is not None:
        return _of_values(asked, values)
    answer = skewed(asked)
    no_tail = not isfinite(asked.value) or _is_rounding(asked)
    if no_tail:
        return answer
    allowed = _with_unseen_failures(asked, answer)
    return allowed if allowed is not answer else replace(answer, notes=answer.notes + _unseen_tail(asked))


def in_time(asked: Question) -> Answer:
    """Of times that depend on those before: on the log scale where the mean is of losses, which are skewed, else t.

    At autocorrelation 0.8 and 100 times, the true mean of squared errors of normal forecasts is rejected in 7% of
    samples at 5% so, and in 10% by t.
    """
    if asked.metric.range[0] < 0 or not asked.value > 0 or not asked.variance > 0 or _is_rounding(asked):
        return t(asked)
    return log_scale(asked)


def bounded_mean(asked: Question) -> Answer:
    """Of means in [0, 1]: effective-n Wilson from 100 units on, Student's corrected for skewness below."""
    many = asked.tally.units >= ENOUGH or asked.time is not None
    answer = unit_interval(asked) if many or isnan(asked.value) else skewed(asked)
    return _with_unseen_failures(asked, answer)


def skewed(asked: Question) -> Answer:
    """Student's interval, and Hall's correction for skewness where that is wider; closed, so no draw moves it."""
    if isinstance(asked.tally, Moments):  # many units, of which the third moment was not kept
        return t(asked)
    if not isfinite(asked.value) or _is_rounding(asked):
        return _answer(asked, UNDEFINED, "Hall t")
    return _answer(asked, _skewed_ends(asked), "Hall t" + _ratio(asked))


SCARCE, SCARCEST = 6.0, 15.0
"""Skewness in n units is raised by the factor 1 + 6 / n, with n at least 15: few units show less than there is."""


def _skewed_ends(asked: Question) -> Interval:
    lean, n = _lean(asked)

    variance, df = asked.variance, min(asked.df, n - 1.0)
    if asked.tally.weighted and not asked.tally.clustered:
        # a heavy row pulls the value towards itself, and is worth few degrees of freedom
        weighed = _spread_of_weighted(asked)
        variance, df, lean = weighed.variance, weighed.df, weighed.skewness * sqrt(n)

    def ends(skewness: float) -> Interval:
        raised = skewness * (1 + SCARCE / max(n, SCARCEST)) / sqrt(max(n, 1))
        spread = UnitSpread(units=n, variance=variance, skewness=raised, df=df)
        return skew_adjusted_t(asked.value, spread, asked.level)

    found = ends(lean)
    if not asked.metric.against or isnan(found[0]):
        return found
    # what units move a share of explained loss is less skewed than losses are, which take it down
    return ends(min(lean, -_skewness_of_losses(asked)))[0], found[1]


def _spread_of_weighted(asked: Question) -> UnitSpread:
    """How much the value varies as rows of unequal weight do: each as if it were left out in turn."""
    sizes, moved = asked.sizes, asked.form(Units).influence(asked.gradient)
    if sizes.ndim > 1:
        return spread_of_units(moved)
    weighs = sizes > 0
    spread = spread_of_units(moved[weighs], sizes[weighs][None])
    return replace(spread, variance=spread.variance + asked.hidden)


SMALLEST, LARGEST = 1e-150, 1e150
"""Sums of squares whose cubes neither vanish nor overflow."""


def _skewness(apart: Array) -> float:
    """Third moment about zero of distances from a mean, in units of their root mean square."""
    squares = float(apart @ apart)
    if SMALLEST < squares < LARGEST:
        # general powers take many times as long as products
        return float((apart * apart) @ apart) * sqrt(len(apart)) / squares**1.5
    largest = float(np.abs(apart).max(initial=0.0))
    if not 0 < largest < inf:
        return 0.0
    scaled = apart / largest  # cubes of large numbers overflow
    squared = scaled * scaled
    return float(np.mean(squared * scaled) / np.mean(squared) ** 1.5)


def _lean(asked: Question) -> tuple[float, int]:
    """Skewness of how far units move the value, and how many units weigh something; found once for every level."""
    if "lean" not in asked.__dict__:
        apart, n = _apart(asked)
        asked.__dict__["lean"] = _skewness(apart), n
    found: tuple[float, int] = asked.__dict__["lean"]
    return found


def _apart(asked: Question) -> tuple[Array, int]:
    """How far each unit lies from the value, in the direction of the value, and how many units weigh something."""
    moved = asked.form(Units).influence(asked.gradient)
    if asked.independent and asked.form(Units).alike is None:
        return moved, len(moved)
    columns = [asked.form(Units).column(name) for name in asked.metric.needs]
    nothing = [column == 0 if column.ndim == 1 else ~column.any(axis=1) for column in columns]
    weighs = ~reduce(np.logical_and, nothing)
    if asked.form(Units).alike is not None:
        moved = np.repeat(moved, asked.form(Units).lines.astype(int))
    return (moved, len(moved)) if bool(weighs.all()) else (moved[weighs], int(np.count_nonzero(weighs)))


def t(asked: Question) -> Answer:
    """Student's t on what units add, linearised where the value is a ratio of sums."""
    known = asked.variance >= 0 and isfinite(asked.value) and not _is_rounding(asked)
    error = sqrt(asked.variance) if known else float("nan")
    ends = student(asked.value, error, asked.df, asked.level)
    return _answer(asked, ends, "t" + _ratio(asked))


def normal(asked: Question) -> Answer:
    """The value and its standard error on the normal scale: right for many units only."""
    if not asked.stand_in and asked.variance == 0:
        return Answer(interval=(asked.value, asked.value), method="normal")
    ends = plain(asked.value, sqrt(asked.variance) if asked.variance > 0 else float("nan"), asked.level)
    notes = () if asked.tally.units >= ENOUGH else (f"the normal interval is too narrow at {asked.tally.units} units",)
    return _answer(asked, ends, "normal", notes)


def studentised(asked: Question) -> Answer:
    """Bootstrap-t over units."""
    if not isfinite(asked.value) or _is_rounding(asked):
        return _answer(asked, UNDEFINED, "bootstrap-t")
    if isinstance(asked.tally, Moments):
        answer = t(asked)
        return replace(answer, notes=(*answer.notes, "units were not kept, so this is not a bootstrap-t interval"))
    numerators, denominators = _columns(asked)
    numerators = numerators * _factor(asked.value, numerators, denominators)
    ends, dropped = bootstrap_t(numerators, denominators, asked.level, draws=asked.draws, rng=asked.rng)
    if dropped > asked.draws * (1 - asked.level) / 2:
        return _bounded(asked, numerators / np.where(denominators == 0, 1, denominators))
    notes = (f"{dropped} of {asked.draws} resamples had no variance and were left out",) if dropped else ()
    return replace(_answer(asked, ends, "bootstrap-t", notes), resampled=True)


def _is_rounding(asked: Question) -> bool:
    """Whether all that units differ by is rounding: then an interval from their spread would say nothing."""
    if "is_rounding" not in asked.__dict__:
        asked.__dict__["is_rounding"] = _differ_by_rounding(asked)
    return bool(asked.__dict__["is_rounding"])


def _differ_by_rounding(asked: Question) -> bool:
    if isinstance(asked.tally, Moments) or len(asked.metric.needs) != 2:
        return False
    numerators, denominators = _columns(asked)
    counted = denominators != 0
    values = numerators[counted] / denominators[counted]
    if not values.size:  # wmape of targets that are all zero
        return True
    return values.ndim == 1 and bool(np.ptp(values) <= ALIKE * np.abs(values).max(initial=0.0))


def _bounded(asked: Question, values: Array) -> Answer:
    """Effective-n Wilson between the least and the largest value: for means that hang on a few rows.

    Draws without any of these rows have no spread, and they are just the ones that tell how uncertain the value is.
    """
    least, high = asked.metric.range[0], float(values.max())
    low = least if isfinite(least) else float(values.min())
    if not asked.variance > 0 or not low < high:
        return _answer(asked, UNDEFINED, "bootstrap-t")
    span = high - low
    share = (asked.value - low) / span
    ends = effective_wilson(share, asked.wide_variance / span**2, asked.level, at_edge=float(asked.tally.units))
    taken = f"{high:.6g}, the largest seen, as the largest possible"
    if not isfinite(least):
        taken = f"{low:.6g} and {high:.6g}, the least and the largest seen, as the least and the largest possible"
    note = f"a few rows make the value; the interval takes {taken}"
    return _answer(asked, (low + span * ends[0], low + span * ends[1]), "effective-n Wilson", (note,))


def log_scale(asked: Question) -> Answer:
    """Delta interval on the log scale."""
    return _answer(asked, on_log(asked.value, sqrt(asked.wide_variance), asked.level), "delta, log scale")


def explained(asked: Question) -> Answer:
    """On the scale ln(1 - value), with the error of leaving out each unit in turn and Student's quantile."""
    name = "R2" if asked.metric.name == "r2" else asked.metric.name
    few = not isinstance(asked.tally, Moments) and asked.time is None  # times left out leave those around them
    words = f"{'jackknife' if few else 'delta'}, ln(1 - {name})"
    if isnan(asked.value):
        why = f"{name} is undefined: the truth does not vary (0/0)"
        return Answer(interval=asked.metric.range, method=words, notes=(why,))
    if asked.value == -inf:
        why = f"{name} is minus infinity: the truth does not vary, and the predictions miss it"
        return Answer(interval=asked.metric.range, method=words, notes=(why,))
    error = _leave_one_out_error(asked) if few else _delta_error(asked)
    low, high = on_log_one_minus(asked.value, error, asked.level)
    notes: tuple[str, ...] = (f"{name} is against {asked.metric.against}",)
    if few and not isnan(low) and asked.variance > 0:
        # a skewed truth bends the logarithm, skewed losses the ratio: at each end the wider holds
        least, most = _skewed_ends(asked)
        low, high = min(low, least), max(high, most)
        notes += _unseen_tail(asked)
    if few and asked.metric.values and asked.independent:
        least, most = _ends_by_values(asked)
        low, high = min(low, least) if not isnan(low) else least, max(high, most) if not isnan(high) else most
    if 1 - low > UNBOUNDED * (1 - asked.value):
        low = -inf
        notes += (f"{name} has no lower bound: single rows make up most of its denominator",)
    return _answer(asked, (low, high), words, notes)


def _ends_by_values(asked: Question) -> Interval:
    """The ends if the null model's loss were known, where a row's own loss takes one of a few values."""
    losses, rows = asked.form(Units).column("losses"), float(asked.tally.units)
    variance = float(losses.var(ddof=1)) / rows if rows > 1 else 0.0
    ends = mean_of_values(float(losses.mean()), variance, rows, np.array(asked.metric.values), asked.level)
    low, high = (1 - end * rows / float(asked.sums["null_losses"]) for end in reversed(ends))
    return low, high


LOSSES = ("losses", "squared_errors")
"""What the sum of a model's own losses is called, in a share of explained loss."""


def _skewness_of_losses(asked: Question) -> float:
    name = next((name for name in asked.metric.needs if name in LOSSES), asked.metric.needs[0])
    column = asked.form(Units).column(name)
    losses = column if asked.label is None else column[:, asked.label]
    return _skewness(losses - losses.mean()) if losses.ndim == 1 else 0.0


UNBOUNDED = 1e4
"""An end so many times as far from 1 as the value is none: one row makes the truth vary, or does not."""


def _delta_error(asked: Question) -> float:
    return sqrt(asked.wide_variance) if asked.variance >= 0 else float("nan")


def _leave_one_out_error(asked: Question) -> float:
    """Error by leaving out each unit, on the scale ln(1 - value), brought back, with Student's quantile."""
    columns = {name: asked.form(Units).column(name) for name in asked.metric.needs}
    if asked.label is not None:
        columns = {name: column[:, asked.label] for name, column in columns.items()}
    n = asked.tally.units
    without = 1 - asked.metric({name: asked.sums[name] - column for name, column in columns.items()})
    if n < 3 or not np.all(np.isfinite(without) & (without > 0)):
        return _delta_error(asked)
    spread = (n - 1) / n * float(np.sum((np.log(without) - np.log(without).mean()) ** 2))
    ratio = critical_t(asked.level, n - 1) / critical_z(asked.level)
    return (1 - asked.value) * sqrt(spread) * ratio


def middle(asked: Question) -> Answer:
    """From order statistics; from resamples of units where rows share units or have weights; Woodruff's in time."""
    if asked.time is not None:
        return _middle_in_time(asked)
    if asked.independent:
        if asked.tally.units < 2:
            return Answer(
                interval=asked.metric.range,
                method="order statistics",
                notes=("the variance of one row cannot be estimated",),
            )
        ends, coverage = quantile(asked.form(Ordered).values, 0.5, asked.level)
        notes = (
            ()
            if coverage >= asked.level
            else (f"{asked.tally.units} rows: order statistics reach {coverage:.1%} only",)
        )
        return Answer(interval=ends, method="order statistics", notes=notes)
    few = unresolved(len(asked.drawn), asked.level)
    return Answer(
        interval=percentile(asked.drawn, asked.level), method="bootstrap percentile", notes=few, resampled=True
    )


def _middle_in_time(asked: Question) -> Answer:
    """Quantiles at the ends of the interval of the share of rows below the median, which is one half [woodruff52]."""
    tally = asked.form(Ordered)
    words = "Woodruff" + asked.design
    mass = np.ones(len(tally.values)) if tally.weight is None else tally.weight
    total = float(mass.sum())
    below = mass * ((tally.values < asked.value) + 0.5 * (tally.values == asked.value) - 0.5) / total
    found = long_run(np.bincount(tally.unit, weights=below, minlength=tally.units), asked.time.horizon)  # type: ignore[arg-type, union-attr]
    if not found.variance > 0:
        why = "all units are alike, so there is no interval"
        return Answer(interval=asked.metric.range, method=words, notes=(why,), long_run=found)
    reach = critical_t(asked.level, found.df) * sqrt(found.variance)
    passed = np.cumsum(mass) / total
    ends = [int(np.searchsorted(passed, share)) for share in (0.5 - reach, 0.5 + reach)]
    low, high = asked.metric.range
    return Answer(
        interval=(
            float(tally.values[ends[0]]) if reach < 0.5 else low,
            float(tally.values[ends[1]]) if reach < 0.5 and ends[1] < len(passed) else high,
        ),
        method=words,
        long_run=found,
    )


def largest(asked: Question) -> Answer:
    """At least the value; resampling says nothing about what lies beyond the largest row."""
    if asked.time is not None:
        note = "no upper bound from these rows, and none on what a new row may exceed where rows depend on each other"
        return Answer(interval=(asked.value, inf), method="order statistic", notes=(note,))
    chance = exceedance(asked.tally.units, asked.level)
    note = f"no upper bound from these rows; a new row exceeds {asked.value:.6g} with probability at most {chance:.3g}"
    return Answer(interval=(asked.value, inf), method="order statistic", notes=(note,))


def _unseen_tail(asked: Question) -> tuple[str, ...]:
    """A warning where the rows may lack the largest losses: few rows, or losses so skewed that more must be expected.

    The share that the largest losses carry would tell nothing: it is small in just the samples that lack them.
    """
    tally = asked.tally
    ends = tuple(isfinite(end) for end in asked.metric.range)
    if ends not in ((True, False), (False, True)) or not isfinite(asked.value) or not asked.variance > 0:
        return ()
    worth = _rows_worth(asked)
    if tally.weighted and not tally.clustered and worth < FEW_ROWS <= tally.units:
        return (f"{tally.units} rows, worth {worth:.0f} of equal weight, are few for losses without a bound: {RARE}",)
    if tally.units < FEW_ROWS:
        return (f"{tally.units} {_word(asked)} are few for losses without a bound: {RARE}",)
    if worth * asked.metric.rare < FEW_BEYOND - ALIKE:
        beyond = f"{worth * asked.metric.rare:.2g} of {worth:.0f} {_word(asked)} are expected beyond the quantile"
        return (f"{beyond}, fewer than {FEW_BEYOND}: {RARE}",)
    if isinstance(tally, Moments):
        some = tally.sample.get(asked.metric.needs[0], np.empty(0))
        lean = _skewness(some - some.mean()) if len(some) else 0.0
    else:
        lean = _lean(asked)[0]
        if not ends[0]:  # a share of explained loss, which falls without bound as losses grow
            lean = max(-lean, _skewness_of_losses(asked))
    if lean <= max(SKEWED, SKEWED_BY_ROOT * sqrt(tally.units)):
        return ()
    return (f"the losses are very skewed (skewness {lean:.1f} in {tally.units:,} {_word(asked)}): {RARE}",)


SURE = {"brier": 0.25, "log_loss": log(2)}
"""Losses of a probability of one half for the true class: with less, every row is predicted right."""


def _with_unseen_failures(asked: Question, answer: Answer) -> Answer:
    """An upper end that allows for wrong rows where none is seen: as many as so many rows may lack.

    A model that is sure of every row, and right in all of 20, has losses near zero that hardly vary, but one row in
    seven may be wrong of all. Each is taken to cost what a row would if the other class were true. Where one error or
    fewer is expected in the sample, the interval of their spread alone covers in half of the samples or fewer.
    """
    sure, tally, high = SURE.get(asked.metric.name), asked.tally, answer.interval[1]
    if sure is None or isinstance(tally, Moments) or not isfinite(asked.value) or not isfinite(high):
        return answer
    tops, bottoms = _columns(asked)
    counted = bottoms > 0
    seen = tops[counted] / bottoms[counted]
    if not counted.any() or float(seen.max()) >= sure:
        return answer
    with np.errstate(divide="ignore"):
        wrong = (1 - np.sqrt(seen)) ** 2 if asked.metric.name == "brier" else -np.log(-np.expm1(-seen))
    share = exceedance(tally.units, asked.level)
    most = asked.value + share * (float(np.average(wrong, weights=bottoms[counted])) - asked.value)
    missing = f"none of {tally.units:,} {_word(asked)} is predicted wrong, and up to {100 * share:.2g}% of all may be"
    if most <= high:
        return answer
    if not isfinite(most):
        note = f"{missing}: their losses would move the value outside the interval"
        return replace(answer, notes=(*answer.notes, note))
    note = f"{missing}: the upper bound allows for as many"
    return replace(answer, interval=(answer.interval[0], most), notes=(*answer.notes, note))


RARE = "rare large losses that are missing from them would move the value outside the interval"


def _word(asked: Question) -> str:
    return "clusters" if asked.tally.clustered else "rows"


def _few_values(asked: Question) -> Array | None:
    """The values that a row can take where they are few and known, or where few are seen often; else None."""
    if asked.metric.values:
        return np.array(asked.metric.values)
    tally = asked.tally
    if isinstance(tally, Moments) or not {"rows", "counted_rows"} & set(asked.metric.needs):
        return None
    tops, bottoms = _columns(asked)
    if tops.ndim != 1 or not isfinite(asked.value):
        return None
    # a look at some saves dividing and sorting all
    if _many_values(tops[: ROWS_EACH * FEW_VALUES], bottoms[: ROWS_EACH * FEW_VALUES]):
        return None
    counted = bottoms != 0
    seen: Array = tops[counted] / bottoms[counted]
    unit = _unit_of(seen)
    seen = np.round(seen / unit, 12) * unit
    scale, ends = _factor(asked.value, tops, bottoms), [end for end in asked.metric.range if isfinite(end)]
    values: Array = np.union1d(seen * scale, ends)
    if not ends:  # three errors of 1, and no other, do not tell that errors are never -1
        values = np.union1d(values, -values)
    few = 1 < len(values) <= FEW_VALUES and len(seen) >= ROWS_EACH * len(values)
    return values if few and not _is_rounding(asked) else None


def _many_values(tops: Array, bottoms: Array) -> bool:
    """Whether rows have more values than few; weights that are divided out leave a last digit."""
    counted = bottoms != 0
    seen = tops[counted] / bottoms[counted]
    return bool(np.count_nonzero(np.diff(np.sort(np.round(seen / _unit_of(seen), 12)))) >= FEW_VALUES)


def _unit_of(values: Array) -> Array:
    """The power of ten at or below the largest value."""
    return np.asarray(10.0 ** np.floor(np.log10(np.abs(values).max(initial=0.0) or 1.0)))


def _of_values(asked: Question, values: Array) -> Answer:
    """Score interval from how many rows took each value; of clusters, which hold sums only, effective-n Wilson."""
    if isnan(asked.value):
        return _answer(asked, UNDEFINED, "multinomial score")
    if values.min() == values.max():
        only, note = float(values[0]), "every row has this value, whatever is predicted"
        return Answer(interval=(only, only), method="multinomial score", notes=(note,))
    tally, rows = asked.tally, _rows_worth(asked)
    if not tally.clustered and not isinstance(tally, Moments):
        words = "Wilson" if len(values) == 2 else "multinomial score"
        return Answer(
            interval=mean_of_counts(_rows_by_value(asked, values), values, asked.level), method=words + asked.design
        )
    # one row less than in the variance of a sample: with two values this is Wilson's interval
    variance = asked.wide_variance * (1.0 if tally.clustered else (rows - 1) / rows)
    ends = mean_of_values(asked.value, variance, rows, values, asked.level)
    return Answer(interval=ends, method="effective-n Wilson" + asked.design)


def _rows_by_value(asked: Question, values: Array) -> Array:
    """How many rows took each value; of rows with weights, as many as they are worth, in the shares of their weight.

    As for a share, they are worth what the linearised variance says, and no more than Kish's number.
    """
    units = asked.form(Units)
    top, bottom = (units.added[name] for name in asked.metric.needs)
    if asked.label is not None:
        top, bottom = top[:, asked.label], bottom[:, asked.label]
    weighs = bottom > 0
    seen = top[weighs] / bottom[weighs] * _factor(asked.value, units.lines * top, units.lines * bottom)
    place = np.searchsorted((values[1:] + values[:-1]) / 2, seen)
    mass: Array = np.bincount(place, weights=(units.lines * bottom)[weighs], minlength=len(values))
    if asked.independent:
        return mass
    share, worth, n = mass / mass.sum(), _rows_worth(asked), asked.tally.units
    scatter, variance = float(share @ (values - asked.value) ** 2), asked.variance * (n - 1) / n
    if variance > 0 and scatter / variance < worth * (1 - ALIKE):
        worth = scatter / variance
    return np.asarray(share * worth)


def _rows_worth(asked: Question) -> float:
    """How many rows of equal weight there are, or how many clusters."""
    if asked.tally.clustered:
        return float(asked.tally.units)
    counts = [name for name in asked.metric.needs if name in ("rows", "counted_rows")]
    if not counts:
        return float(asked.tally.units)
    return float(asked.sums[counts[0]]) ** 2 / max(float(asked.squares[counts[0]]), 1e-300)


def _columns(asked: Question) -> tuple[Array, Array]:
    """Numerator and denominator of the mean, per unit."""
    top, bottom = (asked.form(Units).column(name) for name in asked.metric.needs)
    return (top, bottom) if asked.label is None else (top[:, asked.label], bottom[:, asked.label])


def _factor(value: float, numerators: Array, denominators: Array) -> float:
    """What the value has beyond the ratio of its sums: 100 where it is in percent, else 1."""
    total, size = float(numerators.sum()), float(denominators.sum())
    return value * size / total if total else 1.0


def _answer(asked: Question, ends: Interval, method: str, notes: tuple[str, ...] = ()) -> Answer:
    """Ends cut to the metric's range; where there is no spread, what the range alone says."""
    low, high = asked.metric.range
    if asked.value == inf:
        return Answer(interval=(low, inf), method=method, notes=notes)
    if not isnan(ends[0]):
        return Answer(interval=(max(ends[0], low), min(ends[1], high)), method=method + asked.design, notes=notes)
    if isnan(asked.value):
        return Answer(
            interval=asked.metric.range,
            method=method,
            notes=(f"{asked.metric.name} is undefined: it is 0/0 on these rows",),
        )
    if np.isfinite(low) and np.isfinite(high):
        return unit_interval(asked)
    rows = asked.tally.units
    why = "the variance of one unit cannot be estimated" if rows == 1 else f"all {rows} units are alike: no variance"
    return Answer(interval=asked.metric.range, method=method, notes=(why,))


def _ratio(asked: Question) -> str:
    return "" if {"rows", "counted_rows"} & set(asked.metric.needs) else ", ratio"
