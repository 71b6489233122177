"""Intervals of figures from draws of images, and of their paired differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan, nan, sqrt

import numpy as np

from heldout.batch import Array
from heldout.boxes.matching import Matches
from heldout.estimates import Estimate
from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.scales import critical_t, critical_z
from heldout.intervals.shares import effective_wilson
from heldout.intervals.simultaneous import sup_t_of
from heldout.stats.outcome import Outcome, no_difference

METHOD = "image bootstrap"
TEST = "paired image bootstrap"
SWAPPED = "every swap of images"
SHOWN, SHOWN_BY_FEW = 2.0, 5.0
"""The bias of average precision over that of its draws is 2 + 5 / images, about; 1.9 to 8 were measured in the lab."""
UNSURE = 0.5
"""How unsure the bias is that is taken off, as a share of it."""
FEW, FEW_OF_CLASS = 10, 5
"""Images below which an interval over images says little; and images with objects, for one of a class."""
ROUNDING = 1e-6
"""A standard error below this is what single precision left of zero."""
BY_CLASS = " by class"
"""What the lab calls intervals of all classes together, after the name of the figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rests:
    """How many images a figure rests on."""

    images: float
    """Images with objects of a class, on average over classes."""
    freedom: float
    """Degrees of freedom: these less one, added up over classes, but at most all images with objects less one."""


def images_with(m: Matches, area: str = "all") -> Array:
    """Classes by images: whether the image has objects of the class that count in a size range."""
    counts = m.counted[:, m.areas.index(area)]
    there = np.zeros((m.classes, m.images), dtype=bool)
    there[m.truth_label[counts], m.truth_image[counts]] = True
    return there


def rests_on(there: Array) -> Rests:
    """What a mean over classes rests on; `there` is what `images_with` gives, or a part of its lines.

    >>> rests_on(np.array([[True, True, True, False], [False, False, False, True]]))
    Rests(images=2.0, freedom=2.0)
    """
    each = there.sum(axis=1)
    each = each[each > 0]
    if not len(each):
        return Rests(images=1.0, freedom=1.0)
    most = int(there.any(axis=0).sum()) - 1
    return Rests(images=float(each.mean()), freedom=float(max(min(int((each - 1).sum()), most), 1)))


def figure_interval(value: float, drawn: Array, rests: Rests, level: float, *, of: str = "precision") -> Interval:
    """Wilson's interval with the spread of the draws, round the value freed of its bias.

    The precision of few images is too high, for the best precision at a recall or beyond is a maximum. Draws show less
    than half of it: the bias is the mean of the draws less the value, times 2 + 5 / m where m images have objects of a
    class. The variance of the draws is too small by (m - 2) / m, and half the bias is added to the error, because it is
    not well known. Student's quantile pays for few images; at 0 and 1, where draws do not differ, their number is all
    that is known.
    """
    drawn = drawn[~np.isnan(drawn)]
    if isnan(value):
        return UNDEFINED
    if len(drawn) < 2:
        return 0.0, 1.0
    bias, error = _bias(value, drawn, rests.images, of), _error(drawn, rests.images)
    freedom = sqrt(max(rests.images - 1, 1.0) * rests.freedom) if of == "precision" else rests.freedom
    wider = critical_t(level, freedom) / critical_z(level)
    variance = (error**2 + (UNSURE * bias) ** 2) * wider**2
    centre = min(max(value - bias, 0.0), 1.0)
    low, high = effective_wilson(centre, variance, level, at_edge=max(rests.images, 1.0))
    return min(low, value), max(high, value)


def _error(drawn: Array, images: float) -> float:
    """The standard error that draws show, made larger where they rest on few images; 0 where it is rounding."""
    spread, some = float(np.std(drawn, ddof=1)), max(images, 3.0)
    return spread * sqrt(some / (some - 2)) if spread > ROUNDING else 0.0


def _bias(value: float, drawn: Array, images: float, of: str) -> float:
    """How much too high the value is, from what draws show of it."""
    off = float(drawn.mean()) - value
    if not 0 < value < 1 or abs(off) <= ROUNDING:
        return 0.0
    return off * (SHOWN + SHOWN_BY_FEW / max(images, 1.0) if of == "precision" else 1.0)


def figure_estimate(
    name: str, value: float, drawn: Array, units: int, level: float, *, rests: Rests, joint: float | None = None,
    of: str = "precision", measured: str | None = None,
) -> Estimate:  # fmt: skip
    """A figure with its interval; `joint` is the level that each interval needs for all classes to hold together.

    `measured` is by what the lab knows the interval.
    """
    low, high = figure_interval(value, drawn, rests, joint or level, of=of)
    few = _few(units) if joint is None else _few_of_class(rests.images)
    notes = ("undefined: no object counts",) if isnan(value) else (*few, *_biased(value, drawn, rests, of))
    return Estimate(
        value, low=low, high=high, level=level, method=METHOD if joint is None else f"{METHOD}, simultaneous",
        units=units, notes=notes, name=name, better="higher", printed=True,
        measured_as=None if measured is None else (measured, "auto", False),
    )  # fmt: skip


def _few(units: int) -> tuple[str, ...]:
    images = f"{units} image{'' if units == 1 else 's'}"
    return (f"only {images}: do not rely on this interval",) if units < FEW else ()


def _few_of_class(images: float) -> tuple[str, ...]:
    if images >= FEW_OF_CLASS:
        return ()
    have = "1 image has" if images == 1 else f"{images:.0f} images have"
    return (f"only {have} objects of this class: do not rely on this interval",)


def _biased(value: float, drawn: Array, rests: Rests, of: str) -> tuple[str, ...]:
    """A word where the bias is larger than the standard error."""
    known = drawn[~np.isnan(drawn)]
    if len(known) < 2 or not 0 < value < 1:
        return ()
    bias = _bias(value, known, rests.images, of)
    if abs(bias) <= max(_error(known, rests.images), 1e-4):  # below that it is rounding
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


def figure_difference(value: float, apart: Array, rests: Rests, level: float) -> Outcome:
    """The difference of two detectors on the same images, with Student's t on the spread of its draws."""
    from scipy.special import stdtr

    apart = apart[~np.isnan(apart)]
    if isnan(value) or len(apart) < 2:
        why = "undefined for a model" if isnan(value) else "no spread to judge by"
        return Outcome(value=value, low=nan, high=nan, pvalue=nan, test="none", notes=(why,))
    error = _error(apart, rests.images)
    if abs(value) <= ROUNDING and not error > 0:
        return no_difference("no figure differs", units=max(rests.images, 1.0), level=level)
    if not error > 0:
        return _constant(value, rests.images, level)
    reach = critical_t(level, rests.freedom) * error
    p = float(2 * stdtr(rests.freedom, -abs(value) / error))
    low, high = max(value - reach, -1.0), min(value + reach, 1.0)  # shares cannot differ by more
    return Outcome(value=value, low=low, high=high, pvalue=p, test=TEST, error=error)


def _constant(value: float, images: float, level: float) -> Outcome:
    """The same difference in every draw: of all ways to swap the two detectors image by image, two are as extreme."""
    apart = 1 - effective_wilson(1.0, 0.0, level, at_edge=max(images, 1.0))[0]
    low, high = max(value - apart, -1.0), min(value + apart, 1.0)
    note = "the same in every resample: its interval rests on the number of images"
    return Outcome(
        value=value, low=low, high=high, pvalue=min(2.0 ** (1 - images), 1.0), test=SWAPPED, error=0.0, notes=(note,)
    )


def by_figure(
    values: Mapping[str, float], draws: Mapping[str, Array], of: Mapping[str, str], *, units: int, level: float,
    rests: Mapping[str, Rests], measured: bool,
) -> dict[str, Estimate]:  # fmt: skip
    """Every figure with its interval; `of` says whether it is one of precision or of recall."""
    return {
        name: figure_estimate(
            name, value, draws[name], units, level, rests=rests[name], of=of[name], measured=name if measured else None
        )
        for name, value in values.items()
    }
