"""What each threshold would do: exact counts, and bands of recall and specificity that hold at all of them at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.intervals.simultaneous import share_band
from heldout.tallies.scores import Scores

MOST = 2000
"""How many thresholds are kept at most."""
GRID = 60
"""At how many of them it is found how many independent rows a rate is worth, where rows are clustered."""
DIGITS = range(-3, 17)
"""How many decimals a round threshold may have; negative where scores are large."""


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """Thresholds in rising order, and what each does to the rows."""

    threshold: Array
    """Rows with a score at or above it are called positive."""
    after: Array
    """The counts are the same for every threshold above this one, up to `until`."""
    until: Array
    tp: Array
    fp: Array
    positives: float
    negatives: float
    recall_low: Array
    recall_high: Array
    specificity_low: Array
    specificity_high: Array
    level: float
    scores: int
    """How many distinct scores there are; more than thresholds were kept where these were thinned."""
    method: str = "Clopper-Pearson, equal local levels"

    @property
    def recall(self) -> Array:
        return self.tp / self.positives

    @property
    def specificity(self) -> Array:
        return 1 - self.fp / self.negatives

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; an open end is null."""
        numbers = ("threshold", "after", "until", "tp", "fp")
        bands = ("recall_low", "recall_high", "specificity_low", "specificity_high")
        facts = ("positives", "negatives", "level", "scores", "method")
        return {
            **{name: _plain(getattr(self, name)) for name in numbers},
            **{name: np.round(getattr(self, name), 6).tolist() for name in bands},
            **{name: getattr(self, name) for name in facts},
        }


def thresholds_of(tally: Scores, *, level: float = 0.95, at: tuple[float, ...] = (), most: int = MOST) -> Thresholds:
    """Counts at up to `most` thresholds, with bands of recall and specificity that hold at every threshold at once.

    Each class is a sample from its own distribution of scores, whose band has equal local levels [aldor13]; each holds
    at 1 - (1 - level) / 2, so both hold together at the level, and so does whatever follows from the two at any
    threshold: precision at a prevalence, expected cost. `at` are thresholds that must stay.

    >>> from heldout.tallies.scores import tally_scores
    >>> found = thresholds_of(tally_scores(np.array([0.12, 0.41, 0.41, 0.87]), np.array([False, True, False, True])))
    >>> found.threshold.tolist(), found.tp.tolist(), found.fp.tolist()
    ([0.0, 0.4, 0.8, 1.0], [2.0, 2.0, 1.0, 0.0], [2.0, 1.0, 0.0, 0.0])
    """
    below = tally.positives_below, tally.negatives_below
    places = _kept(tally, at, most)
    after = np.concatenate([[-np.inf], tally.values])[places]
    until = np.concatenate([tally.values, [np.inf]])[places]
    totals = float(below[0][-1]), float(below[1][-1])
    recall, fpr = (1 - side[places] / side[-1] for side in below)
    worth, both = _worth(tally, places), 1 - (1 - level) / 2
    low, high = share_band(recall, worth[0], both)
    fewest, most_false = share_band(fpr, worth[1], both)
    return Thresholds(
        threshold=round_between(after, until), after=after, until=until,
        tp=totals[0] - below[0][places], fp=totals[1] - below[1][places], positives=totals[0], negatives=totals[1],
        recall_low=low, recall_high=high, specificity_low=1 - most_false, specificity_high=1 - fewest,
        level=level, scores=len(tally.values),
    )  # fmt: skip


def round_between(after: Array, until: Array) -> Array:
    """The number with the fewest decimals in each interval (after, until].

    >>> round_between(np.array([0.1, 0.2034, -np.inf]), np.array([0.32, 0.2035, 0.4])).tolist()
    [0.3, 0.2035, 0.0]
    """
    found = np.full(len(until), np.nan)
    for decimals in DIGITS:
        scale = 10.0 ** abs(decimals)
        up, down = (np.multiply, np.divide) if decimals >= 0 else (np.divide, np.multiply)
        with np.errstate(over="ignore"):  # too many decimals for a large score
            wanted = np.where(np.isfinite(until), np.floor(up(until, scale)), np.floor(up(after, scale)) + 1)
        number = down(wanted, scale)
        # beyond the last score a number of our own size will do, not the next thousand
        fits = (number > after) & (number <= until) & ((decimals >= 0) | np.isfinite(until - after))
        found = np.where(np.isnan(found) & fits, number, found)
    return np.where(np.isnan(found), until, found)


def _kept(tally: Scores, at: tuple[float, ...], most: int) -> Array:
    """Places of the thresholds: all of them, or those that are even in both classes, dense at the top, and round."""
    scores = len(tally.values)
    if scores < most:
        return np.arange(scores + 1)
    even = most // 4
    ranks = np.linspace(0, 1, even)
    by_class = [np.searchsorted(side, ranks * side[-1]) for side in (tally.positives_below, tally.negatives_below)]
    top = scores + 1 - np.unique(np.geomspace(1, scores, even // 2).astype(int))
    values = np.linspace(tally.values[0], tally.values[-1], even // 2)
    if tally.values[0] >= 0 and tally.values[-1] <= 1:
        values = np.linspace(0, 1, 201)
    asked = np.searchsorted(tally.values, np.concatenate([values, at]))
    return np.unique(np.clip(np.concatenate([*by_class, top, asked, [0, scores]]), 0, scores))


def _worth(tally: Scores, places: Array) -> list[Array]:
    """How many independent rows each rate is worth at the places: all of its class unless rows are clustered."""
    sides = tally.positives_below, tally.negatives_below
    if not tally.row_by_row:
        return [np.full(len(places), side[-1]) for side in sides]
    grid = places[np.unique(np.linspace(0, len(places) - 1, GRID).astype(int))]
    worth = []
    for side, variance in zip(sides, np.split(np.diag(rates_covariance(tally, grid)), 2), strict=True):
        share = 1 - side[grid] / side[-1]
        inner = (share > 0) & (share < 1) & (variance > 0)
        found = (share * (1 - share))[inner] / variance[inner]
        rows = float(np.count_nonzero(tally.hits if side is sides[0] else ~tally.hits))
        worth.append(
            np.interp(places, grid[inner], np.minimum(found, rows)) if inner.any() else np.full(len(places), rows)
        )
    return worth


def rates_covariance(tally: Scores, places: Array) -> Array:
    """Covariance of recall at the places, then of the false positive rate at the places, from the rows of each unit.

    Rows between two places move all rates alike, so they are added up by unit first; with M one line per unit and one
    column per class and gap, the covariance is B' M' M B, where B turns gaps into centred rates.
    """
    from scipy.sparse import coo_array

    gaps, n = len(places) + 1, len(places)
    gap = np.searchsorted(places, tally.place, side="right")
    weight = np.ones(tally.rows) if tally.weight is None else tally.weight
    column = np.where(tally.hits, gap, gap + gaps)
    if tally.unit is None:
        gram = np.diag(np.bincount(column, weights=weight**2, minlength=2 * gaps))
    else:
        lines = coo_array((weight, (tally.unit, column)), shape=(tally.units, 2 * gaps)).tocsr()
        gram = (lines.T @ lines).toarray()
    called = np.arange(gaps)[:, None] > np.arange(n)
    turns = np.zeros((2 * gaps, 2 * n))
    for side, below in enumerate((tally.positives_below, tally.negatives_below)):
        rate = 1 - below[places] / below[-1]
        turns[side * gaps : (side + 1) * gaps, side * n : (side + 1) * n] = (called - rate) / below[-1]
    return turns.T @ gram @ turns


def _plain(column: Array) -> list[float | None]:
    return [number if np.isfinite(number) else None for number in column.tolist()]
