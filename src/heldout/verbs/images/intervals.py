"""Intervals of figures from draws of images, and of their paired differences."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan, nan

import numpy as np

from heldout.batch import Array
from heldout.estimates import Estimate
from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.critical import critical_t, critical_z
from heldout.intervals.effective import effective_wilson
from heldout.intervals.simultaneous import sup_t_of
from heldout.verbs.differences import Found

METHOD = "image bootstrap"
TEST = "paired image bootstrap"
SWAPPED = "every swap of images"
SHOWN = {"precision": 2.0, "recall": 1.0}
"""The bias of a figure over that of its draws; of average precision, 1.4 to 4 were measured with 15 to 150 images."""
FEW = 20
"""Images below which an interval over images says little."""


def figure_interval(value: float, drawn: Array, images: float, level: float, *, shown: float = 1.0) -> Interval:
    """Wilson's interval with the spread of the draws, round the value freed of its bias.

    The bias is the mean of the draws less the value, times `shown`: the precision of few images is too high, for the
    best precision at a recall or beyond is a maximum, and draws show half of that. `images` is how many images hold
    objects of a class: Student's quantile pays for few of them, and at 0 and 1, where draws do not differ, they are all
    that is known.
    """
    drawn = drawn[~np.isnan(drawn)]
    if isnan(value):
        return UNDEFINED
    if len(drawn) < 2:
        return 0.0, 1.0
    wider = critical_t(level, max(images - 1, 1)) / critical_z(level)
    variance = float(np.var(drawn, ddof=1)) * wider**2
    bias = float(drawn.mean()) - value if 0 < value < 1 else 0.0
    centre = min(max(value - shown * bias, 0.0), 1.0)
    low, high = effective_wilson(centre, variance, level, at_edge=max(images, 1.0))
    return min(low, value), max(high, value)


def figure_estimate(
    name: str, value: float, drawn: Array, units: int, level: float, *, images: float, joint: float | None = None,
    of: str = "precision",
) -> Estimate:  # fmt: skip
    """A figure with its interval; `joint` is the level that each interval needs for all classes to hold together."""
    low, high = figure_interval(value, drawn, images, joint or level, shown=SHOWN[of])
    notes = ("undefined: no object counts",) if isnan(value) else (*_few(units), *_biased(value, drawn, SHOWN[of]))
    return Estimate(
        value, low=low, high=high, level=level, method=METHOD if joint is None else f"{METHOD}, simultaneous",
        units=units, notes=notes, name=name, better="higher", printed=True,
    )  # fmt: skip


def _few(units: int) -> tuple[str, ...]:
    images = f"{units} image{'' if units == 1 else 's'}"
    return (f"only {images}: do not rely on this interval",) if units < FEW else ()


def _biased(value: float, drawn: Array, shown: float) -> tuple[str, ...]:
    """A word where the bias is larger than the standard error."""
    known = drawn[~np.isnan(drawn)]
    if len(known) < 2 or not 0 < value < 1:
        return ()
    bias = shown * (float(known.mean()) - value)
    if abs(bias) <= max(float(np.std(known, ddof=1)), 1e-4):  # below that it is rounding
        return ()
    word = "high" if bias > 0 else "low"
    return (
        f"too {word} by more than its standard error, as classes with few objects make it; the interval allows for it",
    )


def joint_level(drawn: Array, level: float, seed: int) -> float:
    """The level that the interval of each class needs so that all of them hold at `level`, from their joint draws."""
    from scipy.special import ndtr

    known = drawn[~np.isnan(drawn).all(axis=1)]
    if len(known) < 2 or drawn.shape[1] < 2:
        return level
    filled = np.where(np.isnan(known), np.nanmean(known, axis=1, keepdims=True), known)
    reach = sup_t_of(np.cov(filled), level, draws=4000, rng=np.random.default_rng([seed, 1]))
    return float(2 * ndtr(reach) - 1)


def figure_difference(value: float, apart: Array, images: float, level: float) -> Found:
    """The difference of two detectors on the same images, with Student's t on the spread of its draws."""
    from scipy.special import stdtr

    apart = apart[~np.isnan(apart)]
    if isnan(value) or len(apart) < 2:
        why = "undefined for a model" if isnan(value) else "no spread to judge by"
        return Found(value=value, low=nan, high=nan, p=nan, test="none", notes=(why,))
    error = float(np.std(apart, ddof=1))
    if value == 0 and error <= 1e-12:
        return Found(value=0.0, low=0.0, high=0.0, p=1.0, test="identical", error=0.0, notes=("no figure differs",))
    if not error > 1e-12:
        return _constant(value, images, level)
    df = max(images - 1, 1)
    reach = critical_t(level, df) * error
    p = float(2 * stdtr(df, -abs(value) / error))
    return Found(value=value, low=value - reach, high=value + reach, p=p, test=TEST, error=error)


def _constant(value: float, images: float, level: float) -> Found:
    """The same difference in every draw: of all ways to swap the two detectors image by image, two are as extreme."""
    apart = 1 - effective_wilson(1.0, 0.0, level, at_edge=max(images, 1.0))[0]
    low, high = max(value - apart, -1.0), min(value + apart, 1.0)
    note = "the same in every draw: its interval rests on the number of images"
    return Found(
        value=value, low=low, high=high, p=min(2.0 ** (1 - images), 1.0), test=SWAPPED, error=0.0, notes=(note,)
    )


def by_figure(
    values: Mapping[str, float], draws: Mapping[str, Array], of: Mapping[str, str], *, units: int, level: float,
    images: float,
) -> dict[str, Estimate]:  # fmt: skip
    """Every figure with its interval; `of` says whether it is one of precision or of recall."""
    return {
        name: figure_estimate(name, value, draws[name], units, level, images=images, of=of[name])
        for name, value in values.items()
    }
