"""Worlds of pictures and texts: what they say of themselves is so."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.boxes.coco_metrics import the_twelve
from heldout.boxes.matching import coco_matches
from heldout.errors import UsageError
from heldout.formulas.text_corpora import TEXTS
from heldout.lab.corpora.box_world import boxes
from heldout.lab.corpora.mask_world import PIXELS, pixels
from heldout.lab.corpora.one_sample import set_world
from heldout.lab.corpora.text_world import METRICS, grams, runs, segments
from heldout.language import sacre

DOCUMENTS = {"size": 4, "alike": 0.5}


def counted(kind, hypotheses, references):
    if kind == "ter":
        return sacre.ter_columns(hypotheses, references)
    if kind == "chrf":
        return sacre.chrf_columns(hypotheses, references, words=0, lowercase=False)
    return sacre.bleu_columns(hypotheses, references, sacre.Reading())


@pytest.mark.parametrize("kind", ["bleu", "chrf", "ter"])
@pytest.mark.parametrize("given", [{}, {"length": 8, "quality": 0.4, "short": 0.4, "long": 0.4}])
def test_texts_written_out_add_what_sacrebleu_counts(kind, given):
    (said, _) = segments(**given).sample(25, np.random.default_rng(3))
    hypotheses, references = said.texts()
    found = counted(kind, hypotheses, [[text] for text in references])
    for name, column in said.columns(kind).items():
        assert np.array_equal(found[name], column), name


@pytest.mark.parametrize("given", [{}, {"quality": 0.45, "length": 10}, {"short": 0.15, "long": 0.15}, DOCUMENTS])
def test_sums_of_many_segments_come_near_those_on_average(given):
    world = segments(**given)
    rng, units = np.random.default_rng(5), 6000
    for said in world.sample(units // world.size, rng):
        for kind in ("bleu", "chrf", "ter"):
            for name, column in said.columns(kind).items():
                by_unit = column.reshape(-1, world.size, *column.shape[1:]).mean(axis=1)
                error = by_unit.std(axis=0, ddof=1) / np.sqrt(len(by_unit))
                assert np.all(np.abs(by_unit.mean(axis=0) - world.expected[name]) < 4.5 * error + 1e-9), name


def test_the_truths_are_the_formulas_of_those_sums():
    world = segments(quality=0.5, spread=2, short=0, long=0)
    assert world.moments(3).tolist() == pytest.approx([1 / 2, 1 / 3, 1 / 4])  # of a uniform chance
    words, chance = world.lengths
    shares = [chance @ grams(words, 4)[:, n] / (n + 2) / (chance @ grams(words, 4)[:, n]) for n in range(4)]
    assert world.truths["bleu"] == pytest.approx(100 * float(np.prod(shares)) ** 0.25)
    assert world.truths["ter"] == pytest.approx(50)
    assert set(world.truths) == set(METRICS) <= set(TEXTS)


def test_documents_are_alike_and_change_no_truth():
    alone, together = segments(), segments(size=8, alike=1.0)
    assert together.truths == alone.truths
    shares = together.sample(400, np.random.default_rng(2))[0]
    share = (shares.right.sum(axis=1) / shares.wanted).reshape(-1, 8)
    within, between = share.var(axis=1).mean(), share.mean(axis=1).var()
    assert between > within


def test_runs_of_right_places():
    right = np.array([[True] * 5, [True, False, True, True, False]])
    assert runs(right, 4).tolist() == [[5, 4, 3, 2], [3, 1, 0, 0]]


@pytest.mark.parametrize("given", [{}, {"classes": 6, "present": 0.2}, {"classes": 2, "present": 1.0}])
def test_pixels_of_many_images_come_near_those_on_average(given):
    world = pixels(**given)
    for cells in world.sample(3000, np.random.default_rng(4)):
        assert cells.rows.sum() == 3000 * PIXELS
        assert np.abs(cells.counts / 3000 - world.counts).max() < 0.02 * PIXELS
        right = np.diag(cells.counts)
        iou = right / (cells.counts.sum(axis=0) + cells.counts.sum(axis=1) - right)
        assert np.abs(iou - world.class_truths).max() < 0.02
        assert world.truths["mean_iou"] == pytest.approx(world.class_truths.mean())


def test_two_detectors_are_equally_good_and_hard_images_are_hard_for_both():
    world = boxes(classes=2, objects=2, wrong=1, blur=0.08)
    objects, said = world.sample(1500, np.random.default_rng(6))
    first, second = (the_twelve(coco_matches(objects, one)) for one in said)
    assert all(abs(first[name] - second[name]) < 0.04 for name in first)
    assert all(0 < value < 1 for value in first.values())
    found = [np.bincount(one.image[one.box[:, 1] < 400], minlength=1500) for one in said]
    wanted = np.bincount(objects.image, minlength=1500)
    missed = [wanted - one for one in found]
    assert np.corrcoef(*missed)[0, 1] > 0.2


def test_the_frequencies_of_classes():
    objects, _ = boxes(classes=3, objects=1, tail=1).sample(4000, np.random.default_rng(1))
    assert np.bincount(objects.label) / 4000 == pytest.approx(np.array([18, 9, 6]) / 11, abs=0.08)


@pytest.mark.parametrize(
    ("word", "message", "fix"),
    [
        (
            "boxes:classes=0",
            "boxes with classes=0, objects=1, wrong=1.5, blur=0.1 and tail=0 cannot be drawn",
            "such as boxes:classes=3,objects=1,wrong=1.5,blur=0.1",
        ),
        (
            "pixels:present=0",
            "pixels with classes=4, present=0, quality=0.85 and spread=6 cannot be drawn",
            "such as pixels:classes=4,present=0.5,quality=0.85,spread=6",
        ),
        (
            "segments:short=0.7,long=0.7",
            "segments with length=20, quality=0.7, spread=4, short=0.7, long=0.7, size=1 and alike=0.7 cannot be drawn",
            "such as segments:length=20,quality=0.7,spread=4,short=0.2,long=0.1",
        ),
        (
            "segment",
            "no world of pictures or texts is named 'segment'; did you mean 'segments'?",
            "choose one of boxes, pixels, segments",
        ),
    ],
)
def test_messages(word, message, fix):
    with pytest.raises(UsageError) as caught:
        set_world(word)
    assert str(caught.value) == f"{message}\n  Fix: {fix}"


@pytest.mark.parametrize(
    "word", ["boxes:classes=2,objects=1,wrong=1,blur=0.1,tail=1", "pixels:classes=3,present=0.5,quality=0.9,spread=4"]
)
def test_a_world_is_called_by_its_word(word):
    assert set_world(word).name == word
