"""Several looks at growing data: verdicts that allow for them, by confidence sequences or by planned boundaries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite, isnan, nan, sqrt
from typing import Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError, did_you_mean
from heldout.formulas import Metric
from heldout.intervals import Interval
from heldout.intervals.confidence_sequences import (
    asymptotic,
    asymptotic_pvalue,
    begins_at,
    betting,
    betting_pvalue,
)
from heldout.intervals.scales import critical_z
from heldout.stats.group_sequential import LEAST_STEP, MOST_LOOKS, SPENDING, boundaries, repeated_pvalue
from heldout.stats.outcome import Outcome, untested
from heldout.verbs.compare.model_pair import Apart, Both
from heldout.verbs.compare.paired_difference import OF_ONE_CLASS, apart_of, is_error
from heldout.verbs.measurement import Measurement

BETTING, ASYMPTOTIC = "betting confidence sequence", "asymptotic confidence sequence"
DIGITS = 9
"""Decimals to which row differences are known: they are found from slopes."""

LEAST_NOMINAL = 1e-15
"""The smallest error rate of a look that leaves a confidence level below 1."""


@dataclass(frozen=True, kw_only=True)
class Looks:
    """How verdicts allow for several looks: at every number of rows at once, or at looks that were planned."""

    kind: Literal["sequential", "planned"]
    look: int | None = None
    """Number of this look, from 1."""
    fractions: tuple[float, ...] = ()
    """The share of all planned rows that is there at each planned look."""
    spending: str | None = None

    def nominal(self, alpha: float) -> float:
        """The error rate that this look alone is tested at, of `alpha` for all looks."""
        from scipy.special import ndtr

        return max(float(2 * ndtr(-self.boundary(alpha))), LEAST_NOMINAL)

    def boundary(self, alpha: float) -> float:
        """How many standard errors a difference must reach at this look."""
        assert self.look is not None
        return boundaries(self.fractions, round(alpha, 12), str(self.spending))[self.look - 1]

    def to_dict(self, alpha: float) -> dict[str, Any]:
        """The facts as plain values; `alpha` is the two-sided error rate of all looks."""
        planned = self.kind == "planned"
        return {
            "kind": self.kind,
            "look": self.look,
            "of": len(self.fractions) if planned else None,
            "fractions": list(self.fractions) if planned else None,
            "spending": self.spending,
            "boundary": self.boundary(alpha) if planned else None,
            "nominal_alpha": self.nominal(alpha) if planned else None,
        }


def asked_looks(
    *, sequential: bool, looks: Any, look: int | None, spending: str | None, has_test: bool, paired: bool, segments: Any
) -> Looks | None:
    """What the caller asked for, checked; None where the data are looked at once."""
    if not sequential and looks is None:
        for name, value in (("look", look), ("spending", spending)):
            if value is not None:
                also = " and --look k (look=k)" if look is None else ""
                fix = f"add --looks K (looks=K){also}, or leave out --{name} ({name}=)"
                raise UsageError(f"{name} has no effect without the number of planned looks", fix=fix)
        return None
    if sequential and looks is not None:
        raise UsageError(
            "sequential and looks exclude each other: a sequence holds at any number of looks, looks are planned",
            fix="leave out --sequential (sequential=True) or --looks (looks=)",
        )
    mode = "--sequential (sequential=True)" if sequential else "--looks (looks=)"
    if segments is not None:
        fix = f"leave out --segment (segments=), or {mode}"
        raise UsageError("subgroups are tested at a single look, and several looks were asked for", fix=fix)
    if sequential:
        for name, given in (("test", has_test), ("look", look is not None), ("spending", spending is not None)):
            if given:
                why = "its tests are confidence sequences" if name == "test" else "it holds at any number of looks"
                fix = f"leave out --{name} ({name}=), or plan the looks: --looks K (looks=K) and --look k (look=k)"
                raise UsageError(f"{name} has no effect with sequential: {why}", fix=fix)
        if not paired:
            fix = "leave out --unpaired (paired=False), or --sequential (sequential=True)"
            raise UsageError("confidence sequences are for models on the same rows", fix=fix)
        return Looks(kind="sequential")
    shares = planned_fractions(looks)
    if look is None or isinstance(look, bool) or not isinstance(look, int | np.integer) or not 1 <= look <= len(shares):
        which = "which look this is was not said" if look is None else f"look is {look!r}"
        fix = "say which one this is: --look 1 (look=1) for the first"
        raise UsageError(f"{which}, and {len(shares)} looks are planned", fix=fix)
    return Looks(kind="planned", look=int(look), fractions=shares, spending=known_spending(spending))


def planned_fractions(looks: Any) -> tuple[float, ...]:
    """The share of all rows at each planned look: equal steps of a number of looks, or as given.

    >>> planned_fractions(4), planned_fractions([0.5, 1])
    ((0.25, 0.5, 0.75, 1.0), (0.5, 1.0))
    """
    fix = f"give a number from 2 to {MOST_LOOKS}, or rising shares of the planned rows such as 0.25,0.5,1"
    if isinstance(looks, int | np.integer) and not isinstance(looks, bool):
        if not 2 <= looks <= MOST_LOOKS:
            raise UsageError(f"looks is {looks}, but must be from 2 to {MOST_LOOKS}", fix=fix)
        return tuple((place + 1) / int(looks) for place in range(int(looks)))
    try:
        shares = tuple(float(share) for share in looks)
    except (TypeError, ValueError):
        raise UsageError(f"looks is {looks!r}, which is neither a number nor a list of shares", fix=fix) from None
    rising = all(one < other for one, other in zip((0.0, *shares), shares, strict=False))
    if not (2 <= len(shares) <= MOST_LOOKS and rising and shares[-1] <= 1 + 1e-12):
        shown = ", ".join(f"{share:g}" for share in shares)
        raise UsageError(f"the shares of the planned looks are {shown}, but must rise to at most 1", fix=fix)
    for before, share in pairwise((0.0, *shares)):
        if share - before < LEAST_STEP:
            raise UsageError(
                f"the look at {share!r} of the planned rows is {share - before:.2g} of them after "
                f"{f'the look at {before!r}' if before else 'the start'}, but must be at least {LEAST_STEP:g}",
                fix=f"leave the look at {share!r} out",
            )
    return shares


def known_spending(spending: str | None) -> str:
    """The name of a spending function; O'Brien and Fleming's by default."""
    if spending is None:
        return "obrien-fleming"
    if spending not in SPENDING:
        hint = did_you_mean(str(spending), SPENDING)
        raise UsageError(
            f"no spending function is named {spending!r}{hint}", fix=f"choose one of {', '.join(SPENDING)}"
        )
    return spending


def in_chunks(looks: Looks, in_memory_fix: str) -> UsageError:
    """The refusal of rows that are read in chunks."""
    option = "sequential" if looks.kind == "sequential" else "looks"
    fix = f"{in_memory_fix}, or leave out --{option} ({option}=)"
    return UsageError(f"{option} needs all rows in memory, and these are read in chunks", fix=fix)


# ---- planned looks: the test of one look, at its share of the error rate


def planned_outcome(looks: Looks, level: float, at_level: Callable[[float], Outcome]) -> Outcome:
    """The outcome of a planned look: its interval at the level of this look, its p-value for all looks together."""

    def at(overall: float) -> Outcome:
        return at_level(1 - looks.nominal(1 - overall))

    def interval_at(overall: float) -> Interval:
        found = at(overall)
        return found.low, found.high

    found = at(level)
    if found.test == "none":
        return found
    assert looks.look is not None
    pvalue = repeated_pvalue(found.pvalue, looks.fractions, looks.look, str(looks.spending))
    wider = looks.boundary(1 - level) / critical_z(level)
    return replace(found, pvalue=pvalue, interval_at=interval_at, wider=wider)


# ---- confidence sequences


def sequential_outcome(metric: Metric, both: Both, level: float, *, named: bool) -> Outcome:
    """A difference with an interval and a p-value that hold at every number of rows at once.

    A metric that no row moves smoothly has no sequence: refused where it was `named`, otherwise not tested.
    """
    values = [one.value(metric) for one in (both.a, both.b)]
    value = values[0] - values[1]
    if not all(map(isfinite, values)):
        return untested(nan, f"{metric.name} is undefined for a model")
    apart = apart_of(metric, both)
    if apart is None or apart.each is None:
        if named:
            fix = "choose a metric that each row moves smoothly, such as log_loss, or plan looks: --looks K (looks=K)"
            raise UsageError(f"{metric.name} has no confidence sequence: it has no influence of single rows", fix=fix)
        return untested(value, f"{metric.name} has no confidence sequence")
    rows = _bounded_differences(metric, both, value, apart)
    found = _asymptotic(both, value, apart, level) if rows is None else _betting(metric, rows, value, level)
    half = (found.high - found.low) / 2
    known = found.error > 0 and isfinite(half)
    return replace(found, wider=half / (critical_z(level) * found.error)) if known else found


def _bounded_differences(metric: Metric, both: Both, value: float, apart: Apart) -> Array | None:
    """The difference in each row, where the metric is a mean over rows that the truth alone chooses; else None."""
    a, each = both.a, apart.each
    assert each is not None
    if a.batch.unit is not None or a.weighted or not all(map(isfinite, metric.range)):
        return None
    if is_error(metric, a):
        if metric.name not in ("accuracy", "error_rate"):
            positive = a.batch.truth == a.batch.positive
            each = each[positive if set(metric.share) == OF_ONE_CLASS[0] else ~positive]
    elif not (_is_mean_of_losses(metric) and _counts_every_row(metric, both)):
        return None
    rows = np.round(len(each) * each + value, DIGITS)
    span = metric.range[1] - metric.range[0]
    return rows if float(np.abs(rows).max()) <= span else None


def _is_mean_of_losses(metric: Metric) -> bool:
    return metric.reads == "losses" and len(metric.needs) == 2 and metric.needs[1] in ("rows", "counted_rows")


def _counts_every_row(metric: Metric, both: Both) -> bool:
    def every(measured: Measurement) -> bool:
        return metric.needs[1] == "rows" or bool(np.all(measured.row(metric, "counted_rows") == 1))

    return every(both.a) and every(both.b)


def _betting(metric: Metric, rows: Array, value: float, level: float) -> Outcome:
    span = metric.range[1] - metric.range[0]
    low, high = betting(rows, level, span=span)
    return Outcome(
        value=value, low=min(low, value), high=max(high, value), pvalue=betting_pvalue(rows, span=span), test=BETTING,
        error=float(np.std(rows)) / sqrt(len(rows)), interval_at=lambda other: betting(rows, other, span=span),
    )  # fmt: skip


def _asymptotic(both: Both, value: float, apart: Apart, level: float) -> Outcome:
    each = apart.each
    assert each is not None
    away = each - each.mean()
    spread = float(np.mean(away**2)) ** 1.5
    skewness = float(np.mean(away**3)) / spread if spread > 0 else 0.0
    error, units = (0.0 if isnan(apart.error) else apart.error), apart.units
    first, kind = begins_at(skewness), "rows" if both.a.batch.unit is None else "clusters"
    notes: tuple[str, ...] = ()
    if not error > 0:
        notes = ("no variance between units",)
    elif units < first:
        skewed = "" if first <= 100 else f" at a skewness of {skewness:.1f}"
        notes = (f"an asymptotic sequence begins at {first:,.0f} {kind}{skewed}, and there are {units:,}",)
    low, high = asymptotic(value, error, units, skewness, level)
    return Outcome(
        value=value, low=low, high=high, pvalue=asymptotic_pvalue(value, error, units, skewness), test=ASYMPTOTIC,
        error=error, notes=notes, interval_at=lambda other: asymptotic(value, error, units, skewness, other),
    )  # fmt: skip
