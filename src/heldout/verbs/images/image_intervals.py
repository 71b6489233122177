"""Intervals of figures from resamples of images, and of their paired differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, isnan, nan, sqrt

import numpy as np

from heldout.batch import Array
from heldout.boxes.matching import Matches
from heldout.cards.lookup import CardKey
from heldout.estimates import Estimate
from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.scales import critical_t, critical_z
from heldout.intervals.shares import effective_wilson
from heldout.intervals.simultaneous import sup_t_of
from heldout.stats.outcome import Outcome, no_difference

METHOD = "image bootstrap"
TEST = "paired image bootstrap"
SWAPPED = "every swap of images"
SHOWN, SHOWN_BY_FEW, SHIFTED = 2.0, 10.0, 2.0
"""The bias of the average precision of a class over that of its draws is 2 + 10 / (images + 2), about.

In populations of sixty classes 1.8 to 2.5 were measured with 60 images or more of a class, 3 with 10, 4 to 6 with 3.
"""
SEEN, LEVELLED = 3, 5.0
"""Images from which on draws show the bias of a class; below, it is taken to fall as 1 / (images + 5) over classes."""
UNSURE = 0.5
"""How unsure the bias is that is taken off, as a share of it."""
PRIOR_IMAGES = 2.0
"""How many images the spread over images that all classes share counts for beside the class's own."""
FEW, FEW_OF_CLASS = 10, 5
"""Images below which an interval over images says little; and images with objects, for one of a class."""
RARE = 0.25
"""From this share of classes in fewer than five images on, no simulated coverage is given."""
ROUNDING = 1e-6
"""A standard error below this is what single precision left of zero."""
JOINT_DRAWS = 20_000
"""Draws that give the level at which the intervals of all classes hold together, to 0.2 points."""
BY_CLASS = " by class"
"""What the lab calls intervals of all classes together, after the name of the figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rests:
    """How many images a figure rests on."""

    images: float
    """Images with objects of a class, on average over classes."""
    freedom: float
    """Degrees of freedom: these less one, added up over classes, but at most all images with objects less one."""
    added: float = 0.0
    """Units that are added, half of them right, to the spread of a value near 0 or 1."""
    each: Array | None = field(default=None, compare=False, repr=False)
    """Images with objects of each class; None: as many of every class."""

    @property
    def rare(self) -> tuple[int, int]:
        """How many classes are in fewer than five images, and of how many."""
        each = np.array([self.images]) if self.each is None else self.each[self.each > 0]
        return int(np.count_nonzero(each < FEW_OF_CLASS)), len(each)

    @property
    def mostly_rare(self) -> bool:
        """Whether a quarter of several classes or more are in so few images: not what was simulated."""
        rare, classes = self.rare
        return classes > 1 and rare >= RARE * classes


def images_with(m: Matches, area: str = "all") -> Array:
    """Classes by images: whether the image has objects of the class that count in a size range."""
    counts = m.counted[:, m.areas.index(area)]
    there = np.zeros((m.classes, m.images), dtype=bool)
    there[m.truth_label[counts], m.truth_image[counts]] = True
    return there


def rests_on(there: Array) -> Rests:
    """What a mean over classes rests on; `there` is what `images_with` gives, or a part of its lines.

    >>> rests_on(np.array([[True, True, True, False], [False, False, False, True]]))
    Rests(images=2.0, freedom=2.0, added=0.0)
    """
    counts = there.sum(axis=1)
    each = counts[counts > 0]
    if not len(each):
        return Rests(images=1.0, freedom=1.0, each=counts)
    most = int(there.any(axis=0).sum()) - 1
    freedom = float(max(min(int((each - 1).sum()), most), 1))
    return Rests(images=float(each.mean()), freedom=freedom, each=counts)


def shrunken_variance(variance: Array, images: Array, scale: Array, alone: float) -> Array:
    """The variance of the value of every class, where a class in few images is shrunk towards the others.

    A class in one or two images shows too little of how its value differs from image to image. That variance over
    images is pooled over classes, in proportion to `scale`, and counts for as many images as `PRIOR_IMAGES` beside the
    class's own; `alone` is that proportion where no class is in two images.
    """
    over_images, several = variance * images**2, images >= 2
    share = (over_images / scale)[several].sum() / (images - 1)[several].sum() if several.any() else alone
    own = over_images / np.maximum(images - 2, 1.0)
    borrowed: Array = ((images - 1) * own + PRIOR_IMAGES * share * scale) / (images - 1 + PRIOR_IMAGES) / images
    return borrowed


@dataclass(frozen=True, slots=True, kw_only=True)
class _ByClass:
    """The values of classes with objects, and how far resamples of images move each of them."""

    values: Array
    images: Array
    """Images with objects of the class."""
    off: Array
    """Classes by draws: the value in the draw less the value; 0 where the draw has no object of the class."""
    drawn: Array
    """In how many resamples the class has objects."""

    @property
    def shift(self) -> Array:
        """How much higher a class is in draws that have it, on average."""
        return self.off.sum(axis=1) / self.drawn

    def bias(self, of: str) -> float:
        """How much too high the mean over classes is, from what draws show of it."""
        shift, value = self.shift, float(self.values.mean())
        if not 0 < value < 1 or np.all(np.abs(shift) <= ROUNDING):
            return 0.0
        if of == "recall":
            return float(shift.mean())
        bias = shift * (SHOWN + SHOWN_BY_FEW / (self.images + SHIFTED))
        seen, falls = self.images >= SEEN, 1 / (self.images + LEVELLED)
        if seen.any() and not seen.all():  # one or two images show next to nothing of it
            shared = bias[seen].sum() / falls[seen].sum()
            bias = np.where(seen, bias, np.maximum(bias, shared * falls))
        return float(bias.mean())

    def error(self, alone: float) -> float:
        """The standard error of the mean over classes; 0 where it is rounding.

        Draws show too little of the spread of a class that is in few images: what they lack is added, class by class.
        """
        m, share = self.images, self.drawn / max(self.off.shape[1], 1)
        mean, square = self.off.mean(axis=1), np.einsum("ij,ij->i", self.off, self.off) / max(self.off.shape[1], 1)
        within = np.maximum(square / share - (mean / share) ** 2, 0.0)
        expected = shrunken_variance(within, m, np.ones(len(m)), alone)
        lacks = np.maximum(expected - np.maximum(square - mean**2, 0.0), 0.0).sum() / len(m) ** 2
        error = sqrt(float(np.var(self.off.mean(axis=0), ddof=1)) + float(lacks))
        return error if error > ROUNDING else 0.0


def _classes_of(value: float | Array, drawn: Array, rests: Rests) -> _ByClass | None:
    """The classes that have a value and draws; one alone may be given as a number and a line of draws."""
    values, lines = np.atleast_1d(np.asarray(value, dtype=float)), np.atleast_2d(drawn)
    images = np.full(len(values), rests.images) if rests.each is None else np.maximum(rests.each, 1).astype(float)
    there = ~np.isnan(lines)
    counts = there.sum(axis=1)
    known = ~np.isnan(values) & (counts > 0)
    if not known.any() or counts.max() < 2:
        return None
    off = np.where(there[known], lines[known] - values[known, None], 0.0)
    return _ByClass(values=values[known], images=images[known], off=off, drawn=counts[known])


def figure_interval(
    value: float | Array, drawn: Array, rests: Rests, level: float, *, of: str = "precision",
    without: Array | None = None,
) -> Interval:  # fmt: skip
    """Wilson's interval with the spread of the draws, around the bias-corrected mean over classes.

    `value` and `drawn` (classes by draws) are those of every class; the figure is the mean over classes with objects.
    The precision of few images is too high, for the best precision at a recall or beyond is a maximum, and a rare class
    is seen where it is more frequent than elsewhere. Draws show less than half of that: the bias of a class is the mean
    of its draws less its value, times 2 + 10 / (m + 2) where m images have it, and half the bias is added to the error,
    because it is not well known. The variance of a class in few images is shrunk towards the others. Student's quantile
    pays for few images, and for those that carry more than others, where `without` (classes by images) is known: the
    values without each image. At 0 and 1, where draws do not differ, the number of images is all that is known.
    """
    mean = _mean(value)
    if isnan(mean):
        return UNDEFINED
    classes = _classes_of(value, drawn, rests)
    if classes is None:
        return 0.0, 1.0
    single = _left_out(value, without)
    bias, error = classes.bias(of), max(classes.error(mean * (1 - mean)), single.error)
    freedom = min(_freedom(rests) if of == "precision" else rests.freedom, single.freedom)
    wider = critical_t(level, max(freedom, 1.0)) / critical_z(level)
    variance = (error**2 + (UNSURE * bias) ** 2) * wider**2
    centre = min(max(mean - bias, 0.0), 1.0)
    if rests.added and 0 < centre < 1:  # a value near 1 shows too little of its spread
        with_more = (rests.images * centre + rests.added / 2) / (rests.images + rests.added)
        variance *= max(with_more * (1 - with_more) / (centre * (1 - centre)), 1.0)
    low, high = effective_wilson(centre, variance, level, at_edge=max(rests.images, 1.0))
    return min(low, mean), max(high, mean)


@dataclass(frozen=True, slots=True)
class Spread:
    """A standard error below which that of a figure does not go, and a bound on its degrees of freedom."""

    error: float = 0.0
    freedom: float = inf


def _left_out(value: float | Array, without: Array | None) -> Spread:
    """The jackknife's standard error; its degrees of freedom are few where few images carry most of it.

    With d_i how far the figure without image i lies from their mean, and k = n sum d_i⁴ / (sum d_i²)², they are
    2 n / (k - 1 + 2 / n): in crowded images, about 22 of 100.
    """
    if without is None:
        return Spread()
    values, lines = np.atleast_1d(np.asarray(value, dtype=float))[:, None], np.atleast_2d(without)
    known = ~np.isnan(values[:, 0])
    moved = np.where(np.isnan(lines), 0.0, lines - values)[known].mean(axis=0)
    moved = moved - moved.mean()
    n, squares = len(moved), float(np.sum(moved**2))
    error = sqrt((n - 1) / n * squares)
    if not error > ROUNDING:
        return Spread()
    peaked = n * float(np.sum(moved**4)) / squares**2
    return Spread(error, 2 * n / (peaked - 1 + 2 / n))


def _mean(value: float | Array) -> float:
    """The mean over the classes that have objects."""
    values = np.atleast_1d(np.asarray(value, dtype=float))
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else nan


def _freedom(rests: Rests) -> float:
    return sqrt(max(rests.images - 1, 1.0) * rests.freedom)


def figure_estimate(
    name: str, value: float | Array, drawn: Array, units: int, level: float, *, rests: Rests,
    joint: float | None = None, of: str = "precision", measured: str | None = None, without: Array | None = None,
    unit: str = "image", notes: tuple[str, ...] = (),
) -> Estimate:  # fmt: skip
    """A figure with its interval; `joint` is the level that each interval needs for all classes to hold together.

    `value` and `drawn` are those of every class that it is the mean of, or of one class; `measured` names its
    simulated rate.
    """
    low, high = figure_interval(value, drawn, rests, joint or level, of=of, without=without)
    method = METHOD if unit == "image" else "bootstrap"
    mean = _mean(value)
    few = (*_few(units, unit), *rare_classes(rests)) if joint is None else _few_of_class(rests.images)
    more = ("undefined: no object counts",) if isnan(mean) else (*few, *_biased(value, drawn, rests, of))
    if joint is None and rests.mostly_rare:
        measured = None
    return Estimate(
        mean, low=low, high=high, level=level, method=method if joint is None else f"{METHOD}, simultaneous",
        units=units, notes=(*notes, *more), name=name, better="higher", printed=True,
        measured_as=None if measured is None else CardKey(measured),
    )  # fmt: skip


def _few(units: int, unit: str = "image") -> tuple[str, ...]:
    images = f"{units} {unit}{'' if units == 1 else 's'}"
    return (f"only {images}: do not rely on this interval",) if units < FEW else ()


def _few_of_class(images: float) -> tuple[str, ...]:
    if images >= FEW_OF_CLASS:
        return ()
    have = "1 image has" if images == 1 else f"{images:.0f} images have"
    return (f"only {have} objects of this class: do not rely on this interval",)


def rare_classes(rests: Rests, which: str = "with objects") -> tuple[str, ...]:
    """How many classes of a mean are in too few images to know their values."""
    rare, classes = rests.rare
    if not rare or classes < 2:
        return ()
    are = "1 class is" if rare == 1 else f"{rare} classes are"
    return (f"mean over {classes} classes {which}, of which {are} in fewer than {FEW_OF_CLASS} images",)


def _biased(value: float | Array, drawn: Array, rests: Rests, of: str) -> tuple[str, ...]:
    """A word where the bias is larger than the standard error."""
    classes, mean = _classes_of(value, drawn, rests), _mean(value)
    if classes is None or not 0 < mean < 1:
        return ()
    bias = classes.bias(of)
    if abs(bias) <= max(classes.error(mean * (1 - mean)), 1e-4):  # below that it is rounding
        return ()
    word, side = ("high", "lower") if bias > 0 else ("low", "upper")
    text = (
        f"probably too {word} by more than its standard error, as classes with few objects make it: look at the {side} "
    )
    return (f"{text}end of the interval",)


def joint_level(drawn: Array, level: float, seed: int) -> float:
    """The level that the interval of each class needs so that all of them hold at `level`, from their joint draws."""
    from scipy.special import ndtr

    known = drawn[~np.isnan(drawn).all(axis=1)]
    if len(known) < 2 or drawn.shape[1] < 2:
        return level
    filled = np.where(np.isnan(known), np.nanmean(known, axis=1, keepdims=True), known)
    reach = sup_t_of(np.cov(filled), level, draws=JOINT_DRAWS, rng=np.random.default_rng([seed, 1]))
    return float(2 * ndtr(reach) - 1)


def figure_difference(
    value: float | Array, apart: Array, rests: Rests, level: float, *, without: Array | None = None
) -> Outcome:
    """The difference of two detectors on the same images, with Student's t on the spread of its draws.

    `value` and `apart` (classes by draws) are the differences of every class that it is the mean of, or of one class;
    `without` are those without each image.
    """
    from scipy.special import stdtr

    mean, classes = _mean(value), _classes_of(value, apart, rests)
    if isnan(mean) or classes is None:
        why = "undefined for a model" if isnan(mean) else "no variance between units"
        return Outcome(value=mean, low=nan, high=nan, pvalue=nan, test="none", notes=(why,))
    single = _left_out(value, without)
    error = max(classes.error(float(np.mean(classes.values**2))), single.error)
    freedom = max(min(_freedom(rests), single.freedom), 1.0)
    if abs(mean) <= ROUNDING and not error > 0:
        return no_difference("no figure differs", units=max(rests.images, 1.0), level=level)
    if not error > 0:
        return _constant(mean, rests.images, level)
    reach = critical_t(level, freedom) * error
    p = float(2 * stdtr(freedom, -abs(mean) / error))
    low, high = max(mean - reach, -1.0), min(mean + reach, 1.0)  # shares cannot differ by more
    return Outcome(value=mean, low=low, high=high, pvalue=p, test=TEST, error=error, notes=rare_classes(rests))


def _constant(value: float, images: float, level: float) -> Outcome:
    """The same difference in every resample: of all swaps of the two detectors, image by image, two are as extreme."""
    apart = 1 - effective_wilson(1.0, 0.0, level, at_edge=max(images, 1.0))[0]
    low, high = max(value - apart, -1.0), min(value + apart, 1.0)
    note = "the same in every resample: its interval rests on the number of images"
    return Outcome(
        value=value, low=low, high=high, pvalue=min(2.0 ** (1 - images), 1.0), test=SWAPPED, error=0.0, notes=(note,)
    )


def by_figure(
    values: Mapping[str, Array], draws: Mapping[str, Array], of: Mapping[str, str], *, units: int, level: float,
    rests: Mapping[str, Rests], measured: bool, without: Mapping[str, Array],
) -> dict[str, Estimate]:  # fmt: skip
    """Every figure with its interval, from its values by class; `of` says whether it is of precision or of recall."""
    return {
        name: figure_estimate(
            name, value, draws[name], units, level, rests=rests[name], of=of[name],
            measured=name if measured else None, without=without.get(name),
        )
        for name, value in values.items()
    }  # fmt: skip
