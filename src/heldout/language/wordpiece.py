"""Texts to pieces of words, as BERT's uncased and cased vocabularies want them [devlin19]."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

LONGEST = 100
"""Characters of a word beyond which it is unknown."""
UNKNOWN = "[UNK]"
IDEOGRAPHS = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)
"""Chinese characters are words of their own."""


@dataclass(frozen=True)
class WordPieces:
    """A vocabulary, and whether upper case and accents matter to it."""

    numbers: Mapping[str, int]
    lowercase: bool = True

    def __call__(self, text: str) -> list[int]:
        """The number of every piece of a text, in order.

        >>> pieces = WordPieces({"[UNK]": 0, "play": 1, "##ing": 2, "!": 3})
        >>> pieces("Playing! now")
        [1, 2, 3, 0]
        """
        return [number for word in words(text, lowercase=self.lowercase) for number in self._pieces(word)]

    def _pieces(self, word: str) -> Sequence[int]:
        """The longest pieces that the vocabulary has, from left to right; unknown where some part has none."""
        if len(word) > LONGEST:
            return [self.numbers[UNKNOWN]]
        found, start = [], 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self.numbers), None)
            if end is None:
                return [self.numbers[UNKNOWN]]
            found.append(self.numbers[mark + word[start:end]])
            start = end
        return found


def words(text: str, *, lowercase: bool = True) -> list[str]:
    """Words, punctuation marks and Chinese characters, each by itself.

    >>> words("Café, now!")
    ['cafe', ',', 'now', '!']
    """
    spaced = "".join(map(_spaced, text))
    if lowercase:
        plain = (c for c in unicodedata.normalize("NFD", spaced) if unicodedata.category(c) != "Mn")
        spaced = "".join(map(str.lower, plain))  # each by itself: a sigma stays one at the end of a word
    return "".join(f" {c} " if _is_mark(c) else c for c in spaced).split()


@lru_cache(maxsize=65536)
def _spaced(c: str) -> str:
    """A character; a blank instead of white space, nothing instead of a control character, Chinese set apart."""
    if c in "\t\n\r":
        return " "
    kind = unicodedata.category(c)
    if c in "\0\ufffd" or kind in ("Cc", "Cf", "Cs", "Co"):
        return ""
    if kind == "Zs":
        return " "
    return f" {c} " if any(low <= ord(c) <= high for low, high in IDEOGRAPHS) else c


@lru_cache(maxsize=65536)
def _is_mark(c: str) -> bool:
    """Whether a character is punctuation; all that ASCII has besides letters, digits and blanks is."""
    if c.isascii():
        return c.isprintable() and not c.isalnum() and c != " "
    return unicodedata.category(c).startswith("P")


def read_wordpieces(folder: Path, *, lowercase: bool) -> WordPieces:
    """The vocabulary in a folder: one piece per line of vocab.txt."""
    lines = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    return WordPieces({piece: number for number, piece in enumerate(lines) if piece}, lowercase)
