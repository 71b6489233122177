"""Intervals from resamples of images: limits, known answers, and coverage in simulations of their own."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from heldout.boxes.average_precision import FIGURES
from heldout.boxes.matching import coco_matches
from heldout.intervals.resampling import percentile
from heldout.lab.corpora.image_worlds import boxes
from heldout.verbs.images.image_intervals import (
    Rests,
    figure_difference,
    figure_estimate,
    figure_interval,
    images_with,
    joint_level,
    rests_on,
    shrunken_variance,
)
from heldout.verbs.images.resampled_metrics import drawn_figures
from tests.simulations.bounds import COVERS, REJECTS, at_least, at_most

FEW = "objects of this class: do not rely on this interval"
MANY = Rests(images=1e6, freedom=1e6)
REPEATS = 600


def resamples(centre, spread, count=2000):
    """The quantiles of a normal law: resamples without chance."""
    return centre + spread * stats.norm.ppf((np.arange(count) + 0.5) / count)


def width(ends):
    return ends[1] - ends[0]


def test_images_that_have_objects_of_each_class_and_size():
    objects, (said, _) = boxes(classes=3, objects=0.5).sample(12, np.random.default_rng(0))
    matches = coco_matches(objects, said)
    there = images_with(matches)
    pairs = set(zip(objects.label.tolist(), objects.image.tolist(), strict=True))
    assert set(zip(*(part.tolist() for part in np.nonzero(there)), strict=True)) == pairs
    small = images_with(matches, "small")
    assert small.sum() < there.sum()
    assert not np.any(small & ~there)


@pytest.mark.parametrize(
    ("there", "rests"),
    [
        ([[1, 1, 1, 1], [1, 1, 0, 0]], Rests(images=3.0, freedom=3.0)),  # no more than all images less one
        ([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]], Rests(images=2.0, freedom=2.0)),
        ([[0, 0, 0], [1, 1, 1]], Rests(images=3.0, freedom=2.0)),  # a class without objects does not count
        ([[1, 0, 0]], Rests(images=1.0, freedom=1.0)),
        ([[0, 0, 0]], Rests(images=1.0, freedom=1.0)),
    ],
)
def test_what_a_figure_rests_on(there, rests):
    assert rests_on(np.array(there, dtype=bool)) == rests


@pytest.mark.parametrize("of", ["precision", "recall"])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_with_very_many_images_and_no_bias_it_is_the_normal_interval_of_the_resamples(of, level):
    found = figure_interval(0.5, resamples(0.5, 0.01), MANY, level, of=of)
    assert found == pytest.approx(stats.norm.interval(level, 0.5, 0.01), abs=2e-4)


def test_with_many_images_recall_has_the_percentile_interval_of_its_resamples():
    """Recall has no bias to speak of, so that both are valid."""
    objects, (said, _) = boxes(classes=3, objects=2, wrong=1.5, blur=0.12).sample(300, np.random.default_rng(3))
    figures = {"AR100": FIGURES["AR100"]}
    found = drawn_figures(coco_matches(objects, said), figures, (), points="101", draws=1500, seed=1)
    rests = rests_on(images_with(found.matches))
    ours = figure_interval(found.class_values["AR100"], found.class_draws["AR100"], rests, 0.95, of="recall")
    plain = percentile(found.mean_draws("AR100"), 0.95)
    assert ours == pytest.approx(plain, abs=0.05 * width(plain))


def test_a_figure_and_what_it_lacks_to_one_have_mirrored_intervals():
    drawn = resamples(0.32, 0.04)
    low, high = figure_interval(0.3, drawn, Rests(images=12.0, freedom=11.0), 0.95, of="recall")
    turned = figure_interval(0.7, 1 - drawn, Rests(images=12.0, freedom=11.0), 0.95, of="recall")
    assert turned == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize("of", ["precision", "recall"])
def test_it_widens_with_the_level_the_spread_and_the_fewer_the_images(of):
    rests = Rests(images=20.0, freedom=19.0)
    levels = [width(figure_interval(0.5, resamples(0.5, 0.02), rests, level, of=of)) for level in (0.5, 0.9, 0.95)]
    spreads = [width(figure_interval(0.5, resamples(0.5, spread), rests, 0.95, of=of)) for spread in (0.01, 0.02, 0.04)]
    sizes = [
        width(figure_interval(0.5, resamples(0.5, 0.02), Rests(images=m, freedom=m - 1), 0.95, of=of))
        for m in (1000.0, 50.0, 10.0, 4.0)
    ]
    for widths in (levels, spreads, sizes):
        assert all(narrow < wide for narrow, wide in pairwise(widths))


def test_the_more_resamples_exceed_the_value_the_lower_it_is_put():
    """Precision of few images is too high, and resamples of these images show a part of that again."""
    middles = {
        of: [sum(figure_interval(0.5, resamples(0.5 + off, 0.02), MANY, 0.95, of=of)) / 2 for off in (0, 0.005, 0.01)]
        for of in ("precision", "recall")
    }
    for of in middles.values():
        assert all(lower < higher for higher, lower in pairwise(of))
    assert middles["recall"] == pytest.approx([0.5, 0.495, 0.49], abs=2e-4)  # as much as they show
    assert middles["precision"][1] < middles["recall"][1]  # more than they show
    few = figure_interval(0.5, resamples(0.51, 0.02), Rests(images=5.0, freedom=4.0), 0.95)
    assert sum(few) / 2 < middles["precision"][2]


@pytest.mark.parametrize("images", [1.0, 4.0, 50.0])
def test_where_resamples_do_not_differ_the_images_are_all_that_is_known(images):
    """At 0 and 1 the score interval of m trials ends at z² / (m + z²)."""
    rests, z = Rests(images=images, freedom=images), stats.norm.ppf(0.975)
    reach = z**2 / (images + z**2)
    for value, ends in ((1.0, (1 - reach, 1.0)), (0.0, (0.0, reach))):
        rounded = np.full(50, np.float32(value)).astype(float) + 1e-8
        assert figure_interval(value, rounded, rests, 0.95) == pytest.approx(ends, abs=1e-9)
    low, high = figure_interval(0.4, np.full(50, 0.4), rests, 0.95)
    assert 0 < low < 0.4 < high < 1


def test_nothing_to_resample():
    assert np.isnan(figure_interval(np.nan, resamples(0.5, 0.1), MANY, 0.95)).all()
    assert figure_interval(0.5, np.array([0.5, np.nan]), MANY, 0.95) == (0.0, 1.0)


@pytest.mark.parametrize("value", [0.02, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("off", [-0.05, 0.0, 0.05])
@pytest.mark.parametrize("spread", [1e-9, 0.005, 0.2])
def test_it_holds_the_value_and_stays_between_zero_and_one(value, off, spread):
    drawn = np.clip(resamples(value + off, spread), 0, 1)
    low, high = figure_interval(value, drawn, Rests(images=3.0, freedom=2.0), 0.95)
    assert 0 <= low <= value <= high <= 1


def simulated(images, columns, rng):
    """Samples of images that have an object of some classes each: every sample's shares, and in resamples of images."""
    found = rng.binomial(4, 0.6, (REPEATS, images, columns)) / 4
    weights = rng.multinomial(images, np.full(images, 1 / images), 300) / images
    return found.mean(axis=1), np.einsum("di,rik->rdk", weights, found)


@pytest.mark.simulation
@pytest.mark.parametrize("images", [5, 10, 30, 100])
def test_coverage_of_a_mean_over_images(images):
    values, drawn = simulated(images, 1, np.random.default_rng(images))
    rests = Rests(images=float(images), freedom=images - 1.0)
    ends = [figure_interval(v, d, rests, 0.95, of="recall") for v, d in zip(values[:, 0], drawn[..., 0], strict=True)]
    covered = np.mean([low <= 0.6 <= high for low, high in ends])
    print(f"{images} images: {covered:.3f}")
    assert at_least(COVERS, REPEATS) <= covered <= at_most(0.99, REPEATS)


@pytest.mark.simulation
@pytest.mark.parametrize("images", [10, 30])
def test_coverage_of_a_maximum_over_images(images):
    """As the best precision at a recall is: the largest of three equal shares, which is too high on every sample."""
    values, drawn = simulated(images, 3, np.random.default_rng(images))
    rests = Rests(images=float(images), freedom=images - 1.0)
    pairs = list(zip(values.max(axis=1), drawn.max(axis=2), strict=True))
    ends = [figure_interval(value, some, rests, 0.95) for value, some in pairs]
    covered = np.mean([low <= 0.6 <= high for low, high in ends])
    plain = np.mean([low <= 0.6 <= high for low, high in (percentile(some, 0.95) for _, some in pairs)])
    print(f"{images} images: {covered:.3f}, percentile {plain:.3f}")
    assert covered >= at_least(COVERS, REPEATS)
    assert plain < 0.85  # which is why it is not used


@pytest.mark.parametrize(
    ("given", "notes"),
    [
        ({"units": 9}, ("only 9 images: do not rely on this interval",)),
        ({"units": 10}, ()),
        ({"units": 50, "images": 4.0, "joint": 0.99}, (f"only 4 images have {FEW}",)),
        ({"units": 50, "images": 1.0, "joint": 0.99}, (f"only 1 image has {FEW}",)),
        ({"units": 50, "images": 5.0, "joint": 0.99}, ()),
        (
            {"units": 50, "off": 0.05},
            (
                (
                    "probably too high by more than its standard error, as classes with few objects make it: look at"
                    " the lower end of the interval"
                ),
            ),
        ),
    ],
)  # fmt: skip
def test_notes(given, notes):
    rests = Rests(images=given.get("images", 50.0), freedom=49.0)
    drawn = resamples(0.5 + given.get("off", 0.0), 0.05)
    found = figure_estimate("AP", 0.5, drawn, given["units"], 0.95, rests=rests, joint=given.get("joint"))
    assert found.notes == notes


def test_the_level_of_one_class_so_that_all_hold_together():
    rng = np.random.default_rng(5)
    alone = rng.standard_normal((4, 3000))
    assert joint_level(alone[:1], 0.95, 0) == pytest.approx(0.95, abs=0.004)
    assert joint_level(alone, 0.95, 0) == pytest.approx(0.95 ** (1 / 4), abs=0.004)  # independent classes: Šidák
    assert joint_level(np.repeat(alone[:1], 4, axis=0), 0.95, 0) == pytest.approx(0.95, abs=0.004)  # one class, really


def test_with_very_many_images_a_difference_has_the_normal_test():
    found = figure_difference(0.03, resamples(0.03, 0.01), MANY, 0.95)
    assert (found.low, found.high) == pytest.approx(stats.norm.interval(0.95, 0.03, 0.01), abs=2e-4)
    assert found.pvalue == pytest.approx(2 * stats.norm.sf(3), rel=0.02)
    turned = figure_difference(-0.03, -resamples(0.03, 0.01), MANY, 0.95)
    assert (turned.low, turned.high, turned.pvalue) == pytest.approx((-found.high, -found.low, found.pvalue))


def test_a_difference_of_fewer_images_has_a_larger_error_and_no_end_beyond_one():
    sizes = [Rests(images=m, freedom=m - 1) for m in (1000.0, 30.0, 4.0)]
    found = [figure_difference(0.3, resamples(0.3, 0.2), rests, 0.95) for rests in sizes]
    assert all(less.error < more.error and less.pvalue < more.pvalue for less, more in pairwise(found))
    assert all(one.high <= 1 for one in found)
    assert (found[-1].high, found[-1].low) == (1.0, pytest.approx(-0.6, abs=0.3))


@pytest.mark.simulation
@pytest.mark.parametrize("images", [10, 40])
def test_the_size_of_the_test_is_that_of_students_paired_test(images):
    """Differences of means over images: the paired t is exact enough there to compare with."""
    rng = np.random.default_rng(images)
    apart = rng.binomial(4, 0.6, (REPEATS, images)) / 4 - rng.binomial(4, 0.6, (REPEATS, images)) / 4
    weights = rng.multinomial(images, np.full(images, 1 / images), 300) / images
    rests = Rests(images=float(images), freedom=images - 1.0)
    p = np.array([figure_difference(d.mean(), weights @ d, rests, 0.95).pvalue for d in apart])
    known = stats.ttest_1samp(apart, 0, axis=1).pvalue
    print(f"{images} images: rejected {np.mean(p < 0.05):.3f}, by Student {np.mean(known < 0.05):.3f}")
    assert np.mean(p < 0.05) <= at_most(REJECTS, REPEATS)
    assert np.corrcoef(p, known)[0, 1] > 0.98
    assert np.median(p - known) >= -0.01  # never bolder than Student


@pytest.mark.parametrize("images", [2, 5, 9])
def test_a_difference_that_is_the_same_in_every_resample_has_an_exact_test(images):
    """Of the 2^m ways to swap two models image by image, the two extreme ones show it."""
    found = figure_difference(0.2, np.full(30, 0.2), Rests(images=images, freedom=images), 0.95)
    assert found.pvalue == 2 / 2**images
    assert found.low < 0.2 < found.high
    assert found.test == "every swap of images"


def test_differences_that_are_rounding_are_none():
    one = figure_difference(1e-9, np.full(20, 1e-9), MANY, 0.95)
    assert (one.value, one.pvalue, one.test, one.notes) == (0.0, 1.0, "identical", ("no figure differs",))


def test_differences_that_cannot_be_tested():
    undefined = figure_difference(np.nan, resamples(0, 1), MANY, 0.95)
    alone = figure_difference(0.1, np.array([0.1]), MANY, 0.95)
    assert (undefined.test, undefined.notes) == ("none", ("undefined for a model",))
    assert (alone.test, alone.notes) == ("none", ("no variance between units",))


def test_a_class_in_few_images_borrows_the_spread_of_the_others():
    """Where every class varies alike, so does one that shows no spread; with many images its own spread counts."""
    images = np.array([1.0, 2.0, 50.0, 50.0])
    shown = 0.04 / images * np.array([0.0, 0.5, 0.98, 0.98])  # what resamples show: none, a half, nearly all
    expected = shrunken_variance(shown, images, np.ones(4), 1.0)
    assert expected == pytest.approx(0.04 / images, rel=0.05)
    assert shrunken_variance(np.zeros(2), np.ones(2), np.ones(2), 0.2) == pytest.approx([0.2, 0.2])


def rare_classes_world(rng, images=60, classes=30):
    """Classes of which most are in one to four images: their values, draws, and in how many images they are."""
    chances = np.minimum(0.9 / np.arange(1, classes + 1) ** 1.2, 1.0)
    there = rng.random((classes, images)) < chances[:, None]
    truth = rng.beta(6, 4, classes)
    found = rng.random((classes, images)) < truth[:, None]
    weights = rng.multinomial(images, np.full(images, 1 / images), 150)
    with np.errstate(invalid="ignore"):
        values = (there & found).sum(axis=1) / there.sum(axis=1)
        drawn = (there & found) @ weights.T / (there @ weights.T)
    return truth, values, drawn, there


@pytest.mark.simulation
def test_coverage_of_a_mean_over_rare_classes():
    """A share of images by class: resamples alone hold the mean over the classes seen in far fewer samples."""
    rng, held, alone = np.random.default_rng(8), [], []
    for _ in range(300):
        truth, values, drawn, there = rare_classes_world(rng)
        rests, seen = rests_on(there), there.any(axis=1)
        low, high = figure_interval(values, drawn, rests, 0.95, of="recall")
        held.append(low <= truth[seen].mean() <= high)
        one, other = percentile(np.nanmean(drawn[seen], axis=0), 0.95)
        alone.append(one <= truth[seen].mean() <= other)
    print(f"covered {np.mean(held):.3f}, percentile {np.mean(alone):.3f}")
    assert at_least(COVERS, 300) <= np.mean(held) <= at_most(0.99, 300)
    assert np.mean(alone) < 0.9


def test_one_image_that_carries_most_of_a_figure_widens_its_interval():
    """Of 100 images that move the figure alike, and 100 of which one moves it most, with the same standard error."""
    rests, drawn = Rests(images=100.0, freedom=99.0), resamples(0.5, 0.02)
    alike = np.where(np.arange(100) % 2 == 0, 1.0, -1.0)
    led = np.append(10.0, np.zeros(99))
    led -= led.mean()
    ends = [
        figure_interval(0.5, drawn, rests, 0.95, of="recall", without=0.5 + 0.002 * moved / np.std(moved))
        for moved in (alike, led)
    ]
    assert width(ends[0]) == pytest.approx(width(figure_interval(0.5, drawn, rests, 0.95, of="recall")), rel=0.02)
    assert width(ends[1]) > 1.3 * width(ends[0])
    tests = [
        figure_difference(0.05, drawn - 0.45, rests, 0.95, without=0.05 + 0.002 * moved / np.std(moved))
        for moved in (alike, led)
    ]
    assert tests[0].pvalue < 0.05 < tests[1].pvalue


def test_rare_classes_are_counted_in_a_note_and_have_no_simulated_coverage():
    there = np.zeros((4, 50), dtype=bool)
    there[:3, :40], there[3, :2] = True, True
    values, drawn = np.full(4, 0.5), np.tile(resamples(0.5, 0.02, 200), (4, 1))
    one = figure_estimate("AP", values, drawn, 50, 0.95, rests=rests_on(there), measured="AP")
    note = "mean over 4 classes with objects, of which 1 class is in fewer than 5 images"
    assert (one.notes, one.measured_as) == ((note,), None)
    many = figure_estimate("AP", values[:3], drawn[:3], 50, 0.95, rests=rests_on(there[:3]), measured="AP")
    assert (many.notes, many.measured_as) == ((), ("AP", "auto", "rows", "two-sided"))
    two = figure_difference(values, drawn, rests_on(there), 0.95)
    assert two.notes == (note,)
