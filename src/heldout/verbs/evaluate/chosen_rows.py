"""The rows that chose a threshold: hashes by which they are recognised in any order, and in part.

A row is known by its truth and score, and by its id where there is one, whatever the score. The least hashes of a set
of rows are a sample of it whatever its order (bottom-k sketch [cohen07]), so a small file tells how many of other rows
are among them. Other rows may agree by coincidence, most of all where scores have few digits: only more agreement than
that is an overlap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.inputs.row_identity import scored_rows
from heldout.store import fingerprint

MOST = 1000
"""Hashes that are kept: all of them up to this many rows, else the least."""
DIGITS = 6
"""Scores that need more decimals than this are the same in two rows only where the model gives ties."""
UNSEEN = 3
"""Coincidences that may be missed among rows with rounded scores: of none seen, three may be (the rule of three)."""
FEWEST = 5
"""Rows of which not all agree with others by coincidence."""
RARE = 1e-4
"""A coincidence of this probability is taken for none."""
ERRORS = 3
"""How many standard errors above chance are more than coincidence."""
FEW, LITTLE = 3, 0.01
"""Fewer rows, or a smaller share of them, that agree are no overlap: they would change nothing that is printed."""


@dataclass(frozen=True)
class Overlap:
    """How many of some rows chose a threshold."""

    rows: int
    of: int
    exact: bool
    """Whether all rows were compared, and not a sample of them."""

    def __str__(self) -> str:
        if self.rows == self.of:
            return f"these {self.of:,} rows"
        return f"{'' if self.exact else 'about '}{self.rows:,} of these {self.of:,} rows"


@dataclass(frozen=True)
class Sample:
    """The least hashes of rows."""

    least: Array
    complete: bool
    """Whether they are the hashes of all rows."""
    long_scores: bool
    """Whether only rows count whose score needs many decimals: a rounded one among them may be any row's."""
    chance: float
    """Probability that another row agrees with one of these by coincidence, from how many of these do."""
    whole: str
    """Hash of the hashes of all rows, in their order; empty where most rows agree with another one."""

    def shared(self, hashes: Array, long: Array) -> Overlap | None:
        """How many rows with these hashes are among those of the sample; some of them have `long` scores."""
        if self.whole and self.whole == _whole(hashes):
            return Overlap(rows=len(hashes), of=len(hashes), exact=True)
        counted = hashes[long] if self.long_scores else hashes
        compared = counted if self.complete else counted[counted <= self.least.max(initial=np.uint64(0))]
        agree = int(np.isin(compared, self.least).sum())
        by_chance = len(compared) * self.chance
        spread = sqrt(by_chance * (1 - self.chance))
        least = min(len(compared), max(FEW, LITTLE * len(compared)))
        if not agree or agree < least or agree <= by_chance + ERRORS * spread:
            return None
        exact = self.complete and len(compared) == len(hashes)
        return Overlap(rows=round(len(hashes) * agree / len(compared)), of=len(hashes), exact=exact)


def chosen_rows(batch: Batch) -> dict[str, Any]:
    """The rows as plain values for a file: their number, and samples of hashes by score and by id.

    >>> rows = Batch(task="binary", truth=np.array([0, 1]), score=np.array([0.25, 0.5]), labels=(0, 1), positive=1)
    >>> found = chosen_rows(rows)
    >>> found["count"], list(found["samples"]), len(found["samples"]["score"]["least"])
    (2, ['score'], 2)
    """
    long = _long_scores(batch)
    only_long = bool(2 * np.count_nonzero(long) >= len(long))
    kept = long if only_long else np.ones(len(long), dtype=bool)
    known = scored_rows(batch)
    _, counts = np.unique(known["score"][kept], return_counts=True)
    alike = float(np.sum(counts * (counts - 1.0)) / 2) + (0 if only_long else UNSEEN)
    rows = max(int(np.count_nonzero(kept)), 2)
    agree = 2 * alike / (rows * (rows - 1))  # two rows in truth and score
    shares = np.bincount(batch.truth.astype(int)) / batch.rows
    chances = {"score": rows * agree, "id": agree, "row": float(shares @ shares)}  # of the same id, only the truth
    samples = {}
    for name, hashes in known.items():
        distinct = np.unique(hashes if name == "row" else hashes[kept])
        samples[name] = {
            "least": [f"{one:016x}" for one in distinct[:MOST].tolist()],
            "complete": len(distinct) <= MOST,
            "long_scores": only_long and name != "row",
            "chance": min(chances[name], 1.0),
            "whole": _whole(hashes),
        }
    return {"count": batch.rows, "samples": samples}


def _whole(hashes: Array) -> str:
    """A hash of all rows in any order; empty where as many rows of the same model may be the same by coincidence.

    They are not where half of the rows differ from all others. Where a model gives few scores, other rows have each of
    them just as often with the probability of the multinomial distribution.
    """
    from scipy.special import gammaln

    _, counts = np.unique(hashes, return_counts=True)
    rows = len(hashes)
    alike = gammaln(rows + 1) - gammaln(counts + 1).sum() + counts @ np.log(counts / max(rows, 1))
    known = FEWEST <= rows <= 2 * len(counts) or alike < log(RARE)
    return fingerprint(np.sort(hashes)) if known else ""


def _long_scores(batch: Batch) -> Array:
    """Whether each score needs more than a few decimals."""
    assert batch.score is not None
    scaled = batch.score * 10.0**DIGITS
    return np.asarray(np.abs(scaled - np.rint(scaled)) > 1e-6 * np.maximum(1.0, np.abs(scaled)))


def overlap(written: Mapping[str, Any], batch: Batch) -> Overlap | None:
    """How many of these rows are among those of a file; None where no more agree than coincidence explains."""
    if batch.score is None:
        return None
    known, long = scored_rows(batch), _long_scores(batch)
    found = [
        _read_sample(sample).shared(known[name], long) for name, sample in written["samples"].items() if name in known
    ]
    return max((one for one in found if one is not None), key=lambda one: one.rows, default=None)


def is_chosen_rows(value: Any) -> bool:
    """Whether a value from a file is what `chosen_rows` gives."""
    if not isinstance(value, Mapping) or not isinstance(value.get("count"), int):
        return False
    try:
        for sample in value["samples"].values():
            _read_sample(sample)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return False
    return True


def _read_sample(sample: Mapping[str, Any]) -> Sample:
    least = np.array([int(str(one), 16) for one in sample["least"]], dtype=np.uint64)
    chance = float(sample["chance"])
    if not 0 <= chance <= 1 or len(least) > MOST:
        raise ValueError(chance)
    return Sample(least, bool(sample["complete"]), bool(sample["long_scores"]), chance, str(sample["whole"]))
