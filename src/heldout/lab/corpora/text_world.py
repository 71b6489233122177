"""A world of texts: segments that differ in length and in how well they are said, and systems that are equally good.

No word comes twice in a segment, right words stand where the reference has them, and wrong ones stand nowhere in it. So
an n-gram matches where n words in a row are right, the fewest edits are the wrong, missing and surplus words, and what
sets of segments add on average can be written down: BLEU, chrF, TER and n-gram precision and recall are known exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.formulas.text_corpora import NGRAMS, TEXTS
from heldout.lab.name_parsing import Range, spelled, within
from heldout.tallies.units import Units, tally_units

LONGEST, SHORTEST = 80, 3
"""Words of a reference."""
ORDER, CHARACTERS = 4, 6
"""The longest n-grams of words and of characters that are counted."""
WIDTH = 4
"""Characters of a word."""
PART = 4
"""A segment that is too short or too long is so by one in so many words."""
SHARED = 0.7
"""The chance that a unit is as easy for the second system as for the first."""
METRICS = ("bleu", "chrf", "ter", *(metric.name for metric in NGRAMS))
"""Whose truths are known, and whose intervals are measured."""
FIRST_LETTER = 0x4E00
"""Words are written in letters of which there are thousands, for none may come twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What one system wrote: its words per segment, and which words of each reference it has right."""

    wanted: Array
    """Words of the references."""
    length: Array
    """Words of the hypotheses."""
    right: Array
    """Segments by places: whether the word there is right; false beyond the end of either text."""

    def columns(self, kind: str) -> dict[str, Array]:
        """What each segment adds to one kind of counts, by the names that the formulas have for it."""
        if kind == "ter":
            wrong = np.minimum(self.wanted, self.length) - self.right.sum(axis=1)
            return {"edits": wrong + np.abs(self.wanted - self.length), "words": self.wanted}
        if kind == "chrf":
            matched = runs(np.repeat(self.right, WIDTH, axis=1), CHARACTERS)
            said, wanted = (grams(WIDTH * part, CHARACTERS) for part in (self.length, self.wanted))
            return {"said": said, "wanted": wanted, "matched": matched}
        matched = runs(self.right, ORDER)
        wanted = grams(self.wanted, ORDER)
        counts = {"matches": matched, "ngrams": grams(self.length, ORDER), "reference_length": self.wanted}
        # no word is written twice, so that nothing is clipped
        shared = dict.fromkeys(("present", "recalled", "recalled_present"), matched)
        return {**counts, **shared, "reference_ngrams": wanted}

    def texts(self) -> tuple[list[str], list[str]]:
        """Hypotheses and references, written out."""
        hypotheses, references = [], []
        for wanted, length, right in zip(self.wanted.tolist(), self.length.tolist(), self.right, strict=True):
            reference = [_word(at) for at in range(wanted)]
            said = [reference[at] if at < wanted and right[at] else _word(LONGEST + at) for at in range(length)]
            hypotheses.append(" ".join(said))
            references.append(" ".join(reference))
        return hypotheses, references


def _word(number: int) -> str:
    return "".join(chr(FIRST_LETTER + WIDTH * number + at) for at in range(WIDTH))


def runs(right: Array, order: int) -> Array:
    """How many runs of 1 .. order places are all right, in every line.

    >>> runs(np.array([[True, True, False, True]]), 3).tolist()
    [[3, 1, 0]]
    """
    found, run = [right.sum(axis=1)], right
    for n in range(1, order):
        run = run[:, :-1] & right[:, n:]
        found.append(run.sum(axis=1))
    return np.stack(found, axis=1)


def grams(length: Array, order: int) -> Array:
    """How many n-grams texts of these lengths have, n = 1 .. order.

    >>> grams(np.array([3, 1]), 2).tolist()
    [[3, 2], [1, 0]]
    """
    return np.maximum(np.asarray(length)[..., None] - np.arange(order), 0)


@dataclass(frozen=True, kw_only=True)
class Segments:
    """How long segments are, how many of their words are right, and how alike those of one document are."""

    length: float
    """Words, about; of lengths 3 to 80, l has a chance proportional to l exp(-2 l / length)."""
    quality: float
    """The mean chance that a word is right."""
    spread: float
    """The chance differs from segment to segment, by a beta law; this is its a + b: the smaller, the more."""
    short: float
    """The chance that a segment lacks a fourth of its words."""
    long: float
    """The chance that it has a fourth more, all wrong."""
    size: int
    """Segments of a document; 1: every segment is by itself."""
    alike: float
    """The chance that a segment is as easy as its document."""

    @property
    def name(self) -> str:
        """The word for this world."""
        given = {name: getattr(self, name) for name in ("length", "quality", "spread", "short", "long")}
        return spelled("segments", **given, **({"size": self.size, "alike": self.alike} if self.size > 1 else {}))

    @cached_property
    def lengths(self) -> tuple[Array, Array]:
        """The lengths of references, and how likely each is."""
        words = np.arange(SHORTEST, LONGEST + 1)
        chance = words * np.exp(-2 * words / self.length)
        return words, chance / chance.sum()

    @cached_property
    def truths(self) -> dict[str, float]:
        """The true value of every metric: that of what segments add on average.

        >>> round(segments(quality=0.8).truths["bleu"], 2), round(segments(quality=0.8).truths["ngram_precision_1"], 4)
        (60.32, 0.781)
        """
        sums = self.expected
        return {name: float(TEXTS[name]({need: sums[need] for need in TEXTS[name].needs})) for name in METRICS}

    @cached_property
    def expected(self) -> dict[str, Array]:
        """What a segment adds on average, by the names of the sums."""
        words, chance = self.lengths
        total: dict[str, Array] = {}
        for said, share in ((words - words // PART, self.short), (words + words // PART, self.long), (words, None)):
            weight = chance * (1 - self.short - self.long if share is None else share)
            kept = np.minimum(words, said)
            added = {
                "matches": grams(kept, ORDER) * self.moments(ORDER),
                "ngrams": grams(said, ORDER),
                "reference_length": words,
                "reference_ngrams": grams(words, ORDER),
                "said": grams(WIDTH * said, CHARACTERS),
                "wanted": grams(WIDTH * words, CHARACTERS),
                "matched": self._characters(kept),
                "edits": kept * (1 - self.quality) + np.abs(said - words),
                "words": words,
            }
            for name, part in added.items():
                total[name] = total.get(name, 0.0) + weight @ part
        return {**total, **dict.fromkeys(("present", "recalled", "recalled_present"), total["matches"])}

    def moments(self, order: int) -> Array:
        """E[q], E[q²], … of the chance q that a word of a segment is right: prod (a + k) / (a + b + k).

        >>> segments(quality=0.5, spread=2).moments(2).round(4).tolist()
        [0.5, 0.3333]
        """
        first = self.quality * self.spread
        steps = [[(first + k) / (self.spread + k) for k in range(n)] for n in range(1, order + 1)]
        return np.array([prod(one) for one in steps])

    def _characters(self, kept: Array) -> Array:
        """Runs of characters that are right on average, in texts with so many words of the reference."""
        found = np.zeros((len(kept), CHARACTERS))
        chances = self.moments(CHARACTERS)
        for n in range(1, CHARACTERS + 1):
            touched = (np.arange(WIDTH) + n - 1) // WIDTH  # words but one under a run that starts at this letter of one
            windows = np.maximum(kept[:, None] - touched, 0)
            found[:, n - 1] = windows @ chances[touched]
        return found

    def sample(self, units: int, rng: np.random.Generator, systems: int = 2) -> list[Said]:
        """What equally good systems wrote of the same segments: so many, or so many documents."""
        segments = units * self.size
        wanted = rng.choice(self.lengths[0], segments, p=self.lengths[1])
        easy = self._easiness(units, rng)
        found = [self._said(wanted, easy, rng)]
        for _ in range(systems - 1):
            same = np.repeat(rng.random(units) < SHARED, self.size)
            found.append(self._said(wanted, np.where(same, easy, self._easiness(units, rng)), rng))
        return found

    def _easiness(self, units: int, rng: np.random.Generator) -> Array:
        """The chance that a word is right, by segment."""
        first, second = self.quality * self.spread, (1 - self.quality) * self.spread
        own = rng.beta(first, second, units * self.size)
        if self.size == 1:
            return own
        common = np.repeat(rng.beta(first, second, units), self.size)
        return np.where(rng.random(len(own)) < self.alike, common, own)

    def _said(self, wanted: Array, easy: Array, rng: np.random.Generator) -> Said:
        kind = rng.random(len(wanted))
        length = wanted + np.where(kind < self.short, -1, np.where(kind > 1 - self.long, 1, 0)) * (wanted // PART)
        right = rng.random((len(wanted), int(wanted.max()))) < easy[:, None]
        right &= np.arange(right.shape[1]) < np.minimum(wanted, length)[:, None]
        return Said(wanted=wanted, length=length, right=right)

    def tallies(self, said: Said) -> dict[str, Units]:
        """What the units of a system add, by kind of counts."""
        unit = np.arange(len(said.wanted)) // self.size if self.size > 1 else None
        return {kind: tally_units(said.columns(kind), unit=unit) for kind in ("bleu", "chrf", "ter")}


RANGES = {
    "length": Range(0, 1_000, closed="high"),
    "quality": Range(0, 1, closed="neither"),
    "spread": Range(0, 1_000, closed="high"),
    "short": Range(0, 1),
    "long": Range(0, 1),
    "size": Range(1, 100_000),
    "alike": Range(0, 1),
}


def segments(
    *, length: float = 20.0, quality: float = 0.7, spread: float = 4.0, short: float = 0.2, long: float = 0.1,
    size: int = 1, alike: float = 0.7,
) -> Segments:  # fmt: skip
    """Segments of texts.

    >>> segments(quality=0.8).name
    'segments:length=20,quality=0.8,spread=4,short=0.2,long=0.1'
    """
    parts = {"length": length, "quality": quality, "spread": spread, "short": short, "long": long}
    within("segments", RANGES, {**parts, "size": size, "alike": alike})
    if short + long > 1:
        raise UsageError(
            f"the shares short={short:g} and long={long:g} of the world 'segments' add up to more than 1",
            fix="give shares of at most 1 together, such as short=0.2,long=0.2",
        )
    return Segments(**parts, size=size, alike=alike)
