"""BERTScore of every segment, with an embedder whose vectors are known."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from heldout.errors import DataError, UsageError
from heldout.inputs.formats.parallel_texts import one_system, read_segments
from heldout.verbs.text import bertscore_sums as module
from heldout.verbs.text.bertscore_sums import embedded, embedding_signature

VECTORS = {"a": [1.0, 0.0], "b": [0.0, 1.0], "ab": [sqrt(0.5), sqrt(0.5)]}


class Known:
    """Words with vectors of their own, told apart by number."""

    name = "known"
    asked: list[list[str]]

    def __init__(self):
        self.asked = []

    def __call__(self, texts):
        self.asked.append(list(texts))
        return [np.array([VECTORS[word] for word in text.split()]) for text in texts]

    def tokens(self, texts):
        return [[list(VECTORS).index(word) for word in text.split()] for text in texts]


def sums(references, hypotheses, **options):
    segments = read_segments(references, one_system(hypotheses))
    (found,) = embedded(segments, **{"embedder": Known()} | options).values()
    return found


def test_precision_is_over_what_was_said_and_recall_over_what_was_wanted():
    found = sums(["a b"], ["a"])
    assert found["bert_p"].tolist() == pytest.approx([1.0])
    assert found["bert_r"].tolist() == pytest.approx([0.5])
    assert found["bert_f"].tolist() == pytest.approx([2 / 3])
    assert found["rows"].tolist() == [1.0]


def test_of_several_references_the_best_counts_for_each_figure_apart():
    found = sums([["b", "a b"]], ["a"])
    assert found["bert_p"].tolist() == pytest.approx([1.0])
    assert found["bert_r"].tolist() == pytest.approx([0.5])


def test_rare_words_weigh_more():
    """idf = ln((m + 1) / (df + 1)) over the references."""
    references = ["a b", "a ab", "a a"]
    found = sums(references, ["b", "a b", "a b"], idf=True)
    rare, common = log(4 / 2), log(4 / 4)  # a word of every reference weighs nothing
    assert found["bert_r"][0] == pytest.approx((common * 0 + rare * 1) / (common + rare))
    assert found["bert_r"][1] == pytest.approx((common * 1 + rare * sqrt(0.5)) / (common + rare))
    assert found["bert_p"][1] == pytest.approx((common * 1 + rare * sqrt(0.5)) / (common + rare))
    assert found["bert_r"][2] == 0.0  # nothing that weighs


def test_texts_that_come_again_are_embedded_once_and_segments_a_few_at_a_time(monkeypatch):
    monkeypatch.setattr(module, "SEGMENTS_AT_ONCE", 2)
    embedder = Known()
    found = sums(["a", "a", "b"], ["a", "b", "b"], embedder=embedder)
    assert embedder.asked == [["a", "b"], ["b"]]
    assert found["bert_f"].tolist() == pytest.approx([1.0, 0.0, 1.0])


def test_an_embedder_that_gives_something_else_is_told():
    with pytest.raises(DataError, match="the embedder gave an array that has not two dimensions for 1 texts"):
        sums(["a"], ["a"], embedder=lambda texts: [np.zeros(3) for _ in texts])
    with pytest.raises(DataError, match="the embedder gave 0 arrays for 2 texts"):
        sums(["a"], ["b"], embedder=lambda texts: [])
    with pytest.raises(UsageError, match="idf needs to know which token is which"):
        sums(["a"], ["a"], embedder=lambda texts: [np.ones((1, 2)) for _ in texts], idf=True)


def test_the_signature_says_by_what_others_can_repeat_it():
    assert embedding_signature(embedder=Known(), idf=True) == "model:known|layer:last|idf:yes|rescaled:no"
