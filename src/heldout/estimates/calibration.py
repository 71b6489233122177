"""Intervals for calibration: gaps between probability and frequency, slope and intercept."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isnan, pi, sqrt

import numpy as np

from heldout.batch import Array
from heldout.estimates.question import Answer, Question
from heldout.formulas import Metric
from heldout.intervals.long_run import LongRun, long_run
from heldout.intervals.scales import critical_z, plain
from heldout.tallies.reliability import Bins, Reliability

IN_TIME = "dependence in time is allowed for in all bins alike, as far as it shows in the sum of all gaps"
ROUNDING = 1e-24
"""A variance of the gaps below this share of the squared rows of a bin is none."""


def reliability_value(metric: Metric, tally: Reliability) -> float:
    """The value of a metric of calibration curve: observed share against predicted probability."""
    if "coefficients" in metric.needs:
        return float(metric({"coefficients": tally.recalibration.coefficients}))
    return float(metric(_sums(tally.binned(*metric.bins))))


def _sums(bins: Bins) -> dict[str, Array]:
    return {"bin_rows": bins.rows, "bin_gaps": bins.gaps, "bin_noise": np.diag(bins.covariance)}


def calibration_error(asked: Question) -> Answer:
    """Normal interval for the squared error, with the term that is left where there is no error; then its root."""
    bins, found = _binned(asked)
    scale = 1 / (bins.rows * bins.rows.sum())
    covariance = _never_zero(bins)
    twice = scale[:, None] * scale * covariance
    variance = float(np.sum(twice * (4 * np.outer(bins.gaps, bins.gaps) + 2 * covariance)))
    squared, reach = _squared(bins), critical_z(asked.level) * sqrt(max(variance, 0.0))
    low, high = sqrt(max(squared - reach, 0.0)), sqrt(max(squared + reach, 0.0))
    note = f"{len(bins.rows)} bins; without the correction chance alone would show about {_by_chance(bins):.3f}"
    notes = (note,) if asked.time is None else (note, IN_TIME)
    return Answer(
        interval=(low, min(high, 1.0)), method="debiased, delta" + _design(asked), notes=notes, long_run=found
    )


def ece(asked: Question) -> Answer:
    """Normal interval, less what chance adds to the value: at least that for the upper end, at most for the lower."""
    bins, found = _binned(asked)
    value, variances = asked.value, np.diag(_never_zero(bins))
    error = np.sqrt(variances)
    # a bin of rows that weigh nothing has neither gap nor error
    size = np.divide(np.abs(bins.gaps), error, out=np.zeros(len(error)), where=error > 0)
    z = critical_z(asked.level)
    # of the variances themselves: the square of a root may be less than what it is the root of
    hidden = float(np.sum(variances - np.diag(bins.covariance))) / bins.rows.sum() ** 2
    if asked.time is None:
        own = _variance_of_ece(asked.form(Reliability), bins)
    else:
        asked = asked.about(asked.metric, moved=_moved(asked.form(Reliability), bins))
        own = asked.variance
    reach = z * sqrt(asked.widened(own + hidden))
    # The true gaps are not known. As seen, they give too little bias; as small as the level allows them all, too much.
    likely, _ = _folded(size)
    most, spread = _folded(np.maximum(size - critical_z(1 - (1 - asked.level) / len(size)), 0.0))
    down = reach * sqrt(float(np.sum(error**2 * spread) / np.sum(error**2)))
    low = value - float(error @ most) / bins.rows.sum() - down
    high = value - float(error @ likely) / bins.rows.sum() + reach
    note = (
        f"biased upward: with perfect calibration these {len(bins.rows)} bins would show about {_by_chance(bins):.3f}; "
        "rms_calibration_error_debiased corrects for that"
    )
    notes = (note,) if asked.time is None else (note, IN_TIME)
    ends = max(low, 0.0), min(high, 1.0)
    return Answer(interval=ends, method="delta, bias bounded" + asked.design, notes=notes, long_run=found)


def _folded(size: Array) -> tuple[Array, Array]:
    """Bias and variance of |g| as an estimate of |gap|, where g is N(gap, 1) and |gap| is `size`.

    E |g| = 2 phi(m) + m (1 - 2 Phi(-m)): the bias is 2 phi(m) - 2 m Phi(-m), 0.8 where the gap is 0 and none far off.

    >>> [part.round(3).tolist() for part in _folded(np.array([0.0, 3.0]))]
    [[0.798, 0.001], [0.363, 0.995]]
    """
    from scipy.special import ndtr

    bias = 2 * np.exp(-(size**2) / 2) / sqrt(2 * pi) - 2 * size * ndtr(-size)
    return bias, 1 + size**2 - (size + bias) ** 2


def _by_chance(bins: Bins) -> float:
    """The mean gap that a perfectly calibrated model would show: E |N(0, s²)| = s sqrt(2 / pi) in each bin."""
    return float(np.sum(np.sqrt(2 * np.diag(bins.covariance) / np.pi)) / bins.rows.sum())


def _variance_of_ece(tally: Reliability, bins: Bins) -> float:
    """The variance of the mean of sign(gap of the bin) (happened - probability), less the value, over units."""
    moved, n = _moved(tally, bins), tally.units
    return float(n / max(n - 1, 1) * moved @ moved)


def _moved(tally: Reliability, bins: Bins) -> Array:
    """How far each unit moves the mean of sign(gap of the bin) (happened - probability)."""
    gap = tally.happened - tally.chance
    # a bin whose gap is 0 by chance varies as others do, to either side
    signed = np.repeat(np.where(bins.gaps < 0, -1.0, 1.0), bins.counts) * gap
    weight = np.ones(len(gap)) if tally.weight is None else tally.weight
    moved = weight * (signed - float(weight @ signed) / weight.sum()) / weight.sum()
    return moved if tally.unit is None else np.bincount(tally.unit, weights=moved)


def _binned(asked: Question) -> tuple[Bins, LongRun | None]:
    """The bins; where times depend on those before, their covariance raised as that of all gaps together is."""
    tally = asked.form(Reliability)
    bins = tally.binned(*asked.metric.bins)
    if asked.time is None or tally.unit is None:
        return bins, None
    gap = (tally.happened - tally.chance) * (1.0 if tally.weight is None else tally.weight)
    found = long_run(np.bincount(tally.unit, weights=gap, minlength=tally.units), asked.time.horizon)
    wider = found.widening if found.widening > 1 else 1.0
    return replace(bins, covariance=bins.covariance * wider**2), found


def _design(asked: Question) -> str:
    return asked.design if asked.time is not None else ""


def _never_zero(bins: Bins) -> Array:
    """The covariance of the gaps, a bin in which all or nothing happened taken as if half a row had not."""
    share = (bins.happened + 0.5) / (bins.rows + 1)
    # weights that add up to the bin's total only to rounding leave a variance of that size
    varies = np.diag(bins.covariance) > ROUNDING * bins.rows**2
    least = np.where(varies, 0.0, bins.rows * share * (1 - share))
    return bins.covariance + np.diag(least)


def _squared(bins: Bins) -> float:
    return float(np.sum((bins.gaps**2 - np.diag(bins.covariance)) / bins.rows) / bins.rows.sum())


def _recalibrated_variance(asked: Question, which: int) -> float:
    """The squared sandwich error; where few clusters have the rows of a class, not below that of independent rows."""
    tally = asked.form(Reliability)
    variance = float(tally.recalibration.errors[which]) ** 2
    if not tally.clustered or asked.carriers.fewest == inf:
        return variance
    of_rows = replace(tally, unit=None).recalibration
    return max(variance * asked.unseen, float(of_rows.errors[which]) ** 2)


def recalibration(asked: Question) -> Answer:
    """The coefficient of a logistic fit on the logit of the probability, with its sandwich error over units."""
    found = asked.form(Reliability).recalibration
    which = 1 if asked.metric.name == "calibration_slope" else 0
    if isnan(found.coefficients[which]):
        return Answer(interval=asked.metric.range, method="logistic, sandwich", notes=found.notes)
    in_time = asked.time is not None and found.moved is not None
    if in_time:
        asked = asked.about(asked.metric, moved=found.moved[which])  # type: ignore[index]
    error = sqrt(asked.wide_variance if in_time else asked.widened(_recalibrated_variance(asked, which)))
    ends = plain(float(found.coefficients[which]), error, asked.level)
    return Answer(
        interval=ends, method="logistic, sandwich" + _design(asked), notes=found.notes,
        long_run=asked.long_run if in_time else None,
    )  # fmt: skip
