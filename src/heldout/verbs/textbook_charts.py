"""Charts of textbook tests and plans: the critical region with alpha and beta, and the power."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array
from heldout.charts.critical_region import CriticalRegion, binomial_region
from heldout.charts.plot import Plot
from heldout.charts.simulation_figures import Line, SimulatedLines
from heldout.stats.textbook_tests import binomial_tails

if TYPE_CHECKING:
    from heldout.verbs.plan.look_plan import LookPlan
    from heldout.verbs.plan.plan import Plan
    from heldout.verbs.textbook_test import TextbookTest

POINTS = 401
STEPS = 25
"""Numbers of rows at which a power is computed."""


def textbook_charts(result: TextbookTest) -> Plot:
    """The critical region of a test; of the binomial test also its power."""
    if result.test == "binomial":
        return Plot(views={"critical_region": partial(_binomial, result), "power": partial(_binomial_power, result)})
    return Plot(views={"critical_region": partial(_continuous, result)})


def _sided(result: TextbookTest) -> str:
    return result.found.test.rpartition(", ")[2]


def _rejected(result: TextbookTest) -> Array:
    tails = binomial_tails(result.trials, result.at, _sided(result))  # type: ignore[arg-type]  # one of three words
    return tails <= result.found.alpha


def _binomial(result: TextbookTest) -> CriticalRegion:
    return binomial_region(
        result.trials,
        result.at,
        rejected=_rejected(result),
        alpha=result.found.alpha,
        against=result.against,
        observed=int(result.statistic),
    )


def _binomial_power(result: TextbookTest) -> SimulatedLines:
    from scipy.stats import binom

    edges = np.diff(_rejected(result).astype(np.int8), prepend=0, append=0)
    first, last = np.flatnonzero(edges > 0), np.flatnonzero(edges < 0) - 1  # counts that reject, as runs of them
    shares = np.linspace(0, 1, 201)
    chances = [binom.cdf(ends[None], result.trials, shares[:, None]) for ends in (last, first - 1)]
    power = (chances[0] - chances[1]).sum(axis=1)
    at = {"share under the null hypothesis": result.at}
    if result.against is not None:
        at["alternative"] = result.against
    return SimulatedLines(
        view="power",
        heading=f"Power of the exact binomial test, n = {result.trials}",
        x="true share",
        y="probability to reject",
        lines={"power": Line(x=shares, y=power)},
        reading="The probability to reject at each true share; under the null hypothesis it is the type I error.",
        level={"alpha": result.found.alpha},
        at=at,
        dots=False,
        share=True,
    )


def _continuous(result: TextbookTest) -> CriticalRegion:
    """Chi-square or z: the density of the statistic, and the tail that rejects."""
    from scipy.stats import chi2, norm

    found, alpha, other, power = result.found, result.found.alpha, None, None
    if result.symbol == "z":
        reach = max(4.0, abs(found.statistic) + 0.5)
        x = np.linspace(-reach, reach, POINTS)
        null, rejected = norm.pdf(x), _normal_tail(result, x)
    else:
        df = found.df
        scale = 1.0 if result.likelihood is None else _ratio(result)
        larger = scale >= 1  # the test rejects large sums of squares unless the alternative is the smaller deviation
        top = max(float(chi2.isf(1e-4, df)) * max(scale, 1.0) ** 0.9, found.statistic * 1.08)
        x = np.linspace(0, top, POINTS)[1:]
        null = chi2.pdf(x, df)
        cut = float(chi2.isf(alpha, df)) if larger else float(chi2.ppf(alpha, df))
        rejected = x >= cut if larger else x <= cut
        if result.likelihood is not None:
            other, power = chi2.pdf(x / scale, df) / scale, found.power
    return CriticalRegion(
        statistic=f"{result.symbol} statistic",
        null_words=result.null,
        x=x,
        null=null,
        counts=False,
        rejected=rejected,
        alpha=alpha,
        size=alpha,
        alternative_words=result.alternative,
        alternative=other,
        power=power,
        observed=found.statistic,
    )


def _normal_tail(result: TextbookTest, x: Array) -> Array:
    from scipy.stats import norm

    words, alpha = result.alternative, result.found.alpha
    if "greater" in words or "larger" in words:
        return np.asarray(x >= norm.isf(alpha))
    if "less" in words or "smaller" in words:
        return np.asarray(x <= norm.ppf(alpha))
    return np.abs(x) >= norm.isf(alpha / 2)


def _ratio(result: TextbookTest) -> float:
    """Variance under the alternative to that under the null hypothesis, from the side and the power of the test.

    The power is the tail of chi-square beyond cut / ratio, cut being its own tail of alpha.
    """
    from scipy.stats import chi2

    found = result.found
    larger = abs(found.pvalue - chi2.sf(found.statistic, found.df)) < abs(
        found.pvalue - chi2.cdf(found.statistic, found.df)
    )
    tail = chi2.isf if larger else chi2.ppf
    power = min(max(found.power, 1e-12), 1 - 1e-12)
    return float(tail(found.alpha, found.df) / tail(power, found.df))


def plan_charts(result: Plan) -> Plot:
    """Power against the number of rows, and alpha and beta at the planned one."""
    views: dict[str, Callable[..., Any]] = {}
    if result.expected is not None and result.gain is not None:
        views["power"] = partial(_planned_power, result)
    if result.question in ("difference", "power") and result.power is not None:
        views["critical_region"] = partial(_planned_region, result)
    return Plot(views=views)


def _planned_power(result: Plan) -> SimulatedLines:
    from heldout.verbs.plan.expected_precision import powers_of

    assert result.expected is not None
    powers, _ = powers_of(result.expected, result.gain or 0.0)
    most = max(design.rows for design in result.designs)
    least = min(design.rows for design in result.designs)
    rows = np.unique(np.geomspace(max(least / 10, 5), 2 * most, STEPS).astype(int))
    lines = {
        name: Line(x=rows.astype(float), y=np.array([chance(int(n)) for n in rows])) for name, chance in powers.items()
    }
    wanted = {} if result.power is None else {"power of the plan": result.power}
    return SimulatedLines(
        view="power",
        heading=f"Power to find a gain of {result.gain:g} in {result.metric}",
        x=f"{result.unit}s (log scale)",
        y="power",
        lines=lines,
        reading=f"The probability to find the gain at {1 - result.level:.3g} type I error, by {result.method}.",
        level=wanted,
        at={f"{design.name}": float(design.rows) for design in result.designs},
        log=True,
        dots=False,
        share=True,
    )


def _planned_region(result: Plan) -> CriticalRegion:
    """The z statistic without and with the gain: so far apart that the power is the planned one."""
    from scipy.stats import norm

    alpha, power = 1 - result.level, result.power or 0.5
    cut = float(norm.isf(alpha / 2))
    shift = cut + float(norm.ppf(power))
    x = np.linspace(-4, shift + 4, POINTS)
    return CriticalRegion(
        statistic="standardised difference (z)",
        null_words="no difference",
        x=x,
        null=norm.pdf(x),
        counts=False,
        rejected=np.abs(x) >= cut,
        alpha=alpha,
        size=alpha,
        alternative_words="the gain that is planned for" if result.gain is None else f"a gain of {result.gain:g}",
        alternative=norm.pdf(x, shift),
        power=power,
    )


def look_charts(result: LookPlan) -> Plot:
    """Power over the planned looks."""

    def power() -> SimulatedLines:
        rows = [look.rows for look in result.looks]
        known = all(one is not None for one in rows)
        x = np.array([float(one or 0) for one in rows] if known else [look.fraction for look in result.looks])
        return SimulatedLines(
            view="power",
            heading="Power over the planned looks",
            x="rows" if known else "share of the planned rows",
            y="probability to have found the difference",
            lines={"power": Line(x=x, y=np.array([look.power for look in result.looks]))},
            reading=f"One dot per look, {result.spending} boundaries.",
            share=True,
        )

    return Plot(views={"power": power})
