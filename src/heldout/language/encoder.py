"""A BERT encoder without a framework: WordPiece tokens and their vectors from the weights in a folder [devlin19]."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from pathlib import Path

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.language.encoder_files import (
    check_parts,
    is_lowercase,
    read_config,
    read_safetensors,
    read_vocabulary,
)

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


ENDS = ("[CLS]", "[SEP]")
"""The marks before and after a text."""
TOKENS_AT_ONCE = 4096
"""Tokens, padding included, that go through the encoder together."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Encoder:
    """Weights, vocabulary and shape of an encoder; called with texts it gives the vectors of their tokens."""

    name: str
    weights: Mapping[str, Array]
    pieces: WordPieces
    layers: int
    heads: int
    longest: int
    """Tokens that have a position, the marks at both ends included."""
    epsilon: float
    layer: int
    """The layer whose vectors are given: 0 for those that enter the first one, by convention the last."""

    @property
    def marks(self) -> frozenset[int]:
        """The tokens at both ends of a text, which may be matched but do not count themselves."""
        return frozenset(self.pieces.numbers[mark] for mark in ENDS)

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The number of every token of each text, as far as the encoder reads it, between the marks at its ends."""
        first, last = (self.pieces.numbers[mark] for mark in ENDS)
        return [[first, *self.pieces(text)[: self.longest - 2], last] for text in texts]

    def __call__(self, texts: Sequence[str]) -> list[Array]:
        """A line for every token of each text, marks included; texts of like length go together."""
        tokens = self.tokens(texts)
        order = sorted(range(len(texts)), key=lambda at: len(tokens[at]))
        found: list[Array] = [np.empty((0, 0), dtype=np.float32)] * len(texts)
        start = 0
        while start < len(order):
            stop = start + 1
            while stop < len(order) and (stop + 1 - start) * len(tokens[order[stop]]) <= TOKENS_AT_ONCE:
                stop += 1
            some = order[start:stop]
            vectors = self._encoded([tokens[at] for at in some])
            for line, at in zip(vectors, some, strict=True):
                found[at] = line[: len(tokens[at])].copy()
            start = stop
        return found

    def _encoded(self, tokens: Sequence[Sequence[int]]) -> Array:
        """The vectors of a layer, one line per text, padded to the longest."""
        width, padding = max(map(len, tokens)), self.pieces.numbers["[PAD]"]
        ids = np.array([[*line, *[padding] * (width - len(line))] for line in tokens])
        known = np.arange(width) < np.array([[len(line)] for line in tokens])
        hidden = self.weights["embeddings.word_embeddings.weight"][ids]
        hidden = hidden + self.weights["embeddings.position_embeddings.weight"][:width]
        hidden = self._normal(hidden + self.weights["embeddings.token_type_embeddings.weight"][0], "embeddings")
        unseen = np.where(known, 0, -np.inf).astype(np.float32)[:, None, None, :]
        for number in range(self.layer):
            hidden = self._transformed(hidden, unseen, f"encoder.layer.{number}")
        return hidden

    def _transformed(self, hidden: Array, unseen: Array, layer: str) -> Array:
        """One layer: attention, then two dense steps, each added to what came in and brought to one scale."""
        mixed = self._attended(hidden, unseen, f"{layer}.attention.self")
        mixed = self._dense(mixed, f"{layer}.attention.output.dense")
        hidden = self._normal(mixed + hidden, f"{layer}.attention.output")
        wide = _gelu(self._dense(hidden, f"{layer}.intermediate.dense"))
        return self._normal(self._dense(wide, f"{layer}.output.dense") + hidden, f"{layer}.output")

    def _attended(self, hidden: Array, unseen: Array, name: str) -> Array:
        lines, width, size = hidden.shape

        def divided(part: str) -> Array:
            found = self._dense(hidden, f"{name}.{part}")
            return found.reshape(lines, width, self.heads, size // self.heads).transpose(0, 2, 1, 3)

        query, key, value = (divided(part) for part in ("query", "key", "value"))
        likeness = query @ key.transpose(0, 1, 3, 2) / np.float32(sqrt(size // self.heads)) + unseen
        shares = np.exp(likeness - likeness.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        return (shares @ value).transpose(0, 2, 1, 3).reshape(lines, width, size)

    def _dense(self, hidden: Array, name: str) -> Array:
        flat = hidden.reshape(-1, hidden.shape[-1])  # one large product is many times faster than one for each text
        found = flat @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]
        return found.reshape(*hidden.shape[:-1], -1)

    def _normal(self, hidden: Array, name: str) -> Array:
        """Each vector with mean 0 and variance 1, then stretched and moved as was learned."""
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        spread = np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + np.float32(self.epsilon))
        return centred / spread * self.weights[f"{name}.LayerNorm.weight"] + self.weights[f"{name}.LayerNorm.bias"]


def _gelu(x: Array) -> Array:
    """The smooth ramp x Phi(x)."""
    from scipy.special import erf

    return 0.5 * x * (1 + erf(x / np.float32(sqrt(2))))


@lru_cache(maxsize=4)
def read_encoder(folder: Path, layer: int | None = None) -> Encoder:
    """The encoder in a folder with config.json, vocab.txt and model.safetensors, with the vectors of a layer."""
    config, weights, pieces = read_config(folder), _weights(folder), _pieces(folder)
    check_parts(folder, config, weights, pieces.numbers)
    chosen = config.layers if layer is None else layer
    if not 0 <= chosen <= config.layers:
        text = f"the layer is {chosen}, but {folder.name} has the layers 0 to {config.layers}"
        raise UsageError(text, fix="leave it out")
    return Encoder(
        name=folder.name,
        weights=weights,
        pieces=pieces,
        layers=config.layers,
        heads=config.heads,
        longest=config.longest,
        epsilon=config.epsilon,
        layer=chosen,
    )


@lru_cache(maxsize=2)
def _weights(folder: Path) -> dict[str, Array]:
    """The weights by name, copied: numbers that begin at an odd byte of a file are too slow to multiply."""
    stored = read_safetensors(folder / "model.safetensors")
    return {name.removeprefix("bert."): np.array(array, dtype=np.float32) for name, array in stored.items()}


@lru_cache(maxsize=2)
def _pieces(folder: Path) -> WordPieces:
    return WordPieces(read_vocabulary(folder), is_lowercase(folder))
