"""A world of texts: what it says of itself is so."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.formulas.text_corpora import TEXTS
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
