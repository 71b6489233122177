from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from heldout.language.sacre import ngram_columns

words = st.lists(st.sampled_from("abc"), max_size=7)


def counted(tokens, n):
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def by_hand(hypothesis, references, n):
    said, wanted = counted(hypothesis, n), [counted(one, n) for one in references]
    most = Counter()
    for one in wanted:
        most |= one
    return {
        "matches": (said & most).total(),
        "ngrams": said.total(),
        "recalled": sum((said & one).total() for one in wanted),
        "reference_ngrams": sum(one.total() for one in wanted),
    }


@given(st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_counts_are_those_of_counting_by_hand(segments):
    found = ngram_columns([said for said, _ in segments], [wanted for _, wanted in segments])
    for n in range(1, 5):
        hand = [by_hand(said, wanted, n) for said, wanted in segments]
        for name in ("matches", "ngrams", "recalled", "reference_ngrams"):
            assert found[name][:, n - 1].tolist() == [one[name] for one in hand]


@pytest.mark.parametrize(("lengths", "nearest"), [([3, 6], 3), ([2, 6], 2), ([6, 2], 2), ([5], 5), ([4, 4], 4)])
def test_the_nearest_length_counts_and_of_two_the_shorter(lengths, nearest):
    found = ngram_columns([["x"] * 4], [[["x"] * length for length in lengths]])
    assert found["reference_length"].tolist() == [nearest]


def test_texts_without_tokens_add_nothing():
    found = ngram_columns([[], ["a"]], [[[]], [["a"]]], order=2)
    assert found["matches"].tolist() == [[0, 0], [1, 0]]
    assert found["reference_length"].tolist() == [0, 1]
    assert np.all(found["ngrams"][0] == 0)


def test_segments_do_not_share_ngrams():
    found = ngram_columns([["a", "b"], ["c", "d"]], [[["c", "d"]], [["a", "b"]]])
    assert found["matches"].sum() == 0
