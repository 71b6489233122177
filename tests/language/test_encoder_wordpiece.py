from __future__ import annotations

import pytest

from heldout.language.encoder import WordPieces, words

PIECES = WordPieces({"[UNK]": 0, "un": 1, "##able": 2, "##a": 3, "able": 4, "##ble": 5, "u": 6})


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Hello, World!", ["hello", ",", "world", "!"]),
        ("naïve Ångström", ["naive", "angstrom"]),
        ("日本語 text", ["日", "本", "語", "text"]),
        ("a\u200bb\tc\u00a0d", ["ab", "c", "d"]),
        ("$5^2 `x`", ["$", "5", "^", "2", "`", "x", "`"]),
        ("ΣΑΣ", ["σασ"]),
        ("“q”…", ["“", "q", "”", "…"]),
        ("\0\ufffd\x07", []),
    ],
)
def test_words_are_cut_like_the_uncased_vocabulary_wants(text, cut):
    assert words(text) == cut


def test_case_and_accents_stay_where_they_matter():
    assert words("Éa B", lowercase=False) == ["Éa", "B"]


def test_the_longest_piece_comes_first():
    assert PIECES("unable") == [1, 2]
    assert PIECES("uable") == [6, 2]


@pytest.mark.parametrize("text", ["xyz", "unx", "u" * 101])
def test_a_word_with_an_unknown_part_is_unknown(text):
    assert PIECES(text) == [0]


def test_a_text_without_words_has_no_pieces():
    assert PIECES(" \n ") == []
