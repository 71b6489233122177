"""Two systems on the same segments: the difference of any metric of texts, its interval and a test.

Whole units are swapped or drawn, and of each unit only what it adds is kept: a draw is a line of a matrix, and all
draws together are one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isnan, nan, sqrt

import numpy as np

from heldout import weights
from heldout.batch import Array
from heldout.errors import UsageError, did_you_mean
from heldout.estimates.question import Question
from heldout.estimates.text_corpora import is_smooth
from heldout.formulas import Metric
from heldout.intervals.resampling import percentile, unresolved
from heldout.intervals.scales import critical_t
from heldout.stats.outcome import Outcome, no_difference, untested
from heldout.tallies.units import Units
from heldout.verbs.compare.paired_difference import SHORT
from heldout.verbs.compare.permutation import pair_order, swapped_sums, too_few_swaps
from heldout.verbs.influence import influence_variance
from heldout.verbs.settings import Settings
from heldout.verbs.text.metric_choice import unlike

TESTS = ("permutation", "bootstrap", "t")
EXACT = 2.0**24
"""Whole numbers below this are exact in single precision."""


def known_text_test(test: str | None) -> None:
    """Refuse a test that texts do not have."""
    if test is not None and test not in TESTS:
        hint = did_you_mean(test, TESTS)
        raise UsageError(f"no test of texts is named {test!r}{hint}", fix=f"choose one of {', '.join(TESTS)}")


def text_difference(metric: Metric, a: Units, b: Units, asked: Settings, test: str | None = None) -> Outcome:
    """How much more the first system has than the second, by swaps of whole units unless another test is named.

    Simulated rates of swaps and of t are in docs/lab-pictures-and-texts.md; intervals by paired BCa covered too rarely,
    and are not offered.
    """
    values = [float(metric(one.sums)) for one in (a, b)]
    value = values[0] - values[1]
    if any(isnan(one) for one in values):
        return untested(nan, f"{metric.name} is undefined for a system")
    if not unlike(a, b):
        low, high = metric.range
        return no_difference("identical texts", units=a.units, span=high - low, level=asked.level)
    if a.units < 2:
        return untested(value, "the variance of one unit cannot be estimated")
    moved = [None if test == "bootstrap" else text_influence(metric, one) for one in (a, b)]
    if moved[0] is None or moved[1] is None:
        found = _bootstrapped(value, _drawn(metric, a, b, asked.draws, [asked.seed, 8]), asked)
        note = () if test == "bootstrap" else ("no n-gram of some length matches: the difference rests on smoothing",)
        found = replace(found, notes=(*_short(a.units), *note))
    else:
        found = _by_influence(value, moved[0] - moved[1], asked)
    if test in (None, "permutation"):
        p = swapped_sums(metric, a, b, draws=asked.draws, seed=[asked.seed, 7])
        found = replace(
            found, pvalue=p, test=f"swaps, interval by {'t' if found.test.startswith('t') else 'resamples'}"
        )
        found = replace(found, notes=(*too_few_swaps(a.units, asked.level), *found.notes))
    return replace(found, test=found.test + (", whole documents" if a.clustered else ""))


def _short(units: int) -> tuple[str, ...]:
    return (f"{units} units: below {SHORT} a bootstrap tends to be too narrow",) if units < SHORT else ()


def text_influence(metric: Metric, tally: Units) -> Array | None:
    """How far each unit moves the value; None where the value jumps."""
    asked = Question(metric=metric, tally=tally, level=0.95)
    return tally.influence(asked.gradient) if is_smooth(asked) else None


def _by_influence(value: float, apart: Array, asked: Settings) -> Outcome:
    """Student's t on how far each unit moves the difference."""
    from scipy.special import stdtr

    error, df = sqrt(influence_variance(apart)), len(apart) - 1
    if not error > 0:
        note = "the difference is the same in every unit: its variance cannot be estimated"
        return Outcome(value=value, low=nan, high=nan, pvalue=nan, test="t on influence", notes=(note,))
    reach = critical_t(asked.level, df) * error
    p = float(2 * stdtr(df, -abs(value / error)))
    return Outcome(value=value, low=value - reach, high=value + reach, pvalue=p, error=error, test="t on influence")


def _bootstrapped(value: float, drawn: Array, asked: Settings) -> Outcome:
    """Percentiles of the drawn differences; the p-value is how often, less their mean, they are as large [koehn04]."""
    low, high = percentile(drawn, asked.level)
    beyond = int(np.count_nonzero(np.abs(drawn - drawn.mean()) >= abs(value) - 1e-12))
    error = float(np.std(drawn))
    p = (1 + beyond) / (len(drawn) + 1)
    return Outcome(
        value=value, low=min(low, value), high=max(high, value), pvalue=p, error=error, test="paired bootstrap",
        notes=unresolved(len(drawn), asked.level),
    )  # fmt: skip


def _drawn(metric: Metric, a: Units, b: Units, draws: int, seed: list[int]) -> Array:
    """Differences in resamples of units with replacement, the same units for both systems."""
    beside, parted = _beside(metric, a, b)
    columns = _narrowed(beside[pair_order(metric, a, b)])
    sums = np.concatenate([made() @ columns for made in weights.bootstrap_units(a.units, draws, seed)])
    one, other = parted(sums.astype(float))
    values = metric(one) - metric(other)
    return values[np.isfinite(values)]


def _narrowed(columns: Array) -> Array:
    """The columns in single precision, which multiplies twice as fast, where no sum of a draw can be rounded."""
    whole = bool(np.all(columns == np.rint(columns)))
    return columns.astype(np.float32) if whole and len(columns) * np.abs(columns).max() < EXACT else columns


def _beside(metric: Metric, a: Units, b: Units) -> tuple[Array, Callable[[Array], list[dict[str, Array]]]]:
    """All that units add under both systems as one matrix, so that a draw is one line times it; and the way back."""
    columns = [[tally.added[name] for name in metric.needs] for tally in (a, b)]
    flat = [column.reshape(a.units, -1) for one in columns for column in one]
    ends = np.cumsum([part.shape[1] for part in flat])[:-1]

    def parted(sums: Array) -> list[dict[str, Array]]:
        found = iter(np.split(sums, ends, axis=1))
        return [
            {
                name: next(found).reshape(len(sums), *column.shape[1:])
                for name, column in zip(metric.needs, one, strict=True)
            }
            for one in columns
        ]

    return np.concatenate(flat, axis=1), parted
